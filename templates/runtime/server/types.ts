/** Types of servers: settings, handlers, and their contexts. */
import type { RequestId } from "../jsonrpc/message.js";
import type { CallOptions } from "../jsonrpc/endpoint.js";
import type {
  EmbeddedRequest,
  Implementation,
  LogLevel,
  Revision,
} from "../protocol/revision.js";
export type { EmbeddedRequest } from "../protocol/revision.js";

/** The context of a request's handler. The generated `ServerContext` is typed. */
export interface HandlerContext {
  /** The request's id, as the client chose it. */
  readonly id: RequestId;
  /** The method of the request, such as `tools/call`. */
  readonly method: string;
  /** The revision of this request, such as `2025-11-25`. */
  readonly revision: string;
  /** The name, version and capabilities of the client that sent the request. */
  readonly client: ClientInfo;
  /** Aborted when the client cancels the request or the connection closes. */
  readonly signal: AbortSignal;
  /** The state passed to {@link requireInput} in the previous round; undefined in the first. */
  readonly state: unknown;
  /** What the transport knows about the request in addition to the message. */
  readonly extra: unknown;
  /**
   * Reports how much is done, of how much, and what. Sent if the request has a progress token, and if `progress` is
   * greater than before.
   */
  progress(
    this: void,
    progress: number,
    total?: number,
    message?: string,
  ): void;
  /**
   * Sends a log message to the client, if the server declares `logging` and the client wants messages of this level.
   * `logger` names the part of the program that logs.
   */
  log(this: void, level: LogLevel, data: unknown, logger?: string): void;
  /**
   * Sends a notification. One of changes (`notifications/tools/list_changed`, `notifications/resources/updated` and the
   * like) goes to every client that should know, as with `server.notify`; any other belongs to the request.
   */
  notify(this: void, method: string, params?: object): void;
  /** Sends a request to the client of a stateful revision, and waits for its result. */
  request(
    this: void,
    method: string,
    params?: object,
    options?: CallOptions,
  ): Promise<object>;
  /** Has the client of a stateful revision ask its language model. */
  sampling(this: void, params: object, options?: CallOptions): Promise<object>;
  /** Has the client of a stateful revision ask its user. */
  elicitation(
    this: void,
    params: object,
    options?: CallOptions,
  ): Promise<object>;
  /** Asks the client of a stateful revision for the folders that its user has opened. */
  roots(this: void, params?: object, options?: CallOptions): Promise<object>;
  /**
   * Requests input from the client, all of it at once, and returns the answers under the same keys. The generated
   * `ServerContext` has the types of requests and answers.
   *
   * In a stateful revision (up to 2025-11-25), each request is sent to the client, and the call waits for the answers.
   * In a stateless one (from 2026-07-28), the first call ends the handler: the client receives the requests, and calls
   * again with the answers. Then the handler runs again from its start, and this call returns the answers. So ask
   * first and act afterwards: what comes before it runs in each round.
   *
   * Do not catch what it throws. `state` is what `context.state` will be in the next round of a stateless revision; it
   * is signed, but not secret.
   */
  requireInput(
    this: void,
    requests: Readonly<Record<string, EmbeddedRequest>>,
    state?: unknown,
  ): Promise<Record<string, object>>;
}

/**
 * The capabilities of a client, in all revisions: what is absent is not declared. An object without members declares a
 * capability.
 */
export interface DeclaredCapabilities {
  /** The client can ask its user: with forms (also if neither member is present), and by visits to a URL. */
  readonly elicitation?: { readonly form?: object; readonly url?: object };
  /** The client can ask its language model, and may let it call tools or include context. */
  readonly sampling?: { readonly context?: object; readonly tools?: object };
  /** The client can list the folders that its user has opened, and may notify of changes. */
  readonly roots?: { readonly listChanged?: boolean };
  /** The client can run requests as tasks (2025-11-25). */
  readonly tasks?: object;
  /** Extensions of the protocol, by name (from 2026-07-28). */
  readonly extensions?: Readonly<Record<string, object>>;
  /** Capabilities outside of the protocol, by name. */
  readonly experimental?: Readonly<Record<string, object>>;
}

/**
 * What a client says about itself: once in a session, or with each request of a stateless revision.
 *
 * @typeParam Capabilities - The `ClientCapabilities` of a revision. Those of all others are known too, since a server may
 *   speak several.
 */
export interface ClientInfo<Capabilities = unknown> {
  /** Its name and version; undefined if it sends none, which 2026-07-28 allows. */
  readonly info: Implementation | undefined;
  /** What it can do. {@link canElicit}, {@link canSample} and {@link canListRoots} check what a request needs. */
  readonly capabilities: DeclaredCapabilities & Capabilities;
}

/**
 * What the runtime's own extensions find in the context of a request in addition to {@link HandlerContext}.
 *
 * @internal
 */
export interface InputValidator {
  /**
   * The answer to a request for input.
   *
   * @throws RpcError if it does not match the request.
   */
  validInput(
    key: string,
    request: EmbeddedRequest,
    response: unknown,
  ): Promise<object>;
  /** Whether the revision of the request has another request that clients may send. */
  hasRequest(method: string): boolean;
}

/** Who opens a subscription. */
export interface ListenContext {
  readonly client: ClientInfo;
  /** What the transport knows about the request. */
  readonly extra: unknown;
}

/** A part of `subscriptions/listen` that an extension serves. */
export interface ListenSource {
  /**
   * The part of a requested filter that the client will receive.
   *
   * @throws RpcError if the client may not request it.
   */
  agree(
    filter: Readonly<Record<string, unknown>>,
    context: ListenContext,
  ): Promise<object>;
  /**
   * Starts to send notifications, once the subscription is acknowledged. Returns a function that ends this.
   *
   * @param agreed - What {@link agree} returned.
   */
  open(
    agreed: Readonly<Record<string, unknown>>,
    send: (method: string, params: object) => void,
  ): () => void;
}

/** Methods and capabilities that a server has in addition to its handlers, such as those of tasks. */
export interface ServerExtension {
  /** Handlers by method; methods that none of the server's revisions has are left out. */
  readonly handlers: Readonly<Record<string, RequestHandler>>;
  /**
   * Methods whose handlers only wait. They do not count in `maxConcurrentRequests`, so the extension has to limit them.
   */
  readonly waitingMethods?: readonly string[];
  /**
   * The params to validate before a handler runs, instead of those that it receives: without the members that the handler
   * validates itself.
   */
  validatedParams?(method: string, params: object): object;
  /** What it declares in a revision, in addition to what the handlers imply. */
  capabilities(revision: Revision): object;
  readonly listen?: ListenSource | undefined;
}

/** A handler of requests, without its types. */
export type RequestHandler = (
  params: never,
  context: never,
) => object | Promise<object>;
