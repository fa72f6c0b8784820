import { isPromise, SERVER_BUSY } from "./endpoint.js";
import { STANDARD_ERROR_CODES } from "./error-codes.js";
import { Gate } from "./http-auth.js";
import type { Auth, AuthorizedMessage, Authorization } from "./http-auth.js";
import {
  Bodies,
  MAX_UNCOUNTED_BODY_BYTES,
  RequestBytes,
} from "./http-bodies.js";
import { HttpExtra, NO_HEADERS, Reply } from "./http-call.js";
import type { HeaderFields, HttpCall, StreamRules } from "./http-call.js";
import { addressKey, Callers } from "./http-callers.js";
import type { Caller } from "./http-callers.js";
import { Guard } from "./http-guard.js";
import type { GuardOptions } from "./http-guard.js";
import { headerMismatch, HTTP_HEADERS } from "./http-headers.js";
import { OneShot } from "./http-one-shot.js";
import { ParamHeaders } from "./http-params.js";
import { CallerResumeBudget, ResumeBudget } from "./http-resume.js";
import { errorText, HttpSession, NO_STREAM } from "./http-session.js";
import type { ResumeRules, SessionHost } from "./http-session.js";
import { LegacyStream } from "./http-sse.js";
import { UnreadBudget } from "./http-unread.js";
import { webFetch } from "./http-web.js";
import type { ErrorObject, Notification, RequestId } from "./message.js";
import {
  DEFAULT_MAX_DEPTH,
  isObject,
  judgeValue,
  parseMessage,
} from "./parse.js";
import type { Invalid, Parsed } from "./parse.js";
import { tell } from "./receive.js";
import {
  cut,
  META,
  MODERN_ERROR_CODES,
  newest,
  unreadIdIn,
  versionOf,
} from "./revision.js";
import type { Revision } from "./revision.js";
import type { Server } from "./server.js";

