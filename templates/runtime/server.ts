import {
  CapabilityError,
  UnsupportedMethodError,
} from "./jsonrpc/call-errors.js";
import {
  toResult,
  Endpoint,
  isPromiseLike,
  maxConcurrent,
  SERVER_BUSY,
} from "./jsonrpc/endpoint.js";
import type {
  CallOptions,
  EndpointOptions,
  InboundRequest,
} from "./jsonrpc/endpoint.js";
import { RpcError, STANDARD_ERROR_CODES } from "./jsonrpc/error-codes.js";
import type { Notification, Request, RequestId } from "./jsonrpc/message.js";
import { isObject } from "./jsonrpc/envelope.js";
import type { Classification, Parsed } from "./jsonrpc/parse.js";
import { RequestStateSigner } from "./protocol/request-state.js";
import type { RequestStateOptions } from "./protocol/request-state.js";
import {
  checkVendorNotifications,
  truncate,
  deriveCapabilities,
  maySend,
  META_KEYS,
  methodNotFoundError,
  missingCapability,
  STATELESS_ERROR_CODES,
  newestRevision,
  unknownNotificationListener,
  unreadIdPolicy,
  versionOf,
} from "./protocol/revision.js";
import type {
  Implementation,
  Revision,
  UnknownNotificationSettings,
} from "./protocol/revision.js";
import { counterOf, principalOf } from "./jsonrpc/transport.js";
import type { Transport } from "./jsonrpc/transport.js";
import type { Failure } from "./validation.js";

/** What a handler of a request is given beside the params. The generated `ServerContext` is the typed one. */
export interface HandlerContext {
  /** The request's id, as the client chose it. */
  readonly id: RequestId;
  readonly method: string;
  /** The revision that this request is spoken in. */
  readonly revision: string;
  readonly client: ClientInfo;
  /** Aborted when the client cancels the request or the connection ends. */
  readonly signal: AbortSignal;
  /** What was given to {@link requireInput} in the round before; undefined in the first. */
  readonly state: unknown;
  /** What the transport knows of the request beyond the message. */
  readonly extra: unknown;
  progress(
    this: void,
    progress: number,
    total?: number,
    message?: string,
  ): void;
  log(this: void, level: string, data: unknown, logger?: string): void;
  notify(this: void, method: string, params?: object): void;
  request(
    this: void,
    method: string,
    params?: object,
    options?: CallOptions,
  ): Promise<object>;
  sampling(this: void, params: object, options?: CallOptions): Promise<object>;
  elicitation(
    this: void,
    params: object,
    options?: CallOptions,
  ): Promise<object>;
  roots(this: void, params?: object, options?: CallOptions): Promise<object>;
  requireInput(
    this: void,
    requests: Readonly<Record<string, EmbeddedRequest>>,
    state?: unknown,
  ): Promise<Record<string, object>>;
}

/** A request for input: `method` and `params`, without an envelope. */
export interface EmbeddedRequest {
  readonly method: string;
  readonly params?: object | undefined;
}

/** What a client says of itself: once in a session, or with each request of a stateless revision. */
export interface ClientInfo {
  readonly info: Implementation | undefined;
  readonly capabilities: object;
}

/** A handler of requests, types aside. */
export type RequestHandler = (
  params: never,
  context: never,
) => object | Promise<object>;

/** A handler of notifications, types aside. */
export type NotificationHandler = (
  params: never,
  session: ServerSession,
) => void | Promise<void>;

/** What a server is made of, types aside. The generated `ServerOptions` are the typed ones. */
export interface ServerSettings
  extends EndpointOptions, UnknownNotificationSettings<ServerSession> {
  readonly info: Implementation;
  /** How to use the server, for the model. */
  readonly instructions?: string | undefined;
  /** What the handlers do not show, such as `{ tools: { listChanged: true } }`; `false` takes a capability away. */
  readonly capabilities?: object | undefined;
  readonly handlers: Readonly<Record<string, RequestHandler | undefined>>;
  readonly notifications?:
    Readonly<Record<string, NotificationHandler | undefined>> | undefined;
  /** Validates params before a handler sees them; on by default. */
  readonly validateParams?: boolean | undefined;
  /** Refuses requests between the answer to `initialize` and `notifications/initialized`. Off by default. */
  readonly strictLifecycle?: boolean | undefined;
  readonly requestState?: RequestStateOptions | undefined;
  /**
   * Resources that a client may be subscribed to at a time on one connection, where one with a URI above 1024 characters
   * counts once for each 1024; 10,000 by default. A further subscription is answered with `SERVER_BUSY`.
   */
  readonly maxSubscribedResources?: number | undefined;
}

/** Severities, the lowest first (RFC 5424). */
const LOG_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** Change notices, with the member of a subscription's filter that asks for each. */
const LIST_CHANGED_FILTERS: Readonly<Record<string, string>> = {
  "notifications/tools/list_changed": "toolsListChanged",
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
};

/** Notifications that belong to a request; a stateless revision has no others outside a subscription. */
const REQUEST_SCOPED_NOTIFICATIONS: ReadonlySet<string> = new Set([
  "notifications/progress",
  "notifications/message",
]);

