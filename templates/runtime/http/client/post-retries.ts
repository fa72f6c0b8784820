import type { ClientConnectionEvent } from "../../jsonrpc/connection-events.js";
import { retryAfterMs } from "../retry-after.js";
import type { BackOff } from "./back-off.js";
import { sleep } from "./back-off.js";
import { isConnectionLost } from "./failures.js";
import type { PendingPost } from "./pending-post.js";
import type { RepeatableRequests } from "./repeatable.js";

/** Minimum of milliseconds to wait, regardless of `Retry-After`. */
const MIN_RETRY_AFTER_MS = 100;

/** What retries need from their transport. */
export interface RetryContext {
  /** Undefined if requests are not retried. */
  readonly backOff: BackOff | undefined;
  readonly repeatable: RepeatableRequests;
  /** Whether the server has ever responded. */
  readonly hasResponded: () => boolean;
  readonly emit: (event: ClientConnectionEvent) => void;
}

/**
 * The retries of one post: once after a lost connection, and `maxAttempts` times if the server is busy.
 *
 * A request that the server may have run is repeated only if it is in `repeatable`.
 */
export class PostRetries {
  readonly #context: RetryContext;
  readonly #post: PendingPost;
  #hasRetriedLoss = false;
  #waits = 0;

  constructor(context: RetryContext, post: PendingPost) {
    this.#context = context;
    this.#post = post;
  }

  /**
   * Whether to send the post again after an error. A server closes connections that are idle, and may do so just when
   * the client uses one again.
   */
  retriesAfter(error: unknown): boolean {
    const { backOff, hasResponded } = this.#context;
    if (
      this.#hasRetriedLoss ||
      backOff === undefined ||
      !hasResponded() ||
      !this.#isRepeatable ||
      !isConnectionLost(error)
    )
      return false;
    this.#hasRetriedLoss = true;
    this.#report("connectionLost", 0);
    return true;
  }

  /**
   * Waits as long as the server asks for. A request with status 429 was not run; 503 may come from a proxy after the
   * server has run it.
   *
   * @returns Whether to send the post again; false at once if that would take longer than `maxDelayMs`.
   */
  async waitIfBusy(response: Response): Promise<boolean> {
    const { backOff } = this.#context;
    const { status } = response;
    const isRetryable =
      status === 429 || (status === 503 && this.#isRepeatable);
    const requested = isRetryable ? retryAfterMs(response) : undefined;
    if (
      backOff === undefined ||
      requested === undefined ||
      requested > backOff.maxDelayMs ||
      this.#waits >= backOff.maxAttempts
    )
      return false;
    // Never earlier than requested. Longer each time, and not the same for all clients.
    const delayMs =
      Math.max(requested, MIN_RETRY_AFTER_MS * 2 ** this.#waits) *
      (1 + Math.random() / 4);
    this.#waits += 1;
    this.#report("serverBusy", delayMs);
    await sleep(delayMs, this.#post.controller.signal);
    return true;
  }

  get #isRepeatable(): boolean {
    const { request } = this.#post;
    return request !== undefined && this.#context.repeatable.has(request);
  }

  #report(reason: "connectionLost" | "serverBusy", delayMs: number): void {
    const method = this.#post.request?.method ?? "batch";
    this.#context.emit({ kind: "requestRetried", method, reason, delayMs });
  }
}
