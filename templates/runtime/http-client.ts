import { EventTooLargeError, readEventStream } from "./http/event-stream.js";
import type { SseEvent } from "./http/event-stream.js";
import {
  discardBody,
  AuthorizedFetch,
  mediaTypeOf,
  readBodyStart,
  readBodyText,
} from "./http/client/fetch.js";
import type { FetchSettings } from "./http/client/fetch.js";
import {
  headerParamsOf,
  HTTP_HEADERS,
  isSessionId,
  mirroredHeaders,
} from "./http/headers.js";
import type { HeaderParam } from "./http/headers.js";
import { HttpError } from "./http/errors.js";
import type { RequestId } from "./jsonrpc/message.js";
import { DEFAULT_MAX_MESSAGE_BYTES } from "./jsonrpc/ndjson.js";
import { DEFAULT_MAX_DEPTH } from "./jsonrpc/parse.js";
import type { Invalid } from "./jsonrpc/parse.js";
import {
  emitMessage,
  emitClose,
  emitInvalid,
  emitError,
} from "./jsonrpc/transport-events.js";
import { META_KEYS, STATELESS_ERROR_CODES } from "./protocol/revision.js";
import {
  dropPrototypeKeys,
  exceedsDepth,
  scanEnvelope,
} from "./jsonrpc/scan.js";
import type { SendOptions, Transport } from "./jsonrpc/transport.js";

export type {
  AuthFlow,
  AuthFlowOptions,
  AuthProvider,
  Fetch,
  OAuthClientProvider,
  UnauthorizedContext,
} from "./http/client/auth.js";
export type { HeaderSource } from "./http/client/fetch.js";
export { HttpError, UnauthorizedError } from "./http/errors.js";

/** Which server is talked to, and how. */
export interface HttpClientOptions extends FetchSettings {
  /** The server's one endpoint, or the event stream of a server of 2024-11-05. */
  readonly url: string | URL;
  /** Bytes of a message at most; 16 MiB by default. */
  readonly maxMessageBytes?: number | undefined;
  /** How many arrays and objects may be inside one another; 256 by default. */
  readonly maxDepth?: number | undefined;
  /** How a stream that broke off is asked for again. */
  readonly reconnect?: ReconnectOptions | undefined;
  /** Milliseconds that the server may take to accept what it need not answer; 30,000 by default. */
  readonly acceptTimeout?: number | undefined;
  /**
   * Calls that may wait for their answers at the same time, each with a connection of its own; 256 by default. Further
   * ones wait for their turn. Answers to the server and notifications do not wait for calls: 32 of them are sent at the
   * same time. If more than 4096 of those wait, or 128 Mi characters, the connection closes with an error.
   */
  readonly maxConcurrentCalls?: number | undefined;
  /** Whether a server that refuses the first request is tried as one of 2024-11-05 (HTTP+SSE). On by default. */
  readonly fallsBackToSse?: boolean | undefined;
  /**
   * Told that the server had forgotten the session and a new one was begun, as the specification has it. What the old
   * one held, such as subscriptions and the level of logging, is gone. Undefined as id if the server now gives none.
   */
  readonly onSessionRenewed?: ((id: string | undefined) => void) | undefined;
}

/**
 * How a stream that broke off is asked for again. The server's `retry` comes first, but is 100 ms at least. A server that
 * ends one stream after the other soon and with one new event at most is asked less and less often, up to every 5 s.
 */
export interface ReconnectOptions {
  /** Milliseconds to wait at first, doubled with each attempt in vain; 1000 by default. */
  readonly initialDelayMs?: number | undefined;
  /** Milliseconds to wait at most, as far as the doubling goes; 30,000 by default. */
  readonly maxDelayMs?: number | undefined;
  /** Attempts in vain, one after the other, until the stream is given up; 5 by default. */
  readonly maxAttempts?: number | undefined;
}

/** What may be said with a message, beyond {@link SendOptions}; the official SDK's client 2.x says it. */
export interface HttpSendOptions extends SendOptions {
  /** Aborting it ends the request and its stream. */
  readonly requestSignal?: AbortSignal;
  /** Headers beside the transport's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The stream of the answer has ended, though nobody aborted the request. */
  readonly onRequestStreamEnd?: () => void;
}

/** A transport with a server behind a URL. */
export interface HttpClientTransport extends Transport {
  /** The session that the server gave; undefined if there is none. */
  readonly sessionId: string | undefined;
  send(message: object, options?: HttpSendOptions): Promise<void>;
  setProtocolVersion(version: string): void;
  /**
   * Ends an OAuth flow in which the user was sent to the authorization server; then connect anew.
   *
   * @param answer - The code, or all params with which the user came back.
   * @throws UnauthorizedError if the server gives no token for it.
   */
  finishAuth(answer: string | URLSearchParams, iss?: string): Promise<void>;
}

const JSON_TYPE = "application/json";
const STREAM_TYPE = "text/event-stream";

/** Bytes of an error's body that are read. */
const MAX_ERROR_BYTES = 64 * 1024;
/** Milliseconds that a stream may stay open after its last answer, so that its connection can serve again. */
const STREAM_LINGER_MS = 500;
/** Milliseconds that the server may take to end a session. */
const DELETE_TIMEOUT_MS = 2000;
/** Milliseconds between two attempts at least, whatever the options say. */
const MIN_RECONNECT_DELAY_MS = 20;
/** Milliseconds between two attempts at least, whatever the server says. */
const MIN_RETRY_MS = 100;
/** Milliseconds between two attempts at most where the server ends its streams soon, but goes on answering. */
const MAX_SHORT_STREAM_DELAY_MS = 5000;
/** Calls at the same time, by default. */
const DEFAULT_MAX_CONCURRENT_CALLS = 256;
/** Calls that may wait for their turn. */
const MAX_QUEUED_CALLS = 10_000;
/** Answers and notifications that are sent at the same time. A server has nothing to do for them but to accept them. */
const MAX_CONCURRENT_RESPONSES = 32;
/** More than a server that minds `maxConcurrentRequests` of a client can make wait, in number and in characters. */
const MAX_QUEUED_RESPONSES = 4096;
const MAX_QUEUED_CHARS = 128 * 1024 * 1024;
/** The longest time that `setTimeout` knows. */
const MAX_TIMER_DELAY_MS = 2 ** 31 - 1;
/** A stream that was open for so many milliseconds was worth having. */
const HEALTHY_STREAM_MS = 5000;
/** Characters that the id of an event may have, since it goes into a header. */
const MAX_EVENT_ID_CHARS = 4096;
/** Tools of which it is known what goes into headers. */
const MAX_TOOLS = 10_000;
const MAX_CLIENT_TOOL_PAGES = 100;

