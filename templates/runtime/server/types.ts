/** Types of servers: settings, handlers, and their contexts. */
import type { RequestId } from "../jsonrpc/message.js";
import type { CallOptions } from "../jsonrpc/endpoint.js";
import type { Implementation } from "../protocol/revision.js";

/** The context of a request's handler. The generated `ServerContext` is typed. */
export interface HandlerContext {
  /** The request's id, as the client chose it. */
  readonly id: RequestId;
  readonly method: string;
  /** The revision of this request. */
  readonly revision: string;
  readonly client: ClientInfo;
  /** Aborted when the client cancels the request or the connection closes. */
  readonly signal: AbortSignal;
  /** The state passed to {@link requireInput} in the previous round; undefined in the first. */
  readonly state: unknown;
  /** What the transport knows about the request in addition to the message. */
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

/** What a client says about itself: once in a session, or with each request of a stateless revision. */
export interface ClientInfo {
  readonly info: Implementation | undefined;
  readonly capabilities: object;
}

/** A handler of requests, without its types. */
export type RequestHandler = (
  params: never,
  context: never,
) => object | Promise<object>;