/** What the connections of a server have in common. */
export interface ServerCore {
  readonly settings: ServerSettings;
  readonly revisions: readonly Revision[];
  readonly requestStateSigner: RequestStateSigner;
  /** What it declares in a revision: what its handlers show, and what the settings add or take away. */
  capabilities(revision: Revision): Record<string, unknown>;
  /** Whether it answers a request: there is a handler, or the runtime's own, and its capability is declared. */
  supportsRequest(revision: Revision, method: string): boolean;
}

/** What a server offers, whatever the connections to it: handlers, capabilities, revisions. */
export class Server<
  Notifications extends object = Record<string, object | undefined>,
> implements ServerCore {
  readonly settings: ServerSettings;
  readonly revisions: readonly Revision[];
  readonly requestStateSigner: RequestStateSigner;
  readonly #sessions = new Set<ServerSession>();
  readonly #declaredCapabilities = new Map<Revision, Record<string, unknown>>();
  readonly #supportedRequests = new Map<Revision, ReadonlySet<string>>();

  /**
   * @param revisions - All that it speaks; a client gets the one it asks for, or the newest.
   * @throws RangeError if there is none; TypeError if a handler is for a method that none of them has.
   */
  constructor(revisions: readonly Revision[], settings: ServerSettings) {
    if (revisions.length === 0)
      throw new RangeError("a server needs a revision");
    this.settings = settings;
    this.revisions = revisions;
    this.requestStateSigner = new RequestStateSigner(settings.requestState);
    for (const [kind, named] of [
      ["request", settings.handlers],
      ["notification", settings.notifications ?? {}],
    ] as const) {
      for (const method of Object.keys(named)) {
        if (
          revisions.some((revision) =>
            maySend(revision, "client", kind, method),
          )
        )
          continue;
        throw new TypeError(
          `no client sends ${method} as a ${kind}, in ${revisions.map(versionOf).join(", ")}`,
        );
      }
    }
    checkVendorNotifications(revisions, settings.vendorNotifications);
    for (const revision of revisions) {
      const declared = deriveCapabilities(
        revision,
        settings.handlers,
        settings.capabilities,
      );
      this.#declaredCapabilities.set(revision, declared);
      const served = Object.entries(revision.methods).filter(
        ([method, { capabilities }]) =>
          maySend(revision, "client", "request", method) &&
          (settings.handlers[method] !== undefined ||
            isBuiltIn(revision, method)) &&
          missingCapability(capabilities, "server", declared) === undefined,
      );
      this.#supportedRequests.set(
        revision,
        new Set(served.map(([method]) => method)),
      );
    }
  }

  get sessions(): ReadonlySet<ServerSession> {
    return this.#sessions;
  }

  capabilities(revision: Revision): Record<string, unknown> {
    return this.#declaredCapabilities.get(revision) ?? {};
  }

  supportsRequest(revision: Revision, method: string): boolean {
    return this.#supportedRequests.get(revision)?.has(method) === true;
  }

  /**
   * Serves one more connection. Resolves when its transport has started.
   *
   * @param negotiatedVersion - The revision that is spoken on it, where the transport knows: there is no `initialize` then.
   * @throws RangeError if the server does not speak it.
   */
  async connect(
    transport: Transport,
    negotiatedVersion?: string,
  ): Promise<ServerSession> {
    const session = new ServerSession(
      this,
      (closed) => this.#sessions.delete(closed),
      negotiatedVersion,
    );
    this.#sessions.add(session);
    try {
      await session.start(transport);
    } catch (error) {
      this.#sessions.delete(session);
      throw error;
    }
    return session;
  }

  /** Tells every client that wants to know: in a stateless revision those that have subscribed to it. */
  notify<M extends keyof Notifications & string>(
    method: M,
    params?: Notifications[M],
  ): void {
    for (const session of this.#sessions)
      session.notifyIfWanted(method, params as object | undefined);
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }
}

const DEFAULT_MAX_SUBSCRIBED_RESOURCES = 10_000;

/** What subscriptions to resources count against the limit of a connection. */
function subscriptionWeight(uris: unknown): number {
  if (!Array.isArray(uris)) return 0;
  return uris.reduce<number>(
    (sum, uri) => sum + 1 + Math.floor(String(uri).length / 1024),
    0,
  );
}

/** An open `subscriptions/listen`. */
interface OpenListen {
  readonly id: RequestId;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly end: () => void;
}

/** A server's side of one connection. */
export class ServerSession {
  readonly server: ServerCore;
  readonly #endpoint: Endpoint;
  #statefulRevisions: readonly Revision[];
  #statelessRevisions: readonly Revision[];
  #fallbackRevision: Revision;
  readonly #subscriptions = new Map<RequestId, OpenListen>();
  readonly #subscribedUris = new Set<string>();
  /** What the resources that the client is subscribed to count, of both kinds of revision. */
  #subscribedWeight = 0;
  /** Of the stateful session, once there is one. */
  #revision: Revision | undefined;
  #client: ClientInfo = { info: undefined, capabilities: {} };
  #isInitialized = false;
  #minLogLevel = 0;

