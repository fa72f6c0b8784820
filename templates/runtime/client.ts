import {
  META_KEYS,
  checkVendorNotifications,
  deriveCapabilities,
  maySend,
  methodNotFoundError,
  missingCapability,
  newestRevision,
  truncate,
  unknownNotificationListener,
  versionOf,
} from "./protocol/revision.js";
import type { Implementation, Revision } from "./protocol/revision.js";
import type {
  ClientRequestHandler,
  ClientSettings,
  ListenOptions,
  ServerInfo,
  Subscription,
} from "./client/types.js";
import { Endpoint, toResult } from "./jsonrpc/endpoint.js";
import type { CallOptions } from "./jsonrpc/endpoint.js";
import type { Notification, Request, RequestId } from "./jsonrpc/message.js";
import type { Classification } from "./jsonrpc/parse.js";
import {
  CapabilityError,
  ConnectionClosedError,
  TimeoutError,
  UnsupportedMethodError,
  UnsupportedRevisionError,
} from "./jsonrpc/call-errors.js";
import type { Transport } from "./jsonrpc/transport.js";
import {
  DEFAULT_MAX_INPUT_REQUESTS,
  DEFAULT_MAX_ROUNDS,
  isInputRequired,
} from "./client/input.js";
import type { InputRequiredResult } from "./client/input.js";
import {
  InvalidResultError,
  TooManyInputsError,
  TooManyRoundsError,
} from "./client/errors.js";
import { MAX_LIST_PAGES, allPages } from "./client/pages.js";
import { MAX_TIMER_DELAY_MS } from "./jsonrpc/envelope.js";
import {
  DEFAULT_PROBE_TIMEOUT_MS,
  MAX_OFFERED_VERSIONS,
  isFinalError,
  supportedVersionsIn,
} from "./client/negotiate.js";
import { RpcError, STANDARD_ERROR_CODES } from "./jsonrpc/error-codes.js";
import { describeFailure } from "./validation.js";
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

interface SubscriptionEntry {
  readonly acknowledge: (filter: object) => void;
  readonly onNotification:
    ((method: string, params: object) => void) | undefined;
}

/** A client's side of one connection. The generated `Client` adds a typed method for each request. */
export class BaseClient<
  Notifications extends object = Record<string, object | undefined>,
