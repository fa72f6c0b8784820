import type { ClientConnectionEvent } from "../../jsonrpc/connection-events.js";
import { parseJsonOrUndefined } from "../../jsonrpc/scan.js";
import {
  cancelledIdOf,
  isObject,
  methodOf,
  responseIdOf,
} from "../../jsonrpc/envelope.js";
import type { RequestId } from "../../jsonrpc/message.js";
import type { Invalid } from "../../jsonrpc/parse.js";
import {
  emitClose,
  emitError,
  emitEvent,
  emitInvalid,
  emitMessage,
  notifyListener,
} from "../../jsonrpc/transport-events.js";
import { HTTP_NETWORK } from "../../jsonrpc/transport.js";
import type { Transport, TransportNetwork } from "../../jsonrpc/transport.js";
import { STATELESS_ERROR_CODES } from "../../protocol/revision.js";
import { PING } from "../../protocol/version-rules.js";
import { HTTP_HEADERS, mirroredHeaders } from "../headers.js";
import { BackOff } from "./back-off.js";
import { discardBody } from "./fetch.js";
import { InternalRequests } from "./internal-requests.js";
import {
  errorIn,
  isErrorObject,
  isRequest,
  isStatelessRequest,
} from "./messages.js";
import { OneWayPosts } from "./one-way.js";
import type {
  HttpClientOptions,
  HttpClientTransport,
  HttpSendOptions,
} from "./options.js";
import { ToolHeaderCache } from "./param-headers.js";
import { PendingPost, PendingPosts, requestsIn } from "./pending-post.js";
import { PostLimiter } from "./post-limiter.js";
import { PostRetries } from "./post-retries.js";
import type { RetryContext } from "./post-retries.js";
import { Reconnector } from "./reconnect.js";
import { RepeatableRequests } from "./repeatable.js";
import { POST_HEADERS, readRejection, Requester } from "./requester.js";
import type { HeaderList } from "./requester.js";
import { ResponseReader } from "./response.js";
import { ServerStream } from "./server-stream.js";
import { ClientSession } from "./session.js";
import { connectSse, SSE_FALLBACK_STATUSES } from "./sse-fallback.js";
import { ValueReader } from "./stream.js";

/** Default maximum of calls at the same time. */
const DEFAULT_MAX_CONCURRENT_CALLS = 256;
/** Maximum of calls that wait for their turn. */
const MAX_QUEUED_CALLS = 10_000;

const PARAM_PREFIX = HTTP_HEADERS.PARAM_PREFIX.toLowerCase();

const STATELESS_CODES: ReadonlySet<unknown> = new Set(
  Object.values(STATELESS_ERROR_CODES),
);

/**
 * Sends messages by POST and delivers the responses.
 *
 * A post is in `#pendingPosts` exactly while the promise of its `send` is pending.
 * After close() no message is delivered.
 */