  constructor(
    server: ServerCore,
    onClosed: (session: ServerSession) => void,
    negotiatedVersion?: string,
  ) {
    this.server = server;
    this.#statefulRevisions = server.revisions.filter(
      ({ isStateless }) => !isStateless,
    );
    this.#statelessRevisions = server.revisions.filter(
      ({ isStateless }) => isStateless,
    );
    this.#fallbackRevision = newestRevision(server.revisions);
    if (negotiatedVersion !== undefined) {
      const revision = findRevision(server.revisions, negotiatedVersion);
      this.#fallbackRevision = revision;
      if (revision.isStateless) this.#statefulRevisions = [];
      else {
        this.#statelessRevisions = [];
        this.#revision = revision;
        this.#isInitialized = true;
      }
    }
    this.#endpoint = new Endpoint(
      {
        classify: (value): Classification =>
          (this.#revision ?? this.#fallbackRevision).classify(value),
        // MCP 2025-03-26, lifecycle: until it is answered, nobody knows whether there are batches.
        refuseInBatch: (method) =>
          method === "initialize"
            ? "initialize must not be part of a batch"
            : undefined,
        unreadId: () =>
          unreadIdPolicy((this.#revision ?? this.#fallbackRevision).version),
        handleRequest: (request, inbound) =>
          this.#handleRequest(request, inbound),
        handleNotification: (notification) => {
          this.#handleNotification(notification);
        },
        handleInputEnd: () => {
          this.#endSubscriptions();
        },
        handleClose: () => {
          this.#subscriptions.clear();
          onClosed(this);
        },
      },
      server.settings,
    );
  }

  /** The revision of a stateful session; undefined before `initialize`, and with clients that speak a stateless one. */
  get revision(): string | undefined {
    return this.#revision?.version;
  }

  /** What the client said in `initialize`. */
  get client(): ClientInfo {
    return this.#client;
  }

  /** Resolves when the connection is over. */
  get closed(): Promise<void> {
    return this.#endpoint.closed;
  }

  /** How many requests are being handled, and how many of ours wait for an answer. */
  get inFlight(): { readonly inbound: number; readonly outbound: number } {
    return this.#endpoint.inFlight;
  }

  /** @internal What a value is, by the revision that is spoken by now. */
  classifyMessage(value: unknown): Parsed {
    return this.#endpoint.classifyMessage(value);
  }

  /** @internal */
  async start(transport: Transport): Promise<void> {
    await this.#endpoint.connect(transport);
  }

  /** Ends the connection: subscriptions get their answer first, all that is being handled is aborted. */
  async close(): Promise<void> {
    this.#endSubscriptions();
    // The answers are given when the handlers' promises have run their course.
    await Promise.resolve();
    await Promise.resolve();
    await this.#endpoint.close();
  }

  #endSubscriptions(): void {
    for (const { end } of [...this.#subscriptions.values()]) end();
  }

  /**
   * Sends a request to the client of a stateful session.
   *
   * @throws CapabilityError or UnsupportedMethodError, with nothing sent; or what {@link Endpoint.request} throws.
   */
  async request(
    method: string,
    params?: object,
    options?: CallOptions,
  ): Promise<object> {
    const revision = this.#revision;
    if (
      revision === undefined ||
      !maySend(revision, "server", "request", method)
    ) {
      throw new UnsupportedMethodError(
        method,
        this.revision ?? this.#fallbackRevision.version,
      );
    }
    const missing = missingCapability(
      capabilitiesNeededBy(
        method,
        params,
        revision.methods[method]?.capabilities ?? [],
        this.#client.capabilities,
      ),
      "client",
      this.#client.capabilities,
    );
    if (missing !== undefined) throw new CapabilityError(method, missing);
    const result = await this.#endpoint.request(method, params, options);
    const isTask =
      (params as { readonly task?: unknown } | undefined)?.task !== undefined;
    const outcome =
      isTask && revision.validateTaskResult !== undefined
        ? revision.validateTaskResult(method, result)
        : revision.validateResult(method, result);
    if (!outcome.success) throw invalidResultError(method, outcome.failure);
    return result;
  }

  /** Sends a notification to the client of a stateful session, wanted or not. */
  notify(method: string, params?: object): void {
    const revision = this.#revision;
    if (
      revision === undefined ||
      !maySend(revision, "server", "notification", method)
    ) {
      throw new UnsupportedMethodError(
        method,
        this.revision ?? this.#fallbackRevision.version,
      );
    }
    this.#endpoint.notify(method, params);
  }

  /** Sends a change notice if the client wants it. */
  notifyIfWanted(method: string, params?: object): void {
    for (const { id, filter } of this.#subscriptions.values()) {
      if (matchesFilter(filter, method, params))
        this.#notifySubscription(id, method, params);
    }
    const revision = this.#revision;
    if (
      revision === undefined ||
      !this.#isInitialized ||
      !maySend(revision, "server", "notification", method)
    )
      return;
    const needed = revision.methods[method]?.capabilities ?? [];
    if (
      missingCapability(
        needed,
        "server",
        this.server.capabilities(revision),
      ) !== undefined
    )
      return;
    const { uri, level } = (params ?? {}) as {
      readonly uri?: unknown;
      readonly level?: unknown;
    };
    if (
      method === "notifications/resources/updated" &&
      !this.#subscribedUris.has(String(uri))
    )
      return;
    if (
      method === "notifications/message" &&
      LOG_LEVELS.indexOf(String(level)) < this.#minLogLevel
    )
      return;
    this.#endpoint.notify(method, params);
  }

  #handleRequest(
    request: Request,
    inbound: InboundRequest,
  ): object | Promise<object> {
    const version = metaOf(request)?.[META_KEYS.VERSION];
    if (version !== undefined && this.#statelessRevisions.length > 0) {
      // What is no text names no version: then the params are wrong, and that is said.
      if (typeof version !== "string")
        return this.#dispatch(
          newestRevision(this.#statelessRevisions),
          request,
          inbound,
        );
      const revision = this.#statelessRevisions.find(
        (item) => item.version === version,
      );
      if (revision === undefined) throw this.#unsupportedVersion(version);
      return this.#dispatch(revision, request, inbound);
    }
    if (this.#revision !== undefined)
      return this.#handleInSession(this.#revision, request, inbound);
    return this.#handleBeforeInitialize(request, inbound);
  }

  /** MCP, lifecycle: before `initialize` there is only that, and `ping`. */
  #handleBeforeInitialize(
    request: Request,
    inbound: InboundRequest,
  ): object | Promise<object> {
    const { method } = request;
    if (this.#statefulRevisions.length === 0) {
      const only = newestRevision(this.#statelessRevisions);
      // An older client shows its user no more than this message.
      if (method === "initialize") {
        const { protocolVersion } = paramsOf(request);
        throw this.#unsupportedVersion(
          typeof protocolVersion === "string" ? protocolVersion : "unknown",
        );
      }
      return this.#dispatch(only, request, inbound);
    }
    if (method === "initialize")
      return this.#initialize(newestRevision(this.#statefulRevisions), request);
    if (method === "ping") return {};
    if (
      !this.#statefulRevisions.some((revision) =>
        maySend(revision, "client", "request", method),
      )
    ) {
      const only = this.#statelessRevisions.find((revision) =>
        maySend(revision, "client", "request", method),
      );
      if (only === undefined) throw methodNotFoundError(method);
      return this.#dispatch(only, request, inbound);
    }
    throw new RpcError(
      STANDARD_ERROR_CODES.INVALID_REQUEST,
      `Invalid Request: ${method} before initialize`,
    );
  }

  /** MCP, version negotiation: the version asked for if it is spoken here, else the newest that is. */
  #initialize(latest: Revision, request: Request): object {
    const params = paramsOf(request);
    const revision =
      this.#statefulRevisions.find(
        ({ version }) => version === params["protocolVersion"],
      ) ?? latest;
    this.#validate(revision, request);
    this.#revision = revision;
    this.#client = {
      info: params["clientInfo"] as Implementation | undefined,
      capabilities: params["capabilities"] as object,
    };
    const { info, instructions } = this.server.settings;
    return {
      protocolVersion: revision.version,
      capabilities: this.server.capabilities(revision),
      serverInfo: info,
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  #handleInSession(
    revision: Revision,
    request: Request,
    inbound: InboundRequest,
  ): object | Promise<object> {
    const { method } = request;
    if (method === "initialize") {
      throw new RpcError(
        STANDARD_ERROR_CODES.INVALID_REQUEST,
        "Invalid Request: the session is initialized already",
      );
    }
    if (
      this.server.settings.strictLifecycle === true &&
      !this.#isInitialized &&
      method !== "ping"
    ) {
      throw new RpcError(
        STANDARD_ERROR_CODES.INVALID_REQUEST,
        `Invalid Request: ${truncate(method)} before notifications/initialized`,
      );
    }
    return this.#dispatch(revision, request, inbound);
  }

  /** The order of checks: the method, its params, then the handler. */
  #dispatch(
    revision: Revision,
    request: Request,
    inbound: InboundRequest,
  ): object | Promise<object> {
    const { method } = request;
    if (!this.server.supportsRequest(revision, method))
      throw methodNotFoundError(method);
    this.#validate(revision, request);
    const client = revision.isStateless ? clientInfoOf(request) : this.#client;
    const handler = this.server.settings.handlers[method];
    if (handler === undefined)
      return this.#handleBuiltIn(revision, request, inbound);
    this.#checkHandlerLimit(inbound);
    const params = paramsOf(request);
    const context = new RequestContext(this, revision, client, inbound);
    if (revision.isStateless && params["requestState"] !== undefined)
      return context.resume(handler, params);
    const outcome = context.run(handler, params);
    if (!revision.isStateless)
      return isBuiltIn(revision, method)
        ? this.#runBuiltInAfter(revision, request, inbound, outcome)
        : outcome;
    return isPromiseLike(outcome)
      ? outcome.then((result) => context.completeResult(result))
      : context.completeResult(outcome);
  }

  /**
   * Counts a handler where one limit holds for many connections. What the runtime does itself is not counted, nor are
   * subscriptions, which wait and do nothing.
   *
   * @throws RpcError if no more may run.
   */
  #checkHandlerLimit(inbound: InboundRequest): void {
    const counter = counterOf(inbound.extra);
    if (counter?.canStart(maxConcurrent(this.server.settings)) === false)
      throw new RpcError(SERVER_BUSY, "Server busy");
    inbound.counter = counter;
  }

  /** A handler in the place of the runtime's own does not take over its bookkeeping. */
  async #runBuiltInAfter(
    revision: Revision,
    request: Request,
    inbound: InboundRequest,
    outcome: object | Promise<object>,
  ): Promise<object> {
    const result = await outcome;
    if (!inbound.isSettled)
      void this.#handleBuiltIn(revision, request, inbound);
    return result;
  }

  #validate(revision: Revision, request: Request): void {
    const { params } = request as { readonly params?: unknown };
    // Not even then what is no object at all.
    if (
      this.server.settings.validateParams === false &&
      (params === undefined || isObject(params))
    )
      return;
    const outcome = revision.validateParams(request.method, request.params);
    if (!outcome.success) throw invalidParams(outcome.failure);
  }

  /** @internal What a stateless revision wants on a result and a handler need not know of. */
  #completeResult(revision: Revision, method: string, result: object): object {
    return completeResult(revision, method, result, this.server.settings.info);
  }

  #handleBuiltIn(
    revision: Revision,
    request: Request,
    inbound: InboundRequest,
  ): object | Promise<object> {
    const params = paramsOf(request);
    switch (request.method) {
      case "logging/setLevel":
        this.#minLogLevel = LOG_LEVELS.indexOf(String(params["level"]));
        return {};
      case "resources/subscribe":
        this.#subscribe(String(params["uri"]));
        return {};
      case "resources/unsubscribe":
        this.#unsubscribe(String(params["uri"]));
        return {};
      case "server/discover":
        return this.#completeResult(
          revision,
          request.method,
          this.#discoverResult(revision),
        );
      case "subscriptions/listen":
        return this.#listen(revision, request, inbound);
      default:
        return {};
    }
  }

  #subscribe(uri: string): void {
    if (this.#subscribedUris.has(uri)) return;
    this.#reserveSubscription(subscriptionWeight([uri]));
    this.#subscribedUris.add(uri);
  }

  #unsubscribe(uri: string): void {
    if (this.#subscribedUris.delete(uri))
      this.#subscribedWeight -= subscriptionWeight([uri]);
  }

  /** @throws RpcError if a client subscribes to more than it may. */
  #reserveSubscription(weight: number): void {
    const maxWeight =
      this.server.settings.maxSubscribedResources ??
      DEFAULT_MAX_SUBSCRIBED_RESOURCES;
    if (this.#subscribedWeight + weight > maxWeight)
      throw new RpcError(SERVER_BUSY, "Too many subscriptions");
    this.#subscribedWeight += weight;
  }

  #discoverResult(revision: Revision): object {
    const { instructions } = this.server.settings;
    return {
      supportedVersions: this.#statelessRevisions.map(versionOf),
      capabilities: this.server.capabilities(revision),
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  /** MCP 2026-07-28, subscriptions: the request stays open, and what it carries is tagged with its id. */
  #listen(
    revision: Revision,
    request: Request,
    inbound: InboundRequest,
  ): Promise<object> {
    const { id } = request;
    const filter = this.#supportedFilter(
      revision,
      paramsOf(request)["notifications"] as object,
    );
    const weight = subscriptionWeight(filter["resourceSubscriptions"]);
    this.#reserveSubscription(weight);
    this.#notifySubscription(id, "notifications/subscriptions/acknowledged", {
      notifications: filter,
    });
    return new Promise((resolve) => {
      const end = (): void => {
        if (this.#subscriptions.delete(id)) this.#subscribedWeight -= weight;
        resolve(
          this.#completeResult(revision, request.method, {
            _meta: { [META_KEYS.SUBSCRIPTION]: id },
          }),
        );
      };
      // Of a cancelled one the answer goes nowhere, but its handling is over.
      inbound.signal.addEventListener("abort", end, { once: true });
      this.#subscriptions.set(id, { id, filter, end });
    });
  }

  /** What of a filter the server's capabilities allow it to send. */
  #supportedFilter(revision: Revision, filter: object): OpenListen["filter"] {
    const declared = this.server.capabilities(revision);
    const requested = filter as Record<string, unknown>;
    const supported: Record<string, unknown> = {};
    for (const [method, name] of Object.entries(LIST_CHANGED_FILTERS)) {
      const needed = revision.methods[method]?.capabilities ?? [];
      if (
        requested[name] === true &&
        missingCapability(needed, "server", declared) === undefined
      )
        supported[name] = true;
    }
    const { resourceSubscriptions: uris } = requested;
    const needed =
      revision.methods["notifications/resources/updated"]?.capabilities ?? [];
    if (
      uris !== undefined &&
      missingCapability(needed, "server", declared) === undefined
    ) {
      supported["resourceSubscriptions"] = uris;
    }
    return supported;
  }

  #notifySubscription(
    id: RequestId,
    method: string,
    params: object | undefined,
  ): void {
    const meta = (params as { readonly _meta?: object } | undefined)?._meta;
    this.#endpoint.notify(
      method,
      { ...params, _meta: { ...meta, [META_KEYS.SUBSCRIPTION]: id } },
      id,
    );
  }

  #handleNotification(notification: Notification): void {
    const { method, params } = notification;
    // Before `initialize` there are only those of clients that speak a stateless revision.
    const revision =
      this.#revision ??
      (this.#statelessRevisions.length > 0
        ? newestRevision(this.#statelessRevisions)
        : undefined);
    if (revision === undefined) {
      this.#endpoint.emit({ kind: "unknownNotification", method, params });
      return;
    }
    if (!maySend(revision, "client", "notification", method)) {
      this.#handleUnknownNotification(notification);
      return;
    }
    const outcome = revision.validateParams(method, params);
    if (!outcome.success) {
      this.#endpoint.emit({
        kind: "invalidNotification",
        method,
        reason: describeMismatch(outcome.failure),
      });
      return;
    }
    if (method === "notifications/initialized" && this.#revision !== undefined)
      this.#isInitialized = true;
    const handler = this.server.settings.notifications?.[method];
    void this.#runNotificationHandler(method, () =>
      handler?.(params as never, this),
    );
  }

  /** A notification that the revision does not know. */
  #handleUnknownNotification(notification: Notification): void {
    const { method, params } = notification;
    const listener = unknownNotificationListener(
      this.server.settings,
      notification,
      this,
    );
    if (listener === undefined)
      this.#endpoint.emit({ kind: "unknownNotification", method, params });
    else if (listener === "refused")
      this.#endpoint.emit({
        kind: "invalidNotification",
        method,
        reason: "the guard of its handler does not accept the params",
      });
    else void this.#runNotificationHandler(method, listener);
  }

  async #runNotificationHandler(
    method: string,
    handler: () => unknown,
  ): Promise<void> {
    try {
      await handler();
    } catch (error) {
      this.#endpoint.emit({ kind: "handlerFailed", method, error });
    }
  }

  #unsupportedVersion(requested: string): RpcError {
    const supported = this.#statelessRevisions.map(versionOf);
    return new RpcError(
      STATELESS_ERROR_CODES.UNSUPPORTED_VERSION,
      `Unsupported protocol version; this server speaks ${supported.join(", ")}`,
      { supported, requested: truncate(requested) },
    );
  }

  /** @internal */
  notifyForRequest(
    inbound: InboundRequest,
    method: string,
    params: object | undefined,
  ): void {
    if (inbound.isSettled) return;
    this.#endpoint.notify(method, params, inbound.request.id);
  }

  /** @internal Whether the client wants log messages of a level, for a request. */
  wantsLog(revision: Revision, request: Request, level: string): boolean {
    if (
      missingCapability(
        ["server.logging"],
        "server",
        this.server.capabilities(revision),
      ) !== undefined
    )
      return false;
    if (!revision.isStateless)
      return LOG_LEVELS.indexOf(level) >= this.#minLogLevel;
    const lowest = metaOf(request)?.[META_KEYS.LOG_LEVEL];
    return (
      typeof lowest === "string" &&
      LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(lowest)
    );
  }
}

