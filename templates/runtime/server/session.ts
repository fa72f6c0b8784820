/**
 * One connection of a server: its revision, its client, and the order in which requests are checked. The class is long: the order of checks reads
 * best in one piece, and its state is what all of them share.
 */
import {
  Endpoint,
  SERVER_BUSY,
  isPromiseLike,
  maxConcurrent,
} from "../jsonrpc/endpoint.js";
import type {
  CallOptions,
  EndpointOptions,
  InboundRequest,
} from "../jsonrpc/endpoint.js";
import {
  META_KEYS,
  STATELESS_ERROR_CODES,
  maySend,
  methodNotFoundError,
  missingCapability,
  newestRevision,
  truncate,
  unknownNotificationListener,
  unreadIdPolicy,
  versionOf,
} from "../protocol/revision.js";
import type {
  Implementation,
  Revision,
  UnknownNotificationSettings,
} from "../protocol/revision.js";
import type { ClientInfo, RequestHandler } from "./types.js";
import type {
  RequestStateOptions,
  RequestStateSigner,
} from "../protocol/request-state.js";
import type { Notification, Request, RequestId } from "../jsonrpc/message.js";
import {
  DEFAULT_MAX_SUBSCRIBED_RESOURCES,
  LIST_CHANGED_FILTERS,
  matchesFilter,
  subscriptionWeight,
} from "./subscriptions.js";
import type { OpenListen } from "./subscriptions.js";
import type { Classification, Parsed } from "../jsonrpc/parse.js";
import { counterOf } from "../jsonrpc/transport.js";
import type { Transport } from "../jsonrpc/transport.js";
import {
  CapabilityError,
  UnsupportedMethodError,
} from "../jsonrpc/call-errors.js";
import { capabilitiesNeededBy, completeResult } from "./complete-result.js";
import {
  describeMismatch,
  invalidParams,
  invalidResultError,
} from "./invalid-params.js";
import { isObject, metaOf, paramsOf } from "../jsonrpc/envelope.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import { RequestContext } from "./context.js";

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

function findRevision(
  revisions: readonly Revision[],
  version: string,
): Revision {
  const revision = revisions.find((item) => item.version === version);
  if (revision === undefined)
    throw new RangeError(`this server does not speak ${truncate(version)}`);
  return revision;
}

function clientInfoOf(request: Request): ClientInfo {
  const meta = metaOf(request) ?? {};
  return {
    info: meta[META_KEYS.CLIENT_INFO] as Implementation | undefined,
    capabilities: meta[META_KEYS.CLIENT_CAPABILITIES] ?? {},
  };
}

/** Whether the runtime answers a method if there is no handler. */
export function isBuiltIn(revision: Revision, method: string): boolean {
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
