import type { Server } from "../../server.js";
import type { Auth, Authorization } from "./auth.js";
import type { HttpCall } from "./call.js";
import type { OriginCheckOptions } from "./origin.js";

/** What a server is made for. */
export interface SessionRequest<A extends Auth = Auth> {
  /** Who opens the session; undefined without authorization, and for what serves all requests of stateless revisions. */
  readonly auth: A | undefined;
}

/** A server, whatever notifications it sends. */
export type AnyServer = Pick<Server, "connect" | "revisions" | "settings">;

/** How sessions of stateful revisions are kept. */
export interface SessionOptions {
  /** Milliseconds without a request or a connection after which a session is closed; 30 minutes by default. */
  readonly idleTimeout?: number | undefined;
  /**
   * Sessions at the same time, in which each caller has a share; a further `initialize` is answered with 503. 10,000 by
   * default.
   */
  readonly max?: number | undefined;
}

/** How much is kept for clients that come back for what they missed. */
export interface ResumabilityOptions {
  /** Events that a session keeps; 256 by default. */
  readonly maxEvents?: number | undefined;
  /**
   * Characters of delivered events that a session keeps, besides the newest event, which is kept whatever it has; 1 Mi by
   * default. What no connection has carried to its end counts toward `maxTotalBytes` only.
   */
  readonly maxBytes?: number | undefined;
  /**
   * Characters that all sessions together keep; 64 Mi by default. Past it, the session that keeps the most gives up events
   * first, and undelivered ones last.
   */
  readonly maxTotalBytes?: number | undefined;
  /** Milliseconds after which a client should come back; 1000 by default. */
  readonly retry?: number | undefined;
}

/** The two endpoints of the transport of 2024-11-05. */
export interface LegacySseOptions {
  /** Path of the stream of events; `/sse` by default. */
  readonly path?: string | undefined;
  /** Path that messages are posted to; `/messages` by default. */
  readonly messages?: string | undefined;
}

/** Something that is worth a line in a log. No part of it is a secret of a session. */
export type HttpEvent =
  /** A request was turned away before the server saw it. */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly reason: string;
    }
  | { readonly kind: "sessionOpened"; readonly sessions: number }
  | { readonly kind: "sessionClosed"; readonly sessions: number }
  /** A hook or the server's factory threw. */
  | { readonly kind: "failed"; readonly error: unknown };

/** What an HTTP handler is made of. */
export interface HttpHandlerOptions<
  A extends Auth = Auth,
> extends OriginCheckOptions {
  /**
   * The server, or what makes one: called for each session of a stateful revision, and once for all requests of stateless
   * ones. One server for all has one thing to notify.
   */
  readonly server:
    | AnyServer
    | ((opening: SessionRequest<A>) => AnyServer | Promise<AnyServer>);
  /** The path that is served; any by default, for who mounts the handler at one. */
  readonly path?: string | undefined;
  readonly authorize?: Authorization<A> | undefined;
  /** `false` keeps none: each request of a stateful revision stands for itself, for servers in many short-lived copies. */
  readonly sessions?: SessionOptions | false | undefined;
  /** `false` keeps nothing: what a client misses is lost. */
  readonly resumability?: ResumabilityOptions | false | undefined;
  /** Serves clients that speak HTTP+SSE of 2024-11-05 too. Off by default. */
  readonly sse?: LegacySseOptions | boolean | undefined;
  /** Bytes that a body may have; 4 MiB by default. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Bytes of bodies that are arriving; 256 MiB by default. Past it, bodies that are not complete are dropped and answered
   * with 503: of the caller that holds the most, the one that began first. As many again may be in use: by requests that are
   * open, by handlers that run, and by sessions, which keep what `initialize` says. Each caller has a share of these.
   */
  readonly maxTotalBodyBytes?: number | undefined;
  /** How many arrays and objects may be inside one another; 256 by default. */
  readonly maxDepth?: number | undefined;
  /**
   * Requests and streams that are open at the same time, in which each caller has a share; a further one is answered with
   * 503. 10,000 by default.
   */
  readonly maxOpen?: number | undefined;
  /**
   * Tells callers apart where there is no authorization; the address of the connection by default. Behind a proxy, all
   * connections are the proxy's, so name the header that it sets: `(call) => call.header('x-real-ip')`. Undefined falls
   * back to the address; where that is not known either, as with `fetch`, callers share without a bound for each.
   */
  readonly clientKey?: ((call: HttpCall) => string | undefined) | undefined;
  /**
   * Serves clients whose `Accept` lists `application/json` alone, against the transport's rule: they get their answer as
   * JSON, without the progress and log messages that would come before it, and 406 where the answer has to be a stream. Off
   * by default: such a client gets 406.
   */
  readonly jsonOnlyClients?: boolean | undefined;
  /**
   * Bytes that may wait for a client on one stream before progress and log messages to it are dropped; 1 MiB by default.
   * Of each progress token the newest message stays. All else waits, whatever its size.
   */
  readonly maxBacklog?: number | undefined;
  /**
   * Milliseconds in which a client must take something of what waits for it; otherwise it is cut off. 30 seconds by
   * default. For each 256 KiB that buffers of the system may hold for it, at most 2 MiB, it has as long again: a client
   * that reads 10 kB a second keeps its answer.
   */
  readonly stallTimeout?: number | undefined;
  /**
   * Bytes that may wait for all clients together, in which each caller has a share; 256 MiB by default. Past half of
   * it, clients that read nothing are cut off after a second; past it, new requests are answered with 503. On a stream of HTTP+SSE, a sixteenth of it may wait before
   * further messages of its client are.
   */
  readonly maxUnreadBytes?: number | undefined;
  /** Milliseconds of silence on a stream after which a comment is sent; 25 seconds by default. */
  readonly keepAlive?: number | undefined;
  /** Milliseconds after which a request that is still being handled gets a stream as its answer; 15 seconds by default. */
  readonly streamAfter?: number | undefined;
  readonly onEvent?: ((event: HttpEvent) => void) | undefined;
}

/** Serves MCP over HTTP. */
export interface HttpHandler {
  /** Answers a request. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The same for bindings that have no `Request`. */
  readonly handle: (call: HttpCall) => void;
  /** How many sessions there are, and requests and streams that are open. */
  readonly load: { readonly sessions: number; readonly open: number };
  /** Ends all sessions and streams. What comes later is answered with 503. */
  readonly close: () => Promise<void>;
}