/** Thrown to end a handler that waits for input; what it holds is the result of this round. */
class InputRequiredSignal extends Error {
  readonly result: object;

  constructor(result: object) {
    super("the handler waits for input; let this pass");
    this.result = result;
  }
}

/** What a handler is given; one for each request. */
class RequestContext implements HandlerContext {
  readonly client: ClientInfo;
  readonly #session: ServerSession;
  readonly #revision: Revision;
  readonly #inbound: InboundRequest;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #state: unknown;
  /** Of this round and all before it; made when first asked for, since most handlers never do. */
  #inputResponses: Map<string, unknown> | undefined;
  /** The request state that {@link requireInput} gives out. */
  #issuedState: string | undefined;

  constructor(
    session: ServerSession,
    revision: Revision,
    client: ClientInfo,
    inbound: InboundRequest,
  ) {
    this.#session = session;
    this.#revision = revision;
    this.client = client;
    this.#inbound = inbound;
  }

  get id(): RequestId {
    return this.#inbound.request.id;
  }

  get method(): string {
    return this.#inbound.request.method;
  }

  get revision(): string {
    return this.#revision.version;
  }

  get signal(): AbortSignal {
    return this.#inbound.signal;
  }

  get extra(): unknown {
    return this.#inbound.extra;
  }

