import { isPromiseLike, SERVER_BUSY } from "./jsonrpc/endpoint.js";
import { isObject } from "./jsonrpc/envelope.js";
import { STANDARD_ERROR_CODES } from "./jsonrpc/error-codes.js";
import { Authenticator } from "./http/server/auth.js";
import type {
  Auth,
  AuthorizedMessage,
  Authorization,
} from "./http/server/auth.js";
import {
  ArrivingBodies,
  MAX_UNCOUNTED_BODY_BYTES,
  RetainedBody,
} from "./http/server/bodies.js";
import { NO_HEADERS } from "./http/server/call.js";
import type { HeaderFields, HttpCall } from "./http/server/call.js";
import { HttpExtra } from "./http/server/extra.js";
import { ResponseWriter } from "./http/server/reply.js";
import type { StreamLimits } from "./http/server/reply.js";
import { addressKey, Callers } from "./http/server/callers.js";
import type { Caller } from "./http/server/callers.js";
import { OriginCheck } from "./http/server/origin.js";
import type { OriginCheckOptions } from "./http/server/origin.js";
import { headerMismatch, HTTP_HEADERS } from "./http/headers.js";
import { SingleRequestTransport } from "./http/server/single-request.js";
import { ParamHeaders } from "./http/server/param-headers.js";
import {
  CallerResumeBudget,
  ResumeBudget,
} from "./http/server/resume-budget.js";
import {
  encodeErrorResponse,
  HttpSession,
  STREAM_NOT_ACCEPTED,
} from "./http/server/session.js";
import type { ResumeLimits, SessionHost } from "./http/server/session.js";
import { SseTransport } from "./http/server/sse.js";
import { UnreadBudget } from "./http/server/unread-budget.js";
import { toFetchHandler } from "./http/server/web.js";
import type {
  ErrorObject,
  Notification,
  RequestId,
} from "./jsonrpc/message.js";
import {
  DEFAULT_MAX_DEPTH,
  classifyMessage,
  parseMessage,
} from "./jsonrpc/parse.js";
import type { Invalid, Parsed } from "./jsonrpc/parse.js";
import { notifyListener } from "./jsonrpc/transport-events.js";
import {
  truncate,
  META_KEYS,
  STATELESS_ERROR_CODES,
  newestRevision,
  unreadIdPolicy,
  versionOf,
} from "./protocol/revision.js";
import type { Revision } from "./protocol/revision.js";
import type { Server } from "./server.js";

/** What a server is made for. */
export interface SessionRequest<A extends Auth = Auth> {
  /** Who opens the session; undefined without authorization, and for what serves all requests of stateless revisions. */
  readonly auth: A | undefined;
}

/** A server, whatever notifications it sends. */
export type AnyServer = Pick<Server, "connect" | "revisions" | "settings">;

/** How sessions of stateful revisions are kept. */
export interface SessionOptions {
  /** Milliseconds without a request or a connection after which a session is closed; 30 minutes by default. */
  readonly idleTimeout?: number | undefined;
  /**
   * Sessions at the same time, in which each caller has a share; a further `initialize` is answered with 503. 10,000 by
   * default.
   */
  readonly max?: number | undefined;
}

/** How much is kept for clients that come back for what they missed. */
export interface ResumabilityOptions {
  /** Events that a session keeps; 256 by default. */
  readonly maxEvents?: number | undefined;
  /**
   * Characters of delivered events that a session keeps, besides the newest event, which is kept whatever it has; 1 Mi by
   * default. What no connection has carried to its end counts toward `maxTotalBytes` only.
   */
  readonly maxBytes?: number | undefined;
  /**
   * Characters that all sessions together keep; 64 Mi by default. Past it, the session that keeps the most gives up events
   * first, and undelivered ones last.
   */
  readonly maxTotalBytes?: number | undefined;
  /** Milliseconds after which a client should come back; 1000 by default. */
  readonly retry?: number | undefined;
}

/** The two endpoints of the transport of 2024-11-05. */
export interface LegacySseOptions {
  /** Path of the stream of events; `/sse` by default. */
  readonly path?: string | undefined;
  /** Path that messages are posted to; `/messages` by default. */
  readonly messages?: string | undefined;
}

/** Something that is worth a line in a log. No part of it is a secret of a session. */
export type HttpEvent =
  /** A request was turned away before the server saw it. */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly reason: string;
    }
  | { readonly kind: "sessionOpened"; readonly sessions: number }
  | { readonly kind: "sessionClosed"; readonly sessions: number }
  /** A hook or the server's factory threw. */
  | { readonly kind: "failed"; readonly error: unknown };

/** What an HTTP handler is made of. */
export interface HttpHandlerOptions<
  A extends Auth = Auth,