> {
  readonly #revisions: readonly Revision[];
  readonly #settings: ClientSettings;
  readonly #endpoint: Endpoint;
  readonly #subscriptions = new Map<RequestId, SubscriptionEntry>();
  /** What ends the handlers that give input to a call. */
  readonly #inputAborts = new Set<(reason: Error) => void>();
  #revision: Revision;
  #isNegotiated = false;
  #server: ServerInfo = {
    info: undefined,
    capabilities: {},
    instructions: undefined,
  };
  #meta: object = {};
  /** What it declares in the revision that is spoken. */
  #capabilities: object = {};
  /** Whether an older server may exit at what is being asked; the one that is started then gets `initialize`. */
  #isProbing = false;
  /** What is missing for each method that was sent, or `''`. */
  readonly #missingCapabilities = new Map<string, string>();

  /**
   * @param revisions - All that it speaks; the newest that the server speaks too is taken.
   * @throws TypeError if there is none, or a handler is for a method that none of them has.
   */
  constructor(revisions: readonly Revision[], settings: ClientSettings) {
    this.#revisions = revisions;
    this.#settings = settings;
    this.#revision = newestRevision(revisions);
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
        `no server asks for ${method}, in ${revisions.map(versionOf).join(", ")}`,
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
        `no server sends ${method}, in ${revisions.map(versionOf).join(", ")}`,
      );
    }
    checkVendorNotifications(revisions, settings.vendorNotifications);
    this.#endpoint = new Endpoint(
      {
        classify: (value): Classification => this.#revision.classify(value),
        // What a server writes besides messages is meant for people. MCP 2026-07-28, stdio: a client writes no responses.
        mayRespond: (id) =>
          id !== null && !(this.#isNegotiated && this.#revision.isStateless),
        handleRequest: (request, exchange) =>
          this.#handleRequest(request, exchange.signal),
        handleNotification: (notification) => {
          this.#handleNotification(notification);
        },
        // MCP 2026-07-28, cancellation: from a server it ends a subscription, and nothing else.
        handleCancelled: (id) => {
          if (this.#subscriptions.has(id))
            this.#endpoint.resolveLocally(id, {});
        },
        handleExit: () => this.#restarts(),
        handleClose: () => {
          this.#subscriptions.clear();
          for (const abortInput of this.#inputAborts)
            abortInput(new ConnectionClosedError());
        },
      },
      settings,
    );
  }

  /** The revision that is spoken; undefined until the connection is made. */
  get revision(): string | undefined {
    return this.#isNegotiated ? this.#revision.version : undefined;
  }

  /** What the server said of itself. */
  get server(): ServerInfo {
    return this.#server;
  }

  /** Resolves when the connection is over. */
  get closed(): Promise<void> {
    return this.#endpoint.closed;
  }

  /** How many requests of the server are being handled, and how many of ours wait for an answer. */
  get inFlight(): { readonly inbound: number; readonly outbound: number } {
    return this.#endpoint.inFlight;
  }

  /**
   * Connects, and agrees on a revision: asks `server/discover` if it speaks a stateless one, and falls back to
   * `initialize` if the server does not know that (MCP 2026-07-28, stdio, backward compatibility).
   *
   * @throws UnsupportedRevisionError if there is none in common, and the connection is closed; what the transport and the
   *   server throw.
   */
  async connect(
    transport: Transport,
    options: Pick<CallOptions, "signal" | "timeout"> = {},
  ): Promise<void> {
    await this.#endpoint.connect(transport);
    try {
      const isStateless = await this.#probe(options, transport);
      this.#isProbing = false;
      if (!isStateless) await this.#initialize(options);
      this.#isNegotiated = true;
      this.#missingCapabilities.clear();
      transport.setProtocolVersion?.(this.#revision.version);
      if (!isStateless) this.#endpoint.notify("notifications/initialized");
    } catch (error) {
      await this.#endpoint.close();
      throw error;
    }
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    await this.#endpoint.close();
  }

  /**
   * Sends a request. Input that the server asks for on the way is given by the handlers.
   *
   * @returns The complete result.
   * @throws RpcError if the server answers with an error; CapabilityError or UnsupportedMethodError, with nothing sent;
   *   InvalidResultError; TooManyRoundsError; what {@link Endpoint.request} throws.
   */
  async request(
    method: string,
    params?: object,
    options?: CallOptions,
  ): Promise<object> {
    this.#refuseUnsupported(method, "request");
    const revision = this.#revision;
    const maxRounds = this.#settings.maxRounds ?? DEFAULT_MAX_ROUNDS;
    let roundParams: object | undefined;
    for (let round = 0; ; round += 1) {
      const sentParams = revision.isStateless
        ? this.#withMeta(params, roundParams)
        : params;
      const result = await this.#endpoint.request(method, sentParams, options);
      const checked = this.#validateResult(method, params, result);
      // Elsewhere such a member is one like any other.
      if (!revision.isStateless || !isInputRequired(checked)) return checked;
      // MCP 2026-07-28, multi round-trip requests: to repeat the same request would get the same answer.
      if (
        checked.inputRequests === undefined &&
        checked.requestState === undefined
      )
        throw new InvalidResultError(method, {
          path: "/inputRequests",
          reason: "missing",
          expected: "inputRequests or requestState, as input is required",
          found: "neither",
        });
      if (round >= maxRounds) throw new TooManyRoundsError(method, maxRounds);
      roundParams = await this.#collectInput(checked, options?.signal);
    }
  }

  /** All items of a paged list, by the rules of the revision that is spoken. */
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
      () => !this.#revision.isStateless,
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
   * @param filter - What to be told of.
   */
  async openSubscription(
    filter: object,
    options: ListenOptions = {},
  ): Promise<Subscription> {
    const method = "subscriptions/listen";
    this.#refuseUnsupported(method, "request");
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort(options.signal?.reason);
    };
    options.signal?.throwIfAborted();
    options.signal?.addEventListener("abort", abort, { once: true });
    let id: RequestId = 0;
    try {
      let acknowledge: (filter: object) => void = () => undefined;
      const acknowledged = new Promise<object>((resolve) => {
        acknowledge = resolve;
      });
      const answered = this.#endpoint.request(
        method,
        this.#withMeta({ notifications: filter }),
        {
          signal: controller.signal,
          timeout: Number.POSITIVE_INFINITY,
          onSent: (sentId) => {
            id = sentId;
            this.#subscriptions.set(id, {
              acknowledge,
              onNotification: options.onNotification,
            });
          },
        },
      );
      const ended = answered
        .then(
          () => undefined,
          (error: unknown) => {
            if (!controller.signal.aborted) throw error;
          },
        )
        .finally(() => {
          this.#subscriptions.delete(id);
          options.signal?.removeEventListener("abort", abort);
        });
      // Who never looks at it must not be told of it as an unhandled rejection.
      ended.catch(() => undefined);
      const agreed = await this.#withTimeout(
        Promise.race([acknowledged, answered.then(() => ({}))]),
        controller,
        options.timeout,
      );
      return {
        id,
        filter: agreed,
        ended,
        close: () => {
          controller.abort(new Error("the subscription is closed"));
        },
      };
    } catch (error) {
      controller.abort(error);
      throw error;
    }
  }

  async #withTimeout(
    promise: Promise<object>,
    controller: AbortController,
    timeout = this.#settings.timeout ?? 60_000,
  ): Promise<object> {
    if (timeout === Number.POSITIVE_INFINITY) return promise;
    const timer = setTimeout(
      () => {
        controller.abort(new TimeoutError("subscriptions/listen", timeout));
      },
      Math.min(timeout, MAX_TIMER_DELAY_MS),
    );
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Asks a stateless server what it speaks; false if it is an older one. */
  async #probe(
    options: Pick<CallOptions, "signal" | "timeout">,
    transport: Transport,
  ): Promise<boolean> {
    const { rejectsUnknownMethods = false } = transport;
    const stateless = this.#revisions.filter(({ isStateless }) => isStateless);
    if (stateless.length === 0) return false;
    const hasOlder = stateless.length < this.#revisions.length;
    if (hasOlder && transport.needsInitialize === true) return false;
    this.#isProbing = hasOlder;
    let proposed = newestRevision(stateless);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      this.#useRevision(proposed);
      let discovered: object;
      try {
        discovered = await this.#endpoint.request(
          "server/discover",
          this.#withMeta({}),
          {
            ...options,
            ...(hasOlder && !rejectsUnknownMethods
              ? {
                  timeout:
                    this.#settings.probeTimeout ?? DEFAULT_PROBE_TIMEOUT_MS,
                }
              : {}),
          },
        );
      } catch (error) {
        options.signal?.throwIfAborted();
        const supported = supportedVersionsIn(error);
        if (supported === undefined) {
          if (
            !this.#endpoint.isOpen ||
            isFinalError(error) ||
            (!hasOlder && !(error instanceof RpcError))
          )
            throw error;
          if (hasOlder) return false;
          throw new UnsupportedRevisionError([], stateless.map(versionOf));
        }
        const common = this.#newestCommon(stateless, supported, hasOlder);
        if (common === undefined) return false;
        proposed = common;
        continue;
      }
      let checked: object;
      try {
        checked = this.#validateResult("server/discover", {}, discovered);
      } catch (error) {
        // An older server may answer whatever it is asked.
        if (hasOlder) return false;
        throw error;
      }
      const { supportedVersions, capabilities, instructions, _meta } =
        checked as {
          readonly supportedVersions: readonly string[];
          readonly capabilities: object;
          readonly instructions?: string;
          readonly _meta?: Readonly<Record<string, unknown>>;
        };
      const common = this.#newestCommon(
        stateless,
        supportedVersions.slice(0, MAX_OFFERED_VERSIONS).map(truncate),
        hasOlder,
      );
      if (common === undefined) return false;
      this.#useRevision(common);
      this.#server = {
        info: _meta?.[META_KEYS.SERVER_INFO] as Implementation | undefined,
        capabilities,
        instructions,
      };
      return true;
    }
    if (hasOlder) return false;
    throw new UnsupportedRevisionError([], stateless.map(versionOf));
  }

  /** The newest that both speak; undefined if there is none but older ones are left to try. */
  #newestCommon(
    ours: readonly Revision[],
    theirs: readonly string[],
    hasOlder: boolean,
  ): Revision | undefined {
    const both = ours.filter(({ version }) => theirs.includes(version));
    if (both.length > 0) return newestRevision(both);
    if (hasOlder) return undefined;
    throw new UnsupportedRevisionError(theirs, this.#revisions.map(versionOf));
  }

  /** Whether a server that has exited is started again: if it did instead of answering the probe. */
  #restarts(): boolean {
    if (!this.#isProbing) return false;
    this.#isProbing = false;
    this.#endpoint.emit({ kind: "serverRestarted", method: "server/discover" });
    return true;
  }

  /** MCP, lifecycle: the handshake of the stateful revisions. */
  async #initialize(
    options: Pick<CallOptions, "signal" | "timeout">,
  ): Promise<void> {
    const stateful = this.#revisions.filter(({ isStateless }) => !isStateless);
    this.#useRevision(newestRevision(stateful));
    const { version } = this.#revision;
    const result = (await this.#endpoint.request(
      "initialize",
      {
        protocolVersion: version,
        capabilities: this.#capabilities,
        clientInfo: this.#settings.info,
      },
      options,
    )) as {
      readonly protocolVersion?: unknown;
      readonly capabilities?: object;
      readonly serverInfo?: Implementation;
      readonly instructions?: string;
    };
    const agreed = stateful.find(
      (item) => item.version === result.protocolVersion,
    );
    if (agreed === undefined) {
      throw new UnsupportedRevisionError(
        [
          typeof result.protocolVersion === "string"
            ? truncate(result.protocolVersion)
            : "what is no version",
        ],
        this.#revisions.map(versionOf),
      );
    }
    this.#useRevision(agreed);
    this.#validateResult("initialize", {}, result);
    this.#server = {
      info: result.serverInfo,
      capabilities: result.capabilities ?? {},
      instructions: result.instructions,
    };
  }

  #useRevision(revision: Revision): void {
    this.#revision = revision;
    this.#capabilities = deriveCapabilities(
      revision,
      this.#settings.handlers ?? {},
      this.#settings.capabilities,
    );
    this.#meta = {
      [META_KEYS.VERSION]: revision.version,
      [META_KEYS.CLIENT_INFO]: this.#settings.info,
      [META_KEYS.CLIENT_CAPABILITIES]: this.#capabilities,
    };
  }

  #withMeta(params: object | undefined, roundParams?: object): object {
    const ownMeta = (params as { readonly _meta?: object } | undefined)?._meta;
    // Not spread: in Node 20, members that are added to a spread copy cost twenty times as much.
    return Object.assign({}, params, roundParams, {
      _meta: Object.assign({}, this.#meta, ownMeta),
    });
  }

  #refuseUnsupported(method: string, kind: "request" | "notification"): void {
    const revision = this.#revision;
    if (!this.#isNegotiated)
      throw new ConnectionClosedError("there is no connection yet");
    if (!maySend(revision, "client", kind, method))
      throw new UnsupportedMethodError(method, revision.version);
    if (this.#settings.ignoreCapabilities === true) return;
    let missing = this.#missingCapabilities.get(method);
    if (missing === undefined) {
      const needed = revision.methods[method]?.capabilities ?? [];
      const [side, declared] =
        kind === "request"
          ? (["server", this.#server.capabilities] as const)
          : (["client", this.#capabilities] as const);
      missing = missingCapability(needed, side, declared) ?? "";
      this.#missingCapabilities.set(method, missing);
    }
    if (missing !== "") throw new CapabilityError(method, missing);
  }

  #validateResult(
    method: string,
    params: object | undefined,
    result: object,
  ): object {
    if (this.#settings.validateResults === false) return result;
    const { validateTaskResult } = this.#revision;
    const isTask =
      validateTaskResult !== undefined &&
      (params as { readonly task?: unknown } | undefined)?.task !== undefined;
    const validate = isTask
      ? validateTaskResult
      : this.#revision.validateResult;
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

  /** Has the handlers answer what a server asks for, and gives what to add to the next round. */
  async #collectInput(
    result: InputRequiredResult,
    signal: AbortSignal | undefined,
  ): Promise<object> {
    const { inputRequests = {}, requestState } = result;
    const requests = Object.entries(inputRequests);
    const maxRequests =
      this.#settings.maxInputRequests ?? DEFAULT_MAX_INPUT_REQUESTS;
    if (requests.length > maxRequests)
      throw new TooManyInputsError(requests.length, maxRequests);
    signal?.throwIfAborted();
    const controller = new AbortController();
    let abortInput: (reason: Error) => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      abortInput = (reason) => {
        controller.abort(reason);
        reject(reason);
      };
    });
    const onAbort = (): void => {
      abortInput(signal?.reason as Error);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#inputAborts.add(abortInput);
    const handled = requests.map(async ([key, { method, params }]) => {
      const response = await this.#inputHandler(method)(
        (params ?? {}) as never,
        { method, key, signal: controller.signal },
      );
      return [key, toResult(response)] as const;
    });
    let inputResponses: object;
    try {
      // A handler that never ends must not outlive the call.
      inputResponses = Object.fromEntries(
        await Promise.race([aborted, Promise.all(handled)]),
      );
    } catch (error) {
      controller.abort(error);
      throw error;
    } finally {
      this.#inputAborts.delete(abortInput);
      signal?.removeEventListener("abort", onAbort);
    }
    return {
      ...(result.inputRequests === undefined ? {} : { inputResponses }),
      // MCP 2026-07-28, multi round-trip requests: exactly as it came, and only if it came.
      ...(requestState === undefined ? {} : { requestState }),
    };
  }

  /** @throws CapabilityError if the server asks for what this client does not declare. */
  #inputHandler(method: string): ClientRequestHandler {
    const { embedded } = this.#revision;
    const needed = Object.hasOwn(embedded, method)
      ? (embedded[method]?.capabilities ?? [])
      : [`client.${method}`];
    const handler = this.#settings.handlers?.[method];
    const missing = missingCapability(needed, "client", this.#capabilities);
    if (handler === undefined || missing !== undefined)
      throw new CapabilityError(
        method,
        missing ?? needed[0] ?? `client.${method}`,
        "this client",
      );
    return handler;
  }

  #handleRequest(
    request: Request,
    signal: AbortSignal,
  ): object | Promise<object> {
    const { method, params } = request;
    const revision = this.#revision;
    if (!maySend(revision, "server", "request", method))
      throw methodNotFoundError(method);
    const needed = revision.methods[method]?.capabilities ?? [];
    if (missingCapability(needed, "client", this.#capabilities) !== undefined)
      throw methodNotFoundError(method);
    const handler = this.#settings.handlers?.[method];
    if (handler === undefined && method !== "ping")
      throw methodNotFoundError(method);
    const outcome = revision.validateParams(method, params);
    if (!outcome.success) {
      const { path, expected, found } = outcome.failure;
      throw new RpcError(
        STANDARD_ERROR_CODES.INVALID_PARAMS,
        `Invalid params: ${describeFailure(outcome.failure)}`,
        {
          path,
          expected,
          found,
        },
      );
    }
    return handler === undefined
      ? {}
      : handler((params ?? {}) as never, { method, key: undefined, signal });
  }

  #handleNotification(notification: Notification): void {
    const { method, params } = notification;
    const revision = this.#revision;
    if (!maySend(revision, "server", "notification", method)) {
      this.#handleUnknownNotification(notification);
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
    if (params !== undefined) this.#routeToSubscription(method, params);
    const handler = this.#settings.notifications?.[method];
    if (handler !== undefined)
      void this.#runNotificationHandler(method, () =>
        handler((params ?? {}) as never),
      );
  }

  /** A notification that the revision does not know. */
  #handleUnknownNotification(notification: Notification): void {
    const { method, params } = notification;
    const listener = unknownNotificationListener(
      this.#settings,
      notification,
      undefined,
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

  /** Gives what belongs to a subscription to it. */
  #routeToSubscription(method: string, params: object): void {
    const tag = (
      params as { readonly _meta?: Readonly<Record<string, unknown>> }
    )._meta?.[META_KEYS.SUBSCRIPTION];
    const subscription = this.#subscriptions.get(tag as RequestId);
    if (subscription === undefined) return;
    if (method === "notifications/subscriptions/acknowledged") {
      subscription.acknowledge(
        (params as { readonly notifications: object }).notifications,
      );
    } else
      void this.#runNotificationHandler(method, () =>
        subscription.onNotification?.(method, params),
      );
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
}