  get state(): unknown {
    return this.#state;
  }

  /** Runs a handler; one that waits for input gives the result that asks for it. */
  run(handler: RequestHandler, params: object): object | Promise<object> {
    try {
      const outcome = handler(params as never, this as never);
      return isPromiseLike(outcome)
        ? Promise.resolve(outcome).catch(unwrapInputRequired)
        : outcome;
    } catch (error) {
      return unwrapInputRequired(error);
    }
  }

  /** Runs a handler with the state of the round before. */
  async resume(
    handler: RequestHandler,
    params: Record<string, unknown>,
  ): Promise<object> {
    const { server } = this.#session;
    const { requestState } = params;
    const previous =
      typeof requestState === "string"
        ? await server.requestStateSigner.verify(
            requestState,
            this.method,
            params,
            principalOf(this.extra),
          )
        : undefined;
    if (previous === undefined) {
      throw new RpcError(
        STANDARD_ERROR_CODES.INVALID_PARAMS,
        "Invalid params: the request state is not one of this server for this request, or too old",
        {
          path: "/requestState",
        },
      );
    }
    this.#state = previous.state;
    const handlerParams = previous.isHandlerState
      ? { ...params, requestState: previous.state }
      : params;
    this.#inputResponses = new Map(
      Object.entries({
        ...previous.answers,
        ...(params["inputResponses"] as object | undefined),
      }),
    );
    const result = await this.run(handler, handlerParams);
    return this.completeResult(result);
  }

  /** What a stateless revision wants on a result and a handler need not know of. */
  completeResult(result: object): object | Promise<object> {
    const { settings, requestStateSigner } = this.#session.server;
    const completed = completeResult(
      this.#revision,
      this.method,
      result,
      settings.info,
    ) as {
      readonly inputRequests?: unknown;
      readonly requestState?: unknown;
      readonly resultType?: unknown;
    };
    const { requestState: state, resultType } = completed;
    if (resultType !== "input_required") return completed;
    // MCP 2026-07-28, multi round-trip requests: a client cannot go on from a result with neither.
    if (state === undefined && completed.inputRequests === undefined)
      throw new TypeError(
        "a result that requires input has neither inputRequests nor requestState",
      );
    if (state === undefined || state === this.#issuedState) return completed;
    // State that a handler wrote itself is protected like any other.
    return requestStateSigner
      .sign(
        this.method,
        paramsOf(this.#inbound.request),
        {
          state,
          answers: Object.fromEntries(this.#knownResponses()),
          isHandlerState: true,
        },
        principalOf(this.extra),
      )
      .then((requestState) => ({ ...completed, requestState }));
  }

  // Functions of their own, since a handler may take them out of the context: `(args, { progress }) => ...`.
  readonly progress = (
    progress: number,
    total?: number,
    message?: string,
  ): void => {
    const token = metaOf(this.#inbound.request)?.["progressToken"];
    // MCP, progress: only if asked for, and always increasing. JSON has no infinite numbers.
    if (
      (typeof token !== "string" && !Number.isFinite(token)) ||
      !Number.isFinite(progress) ||
      !(progress > this.#lastProgress)
    )
      return;
    this.#lastProgress = progress;
    this.#session.notifyForRequest(this.#inbound, "notifications/progress", {
      progressToken: token,
      progress,
      ...(Number.isFinite(total) ? { total } : {}),
      ...(message === undefined ? {} : { message }),
    });
  };

  readonly log = (level: string, data: unknown, logger?: string): void => {
    if (!this.#session.wantsLog(this.#revision, this.#inbound.request, level))
      return;
    this.#session.notifyForRequest(this.#inbound, "notifications/message", {
      level,
      ...(logger === undefined ? {} : { logger }),
      data,
    });
  };

  readonly notify = (method: string, params?: object): void => {
    if (!maySend(this.#revision, "server", "notification", method)) {
      throw new UnsupportedMethodError(method, this.revision);
    }
    const level = (params as { readonly level?: unknown } | undefined)?.level;
    if (
      method === "notifications/message" &&
      !this.#session.wantsLog(
        this.#revision,
        this.#inbound.request,
        String(level),
      )
    )
      return;
    if (!this.#revision.isStateless || REQUEST_SCOPED_NOTIFICATIONS.has(method))
      this.#session.notifyForRequest(this.#inbound, method, params);
    else this.#session.notifyIfWanted(method, params);
  };

  readonly request = (
    method: string,
    params?: object,
    options?: CallOptions,
  ): Promise<object> => {
    if (this.#revision.isStateless)
      return Promise.reject(new UnsupportedMethodError(method, this.revision));
    return this.#session.request(method, params, {
      signal: this.signal,
      ...options,
      relatedRequestId: this.id,
    });
  };

  readonly sampling = (
    params: object,
    options?: CallOptions,
  ): Promise<object> => {
    return this.request("sampling/createMessage", params, options);
  };

  readonly elicitation = (
    params: object,
    options?: CallOptions,
  ): Promise<object> => {
    return this.request("elicitation/create", params, options);
  };

  readonly roots = (
    params?: object,
    options?: CallOptions,
  ): Promise<object> => {
    return this.request("roots/list", params, options);
  };

  #knownResponses(): Map<string, unknown> {
    const given = paramsOf(this.#inbound.request)["inputResponses"];
    this.#inputResponses ??= new Map(
      Object.entries((given ?? {}) as Record<string, unknown>),
    );
    return this.#inputResponses;
  }

  readonly requireInput = async (
    requests: Readonly<Record<string, EmbeddedRequest>>,
    state?: unknown,
  ): Promise<Record<string, object>> => {
    if (!this.#revision.isStateless) return this.#requestInput(requests);
    const responses = this.#knownResponses();
    const missing: Record<string, EmbeddedRequest> = {};
    for (const [key, request] of Object.entries(requests)) {
      const info = this.#revision.embedded[request.method];
      if (info === undefined)
        throw new UnsupportedMethodError(request.method, this.revision);
      const response = responses.get(key);
      if (response === undefined) {
        this.#checkCapability(request, info.capabilities);
        missing[key] = request;
        continue;
      }
      const outcome = info.validateResult(response);
      if (!outcome.success)
        throw invalidParams(outcome.failure, `/inputResponses/${key}`);
    }
    if (Object.keys(missing).length === 0) {
      return Object.fromEntries(
        Object.keys(requests).map((key) => [key, responses.get(key) as object]),
      );
    }
    const params = paramsOf(this.#inbound.request);
    const previousResponses = Object.fromEntries(responses);
    this.#issuedState = await this.#session.server.requestStateSigner.sign(
      this.method,
      params,
      {
        state: state ?? this.#state,
        answers: previousResponses,
        isHandlerState: false,
      },
      principalOf(this.extra),
    );
    throw new InputRequiredSignal({
      resultType: "input_required",
      inputRequests: missing,
      requestState: this.#issuedState,
    });
  };

  /** In a stateful revision, input is asked for at once, by requests of their own. */
  async #requestInput(
    requests: Readonly<Record<string, EmbeddedRequest>>,
  ): Promise<Record<string, object>> {
    const results = await Promise.all(
      Object.entries(requests).map(
        async ([key, { method, params }]) =>
          [key, await this.request(method, params)] as const,
      ),
    );
    return Object.fromEntries(results);
  }

  /** MCP 2026-07-28: a server must not ask for what the client did not declare. */
  #checkCapability(request: EmbeddedRequest, needed: readonly string[]): void {
    const missing = missingCapability(
      capabilitiesNeededBy(
        request.method,
        request.params,
        needed,
        this.client.capabilities,
      ),
      "client",
      this.client.capabilities,
    );
    if (missing === undefined) return;
    let requiredCapabilities: object = {};
    for (const name of missing.split(".").slice(1).reverse())
      requiredCapabilities = { [name]: requiredCapabilities };
    throw new RpcError(
      STATELESS_ERROR_CODES.MISSING_CLIENT_CAPABILITY,
      `Missing required client capability: ${missing.slice("client.".length)}`,
      { requiredCapabilities },
    );
  }
}

