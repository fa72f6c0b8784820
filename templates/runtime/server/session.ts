/**
 * One connection of a server: the order in which requests are checked, and what is sent to the client.
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
  handleUnknownNotification,
  maySend,
  methodNotFoundError,
  missingCapability,
} from "../protocol/revision.js";
import type {
  Implementation,
  Revision,
  UnknownNotificationSettings,
} from "../protocol/revision.js";
import { PING, unreadIdPolicy } from "../protocol/version-rules.js";
import type { ClientInfo, RequestHandler } from "./types.js";
import type {
  RequestStateOptions,
  RequestStateSigner,
} from "../protocol/request-state.js";
import type { Notification, Request } from "../jsonrpc/message.js";
import {
  DEFAULT_MAX_SUBSCRIBED_RESOURCES,
  Subscriptions,
  supportedFilter,
} from "./subscriptions.js";
import { SessionLifecycle } from "./lifecycle.js";
import { describeFailure } from "../validation.js";
import { severityOf } from "./log-levels.js";
import type { Classification, Parsed } from "../jsonrpc/parse.js";
import { counterOf } from "../jsonrpc/transport.js";
import type { Transport } from "../jsonrpc/transport.js";
import {
  CapabilityError,
  UnsupportedMethodError,
} from "../jsonrpc/call-errors.js";
import { capabilitiesNeededBy } from "./client-capabilities.js";
import { completeResult } from "./complete-result.js";
import {
  invalidParamsError,
  invalidResultError,
} from "../protocol/invalid-params.js";
import { isObject, metaOf, paramsOf } from "../jsonrpc/envelope.js";
import { RpcError } from "../jsonrpc/error-codes.js";
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

/**
 * A server's side of one connection.
 *
 * Checks run in one order: revision and lifecycle, method, params, then the handler.
 * What a session is subscribed to, and what it has negotiated, live in objects of their own.
 */
export class ServerSession {
  readonly server: ServerCore;
  readonly #endpoint: Endpoint;
  readonly #lifecycle: SessionLifecycle;
  readonly #subscriptions: Subscriptions;
  #minLogLevel = 0;

  constructor(
    server: ServerCore,
    onClosed: (session: ServerSession) => void,
    negotiatedVersion?: string,
  ) {
    this.server = server;
    this.#lifecycle = new SessionLifecycle(server.revisions, negotiatedVersion);
    this.#endpoint = new Endpoint(
      {
        classify: (value): Classification =>
          this.#lifecycle.envelopeRevision.classify(value),
        // MCP 2025-03-26, lifecycle: until it is answered, nobody knows whether there are batches.
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
    );
    this.#subscriptions = new Subscriptions(
      server.settings.maxSubscribedResources ??
        DEFAULT_MAX_SUBSCRIBED_RESOURCES,
      (method, params, id) => {
        this.#endpoint.notify(method, params, id);
      },
    );
  }

  /** The revision of a stateful session; undefined before `initialize`, and with clients that speak a stateless one. */
  get revision(): string | undefined {
    return this.#lifecycle.revision?.version;
  }

  /** What the client said in `initialize`. */
  get client(): ClientInfo {
    return this.#lifecycle.client;
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
    await this.#endpoint.settled(this.#subscriptions.endAll());
    await this.#endpoint.close();
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
    const missing = missingCapability(
      capabilitiesNeededBy(
        method,
        params,
        revision.methods[method]?.capabilities ?? [],
        this.client.capabilities,
      ),
      "client",
      this.client.capabilities,
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

  /** Sends a change notice if the client wants it. */
  notifyIfWanted(method: string, params?: object): void {
    this.#subscriptions.notify(method, params);
    const { revision } = this.#lifecycle;
    if (
      revision === undefined ||
      !this.#lifecycle.isInitialized ||
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
      !this.#subscriptions.includes(String(uri))
    )
      return;
    if (
      method === "notifications/message" &&
      severityOf(String(level)) < this.#minLogLevel
    )
      return;
    this.#endpoint.notify(method, params);
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
    const client = revision.isStateless ? clientInfoOf(request) : this.client;
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
      return revision.builtIn.includes(method)
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
    if (!outcome.success) throw invalidParamsError(outcome.failure);
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
        this.#minLogLevel = severityOf(String(params["level"]));
        return {};
      case "resources/subscribe":
        this.#subscriptions.subscribe(String(params["uri"]));
        return {};
      case "resources/unsubscribe":
        this.#subscriptions.unsubscribe(String(params["uri"]));
        return {};
      case "server/discover":
        return this.#completeResult(
          revision,
          request.method,
          this.#discoverResult(revision),
        );
      case "subscriptions/listen":
        return this.#subscriptions.listen(
          inbound,
          supportedFilter(
            revision,
            this.server.capabilities(revision),
            paramsOf(request)["notifications"] as object,
          ),
          this.#completeResult(revision, request.method, {
            _meta: { [META_KEYS.SUBSCRIPTION]: request.id },
          }),
        );
      default:
        return {};
    }
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
    if (method === "notifications/initialized") this.#lifecycle.confirm();
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
    if (
      missingCapability(
        ["server.logging"],
        "server",
        this.server.capabilities(revision),
      ) !== undefined
    )
      return false;
    if (!revision.isStateless) return severityOf(level) >= this.#minLogLevel;
    const lowest = metaOf(request)?.[META_KEYS.LOG_LEVEL];
    return (
      typeof lowest === "string" && severityOf(level) >= severityOf(lowest)
    );
  }
}

function clientInfoOf(request: Request): ClientInfo {
  const meta = metaOf(request) ?? {};
  return {
    info: meta[META_KEYS.CLIENT_INFO] as Implementation | undefined,
    capabilities: meta[META_KEYS.CLIENT_CAPABILITIES] ?? {},
  };
}
