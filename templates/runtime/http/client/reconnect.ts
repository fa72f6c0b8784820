import type { ClientConnectionEvent } from "../../jsonrpc/connection-events.js";
import { HttpError } from "../errors.js";
import { STREAM_TYPE } from "../headers.js";
import { retryAfterMs } from "../retry-after.js";
import { sleep, withJitter } from "./back-off.js";
import type { BackOff } from "./back-off.js";
import { mediaTypeOf } from "./fetch.js";
import { readRejection } from "./requester.js";
import type { Requester } from "./requester.js";
import type { ClientSession } from "./session.js";
import type { StreamPosition } from "./stream.js";

/** Minimum of milliseconds between two attempts, regardless of the server's `retry`. */
const MIN_RETRY_MS = 100;
/** Maximum of milliseconds between two attempts if the server ends its streams soon but still responds. */
const MAX_SHORT_STREAM_DELAY_MS = 5000;

/**
 * Opens streams by GET, and reconnects to those that broke off.
 *
 * `failedAttempts` of a position grows by one with each attempt; after `maxAttempts` the client gives up.
 */
export class Reconnector {
  readonly #backOff: BackOff;
  readonly #requester: Requester;
  readonly #session: ClientSession;
  readonly #emit: (event: ClientConnectionEvent) => void;

  constructor(
    requester: Requester,
    session: ClientSession,
    backOff: BackOff,
    emit: (event: ClientConnectionEvent) => void,
  ) {
    this.#requester = requester;
    this.#session = session;
    this.#backOff = backOff;
    this.#emit = emit;
  }

  get maxAttempts(): number {
    return this.#backOff.maxAttempts;
  }

  /**
   * Requests the rest of a stream (MCP 2025-11-25, Streamable HTTP, resumability).
   *
   * @throws HttpError if the server does not resume it.
   */
  async resume(
    position: StreamPosition,
    signal: AbortSignal,
  ): Promise<Response> {
    const { url } = this.#requester;
    for (;;) {
      if (position.failedAttempts >= this.maxAttempts)
        throw this.giveUp(
          new HttpError(
            `the stream broke off; gave up after ${this.maxAttempts} failed attempts to resume it`,
            { method: "GET", url },
          ),
        );
      await this.wait(position, signal);
      const response = await this.open(position, signal);
      if (response === undefined) continue;
      if (response.ok && mediaTypeOf(response) === STREAM_TYPE) {
        this.#emit({ kind: "streamResumed", stream: "response" });
        return response;
      }
      const text = await readRejection(response, signal);
      if (isTransientStatus(response.status)) {
        this.noteRejection(response, position);
        continue;
      }
      throw this.giveUp(
        new HttpError(
          "the stream broke off, and the server does not resume it",
          { method: "GET", url, status: response.status, body: text },
        ),
      );
    }
  }

  /** Reports that there will be no further attempt. Returns the error. */
  giveUp(error: HttpError): HttpError {
    this.#emit({ kind: "gaveUp", error });
    return error;
  }

  /** Remembers how long a server that rejects a stream asks to wait, up to `maxDelayMs`. */
  noteRejection(response: Response, position: StreamPosition): void {
    position.retryAfterMs = Math.min(
      retryAfterMs(response) ?? 0,
      this.#backOff.maxDelayMs,
    );
  }

  /** Waits until the next attempt, and counts it. */
  async wait(position: StreamPosition, signal: AbortSignal): Promise<void> {
    const delayMs = this.#delayBefore(position);
    position.retryAfterMs = 0;
    this.#emit({
      kind: "reconnecting",
      attempt: position.failedAttempts + 1,
      delayMs,
      reason: "the stream ended",
    });
    await sleep(delayMs, signal);
    position.failedAttempts += 1;
  }

  /**
   * Requests a stream. Returns undefined if there was no response, so that another attempt may help.
   *
   * @param connectionSignal - Aborting it ends this attempt, or the connection that results; aborting `signal` ends all.
   */
  async open(
    position: StreamPosition,
    signal: AbortSignal,
    connectionSignal: AbortSignal = signal,
  ): Promise<Response | undefined> {
    try {
      return await this.#requester.fetch(
        "GET",
        [...this.#session.headers, ...position.headers],
        connectionSignal,
      );
    } catch (error) {
      signal.throwIfAborted();
      // If the origin or the authorization is wrong, another attempt does not help.
      if (error instanceof HttpError && error.status !== undefined) throw error;
      return undefined;
    }
  }

  /** Milliseconds to wait: the server's `retry`, and longer after failed attempts. */
  #delayBefore({
    failedAttempts,
    shortStreams,
    retry,
    retryAfterMs: afterRejection,
  }: StreamPosition): number {
    const { initialDelayMs, maxDelayMs } = this.#backOff;
    const requestedDelay = Math.max(
      retry === undefined ? initialDelayMs : Math.max(retry, MIN_RETRY_MS),
      afterRejection,
    );
    const afterFailures =
      failedAttempts === 0 ? 0 : initialDelayMs * 2 ** failedAttempts;
    // After the first short stream, the server may want its clients to poll (MCP 2025-11-25, Streamable HTTP,
    // resumability).
    const afterShortStreams =
      shortStreams < 2
        ? 0
        : Math.min(MIN_RETRY_MS * 2 ** shortStreams, MAX_SHORT_STREAM_DELAY_MS);
    const backOff = Math.min(
      Math.max(afterFailures, afterShortStreams),
      maxDelayMs,
    );
    return Math.max(requestedDelay, withJitter(backOff));
  }
}

/** Whether a rejection may be temporary. A conflict is: the server has not noticed yet that the stream broke off. */
export function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 409 || status === 429;
}
