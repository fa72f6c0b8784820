import { keepProcessAlive } from "../../jsonrpc/envelope.js";

/** A response that waits for one client. */
export interface UnreadResponse {
  /** Bytes that were written but not read by the client. */
  readonly unreadBytes: number;
  /** Since when the client has read nothing, in milliseconds since 1970; undefined while nothing waits for it. */
  readonly blockedSince: number | undefined;
  /** Whether the client was observed to read after it had made the server wait. */
  readonly hasRead: boolean;
  /** Unread bytes of all responses to the same caller. */
  readonly unreadByCaller: number;
  /** Disconnects the client. */
  abort(): void;
}

/** Milliseconds without progress before a client is disconnected to free memory. */
const PRESSURE_STALL_MS = 1_000;
/**
 * The same for a client that was observed to read: the system accepts some MB ahead of it, and shows no progress
 * meanwhile.
 */
const READER_STALL_MS = 5_000;
/** Milliseconds between two checks for clients to disconnect. */
const PRESSURE_TICK_MS = 250;

/**
 * The unread bytes of all responses. Past half of the limit, clients that read nothing are disconnected: first those of
 * the caller that holds the most, and of these the ones that hold the most for the longest time. A client that was
 * observed to read receives its response, however slow it is, unless its caller alone holds more than half of the
 * limit.
 *
 * `used` is the sum of `unreadBytes` of all responses that are not over.
 * A timer runs while `used` is above half of the limit, and at most once after that.
 */
export class UnreadBudget {
  readonly max: number;
  /** From here on clients are disconnected, so that room is left for others. */
  readonly #reliefThreshold: number;
  readonly #responses: Iterable<UnreadResponse>;
  /** Those that another process writes. */
  readonly #forwarded = new Set<UnreadResponse>();
  #used = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param responses - Those that are not over. */
  constructor(max: number, responses: Iterable<UnreadResponse>) {
    this.max = max;
    this.#reliefThreshold = max / 2;
    this.#responses = responses;
  }

  get used(): number {
    return this.#used;
  }

  /** Whether requests must wait until clients have read. */
  get isFull(): boolean {
    return this.#used >= this.max;
  }

  /** A response that another process writes has begun. */
  watch(response: UnreadResponse): void {
    this.#forwarded.add(response);
  }

  /** Such a response is over. */
  unwatch(response: UnreadResponse): void {
    this.#forwarded.delete(response);
  }

  add(bytes: number): void {
    this.#used += bytes;
    if (this.#used > this.#reliefThreshold) this.#schedule();
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }

  /** Clients are disconnected from a timer, so that no handler ends in the middle of another's write. */
  #schedule(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#cutOffStalled(Date.now());
      if (this.#used > this.#reliefThreshold) this.#schedule();
    }, PRESSURE_TICK_MS);
    keepProcessAlive(this.#timer, false);
  }

  #cutOffStalled(now: number): void {
    const stalled: {
      readonly answer: UnreadResponse;
      readonly held: number;
      readonly cost: number;
    }[] = [];
    let largest = 0;
    for (const answer of [...this.#responses, ...this.#forwarded]) {
      largest = Math.max(largest, answer.unreadByCaller);
      const {
        blockedSince,
        hasRead: isReader,
        unreadBytes: unread,
        unreadByCaller: held,
      } = answer;
      if (blockedSince === undefined || (isReader && held * 2 <= this.max))
        continue;
      const idle = now - blockedSince;
      if (idle >= (isReader ? READER_STALL_MS : PRESSURE_STALL_MS))
        stalled.push({ answer, held, cost: idle * unread });
    }
    stalled.sort((a, b) => b.held - a.held || b.cost - a.cost);
    for (const { answer, held: heldByCaller } of stalled) {
      // A caller that holds little is not affected by one that holds much and cannot be disconnected yet.
      if (this.#used <= this.#reliefThreshold || heldByCaller * 2 < largest)
        return;
      answer.abort();
    }
  }
}

/** Names log messages, none of which replaces another. */
export const LOG_DROP_KEY = "log";

/**
 * Makes a notification droppable while a client is slow: a newer one of the same name replaces an older one. Undefined
 * for messages that must not be dropped: requests, responses, and notifications of other methods.
 */
export function dropKeyOf(message: object): string | undefined {
  const { method, params } = message as {
    readonly method?: unknown;
    readonly params?: { readonly progressToken?: unknown };
  };
  if ("id" in message) return undefined;
  switch (method) {
    case "notifications/progress": {
      const token = params?.progressToken;
      return `${typeof token} ${String(token)}`;
    }
    case "notifications/message":
      return LOG_DROP_KEY;
    default:
      return undefined;
  }
}