> extends OriginCheckOptions {
  /**
   * The server, or what makes one: called for each session of a stateful revision, and once for all requests of stateless
   * ones. One server for all has one thing to notify.
   */
  readonly server:
    | AnyServer
    | ((opening: SessionRequest<A>) => AnyServer | Promise<AnyServer>);
  /** The path that is served; any by default, for who mounts the handler at one. */
  readonly path?: string | undefined;
  readonly authorize?: Authorization<A> | undefined;
  /** `false` keeps none: each request of a stateful revision stands for itself, for servers in many short-lived copies. */
  readonly sessions?: SessionOptions | false | undefined;
  /** `false` keeps nothing: what a client misses is lost. */
  readonly resumability?: ResumabilityOptions | false | undefined;
  /** Serves clients that speak HTTP+SSE of 2024-11-05 too. Off by default. */
  readonly sse?: LegacySseOptions | boolean | undefined;
  /** Bytes that a body may have; 4 MiB by default. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Bytes of bodies that are arriving; 256 MiB by default. Past it, bodies that are not complete are dropped and answered
   * with 503: of the caller that holds the most, the one that began first. As many again may be in use: by requests that are
   * open, by handlers that run, and by sessions, which keep what `initialize` says. Each caller has a share of these.
   */
  readonly maxTotalBodyBytes?: number | undefined;
  /** How many arrays and objects may be inside one another; 256 by default. */
  readonly maxDepth?: number | undefined;
  /**
   * Requests and streams that are open at the same time, in which each caller has a share; a further one is answered with
   * 503. 10,000 by default.
   */
  readonly maxOpen?: number | undefined;
  /**
   * Tells callers apart where there is no authorization; the address of the connection by default. Behind a proxy, all
   * connections are the proxy's, so name the header that it sets: `(call) => call.header('x-real-ip')`. Undefined falls
   * back to the address; where that is not known either, as with `fetch`, callers share without a bound for each.
   */
  readonly clientKey?: ((call: HttpCall) => string | undefined) | undefined;
  /**
   * Serves clients whose `Accept` lists `application/json` alone, against the transport's rule: they get their answer as
   * JSON, without the progress and log messages that would come before it, and 406 where the answer has to be a stream. Off
   * by default: such a client gets 406.
   */
  readonly jsonOnlyClients?: boolean | undefined;
  /**
   * Bytes that may wait for a client on one stream before progress and log messages to it are dropped; 1 MiB by default.
   * Of each progress token the newest message stays. All else waits, whatever its size.
   */
  readonly maxBacklog?: number | undefined;
  /**
   * Milliseconds in which a client must take something of what waits for it; otherwise it is cut off. 30 seconds by
   * default. For each 256 KiB that buffers of the system may hold for it, at most 2 MiB, it has as long again: a client
   * that reads 10 kB a second keeps its answer.
   */
  readonly stallTimeout?: number | undefined;
  /**
   * Bytes that may wait for all clients together, in which each caller has a share; 256 MiB by default. Past half of
   * it, clients that read nothing are cut off after a second; past it, new requests are answered with 503. On a stream of HTTP+SSE, a sixteenth of it may wait before
   * further messages of its client are.
   */
  readonly maxUnreadBytes?: number | undefined;
  /** Milliseconds of silence on a stream after which a comment is sent; 25 seconds by default. */
  readonly keepAlive?: number | undefined;
  /** Milliseconds after which a request that is still being handled gets a stream as its answer; 15 seconds by default. */
  readonly streamAfter?: number | undefined;
  readonly onEvent?: ((event: HttpEvent) => void) | undefined;
}

/** Serves MCP over HTTP. */
export interface HttpHandler {
  /** Answers a request. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same for bindings that have no `Request`. */
  readonly handle: (call: HttpCall) => void;
  /** How many sessions there are, and requests and streams that are open. */
  readonly load: { readonly sessions: number; readonly open: number };
  /** Ends all sessions and streams. What comes later is answered with 503. */
  readonly close: () => Promise<void>;
}

/** One HTTP request and what is known of it. */
interface HttpContext<A> {
  readonly call: HttpCall;
  readonly path: string;
  /** Headers of every answer. */
  readonly headers: HeaderFields;
  readonly auth: A | undefined;
  /** The principal with authorization, else the same as {@link connection}. */
  readonly caller: Caller;
  /** Whoever is at the other end of the connection. */
  readonly connection: Caller;
  /** Whether the client accepts JSON and nothing else. */
  readonly isJsonOnly: boolean;
  /** The bytes of its body, once that has come, if they count. */
  retainedBody?: RetainedBody;
}

