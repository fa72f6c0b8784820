import type { Server } from "../../server.js";
import type { Auth, Authorization } from "./auth.js";
import type { HttpCall } from "./call.js";
import type { OriginCheckOptions } from "./origin.js";

/** Information for creating a server. */
export interface SessionRequest<A extends Auth = Auth> {
  /**
   * The identity of the session's client; undefined without authorization, and for the server of all stateless
   * requests.
   */
  readonly auth: A | undefined;
}

/** A server, whatever notifications it sends. */
export type AnyServer = Pick<Server, "connect" | "revisions" | "settings"> &
  Partial<Pick<Server, "addRelay" | "broadcastLocally">>;

/** How sessions of stateful revisions are kept. */
export interface SessionOptions {
  /** Milliseconds without a request or a connection after which a session is closed; 30 minutes by default. */
  readonly idleTimeout?: number | undefined;
  /**
   * Maximum of sessions, in which each caller has a share; a further `initialize` is answered with 503. 10,000 by
   * default.
   */
  readonly max?: number | undefined;
}

/** How many events are kept for clients that reconnect. */
export interface ResumabilityOptions {
  /** Events that a session keeps; 256 by default. */
  readonly maxEvents?: number | undefined;
  /**
   * Characters of delivered events that a session keeps, in addition to the newest event, which is always kept; 1 Mi by
   * default. Undelivered events count toward `maxTotalBytes` only.
   */
  readonly maxBytes?: number | undefined;
  /**
   * Characters that all sessions keep together; 64 Mi by default. Past it, the session that keeps the most loses events
   * first, and undelivered events are dropped last.
   */
  readonly maxTotalBytes?: number | undefined;
  /** Milliseconds after which a client should reconnect; 1000 by default. */
  readonly retry?: number | undefined;
}

/** The two endpoints of the transport of 2024-11-05. */
export interface LegacySseOptions {
  /** Path of the event stream; `/sse` by default. */
  readonly path?: string | undefined;
  /** Path that messages are posted to; `/messages` by default. */
  readonly messages?: string | undefined;
}

/** Something worth logging. Contains no secret of a session. */
export type HttpEvent =
  /** A request was rejected before it reached the server. */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly reason: string;
    }
  | { readonly kind: "sessionOpened"; readonly sessions: number }
  | { readonly kind: "sessionClosed"; readonly sessions: number }
  /**
   * Another process may own the sessions of this one, since its lease has run out: they have ended here, and go on
   * elsewhere.
   */
  | { readonly kind: "fenced" }
  /** An operation of the cluster, such as `sessions.get`, failed or took too long. */
  | {
      readonly kind: "storeFailed";
      readonly operation: string;
      readonly error: unknown;
    }
  /** A hook or the server's factory threw. */
  | { readonly kind: "failed"; readonly error: unknown };

/**
 * Paths for the health checks of load balancers and orchestrators. They are answered before any other check, without a
 * token, and with a status only.
 */
export interface HealthOptions {
  /** Answers 200 while the process runs; `/livez` by default. */
  readonly live?: string | undefined;
  /** Answers 503 while the handler drains, is closed, or is at its limit of unread bytes; `/readyz` by default. */
  readonly ready?: string | undefined;
}

/** How {@link HttpHandler.drain} waits. */
export interface DrainOptions {
  /** Milliseconds after which handlers that still run are aborted; 30 seconds by default. */
  readonly timeout?: number | undefined;
  /**
   * Called once, when nothing runs any more: stop accepting connections here. What was accepted until then is still
   * answered, as is everything until the promise is fulfilled, if there is one. `drain` of `serveHttp` does this by
   * itself.
   */
  readonly beforeClose?: (() => Promise<void> | void) | undefined;
}

/** How a process takes part in a cluster. All processes need the same. */
export interface ClusterLimits {
  /**
   * Milliseconds after which the others take a process that does not renew its lease for dead, take over its sessions,
   * and answer the calls that they have forwarded to it with an error; at most a quarter later. 10 seconds by default.
   */
  readonly lease?: number | undefined;
  /**
   * Milliseconds that an operation of the store may take; then a request that needs it is answered with 503. Half of
   * the lease by default.
   */
  readonly timeout?: number | undefined;
}

/** What makes a process a member of a cluster, from `joinCluster`. */
export interface ClusterMember {
  /** @internal Of the type that `JoinableCluster` has. */
  readonly join: (init: never) => unknown;
}

/** Options of an HTTP handler. */
export interface HttpHandlerOptions<
  A extends Auth = Auth,
