/** Shares of a limit that several callers have together. */

/**
 * How many times the remaining free part a caller may hold. With 4, one caller gets four fifths of a limit, and two
 * that want all of it get four ninths each. A dozen such callers fill the limit.
 */
export const FAIR_SHARE_FACTOR = 4;

/**
 * Whether a caller may hold more of what all share. One that holds nothing may have the last free part.
 *
 * @param held - What it holds.
 * @param total - What all hold.
 * @param isKnown - Unknown callers are counted as one, which may use all of it.
 */
export function fitsShare(
  held: number,
  total: number,
  max: number,
  amount: number,
  isKnown: boolean,
): boolean {
  const free = max - total;
  if (free < amount) return false;
  return (
    !isKnown ||
    held === 0 ||
    held + amount - 1 < FAIR_SHARE_FACTOR * (free - amount)
  );
}

/** Counts what runs for each principal. Those that are unknown are counted together, under an empty name. */
export class SharedSlots {
  readonly #held = new Map<string, number>();
  #total = 0;

  /** Whether one more may run for a principal. */
  hasRoom(principal: string, max: number): boolean {
    const held = this.#held.get(principal) ?? 0;
    return fitsShare(held, this.#total, max, 1, principal !== "");
  }

  take(principal: string): void {
    this.#held.set(principal, (this.#held.get(principal) ?? 0) + 1);
    this.#total += 1;
  }

  /** Frees what was taken before. */
  free(principal: string): void {
    const left = (this.#held.get(principal) ?? 1) - 1;
    if (left === 0) this.#held.delete(principal);
    else this.#held.set(principal, left);
    this.#total -= 1;
  }
}