const MIB = 1024 * 1024;
const TICK_MS = 5_000;
const IDLE_TIMEOUT_MS = 30 * 60_000;
const MAX_SESSIONS = 10_000;
/** Milliseconds in which a session must be used once after it was opened. */
const FIRST_USE_TIMEOUT_MS = 60_000;
/** So many streams of HTTP+SSE whose clients do not read fill the bytes that may wait. */
const MAX_FULL_STREAMS = 16;
const BATCH_REVISION = "2025-03-26";
/** The revision that HTTP+SSE belongs to. */
const SSE_REVISION = "2024-11-05";
/** `application/json`, with or without parameters (RFC 9110, 8.3.1). */
const JSON_TYPE =
  /^application\/json[ \t]*(?:;[ \t]*(?:[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\]*")[ \t]*)?)*$/i;

/**
 * Makes the server's side of the Streamable HTTP transport: sessions for revisions up to 2025-11-25, and 2026-07-28
 * without any, at one endpoint (MCP, Transports). It needs no more than the standards of the Web; in Node,
 * `serveHttp` of `http-node` puts it behind a port.
 *
 * @throws TypeError if an option makes no sense.
 */
export function createHttpHandler<A extends Auth = Auth>(
  options: HttpHandlerOptions<A>,
): HttpHandler {
  const handler = new HttpRequestHandler<A>(options);
  return {
    fetch: toFetchHandler((call) => {
      handler.handle(call);
    }),
    handle: (call) => {
      handler.handle(call);
    },
    get load() {
      return handler.load;
    },
    close: () => handler.close(),
  };
}

class HttpRequestHandler<A extends Auth> implements SessionHost {
  readonly resumeLimits: ResumeLimits | undefined;
  readonly #resumeBudget: ResumeBudget;
  readonly #resumeBudgets = new WeakMap<Caller, CallerResumeBudget>();
  /** Requests that are not answered and have no reply yet. */
  readonly #admitting = new Set<HttpCall>();
  readonly #unread: UnreadBudget;
  readonly #options: HttpHandlerOptions<A>;
  readonly #originCheck: OriginCheck;
  readonly #authenticator: Authenticator<A> | undefined;
  readonly #streamLimits: StreamLimits;
  readonly #callers = new Callers();
  readonly #maxTotalBodyBytes: number;
  readonly #bodies: ArrivingBodies;
  /** Behind a proxy, all requests come from one. */
  #lastAddress = { address: "", key: "" };
  readonly #sessions = new Map<string, HttpSession>();
  /** Who opened a session, and with what if that was large: the session keeps what the client says of itself. */
  readonly #openers = new WeakMap<
    HttpSession,
    { readonly caller: Caller; readonly request: RetainedBody | undefined }
  >();
  readonly #sseTransports = new Map<string, SseTransport>();
  readonly #openWriters = new Set<ResponseWriter>();
  readonly #connections = new Set<{ close(): Promise<void> }>();
  readonly #ssePaths:
    { readonly path: string; readonly messages: string } | undefined;
  readonly #maxBodyBytes: number;
  readonly #maxOpen: number;
  readonly #paramHeaders: ParamHeaders;
  #cachedServer: AnyServer | Promise<AnyServer> | undefined;
  #tickTimer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor(options: HttpHandlerOptions<A>) {
    const { resumability = {}, sse = false, authorize } = options;
    this.#options = options;
    this.#originCheck = new OriginCheck(options);
    this.#authenticator =
      authorize === undefined
        ? undefined
        : new Authenticator(authorize, (error) => {
            this.#emit({ kind: "failed", error });
          });
    this.#streamLimits = {
      maxBacklog: options.maxBacklog ?? MIB,
      stallTimeout: options.stallTimeout ?? 30_000,
      keepAlive: options.keepAlive ?? 25_000,
      streamAfter: options.streamAfter ?? 15_000,
    };
    const { maxTotalBytes = 64 * MIB, ...limits } =
      resumability === false ? {} : resumability;
    this.resumeLimits =
      resumability === false
        ? undefined
        : {
            maxEvents: limits.maxEvents ?? 256,
            maxBytes: limits.maxBytes ?? MIB,
            retry: limits.retry ?? 1000,
          };
    this.#resumeBudget = new ResumeBudget(maxTotalBytes);
    this.#unread = new UnreadBudget(
      options.maxUnreadBytes ?? 256 * MIB,
      this.#openWriters,
    );
    if (sse !== false) {
      const { path = "/sse", messages = "/messages" } = sse === true ? {} : sse;
      this.#ssePaths = { path, messages };
    }
    this.#maxBodyBytes = options.maxBodyBytes ?? 4 * MIB;
    this.#maxOpen = options.maxOpen ?? 10_000;
    this.#maxTotalBodyBytes = options.maxTotalBodyBytes ?? 256 * MIB;
    this.#bodies = new ArrivingBodies(this.#callers, this.#maxTotalBodyBytes);
    this.#paramHeaders = new ParamHeaders();
  }

  get #sessionOptions(): SessionOptions {
    const { sessions = {} } = this.#options;
    return sessions === false ? {} : sessions;
  }

  get load(): { readonly sessions: number; readonly open: number } {
    return {
      sessions: this.#sessions.size + this.#sseTransports.size,
      open: this.#openWriters.size,
    };
  }

  handle(call: HttpCall): void {
    const connection = this.#callers.of(this.#keyOf(call));
    if (!connection.admissions.canAcquire(this.#maxOpen)) {
      connection.release();
      this.#refuseBusy(call, NO_HEADERS);
      return;
    }
    connection.admissions.acquire();
    this.#admitting.add(call);
    void this.#route(connection, call);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#bodies.dropAll();
    // A hook or a factory that they wait for may never come back.
    for (const call of [...this.#admitting]) {
      this.#admitting.delete(call);
      this.#refuseIfClosed(call, NO_HEADERS);
    }
    await Promise.all([...this.#connections].map((session) => session.close()));
    for (const session of [
      ...this.#sessions.values(),
      ...this.#sseTransports.values(),
    ])
      await session.close();
    for (const writer of [...this.#openWriters]) writer.end();
    this.#stopTicking();
  }

  /** After closing, clients that do not read what is left are still cut off. */
  #stopTicking(): void {
    if (!this.#isClosed || this.#openWriters.size > 0) return;
    clearInterval(this.#tickTimer);
    this.#tickTimer = undefined;
  }

  /** @internal */
  onClosed(session: HttpSession): void {
    if (!this.#sessions.delete(session.id)) return;
    const opener = this.#openers.get(session);
    opener?.caller.sessions.release();
    opener?.request?.release();
    this.#emit({ kind: "sessionClosed", sessions: this.#sessions.size });
  }

  #resumeBudgetOf(caller: Caller): CallerResumeBudget {
    let budget = this.#resumeBudgets.get(caller);
    if (budget === undefined) {
      budget = new CallerResumeBudget(this.#resumeBudget);
      this.#resumeBudgets.set(caller, budget);
    }
    return budget;
  }

  #reply({
    call,
    headers,
    caller,
    isJsonOnly,
    retainedBody: request,
  }: HttpContext<A>): ResponseWriter {
    this.#admitting.delete(call);
    return new ResponseWriter(
      call,
      headers,
      this.#streamLimits,
      this.#openWriters,
      this.#unread,
      caller,
      isJsonOnly,
      request,
    );
  }

  /** Who is at the other end of a connection, as far as that can be told. */
  #keyOf(call: HttpCall): string | undefined {
    try {
      const key = this.#options.clientKey?.(call);
      if (typeof key === "string") return `key ${key}`;
    } catch (error) {
      this.#emit({ kind: "failed", error });
    }
    const { remoteAddress } = call;
    if (remoteAddress === undefined) return undefined;
    if (this.#lastAddress.address !== remoteAddress)
      this.#lastAddress = {
        address: remoteAddress,
        key: `address ${addressKey(remoteAddress)}`,
      };
    return this.#lastAddress.key;
  }

  async #route(connection: Caller, call: HttpCall): Promise<void> {
    let known: Caller | undefined;
    try {
      const target = this.#targetOf(call);
      if (target === undefined) return;
      const { path, headers } = target;
      let auth: A | undefined;
      if (this.#authenticator !== undefined) {
        const authentication = await this.#authenticator.authenticate(call);
        if (authentication.challenge !== undefined) {
          const {
            status,
            reason,
            headers: challenge,
          } = authentication.challenge;
          this.#refuse(call, { ...headers, ...challenge }, status, reason);
          return;
        }
        ({ auth } = authentication);
        known = this.#callers.of(`principal ${auth.principal}`);
      }
      const isJsonOnly =
        this.#options.jsonOnlyClients === true && !acceptedBy(call).stream;
      const caller = known ?? connection;
      await this.#admit({
        call,
        path,
        headers,
        auth,
        caller,
        connection,
        isJsonOnly,
      });
    } catch (error) {
      this.#emit({ kind: "failed", error });
      // As if the client had gone: nothing may be held for this request any more.
      call.onDisconnect?.();
      call.onDisconnect = undefined;
      call.respond(
        500,
        ERROR_HEADERS,
        encodeErrorResponse(
          STANDARD_ERROR_CODES.INTERNAL_ERROR,
          "Internal error",
        ),
      );
    } finally {
      known?.release();
      this.#admitting.delete(call);
      connection.admissions.release();
      connection.release();
    }
  }

  /** What a request is for, by its headers alone; undefined if it was answered. */
  #targetOf(
    call: HttpCall,
  ): { readonly path: string; readonly headers: HeaderFields } | undefined {
    // RFC 9112, 3.2. What is in front of us may have looked at another one than we do.
    const repeated = call.repeatedHeader;
    if (repeated !== undefined) {
      this.#refuse(
        call,
        NO_HEADERS,
        400,
        `Bad Request: more than one ${repeated} header`,
      );
      return undefined;
    }
    const path = call.target.split("?", 1)[0] ?? "/";
    const refusal = this.#originCheck.refuse(call);
    if (refusal !== undefined) {
      this.#refuse(call, NO_HEADERS, 403, `Forbidden: ${refusal}`);
      return undefined;
    }
    const headers = this.#originCheck.corsHeaders(call) ?? NO_HEADERS;
    if (this.#refuseIfClosed(call, headers)) return undefined;
    this.#startTicking();
    if (call.method === "OPTIONS" && headers !== NO_HEADERS) {
      call.respond(204, {
        ...headers,
        ...this.#originCheck.preflightHeaders(call),
      });
      return undefined;
    }
    const document = this.#authenticator?.metadataDocumentAt(path);
    if (document !== undefined && call.method === "GET") {
      call.respond(200, { ...ERROR_HEADERS, ...headers }, document);
      return undefined;
    }
    if (!this.#servesPath(path)) {
      this.#refuse(call, headers, 404, "there is no such path here");
      return undefined;
    }
    if (this.#unread.isFull && call.method !== "DELETE") {
      this.#refuseBusy(call, headers);
      return undefined;
    }
    return { path, headers };
  }

  #admit(context: HttpContext<A>): Promise<void> {
    const { call, headers, caller } = context;
    if (call.method === "DELETE") return this.#handleDelete(context);
    if (
      !caller.openResponses.canAcquire(this.#maxOpen) ||
      !caller.unreadBytes.canAcquire(this.#unread.max)
    )
      this.#refuseBusy(call, headers);
    else if (call.method === "POST") return this.#handlePost(context);
    else if (call.method === "GET") return this.#handleGet(context);
    else this.#refuseMethod(context);
    return RESOLVED;
  }

  #servesPath(path: string): boolean {
    const { path: servedPath } = this.#options;
    if (path === this.#ssePaths?.path || path === this.#ssePaths?.messages)
      return true;
    // Where clients look for documents that we do not have.
    return servedPath === undefined
      ? !path.startsWith("/.well-known/")
      : path === servedPath;
  }

  async #handlePost(context: HttpContext<A>): Promise<void> {
    const { call, headers, auth } = context;
    if (!JSON_TYPE.test(call.header("content-type") ?? "")) {
      this.#refuse(call, headers, 415, "Content-Type must be application/json");
      return;
    }
    const isSsePost = context.path === this.#ssePaths?.messages;
    if (
      !isSsePost &&
      !(
        acceptedBy(call).json &&
        (context.isJsonOnly || acceptedBy(call).stream)
      )
    ) {
      this.#refuse(
        call,
        headers,
        406,
        "Accept must list application/json and text/event-stream",
      );
      return;
    }
    const parsed = await this.#readBody(context);
    if (parsed === undefined) return;
    // Others may have taken the last places while the body arrived.
    if (!context.caller.openResponses.canAcquire(this.#maxOpen)) {
      this.#refuseBusy(call, headers);
      return;
    }
    if (parsed.kind === "invalid") {
      this.#refuseInvalid(context, parsed, await this.#versionOf(context));
      return;
    }
    const value: unknown = (parsed as { readonly message: unknown }).message;
    if (auth !== undefined) {
      const challenge = this.#authenticator?.missingScopes(
        auth,
        messagesIn(value),
      );
      if (challenge !== undefined) {
        this.#refuse(
          call,
          { ...headers, ...challenge.headers },
          challenge.status,
          challenge.reason,
        );
        return;
      }
    }
    if (isSsePost) {
      this.#postToSse(context, value);
      return;
    }
    const shared = await this.#sharedServer();
    if (this.#refuseIfClosed(call, headers)) return;
    const stateless = shared.revisions.filter(({ isStateless }) => isStateless);
    const version = call.header("mcp-protocol-version");
    const isStateless =
      stateless.length > 0 &&
      (metaVersionOf(value) !== undefined ||
        stateless.length === shared.revisions.length ||
        stateless.some((revision) => revision.version === version));
    if (isStateless)
      await this.#postStateless(context, value, shared, stateless);
    else if (this.#options.sessions === false)
      await this.#postSessionless(context, value, shared);
    else await this.#postInSession(context, value, shared);
  }

  /** The JSON value that was posted, or why there is none. Undefined if that was answered. */
  async #readBody(context: HttpContext<A>): Promise<Parsed | undefined> {
    const { call, headers, caller, connection } = context;
    const length = call.header("content-length");
    const maxBytes = this.#maxBodyBytes;
    if (length !== undefined && !/^\d+$/.test(length)) {
      this.#refuse(
        call,
        headers,
        400,
        "Bad Request: Content-Length is no number",
      );
      return undefined;
    }
    if (length !== undefined && Number(length) > maxBytes) {
      this.#refuse(
        call,
        headers,
        413,
        `a body must not have more than ${maxBytes} bytes`,
      );
      return undefined;
    }
    const arriving = this.#bodies.begin(connection);
    try {
      const body = await call.body(maxBytes, arriving);
      if (this.#refuseIfClosed(call, headers)) return undefined;
      if (arriving.isDropped) {
        this.#refuseBusy(call, headers);
        return undefined;
      }
      if (body === undefined) {
        this.#refuse(
          call,
          headers,
          413,
          `a body must not have more than ${maxBytes} bytes`,
        );
        return undefined;
      }
      if (body.length > MAX_UNCOUNTED_BODY_BYTES) {
        if (!caller.requestBytes.canAcquire(this.#maxTotalBodyBytes)) {
          this.#refuseBusy(call, headers);
          return undefined;
        }
        context.retainedBody = new RetainedBody(caller, body.length);
      }
      const { maxDepth = DEFAULT_MAX_DEPTH } = this.#options;
      return parseMessage(body, { classify: acceptAnyJson, maxDepth });
    } catch {
      // It broke off: nobody is there any more to be told.
      call.respond(400, ERROR_HEADERS);
      return undefined;
    } finally {
      arriving.end();
    }
  }

  /** MCP 2026-07-28, Streamable HTTP: one message, which stands for itself. */
  async #postStateless(
    context: HttpContext<A>,
    value: unknown,
    server: AnyServer,
    revisions: readonly Revision[],
  ): Promise<void> {
    const { call, headers } = context;
    const metaVersion = metaVersionOf(value);
    const revision =
      revisions.find(({ version }) => version === metaVersion) ??
      newestRevision(revisions);
    const parsed = classifyMessage(value, { classify: revision.classify });
    const isRequest =
      parsed.kind === "request" || isRequestWithInvalidParams(parsed);
    if (!isRequest && parsed.kind === "invalid") {
      this.#refuseInvalid(context, parsed, revision.version);
      return;
    }
    if (!isRequest && parsed.kind !== "notification") {
      this.#refuse(
        call,
        headers,
        400,
        "Invalid Request: clients send no responses in this revision",
      );
      return;
    }
    // MCP 2026-07-28, subscriptions: its answer is a stream from its first message on.
    if (context.isJsonOnly && methodOf(value) === "subscriptions/listen") {
      const { id } = value as PostedRequest;
      this.#refuse(call, headers, 406, STREAM_NOT_ACCEPTED, undefined, id);
      return;
    }
    if (isRequest) {
      const mismatch = await this.#findHeaderMismatch(
        context,
        value as PostedRequest,
        server,
        revisions,
      );
      if (mismatch !== undefined) {
        const { code, message, data } = mismatch;
        const { id } = value as PostedRequest;
        this.#refuse(call, headers, 400, message, code, id, data);
        return;
      }
    }
    const status = hasRequiredMeta(value) ? statusOf : statusOfIncompleteMeta;
    await this.#serveOnce(
      context,
      value,
      server,
      revision.version,
      isRequest,
      status,
    );
  }

  /** What is wrong with the headers of a request (MCP 2026-07-28, Streamable HTTP, Server Validation). */
  async #findHeaderMismatch(
    { call, auth }: HttpContext<A>,
    request: PostedRequest,
    server: AnyServer,
    revisions: readonly Revision[],
  ): Promise<ErrorObject | undefined> {
    const version = call.header("mcp-protocol-version");
    const metaVersion = metaVersionOf(request);
    if (typeof metaVersion !== "string") {
      // An older client shows its user no more than the error that it gets for this.
      if (version !== undefined || request.method === "initialize")
        return undefined;
      return headerMismatchError(
        `${HTTP_HEADERS.PROTOCOL_VERSION} is missing; this server speaks ${revisions.map(versionOf).join(", ")}`,
      );
    }
    const revision = revisions.find((item) => item.version === metaVersion);
    if (revision === undefined && metaVersion === version) {
      const supported = revisions.map(versionOf);
      return {
        code: STATELESS_ERROR_CODES.UNSUPPORTED_VERSION,
        message: `Unsupported protocol version; this server speaks ${supported.join(", ")}`,
        data: { supported, requested: truncate(metaVersion) },
      };
    }
    const pendingParams = this.#paramHeaders.forRequest(
      server,
      revision ?? newestRevision(revisions),
      request,
      {
        principal: auth?.principal,
      },
    );
    const params =
      pendingParams instanceof Promise ? await pendingParams : pendingParams;
    const reason = headerMismatch(
      (name) => call.header(name.toLowerCase()) ?? null,
      request,
      params,
    );
    return reason === undefined ? undefined : headerMismatchError(reason);
  }

  /** A stateful revision without sessions: as if the client had said before what it says in no request. */
  async #postSessionless(
    context: HttpContext<A>,
    value: unknown,
    server: AnyServer,
  ): Promise<void> {
    const stateful = server.revisions.filter(({ isStateless }) => !isStateless);
    const header = context.call.header("mcp-protocol-version");
    const isInitialize = methodOf(value) === "initialize";
    const version =
      header ??
      stateful.find((revision) => revision.version === BATCH_REVISION)
        ?.version ??
      newestRevision(stateful).version;
    const revision = stateful.find((item) => item.version === version);
    if (revision === undefined && !isInitialize) {
      this.#refuseVersion(context, version, stateful);
      return;
    }
    const { classify } = revision ?? newestRevision(stateful);
    const parsed = classifyMessage(value, { classify });
    const expectsResponse =
      parsed.kind === "request" ||
      isRequestWithInvalidParams(parsed) ||
      (parsed.kind === "batch" &&
        parsed.members.some(
          (member) => member.kind === "request" || member.kind === "invalid",
        ));
    if (parsed.kind === "invalid" && !expectsResponse) {
      this.#refuseInvalid(context, parsed, version);
      return;
    }
    await this.#serveOnce(
      context,
      value,
      server,
      isInitialize ? undefined : version,
      expectsResponse,
      () => 200,
    );
  }

  /** Serves a value by a connection of its own. */
  async #serveOnce(
    context: HttpContext<A>,
    value: unknown,
    server: AnyServer,
    version: string | undefined,
    expectsResponse: boolean,
    status: (code: number) => number,
  ): Promise<void> {
    const { call, headers, auth, caller, retainedBody: request } = context;
    if (this.#refuseIfClosed(call, headers)) return;
    const writer = this.#reply(context);
    const extra = new HttpExtra(
      call,
      writer,
      auth,
      auth?.principal,
      request ?? caller,
    );
    const state: { connection?: { close(): Promise<void> }; isOver: boolean } =
      {
        isOver: false,
      };
    const transport = new SingleRequestTransport(
      writer,
      value,
      extra,
      expectsResponse,
      status,
      () => {
        state.isOver = true;
        if (state.connection !== undefined)
          this.#connections.delete(state.connection);
      },
    );
    const connecting = server.connect(transport, version);
    // Most are answered by now.
    if (!state.isOver) {
      state.connection = {
        close: async () => {
          await (await connecting).close();
        },
      };
      this.#connections.add(state.connection);
    }
    await connecting;
  }

  async #postInSession(
    context: HttpContext<A>,
    value: unknown,
    shared: AnyServer,
  ): Promise<void> {
    const { call, auth, caller } = context;
    const id = call.header("mcp-session-id");
    if (id === undefined && methodOf(value) === "initialize") {
      await this.#openSession(context, value, shared);
      return;
    }
    const session = this.#findSession(context);
    if (session === undefined) return;
    session.post(call, this.#reply(context), value, {
      auth,
      principal: auth?.principal,
      counter: context.retainedBody ?? caller,
    });
  }

  /** The session that a request names, if it is there and its own. Undefined if that was answered. */
  #findSession(context: HttpContext<A>): HttpSession | undefined {
    const { call, headers, auth } = context;
    const id = call.header("mcp-session-id");
    if (id === undefined) {
      this.#refuse(
        call,
        headers,
        400,
        `Bad Request: ${HTTP_HEADERS.SESSION_ID} is missing; a session begins with initialize`,
      );
      return undefined;
    }
    const session = this.#sessions.get(id);
    // Another's session is as good as none.
    if (session === undefined || session.principal !== auth?.principal) {
      this.#refuse(
        call,
        headers,
        404,
        "Not Found: there is no such session, or it has ended",
      );
      return undefined;
    }
    const version = call.header("mcp-protocol-version");
    if (version === undefined || version === session.revision()) return session;
    const stateful = session.statefulVersions();
    if (stateful.includes(version)) return session;
    this.#refuse(
      call,
      headers,
      400,
      `Bad Request: ${HTTP_HEADERS.PROTOCOL_VERSION} is none of ${stateful.join(", ")}`,
    );
    return undefined;
  }

  async #openSession(
    context: HttpContext<A>,
    value: unknown,
    shared: AnyServer,
  ): Promise<void> {
    const { call, headers, auth, caller } = context;
    const { max = MAX_SESSIONS } = this.#sessionOptions;
    if (!caller.sessions.canAcquire(max)) {
      this.#refuseBusy(call, headers);
      return;
    }
    const session = new HttpSession(
      createSessionId(),
      auth?.principal,
      this,
      this.#resumeBudgetOf(caller),
    );
    caller.sessions.acquire();
    try {
      const { server: source } = this.#options;
      const server =
        typeof source === "function" ? await source({ auth }) : shared;
      if (this.#refuseIfClosed(call, headers)) return;
      const connection = await server.connect(session);
      if (this.#refuseIfClosed(call, headers)) {
        await session.close();
        return;
      }
      session.classifyMessage = (posted) => connection.classifyMessage(posted);
      session.revision = () => connection.revision;
      session.statefulVersions = () =>
        server.revisions
          .filter(({ isStateless }) => !isStateless)
          .map(versionOf);
      session.post(call, this.#reply(context), value, {
        auth,
        principal: auth?.principal,
        counter: context.retainedBody ?? caller,
      });
      if (!session.isInitialized) {
        await session.close();
        return;
      }
      this.#openers.set(session, { caller, request: context.retainedBody });
      context.retainedBody?.retain();
      this.#sessions.set(session.id, session);
      this.#emit({ kind: "sessionOpened", sessions: this.#sessions.size });
    } finally {
      if (!this.#openers.has(session)) caller.sessions.release();
    }
  }

  async #handleGet(context: HttpContext<A>): Promise<void> {
    const { call, headers } = context;
    if (!acceptedBy(call).stream) {
      this.#refuse(call, headers, 406, "Accept must list text/event-stream");
      return;
    }
    if (context.path === this.#ssePaths?.path) {
      await this.#openSse(context);
      return;
    }
    const shared = await this.#sharedServer();
    if (!this.#hasSessions(shared)) {
      this.#refuseMethod(context);
      return;
    }
    this.#findSession(context)?.listen(
      this.#reply(context),
      call.header("last-event-id"),
    );
  }

  async #handleDelete(context: HttpContext<A>): Promise<void> {
    if (!this.#hasSessions(await this.#sharedServer())) {
      this.#refuseMethod(context);
      return;
    }
    const session = this.#findSession(context);
    if (session === undefined) return;
    await session.close();
    context.call.respond(204, context.headers);
  }

  #hasSessions(server: AnyServer): boolean {
    return (
      this.#options.sessions !== false &&
      server.revisions.some(({ isStateless }) => !isStateless)
    );
  }

  /** MCP 2024-11-05, HTTP with SSE: the stream is the session. */
  async #openSse(context: HttpContext<A>): Promise<void> {
    const { call, headers, auth, caller } = context;
    const { max = MAX_SESSIONS } = this.#sessionOptions;
    if (!caller.sessions.canAcquire(max)) {
      this.#refuseBusy(call, headers);
      return;
    }
    const { server: source } = this.#options;
    const id = createSessionId();
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.#sseTransports.delete(id);
      caller.sessions.release();
    };
    caller.sessions.acquire();
    try {
      const server =
        typeof source === "function"
          ? await source({ auth })
          : await this.#sharedServer();
      if (this.#refuseIfClosed(call, headers)) return;
      const stream = new SseTransport(
        this.#reply(context),
        auth?.principal,
        over,
      );
      // From here on it is closed with all others.
      this.#sseTransports.set(id, stream);
      stream.sendEndpoint(`${this.#ssePaths?.messages ?? ""}?sessionId=${id}`);
      try {
        await server.connect(stream);
      } catch (error) {
        await stream.close();
        throw error;
      }
    } finally {
      if (!this.#sseTransports.has(id)) over();
    }
  }

  #postToSse(context: HttpContext<A>, value: unknown): void {
    const { call, headers, auth, caller, retainedBody: request } = context;
    const id = new URLSearchParams(call.target.split("?")[1]).get("sessionId");
    const stream = id === null ? undefined : this.#sseTransports.get(id);
    if (stream === undefined || stream.principal !== auth?.principal) {
      this.#refuse(
        call,
        headers,
        404,
        "Not Found: there is no such session, or it has ended",
      );
      return;
    }
    // All answers go over one stream, which may take no more.
    if (stream.writer.unreadBytes > this.#unread.max / MAX_FULL_STREAMS) {
      this.#refuseBusy(call, headers);
      return;
    }
    if (request !== undefined && methodOf(value) === "initialize") {
      if (stream.initializeBody !== undefined) {
        this.#refuseBusy(call, headers);
        return;
      }
      stream.initializeBody = request;
      request.retain();
    }
    call.respond(202, headers);
    stream.handlePosted(
      value,
      new HttpExtra(
        call,
        stream.writer,
        auth,
        auth?.principal,
        request ?? caller,
      ),
    );
  }

  /** The server of all requests that belong to no session. */
  #sharedServer(): AnyServer | Promise<AnyServer> {
    if (this.#cachedServer === undefined) {
      const { server: source } = this.#options;
      const made =
        typeof source === "function" ? source({ auth: undefined }) : source;
      this.#cachedServer = made;
      if (isPromiseLike(made)) {
        made.then(
          (server) => (this.#cachedServer = server),
          // Another request may have more luck.
          () => (this.#cachedServer = undefined),
        );
      }
    }
    return this.#cachedServer;
  }

  #startTicking(): void {
    if (this.#tickTimer !== undefined) return;
    const idle = this.#sessionOptions.idleTimeout ?? IDLE_TIMEOUT_MS;
    this.#tickTimer = setInterval(
      () => {
        this.#tick();
      },
      Math.min(
        TICK_MS,
        this.#streamLimits.keepAlive,
        this.#streamLimits.stallTimeout,
        this.#streamLimits.streamAfter,
        idle,
      ),
    );
    // In Node a timer would keep the process alive.
    (this.#tickTimer as unknown as { unref?: () => void }).unref?.();
  }

  #tick(): void {
    const now = Date.now();
    for (const writer of [...this.#openWriters]) writer.tick(now);
    this.#stopTicking();
    const { idleTimeout = IDLE_TIMEOUT_MS } = this.#sessionOptions;
    for (const session of [...this.#sessions.values()]) {
      const allowed = session.hasBeenUsed
        ? idleTimeout
        : Math.min(idleTimeout, FIRST_USE_TIMEOUT_MS);
      if (now - session.lastUsedAt > allowed && !session.isAttached)
        void session.close();
    }
  }

  #refuseVersion(
    { call, headers }: HttpContext<A>,
    version: string,
    revisions: readonly Revision[],
  ): void {
    this.#refuse(
      call,
      headers,
      400,
      `Bad Request: ${HTTP_HEADERS.PROTOCOL_VERSION} is ${truncate(version)}, none of ${revisions.map(versionOf).join(", ")}`,
    );
  }

  #refuseMethod({ call, headers }: HttpContext<A>): void {
    this.#refuse(
      call,
      { ...headers, allow: "POST, GET, DELETE" },
      405,
      "Method Not Allowed",
    );
  }

  /** Whether the handler has been closed, be it while something was waited for; then that is the answer. */
  #refuseIfClosed(call: HttpCall, headers: HeaderFields): boolean {
    if (this.#isClosed)
      this.#refuse(call, headers, 503, "the server is shutting down");
    return this.#isClosed;
  }

  /** The revision that a request is in, as far as its headers say: that of its session, or the newest where they do not. */
  async #versionOf({ call, path }: HttpContext<A>): Promise<string> {
    if (path === this.#ssePaths?.messages) return SSE_REVISION;
    const inSession = this.#sessions
      .get(call.header("mcp-session-id") ?? "")
      ?.revision();
    if (inSession !== undefined) return inSession;
    const { revisions } = await this.#sharedServer();
    const version = call.header("mcp-protocol-version");
    return (
      revisions.find((revision) => revision.version === version) ??
      newestRevision(revisions)
    ).version;
  }

  /** Answers what is no message as the endpoint does, with the id that the revision wants where none can be read. */
  #refuseInvalid(
    { call, headers }: HttpContext<A>,
    { errorResponse: answer, id, reason }: Invalid,
    version: string,
  ): void {
    // What must not be answered gets an error of the transport, which has no id.
    const answered =
      answer === undefined || unreadIdPolicy(version) === "absent"
        ? (id ?? undefined)
        : id;
    this.#refuse(
      call,
      headers,
      400,
      answer?.error.message ?? reason,
      answer?.error.code,
      answered,
    );
  }

  #refuseBusy(call: HttpCall, headers: HeaderFields): void {
    this.#refuse(
      call,
      { ...headers, "retry-after": "1" },
      503,
      "Server busy",
      SERVER_BUSY,
    );
  }

  /** Answers with an error response of the transport (MCP, Streamable HTTP: a response without an id). */
  #refuse(
    call: HttpCall,
    headers: HeaderFields,
    status: number,
    reason: string,
    code: number = STANDARD_ERROR_CODES.INVALID_REQUEST,
    id?: RequestId | null,
    data?: unknown,
  ): void {
    this.#emit({ kind: "refused", status, reason });
    const text = encodeErrorResponse(code, reason, id, data);
    if (text.length <= MAX_UNCOUNTED_REFUSAL_CHARS)
      call.respond(status, { ...ERROR_HEADERS, ...headers }, text);
    else {
      // It repeats an id that a client chose, and waits like any other answer.
      new ResponseWriter(
        call,
        headers,
        this.#streamLimits,
        this.#openWriters,
        this.#unread,
        this.#callers.of(undefined),
      ).sendJson(status, text);
    }
  }

  #emit(event: HttpEvent): void {
    notifyListener(this.#options.onEvent, event);
  }
}

