/** This side's requests that wait for a response: ids, deadlines and progress. */
import type {
  CallOptions,
  EndpointEvent,
  Progress,
  ProgressRule,
} from "./endpoint-options.js";
import type { RequestId } from "./message.js";
import type { ConnectionClosedError } from "./call-errors.js";
import { TimeoutError } from "./call-errors.js";
import { keepProcessAlive, MAX_TIMER_DELAY_MS } from "./envelope.js";
import { RequestsById } from "./requests-by-id.js";

/** A request of this side that waits for its response; times in milliseconds. */
export interface PendingRequest {
  readonly id: number;
  readonly method: string;
  readonly options: CallOptions;
  readonly timeout: number;
  readonly resolve: (result: object) => void;
  readonly reject: (error: unknown) => void;
  readonly maxDeadline: number;
  deadline: number;
  lastProgress: number;
  onAbort: (() => void) | undefined;
}

/**
 * A request is removed before its promise settles, so it settles once.
 * While a request has a deadline, one timer runs that fires at the earliest deadline or before it.
 */
export class PendingRequests {
  readonly #onExpired: (pending: PendingRequest, error: TimeoutError) => void;
  /** Called when the last pending request was removed. */
  onEmpty: (() => void) | undefined;
  readonly #requests = new RequestsById<PendingRequest>();
  #nextId: number;
  #isStopped = false;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;
  #expiryTime = Number.POSITIVE_INFINITY;

  /**
   * @param onExpired - Called for a request past its deadline, which it must remove and reject.
   * @param firstId - The id of the first request.
   */
  constructor(
    onExpired: (pending: PendingRequest, error: TimeoutError) => void,
    firstId: number,
  ) {
    this.#onExpired = onExpired;
    this.#nextId = firstId;
  }

  get size(): number {
    return this.#requests.size;
  }

  get(id: RequestId): PendingRequest | undefined {
    return this.#requests.get(id);
  }

  /** The id of the next request. */
  takeId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  /** Whether a request was ever sent with this id. */
  hasIssued(id: RequestId | null): id is number {
    return typeof id === "number" && id > 0 && id < this.#nextId;
  }

  /** Adds a request and starts its timeout. */
  add(
    id: number,
    method: string,
    options: CallOptions,
    timeout: number,
    resolve: (result: object) => void,
    reject: (error: unknown) => void,
  ): PendingRequest {
    const hasDeadline =
      timeout !== Number.POSITIVE_INFINITY || options.maxTimeout !== undefined;
    const now = hasDeadline ? performance.now() : 0;
    const maxDeadline = now + (options.maxTimeout ?? Number.POSITIVE_INFINITY);
    const pending: PendingRequest = {
      id,
      method,
      options,
      timeout,
      resolve,
      reject,
      maxDeadline,
      deadline: Math.min(now + timeout, maxDeadline),
      lastProgress: Number.NEGATIVE_INFINITY,
      onAbort: undefined,
    };
    this.#requests.add(pending);
    this.#scheduleExpiry(pending.deadline, now);
    return pending;
  }

  /** Removes a request; false if it was removed before. */
  remove(pending: PendingRequest): boolean {
    if (!this.#requests.delete(pending.id)) return false;
    if (pending.onAbort !== undefined)
      pending.options.signal?.removeEventListener("abort", pending.onAbort);
    if (this.#requests.size === 0) {
      keepProcessAlive(this.#expiryTimer, false);
      this.onEmpty?.();
    }
    return true;
  }

  /** Rejects all requests: no response can arrive any more. */
  rejectAll(error: ConnectionClosedError): void {
    for (const pending of this.#requests.values().sort((a, b) => a.id - b.id)) {
      this.remove(pending);
      pending.reject(error);
    }
  }

  /** Stops the timer for good. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#expiryTimer);
  }

  /** Handles a notification of progress. */
  handleProgress(
    rule: ProgressRule,
    params: object | undefined,
    emit: (event: EndpointEvent) => void,
  ): void {
    const {
      [rule.token]: token,
      progress,
      total,
      message,
    } = (params ?? {}) as Record<string, unknown>;
    const pending = this.#requests.get(token as RequestId);
    if (
      pending === undefined ||
      (pending.options.onProgress === undefined &&
        pending.options.resetTimeoutOnProgress !== true) ||
      typeof progress !== "number"
    ) {
      emit({ kind: "unknownProgress", token });
      return;
    }
    if (!(progress > pending.lastProgress)) {
      emit({ kind: "progressNotIncreasing", token });
      return;
    }
    pending.lastProgress = progress;
    if (pending.options.resetTimeoutOnProgress === true) {
      pending.deadline = Math.min(
        performance.now() + pending.timeout,
        pending.maxDeadline,
      );
    }
    const failed = (error: unknown): void => {
      emit({ kind: "handlerFailed", method: rule.method, error });
    };
    try {
      const listener: ((progress: Progress) => unknown) | undefined =
        pending.options.onProgress;
      const outcome = listener?.({
        progress,
        total: typeof total === "number" ? total : undefined,
        message: typeof message === "string" ? message : undefined,
      });
      // An `async` function is assignable to a type that returns void.
      if (outcome instanceof Promise) outcome.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /**
   * One timer for all requests: most are answered long before their deadlines, and a timer for each would cost more
   * than the call.
   */
  #scheduleExpiry(deadline: number, now: number): void {
    if (this.#requests.size === 1) keepProcessAlive(this.#expiryTimer, true);
    if (deadline >= this.#expiryTime) return;
    clearTimeout(this.#expiryTimer);
    this.#expiryTime = deadline;
    this.#expiryTimer = setTimeout(
      () => {
        this.#expire();
      },
      Math.min(Math.max(0, deadline - now), MAX_TIMER_DELAY_MS),
    );
  }

  #expire(): void {
    const now = performance.now();
    this.#expiryTime = Number.POSITIVE_INFINITY;
    this.#expiryTimer = undefined;
    let nextDeadline = Number.POSITIVE_INFINITY;
    const expired: PendingRequest[] = [];
    for (const pending of this.#requests.values()) {
      if (pending.deadline <= now) expired.push(pending);
      else nextDeadline = Math.min(nextDeadline, pending.deadline);
    }
    // In the order of their deadlines, even if a busy process handles several late; of the same deadline, as sent.
    expired.sort((a, b) => a.deadline - b.deadline || a.id - b.id);
    for (const pending of expired) {
      const { method, timeout, options } = pending;
      const isMaximum = pending.deadline === pending.maxDeadline;
      this.#onExpired(
        pending,
        new TimeoutError(
          method,
          isMaximum ? (options.maxTimeout ?? timeout) : timeout,
        ),
      );
    }
    // An expired request may have closed the connection, and no timer may outlive it.
    if (nextDeadline < Number.POSITIVE_INFINITY && !this.#isStopped)
      this.#scheduleExpiry(nextDeadline, now);
  }
}

/** Params that request progress with a token. */
export function withProgressToken(
  { meta, token }: ProgressRule,
  params: object | undefined,
  progressToken: number,
): object {
  const own = (params as Readonly<Record<string, object>> | undefined)?.[meta];
  // Not spread: in Node 20, members that are added to a spread copy cost twenty times as much.
  return Object.assign({}, params, {
    [meta]: Object.assign({}, own, { [token]: progressToken }),
  });
}
