import { MAX_TIMER_DELAY_MS } from "../../jsonrpc/envelope.js";
import type { ReconnectOptions } from "./options.js";

/** Minimum of milliseconds between two attempts, regardless of the options. */
const MIN_DELAY_MS = 20;

/** How often the client tries again, and how long it waits before that. */
export class BackOff {
  readonly maxAttempts: number;
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;

  /** @throws RangeError if an option is negative or not a number. */
  constructor({
    maxAttempts = 5,
    initialDelayMs = 1000,
    maxDelayMs = 30_000,
  }: ReconnectOptions = {}) {
    for (const [name, value] of Object.entries({
      maxAttempts,
      initialDelayMs,
      maxDelayMs,
    }))
      if (!(value >= 0))
        throw new RangeError(
          `reconnect.${name} must be at least 0, not ${value}`,
        );
    this.maxAttempts = maxAttempts;
    this.initialDelayMs = Math.max(initialDelayMs, MIN_DELAY_MS);
    this.maxDelayMs = maxDelayMs;
  }

  /** Milliseconds before an attempt; 1 is the first. */
  delayMs(attempt: number): number {
    return Math.max(
      MIN_DELAY_MS,
      withJitter(
        Math.min(this.initialDelayMs * 2 ** (attempt - 1), this.maxDelayMs),
      ),
    );
  }
}

/** Without jitter, all clients of a restarted server would reconnect at once. */
export function withJitter(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2);
}

/** Waits; rejects with the signal's reason once that is aborted. */
export function sleep(
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      },
      Math.min(milliseconds, MAX_TIMER_DELAY_MS),
    );
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
