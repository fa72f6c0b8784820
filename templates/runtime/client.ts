import {
  checkVendorNotifications,
  handleUnknownNotification,
  maySend,
  methodNotFoundError,
  missingCapability,
  newestRevision,
  versionOf,
} from "./protocol/revision.js";
import type { Revision } from "./protocol/revision.js";
import type {
  ClientSettings,
  ListenOptions,
  ServerInfo,
  Subscription,
  TaskFollower,
  TaskPort,
} from "./client/types.js";
import { Endpoint } from "./jsonrpc/endpoint.js";
import { checkedSettings } from "./jsonrpc/endpoint-options.js";
import type { CallOptions } from "./jsonrpc/endpoint.js";
import type { Notification, Request } from "./jsonrpc/message.js";
import type { Classification } from "./jsonrpc/parse.js";
import {
  CapabilityError,
  ConnectionClosedError,
  UnsupportedMethodError,
} from "./jsonrpc/call-errors.js";
import type { Transport } from "./jsonrpc/transport.js";
import {
  DEFAULT_MAX_ROUNDS,
  InputCollector,
  isInputRequired,
} from "./client/input.js";
import type { InputRequiredResult } from "./client/input.js";
import { InvalidResultError, TooManyRoundsError } from "./client/errors.js";
import type { ResultCache } from "./client/cache.js";
import type { KeepAlive } from "./client/keep-alive.js";
import type { KeepAliveOptions } from "./client/keep-alive.js";
import { MAX_LIST_PAGES, allPages } from "./client/pages.js";
import { Negotiation } from "./client/negotiate.js";
import type { ConnectOptions } from "./client/negotiate.js";
import { SpokenRevision } from "./client/spoken-revision.js";
import { ClientSubscriptions } from "./client/subscriptions.js";
import { invalidParamsError } from "./protocol/invalid-params.js";
import { CANCELLATION, PROGRESS } from "./protocol/message-rules.js";
import { PING, TASKS_EXTENSION } from "./protocol/version-rules.js";
import { describeFailure } from "./validation.js";
export { resultCache } from "./client/cache.js";
export type { CacheOptions, ResultCacheFactory } from "./client/cache.js";
export { keepAlive } from "./client/keep-alive.js";
export type {
  KeepAliveFactory,
  KeepAliveOptions,
} from "./client/keep-alive.js";
export type {
  ClientContext,
  ClientRequestHandler,
  ClientNotificationHandler,
  ClientSettings,
  ServerInfo,
  ListenOptions,
  Subscription,
} from "./client/types.js";
export {
  TooManyRoundsError,
  TooManyInputsError,
  InvalidResultError,
} from "./client/errors.js";
export { allPages } from "./client/pages.js";

/**
 * A client's side of one connection. The generated `Client` adds a typed method for each request.
 *
 * Until both sides agree on a revision, only the negotiation is sent; the agreed revision never changes.
 */
export class BaseClient<
  Notifications extends object = Record<string, object | undefined>,