/** A request that was posted. */
interface PostedRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params?: object;
}

function headerMismatchError(reason: string): ErrorObject {
  return {
    code: STATELESS_ERROR_CODES.HEADER_MISMATCH,
    message: `Header mismatch: ${reason}`,
  };
}

const RESOLVED = Promise.resolve();

/** Characters of a refusal that is sent without being counted: a connection has one of them at a time. */
const MAX_UNCOUNTED_REFUSAL_CHARS = 4096;

const ERROR_HEADERS: HeaderFields = { "content-type": "application/json" };

/** Every JSON value counts as a message until it is known which revision it belongs to. */
const acceptAnyJson = (
  value: unknown,
): { kind: "notification"; message: Notification } => ({
  kind: "notification",
  message: value as Notification,
});

/** The version in a request's `_meta`; undefined if there is none. */
function metaVersionOf(value: unknown): unknown {
  return metaIn(value)?.[META_KEYS.VERSION];
}

function metaIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const params = isObject(value)
    ? (value as { readonly params?: unknown }).params
    : undefined;
  const meta = isObject(params)
    ? (params as { readonly _meta?: unknown })._meta
    : undefined;
  return isObject(meta)
    ? (meta as Readonly<Record<string, unknown>>)
    : undefined;
}

/** Whether what every request must bear is there (MCP 2026-07-28, Basic, `_meta`). */
function hasRequiredMeta(value: unknown): boolean {
  const meta = metaIn(value);
  return (
    typeof meta?.[META_KEYS.VERSION] === "string" &&
    isObject(meta[META_KEYS.CLIENT_CAPABILITIES])
  );
}