function findRevision(
  revisions: readonly Revision[],
  version: string,
): Revision {
  const revision = revisions.find((item) => item.version === version);
  if (revision === undefined)
    throw new RangeError(`this server does not speak ${truncate(version)}`);
  return revision;
}

function unwrapInputRequired(error: unknown): object {
  if (error instanceof InputRequiredSignal) return error.result;
  throw error;
}

function completeResult(
  revision: Revision,
  method: string,
  result: object,
  info: Implementation,
): object {
  const handlerResult = toResult(result);
  const members = handlerResult as {
    readonly resultType?: unknown;
    readonly _meta?: object;
  };
  const _meta = Object.assign({ [META_KEYS.SERVER_INFO]: info }, members._meta);
  // Not spread: in Node 20, members that are added to a spread copy cost twenty times as much.
  if (members.resultType !== undefined && members.resultType !== "complete")
    return Object.assign({}, handlerResult, { _meta });
  const completed: Record<string, unknown> = Object.assign(
    { resultType: "complete" },
    revision.defaults[method],
    handlerResult,
    { _meta },
  );
  // A member that the handler left undefined is none.
  completed["resultType"] ??= "complete";
  for (const [name, value] of Object.entries(revision.defaults[method] ?? {}))
    completed[name] ??= value;
  return completed;
}

