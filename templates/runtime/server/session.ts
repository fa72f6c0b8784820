/** One connection of a server: the order in which requests are checked, and what is sent to the client. */
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
  handleUnknownNotification,
  maySend,
  methodNotFoundError,
} from "../protocol/revision.js";
import type {
  Implementation,
  Revision,
  UnknownNotificationSettings,
} from "../protocol/revision.js";
import { CANCELLATION, PROGRESS } from "../protocol/message-rules.js";
import { PING, unreadIdPolicy } from "../protocol/version-rules.js";
import type {
  ClientInfo,
  ListenContext,
  ListenSource,
  RequestHandler,
  ServerExtension,
} from "./types.js";
import type {
  RequestStateOptions,
  RequestStateSigner,
} from "../protocol/request-state.js";
import type { Notification, Request, RequestId } from "../jsonrpc/message.js";
import {
  DEFAULT_MAX_SUBSCRIBED_RESOURCES,
  Subscriptions,
  supportedFilter,
} from "./subscriptions.js";
import type { OpenSource } from "./subscriptions.js";
import { SessionLifecycle } from "./lifecycle.js";
import type { ResumedSession, SavedSession } from "./saved-session.js";
import { describeFailure } from "../validation.js";
import { severityOf } from "./log-levels.js";
import type { Classification, Parsed } from "../jsonrpc/parse.js";
import { counterOf } from "../jsonrpc/transport.js";
import type { Transport } from "../jsonrpc/transport.js";
import {
  CapabilityError,
  UnsupportedMethodError,
} from "../jsonrpc/call-errors.js";
import { missingClientCapability } from "./client-capabilities.js";
import { completeResult } from "./complete-result.js";
import {
  invalidParamsError,
  invalidResultError,
} from "../protocol/invalid-params.js";
import { isObject, metaOf, paramsOf } from "../jsonrpc/envelope.js";
import { RpcError } from "../jsonrpc/error-codes.js";
import { RequestContext, clientInfoOf } from "./context.js";

/** A handler of notifications, without its types. */
export type NotificationHandler = (
  params: never,
  session: ServerSession,
) => void | Promise<void>;

/** Settings of a server, without their types. The generated `ServerOptions` are typed. */
export interface ServerSettings
  extends EndpointOptions, UnknownNotificationSettings<ServerSession> {
  /** Name and version of the server. */
  readonly info: Implementation;
  /** How to use the server, for the model. */
  readonly instructions?: string | undefined;
  /**
   * Capabilities that the handlers do not imply, such as `{ tools: { listChanged: true } }`; `false` removes a
   * capability.
   */
  readonly capabilities?: object | undefined;
  readonly handlers: Readonly<Record<string, RequestHandler | undefined>>;
  readonly notifications?:
    Readonly<Record<string, NotificationHandler | undefined>> | undefined;
  /** Validates params before a handler receives them; on by default. */
  readonly validateParams?: boolean | undefined;
  /** Rejects requests between the response to `initialize` and `notifications/initialized`. Off by default. */
  readonly strictLifecycle?: boolean | undefined;
  /** Methods that the server has in addition to `handlers`, such as those of tasks. */
  readonly extensions?: readonly ServerExtension[] | undefined;
  /** How the state of a request that waits for input is signed, in stateless revisions. */
  readonly requestState?: RequestStateOptions | undefined;
  /**
   * Maximum of resources that a client may subscribe to on one connection, where a URI above 1024 characters counts
   * once for each 1024; 10,000 by default. A further subscription gets the error `SERVER_BUSY`.
   */
  readonly maxSubscribedResources?: number | undefined;
}

/** What all connections of a server share. */
export interface ServerCore {
  readonly settings: ServerSettings;
  readonly revisions: readonly Revision[];
  /** Undefined without a stateless revision. */
  readonly requestStateSigner: RequestStateSigner | undefined;
  /** The `_meta` of results of stateless revisions to which handlers add nothing. */
  readonly resultMeta: object;
  /**
   * The capabilities that it declares in a revision: those that its handlers imply, with additions and removals by its
   * settings.
   */
  capabilities(revision: Revision): Record<string, unknown>;
  /** Whether it answers a request: it has a handler or a built-in one, and declares the capability. */
  supportsRequest(revision: Revision, method: string): boolean;
  /**
   * Sends a notification to all clients that want it.
   *
   * @param origin - The request whose handler sends it; its client receives the notification as part of that request.
   */
  broadcast(method: string, params?: object, origin?: RequestOrigin): void;
  /** Whether it declares the capability that a notification needs; if not, that is reported once. */
  declares(revision: Revision, method: string): boolean;
}