function isRequestWithInvalidParams(parsed: Parsed): boolean {
  return (
    parsed.kind === "invalid" &&
    parsed.code === "params" &&
    parsed.messageKind === "request" &&
    parsed.id !== null
  );
}

function methodOf(value: unknown): unknown {
  return isObject(value)
    ? (value as { readonly method?: unknown }).method
    : undefined;
}

/** The messages in what was posted, for the scopes that they need. */
function messagesIn(value: unknown): readonly AuthorizedMessage[] {
  return [value]
    .flat()
    .filter(
      (item): item is AuthorizedMessage => typeof methodOf(item) === "string",
    );
}

/** The status of an error response (MCP 2026-07-28, Streamable HTTP and Basic). */
function statusOf(code: number): number {
  switch (code) {
    case STANDARD_ERROR_CODES.METHOD_NOT_FOUND:
      return 404;
    case STANDARD_ERROR_CODES.PARSE_ERROR:
    case STANDARD_ERROR_CODES.INVALID_REQUEST:
    case STATELESS_ERROR_CODES.HEADER_MISMATCH:
    case STATELESS_ERROR_CODES.MISSING_CLIENT_CAPABILITY:
    case STATELESS_ERROR_CODES.UNSUPPORTED_VERSION:
      return 400;
    case SERVER_BUSY:
      return 503;
    default:
      return 200;
  }
}