export class HttpClient implements HttpClientTransport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];
  onevent: Transport["onevent"];
  readonly rejectsUnknownMethods = true;
  readonly sendAwaitsResponse = true;

  readonly #options: HttpClientOptions;
  readonly #network: TransportNetwork;
  readonly #requester: Requester;
  readonly #reader: ValueReader;
  readonly #toolHeaders: ToolHeaderCache;
  readonly #session: ClientSession;
  readonly #responseReader: ResponseReader;
  readonly #serverStream: ServerStream;
  readonly #oneWayPosts: OneWayPosts;
  readonly #calls: PostLimiter;
  readonly #repeatable = new RepeatableRequests();
  readonly #retryContext: RetryContext;
  readonly #pendingPosts = new PendingPosts();
  /** Aborts everything that belongs to no post. */
  readonly #shutdown = new AbortController();

  #hasStarted = false;
  #closed: Promise<void> | undefined;

  constructor(options: HttpClientOptions) {
    const { maxConcurrentCalls = DEFAULT_MAX_CONCURRENT_CALLS } = options;
    if (!(maxConcurrentCalls >= 1))
      throw new RangeError(
        `maxConcurrentCalls must be at least 1, not ${maxConcurrentCalls}`,
      );
    this.#options = options;
    this.#network = networkOf(options.url);
    this.#calls = new PostLimiter(maxConcurrentCalls);
    const emit = (event: ClientConnectionEvent): void => {
      this.#emit(event);
    };
    const backOff = new BackOff(options.reconnect);
    const retryBackOff =
      options.retriesRequests === false ? undefined : backOff;
    const requester = new Requester(options.url, options, {
      backOff: retryBackOff,
      emit,
    });
    this.#retryContext = {
      backOff: retryBackOff,
      repeatable: this.#repeatable,
      hasResponded: () => requester.hasResponded,
      emit,
    };
    const reader = new ValueReader(options, (invalid) => {
      this.#handleInvalid(invalid);
    });
    const internalRequests = new InternalRequests(requester, reader);
    const closed = this.#shutdown.signal;
    const onError = (error: unknown): void => {
      emitError(this, error);
    };
    this.#requester = requester;
    this.#reader = reader;
    this.#toolHeaders = new ToolHeaderCache(internalRequests, onError);
    this.#session = new ClientSession({
      requester,
      internalRequests,
      closed,
      emit,
    });
    const reconnector = new Reconnector(
      requester,
      this.#session,
      backOff,
      emit,
    );
    this.#responseReader = new ResponseReader({
      requester,
      reader,
      reconnector,
      deliver: (value, post) => {
        this.#deliver(value, post);
      },
    });
    this.#serverStream = new ServerStream({
      requester,
      reader,
      reconnector,
      session: this.#session,
      onValue: (value) => {
        this.#deliver(value);
      },
      onError,
      emit,
    });
    this.#oneWayPosts = new OneWayPosts({
      requester,
      session: this.#session,
      acceptTimeout: options.acceptTimeout ?? 30_000,
      closed,
      onFlooded: (error) => {
        this.#fail(error);
      },
    });
  }

  get network(): TransportNetwork {
    return this.#network;
  }

  get sessionId(): string | undefined {
    return this.#session.id;
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
    this.#session.setProtocolVersion(version);
  }

  reconnect(): void {
    this.#serverStream.reconnect();
  }

  checkAuthorization(): Promise<void> {
    return this.#requester.checkAuthorization();
  }

  finishAuth(answer: string | URLSearchParams, iss?: string): Promise<void> {
    return this.#requester.authorizer.finish(answer, iss);
  }

  async send(message: object, options: HttpSendOptions = {}): Promise<void> {
    if (this.#closed !== undefined) throw new Error("the connection is closed");
    if (!this.#hasStarted)
      throw new Error("the transport has not been started");
    const method = methodOf(message);
    if (method === undefined && !this.#mayRespond(message)) return;
    const id =
      method === "notifications/cancelled" ? cancelledIdOf(message) : undefined;
    const cancelled =
      id === undefined ? undefined : this.#pendingPosts.find(id);
    if (
      cancelled?.isStateless === true ||
      (cancelled?.isPosted === false && cancelled.unanswered.size === 1)
    ) {
      // MCP 2026-07-28, cancellation: closing the stream cancels. A message that was not posted needs no notification.
      cancelled.cancel();
      return;
    }
    const requests = requestsIn(message);
    if (requests.length > 0) {
      await this.#sendRequests(message, new PendingPost(requests), options);
      return;
    }
    try {
      await this.#oneWayPosts.post(message, method);
    } finally {
      // The server may leave the stream of a cancelled request open, or others of its batch may still wait for it.
      if (
        id !== undefined &&
        cancelled !== undefined &&
        cancelled.unanswered.size > 1
      )
        cancelled.markAnswered(id);
      else cancelled?.cancel();
    }
    if (
      method === "notifications/initialized" &&
      this.#requester.postUrl === undefined
    )
      this.#serverStream.open();
  }

  close(): Promise<void> {
    // `onclose`, which is called meanwhile, may close again.
    if (this.#shutdown.signal.aborted) return this.#closed ?? Promise.resolve();
    this.#closed = this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#serverStream.close();
    this.#shutdown.abort(new Error("the connection is closed"));
    this.#pendingPosts.cancelAll();
    this.#oneWayPosts.close();
    if (this.#session.id !== undefined && this.#requester.postUrl === undefined)
      await this.#session.end();
    emitClose(this);
  }

  /** Reports an error that makes the connection unusable, and closes it. */
  #fail(error: unknown): void {
    emitError(this, error);
    void this.close();
  }

  /** Whether a response may be sent: not to a stateless server, and not without an id. */
  #mayRespond(message: object): boolean {
    if (!isObject(message)) return true;
    const { id } = message;
    if (id === undefined || id === null) return false;
    if (!this.#session.isStateless) return true;
    emitError(
      this,
      new Error(
        "a stateless server sent a request, which the specification forbids; it gets no response",
      ),
    );
    return false;
  }

  /** Posts requests when their turn comes, and waits for the responses. */
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
      if (request?.method === "initialize")
        this.#session.rememberInitialize(request);
      else await this.#oneWayPosts.initializedAccepted;
      post.controller.signal.throwIfAborted();
      // Many slow calls must not make the connection seem dead.
      if (request?.method === PING) {
        post.isPosted = true;
        await this.#post(message, post, options);
      } else await this.#postInTurn(message, post, options);
    } catch (error) {
      signal?.throwIfAborted();
      if (post.isCancelled) return;
      throw error;
    } finally {
      this.#pendingPosts.delete(post);
      signal?.removeEventListener("abort", abort);
      // The body may not have been read completely.
      post.controller.abort();
      if (!post.isCancelled) options.onRequestStreamEnd?.();
    }
  }

  async #postInTurn(
    message: object,
    post: PendingPost,
    options: HttpSendOptions,
  ): Promise<void> {
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
  }

  async #post(
    message: object,
    post: PendingPost,
    options: HttpSendOptions,
  ): Promise<void> {
    const retries = new PostRetries(this.#retryContext, post);
    let isFixed = false;
    for (;;) {
      if (post.request?.method !== "initialize") await this.#session.renewed;
      const sessionId = this.#session.id;
      let response: Response;
      try {
        response = await this.#requester.fetch(
          "POST",
          this.#postHeaders(message, options),
          post.controller.signal,
          message,
        );
      } catch (error) {
        post.controller.signal.throwIfAborted();
        // Over HTTP+SSE, the answer does not come with the response.
        if (post.unanswered.size === 0) return;
        if (!retries.retriesAfter(error)) throw error;
        continue;
      }
      if (response.ok) {
        await this.#handleAcceptance(response, post);
        if (this.#session.id === sessionId) this.#session.noteAnswer();
        return;
      }
      const text = await readRejection(response, post.controller.signal);
      if (await retries.waitIfBusy(response)) continue;
      isFixed =
        !isFixed && (await this.#fixes(response, text, post, sessionId));
      if (isFixed) continue;
      await this.#handleFailure(response, text, message, post);
      return;
    }
  }

  /** Handles the response to a post that the server has accepted. */
  async #handleAcceptance(
    response: Response,
    post: PendingPost,
  ): Promise<void> {
    if (this.#requester.postUrl !== undefined) {
      // The response comes on the event stream.
      discardBody(response);
      await post.settled;
      return;
    }
    if (post.request?.method === "initialize") this.#session.saveId(response);
    await this.#responseReader.read(response, post);
  }

  #postHeaders(message: object, { headers }: HttpSendOptions): HeaderList {
    if (!isRequest(message) || !isStatelessRequest(message))
      return this.#session.postHeaders(message);
    const added = Object.entries(headers ?? {}).filter(([name]) =>
      name.toLowerCase().startsWith(PARAM_PREFIX),
    );
    const params = this.#toolHeaders.headerParamsFor(message);
    return [...POST_HEADERS, ...added, ...mirroredHeaders(message, params)];
  }

  /** Fixes the cause of a rejection. Returns whether that is done, so that the same message may be sent again. */
  async #fixes(
    response: Response,
    text: string,
    post: PendingPost,
    sessionId: string | undefined,
  ): Promise<boolean> {
    const { request } = post;
    if (request?.method === "initialize") return false;
    if (await this.#session.renewIfLost(response, text, sessionId)) return true;
    // MCP 2026-07-28, Streamable HTTP, Client Behavior: the tool's schema may differ from the known one.
    if (!post.isStateless || request?.method !== "tools/call") return false;
    const code = errorIn(parseJsonOrUndefined(text))?.["code"];
    if (code !== STATELESS_ERROR_CODES.HEADER_MISMATCH) return false;
    return this.#toolHeaders.refresh(request, post.controller.signal);
  }

  /** Delivers the error response in the body of a rejection, or falls back to HTTP+SSE, or throws. */
  async #handleFailure(
    response: Response,
    text: string,
    message: object,
    post: PendingPost,
  ): Promise<void> {
    const value = parseJsonOrUndefined(text);
    const { request } = post;
    const error = errorIn(value);
    const isError = isErrorObject(error);
    if (request !== undefined && isError) {
      const id = isObject(value) ? (value["id"] ?? null) : null;
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
      throw this.#requester.createError(
        response,
        `the server rejects initialize, and has no event stream of 2024-11-05 either (${failure})`,
        text,
      );
    }
    throw this.#requester.createError(
      response,
      response.status === 401
        ? "the server requires authorization"
        : "the server rejects the message",
      isError ? `${error.code} ${error.message}` : text,
    );
  }

  #connectSse(): Promise<string | undefined> {
    return connectSse({
      requester: this.#requester,
      reader: this.#reader,
      closed: this.#shutdown.signal,
      onValue: (value) => {
        this.#deliver(value);
      },
      onEnd: (error) => {
        if (this.#closed === undefined) this.#fail(error);
      },
    });
  }

  /** Reports an event that is not a message; if it was the response to a request, no other will come. */
  #handleInvalid(invalid: Invalid): void {
    const { messageKind, id } = invalid;
    if (messageKind === "response" && id !== null)
      this.#pendingPosts.find(id)?.markAnswered(id);
    emitInvalid(this, invalid);
  }

  #emit(event: ClientConnectionEvent): void {
    if (this.#closed !== undefined) return;
    if (event.kind === "sessionRenewed") {
      this.#repeatable.clear();
      this.#serverStream.open();
    }
    notifyListener(this.#options.onEvent, event);
    emitEvent(this, event);
  }

  /** Delivers a value, and marks the requests that it answers. */
  #deliver(value: unknown, post?: PendingPost): void {
    if (this.#closed !== undefined) return;
    let delivered = value;
    for (const message of Array.isArray(value)
      ? (value as readonly unknown[])
      : [value]) {
      const id = responseIdOf(message) ?? undefined;
      if (id === undefined) {
        this.#repeatable.handleMessage(message);
        continue;
      }
      const owner = this.#ownerOf(id, post);
      if (owner?.request?.method === "tools/list") {
        this.#repeatable.learn(owner.request, message);
        if (owner.isStateless) delivered = this.#toolHeaders.learn(message);
      }
      owner?.markAnswered(id);
    }
    emitMessage(this, delivered);
  }

  #ownerOf(
    id: RequestId,
    post: PendingPost | undefined,
  ): PendingPost | undefined {
    return post?.unanswered.has(id) === true
      ? post
      : this.#pendingPosts.find(id);
  }
}

function networkOf(url: string | URL): TransportNetwork {
  // What is no URL is reported when it is used.
  if (!URL.canParse(String(url))) return HTTP_NETWORK;
  const { hostname, port, protocol } = new URL(url);
  return {
    ...HTTP_NETWORK,
    // An IPv6 address without the brackets that it has in a URL.
    address: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  };
}
