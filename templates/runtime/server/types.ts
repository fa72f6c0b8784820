/**
 * Types of servers: settings, handlers, and what handlers are given.
 */
import type { RequestId } from "../jsonrpc/message.js";
import type { CallOptions } from "../jsonrpc/endpoint.js";
import type { Implementation } from "../protocol/revision.js";

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