> extends OriginCheckOptions {
  /**
   * The server, or a function that creates one: called for each session of a stateful revision, and once for all
   * stateless requests. With a single server, one `notify` reaches all clients.
   */
  readonly server:
    | AnyServer
    | ((opening: SessionRequest<A>) => AnyServer | Promise<AnyServer>);
  /** The path that is served; any by default, for handlers that are mounted at a path. */
  readonly path?: string | undefined;
  readonly authorize?: Authorization<A> | undefined;
  /**
   * `false` disables sessions: each request of a stateful revision is self-contained, for servers with many short-lived
   * instances.
   */
  readonly sessions?: SessionOptions | false | undefined;
  /**
   * Shares sessions with the other processes that join the same cluster, by `joinCluster`: each of them serves every session of a stateful
   * revision, and goes on with those of a process that has ended. `server.notify` reaches the clients of all of them.
   * Limits of sessions count for all processes together; those of open requests and of handlers are divided by the
   * number of processes that are alive, and rounded up. All processes need the same server and options. Sessions over
   * HTTP+SSE are not shared.
   */
  readonly cluster?: ClusterMember | undefined;
  /** `false` disables resumption: events that a client misses are lost. */
  readonly resumability?: ResumabilityOptions | false | undefined;
  /** Also serves clients of HTTP+SSE (2024-11-05). Off by default. */
  readonly sse?: LegacySseOptions | boolean | undefined;
  /** Maximum size of a body in bytes; 4 MiB by default. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Maximum of bytes in bodies that are arriving; 256 MiB by default. Past it, incomplete bodies are dropped and
   * answered with 503: of the caller that holds the most, the one that began first. The same number of bytes may be in
   * use: by open requests, running handlers, and sessions, which keep the contents of `initialize`. Each caller has a
   * share of these.
   */
  readonly maxTotalBodyBytes?: number | undefined;
  /** Maximum nesting depth of arrays and objects; 256 by default. */
  readonly maxDepth?: number | undefined;
  /**
   * Maximum of open requests and streams, in which each caller has a share; a further one is answered with 503. 10,000
   * by default.
   */
  readonly maxOpen?: number | undefined;
  /**
   * Identifies callers without authorization; the address of the connection by default. Behind a proxy, all connections
   * have the proxy's address, so use the header that it sets: `(call) => call.header('x-real-ip')`. Undefined falls
   * back to the address; if that is unknown too, as with `fetch`, callers are not limited individually. With a `cluster`, it is
   * also called for forwarded requests, which have no `raw`.
   */
  readonly clientKey?: ((call: HttpCall) => string | undefined) | undefined;
  /**
   * Serves clients whose `Accept` lists only `application/json`, although the transport requires both types: they get
   * the response as JSON, without earlier progress and log messages, and 406 if the response must be a stream. Off by
   * default: such a client gets 406.
   */
  readonly jsonOnlyClients?: boolean | undefined;
  /**
   * Bytes that may wait for a client on one stream before progress and log messages to it are dropped; 1 MiB by
   * default. The newest message of each progress token is kept. All other messages wait, whatever their size.
   */
  readonly maxBacklog?: number | undefined;
  /**
   * Milliseconds within which a client must read something that waits for it; otherwise it is disconnected. 30 seconds
   * by default. Each 256 KiB that the system may buffer for it, at most 2 MiB, adds the same time: a client that reads
   * 10 kB a second receives its response.
   */
  readonly stallTimeout?: number | undefined;
  /**
   * Maximum of bytes that wait for all clients together, in which each caller has a share; 256 MiB by default. Past
   * half of it, clients that read nothing are disconnected after a second; past it, new requests are answered with 503.
   * On an HTTP+SSE stream, a sixteenth of it may wait before further messages of its client are rejected.
   */
  readonly maxUnreadBytes?: number | undefined;
  /** Milliseconds of silence on a stream after which a comment is sent; 25 seconds by default. */
  readonly keepAlive?: number | undefined;
  /** Milliseconds after which the response to a pending request becomes a stream; 15 seconds by default. */
  readonly streamAfter?: number | undefined;
  /** Also answers the health checks of load balancers and orchestrators. Off by default. */
  readonly health?: HealthOptions | boolean | undefined;
  readonly onEvent?: ((event: HttpEvent) => void) | undefined;
}

/** Serves MCP over HTTP. */
export interface HttpHandler {
  /** Answers a request. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same for bindings without a `Request`. */
  readonly handle: (call: HttpCall) => void;
  /** The number of sessions, and of open requests and streams. */
  readonly load: { readonly sessions: number; readonly open: number };
  /**
   * Prepares for the end of the process, and closes:
   *
   * - New sessions, listening streams and subscriptions are answered with 503, which names a second to retry after.
   * - Streams that only listen end, with a `retry` in those of sessions; open subscriptions end with their response (MCP
   *   2026-07-28, Graceful Closure).
   * - Requests of open sessions and of stateless revisions are answered until no handler is running.
   * - With a `cluster`, each session is handed over when none of its handlers is running, and goes on elsewhere.
   *
   * Never rejects. A second call waits for the first one; `close` ends the wait.
   */
  readonly drain: (options?: DrainOptions) => Promise<void>;
  /**
   * Ends all sessions and streams. Later requests are answered with 503. With a `cluster`, other processes go on with the
   * sessions, and requests that run are answered with an error.
   */
  readonly close: () => Promise<void>;
}
