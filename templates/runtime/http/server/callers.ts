import { fitsShare } from "../../jsonrpc/fair-share.js";
import type { HandlerCounter } from "../../jsonrpc/transport.js";

/** The limited resources that the callers of an HTTP handler share. */
export type SharedResource =
  | "visits"
  | "open"
  | "handlers"
  | "sessions"
  | "bodyBytes"
  | "requestBytes"
  | "unreadBytes";

/** The sums over all callers. */
export type Totals = Readonly<Record<SharedResource, { held: number }>>;

/**
 * Counts what each caller of a handler holds, and what all of them hold together.
 *
 * `total` is the sum of what all callers hold, unknown ones included.
 * A caller that is referenced or holds anything is in `byKey`; at most one other is.
 */
export class Callers {
  readonly total: Totals = {
    visits: { held: 0 },
    open: { held: 0 },
    handlers: { held: 0 },
    sessions: { held: 0 },
    bodyBytes: { held: 0 },
    requestBytes: { held: 0 },
    unreadBytes: { held: 0 },
  };
  readonly #byKey = new Map<string, Caller>();
  /** How many processes share a limit of handlers. */
  readonly #processes: () => number;
  readonly #unknown: Caller;
  /** The key of the last caller that became idle: it is usually the next to come back. */
  #idle: string | undefined;

  constructor(processes: () => number = () => 1) {
    this.#processes = processes;
    this.#unknown = new Caller(this.total, false, () => undefined, processes);
  }

  /**
   * A caller, which is kept until {@link Caller.release} and while it holds anything.
   *
   * @param key - Identifies the caller; callers with an undefined key are counted as one, without a limit for each.
   */
  of(key: string | undefined): Caller {
    if (key === undefined) return this.#unknown;
    let caller = this.#byKey.get(key);
    if (caller === undefined) {
      caller = new Caller(
        this.total,
        true,
        () => {
          this.#forget(key);
        },
        this.#processes,
      );
      this.#byKey.set(key, caller);
    }
    caller.retain();
    return caller;
  }

  #forget(key: string): void {
    const idle = this.#idle;
    this.#idle = key;
    if (idle === undefined || idle === key) return;
    if (this.#byKey.get(idle)?.isIdle === true) this.#byKey.delete(idle);
  }
}

/**
 * A caller, with its share of each limit.
 *
 * `references` counts its users and those of its shares that hold anything.
 * `onIdle` is called each time that this becomes 0.
 */
export class Caller implements HandlerCounter {
  readonly admissions: ResourceShare;
  readonly openResponses: ResourceShare;
  readonly handlers: ResourceShare;
  readonly sessions: ResourceShare;
  /** For bodies that are arriving. */
  readonly bodyBytes: ResourceShare;
  /** For complete bodies, while they may be in use. */
  readonly requestBytes: ResourceShare;
  readonly unreadBytes: ResourceShare;
  readonly #onIdle: () => void;
  readonly #processes: () => number;
  /** Uses of this object, and shares that hold anything. */
  #references = 0;

  constructor(
    totals: Totals,
    isBounded: boolean,
    onIdle: () => void,
    processes: () => number = () => 1,
  ) {
    this.#processes = processes;
    this.admissions = new ResourceShare(totals.visits, this, isBounded);
    this.openResponses = new ResourceShare(totals.open, this, isBounded);
    this.handlers = new ResourceShare(totals.handlers, this, isBounded);
    this.sessions = new ResourceShare(totals.sessions, this, isBounded);
    this.bodyBytes = new ResourceShare(totals.bodyBytes, this, isBounded);
    this.requestBytes = new ResourceShare(totals.requestBytes, this, isBounded);
    this.unreadBytes = new ResourceShare(totals.unreadBytes, this, isBounded);
    this.#onIdle = onIdle;
  }

  /** Whether it is unused and holds nothing. */
  get isIdle(): boolean {
    return this.#references === 0;
  }

  /** @internal */
  retain(): void {
    this.#references += 1;
  }

  /** Ends one use of this object. */
  release(): void {
    this.#references -= 1;
    if (this.#references === 0) this.#onIdle();
  }

  canStart(limit: number): boolean {
    return this.handlers.canAcquire(Math.ceil(limit / this.#processes()));
  }

  handlerStarted(): void {
    this.handlers.acquire();
  }

  handlerEnded(): void {
    this.handlers.release();
  }
}

/**
 * What one caller holds of a shared resource.
 *
 * The total always includes `held`.
 * The share retains its caller exactly while `held` is above 0.
 */
export class ResourceShare {
  held = 0;
  readonly #total: { held: number };
  readonly #caller: Caller;
  readonly #isBounded: boolean;

  constructor(total: { held: number }, caller: Caller, isBounded: boolean) {
    this.#total = total;
    this.#caller = caller;
    this.#isBounded = isBounded;
  }

  /** Whether the caller may hold one more, given the limit for all. A caller that holds none may have the last one. */
  canAcquire(max: number): boolean {
    return fitsShare(this.held, this.#total.held, max, 1, this.#isBounded);
  }

  acquire(amount = 1): void {
    if (amount === 0) return;
    if (this.held === 0) this.#caller.retain();
    this.held += amount;
    this.#total.held += amount;
  }

  /** Releases what was acquired before. */
  release(amount = 1): void {
    if (amount === 0) return;
    this.held -= amount;
    this.#total.held -= amount;
    if (this.held === 0) this.#caller.release();
  }
}

/**
 * Identifies a caller by its address: for IPv6 by the first 64 bits, since one subscriber has all addresses with the
 * same prefix (RFC 6177).
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
