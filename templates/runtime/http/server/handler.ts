import { SSE_VERSION } from "../../protocol/version-rules.js";
import { methodOf } from "../../jsonrpc/envelope.js";
import { STANDARD_ERROR_CODES } from "../../jsonrpc/error-codes.js";
import { DEFAULT_MAX_DEPTH } from "../../jsonrpc/scan.js";
import { newestRevision } from "../../protocol/revision.js";
import { acceptedBy } from "./accept.js";
import { Authenticator } from "./auth.js";
import type { Auth, AuthorizedMessage } from "./auth.js";
import { NO_HEADERS } from "./call.js";
import type { HeaderFields, HttpCall } from "./call.js";
import { addressKey, Callers } from "./callers.js";
import type { Caller } from "./callers.js";
import { metaVersionOf } from "./context.js";
import type { HttpContext } from "./context.js";
import { encodeErrorResponse, ERROR_HEADERS } from "./error-response.js";
import type { ClusterNode, JoinableCluster } from "./cluster/cluster-node.js";
import type { ForwardedCall } from "./cluster/forwarded-call.js";
import type { CallMessage } from "./cluster/wire.js";
import { HealthChecks } from "./health.js";
import { OriginCheck } from "./origin.js";
import { BodyReader } from "./read-body.js";
import type { ResponseWriter } from "./reply.js";
import { Responder } from "./responder.js";
import { ServerSource } from "./server-source.js";
import type { HttpSession } from "./session.js";
import { listenKeyOf } from "./session-stream.js";
import { SessionlessEndpoint } from "./sessionless.js";
import { Sessions } from "./sessions.js";
import { SingleRequests } from "./single-requests.js";
import { SseEndpoint } from "./sse-endpoint.js";
import { StatelessEndpoint } from "./stateless.js";
import type { AnyServer, DrainOptions, HttpHandlerOptions } from "./types.js";
import { UnreadBudget } from "./unread-budget.js";