const NOT_JSON = "no JSON";

/** The first revision without sessions; the names of revisions sort by date. */
const FIRST_STATELESS = "2026-07-28";

/** Statuses with which a server of 2024-11-05 meets a POST to its event stream. */
const SSE_FALLBACK_STATUSES: ReadonlySet<number> = new Set([400, 404, 405]);
const STATELESS_CODES: ReadonlySet<unknown> = new Set(
  Object.values(STATELESS_ERROR_CODES),
);

/**
 * The client's side of the Streamable HTTP transport, in each of its forms: with a session and an own stream for what
 * the server has to say (2025-03-26 to 2025-11-25), stateless (2026-07-28), and HTTP+SSE of 2024-11-05 where a server
 * knows nothing newer. Needs `fetch` and streams, as browsers, Workers, Deno, Bun and Node have them.
 *
 * The promise of `send` resolves when a request is answered, and rejects with an {@link HttpError} if that cannot be any
 * more. A stream that breaks off is resumed where the server's events have ids.
 *
 * @throws TypeError if the URL is none, or not of HTTP, or a header is the transport's own.
 */
export function httpClientTransport(
  options: HttpClientOptions,
): HttpClientTransport {
  return new HttpClient(options);
}

/** A request as it is sent. */
interface SentRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params?: object;
}

/** What was posted and is not answered in full. */
class PendingPost {
  readonly controller = new AbortController();
  readonly requests: ReadonlyMap<RequestId, SentRequest>;
  readonly isStateless: boolean;
  /** Those that wait for their answers. */
  readonly unanswered: Set<RequestId>;
  /** Resolves when there is nothing to wait for, be it that all are answered. */
  readonly settled: Promise<void>;
  /** It has had its turn. */
  isPosted = false;
  /** Nobody waits any more. */
  isCancelled = false;
  #resolveSettled: () => void = () => undefined;

  constructor(message: object) {
    const messages = (Array.isArray(message) ? message : [message]) as (
      SentRequest | object
    )[];
    this.requests = new Map(
      messages.filter(isRequest).map((request) => [request.id, request]),
    );
    this.unanswered = new Set(this.requests.keys());
    this.isStateless = [...this.requests.values()].some(isStatelessRequest);
    this.settled = new Promise((resolve) => {
      this.#resolveSettled = resolve;
    });
  }

  /** The one request; undefined if there is none, or a batch of them. */
  get request(): SentRequest | undefined {
    if (this.requests.size !== 1) return undefined;
    const [request] = this.requests.values();
    return request;
  }

  /** A request is answered. */
  markAnswered(id: RequestId): void {
    if (this.unanswered.delete(id) && this.unanswered.size === 0)
      this.#resolveSettled();
  }

  cancel(reason?: unknown): void {
    this.isCancelled = true;
    this.controller.abort(reason);
    this.#resolveSettled();
  }
}

/** Where a stream is, so that it can be asked for again. */
class StreamPosition {
  lastEventId: string | undefined;
  retry: number | undefined;
  /** Attempts in vain, one after the other. */
  failedAttempts = 0;
  /** Streams, one after the other, that ended soon and with one new event at most. */
  shortStreams = 0;
  #events = 0;

  advance(event: SseEvent): void {
    this.failedAttempts = 0;
    if (event.id === undefined || event.id !== this.lastEventId)
      this.#events += 1;
    if (event.id === undefined) return;
    // An empty id takes back what was said before (WHATWG HTML, server-sent events).
    this.lastEventId =
      event.id === "" || event.id.length > MAX_EVENT_ID_CHARS
        ? undefined
        : event.id;
  }

  /** A stream has ended, after so many milliseconds. */
  noteEnd(milliseconds: number): void {
    const isSteady = milliseconds > HEALTHY_STREAM_MS;
    if (isSteady) this.failedAttempts = 0;
    this.shortStreams =
      isSteady || this.#events > 1 ? 0 : this.shortStreams + 1;
    this.#events = 0;
  }
}

/** Lets so many things be under way at the same time; further ones wait for their turn. */
class PostLimiter {
  readonly #limit: number;
  #running = 0;
  /** How each of those that wait is let in, or turned away. */
  readonly #waiting = new Map<() => void, (reason: unknown) => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#running >= this.#limit;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Begins; whoever does ends with {@link leave}.
   *
   * @returns Resolves when it is this one's turn, and rejects if the signal is aborted before; undefined if it is now.
   */
  enter(signal: AbortSignal): Promise<void> | undefined {
    if (!this.isFull) {
      this.#running += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(enter);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.set(enter, reject);
    });
  }

  leave(): void {
    const [next] = this.#waiting.keys();
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  /** Turns away all that wait. */
  clear(reason: unknown): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const reject of waiting) reject(reason);
  }
}

