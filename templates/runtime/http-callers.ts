import type { RequestCounter } from "./transport.js";

/** What the callers of an HTTP handler share, each within a limit. */
export type Shared =
  "visits" | "open" | "handlers" | "sessions" | "bodyBytes" | "unreadBytes";

/**
 * How many times what would stay free a caller may hold. With 4, one caller gets four fifths of a limit, and two that want
 * all of it at the same time four ninths each. A dozen callers that each take all they may fill the limit.
 */
const SHARE = 4;

/** Counts what each caller of a handler holds, and what all of them hold together. */
export class Callers {
  /** What all hold together. */
  readonly total: Record<Shared, number> = nothing();
  readonly #byKey = new Map<string, Caller>();
  readonly #unknown: Caller = new Caller(this.total, false, () => undefined);

  /**
   * A caller, who is remembered until {@link Caller.release} and for as long as anything is held.
   *
   * @param key - Tells callers apart; undefined where they cannot be told apart, who then share without a bound for each.
   */
  of(key: string | undefined): Caller {
    if (key === undefined) return this.#unknown;
    let caller = this.#byKey.get(key);
    if (caller === undefined) {
      caller = new Caller(this.total, true, () => this.#byKey.delete(key));
      this.#byKey.set(key, caller);
    }
    caller.retain();
    return caller;
  }
}

/** What one caller holds. */
export class Caller implements RequestCounter {
  readonly held: Record<Shared, number> = nothing();
  readonly #total: Record<Shared, number>;
  readonly #isBounded: boolean;
  readonly #forget: () => void;
  /** Of visits that know it, and of what it holds any of. */
  #references = 0;

  constructor(
    total: Record<Shared, number>,
    isBounded: boolean,
    forget: () => void,
  ) {
    this.#total = total;
    this.#isBounded = isBounded;
    this.#forget = forget;
  }

  /** @internal */
  retain(): void {
    this.#references += 1;
  }

  /** Whoever got it is done with it. */
  release(): void {
    this.#references -= 1;
    if (this.#references === 0) this.#forget();
  }

  /** Whether it may hold one more of what there are so many of. Who holds none may have the last one. */
  mayTake(what: Shared, max: number): boolean {
    const free = max - this.#total[what];
    if (free < 1) return false;
    const held = this.held[what];
    return !this.#isBounded || held === 0 || held < SHARE * (free - 1);
  }

  take(what: Shared, amount = 1): void {
    if (amount === 0) return;
    if (this.held[what] === 0) this.retain();
    this.held[what] += amount;
    this.#total[what] += amount;
  }

  /** Gives back what was taken before. */
  give(what: Shared, amount = 1): void {
    if (amount === 0) return;
    this.held[what] -= amount;
    this.#total[what] -= amount;
    if (this.held[what] === 0) this.release();
  }

  mayBegin(limit: number): boolean {
    return this.mayTake("handlers", limit);
  }

  begin(): void {
    this.take("handlers");
  }

  end(): void {
    this.give("handlers");
  }
}

function nothing(): Record<Shared, number> {
  return {
    visits: 0,
    open: 0,
    handlers: 0,
    sessions: 0,
    bodyBytes: 0,
    unreadBytes: 0,
  };
}

/**
 * What tells a caller by its address: for IPv6 the first 64 bits, since whoever has an address there has all that begin
 * like it (RFC 6177).
 */
export function addressKey(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = address
    .toLowerCase()
    .replace(/%.*$/, "")
    .split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array<string>(zeros).fill("0"), ...last]
    .slice(0, 4)
    .join(":");
}
