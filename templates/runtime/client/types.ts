/** Types of clients: settings, handlers, and information about the server. */
import type { ResultCacheFactory } from "./cache.js";
import type { KeepAliveFactory } from "./keep-alive.js";
import type { CallOptions, EndpointOptions } from "../jsonrpc/endpoint.js";
import type {
  EmbeddedRequest,
  Implementation,
  LogLevel,
  Revision,
  UnknownNotificationSettings,
} from "../protocol/revision.js";
import type { Leniency } from "../validation.js";
import type { RequestId } from "../jsonrpc/message.js";

/** The context of a client's handler. */
export interface ClientContext {
  readonly method: string;
  /**
   * Aborted when the server cancels its request, the caller cancels the call that it belongs to, or the connection
   * closes.
   */
  readonly signal: AbortSignal;
  /** The key under which a stateless server requested it; undefined for a separate request. */
  readonly key: string | undefined;
}

/** A handler of a server's requests, without its types. */
export type ClientRequestHandler = (
  params: never,
  context: ClientContext,
) => object | Promise<object>;

/** A handler of notifications, without its types. */
export type ClientNotificationHandler = (params: never) => void | Promise<void>;

/** Settings of a client, without their types. The generated `ClientOptions` are typed. */
export interface ClientSettings
  extends EndpointOptions, UnknownNotificationSettings<undefined> {
  readonly info: Implementation;
  /**
   * Capabilities that the handlers do not imply, such as `{ roots: { listChanged: true } }`; `false` removes a
   * capability.
   */
  readonly capabilities?: object | undefined;
  /** Handlers of the server's requests, both separate ones and those inside a result. */
  readonly handlers?:
    Readonly<Record<string, ClientRequestHandler | undefined>> | undefined;
  readonly notifications?:
    Readonly<Record<string, ClientNotificationHandler | undefined>> | undefined;
  /** Validates results before the caller receives them; on by default. */
  readonly validateResults?: boolean | undefined;
  /**
   * The lowest level of log messages to receive, as `notifications/message`. By default, a server sends none in a
   * stateless revision, and what it chooses in a stateful one (MCP 2026-07-28 and 2025-11-25, logging).
   */
  readonly logLevel?: LogLevel | undefined;
  /** Deviations to tolerate in results, from `tolerating(...)`. None by default. */
  readonly lenient?: Leniency | undefined;
  /** Sends requests even if the server has not declared the capability. Off by default. */
  readonly ignoreCapabilities?: boolean | undefined;
  /**
   * Milliseconds to wait for a response to `server/discover` before treating the server as an older one; 5000 by
   * default. Over HTTP, where an older server rejects it, the normal timeout applies.
   */
  readonly probeTimeout?: number | undefined;
  /** Maximum of input rounds in a call; 10 by default. */
  readonly maxRounds?: number | undefined;
  /**
   * `resultCache()` of `runtime/client` caches the results of lists, `resources/read` and `server/discover` as long as the
   * server says with `ttlMs` (MCP 2026-07-28, caching). Off by default. {@link CallOptions.bypassCache} skips it for one call, and `clearCache` of the
   * client empties it.
   */
  readonly cache?: ResultCacheFactory | undefined;
  /**
   * `keepAlive()` of `runtime/client` sends pings while the connection is open, to notice when it is dead. Off by default.
   */
  readonly keepAlive?: KeepAliveFactory | undefined;
  /**
   * Follows the tasks that a server makes of tool calls, from `clientTasks` of `runtime/task-client`: `callTool` then
   * returns the final result. Without it, the client does not declare that it supports tasks.
   */
  readonly tasks?: TaskFollower | undefined;
  /** Maximum of inputs that a server may request in one round of a call; 100 by default. */
  readonly maxInputRequests?: number | undefined;
}

/**
 * What the tasks of a client use of it.
 *
 * @internal
 */
export interface TaskPort {
  /** The agreed revision. */
  readonly revision: Revision;
  readonly serverCapabilities: object;
  /** Sends a request, as `request` of the client; a task is returned as it is. */
  send(method: string, params: object, options?: CallOptions): Promise<object>;
  /** Has the client's handlers answer requests for input. */
  collectInputs(
    requests: Readonly<Record<string, EmbeddedRequest>>,
    signal: AbortSignal,
  ): Promise<object>;
  listen(filter: object, options: ListenOptions): Promise<Subscription>;
}

/**
 * Follows tasks for one client.
 *
 * @internal
 */
export interface TaskFollower {
  /** Called once, when the client is created. */
  bind(port: TaskPort): void;
  /** What the client declares in a revision. */
  capabilities(revision: Revision): object;
  /** Calls a tool, and follows its task. */
  callTool(params: object, options: CallOptions | undefined): Promise<object>;
  /** The server's tools have changed. */
  forgetTools(): void;
}

/** What a server says about itself. */
export interface ServerInfo {
  readonly info: Implementation | undefined;
  readonly capabilities: object;
  readonly instructions: string | undefined;
}

/** Settings of a subscription. */
export interface ListenOptions extends Pick<CallOptions, "signal"> {
  /** Receives the subscription's notifications, in addition to the client's own handlers. */
  readonly onNotification?:
    ((method: string, params: object) => void) | undefined;
  /** Milliseconds to wait for the acknowledgement. */
  readonly timeout?: number | undefined;
}

/** An open subscription (MCP 2026-07-28, subscriptions). */
export interface Subscription {
  readonly id: RequestId;
  /** The notifications that the server agreed to send. */
  readonly filter: object;
  /** Resolves when the server ends it; rejects if the connection breaks. */
  readonly ended: Promise<void>;
  /** Ends the subscription. */
  close(): void;
}
