/**
 * Connections of a protocol that is plain JSON-RPC between two sides: typed calls, and handlers whose params are
 * validated. The generated files of the two sides, which are named after them, have the types of its methods.
 */
import { Endpoint } from "./jsonrpc/endpoint.js";
import type {
  CallOptions,
  CancellationRule,
  EndpointOptions,
  InboundRequest,
  ProgressRule,
} from "./jsonrpc/endpoint.js";
import { ConnectionClosedError } from "./jsonrpc/call-errors.js";
import {
  RpcError,
  STANDARD_ERROR_CODES,
  methodNotFoundError,
  truncate,
} from "./jsonrpc/error-codes.js";
import type { Notification, Request, RequestId } from "./jsonrpc/message.js";
import type { Classification } from "./jsonrpc/parse.js";
import type { Transport } from "./jsonrpc/transport.js";
import {
  InvalidResultError,
  invalidParamsError,
} from "./protocol/invalid-params.js";
import { describeFailure } from "./validation.js";
import type { Validation } from "./validation.js";
export type { CallOptions, EndpointEvent } from "./jsonrpc/endpoint.js";
export { RpcError, STANDARD_ERROR_CODES } from "./jsonrpc/error-codes.js";
export { ConnectionClosedError, TimeoutError } from "./jsonrpc/call-errors.js";
export type { Transport } from "./jsonrpc/transport.js";
export { memoryPair } from "./memory.js";
export { InvalidResultError } from "./protocol/invalid-params.js";

/** What the generated files of a protocol know about its messages. */
export interface PeerProtocol<Side extends string> {
  readonly classify: (value: unknown) => Classification;
  /** What a method means when a side sends it. */
  readonly lookupMethod: (
    message: Request | Notification,
    sender: Side,
  ) => "known" | "unknown" | "wrongDirection" | "wrongKind";
  readonly validateParams: (
    method: string,
    params: unknown,
  ) => Validation<unknown>;
  readonly validateResult: (
    method: string,
    result: unknown,
  ) => Validation<unknown>;
  readonly cancellation?: CancellationRule;
  readonly progress?: ProgressRule;
  /** How one side opens the conversation; absent if either may begin. */
  readonly handshake?: HandshakeRule<Side>;
  /** What the names of methods begin with that the protocol does not define; undefined if it allows none. */
  readonly extensionPrefix?: string;
}

/** How one side opens the conversation; the other one sends nothing until then. */
export interface HandshakeRule<Side extends string> {
  readonly opener: Side;
  /** The request that opens it. */
  readonly request: string;
  /** The notification that the same side sends after the result. */
  readonly ready: string;
  /** Methods that the other side may send before. */
  readonly except?: readonly string[];
}

/** What a handler gets in addition to the params. */
export interface PeerContext {
  /** The id of the request. */
  readonly requestId: RequestId;
  /** Aborted if the request is cancelled, or the connection ends. */
  readonly signal: AbortSignal;
}

/** A handler of requests, without its types. */
export type PeerRequestHandler = (
  params: never,
  context: never,
) => object | Promise<object>;

/** A handler of notifications, without its types. */
export type PeerNotificationHandler = (
  params: never,
  context: never,
) => void | Promise<void>;

/** Handlers of methods that the protocol does not define. The params are not validated. */
export interface ExtensionHandlers<
  Context,
  Params,
  Result,
  NotificationParams,
> {
  /** Handles a request; an `RpcError` that it throws becomes the response. */
  readonly request?:
    | ((
        method: string,
        params: Params,
        context: Context & PeerContext,
      ) => Result | Promise<Result>)
    | undefined;
  readonly notification?:
    | ((
        method: string,
        params: NotificationParams,
        context: Context,
      ) => void | Promise<void>)
    | undefined;
}

/** Settings of a side, without the types of its handlers. */
export interface PeerSettings extends EndpointOptions {
  /**
   * Milliseconds until a call times out, unless it sets its own timeout; no limit by default, since a person may have to
   * decide something before the other side responds.
   */
  readonly timeout?: number | undefined;
  /** Validates params before a handler receives them; on by default. */
  readonly validateParams?: boolean | undefined;
}

/** Settings with handlers, without their types. */
export interface UntypedPeerSettings extends PeerSettings {
  readonly handlers?:
    Readonly<Record<string, PeerRequestHandler | undefined>> | undefined;
  readonly notifications?:
    Readonly<Record<string, PeerNotificationHandler | undefined>> | undefined;
  readonly extensions?:
    ExtensionHandlers<never, never, unknown, never> | undefined;
}

/** The names and the protocol of a side. */
export interface PeerSide<Side extends string> {
  readonly protocol: PeerProtocol<Side>;
  /** The other side, which these connections lead to; also the member of a handler's context that has the connection. */
  readonly peer: Side;
}

/** The types of the calls that a side makes: params and result by method. */
type Calls = Readonly<
  Record<string, { readonly params: unknown; readonly result: unknown }>