/** The request whose handler sends a notification. */
export interface RequestOrigin {
  readonly session: object;
  readonly id: RequestId;
}

/**
 * A server's side of one connection.
 *
 * Checks run in one order: revision and lifecycle, method, params, then the handler.
 * Subscriptions and the negotiated revision are in separate objects.
 */
export class ServerSession {
  readonly server: ServerCore;
  readonly #endpoint: Endpoint;
  readonly #lifecycle: SessionLifecycle;
  readonly #subscriptions: Subscriptions;
  #minLogLevel = 0;
  #stateChanges = 0;

  constructor(
    server: ServerCore,
    onClosed: (session: ServerSession) => void,
    negotiatedVersion?: string,
    resumed?: ResumedSession,
  ) {
    this.server = server;
    this.#lifecycle = new SessionLifecycle(server.revisions, negotiatedVersion);
    this.#endpoint = new Endpoint(
      {
        side: "server",
        sessionRevision: () => this.revision,
        cancellation: CANCELLATION,
        progress: PROGRESS,
        classify: (value): Classification =>
          this.#lifecycle.envelopeRevision.classify(value),
        // MCP 2025-03-26, lifecycle: before the response, the revision is unknown, and so is whether it has batches.
        refuseInBatch: (method) =>
          method === "initialize"
            ? "initialize must not be part of a batch"
            : undefined,
        unreadId: () =>
          unreadIdPolicy(this.#lifecycle.envelopeRevision.version),
        handleRequest: (request, inbound) =>
          this.#handleRequest(request, inbound),
        handleNotification: (notification) => {
          this.#handleNotification(notification);
        },
        handleInputEnd: () => {
          this.#subscriptions.endAll();
        },
        handleClose: () => {
          this.#subscriptions.clear();
          onClosed(this);
        },
      },
      server.settings,
      resumed?.firstRequestId,
    );
    this.#subscriptions = new Subscriptions(
      server.settings.maxSubscribedResources ??
        DEFAULT_MAX_SUBSCRIBED_RESOURCES,
      (method, params, id) => {
        this.#endpoint.notify(method, params, id);
      },
    );
    if (resumed === undefined) return;
    const { saved } = resumed;
    this.#lifecycle.restore(saved);
    this.#minLogLevel = saved.minLogLevel;
    for (const uri of saved.uris) this.#subscriptions.subscribe(uri);
  }

  /** The revision of a stateful session; undefined before `initialize`, and with clients of a stateless revision. */
  get revision(): string | undefined {
    return this.#lifecycle.revision?.version;
  }

  /** What the client sent in `initialize`. */
  get client(): ClientInfo {
    return this.#lifecycle.client;
  }

  /** @internal How often the {@link savedState} has changed. */
  get stateChanges(): number {
    return this.#stateChanges;
  }

  /** @internal What another process needs to go on with a stateful session; undefined before `initialize`. */
  get savedState(): SavedSession | undefined {
    const { revision } = this;
    return revision === undefined
      ? undefined
      : {
          revision,
          client: this.client,
          isInitialized: this.#lifecycle.isInitialized,
          minLogLevel: this.#minLogLevel,
          uris: this.#subscriptions.uris,
        };
  }

  /** Resolves when the connection is over. */
  get closed(): Promise<void> {
    return this.#endpoint.closed;
  }

  /** The number of requests being handled, and of requests to the client waiting for a response. */
  get inFlight(): { readonly inbound: number; readonly outbound: number } {
    return this.#endpoint.inFlight;
  }

  /** @internal Classifies a value by the rules of the current revision. */
  classifyMessage(value: unknown): Parsed {
    return this.#endpoint.classifyMessage(value);
  }

  /** @internal */
  async start(transport: Transport): Promise<void> {
    await this.#endpoint.connect(transport);
  }

  /** Closes the connection: subscriptions end with their responses first, then all handlers are aborted. */
  async close(): Promise<void> {
    await this.#endpoint.settled(this.#subscriptions.endAll());
    await this.#endpoint.close();
  }

  /**
   * Sends a request to the client of a stateful session.
   *
   * @throws CapabilityError or UnsupportedMethodError before anything is sent; any error of {@link Endpoint.request}.
   */
  async request(
    method: string,
    params?: object,
    options?: CallOptions,
  ): Promise<object> {
    const { revision } = this.#lifecycle;
    if (
      revision === undefined ||
      !maySend(revision, "server", "request", method)
    ) {
      throw new UnsupportedMethodError(
        method,
        this.#lifecycle.envelopeRevision.version,
      );
    }
    const missing = missingClientCapability(
      method,
      params,
      revision.methods[method]?.capabilities ?? [],
      this.client.capabilities,
    );
    if (missing !== undefined)
      throw new CapabilityError(method, missing, "the client");
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

  /** Sends a notification to the client of a stateful session, whether or not it subscribed. */
  notify(method: string, params?: object): void {
    const { revision } = this.#lifecycle;
    if (
      revision === undefined ||
      !maySend(revision, "server", "notification", method)
    ) {
      throw new UnsupportedMethodError(
        method,
        this.#lifecycle.envelopeRevision.version,
      );
    }
    this.#endpoint.notify(method, params);
  }

  /**
   * Sends a change notification if the client subscribed to it.
   *
   * @param origin - The request whose handler sends it, if any.
   */
  notifyIfWanted(
    method: string,
    params?: object,
    origin?: RequestOrigin,
  ): void {
    this.#subscriptions.notify(method, params);
    const { revision } = this.#lifecycle;
    if (
      revision === undefined ||
      !this.#lifecycle.isInitialized ||
      !maySend(revision, "server", "notification", method) ||
      !this.server.declares(revision, method)
    )
      return;
    const { uri, level } = (params ?? {}) as {
      readonly uri?: unknown;
      readonly level?: unknown;
    };
    if (
      method === "notifications/resources/updated" &&
      !this.#subscriptions.includes(String(uri))
    )
      return;
    if (
      method === "notifications/message" &&
      severityOf(String(level)) < this.#minLogLevel
    )
      return;
    const relatedRequestId = origin?.session === this ? origin.id : undefined;
    this.#endpoint.notify(method, params, relatedRequestId);
  }

  #handleRequest(
    request: Request,
    inbound: InboundRequest,
  ): object | Promise<object> {
    const target = this.#lifecycle.resolve(
      request,
      this.server.settings.strictLifecycle === true,
    );
    if (target === PING) return {};
    return target === "initialize"
      ? this.#initialize(request)
      : this.#dispatch(target, request, inbound);
  }

  #initialize(request: Request): object {
    const params = paramsOf(request);
    const revision = this.#lifecycle.choose(params["protocolVersion"]);
    this.#validate(revision, request);
    this.#lifecycle.initialize(revision, params);
    this.#stateChanges += 1;
    const { info, instructions } = this.server.settings;
    return {
      protocolVersion: revision.version,
      capabilities: this.server.capabilities(revision),
      serverInfo: info,
      ...(instructions === undefined ? {} : { instructions }),
    };
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
    const handler = this.server.settings.handlers[method];
    if (handler === undefined)
      return this.#handleBuiltIn(revision, request, inbound);
    this.#checkHandlerLimit(inbound);
    const params = paramsOf(request);
    const context = new RequestContext(this, revision, inbound);
    if (revision.isStateless && params["requestState"] !== undefined)
      return context.resume(handler, params);
    const outcome = context.run(handler, params);
    if (!revision.isStateless)
      return revision.builtIn.includes(method)
        ? this.#runBuiltInAfter(revision, request, inbound, outcome)
        : outcome;
    return isPromiseLike(outcome)
      ? outcome.then((result) => context.completeResult(result))
      : context.completeResult(outcome);
  }

  /**
   * Counts a handler where many connections share a limit. Built-in handlers are not counted, nor are subscriptions
   * and other methods that only wait.
   *
   * @throws RpcError if no more may run.
   */
  #checkHandlerLimit(inbound: InboundRequest): void {
    const { extensions } = this.server.settings;
    const { method } = inbound.request;
    if (
      extensions?.some(
        ({ waitingMethods }) => waitingMethods?.includes(method) === true,
      ) === true
    ) {
      inbound.isWaiting = true;
      return;
    }
    const counter = counterOf(inbound.extra);
    if (counter?.canStart(maxConcurrent(this.server.settings)) === false)
      throw new RpcError(SERVER_BUSY, "Server busy");
    inbound.counter = counter;
  }

  /** A handler that replaces a built-in one does not replace its bookkeeping. */
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
    // Params that are not an object are always rejected.
    if (
      this.server.settings.validateParams === false &&
      (params === undefined || isObject(params))
    )
      return;
    const outcome = revision.validateParams(
      request.method,
      isObject(params) ? this.#validatedParams(request.method, params) : params,
    );
    if (!outcome.success) throw invalidParamsError(outcome.failure);
  }

  /** Without what the handlers of extensions validate themselves. */
  #validatedParams(method: string, params: object): object {
    const { extensions } = this.server.settings;
    if (extensions === undefined) return params;
    let validated = params;
    for (const extension of extensions)
      validated = extension.validatedParams?.(method, validated) ?? validated;
    return validated;
  }

  /** @internal Adds what a stateless revision requires of a result. */
  #completeResult(revision: Revision, method: string, result: object): object {
    return completeResult(revision, method, result, this.server.resultMeta);
  }

  #handleBuiltIn(
    revision: Revision,
    request: Request,
    inbound: InboundRequest,
  ): object | Promise<object> {
    const params = paramsOf(request);
    switch (request.method) {
      case "logging/setLevel":
        this.#minLogLevel = severityOf(String(params["level"]));
        this.#stateChanges += 1;
        return {};
      case "resources/subscribe":
        this.#subscriptions.subscribe(String(params["uri"]));
        this.#stateChanges += 1;
        return {};
      case "resources/unsubscribe":
        this.#subscriptions.unsubscribe(String(params["uri"]));
        this.#stateChanges += 1;
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

  #listen(
    revision: Revision,
    request: Request,
    inbound: InboundRequest,
  ): Promise<object> {
    const requested = paramsOf(request)["notifications"] as Readonly<
      Record<string, unknown>
    >;
    const filter = supportedFilter(
      revision,
      this.server.capabilities(revision),
      requested,
    );
    const result = this.#completeResult(revision, request.method, {
      _meta: { [META_KEYS.SUBSCRIPTION]: request.id },
    });
    const sources = (this.server.settings.extensions ?? []).flatMap(
      ({ listen }) => listen ?? [],
    );
    if (sources.length === 0)
      return this.#subscriptions.listen(inbound, filter, result);
    const context = {
      client: clientInfoOf(request),
      extra: inbound.extra,
    };
    return this.#listenToSources(sources, requested, context, (agreed) =>
      this.#subscriptions.listen(
        inbound,
        { ...filter, ...agreed.filter },
        result,
        agreed.open,
      ),
    );
  }

  async #listenToSources(
    sources: readonly ListenSource[],
    requested: Readonly<Record<string, unknown>>,
    context: ListenContext,
    listen: (agreed: AgreedSources) => Promise<object>,
  ): Promise<object> {
    const agreed = await Promise.all(
      sources.map((source) => source.agree(requested, context)),
    );
    return listen({
      filter: Object.assign({}, ...agreed) as object,
      open: (send) => {
        const ends = sources.map((source, index) =>
          source.open(
            (agreed[index] ?? {}) as Readonly<Record<string, unknown>>,
            send,
          ),
        );
        return () => {
          for (const end of ends) end();
        };
      },
    });
  }

  #discoverResult(revision: Revision): object {
    const { instructions } = this.server.settings;
    return {
      supportedVersions: this.#lifecycle.statelessVersions,
      capabilities: this.server.capabilities(revision),
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  #handleNotification(notification: Notification): void {
    const { method, params } = notification;
    const revision = this.#lifecycle.notificationRevision;
    if (revision === undefined) {
      this.#endpoint.emit({ kind: "unknownNotification", method, params });
      return;
    }
    if (!maySend(revision, "client", "notification", method)) {
      handleUnknownNotification(
        this.#endpoint,
        this.server.settings,
        notification,
        this,
      );
      return;
    }
    const outcome = revision.validateParams(method, params);
    if (!outcome.success) {
      this.#endpoint.emit({
        kind: "invalidNotification",
        method,
        reason: describeFailure(outcome.failure),
      });
      return;
    }
    if (
      method === "notifications/initialized" &&
      !this.#lifecycle.isInitialized
    ) {
      this.#lifecycle.confirm();
      this.#stateChanges += 1;
    }
    const handler = this.server.settings.notifications?.[method];
    void this.#endpoint.runNotificationHandler(method, () =>
      handler?.(params as never, this),
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
    if (!this.server.declares(revision, "notifications/message")) return false;
    if (!revision.isStateless) return severityOf(level) >= this.#minLogLevel;
    const lowest = metaOf(request)?.[META_KEYS.LOG_LEVEL];
    return (
      typeof lowest === "string" && severityOf(level) >= severityOf(lowest)
    );
  }
}

/** What the sources of a subscription agreed to send. */
interface AgreedSources {
  readonly filter: object;
  readonly open: OpenSource;
}