> {
  readonly #settings: ClientSettings;
  readonly #endpoint: Endpoint;
  readonly #negotiation: Negotiation;
  readonly #subscriptions: ClientSubscriptions;
  readonly #input: InputCollector;
  readonly #spoken: SpokenRevision;
  /** Undefined unless the option `cache` is set. */
  readonly #cache: ResultCache | undefined;
  readonly #keepAlive: KeepAlive | undefined;
  #transport: Transport | undefined;
  #isNegotiated = false;
  #server: ServerInfo = {
    info: undefined,
    capabilities: {},
    instructions: undefined,
  };
  /** Methods that this client may send to this server; each is checked once. */
  readonly #supported = {
    request: new Set<string>(),
    notification: new Set<string>(),
  };

  /**
   * @param revisions - All revisions that it supports; the newest that the server supports too is used.
   * @throws TypeError if the list is empty, a handler is for a method that none of the revisions has, or an option is
   *   not what its function returns.
   */
  constructor(revisions: readonly Revision[], options: ClientSettings) {
    const settings = checkedSettings(options);
    this.#settings = settings;
    this.#spoken = new SpokenRevision(newestRevision(revisions), settings);
    for (const method of Object.keys(settings.handlers ?? {})) {
      if (
        revisions.some(
          (item) =>
            maySend(item, "server", "request", method) ||
            Object.hasOwn(item.embedded, method),
        )
      )
        continue;
      throw new TypeError(
        `no server sends the request ${method}, in ${revisions.map(versionOf).join(", ")}`,
      );
    }
    for (const method of Object.keys(settings.notifications ?? {})) {
      if (
        revisions.some((item) =>
          maySend(item, "server", "notification", method),
        )
      )
        continue;
      throw new TypeError(
        `no server sends the notification ${method}, in ${revisions.map(versionOf).join(", ")}`,
      );
    }
    checkVendorNotifications(revisions, settings.vendorNotifications);
    this.#cache = settings.cache?.create();
    this.#keepAlive = settings.keepAlive?.create(
      (callOptions) => this.#endpoint.request(PING, undefined, callOptions),
      (error, policy) => {
        this.#handleDeadConnection(error, policy);
      },
    );
    this.#endpoint = new Endpoint(
      {
        side: "client",
        sessionRevision: () =>
          this.#spoken.revision.isStateless ? undefined : this.revision,
        cancellation: CANCELLATION,
        progress: PROGRESS,
        classify: (value): Classification =>
          this.#spoken.revision.classify(value),
        // Other output of a server is meant for people. MCP 2026-07-28, stdio: a client writes no responses.
        mayRespond: (id) =>
          id !== null &&
          !(this.#isNegotiated && this.#spoken.revision.isStateless),
        handleRequest: (request, exchange) =>
          this.#handleRequest(request, exchange.signal),
        handleNotification: (notification) => {
          this.#handleNotification(notification);
        },
        // MCP 2026-07-28, cancellation: a server sends it only to end a subscription.
        handleCancelled: (id) => {
          if (this.#subscriptions.has(id))
            this.#endpoint.resolveLocally(id, {});
        },
        handleExit: () => this.#negotiation.restarts(),
        handleConnectionEvent: ({ kind }) => {
          if (kind === "sessionRenewed") this.#handleNewSession();
          if (kind === "authorizationChanged") this.#cache?.clearPrivate();
        },
        handleClose: () => {
          this.#keepAlive?.stop();
          this.#cache?.clear();
          this.#subscriptions.clear();
          this.#input.close();
        },
      },
      settings,
    );
    this.#negotiation = new Negotiation(
      revisions,
      settings,
      this.#spoken,
      this.#endpoint,
      (method, result) => this.#validateResult(method, {}, result),
    );
    this.#subscriptions = new ClientSubscriptions(
      settings.timeout,
      (method, params, options) =>
        this.#endpoint.request(method, this.#spoken.withMeta(params), options),
    );
    this.#input = new InputCollector(settings, this.#spoken);
    settings.tasks?.bind(this.#taskPort());
  }

  /** The agreed revision; undefined until the connection is made. */
  get revision(): string | undefined {
    return this.#isNegotiated ? this.#spoken.revision.version : undefined;
  }

  /** What the server said about itself. */
  get server(): ServerInfo {
    return this.#server;
  }

  /** Resolves when the connection is over. */
  get closed(): Promise<void> {
    return this.#endpoint.closed;
  }

  /** The number of requests from the server being handled, and of requests to it waiting for a response. */
  get inFlight(): { readonly inbound: number; readonly outbound: number } {
    return this.#endpoint.inFlight;
  }

  /**
   * Connects and agrees on a revision: sends `server/discover` if the client supports a stateless revision, and falls
   * back to `initialize` if the server does not know that (MCP 2026-07-28, stdio, backward compatibility).
   *
   * @throws UnsupportedRevisionError if they have no revision in common, after closing the connection; any error of the
   *   transport or the server.
   */
  async connect(
    transport: Transport,
    options: ConnectOptions = {},
  ): Promise<void> {
    await this.#endpoint.connect(transport);
    this.#transport = transport;
    try {
      this.#server = await this.#negotiation.agree(transport, options);
      this.#isNegotiated = true;
      transport.setProtocolVersion?.(this.#spoken.revision.version);
      if (!this.#spoken.revision.isStateless) {
        this.#endpoint.notify("notifications/initialized");
        await this.#setLogLevel();
      }
      if (
        this.#endpoint.isOpen &&
        maySend(this.#spoken.revision, "client", "request", PING)
      )
        this.#keepAlive?.start();
    } catch (error) {
      await this.#endpoint.close();
      throw error;
    }
  }

  /** A stateless revision has the level in each request instead. */
  async #setLogLevel(): Promise<void> {
    const { logLevel: level } = this.#settings;
    if (level !== undefined && "logging" in this.#server.capabilities)
      await this.request("logging/setLevel", { level });
  }

  /** Ends the connection. Pending calls are rejected with a `ConnectionClosedError`. */
  async close(): Promise<void> {
    await this.#endpoint.close();
  }

  /**
   * Half-close: sends nothing more, waits for the answers to all pending calls, and closes. The server is notified of
   * the end where the transport can do that, as over stdio. A call whose server requires input fails, since the input
   * cannot be sent any more.
   */
  async end(): Promise<void> {
    await this.#endpoint.end();
  }

  /**
   * Sends a request, unless a cached result of it is fresh. Handlers provide the input that the server requests on the
   * way.
   *
   * @returns The complete result; a cached one is a copy.
   * @throws RpcError if the server responds with an error; CapabilityError or UnsupportedMethodError before anything is
   *   sent; InvalidResultError; TooManyRoundsError; any error of {@link Endpoint.request}.
   */
  request(
    method: string,
    params?: object,
    options?: CallOptions,
  ): Promise<object> {
    const { tasks } = this.#settings;
    if (tasks !== undefined && method === "tools/call")
      return this.#callToolWithTasks(tasks, params, options);
    return this.#requestOnce(method, params, options);
  }

  async #callToolWithTasks(
    tasks: TaskFollower,
    params: object | undefined,
    options: CallOptions | undefined,
  ): Promise<object> {
    // A caller that adds `task` itself gets the task (MCP 2025-11-25).
    if (hasTask(params))
      return this.#requestOnce("tools/call", params, options);
    this.#refuseUnsupported("tools/call", "request");
    return tasks.callTool(params ?? {}, options);
  }

  #requestOnce(
    method: string,
    params: object | undefined,
    options: CallOptions | undefined,
  ): Promise<object> {
    if (this.#cache === undefined)
      return this.#requestInRounds(method, params, options);
    const unsupported = this.#whyUnsupported(method, "request");
    if (unsupported !== undefined) return Promise.reject(unsupported);
    return this.#cache.request(
      method,
      params,
      options,
      () => this.#transport?.checkAuthorization?.(),
      (store) => this.#requestInRounds(method, params, options, store),
    );
  }

  /** @internal Follows the tasks of this client; undefined unless the option `tasks` is set. */
  get tasks(): TaskFollower | undefined {
    return this.#settings.tasks;
  }

  #taskPort(): TaskPort {
    const spoken = this.#spoken;
    const serverCapabilities = (): object => this.#server.capabilities;
    return {
      get revision() {
        return spoken.revision;
      },
      get serverCapabilities() {
        return serverCapabilities();
      },
      send: (method, params, options) =>
        this.#requestInRounds(method, params, options),
      collectInputs: async (inputRequests, signal) => {
        const collected = await this.#input.collect({ inputRequests }, signal);
        return (collected as { readonly inputResponses: object })
          .inputResponses;
      },
      listen: (filter, options) => this.openSubscription(filter, options),
    };
  }

  /** Removes all results from the cache. Results of running requests are not cached either. */
  clearCache(): void {
    this.#cache?.clear();
  }

  /**
   * Sends a request, and repeats it with the input that the server requires.
   *
   * @param onFirstResult - Receives the result if it needs no input (MCP 2026-07-28, caching, cache key: others must not
   *   be cached).
   */
  #requestInRounds(
    method: string,
    params: object | undefined,
    options: CallOptions | undefined,
    onFirstResult?: (result: object) => void,
  ): Promise<object> {
    const unsupported = this.#whyUnsupported(method, "request");
    if (unsupported !== undefined) return Promise.reject(unsupported);
    if (this.#spoken.revision.isStateless)
      return this.#sendRound(method, params, options, onFirstResult, 0);
    return this.#endpoint.request(method, params, options, (result) => {
      const checked = this.#validateResult(method, params, result);
      onFirstResult?.(checked);
      return checked;
    });
  }

  /** One round of a request of a stateless revision; in others, results that require input have no special meaning. */
  #sendRound(
    method: string,
    params: object | undefined,
    options: CallOptions | undefined,
    onFirstResult: ((result: object) => void) | undefined,
    round: number,
    roundParams?: object,
  ): Promise<object> {
    let sentParams: object;
    try {
      sentParams = this.#spoken.withMeta(params, roundParams);
    } catch (error) {
      // A getter of the params has thrown.
      const thrown = error as Error;
      return Promise.reject(thrown);
    }
    return this.#endpoint.request(method, sentParams, options, (result) => {
      const checked = this.#validateResult(method, params, result);
      if (isTaskResult(checked)) this.#refuseUndeclaredTask(method);
      if (!isInputRequired(checked)) {
        if (round === 0) onFirstResult?.(checked);
        return checked;
      }
      return this.#collectInput(method, options, round, checked).then((input) =>
        this.#sendRound(method, params, options, undefined, round + 1, input),
      );
    });
  }

  /** The input that a result requires, as params of the next round. */
  async #collectInput(
    method: string,
    options: CallOptions | undefined,
    round: number,
    result: InputRequiredResult,
  ): Promise<object> {
    const maxRounds = this.#settings.maxRounds ?? DEFAULT_MAX_ROUNDS;
    // MCP 2026-07-28, multi round-trip requests: repeating the same request would return the same result.
    if (result.inputRequests === undefined && result.requestState === undefined)
      throw new InvalidResultError(method, {
        path: "/inputRequests",
        reason: "missing",
        expected: "inputRequests or requestState, since input is required",
        found: "neither",
      });
    if (round >= maxRounds) throw new TooManyRoundsError(method, maxRounds);
    return this.#input.collect(result, options?.signal);
  }

  /**
   * Rejects a task that this client cannot follow: its methods return final results.
   * Tasks extension, Capability Negotiation: a server makes tasks only for clients that declare the extension.
   */
  #refuseUndeclaredTask(method: string): void {
    const { extensions = [] } = this.#spoken.revision;
    const isToolCall = method === "tools/call";
    // Another extension may have a result of the same type; validation rejects those that no extension has.
    const isValidated = this.#settings.validateResults !== false;
    if (extensions.length > 0 && !extensions.includes(TASKS_EXTENSION)) return;
    if (!isToolCall && isValidated) return;
    const needed = [`client.extensions.${TASKS_EXTENSION}`];
    if (
      isToolCall &&
      this.#settings.tasks !== undefined &&
      missingCapability(needed, "client", this.#spoken.capabilities) ===
        undefined
    )
      return;
    throw new InvalidResultError(method, {
      path: "/resultType",
      reason: "value",
      expected: isToolCall
        ? "a final result: to follow tasks, create the client with `tasks: clientTasks()`"
        : "a final result, since only calls of tools become tasks",
      found: '"task"',
    });
  }

  /** All items of a paged list, by the rules of the agreed revision. */
  protected allPages<
    Page extends { readonly nextCursor?: string | null | undefined },
    Item,
  >(
    fetch: (cursor: string | undefined) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
  ): AsyncGenerator<Item, void, undefined> {
    return allPages(
      fetch,
      itemsOf,
      MAX_LIST_PAGES,
      () => !this.#spoken.revision.isStateless,
    );
  }

  /** Sends a notification. */
  notify<M extends keyof Notifications & string>(
    method: M,
    params?: Notifications[M],
  ): void {
    this.#refuseUnsupported(method, "notification");
    this.#endpoint.notify(method, params as object | undefined);
  }

  /**
   * Opens a subscription and waits for the server to acknowledge it.
   *
   * @param filter - The notifications to receive.
   */
  async openSubscription(
    filter: object,
    options: ListenOptions = {},
  ): Promise<Subscription> {
    this.#refuseUnsupported("subscriptions/listen", "request");
    return this.#subscriptions.open(filter, options);
  }

  /** The server keeps nothing of the former session. */
  #handleNewSession(): void {
    this.#cache?.clear();
    if (this.#isNegotiated)
      this.#setLogLevel().catch((error: unknown) => {
        this.#endpoint.emit({ kind: "transportFailed", error });
      });
  }

  /** A ping had no response. */
  #handleDeadConnection(
    error: unknown,
    policy: NonNullable<KeepAliveOptions["onFailure"]>,
  ): void {
    this.#endpoint.emit({ kind: "pingFailed", error });
    if (policy === "report") return;
    if (policy === "reconnect" && this.#transport?.reconnect !== undefined)
      this.#transport.reconnect();
    else
      this.close().catch((closeError: unknown) => {
        this.#endpoint.emit({ kind: "transportFailed", error: closeError });
      });
  }

  /** @throws The error that says why this client may not send a method to this server. */
  #refuseUnsupported(method: string, kind: "request" | "notification"): void {
    const error = this.#whyUnsupported(method, kind);
    if (error !== undefined) throw error;
  }

  #whyUnsupported(
    method: string,
    kind: "request" | "notification",
  ): Error | undefined {
    if (this.#supported[kind].has(method)) return undefined;
    const revision = this.#spoken.revision;
    if (!this.#isNegotiated)
      return new ConnectionClosedError("there is no connection yet", {
        mayHaveRun: false,
      });
    if (!maySend(revision, "client", kind, method))
      return new UnsupportedMethodError(method, revision.version);
    if (this.#settings.ignoreCapabilities !== true) {
      const needed = revision.methods[method]?.capabilities ?? [];
      const missing =
        kind === "request"
          ? missingCapability(needed, "server", this.#server.capabilities)
          : missingCapability(needed, "client", this.#spoken.capabilities);
      if (missing !== undefined)
        return new CapabilityError(
          method,
          missing,
          kind === "request" ? "the server" : "this client",
        );
    }
    this.#supported[kind].add(method);
    return undefined;
  }

  #validateResult(
    method: string,
    params: object | undefined,
    result: object,
  ): object {
    if (this.#settings.validateResults === false) return result;
    const { validateTaskResult } = this.#spoken.revision;
    const isTask = validateTaskResult !== undefined && hasTask(params);
    const validate = isTask
      ? validateTaskResult
      : this.#spoken.revision.validateResult;
    const outcome = validate(
      method,
      result,
      this.#settings.lenient === undefined
        ? undefined
        : { lenient: this.#settings.lenient },
    );
    if (outcome.success) return outcome.value as object;
    throw new InvalidResultError(method, outcome.failure);
  }

  #handleRequest(
    request: Request,
    signal: AbortSignal,
  ): object | Promise<object> {
    const { method, params } = request;
    const revision = this.#spoken.revision;
    if (!maySend(revision, "server", "request", method))
      throw methodNotFoundError(method);
    const needed = revision.methods[method]?.capabilities ?? [];
    if (
      missingCapability(needed, "client", this.#spoken.capabilities) !==
      undefined
    )
      throw methodNotFoundError(method);
    const handler = this.#settings.handlers?.[method];
    if (handler === undefined && method !== PING)
      throw methodNotFoundError(method);
    const outcome = revision.validateParams(method, params);
    if (!outcome.success) throw invalidParamsError(outcome.failure);
    return handler === undefined
      ? {}
      : this.#input.answer(handler, method, params ?? {}, signal);
  }

  #handleNotification(notification: Notification): void {
    const { method, params } = notification;
    const revision = this.#spoken.revision;
    // Before a handler runs, since it may request the list again.
    this.#cache?.handleNotification(method, params);
    if (method === "notifications/tools/list_changed")
      this.#settings.tasks?.forgetTools();
    if (!maySend(revision, "server", "notification", method)) {
      handleUnknownNotification(
        this.#endpoint,
        this.#settings,
        notification,
        undefined,
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
    const listener =
      params === undefined
        ? undefined
        : this.#subscriptions.listenerOf(method, params);
    if (listener !== undefined)
      void this.#endpoint.runNotificationHandler(method, listener);
    const handler = this.#settings.notifications?.[method];
    if (handler !== undefined)
      void this.#endpoint.runNotificationHandler(method, () =>
        handler((params ?? {}) as never),
      );
  }
}

/** Whether a result names a task instead of being final (Tasks extension, Polymorphic Results). */
function isTaskResult(result: object): boolean {
  return (result as { readonly resultType?: unknown }).resultType === "task";
}

/** Whether params request a task, as they may in 2025-11-25. */
function hasTask(params: object | undefined): boolean {
  return (
    (params as { readonly task?: unknown } | undefined)?.task !== undefined
  );
}
