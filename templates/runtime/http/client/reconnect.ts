import { HttpError } from "../errors.js";
import { STREAM_TYPE } from "../headers.js";
import { mediaTypeOf, readBodyStart } from "./fetch.js";
import type { ReconnectOptions } from "./options.js";
import { MAX_ERROR_BYTES } from "./requester.js";
import type { Requester } from "./requester.js";
import type { ClientSession } from "./session.js";
import type { StreamPosition } from "./stream.js";

/** Minimum of milliseconds between two attempts, regardless of the options. */
const MIN_RECONNECT_DELAY_MS = 20;
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
  readonly maxAttempts: number;
  readonly #initialDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #requester: Requester;
  readonly #session: ClientSession;

  constructor(
    requester: Requester,
    session: ClientSession,
    {
      maxAttempts = 5,
      initialDelayMs = 1000,
      maxDelayMs = 30_000,
    }: ReconnectOptions = {},
  ) {
    this.#requester = requester;
    this.#session = session;
    this.maxAttempts = maxAttempts;
    this.#initialDelayMs = initialDelayMs;
    this.#maxDelayMs = maxDelayMs;
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
        throw new HttpError(
          `the stream broke off; gave up after ${this.maxAttempts} failed attempts to resume it`,
          { method: "GET", url },
        );
      await this.wait(position, signal);
      const response = await this.open(position, signal);
      if (response === undefined) continue;
      if (response.ok && mediaTypeOf(response) === STREAM_TYPE) return response;
      const { text } = await readBodyStart(response, MAX_ERROR_BYTES);
      if (isTransientStatus(response.status)) continue;
      throw new HttpError(
        "the stream broke off, and the server does not resume it",
        { method: "GET", url, status: response.status, body: text },
      );
    }
  }

  /** Waits until the next attempt, and counts it. */
  async wait(position: StreamPosition, signal: AbortSignal): Promise<void> {
    await sleep(this.#delayBefore(position), signal);
    position.failedAttempts += 1;
  }

  /** Requests a stream. Returns undefined if there was no response, so that another attempt may help. */
  async open(
    position: StreamPosition,
    signal: AbortSignal,
  ): Promise<Response | undefined> {
    try {
      return await this.#requester.fetch(
        "GET",
        [...this.#session.headers, ...position.headers],
        signal,
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
  }: StreamPosition): number {
    const requestedDelay =
      retry === undefined
        ? Math.max(this.#initialDelayMs, MIN_RECONNECT_DELAY_MS)
        : Math.max(retry, MIN_RETRY_MS);
    const afterFailures =
      failedAttempts === 0 ? 0 : this.#initialDelayMs * 2 ** failedAttempts;
    // After the first short stream, the server may want its clients to poll (MCP 2025-11-25, Streamable HTTP,
    // resumability).
    const afterShortStreams =
      shortStreams < 2
        ? 0
        : Math.min(MIN_RETRY_MS * 2 ** shortStreams, MAX_SHORT_STREAM_DELAY_MS);
    const backOff = Math.min(
      Math.max(afterFailures, afterShortStreams),
      this.#maxDelayMs,
    );
    // With jitter, since otherwise all clients of a restarted server would reconnect at once.
    return Math.max(requestedDelay, backOff * (0.5 + Math.random() / 2));
  }
}

/** Whether a rejection may be temporary. A conflict is: the server has not noticed yet that the stream broke off. */
export function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 409 || status === 429;
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
