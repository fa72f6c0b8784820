/**
 * Types of clients: settings, handlers, and what is known of the server.
 */
import type { CallOptions, EndpointOptions } from "../jsonrpc/endpoint.js";
import type {
  Implementation,
  UnknownNotificationSettings,
} from "../protocol/revision.js";
import type { Leniency } from "../validation.js";
import type { RequestId } from "../jsonrpc/message.js";

/** What a handler of a client is given beside the params. */
export interface ClientContext {
  readonly method: string;
  /** Aborted when the server cancels its request, the caller the call that it belongs to, or the connection ends. */
  readonly signal: AbortSignal;
  /** The key under which a stateless server asked for it; undefined for a request of its own. */
  readonly key: string | undefined;
}

/** A handler of what a server asks, types aside. */
export type ClientRequestHandler = (
  params: never,
  context: ClientContext,
) => object | Promise<object>;

/** A handler of notifications, types aside. */
export type ClientNotificationHandler = (params: never) => void | Promise<void>;

/** What a client is made of, types aside. The generated `ClientOptions` are the typed ones. */
export interface ClientSettings
  extends EndpointOptions, UnknownNotificationSettings<undefined> {
  readonly info: Implementation;
  /** What the handlers do not show, such as `{ roots: { listChanged: true } }`; `false` takes a capability away. */
  readonly capabilities?: object | undefined;
  /** Handlers of what a server asks for, be it by a request of its own or inside a result. */
  readonly handlers?:
    Readonly<Record<string, ClientRequestHandler | undefined>> | undefined;
  readonly notifications?:
    Readonly<Record<string, ClientNotificationHandler | undefined>> | undefined;
  /** Validates results before the caller sees them; on by default. */
  readonly validateResults?: boolean | undefined;
  /** Deviations of servers to put up with in results, as `tolerating(...)` makes it. None by default. */
  readonly lenient?: Leniency | undefined;
  /** Sends what the server has not declared all the same. Off by default. */
  readonly ignoreCapabilities?: boolean | undefined;
  /**
   * Milliseconds to wait for an answer to `server/discover` before the server is taken for an older one; 5000 by default.
   * Over HTTP, where an older server refuses it, it has the time of any request.
   */
  readonly probeTimeout?: number | undefined;
  /** Rounds of input that a call may take; 10 by default. */
  readonly maxRounds?: number | undefined;
  /** Requests for input that a server may make in one round of a call; 100 by default. */
  readonly maxInputRequests?: number | undefined;
}

/** What a server says of itself. */
export interface ServerInfo {
  readonly info: Implementation | undefined;
  readonly capabilities: object;
  readonly instructions: string | undefined;
}

/** Settings of a subscription. */
export interface ListenOptions extends Pick<CallOptions, "signal"> {
  /** Receives what the subscription carries, beside the client's own handlers. */
  readonly onNotification?:
    ((method: string, params: object) => void) | undefined;
  /** Milliseconds to wait for the acknowledgement. */
  readonly timeout?: number | undefined;
}

/** An open subscription (MCP 2026-07-28, subscriptions). */
export interface Subscription {
  readonly id: RequestId;
  /** What the server agreed to send. */
  readonly filter: object;
  /** Resolves when the server ends it, rejects if the connection breaks. */
  readonly ended: Promise<void>;
  /** Ends it. */
  close(): void;
}