/** The client's capabilities that a request to it needs, with those that depend on what it asks for. */
function capabilitiesNeededBy(
  method: string,
  params: object | undefined,
  needed: readonly string[],
  declared: object,
): readonly string[] {
  const requested = (params ?? {}) as Readonly<Record<string, unknown>>;
  if (method === "elicitation/create") {
    if (requested["mode"] === "url")
      return [...needed, "client.elicitation.url"];
    // A client that names modes has those; one that names none has forms.
    const namesUrl =
      missingCapability(["client.elicitation.url"], "client", declared) ===
      undefined;
    return namesUrl ? [...needed, "client.elicitation.form"] : needed;
  }
  if (
    method === "sampling/createMessage" &&
    (requested["tools"] !== undefined || requested["toolChoice"] !== undefined)
  )
    return [...needed, "client.sampling.tools"];
  return needed;
}

function matchesFilter(
  filter: OpenListen["filter"],
  method: string,
  params: object | undefined,
): boolean {
  const name = LIST_CHANGED_FILTERS[method];
  if (name !== undefined) return filter[name] === true;
  if (method !== "notifications/resources/updated") return false;
  const uris = filter["resourceSubscriptions"];
  return (
    Array.isArray(uris) &&
    uris.includes((params as { readonly uri?: unknown } | undefined)?.uri)
  );
}