>;

/** The arguments for params: optional if the method may have none. */
type ParamsArgument<Params> = undefined extends Params
  ? [params?: Params]
  : [params: Params];

/**
 * A connection to the other side. Generated classes add a method for each request; one that connects is created by
 * `connect` of this side.
 */
export class PeerConnection<
  Requests extends object = Calls,
  Notifications extends object = Record<string, object | undefined>,
  Side extends string = string,
> {
  readonly #side: PeerSide<Side>;
  readonly #settings: UntypedPeerSettings;
  readonly #endpoint: Endpoint;
  /** Whether the other side opens the conversation and has not done so yet. */
  #awaitsOpening: boolean;
  /** Whether the request that opens the conversation had a result. */
  #hasOpened = false;
  readonly #ready: Promise<void>;
  #settleReady: (error?: Error) => void = () => undefined;

  /** @internal */
  constructor(side: PeerSide<Side>, settings: UntypedPeerSettings) {
    const { protocol } = side;
    this.#side = side;
    this.#settings = settings;
    this.#awaitsOpening = protocol.handshake?.opener === side.peer;
    this.#ready = new Promise((resolve, reject) => {
      this.#settleReady = (error) => {
        if (error === undefined) resolve();
        else reject(error);
      };
    });
    // Whoever does not wait for it must not end with an unhandled rejection.
    this.#ready.catch(() => undefined);
    if (!this.#awaitsOpening) this.#settleReady();
    this.#endpoint = new Endpoint(
      {
        cancellation: protocol.cancellation,
        progress: protocol.progress,
        classify: protocol.classify,
        handleRequest: (request, inbound) =>
          this.#handleRequest(request, inbound),
        handleNotification: (notification) => {
          this.#handleNotification(notification);
        },
        handleClose: () => {
          this.#settleReady(
            new ConnectionClosedError(undefined, { mayHaveRun: false }),
          );
        },
      },
      { ...settings, timeout: settings.timeout ?? Number.POSITIVE_INFINITY },
    );
  }

  /** Resolves when the connection is over, whichever side ended it. */
  get closed(): Promise<void> {
    return this.#endpoint.closed;
  }

  /**
   * Resolves when the other side has opened the conversation, if it has to: sending anything before is an error. Rejects
   * with a `ConnectionClosedError` if the connection ends first.
   */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** The number of requests being handled, and of requests to the other side waiting for a response. */
  get inFlight(): { readonly inbound: number; readonly outbound: number } {
    return this.#endpoint.inFlight;
  }

  /** @internal */
  async open(transport: Transport): Promise<void> {
    await this.#endpoint.connect(transport);
  }

  /** Ends the connection. Pending calls are rejected with a `ConnectionClosedError`, and handlers are aborted. */
  async close(): Promise<void> {
    await this.#endpoint.close();
  }

  /** Sends nothing more, waits for the responses to all pending calls, and closes. */
  async end(): Promise<void> {
    await this.#endpoint.end();
  }

  /**
   * Sends a request and validates its result.
   *
   * @throws RpcError if the other side responds with an error; InvalidResultError; TimeoutError; ConnectionClosedError;
   *   the reason of the signal if it is aborted; Error before {@link ready}.
   */
  async request<M extends keyof Requests & string>(
    method: M,
    params: Requests[M] extends { readonly params: infer Params }
      ? Params
      : never,
    options?: CallOptions,
  ): Promise<
    Requests[M] extends { readonly result: infer Result } ? Result : never
  > {
    this.#checkReady(method);
    const result = await this.#endpoint.request(
      method,
      params as object | undefined,
      options,
    );
    const outcome = this.#side.protocol.validateResult(method, result);
    if (!outcome.success) throw new InvalidResultError(method, outcome.failure);
    return result as never;
  }

  /**
   * Sends a notification.
   *
   * @throws Error before {@link ready}.
   */
  notify<M extends keyof Notifications & string>(
    method: M,
    ...[params]: ParamsArgument<Notifications[M]>
  ): void {
    this.#checkReady(method);
    this.#endpoint.notify(method, params as object | undefined);
  }

  #checkReady(method: string): void {
    const { handshake } = this.#side.protocol;
    if (!this.#awaitsOpening || handshake?.except?.includes(method) === true)
      return;
    throw new Error(
      `${truncate(method)} before the ${this.#side.peer} has sent ${handshake?.ready ?? ""}: await \`ready\` first`,
    );
  }

  /**
   * Sends a request that the protocol does not define. Its result is not validated.
   *
   * @throws TypeError if the protocol defines the method or does not allow the name; any error of {@link request}.
   */
  protected async requestExtension(
    method: string,
    params: object | undefined,
    options?: CallOptions,
  ): Promise<object> {
    this.#checkExtension(method);
    this.#checkReady(method);
    return this.#endpoint.request(method, params, options);
  }

  /**
   * Sends a notification that the protocol does not define.
   *
   * @throws TypeError if the protocol defines the method or does not allow the name; Error before {@link ready}.
   */
  protected notifyExtension(method: string, params: object | undefined): void {
    this.#checkExtension(method);
    this.#checkReady(method);
    this.#endpoint.notify(method, params);
  }

  #checkExtension(method: string): void {
    const { protocol, peer } = this.#side;
    const { extensionPrefix } = protocol;
    if (extensionPrefix === undefined)
      throw new TypeError("the protocol has no extension methods");
    if (!method.startsWith(extensionPrefix))
      throw new TypeError(
        `the name of an extension method begins with ${JSON.stringify(extensionPrefix)}, unlike ${JSON.stringify(truncate(method))}`,
      );
    // What a side sends means the same when the other one does, except for the direction.
    if (protocol.lookupMethod({ jsonrpc: "2.0", method }, peer) !== "unknown")
      throw new TypeError(
        `the protocol defines ${JSON.stringify(truncate(method))}: use request or notify, which validate`,
      );
  }

  /** The order of checks: the method, its params, then the handler. */
  #handleRequest(
    request: Request,
    inbound: InboundRequest,
  ): object | Promise<object> {
    const { protocol, peer } = this.#side;
    const { handlers = {}, extensions } = this.#settings;
    const { method, params } = request;
    const context = {
      [peer]: this,
      requestId: request.id,
      get signal(): AbortSignal {
        return inbound.signal;
      },
    };
    const meaning = protocol.lookupMethod(request, peer);
    if (meaning === "unknown" && this.#isExtension(method)) {
      const handler = extensions?.request;
      if (handler === undefined) throw methodNotFoundError(method);
      return handler(method, params as never, context as never) as object;
    }
    if (meaning === "wrongKind")
      throw new RpcError(
        STANDARD_ERROR_CODES.INVALID_REQUEST,
        `Invalid Request: ${truncate(method)} is a notification`,
      );
    const handler = Object.hasOwn(handlers, method)
      ? handlers[method]
      : undefined;
    if (meaning !== "known" || handler === undefined)
      throw methodNotFoundError(method);
    if (this.#settings.validateParams !== false) {
      const outcome = protocol.validateParams(method, params);
      if (!outcome.success) throw invalidParamsError(outcome.failure);
    }
    const outcome = handler(params as never, context as never);
    if (method !== protocol.handshake?.request) return outcome;
    return Promise.resolve(outcome).then((result) => {
      this.#hasOpened = true;
      return result;
    });
  }

  /** A notification has no response, so what is wrong with one is an event. */
  #handleNotification(notification: Notification): void {
    const { protocol, peer } = this.#side;
    const { notifications = {}, extensions } = this.#settings;
    const { method, params } = notification;
    const context = { [peer]: this };
    const meaning = protocol.lookupMethod(notification, peer);
    if (meaning === "unknown" && this.#isExtension(method)) {
      const handler = extensions?.notification;
      if (handler !== undefined) {
        void this.#endpoint.runNotificationHandler(method, () =>
          handler(method, params as never, context as never),
        );
        return;
      }
    }
    if (meaning !== "known") {
      this.#endpoint.emit({ kind: "unknownNotification", method, params });
      return;
    }
    if (this.#settings.validateParams !== false) {
      const outcome = protocol.validateParams(method, params);
      if (!outcome.success) {
        const reason = describeFailure(outcome.failure);
        this.#endpoint.emit({ kind: "invalidNotification", method, reason });
        return;
      }
    }
    if (method === protocol.handshake?.ready && this.#hasOpened) {
      this.#awaitsOpening = false;
      this.#settleReady();
    }
    const handler = Object.hasOwn(notifications, method)
      ? notifications[method]
      : undefined;
    if (handler !== undefined)
      void this.#endpoint.runNotificationHandler(method, () =>
        handler(params as never, context as never),
      );
  }

  #isExtension(method: string): boolean {
    const { extensionPrefix } = this.#side.protocol;
    return extensionPrefix !== undefined && method.startsWith(extensionPrefix);
  }
}

/**
 * Checks that all handlers are for methods that the other side sends.
 *
 * @throws TypeError if one is not.
 */
export function checkHandlers<Side extends string>(
  { protocol, peer }: PeerSide<Side>,
  { handlers = {}, notifications = {} }: UntypedPeerSettings,
): void {
  for (const method of Object.keys(handlers))
    if (
      protocol.lookupMethod({ jsonrpc: "2.0", id: 0, method }, peer) !== "known"
    )
      throw new TypeError(`no ${peer} sends the request ${method}`);
  for (const method of Object.keys(notifications))
    if (protocol.lookupMethod({ jsonrpc: "2.0", method }, peer) !== "known")
      throw new TypeError(`no ${peer} sends the notification ${method}`);
}
