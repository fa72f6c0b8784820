/**
 * Limits how many posts run at the same time; further ones wait for their turn, in order.
 *
 * No post waits while fewer than the limit run; a post that enters leaves exactly once.
 */
export class PostLimiter {
  readonly #limit: number;
  #running = 0;
  /** For each waiting post, the functions that admit and reject it. */
  readonly #waiting = new Map<() => void, (reason: unknown) => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#running >= this.#limit;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Enters; the caller ends with {@link leave}.
   *
   * @returns Resolves when the turn comes, and rejects if the signal is aborted before; undefined if the turn is now.
   */
  enter(signal?: AbortSignal): Promise<void> | undefined {
    if (!this.isFull) {
      this.#running += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(enter);
        reject(signal?.reason as Error);
      };
      const enter = (): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.set(enter, reject);
    });
  }

  leave(): void {
    const [next] = this.#waiting.keys();
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  /** Rejects all that wait. */
  clear(reason: unknown): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const reject of waiting) reject(reason);
  }
}