function metaOf(request: Request): Record<string, unknown> | undefined {
  const meta = (request.params as { readonly _meta?: unknown } | undefined)
    ?._meta;
  return typeof meta === "object" && meta !== null
    ? (meta as Record<string, unknown>)
    : undefined;
}

function paramsOf(request: Request): Record<string, unknown> {
  return (request.params ?? {}) as Record<string, unknown>;
}

function clientInfoOf(request: Request): ClientInfo {
  const meta = metaOf(request) ?? {};
  return {
    info: meta[META_KEYS.CLIENT_INFO] as Implementation | undefined,
    capabilities: meta[META_KEYS.CLIENT_CAPABILITIES] ?? {},
  };
}

function invalidParams(
  { path, expected, found }: Failure,
  below = "",
): RpcError {
  const data = { path: below + path, expected, found };
  return new RpcError(
    STANDARD_ERROR_CODES.INVALID_PARAMS,
    data.path === ""
      ? `Invalid params: params must be ${expected}, not ${found}`
      : `Invalid params: ${data.path} should be ${expected}, not ${found}`,
    data,
  );
}

function invalidResultError(method: string, failure: Failure): RpcError {
  return new RpcError(
    STANDARD_ERROR_CODES.INTERNAL_ERROR,
    `the client's answer to ${method} is wrong: ${describeMismatch(failure)}`,
  );
}

function describeMismatch({ path, expected, found }: Failure): string {
  return `${path || "/"} should be ${expected}, not ${found}`;
}

/** Whether the runtime answers a method if there is no handler. */
function isBuiltIn(revision: Revision, method: string): boolean {
  switch (method) {
    case "ping":
    case "logging/setLevel":
    case "resources/subscribe":
    case "resources/unsubscribe":
      return !revision.isStateless;
    case "server/discover":
    case "subscriptions/listen":
      return revision.isStateless;
    default:
      return false;
  }
}