/** The same for a request without the `_meta` that it must bear. */
function statusOfIncompleteMeta(code: number): number {
  return code === STANDARD_ERROR_CODES.INVALID_PARAMS ? 400 : statusOf(code);
}

/** Which answers a client takes. */
interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/** Of the last `Accept` header: nearly all clients send one and the same. */
let lastAccept: string | undefined;
let lastAccepted: Accepted = { json: true, stream: true };

function acceptedBy(call: HttpCall): Accepted {
  const accept = call.header("accept");
  if (accept !== lastAccept) {
    lastAccepted = {
      json: acceptsType(accept, "application/json"),
      stream: acceptsType(accept, "text/event-stream"),
    };
    lastAccept = accept;
  }
  return lastAccepted;
}

/** Whether a header accepts a type: what its most specific range says that fits (RFC 9110, 12.5.1). */
function acceptsType(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true;
  const family = type.slice(0, type.indexOf("/") + 1);
  let specificity = 0;
  let isAccepted = false;
  for (const item of accept.split(",")) {
    const end = item.indexOf(";");
    const range = (end < 0 ? item : item.slice(0, end)).trim().toLowerCase();
    const fit =
      range === type ? 3 : range === `${family}*` ? 2 : range === "*/*" ? 1 : 0;
    if (fit === 0 || fit < specificity) continue;
    const isRefused =
      end >= 0 && /;[ \t]*q=0(?:\.0*)?[ \t]*(?:;|$)/i.test(item);
    // Of two that are as specific, the one that accepts it counts.
    isAccepted = (fit === specificity && isAccepted) || !isRefused;
    specificity = fit;
  }
  return isAccepted;
}

/** 32 characters that nobody can guess. */
function createSessionId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