const MIB = 1024 * 1024;
const TICK_MS = 5_000;
const DRAIN_TIMEOUT_MS = 30_000;
/** How often draining looks whether a handler still runs. */
const DRAIN_CHECK_MS = 25;
/** `application/json`, with or without parameters (RFC 9110, 8.3.1). */
const JSON_TYPE =
  /^application\/json[ \t]*(?:;[ \t]*(?:[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\]*")[ \t]*)?)*$/i;

/**
 * Routes each call to the endpoint that serves it.
 *
 * Every call is answered exactly once: by a refusal, by a writer, or by the `catch` of `#route`.
 * After `close` every new call is rejected, and the timer runs only while writers are open.
 */
export class HttpRequestHandler<A extends Auth> {
  readonly #options: HttpHandlerOptions<A>;
  readonly #originCheck: OriginCheck;
  readonly #authenticator: Authenticator<A> | undefined;
  readonly #callers: Callers;
  readonly #unread: UnreadBudget;
  readonly #responder: Responder;
  readonly #bodyReader: BodyReader;
  readonly #servers: ServerSource<A>;
  readonly #sessions: Sessions<A>;
  /** Undefined if this process serves its sessions alone. */
  readonly #cluster: ClusterNode<A> | undefined;
  readonly #sse: SseEndpoint<A> | undefined;
  readonly #singleRequests: SingleRequests;
  readonly #stateless: StatelessEndpoint;
  readonly #sessionless: SessionlessEndpoint;
  readonly #health: HealthChecks | undefined;
  /** Maximum of open requests of all processes. */
  readonly #allOpen: number;
  /** Behind a proxy, all requests come from one address. */
  #lastAddress = { address: "", key: "" };
  #tickTimer: ReturnType<typeof setInterval> | undefined;
  #draining: Promise<void> | undefined;

  constructor(options: HttpHandlerOptions<A>) {
    const {
      authorize,
      resumability = {},
      sessions = {},
      sse = false,
    } = options;
    this.#options = options;
    this.#allOpen = options.maxOpen ?? 10_000;
    this.#callers = new Callers(() => this.#cluster?.members.live ?? 1);
    this.#health = HealthChecks.from(options.health);
    this.#originCheck = new OriginCheck(options);
    this.#authenticator =
      authorize === undefined
        ? undefined
        : new Authenticator(authorize, (error) => {
            this.#responder.emit({ kind: "failed", error });
          });
    const openWriters = new Set<ResponseWriter>();
    this.#unread = new UnreadBudget(
      options.maxUnreadBytes ?? 256 * MIB,
      openWriters,
    );
    const responder = new Responder(
      {
        maxBacklog: options.maxBacklog ?? MIB,
        stallTimeout: options.stallTimeout ?? 30_000,
        keepAlive: options.keepAlive ?? 25_000,
        streamAfter: options.streamAfter ?? 15_000,
      },
      openWriters,
      this.#unread,
      this.#callers,
      options.onEvent,
    );
    this.#responder = responder;
    this.#bodyReader = new BodyReader(responder, this.#callers, {
      maxBodyBytes: options.maxBodyBytes ?? 4 * MIB,
      maxTotalBodyBytes: options.maxTotalBodyBytes ?? 256 * MIB,
      maxDepth: options.maxDepth ?? DEFAULT_MAX_DEPTH,
    });
    this.#servers = new ServerSource(options.server);
    this.#cluster = this.#joinCluster(responder);
    this.#sessions = new Sessions(
      responder,
      this.#servers,
      sessions === false ? {} : sessions,
      resumability,
      this.#cluster,
    );
    this.#sse =
      sse === false
        ? undefined
        : new SseEndpoint(
            responder,
            this.#servers,
            sse === true ? {} : sse,
            this.#sessions.max,
            this.#unread.max,
          );
    this.#singleRequests = new SingleRequests(responder);
    this.#stateless = new StatelessEndpoint(responder, this.#singleRequests);
    this.#sessionless = new SessionlessEndpoint(
      responder,
      this.#singleRequests,
    );
  }

  #joinCluster(responder: Responder): ClusterNode<A> | undefined {
    const { cluster, server } = this.#options;
    if (cluster === undefined) return undefined;
    if (typeof cluster.join !== "function")
      throw new TypeError("pass the cluster to joinCluster");
    return (cluster as JoinableCluster).join<A>({
      responder,
      unread: this.#unread,
      server: typeof server === "function" ? undefined : server,
      sessions: () => this.#sessions,
      serve: (message, call, accept) => {
        void this.#serveForwarded(message, call, accept);
      },
      resume: (context) => {
        void this.#resume(context);
      },
    });
  }

  /** Maximum of open requests of this process. */
  get #maxOpen(): number {
    const { live } = this.#cluster?.members ?? ALONE;
    return live === 1 ? this.#allOpen : Math.ceil(this.#allOpen / live);
  }

  get load(): { readonly sessions: number; readonly open: number } {
    return {
      sessions: this.#sessions.size + (this.#sse?.size ?? 0),
      open: this.#responder.openWriters.size,
    };
  }

  handle(call: HttpCall): void {
    if (this.#health?.answer(call, this.#isReady) === true) return;
    const connection = this.#callers.of(this.#keyOf(call));
    if (!connection.admissions.canAcquire(this.#maxOpen)) {
      connection.release();
      this.#responder.refuseBusy(call, NO_HEADERS);
      return;
    }
    connection.admissions.acquire();
    this.#responder.admit(call);
    void this.#route(connection, call);
  }

  /** New sessions go elsewhere, and there is room for what a response may leave unread. */
  get #isReady(): boolean {
    return !this.#responder.isDraining && !this.#unread.isFull;
  }

  drain({
    timeout = DRAIN_TIMEOUT_MS,
    beforeClose,
  }: DrainOptions = {}): Promise<void> {
    this.#draining ??= this.#drainFor(timeout, beforeClose);
    return this.#draining;
  }

  async #drainFor(
    timeout: number,
    beforeClose: DrainOptions["beforeClose"],
  ): Promise<void> {
    const until = Date.now() + timeout;
    this.#responder.drain();
    if (this.#cluster === undefined) this.#sessions.endListening();
    else this.#cluster.endListening(this.#sessions.resumeLimits?.retry);
    // A server that is still being connected may never be.
    void this.#singleRequests.endSubscriptions();
    let accepts = beforeClose !== undefined;
    for (;;) {
      if (this.#cluster !== undefined)
        await this.#sessions.handOverIdle(until - Date.now());
      if (this.#isIdle || Date.now() >= until) {
        if (!accepts) break;
        // Connections that were accepted before may still bring a request.
        accepts = false;
        const closing = beforeClose?.();
        if (this.#isIdle) await closing;
      }
      await new Promise((resolve) => setTimeout(resolve, DRAIN_CHECK_MS));
    }
    await this.close();
  }

  /** Whether closing would abort nothing. */
  get #isIdle(): boolean {
    return (
      this.#responder.isClosed ||
      (this.#responder.isIdle &&
        this.#responder.isRead &&
        this.#singleRequests.isIdle &&
        this.#sessions.isIdle &&
        this.#cluster?.isIdle !== false &&
        this.#sse?.isIdle !== false)
    );
  }

  async close(): Promise<void> {
    this.#bodyReader.dropAll();
    this.#responder.close();
    await this.#singleRequests.close();
    await this.#sessions.close();
    await this.#cluster?.close();
    await this.#sse?.close();
    for (const writer of [...this.#responder.openWriters]) writer.end();
    this.#stopTicking();
  }

  /** After closing, clients that do not read are still disconnected. */
  #stopTicking(): void {
    const { isClosed, openWriters } = this.#responder;
    if (!isClosed || openWriters.size > 0) return;
    clearInterval(this.#tickTimer);
    this.#tickTimer = undefined;
  }

  /** The key of the caller, as far as it is known. */
  #keyOf(call: HttpCall): string | undefined {
    try {
      const key = this.#options.clientKey?.(call);
      if (typeof key === "string") return `key ${key}`;
    } catch (error) {
      this.#responder.emit({ kind: "failed", error });
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
          this.#responder.refuse(
            call,
            { ...headers, ...challenge },
            status,
            reason,
          );
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
      this.#responder.emit({ kind: "failed", error });
      // As if the client had disconnected: nothing may be held for this request any more.
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
      this.#responder.endAdmission(call);
      connection.admissions.release();
      connection.release();
    }
  }

  /** The path and headers of a request; undefined if it was answered. */
  #targetOf(
    call: HttpCall,
  ): { readonly path: string; readonly headers: HeaderFields } | undefined {
    // RFC 9112, 3.2. A proxy in front of us may have read another one than we do.
    const repeated = call.repeatedHeader;
    if (repeated !== undefined) {
      this.#responder.refuse(
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
      this.#responder.refuse(call, NO_HEADERS, 403, `Forbidden: ${refusal}`);
      return undefined;
    }
    const headers = this.#originCheck.corsHeaders(call) ?? NO_HEADERS;
    if (this.#responder.refuseIfClosed(call, headers)) return undefined;
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
      this.#responder.refuse(call, headers, 404, "there is no such path here");
      return undefined;
    }
    if (this.#unread.isFull && call.method !== "DELETE") {
      this.#responder.refuseBusy(call, headers);
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
      this.#responder.refuseBusy(call, headers);
    else if (call.method === "POST") return this.#handlePost(context);
    else if (call.method === "GET") return this.#handleGet(context);
    else this.#responder.refuseMethod(context);
    return RESOLVED;
  }

  #servesPath(path: string): boolean {
    const { path: servedPath } = this.#options;
    if (path === this.#sse?.path || path === this.#sse?.messagesPath)
      return true;
    // Paths at which clients look for documents that we do not have.
    return servedPath === undefined
      ? !path.startsWith("/.well-known/")
      : path === servedPath;
  }

  async #handlePost(context: HttpContext<A>): Promise<void> {
    const { call, headers, auth } = context;
    if (!JSON_TYPE.test(call.header("content-type") ?? "")) {
      this.#responder.refuse(
        call,
        headers,
        415,
        "Content-Type must be application/json",
      );
      return;
    }
    const sse =
      context.path === this.#sse?.messagesPath ? this.#sse : undefined;
    if (
      sse === undefined &&
      !(
        acceptedBy(call).json &&
        (context.isJsonOnly || acceptedBy(call).stream)
      )
    ) {
      this.#responder.refuse(
        call,
        headers,
        406,
        "Accept must list application/json and text/event-stream",
      );
      return;
    }
    const parsed = await this.#bodyReader.read(context);
    if (parsed === undefined) return;
    // Other requests may have reached the limit while the body arrived.
    if (!context.caller.openResponses.canAcquire(this.#maxOpen)) {
      this.#responder.refuseBusy(call, headers);
      return;
    }
    if (parsed.kind === "invalid") {
      this.#responder.refuseInvalid(
        context,
        parsed,
        await this.#versionOf(context),
      );
      return;
    }
    const { value } = parsed;
    if (auth !== undefined) {
      const challenge = this.#authenticator?.missingScopes(
        auth,
        messagesIn(value),
      );
      if (challenge !== undefined) {
        this.#responder.refuse(
          call,
          { ...headers, ...challenge.headers },
          challenge.status,
          challenge.reason,
        );
        return;
      }
    }
    if (sse !== undefined) {
      sse.post(context, value);
      return;
    }
    const shared = await this.#servers.shared();
    if (this.#responder.refuseIfClosed(call, headers)) return;
    const stateless = shared.revisions.filter(({ isStateless }) => isStateless);
    const version = call.header("mcp-protocol-version");
    const isStateless =
      stateless.length > 0 &&
      (metaVersionOf(value) !== undefined ||
        stateless.length === shared.revisions.length ||
        stateless.some((revision) => revision.version === version));
    if (isStateless)
      await this.#stateless.post(context, value, shared, stateless);
    else if (this.#options.sessions === false)
      await this.#sessionless.post(context, value, shared);
    else if (this.#sessions.opens(context, value))
      await this.#openSession(context, value);
    else {
      const session = await this.#findSession(context, value);
      if (session !== undefined) this.#sessions.post(session, context, value);
    }
  }

  #openSession(context: HttpContext<A>, value: unknown): Promise<void> {
    return this.#cluster === undefined
      ? this.#sessions.open(context, value)
      : this.#cluster.guard(context, () => this.#sessions.open(context, value));
  }

  /** The session that a request names. Undefined if the request was answered, or another process answers it. */
  #findSession(
    context: HttpContext<A>,
    value?: unknown,
  ): HttpSession | undefined | Promise<HttpSession | undefined> {
    return this.#cluster === undefined
      ? this.#sessions.find(context)
      : this.#cluster.find(context, value);
  }

  /** Serves a call that another process has received, authorized and checked. */
  async #serveForwarded(
    { body, auth, isJsonOnly }: CallMessage,
    call: ForwardedCall,
    accept: (context: HttpContext<A>) => Promise<HttpSession | undefined>,
  ): Promise<void> {
    const caller = this.#callers.of(
      typeof auth?.["principal"] === "string"
        ? `principal ${auth["principal"]}`
        : this.#keyOf(call),
    );
    const context: HttpContext<A> = {
      call,
      path: call.target.split("?", 1)[0] ?? "/",
      // The process that is connected to the client adds them.
      headers: NO_HEADERS,
      auth: auth as A | undefined,
      caller,
      connection: caller,
      isJsonOnly,
    };
    this.#responder.admit(call);
    try {
      if (this.#responder.refuseIfClosed(call, NO_HEADERS)) return;
      this.#startTicking();
      const value =
        body === undefined ? undefined : (JSON.parse(body) as unknown);
      const session = await accept(context);
      if (session === undefined) return;
      if (call.method === "DELETE") await this.#deleteSession(session, context);
      else if (
        !caller.openResponses.canAcquire(this.#maxOpen) ||
        !caller.unreadBytes.canAcquire(this.#unread.max) ||
        !this.#bodyReader.retain(context, body?.length ?? 0)
      )
        this.#responder.refuseBusy(call, NO_HEADERS);
      else if (call.method === "GET") this.#listen(session, context);
      else this.#sessions.post(session, context, value);
    } catch (error) {
      this.#responder.emit({ kind: "failed", error });
      call.abort();
    } finally {
      this.#responder.endAdmission(call);
      caller.release();
    }
  }

  /** Serves a call that resumes a stream over the connection that it has. */
  async #resume(context: HttpContext<A>): Promise<void> {
    try {
      const session = await this.#findSession(context);
      if (session !== undefined) this.#listen(session, context);
    } catch (error) {
      this.#responder.emit({ kind: "failed", error });
      context.call.respond(500, NO_HEADERS);
    }
  }

  #listen(session: HttpSession, context: HttpContext<A>): void {
    session.listen(
      this.#responder.reply(context),
      context.call.header("last-event-id"),
    );
  }

  async #deleteSession(
    session: HttpSession,
    context: HttpContext<A>,
  ): Promise<void> {
    const remove = async (): Promise<void> => {
      await this.#sessions.delete(session);
      context.call.respond(204, context.headers);
    };
    await (this.#cluster === undefined
      ? remove()
      : this.#cluster.guard(context, remove));
  }

  async #handleGet(context: HttpContext<A>): Promise<void> {
    const { call, headers } = context;
    if (!acceptedBy(call).stream) {
      this.#responder.refuse(
        call,
        headers,
        406,
        "Accept must list text/event-stream",
      );
      return;
    }
    if (context.path === this.#sse?.path) {
      await this.#sse.open(context);
      return;
    }
    const shared = await this.#servers.shared();
    if (!this.#hasSessions(shared)) {
      this.#responder.refuseMethod(context);
      return;
    }
    const lastEventId = call.header("last-event-id");
    // A client that lost the connection of a running request may resume it.
    const resumesRequest =
      lastEventId !== undefined && listenKeyOf(lastEventId) === undefined;
    if (!resumesRequest && this.#responder.refuseIfDraining(call, headers))
      return;
    const session = await this.#findSession(context);
    if (session !== undefined) this.#listen(session, context);
  }

  async #handleDelete(context: HttpContext<A>): Promise<void> {
    if (!this.#hasSessions(await this.#servers.shared())) {
      this.#responder.refuseMethod(context);
      return;
    }
    const session = await this.#findSession(context);
    if (session !== undefined) await this.#deleteSession(session, context);
  }

  #hasSessions(server: AnyServer): boolean {
    return (
      this.#options.sessions !== false &&
      server.revisions.some(({ isStateless }) => !isStateless)
    );
  }

  #startTicking(): void {
    if (this.#tickTimer !== undefined) return;
    const { keepAlive, stallTimeout, streamAfter } =
      this.#responder.streamLimits;
    this.#tickTimer = setInterval(
      () => {
        this.#tick();
      },
      Math.min(
        TICK_MS,
        keepAlive,
        stallTimeout,
        streamAfter,
        this.#sessions.idleTimeout,
      ),
    );
    // In Node, a timer would keep the process alive.
    (this.#tickTimer as unknown as { unref?: () => void }).unref?.();
  }

  #tick(): void {
    const now = Date.now();
    for (const writer of [...this.#responder.openWriters]) writer.tick(now);
    this.#stopTicking();
    this.#sessions.closeIdle(now);
  }

  /** The revision of a request by its headers: that of its session, or the newest by default. */
  async #versionOf({ call, path }: HttpContext<A>): Promise<string> {
    if (path === this.#sse?.messagesPath) return SSE_VERSION;
    const inSession = this.#sessions.get(
      call.header("mcp-session-id") ?? "",
    )?.revision;
    if (inSession !== undefined) return inSession;
    const { revisions } = await this.#servers.shared();
    const version = call.header("mcp-protocol-version");
    return (
      revisions.find((revision) => revision.version === version) ??
      newestRevision(revisions)
    ).version;
  }
}

const RESOLVED = Promise.resolve();
const ALONE = { live: 1 };

/** The posted messages, for the scopes that they need. */
function messagesIn(value: unknown): readonly AuthorizedMessage[] {
  return [value]
    .flat()
    .filter((item): item is AuthorizedMessage => methodOf(item) !== undefined);
}