/** What a server is made for. */
export interface Opening<A extends Auth = Auth> {
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
> extends GuardOptions {
  /**
   * The server, or what makes one: called for each session of a stateful revision, and once for all requests of stateless
   * ones. One server for all has one thing to notify.
   */
  readonly server:
    AnyServer | ((opening: Opening<A>) => AnyServer | Promise<AnyServer>);
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
interface Visit<A> {
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
  request?: RequestBytes;
}

const MI = 1024 * 1024;
const TICK = 5_000;
const IDLE_TIMEOUT = 30 * 60_000;
const MAX_SESSIONS = 10_000;
/** Milliseconds in which a session must be used once after it was opened. */
const FIRST_USE = 60_000;
/** So many streams of HTTP+SSE whose clients do not read fill the bytes that may wait. */
const MAX_STREAMS_FULL = 16;
const BATCHES = "2025-03-26";
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
  const handler = new Handler<A>(options);
  return {
    fetch: webFetch((call) => {
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

class Handler<A extends Auth> implements SessionHost {
  readonly resume: ResumeRules | undefined;
  readonly #resumeBudget: ResumeBudget;
  readonly #resumeBudgets = new WeakMap<Caller, CallerResumeBudget>();
  /** Requests that are not answered and have no reply yet. */
  readonly #admitting = new Set<HttpCall>();
  readonly #unread: UnreadBudget;
  readonly #options: HttpHandlerOptions<A>;
  readonly #guard: Guard;
  readonly #gate: Gate<A> | undefined;
  readonly #rules: StreamRules;
  readonly #callers = new Callers();
  readonly #maxTotalBodyBytes: number;
  readonly #bodies: Bodies;
  /** Behind a proxy, all requests come from one. */
  #lastAddress = { address: "", key: "" };
  readonly #sessions = new Map<string, HttpSession>();
  /** Who opened a session, and with what if that was large: the session keeps what the client says of itself. */
  readonly #openers = new WeakMap<
    HttpSession,
    { readonly caller: Caller; readonly request: RequestBytes | undefined }
  >();
  readonly #legacy = new Map<string, LegacyStream>();
  readonly #open = new Set<Reply>();
  readonly #connected = new Set<{ close(): Promise<void> }>();
  readonly #sse:
    { readonly path: string; readonly messages: string } | undefined;
  readonly #maxBodyBytes: number;
  readonly #maxOpen: number;
  readonly #params: ParamHeaders;
  #shared: AnyServer | Promise<AnyServer> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor(options: HttpHandlerOptions<A>) {
    const { resumability = {}, sse = false, authorize } = options;
    this.#options = options;
    this.#guard = new Guard(options);
    this.#gate =
      authorize === undefined
        ? undefined
        : new Gate(authorize, (error) => {
            this.#emit({ kind: "failed", error });
          });
    this.#rules = {
      maxBacklog: options.maxBacklog ?? MI,
      stallTimeout: options.stallTimeout ?? 30_000,
      keepAlive: options.keepAlive ?? 25_000,
      streamAfter: options.streamAfter ?? 15_000,
    };
    const { maxTotalBytes = 64 * MI, ...rules } =
      resumability === false ? {} : resumability;
    this.resume =
      resumability === false
        ? undefined
        : {
            maxEvents: rules.maxEvents ?? 256,
            maxBytes: rules.maxBytes ?? MI,
            retry: rules.retry ?? 1000,
          };
    this.#resumeBudget = new ResumeBudget(maxTotalBytes);
    this.#unread = new UnreadBudget(
      options.maxUnreadBytes ?? 256 * MI,
      this.#open,
    );
    if (sse !== false) {
      const { path = "/sse", messages = "/messages" } = sse === true ? {} : sse;
      this.#sse = { path, messages };
    }
    this.#maxBodyBytes = options.maxBodyBytes ?? 4 * MI;
    this.#maxOpen = options.maxOpen ?? 10_000;
    this.#maxTotalBodyBytes = options.maxTotalBodyBytes ?? 256 * MI;
    this.#bodies = new Bodies(this.#callers, this.#maxTotalBodyBytes);
    this.#params = new ParamHeaders();
  }

  get #sessionOptions(): SessionOptions {
    const { sessions = {} } = this.#options;
    return sessions === false ? {} : sessions;
  }

  get load(): { readonly sessions: number; readonly open: number } {
    return {
      sessions: this.#sessions.size + this.#legacy.size,
      open: this.#open.size,
    };
  }

  handle(call: HttpCall): void {
    const connection = this.#callers.of(this.#keyOf(call));
    if (!connection.visits.mayTake(this.#maxOpen)) {
      connection.release();
      this.#busy(call, NO_HEADERS);
      return;
    }
    connection.visits.take();
    this.#admitting.add(call);
    void this.#serve(connection, call);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#bodies.dropAll();
    // A hook or a factory that they wait for may never come back.
    for (const call of [...this.#admitting]) {
      this.#admitting.delete(call);
      this.#isRefusedByClosing(call, NO_HEADERS);
    }
    await Promise.all([...this.#connected].map((session) => session.close()));
    for (const session of [
      ...this.#sessions.values(),
      ...this.#legacy.values(),
    ])
      await session.close();
    for (const reply of [...this.#open]) reply.end();
    this.#stopTicking();
  }

  /** After closing, clients that do not read what is left are still cut off. */
  #stopTicking(): void {
    if (!this.#isClosed || this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** @internal */
  onClosed(session: HttpSession): void {
    if (!this.#sessions.delete(session.id)) return;
    const opener = this.#openers.get(session);
    opener?.caller.sessions.give();
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

  #reply({ call, headers, caller, isJsonOnly, request }: Visit<A>): Reply {
    this.#admitting.delete(call);
    return new Reply(
      call,
      headers,
      this.#rules,
      this.#open,
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

  async #serve(connection: Caller, call: HttpCall): Promise<void> {
    let known: Caller | undefined;
    try {
      const target = this.#targetOf(call);
      if (target === undefined) return;
      const { path, headers } = target;
      let auth: A | undefined;
      if (this.#gate !== undefined) {
        const admission = await this.#gate.admit(call);
        if (admission.challenge !== undefined) {
          const { status, reason, headers: challenge } = admission.challenge;
          this.#refuse(call, { ...headers, ...challenge }, status, reason);
          return;
        }
        ({ auth } = admission);
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
      call.onGone?.();
      call.onGone = undefined;
      call.respond(
        500,
        PLAIN_HEADERS,
        errorText(STANDARD_ERROR_CODES.INTERNAL_ERROR, "Internal error"),
      );
    } finally {
      known?.release();
      this.#admitting.delete(call);
      connection.visits.give();
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
    const refusal = this.#guard.refusal(call);
    if (refusal !== undefined) {
      this.#refuse(call, NO_HEADERS, 403, `Forbidden: ${refusal}`);
      return undefined;
    }
    const headers = this.#guard.corsHeaders(call) ?? NO_HEADERS;
    if (this.#isRefusedByClosing(call, headers)) return undefined;
    this.#startTicking();
    if (call.method === "OPTIONS" && headers !== NO_HEADERS) {
      call.respond(204, { ...headers, ...this.#guard.preflightHeaders(call) });
      return undefined;
    }
    const document = this.#gate?.documentAt(path);
    if (document !== undefined && call.method === "GET") {
      call.respond(200, { ...PLAIN_HEADERS, ...headers }, document);
      return undefined;
    }
    if (!this.#isServed(path)) {
      this.#refuse(call, headers, 404, "there is no such path here");
      return undefined;
    }
    if (this.#unread.isFull && call.method !== "DELETE") {
      this.#busy(call, headers);
      return undefined;
    }
    return { path, headers };
  }

  #admit(visit: Visit<A>): Promise<void> {
    const { call, headers, caller } = visit;
    if (call.method === "DELETE") return this.#delete(visit);
    if (
      !caller.open.mayTake(this.#maxOpen) ||
      !caller.unreadBytes.mayTake(this.#unread.max)
    )
      this.#busy(call, headers);
    else if (call.method === "POST") return this.#post(visit);
    else if (call.method === "GET") return this.#get(visit);
    else this.#notAllowed(visit);
    return DONE;
  }

  #isServed(path: string): boolean {
    const { path: own } = this.#options;
    if (path === this.#sse?.path || path === this.#sse?.messages) return true;
    // Where clients look for documents that we do not have.
    return own === undefined ? !path.startsWith("/.well-known/") : path === own;
  }

  async #post(visit: Visit<A>): Promise<void> {
    const { call, headers, auth } = visit;
    if (!JSON_TYPE.test(call.header("content-type") ?? "")) {
      this.#refuse(call, headers, 415, "Content-Type must be application/json");
      return;
    }
    const isLegacy = visit.path === this.#sse?.messages;
    if (
      !isLegacy &&
      !(acceptedBy(call).json && (visit.isJsonOnly || acceptedBy(call).stream))
    ) {
      this.#refuse(
        call,
        headers,
        406,
        "Accept must list application/json and text/event-stream",
      );
      return;
    }
    const parsed = await this.#read(visit);
    if (parsed === undefined) return;
    // Others may have taken the last places while the body arrived.
    if (!visit.caller.open.mayTake(this.#maxOpen)) {
      this.#busy(call, headers);
      return;
    }
    if (parsed.kind === "invalid") {
      this.#refuseInvalid(visit, parsed, await this.#versionOf(visit));
      return;
    }
    const value: unknown = (parsed as { readonly message: unknown }).message;
    if (auth !== undefined) {
      const challenge = this.#gate?.missingScopes(auth, messagesIn(value));
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
    if (isLegacy) {
      this.#postLegacy(visit, value);
      return;
    }
    const shared = await this.#sharedServer();
    if (this.#isRefusedByClosing(call, headers)) return;
    const stateless = shared.revisions.filter(({ isStateless }) => isStateless);
    const version = call.header("mcp-protocol-version");
    const isStateless =
      stateless.length > 0 &&
      (versionSaid(value) !== undefined ||
        stateless.length === shared.revisions.length ||
        stateless.some((revision) => revision.version === version));
    if (isStateless) await this.#postStateless(visit, value, shared, stateless);
    else if (this.#options.sessions === false)
      await this.#postAlone(visit, value, shared);
    else await this.#postInSession(visit, value, shared);
  }

  /** The JSON value that was posted, or why there is none. Undefined if that was answered. */
  async #read(visit: Visit<A>): Promise<Parsed | undefined> {
    const { call, headers, caller, connection } = visit;
    const length = call.header("content-length");
    const max = this.#maxBodyBytes;
    if (length !== undefined && !/^\d+$/.test(length)) {
      this.#refuse(
        call,
        headers,
        400,
        "Bad Request: Content-Length is no number",
      );
      return undefined;
    }
    if (length !== undefined && Number(length) > max) {
      this.#refuse(
        call,
        headers,
        413,
        `a body must not have more than ${max} bytes`,
      );
      return undefined;
    }
    const arriving = this.#bodies.begin(connection);
    try {
      const body = await call.body(max, arriving);
      if (this.#isRefusedByClosing(call, headers)) return undefined;
      if (arriving.isDropped) {
        this.#busy(call, headers);
        return undefined;
      }
      if (body === undefined) {
        this.#refuse(
          call,
          headers,
          413,
          `a body must not have more than ${max} bytes`,
        );
        return undefined;
      }
      if (body.length > MAX_UNCOUNTED_BODY_BYTES) {
        if (!caller.requestBytes.mayTake(this.#maxTotalBodyBytes)) {
          this.#busy(call, headers);
          return undefined;
        }
        visit.request = new RequestBytes(caller, body.length);
      }
      const { maxDepth = DEFAULT_MAX_DEPTH } = this.#options;
      return parseMessage(body, { classify: unjudged, maxDepth });
    } catch {
      // It broke off: nobody is there any more to be told.
      call.respond(400, PLAIN_HEADERS);
      return undefined;
    } finally {
      arriving.end();
    }
  }

  /** MCP 2026-07-28, Streamable HTTP: one message, which stands for itself. */
  async #postStateless(
    visit: Visit<A>,
    value: unknown,
    server: AnyServer,
    revisions: readonly Revision[],
  ): Promise<void> {
    const { call, headers } = visit;
    const said = versionSaid(value);
    const revision =
      revisions.find(({ version }) => version === said) ?? newest(revisions);
    const parsed = judgeValue(value, { classify: revision.classify });
    const isRequest =
      parsed.kind === "request" || isRequestButForParams(parsed);
    if (!isRequest && parsed.kind === "invalid") {
      this.#refuseInvalid(visit, parsed, revision.version);
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
    if (visit.isJsonOnly && methodOf(value) === "subscriptions/listen") {
      const { id } = value as Addressed;
      this.#refuse(call, headers, 406, NO_STREAM, undefined, id);
      return;
    }
    if (isRequest) {
      const fault = await this.#headerFault(
        visit,
        value as Addressed,
        server,
        revisions,
      );
      if (fault !== undefined) {
        const { code, message, data } = fault;
        const { id } = value as Addressed;
        this.#refuse(call, headers, 400, message, code, id, data);
        return;
      }
    }
    const status = isMetaComplete(value) ? statusOf : statusOfIncomplete;
    await this.#connect(
      visit,
      value,
      server,
      revision.version,
      isRequest,
      status,
    );
  }

  /** What is wrong with the headers of a request (MCP 2026-07-28, Streamable HTTP, Server Validation). */
  async #headerFault(
    { call, auth }: Visit<A>,
    request: Addressed,
    server: AnyServer,
    revisions: readonly Revision[],
  ): Promise<ErrorObject | undefined> {
    const version = call.header("mcp-protocol-version");
    const said = versionSaid(request);
    if (typeof said !== "string") {
      // An older client shows its user no more than the error that it gets for this.
      if (version !== undefined || request.method === "initialize")
        return undefined;
      return mismatch(
        `${HTTP_HEADERS.PROTOCOL_VERSION} is missing; this server speaks ${revisions.map(versionOf).join(", ")}`,
      );
    }
    const revision = revisions.find((item) => item.version === said);
    if (revision === undefined && said === version) {
      const supported = revisions.map(versionOf);
      return {
        code: MODERN_ERROR_CODES.UNSUPPORTED_VERSION,
        message: `Unsupported protocol version; this server speaks ${supported.join(", ")}`,
        data: { supported, requested: cut(said) },
      };
    }
    const asked = this.#params.of(
      server,
      revision ?? newest(revisions),
      request,
      {
        principal: auth?.principal,
      },
    );
    const params = asked instanceof Promise ? await asked : asked;
    const reason = headerMismatch(
      (name) => call.header(name.toLowerCase()) ?? null,
      request,
      params,
    );
    return reason === undefined ? undefined : mismatch(reason);
  }

  /** A stateful revision without sessions: as if the client had said before what it says in no request. */
  async #postAlone(
    visit: Visit<A>,
    value: unknown,
    server: AnyServer,
  ): Promise<void> {
    const stateful = server.revisions.filter(({ isStateless }) => !isStateless);
    const header = visit.call.header("mcp-protocol-version");
    const isInitialize = methodOf(value) === "initialize";
    const version =
      header ??
      stateful.find((revision) => revision.version === BATCHES)?.version ??
      newest(stateful).version;
    const revision = stateful.find((item) => item.version === version);
    if (revision === undefined && !isInitialize) {
      this.#unsupported(visit, version, stateful);
      return;
    }
    const { classify } = revision ?? newest(stateful);
    const parsed = judgeValue(value, { classify });
    const isAnswered =
      parsed.kind === "request" ||
      isRequestButForParams(parsed) ||
      (parsed.kind === "batch" &&
        parsed.members.some(
          (member) => member.kind === "request" || member.kind === "invalid",
        ));
    if (parsed.kind === "invalid" && !isAnswered) {
      this.#refuseInvalid(visit, parsed, version);
      return;
    }
    await this.#connect(
      visit,
      value,
      server,
      isInitialize ? undefined : version,
      isAnswered,
      () => 200,
    );
  }

  /** Serves a value by a connection of its own. */
  async #connect(
    visit: Visit<A>,
    value: unknown,
    server: AnyServer,
    version: string | undefined,
    isAnswered: boolean,
    status: (code: number) => number,
  ): Promise<void> {
    const { call, headers, auth, caller, request } = visit;
    if (this.#isRefusedByClosing(call, headers)) return;
    const reply = this.#reply(visit);
    const extra = new HttpExtra(
      call,
      reply,
      auth,
      auth?.principal,
      request ?? caller,
    );
    const held: { connection?: { close(): Promise<void> }; isOver: boolean } = {
      isOver: false,
    };
    const transport = new OneShot(
      reply,
      value,
      extra,
      isAnswered,
      status,
      () => {
        held.isOver = true;
        if (held.connection !== undefined)
          this.#connected.delete(held.connection);
      },
    );
    const connecting = server.connect(transport, version);
    // Most are answered by now.
    if (!held.isOver) {
      held.connection = {
        close: async () => {
          await (await connecting).close();
        },
      };
      this.#connected.add(held.connection);
    }
    await connecting;
  }

  async #postInSession(
    visit: Visit<A>,
    value: unknown,
    shared: AnyServer,
  ): Promise<void> {
    const { call, auth, caller } = visit;
    const id = call.header("mcp-session-id");
    if (id === undefined && methodOf(value) === "initialize") {
      await this.#openSession(visit, value, shared);
      return;
    }
    const session = this.#sessionOf(visit);
    if (session === undefined) return;
    session.post(call, this.#reply(visit), value, {
      auth,
      principal: auth?.principal,
      counter: visit.request ?? caller,
    });
  }

  /** The session that a request names, if it is there and its own. Undefined if that was answered. */
  #sessionOf(visit: Visit<A>): HttpSession | undefined {
    const { call, headers, auth } = visit;
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
    const stateful = session.versions();
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
    visit: Visit<A>,
    value: unknown,
    shared: AnyServer,
  ): Promise<void> {
    const { call, headers, auth, caller } = visit;
    const { max = MAX_SESSIONS } = this.#sessionOptions;
    if (!caller.sessions.mayTake(max)) {
      this.#busy(call, headers);
      return;
    }
    const session = new HttpSession(
      sessionId(),
      auth?.principal,
      this,
      this.#resumeBudgetOf(caller),
    );
    caller.sessions.take();
    try {
      const { server: source } = this.#options;
      const server =
        typeof source === "function" ? await source({ auth }) : shared;
      if (this.#isRefusedByClosing(call, headers)) return;
      const connection = await server.connect(session);
      if (this.#isRefusedByClosing(call, headers)) {
        await session.close();
        return;
      }
      session.judge = (posted) => connection.judge(posted);
      session.revision = () => connection.revision;
      session.versions = () =>
        server.revisions
          .filter(({ isStateless }) => !isStateless)
          .map(versionOf);
      session.post(call, this.#reply(visit), value, {
        auth,
        principal: auth?.principal,
        counter: visit.request ?? caller,
      });
      if (!session.isOpen) {
        await session.close();
        return;
      }
      this.#openers.set(session, { caller, request: visit.request });
      visit.request?.retain();
      this.#sessions.set(session.id, session);
      this.#emit({ kind: "sessionOpened", sessions: this.#sessions.size });
    } finally {
      if (!this.#openers.has(session)) caller.sessions.give();
    }
  }

  async #get(visit: Visit<A>): Promise<void> {
    const { call, headers } = visit;
    if (!acceptedBy(call).stream) {
      this.#refuse(call, headers, 406, "Accept must list text/event-stream");
      return;
    }
    if (visit.path === this.#sse?.path) {
      await this.#openLegacy(visit);
      return;
    }
    const shared = await this.#sharedServer();
    if (!this.#hasSessions(shared)) {
      this.#notAllowed(visit);
      return;
    }
    this.#sessionOf(visit)?.listen(
      this.#reply(visit),
      call.header("last-event-id"),
    );
  }

  async #delete(visit: Visit<A>): Promise<void> {
    if (!this.#hasSessions(await this.#sharedServer())) {
      this.#notAllowed(visit);
      return;
    }
    const session = this.#sessionOf(visit);
    if (session === undefined) return;
    await session.close();
    visit.call.respond(204, visit.headers);
  }

  #hasSessions(server: AnyServer): boolean {
    return (
      this.#options.sessions !== false &&
      server.revisions.some(({ isStateless }) => !isStateless)
    );
  }

  /** MCP 2024-11-05, HTTP with SSE: the stream is the session. */
  async #openLegacy(visit: Visit<A>): Promise<void> {
    const { call, headers, auth, caller } = visit;
    const { max = MAX_SESSIONS } = this.#sessionOptions;
    if (!caller.sessions.mayTake(max)) {
      this.#busy(call, headers);
      return;
    }
    const { server: source } = this.#options;
    const id = sessionId();
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.#legacy.delete(id);
      caller.sessions.give();
    };
    caller.sessions.take();
    try {
      const server =
        typeof source === "function"
          ? await source({ auth })
          : await this.#sharedServer();
      if (this.#isRefusedByClosing(call, headers)) return;
      const stream = new LegacyStream(
        this.#reply(visit),
        auth?.principal,
        over,
      );
      // From here on it is closed with all others.
      this.#legacy.set(id, stream);
      stream.begin(`${this.#sse?.messages ?? ""}?sessionId=${id}`);
      try {
        await server.connect(stream);
      } catch (error) {
        await stream.close();
        throw error;
      }
    } finally {
      if (!this.#legacy.has(id)) over();
    }
  }

  #postLegacy(visit: Visit<A>, value: unknown): void {
    const { call, headers, auth, caller, request } = visit;
    const id = new URLSearchParams(call.target.split("?")[1]).get("sessionId");
    const stream = id === null ? undefined : this.#legacy.get(id);
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
    if (stream.reply.unread > this.#unread.max / MAX_STREAMS_FULL) {
      this.#busy(call, headers);
      return;
    }
    if (request !== undefined && methodOf(value) === "initialize") {
      if (stream.opening !== undefined) {
        this.#busy(call, headers);
        return;
      }
      stream.opening = request;
      request.retain();
    }
    call.respond(202, headers);
    stream.take(
      value,
      new HttpExtra(
        call,
        stream.reply,
        auth,
        auth?.principal,
        request ?? caller,
      ),
    );
  }

  /** The server of all requests that belong to no session. */
  #sharedServer(): AnyServer | Promise<AnyServer> {
    if (this.#shared === undefined) {
      const { server: source } = this.#options;
      const made =
        typeof source === "function" ? source({ auth: undefined }) : source;
      this.#shared = made;
      if (isPromise(made)) {
        made.then(
          (server) => (this.#shared = server),
          // Another request may have more luck.
          () => (this.#shared = undefined),
        );
      }
    }
    return this.#shared;
  }

  #startTicking(): void {
    if (this.#timer !== undefined) return;
    const idle = this.#sessionOptions.idleTimeout ?? IDLE_TIMEOUT;
    this.#timer = setInterval(
      () => {
        this.#tick();
      },
      Math.min(
        TICK,
        this.#rules.keepAlive,
        this.#rules.stallTimeout,
        this.#rules.streamAfter,
        idle,
      ),
    );
    // In Node a timer would keep the process alive.
    (this.#timer as unknown as { unref?: () => void }).unref?.();
  }

  #tick(): void {
    const now = Date.now();
    for (const reply of [...this.#open]) reply.tick(now);
    this.#stopTicking();
    const { idleTimeout = IDLE_TIMEOUT } = this.#sessionOptions;
    for (const session of [...this.#sessions.values()]) {
      const allowed = session.isConfirmed
        ? idleTimeout
        : Math.min(idleTimeout, FIRST_USE);
      if (now - session.usedAt > allowed && !session.isAttached)
        void session.close();
    }
  }

  #unsupported(
    { call, headers }: Visit<A>,
    version: string,
    revisions: readonly Revision[],
  ): void {
    this.#refuse(
      call,
      headers,
      400,
      `Bad Request: ${HTTP_HEADERS.PROTOCOL_VERSION} is ${cut(version)}, none of ${revisions.map(versionOf).join(", ")}`,
    );
  }

  #notAllowed({ call, headers }: Visit<A>): void {
    this.#refuse(
      call,
      { ...headers, allow: "POST, GET, DELETE" },
      405,
      "Method Not Allowed",
    );
  }

  /** Whether the handler has been closed, be it while something was waited for; then that is the answer. */
  #isRefusedByClosing(call: HttpCall, headers: HeaderFields): boolean {
    if (this.#isClosed)
      this.#refuse(call, headers, 503, "the server is shutting down");
    return this.#isClosed;
  }

  /** The revision that a request is in, as far as its headers say: that of its session, or the newest where they do not. */
  async #versionOf({ call, path }: Visit<A>): Promise<string> {
    if (path === this.#sse?.messages) return SSE_REVISION;
    const inSession = this.#sessions
      .get(call.header("mcp-session-id") ?? "")
      ?.revision();
    if (inSession !== undefined) return inSession;
    const { revisions } = await this.#sharedServer();
    const version = call.header("mcp-protocol-version");
    return (
      revisions.find((revision) => revision.version === version) ??
      newest(revisions)
    ).version;
  }

  /** Answers what is no message as the endpoint does, with the id that the revision wants where none can be read. */
  #refuseInvalid(
    { call, headers }: Visit<A>,
    { answer, id, reason }: Invalid,
    version: string,
  ): void {
    // What must not be answered gets an error of the transport, which has no id.
    const answered =
      answer === undefined || unreadIdIn(version) === "absent"
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

  #busy(call: HttpCall, headers: HeaderFields): void {
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
    const text = errorText(code, reason, id, data);
    if (text.length <= MAX_UNCOUNTED_REFUSAL)
      call.respond(status, { ...PLAIN_HEADERS, ...headers }, text);
    else {
      // It repeats an id that a client chose, and waits like any other answer.
      new Reply(
        call,
        headers,
        this.#rules,
        this.#open,
        this.#unread,
        this.#callers.of(undefined),
      ).json(status, text);
    }
  }

  #emit(event: HttpEvent): void {
    tell(this.#options.onEvent, event);
  }
}

/** A request that was posted. */
interface Addressed {
  readonly id: RequestId;
  readonly method: string;
  readonly params?: object;
}

function mismatch(reason: string): ErrorObject {
  return {
    code: MODERN_ERROR_CODES.HEADER_MISMATCH,
    message: `Header mismatch: ${reason}`,
  };
}

const DONE = Promise.resolve();

/** Characters of a refusal that is sent without being counted: a connection has one of them at a time. */
const MAX_UNCOUNTED_REFUSAL = 4096;

const PLAIN_HEADERS: HeaderFields = { "content-type": "application/json" };

/** Every JSON value counts as a message until it is known which revision it belongs to. */
const unjudged = (
  value: unknown,
): { kind: "notification"; message: Notification } => ({
  kind: "notification",
  message: value as Notification,
});

/** The version in a request's `_meta`; undefined if there is none. */
function versionSaid(value: unknown): unknown {
  return metaIn(value)?.[META.VERSION];
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
function isMetaComplete(value: unknown): boolean {
  const meta = metaIn(value);
  return (
    typeof meta?.[META.VERSION] === "string" &&
    isObject(meta[META.CLIENT_CAPABILITIES])
  );
}

function isRequestButForParams(parsed: Parsed): boolean {
  return (
    parsed.kind === "invalid" &&
    parsed.fault === "params" &&
    parsed.about === "request" &&
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
    case MODERN_ERROR_CODES.HEADER_MISMATCH:
    case MODERN_ERROR_CODES.MISSING_CLIENT_CAPABILITY:
    case MODERN_ERROR_CODES.UNSUPPORTED_VERSION:
      return 400;
    case SERVER_BUSY:
      return 503;
    default:
      return 200;
  }
}

/** The same for a request without the `_meta` that it must bear. */
function statusOfIncomplete(code: number): number {
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
      json: accepts(accept, "application/json"),
      stream: accepts(accept, "text/event-stream"),
    };
    lastAccept = accept;
  }
  return lastAccepted;
}

/** Whether a header accepts a type: what its most specific range says that fits (RFC 9110, 12.5.1). */
function accepts(accept: string | undefined, type: string): boolean {
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
function sessionId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