class HttpClient implements HttpClientTransport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];
  readonly rejectsUnknownMethods = true;

  readonly #options: HttpClientOptions;
  readonly #url: URL;
  readonly #authorizedFetch: AuthorizedFetch;
  readonly #pendingPosts = new Set<PendingPost>();
  /**
   * What waits for answers, and what only has to be accepted. They are apart: a call may wait for the server, which waits
   * for our answer to its own request.
   */
  readonly #calls: PostLimiter;
  readonly #responses = new PostLimiter(MAX_CONCURRENT_RESPONSES);
  /** Characters of what waits to be told. */
  #queuedChars = 0;
  /** Of what the server has to accept and need not answer. */
  readonly #initializedDelivery = new Set<AbortController>();
  /** Ends what is under way beside the exchanges. */
  readonly #shutdown = new AbortController();
  /** What goes into headers when a tool is called; only of tools that have such params. */
  readonly #headerParamsByTool = new Map<string, readonly HeaderParam[]>();

  #hasStarted = false;
  #closed: Promise<void> | undefined;
  #protocolVersion: string | undefined;
  #sessionId: string | undefined;
  /** What began the session, for another one. */
  #initializeRequest: SentRequest | undefined;
  /** The server has accepted `notifications/initialized`; what follows waits for that. */
  #initializedAccepted: Promise<void> | undefined;
  #renewal: Promise<void> | undefined;
  #renewals = 0;
  /** The stream on which the server says what belongs to no request. */
  #serverStream: AbortController | undefined;
  /** Where a server of 2024-11-05 takes messages. */
  #postUrl: URL | undefined;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#url = parseHttpUrl(options.url);
    const { maxConcurrentCalls = DEFAULT_MAX_CONCURRENT_CALLS } = options;
    if (!(maxConcurrentCalls >= 1))
      throw new RangeError(
        `maxConcurrentCalls must be at least 1, not ${maxConcurrentCalls}`,
      );
    this.#calls = new PostLimiter(maxConcurrentCalls);
    this.#authorizedFetch = new AuthorizedFetch(this.#url, options);
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  start(): Promise<void> {
    if (this.#hasStarted)
      return Promise.reject(
        new Error("the transport has been started already"),
      );
    if (this.#closed !== undefined)
      return Promise.reject(new Error("the connection is closed"));
    this.#hasStarted = true;
    return Promise.resolve();
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  finishAuth(answer: string | URLSearchParams, iss?: string): Promise<void> {
    return this.#authorizedFetch.authorizer.finish(answer, iss);
  }

  async send(message: object, options: HttpSendOptions = {}): Promise<void> {
    if (this.#closed !== undefined) throw new Error("the connection is closed");
    if (!this.#hasStarted)
      throw new Error("the transport has not been started");
    const method = methodOf(message);
    if (method === undefined && !this.#mayRespond(message)) return;
    const id =
      method === "notifications/cancelled" ? cancelledIdOf(message) : undefined;
    const cancelled = id === undefined ? undefined : this.#findPost(id);
    if (
      cancelled?.isStateless === true ||
      (cancelled?.isPosted === false && cancelled.unanswered.size === 1)
    ) {
      // MCP 2026-07-28, cancellation: to close the stream is to say so. And what is not sent yet needs no word.
      cancelled.cancel();
      return;
    }
    const post = new PendingPost(message);
    if (post.unanswered.size > 0) {
      await this.#sendRequests(message, post, options);
      return;
    }
    const accepted = this.#postQueued(message, post.controller, method);
    if (method === "notifications/initialized")
      this.#initializedAccepted = accepted.catch(() => undefined);
    try {
      await accepted;
    } finally {
      // The server may leave the stream of a cancelled request open; others of its batch still wait for it.
      if (
        id !== undefined &&
        cancelled !== undefined &&
        cancelled.unanswered.size > 1
      )
        cancelled.markAnswered(id);
      else cancelled?.cancel();
    }
    if (method === "notifications/initialized" && this.#postUrl === undefined)
      this.#openServerStream();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#serverStream?.abort();
    this.#shutdown.abort(new Error("the connection is closed"));
    for (const post of this.#pendingPosts) post.cancel();
    for (const controller of this.#initializedDelivery)
      controller.abort(this.#shutdown.signal.reason);
    this.#responses.clear(this.#shutdown.signal.reason);
    if (this.#sessionId !== undefined && this.#postUrl === undefined) {
      try {
        await this.#withTimeout(
          DELETE_TIMEOUT_MS,
          new AbortController(),
          (signal) =>
            this.#fetch("DELETE", this.#sessionHeaders(), signal).then(
              discardBody,
            ),
        );
      } catch {
        // The session ends some time or other; who closes has no use for the reason.
      }
    }
    emitClose(this);
  }

  /** Whether a response may be sent. A stateless server is never sent one; and nobody waits for one without an id. */
  #mayRespond(message: object): boolean {
    if (Array.isArray(message)) return true;
    const { id } = message as { readonly id?: unknown };
    if (id === undefined || id === null) return false;
    if (
      this.#protocolVersion === undefined ||
      isStateful(this.#protocolVersion)
    )
      return true;
    emitError(
      this,
      new Error(
        "a stateless server sent a request, which it must not; it gets no answer",
      ),
    );
    return false;
  }

  /** Posts what the server has to answer, and sees the answers through. */
  async #sendRequests(
    message: object,
    post: PendingPost,
    options: HttpSendOptions,
  ): Promise<void> {
    const { requestSignal: signal } = options;
    const abort = (): void => {
      post.cancel(signal?.reason);
    };
    signal?.throwIfAborted();
    signal?.addEventListener("abort", abort, { once: true });
    this.#pendingPosts.add(post);
    try {
      const { request } = post;
      if (request?.method === "initialize") this.#initializeRequest = request;
      else await this.#initializedAccepted;
      post.controller.signal.throwIfAborted();
      if (this.#calls.waiting >= MAX_QUEUED_CALLS)
        throw new Error(
          `more than ${MAX_QUEUED_CALLS} calls wait for their turn`,
        );
      await this.#calls.enter(post.controller.signal);
      post.isPosted = true;
      try {
        await this.#post(message, post, options);
      } finally {
        this.#calls.leave();
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (post.isCancelled) return;
      throw error;
    } finally {
      this.#pendingPosts.delete(post);
      signal?.removeEventListener("abort", abort);
      // Of a body that is not read to its end.
      post.controller.abort();
      if (!post.isCancelled) options.onRequestStreamEnd?.();
    }
  }

  /**
   * Posts what is not answered, notifications and responses, so many at the same time.
   *
   * @throws HttpError if too much waits, and the connection is closed: the server asks faster than it accepts answers.
   */
  async #postQueued(
    message: object,
    controller: AbortController,
    method: string | undefined,
  ): Promise<void> {
    if (method !== "notifications/initialized") await this.#initializedAccepted;
    if (this.#responses.isFull) {
      if (this.#closed !== undefined) return;
      const characters = JSON.stringify(message).length;
      if (
        this.#responses.waiting >= MAX_QUEUED_RESPONSES ||
        this.#queuedChars > MAX_QUEUED_CHARS
      ) {
        const error = this.#closeFlooded();
        emitError(this, error);
        void this.close();
        throw error;
      }
      this.#queuedChars += characters;
      try {
        await this.#responses.enter(controller.signal);
      } catch (error) {
        if (!this.#shutdown.signal.aborted) throw error;
        return;
      } finally {
        this.#queuedChars -= characters;
      }
    } else await this.#responses.enter(controller.signal);
    try {
      await this.#postWithoutResponse(message, controller);
    } finally {
      this.#responses.leave();
    }
  }

  #closeFlooded(): HttpError {
    const { waiting } = this.#responses;
    return new HttpError(
      `the server asks for more than it accepts answers to: ${waiting} messages wait to be sent`,
      { method: "POST", url: this.#postUrl ?? this.#url },
    );
  }

  async #postWithoutResponse(
    message: object,
    controller: AbortController,
    hasRenewed = false,
  ): Promise<void> {
    await this.#withTimeout(
      this.#options.acceptTimeout ?? 30_000,
      controller,
      async (signal) => {
        const session = this.#sessionId;
        const response = await this.#fetch(
          "POST",
          this.#headersOf(message, {}),
          signal,
          message,
        );
        if (response.ok) {
          discardBody(response);
          return;
        }
        const { text } = await readBodyStart(response, MAX_ERROR_BYTES);
        if (
          !hasRenewed &&
          (await this.#renewSessionIfLost(response, session))
        ) {
          await this.#postWithoutResponse(message, controller, true);
          return;
        }
        throw this.#createError(
          response,
          "the server does not accept it",
          text,
        );
      },
    );
  }

  /** Does something for so many milliseconds at most. */
  async #withTimeout(
    milliseconds: number,
    controller: AbortController,
    action: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const timer = setTimeout(
      () => {
        controller.abort(
          new HttpError(`not accepted within ${milliseconds} ms`, {
            method: "POST",
            url: this.#url,
          }),
        );
      },
      Math.min(milliseconds, MAX_TIMER_DELAY_MS),
    );
    this.#initializedDelivery.add(controller);
    try {
      await action(controller.signal);
    } catch (error) {
      if (!this.#shutdown.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
      this.#initializedDelivery.delete(controller);
    }
  }

  async #post(
    message: object,
    post: PendingPost,
    options: HttpSendOptions,
    isRetry = false,
  ): Promise<void> {
    const { signal } = post.controller;
    const session = this.#sessionId;
    const response = await this.#fetch(
      "POST",
      this.#headersOf(message, options),
      signal,
      message,
    );
    if (!response.ok) {
      const { text } = await readBodyStart(response, MAX_ERROR_BYTES);
      if (!isRetry && (await this.#canRetry(response, text, post, session))) {
        await this.#post(message, post, options, true);
        return;
      }
      await this.#handleFailure(response, text, message, post);
      return;
    }
    if (this.#postUrl !== undefined) {
      // The answer comes by the stream.
      discardBody(response);
      await post.settled;
      return;
    }
    this.#saveSessionId(response, post);
    await this.#readAnswer(response, post);
  }

  /** Whether a refusal was about something that is different by now, so that the same may be sent again. */
  async #canRetry(
    response: Response,
    text: string,
    post: PendingPost,
    session: string | undefined,
  ): Promise<boolean> {
    const { request } = post;
    if (request?.method === "initialize") return false;
    if (await this.#renewSessionIfLost(response, session)) return true;
    // MCP 2026-07-28, Streamable HTTP, Client Behavior: the tool's schema may be another than the known one.
    if (!post.isStateless || request?.method !== "tools/call") return false;
    const { error } = (parseJsonOrUndefined(text) ?? {}) as {
      readonly error?: { readonly code?: unknown };
    };
    if (error?.code !== STATELESS_ERROR_CODES.HEADER_MISMATCH) return false;
    const before = this.#toolHeaders(request);
    await this.#refreshToolHeaders(request, post.controller.signal);
    return before !== this.#toolHeaders(request);
  }

  #toolHeaders(request: SentRequest): string {
    return JSON.stringify(
      this.#headerParamsByTool.get(calledTool(request) ?? ""),
    );
  }

  /** An answer that is no success. */
  async #handleFailure(
    response: Response,
    text: string,
    message: object,
    post: PendingPost,
  ): Promise<void> {
    const value = parseJsonOrUndefined(text);
    const { request } = post;
    const error = errorObjectIn(value);
    if (request !== undefined && error !== undefined) {
      const { id = null } = value as { readonly id?: unknown };
      if (
        id === request.id ||
        (id === null && STATELESS_CODES.has(error.code))
      ) {
        this.#deliver({ jsonrpc: "2.0", id: request.id, error }, post);
        return;
      }
    }
    if (
      request?.method === "initialize" &&
      SSE_FALLBACK_STATUSES.has(response.status) &&
      this.#options.fallsBackToSse !== false
    ) {
      const failure = await this.#connectSse();
      if (failure === undefined) {
        await this.#post(message, post, {});
        return;
      }
      throw this.#createError(
        response,
        `the server takes no initialize, and has no event stream of 2024-11-05 either (${failure})`,
        text,
      );
    }
    throw this.#createError(
      response,
      response.status === 401
        ? "the server wants an authorization"
        : "the server refuses it",
      error === undefined ? text : `${error.code} ${error.message}`,
    );
  }

  #createError(response: Response, reason: string, body = ""): HttpError {
    return new HttpError(reason, {
      method: "POST",
      url: this.#postUrl ?? this.#url,
      status: response.status,
      body,
    });
  }

  /** MCP, Streamable HTTP, session management: only the answer to `initialize` gives a session. */
  #saveSessionId(response: Response, post: PendingPost): void {
    if (post.request?.method !== "initialize") return;
    const id = response.headers.get(HTTP_HEADERS.SESSION_ID) ?? undefined;
    if (id !== undefined && !isSessionId(id)) {
      discardBody(response);
      throw this.#createError(
        response,
        `the session id ${JSON.stringify(id.slice(0, 60))} is none`,
      );
    }
    this.#sessionId = id;
  }

  /** The answer to what was posted: one of JSON, or a stream. */
  async #readAnswer(response: Response, post: PendingPost): Promise<void> {
    switch (mediaTypeOf(response)) {
      case STREAM_TYPE:
        await this.#readAnswerStream(response, post);
        return;
      case JSON_TYPE: {
        const limit =
          this.#options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
        const text = await readBodyText(response, limit);
        if (text === undefined)
          throw this.#createError(
            response,
            `the answer has more than ${limit} bytes`,
          );
        const value = this.#parseValue(text);
        if (typeof value === "string")
          throw this.#createError(response, `the answer is ${value}`, text);
        this.#deliver(value.value, post);
        if (post.unanswered.size > 0)
          throw this.#createError(
            response,
            "the answer is no response to the request",
            text,
          );
        return;
      }
      default: {
        const { text } = await readBodyStart(response, MAX_ERROR_BYTES);
        const type = mediaTypeOf(response);
        throw this.#createError(
          response,
          type === ""
            ? "the answer to a request has no content type"
            : `the answer is ${JSON.stringify(type.slice(0, 60))}, neither ${JSON_TYPE} nor ${STREAM_TYPE}`,
          text,
        );
      }
    }
  }

  /** Reads the stream of an answer, and asks for the rest of it if it breaks off before the answer. */
  async #readAnswerStream(first: Response, post: PendingPost): Promise<void> {
    const { signal } = post.controller;
    const cursor = new StreamPosition();
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      let stream = first;
      for (;;) {
        let cause: unknown;
        const since = performance.now();
        try {
          await this.#readEvents(stream, cursor, (value) => {
            this.#deliver(value, post);
            if (post.unanswered.size === 0)
              timer ??= setTimeout(() => {
                post.controller.abort();
              }, STREAM_LINGER_MS);
          });
        } catch (error) {
          if (post.unanswered.size === 0) return;
          signal.throwIfAborted();
          if (error instanceof EventTooLargeError)
            throw this.#createError(stream, error.message);
          cause = error;
        }
        if (post.unanswered.size === 0) return;
        if (post.isStateless || cursor.lastEventId === undefined)
          throw new HttpError(
            "the stream ended before the answer",
            { method: "POST", url: this.#url, status: undefined },
            { cause },
          );
        cursor.noteEnd(performance.now() - since);
        stream = await this.#resume(cursor, signal);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Asks for the rest of a stream (MCP 2025-11-25, Streamable HTTP, resumability).
   *
   * @throws HttpError if it is not to be had.
   */
  async #resume(
    cursor: StreamPosition,
    signal: AbortSignal,
  ): Promise<Response> {
    const { maxAttempts = 5 } = this.#options.reconnect ?? {};
    for (;;) {
      if (cursor.failedAttempts >= maxAttempts)
        throw new HttpError(
          `the stream broke off, and ${maxAttempts} attempts to resume it were in vain`,
          { method: "GET", url: this.#url },
        );
      await this.#waitToReconnect(cursor, signal);
      cursor.failedAttempts += 1;
      const response = await this.#requestStream(cursor, signal);
      if (response === undefined) continue;
      if (response.ok && mediaTypeOf(response) === STREAM_TYPE) return response;
      const { text } = await readBodyStart(response, MAX_ERROR_BYTES);
      if (isTransientStatus(response.status)) continue;
      throw new HttpError(
        "the stream broke off, and the server does not resume it",
        { method: "GET", url: this.#url, status: response.status, body: text },
      );
    }
  }

  /** The answer to a request for a stream; undefined if there was none, so that another attempt may help. */
  async #requestStream(
    cursor: StreamPosition,
    signal: AbortSignal,
  ): Promise<Response | undefined> {
    try {
      return await this.#fetch(
        "GET",
        [...this.#sessionHeaders(), ...lastEventIdHeader(cursor)],
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      // Where the origin or the authorization is at fault, another attempt is of no use.
      if (error instanceof HttpError && error.status !== undefined) throw error;
      return undefined;
    }
  }

  /** Waits before a stream is asked for again: as the server says, and longer if it is in vain. */
  async #waitToReconnect(
    cursor: StreamPosition,
    signal: AbortSignal,
  ): Promise<void> {
    const { initialDelayMs = 1000, maxDelayMs = 30_000 } =
      this.#options.reconnect ?? {};
    const { failedAttempts: failures, shortStreams, retry } = cursor;
    const requestedDelay =
      retry === undefined
        ? Math.max(initialDelayMs, MIN_RECONNECT_DELAY_MS)
        : Math.max(retry, MIN_RETRY_MS);
    const afterFailures = failures === 0 ? 0 : initialDelayMs * 2 ** failures;
    // The first one may be a server that lets its clients poll (MCP 2025-11-25, Streamable HTTP, resumability).
    const afterShortStreams =
      shortStreams < 2
        ? 0
        : Math.min(MIN_RETRY_MS * 2 ** shortStreams, MAX_SHORT_STREAM_DELAY_MS);
    const backOff = Math.min(
      Math.max(afterFailures, afterShortStreams),
      maxDelayMs,
    );
    // With jitter, or all clients of a server that was restarted would come back at once.
    await sleep(
      Math.max(requestedDelay, backOff * (0.5 + Math.random() / 2)),
      signal,
    );
  }

  async #readEvents(
    response: Response,
    cursor: StreamPosition,
    onValue: (value: unknown) => void,
    onOther?: (event: SseEvent) => void,
  ): Promise<void> {
    if (response.body === null) return;
    await readEventStream(response.body, {
      maxLength: this.#options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
      onEvent: (event) => {
        cursor.advance(event);
        if (event.type !== "message") {
          onOther?.(event);
          return;
        }
        // Only to give an id to begin with.
        if (event.data.trim() === "") return;
        const read = this.#parseValue(event.data);
        if (typeof read !== "string") onValue(read.value);
        else this.#rejectEvent(event.data, read);
      },
      onRetry: (milliseconds) => {
        cursor.retry = Math.min(milliseconds, MAX_TIMER_DELAY_MS);
      },
    });
  }

  /** Passes over an event that is no message; whoever waits for it is told that there will be no other. */
  #rejectEvent(text: string, reason: string): void {
    const { messageKind, id } = scanEnvelope(text, true);
    if (messageKind === "response" && id !== null)
      this.#findPost(id)?.markAnswered(id);
    const invalid: Invalid = {
      kind: "invalid",
      code: reason === NOT_JSON ? "not-json" : "too-deep",
      reason: `an event of the stream is ${reason}`,
      messageKind,
      id,
      errorResponse: undefined,
    };
    emitInvalid(this, invalid);
  }

  /** Hands a value on, and notes which requests it answers. */
  #deliver(value: unknown, post?: PendingPost): void {
    if (this.#closed !== undefined) return;
    let delivered = value;
    for (const message of Array.isArray(value)
      ? (value as unknown[])
      : [value]) {
      const id = responseIdOf(message);
      if (id === undefined) continue;
      const owner =
        post?.unanswered.has(id) === true ? post : this.#findPost(id);
      if (owner?.request?.method === "tools/list" && owner.isStateless)
        delivered = this.#learnToolHeaders(message as object);
      owner?.markAnswered(id);
    }
    emitMessage(this, delivered);
  }

  #findPost(id: RequestId): PendingPost | undefined {
    return [...this.#pendingPosts].find(({ unanswered }) => unanswered.has(id));
  }

  #parseValue(text: string): { readonly value: unknown } | string {
    const limit = this.#options.maxDepth ?? DEFAULT_MAX_DEPTH;
    if (exceedsDepth(text, limit)) return `nested deeper than ${limit}`;
    const value = parseJsonOrUndefined(text);
    if (value === undefined) return NOT_JSON;
    dropPrototypeKeys(text, value);
    return { value };
  }

  /**
   * Learns which arguments of tools go into headers, and leaves out tools that are not to be used (MCP 2026-07-28,
   * Streamable HTTP, Schema Extension).
   */
  #learnToolHeaders(response: object): object {
    const { result } = response as { readonly result?: object };
    const { tools } = (result ?? {}) as { readonly tools?: unknown };
    if (!Array.isArray(tools)) return response;
    const kept = (tools as unknown[]).filter((tool) => {
      const { name, inputSchema } = (tool ?? {}) as {
        readonly name?: unknown;
        readonly inputSchema?: unknown;
      };
      if (typeof name !== "string") return true;
      const params = headerParamsOf(inputSchema);
      this.#headerParamsByTool.delete(name);
      if (!params.success) {
        emitError(
          this,
          new Error(
            `the tool ${JSON.stringify(name.slice(0, 60))} is left out: ${params.reason}`,
          ),
        );
        return false;
      }
      if (params.value.length > 0 && this.#headerParamsByTool.size < MAX_TOOLS)
        this.#headerParamsByTool.set(name, params.value);
      return true;
    });
    return { ...response, result: { ...result, tools: kept } };
  }

  /** Lists the tools anew, until the one that is called has come. */
  async #refreshToolHeaders(
    call: SentRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const { progressToken: _, ...meta } = metaOf(call);
    let cursor: unknown;
    for (let page = 1; page <= MAX_CLIENT_TOOL_PAGES; page += 1) {
      const last = cursor;
      const answer = await this.#requestInternally(
        {
          jsonrpc: "2.0",
          id: `tools-${page}`,
          method: "tools/list",
          params: {
            _meta: meta,
            ...(typeof cursor === "string" ? { cursor } : {}),
          },
        },
        signal,
      );
      this.#learnToolHeaders(answer);
      const { tools, nextCursor } = ((answer as { readonly result?: unknown })
        .result ?? {}) as {
        readonly tools?: readonly { readonly name?: unknown }[];
        readonly nextCursor?: unknown;
      };
      cursor = nextCursor;
      const isThere =
        Array.isArray(tools) &&
        tools.some(
          (tool) =>
            (tool as { name?: unknown } | null)?.name === calledTool(call),
        );
      // From 2026-07-28 on an empty cursor is one like any other; one that comes again ends the list (MCP, pagination).
      if (isThere || typeof cursor !== "string" || cursor === last) return;
    }
  }

  /** Makes a request of the transport's own, which nobody else hears of. */
  async #requestInternally(
    request: SentRequest & { readonly jsonrpc: "2.0" },
    signal: AbortSignal,
  ): Promise<object> {
    const post = new PendingPost(request);
    const response = await this.#fetch(
      "POST",
      this.#headersOf(request, {}),
      signal,
      request,
    );
    if (!response.ok) {
      const { text } = await readBodyStart(response, MAX_ERROR_BYTES);
      throw this.#createError(
        response,
        `the server refuses ${request.method}`,
        text,
      );
    }
    this.#saveSessionId(response, post);
    let answer: object | undefined;
    const take = (value: unknown): void => {
      if (responseIdOf(value) === request.id) answer ??= value as object;
    };
    if (mediaTypeOf(response) === STREAM_TYPE)
      await this.#readEvents(response, new StreamPosition(), take);
    else {
      const limit = this.#options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
      const value = this.#parseValue(
        (await readBodyText(response, limit)) ?? "",
      );
      if (typeof value !== "string") take(value.value);
    }
    if (answer === undefined || !("result" in answer))
      throw this.#createError(
        response,
        `there is no result of ${request.method}`,
      );
    return answer;
  }

  /**
   * Begins a new session if the server has forgotten ours (MCP 2025-11-25, Streamable HTTP, session management).
   *
   * @param session - That of the request.
   * @returns Whether there is a new one.
   */
  async #renewSessionIfLost(
    response: Response,
    session: string | undefined,
  ): Promise<boolean> {
    if (response.status !== 404 || session === undefined) return false;
    if (this.#initializeRequest === undefined || this.#postUrl !== undefined)
      return false;
    // Another request may have seen to it while this one was on its way.
    if (this.#renewal === undefined && session !== this.#sessionId) return true;
    this.#renewal ??= this.#renewSession(this.#initializeRequest).finally(
      () => {
        this.#renewal = undefined;
      },
    );
    await this.#renewal;
    return true;
  }

  async #renewSession({ params }: SentRequest): Promise<void> {
    const lost = this.#sessionId;
    this.#sessionId = undefined;
    this.#renewals += 1;
    try {
      const answer = await this.#requestInternally(
        {
          jsonrpc: "2.0",
          id: `session-${this.#renewals}`,
          method: "initialize",
          ...(params === undefined ? {} : { params }),
        },
        this.#shutdown.signal,
      );
      const { protocolVersion } = (answer as { readonly result: object })
        .result as { readonly protocolVersion?: unknown };
      if (
        this.#protocolVersion !== undefined &&
        protocolVersion !== this.#protocolVersion
      )
        throw new HttpError(
          `the server has forgotten the session, and speaks ${String(protocolVersion).slice(0, 60)} instead of ${this.#protocolVersion} in a new one`,
          { method: "POST", url: this.#url, status: 404 },
        );
    } catch (error) {
      this.#sessionId = lost;
      throw error;
    }
    const initialized = {
      jsonrpc: "2.0",
      method: "notifications/initialized",
    };
    const response = await this.#fetch(
      "POST",
      this.#headersOf(initialized, {}),
      this.#shutdown.signal,
      initialized,
    );
    discardBody(response);
    this.#openServerStream();
    try {
      this.#options.onSessionRenewed?.(this.#sessionId);
    } catch (error) {
      emitError(this, error);
    }
  }

  /** Opens the stream on which the server says what belongs to no request, if it has one, and keeps it open. */
  #openServerStream(): void {
    this.#serverStream?.abort();
    if (this.#closed !== undefined) return;
    const controller = new AbortController();
    this.#serverStream = controller;
    this.#runServerStream(controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) emitError(this, error);
    });
  }

  async #runServerStream(signal: AbortSignal): Promise<void> {
    const cursor = new StreamPosition();
    const { maxAttempts = 5 } = this.#options.reconnect ?? {};
    for (let isFirst = true; ; isFirst = false) {
      if (!isFirst) {
        if (cursor.failedAttempts >= maxAttempts)
          throw new HttpError(
            `the server's own stream is given up after ${maxAttempts} attempts in vain`,
            { method: "GET", url: this.#url },
          );
        await this.#waitToReconnect(cursor, signal);
        cursor.failedAttempts += 1;
      }
      const session = this.#sessionId;
      const response = await this.#requestStream(cursor, signal);
      if (response === undefined) continue;
      if (!response.ok || mediaTypeOf(response) !== STREAM_TYPE) {
        if (isFirst && response.status === 405) {
          discardBody(response);
          return;
        }
        const { text } = await readBodyStart(response, MAX_ERROR_BYTES);
        // A new session has a stream of its own.
        if (!isFirst && (await this.#renewSessionIfLost(response, session)))
          return;
        if (
          !isFirst &&
          cursor.lastEventId !== undefined &&
          response.status === 400
        )
          cursor.lastEventId = undefined;
        else if (!isTransientStatus(response.status))
          throw new HttpError("the server has no stream of its own", {
            method: "GET",
            url: this.#url,
            status: response.status,
            body: text,
          });
        continue;
      }
      const since = performance.now();
      try {
        await this.#readEvents(response, cursor, (value) => {
          this.#deliver(value);
        });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof EventTooLargeError) throw error;
      }
      cursor.noteEnd(performance.now() - since);
    }
  }

  /**
   * Opens the event stream of a server of 2024-11-05, which says first where it takes messages.
   *
   * @returns Why there is none.
   */
  async #connectSse(): Promise<string | undefined> {
    let response: Response;
    try {
      response = await this.#fetch("GET", [], this.#shutdown.signal);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    if (!response.ok || mediaTypeOf(response) !== STREAM_TYPE) {
      discardBody(response);
      return `GET: ${response.status}`;
    }
    return new Promise((resolve) => {
      const reading = this.#readEvents(
        response,
        new StreamPosition(),
        (value) => {
          this.#deliver(value);
        },
        ({ type, data }) => {
          if (type !== "endpoint" || this.#postUrl !== undefined) return;
          const target = URL.canParse(data, this.#url.href)
            ? new URL(data, this.#url)
            : undefined;
          // What is sent, and its credentials, are meant for this origin only.
          if (target?.origin === this.#url.origin) {
            this.#postUrl = target;
            resolve(undefined);
          } else
            resolve(
              "its event endpoint names a place at another origin to post to",
            );
        },
      );
      reading
        .then(
          () => new Error("the server ended its event stream"),
          (error: unknown) => error,
        )
        .then((error) => {
          resolve("its stream ended before it named an endpoint");
          if (this.#closed !== undefined || this.#postUrl === undefined) return;
          emitError(this, error);
          void this.close();
        })
        .catch(() => undefined);
    });
  }

  #fetch(
    method: "GET" | "POST" | "DELETE",
    headers: readonly (readonly [string, string])[],
    signal: AbortSignal,
    message?: object,
  ): Promise<Response> {
    return this.#authorizedFetch.call({
      method,
      url: method === "POST" ? (this.#postUrl ?? this.#url) : this.#url,
      headers:
        method === "POST"
          ? headers
          : [["Accept", STREAM_TYPE] as const, ...headers],
      ...(message === undefined ? {} : { body: JSON.stringify(message) }),
      signal,
    });
  }

  /** The headers of a POST. */
  #headersOf(
    message: object,
    { headers: added }: HttpSendOptions,
  ): readonly (readonly [string, string])[] {
    const headers: (readonly [string, string])[] = [
      ["Content-Type", JSON_TYPE],
      ["Accept", `${JSON_TYPE}, ${STREAM_TYPE}`],
    ];
    const extra = Object.entries(added ?? {}).filter(([name]) =>
      name.toLowerCase().startsWith(HTTP_HEADERS.PARAM_PREFIX.toLowerCase()),
    );
    if (isRequest(message) && isStatelessRequest(message)) {
      const tool = calledTool(message);
      const params =
        tool === undefined ? undefined : this.#headerParamsByTool.get(tool);
      return [...headers, ...extra, ...mirroredHeaders(message, params)];
    }
    if (methodOf(message) === "initialize") return headers;
    if (
      this.#protocolVersion !== undefined &&
      !isStateful(this.#protocolVersion)
    )
      headers.push([HTTP_HEADERS.METHOD, methodOf(message) ?? ""]);
    return [...headers, ...this.#sessionHeaders()];
  }

  #sessionHeaders(): readonly (readonly [string, string])[] {
    const headers: (readonly [string, string])[] = [];
    if (this.#protocolVersion !== undefined)
      headers.push([HTTP_HEADERS.PROTOCOL_VERSION, this.#protocolVersion]);
    if (this.#sessionId !== undefined)
      headers.push([HTTP_HEADERS.SESSION_ID, this.#sessionId]);
    return headers;
  }
}

/**
 * Whether a refusal may be over soon. A conflict is one: the server has not noticed yet that the stream broke off.
 */
function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 409 || status === 429;
}

function parseHttpUrl(url: string | URL): URL {
  if (!URL.canParse(String(url)))
    throw new TypeError(`${JSON.stringify(String(url))} is no URL`);
  const parsed = new URL(url);
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:")
    throw new TypeError(
      `${JSON.stringify(parsed.protocol)} is not spoken here; the URL of a server begins with http: or https:`,
    );
  return parsed;
}

function isStateful(version: string): boolean {
  return version < FIRST_STATELESS;
}

/** The request that a notification cancels. */
function cancelledIdOf(notification: object): RequestId | undefined {
  const { params } = notification as {
    readonly params?: { readonly requestId?: RequestId };
  };
  return params?.requestId;
}

function methodOf(message: object): string | undefined {
  const { method } = message as { readonly method?: unknown };
  return typeof method === "string" ? method : undefined;
}

function isRequest(message: object): message is SentRequest {
  return methodOf(message) !== undefined && "id" in message;
}

function metaOf({ params }: SentRequest): Readonly<Record<string, unknown>> {
  const { _meta } = (params ?? {}) as {
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  return _meta ?? {};
}

/** Whether a request says of itself which revision it is of, as only the stateless ones have it. */
function isStatelessRequest(request: SentRequest): boolean {
  return typeof metaOf(request)[META_KEYS.VERSION] === "string";
}

function calledTool({ method, params }: SentRequest): string | undefined {
  if (method !== "tools/call") return undefined;
  const { name } = (params ?? {}) as { readonly name?: unknown };
  return typeof name === "string" ? name : undefined;
}

/** The request that a message answers, if it is a response. */
function responseIdOf(message: unknown): RequestId | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  if ("method" in message || !("result" in message || "error" in message))
    return undefined;
  const { id } = message as { readonly id?: RequestId | null };
  return id ?? undefined;
}

/** The error of an error response, if a value is one. */
function errorObjectIn(
  value: unknown,
): { readonly code: number; readonly message: string } | undefined {
  const { error } = (value ?? {}) as { readonly error?: unknown };
  const { code, message } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  return typeof code === "number" && typeof message === "string"
    ? (error as { readonly code: number; readonly message: string })
    : undefined;
}

/** What a text says; undefined if it is not JSON, which has no such value. */
function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function lastEventIdHeader({
  lastEventId: id,
}: StreamPosition): readonly (readonly [string, string])[] {
  if (id === undefined) return [];
  // A header is bytes, and the id is meant in UTF-8 (WHATWG HTML, server-sent events).
  const bytes = Array.from(new TextEncoder().encode(id), (byte) =>
    String.fromCharCode(byte),
  );
  return [[HTTP_HEADERS.LAST_EVENT_ID, bytes.join("")]];
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
