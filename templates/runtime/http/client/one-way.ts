import { MAX_TIMER_DELAY_MS } from "../../jsonrpc/envelope.js";
import { HttpError } from "../errors.js";
import { discardBody } from "./fetch.js";
import { PostLimiter } from "./post-limiter.js";
import { readRejection } from "./requester.js";
import type { Requester } from "./requester.js";
import type { ClientSession } from "./session.js";

/** Responses and notifications that are posted at the same time. The server only has to accept them. */
const MAX_CONCURRENT_RESPONSES = 32;
/**
 * Maximum number and characters of waiting messages; a server that respects a client's `maxConcurrentRequests` cannot
 * cause more.
 */
const MAX_QUEUED_RESPONSES = 4096;
const MAX_QUEUED_CHARS = 128 * 1024 * 1024;

/** What one-way posts need from their transport. */
export interface OneWayContext {
  readonly requester: Requester;
  readonly session: ClientSession;
  /** Milliseconds that the server may take to accept a message. */
  readonly acceptTimeout: number;
  /** Aborted when the transport closes. */
  readonly closed: AbortSignal;
  /** Called when too many messages wait; closes the transport. */
  readonly onFlooded: (error: HttpError) => void;
}

/**
 * Posts messages without a response: notifications, and responses to the server's requests.
 *
 * At most MAX_CONCURRENT_RESPONSES are posted at a time; `#queuedChars` is the length of those that wait.
 * They never wait for calls, since the server may need our response before it answers a call.
 */
export class OneWayPosts {
  readonly #context: OneWayContext;
  readonly #limiter = new PostLimiter(MAX_CONCURRENT_RESPONSES);
  /** Controllers of the running posts. */
  readonly #controllers = new Set<AbortController>();
  #queuedChars = 0;
  #initializedAccepted: Promise<void> | undefined;

  constructor(context: OneWayContext) {
    this.#context = context;
  }

  /** Resolves when the server has accepted `notifications/initialized`; all other messages wait for that. */
  get initializedAccepted(): Promise<void> | undefined {
    return this.#initializedAccepted;
  }

  /**
   * Posts a message when its turn comes.
   *
   * @returns Resolves when the server has accepted it, or the transport is closed.
   * @throws HttpError if too many messages wait: the server sends requests faster than it accepts responses.
   */
  post(message: object, method: string | undefined): Promise<void> {
    const accepted = this.#postInTurn(message, method);
    if (method === "notifications/initialized")
      this.#initializedAccepted = accepted.catch(() => undefined);
    return accepted;
  }

  /** Aborts running posts and rejects waiting ones. */
  close(): void {
    const reason: unknown = this.#context.closed.reason;
    for (const controller of this.#controllers) controller.abort(reason);
    this.#limiter.clear(reason);
  }

  async #postInTurn(
    message: object,
    method: string | undefined,
  ): Promise<void> {
    if (method !== "notifications/initialized") await this.#initializedAccepted;
    if (this.#context.closed.aborted) return;
    if (!this.#limiter.isFull) await this.#limiter.enter();
    else if (!(await this.#waitForTurn(message))) return;
    try {
      await this.#postWithTimeout(message);
    } finally {
      this.#limiter.leave();
    }
  }

  /** @returns Whether the turn has come; false if the transport is closed. */
  async #waitForTurn(message: object): Promise<boolean> {
    if (
      this.#limiter.waiting >= MAX_QUEUED_RESPONSES ||
      this.#queuedChars > MAX_QUEUED_CHARS
    ) {
      const error = this.#floodError();
      this.#context.onFlooded(error);
      throw error;
    }
    const characters = JSON.stringify(message).length;
    this.#queuedChars += characters;
    try {
      await this.#limiter.enter();
      return true;
    } catch (error) {
      if (!this.#context.closed.aborted) throw error;
      return false;
    } finally {
      this.#queuedChars -= characters;
    }
  }

  #floodError(): HttpError {
    const { url, postUrl = url } = this.#context.requester;
    return new HttpError(
      `the server sends requests faster than it accepts responses: ${this.#limiter.waiting} messages wait to be sent`,
      { method: "POST", url: postUrl },
    );
  }

  async #postWithTimeout(message: object): Promise<void> {
    const { acceptTimeout, requester, closed } = this.#context;
    const controller = new AbortController();
    const timer = setTimeout(
      () => {
        controller.abort(
          new HttpError(`not accepted within ${acceptTimeout} ms`, {
            method: "POST",
            url: requester.url,
          }),
        );
      },
      Math.min(acceptTimeout, MAX_TIMER_DELAY_MS),
    );
    this.#controllers.add(controller);
    try {
      await this.#post(message, controller.signal);
    } catch (error) {
      if (!closed.aborted) throw error;
    } finally {
      clearTimeout(timer);
      this.#controllers.delete(controller);
    }
  }

  async #post(
    message: object,
    signal: AbortSignal,
    isRetry = false,
  ): Promise<void> {
    const { requester, session } = this.#context;
    await session.renewed;
    const sessionId = session.id;
    const response = await requester.fetch(
      "POST",
      session.postHeaders(message),
      signal,
      message,
    );
    if (response.ok) {
      discardBody(response);
      return;
    }
    const text = await readRejection(response, signal);
    if (!isRetry && (await session.renewIfLost(response, text, sessionId)))
      await this.#post(message, signal, true);
    else
      throw requester.createError(
        response,
        "the server does not accept the message",
        text,
      );
  }
}
