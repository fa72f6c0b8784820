/** What configures an endpoint: its role, its options and those of calls; and the events that it reports. */
import type { ClientConnectionEvent } from "./connection-events.js";
import type { Classification, Invalid, ToleratedDeviation } from "./parse.js";
import type { Diagnostic } from "./ndjson.js";
import type { Notification, Request, RequestId } from "./message.js";
import type { InboundRequest } from "./inbound-request.js";
import type { SafeInstrument } from "./instrument.js";

/** Something worth logging that does not end the connection. */
export type EndpointEvent =
  | ClientConnectionEvent
  /** Input that is not a message; it was skipped, and answered if the protocol allows it. */
  | { readonly kind: "invalidMessage"; readonly invalid: Invalid | Diagnostic }
  /** A message that deviates from JSON-RPC in a way that an option tolerates. */
  | {
      readonly kind: "toleratedMessage";
      readonly deviation: ToleratedDeviation;
      readonly id: RequestId | null;
    }
  /** A response to a call that was cancelled, timed out or already answered. */
  | { readonly kind: "lateResponse"; readonly id: RequestId }
  /** A response whose id was never used for a request. */
  | { readonly kind: "unknownResponse"; readonly id: RequestId | null }
  /** A request in a revision that sends none to this side, so it must not be answered either. */
  | {
      readonly kind: "unexpectedRequest";
      readonly id: RequestId;
      readonly method: string;
    }
  /** Progress for an unknown call, or progress that does not increase. */
  | {
      readonly kind: "unknownProgress" | "progressNotIncreasing";
      readonly token: unknown;
    }
  /** A notification that the revision does not know and that has no handler. */
  | {
      readonly kind: "unknownNotification";
      readonly method: string;
      readonly params: object | undefined;
    }
  | {
      readonly kind: "invalidNotification";
      readonly method: string;
      readonly reason: string;
    }
  /**
   * A notification is not sent, since the server does not declare the capability that it needs, such as `logging` or
   * `tools.listChanged`. Reported once for each method; without {@link EndpointOptions.onEvent}, on the console.
   */
  | {
      readonly kind: "undeclaredNotification";
      readonly method: string;
      readonly capability: string;
    }
  /**
   * A tool's page is not what hosts can show, such as one that the server does not have. Reported when the server is
   * created; without {@link EndpointOptions.onEvent}, on the console.
   */
  | { readonly kind: "appWarning"; readonly reason: string }
  /** A handler threw; the caller got only an internal error. */
  | {
      readonly kind: "handlerFailed";
      readonly method: string;
      readonly error: unknown;
    }
  /** The server exited instead of answering `method`; it was restarted and is sent `initialize`. */
  | { readonly kind: "serverRestarted"; readonly method: string }
  | { readonly kind: "transportFailed"; readonly error: unknown };

/** The progress of a call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** How a request is sent. */
export interface CallOptions {
  /** Aborting it cancels the call, and notifies the other side. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the call times out; 60,000 by default, `Infinity` for no limit. */
  readonly timeout?: number | undefined;
  /** Progress restarts the timeout, up to {@link maxTimeout}; the request asks for progress. Off by default. */
  readonly resetTimeoutOnProgress?: boolean | undefined;
  /** Milliseconds until the call times out regardless of progress; no limit by default. */
  readonly maxTimeout?: number | undefined;
  /** Requests progress, and receives it. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The request being handled that this one belongs to. */
  readonly relatedRequestId?: RequestId | undefined;
  /**
   * Sends the request even if a client with a `cache` has a fresh result, which the new one replaces. Off by default.
   */
  readonly bypassCache?: boolean | undefined;
  /** Receives the id of the request before it is sent. */
  readonly onSent?: ((id: RequestId) => void) | undefined;
}

/** How a notification cancels a request. */
export interface CancellationRule {
  readonly method: string;
  /** The member of its params with the id of the request. */
  readonly id: string;
  /** The member of its params with a reason for people. */
  readonly reason?: string;
  /** Requests that cannot be cancelled. */
  readonly except?: readonly string[];
  /**
   * The error code that answers a cancelled request whose handler ends with an error. Without it, a cancelled request is
   * not answered.
   */
  readonly errorCode?: number;
}

/** How a notification reports the progress of a request. */
export interface ProgressRule {
  readonly method: string;
  /** The member of params with the metadata of a request. */
  readonly meta: string;
  /** The member with the token, of a request's metadata and of the notification's params. */
  readonly token: string;
}

/** What makes an endpoint a side of a protocol. */
export interface Role {
  /** Which side this is, for instruments. */
  readonly side?: "client" | "server" | undefined;
  /** How requests are cancelled; without it, they cannot be, and a call that ends early is only forgotten. */
  readonly cancellation?: CancellationRule | undefined;
  /** How progress is reported; without it, none is. */
  readonly progress?: ProgressRule | undefined;
  /** The agreed revision of a stateful session, for instruments. */
  sessionRevision?(): string | undefined;
  /** Applies the envelope rules of the current revision. */
  classify(value: unknown): Classification;
  /** @returns Why a request must not be in a batch; undefined if it may. */
  refuseInBatch?(method: string): string | undefined;
  /**
   * Whether this side sends error responses and handles requests; true if absent.
   *
   * @param id - The request's id; null if it is unreadable, or the message is not a request.
   */
  mayRespond?(id: RequestId | null): boolean;
  /** The id of a response to a message without a readable id, in the current revision; null if absent. */
  unreadId?(): "null" | "absent";
  /** @returns The result; an error that it throws becomes the response's error. */
  handleRequest(
    request: Request,
    inbound: InboundRequest,
  ): object | Promise<object>;
  handleNotification(notification: Notification): void;
  /** The other side cancels something other than its own request; a stateless server ends a subscription this way. */
  handleCancelled?(id: RequestId): void;
  /** The other side has ended its output and waits for pending responses; requests that would stay open end now. */
  handleInputEnd?(): void;
  /**
   * The other side exited, and the transport can restart it.
   *
   * @returns Whether to restart it; pending calls are rejected either way.
   */
  handleExit?(): boolean;
  /** Something happened to the connection that the transport has handled. */
  handleConnectionEvent?(event: ClientConnectionEvent): void;
  /** The connection is closed; all calls have been rejected. */
  handleClose(): void;
}

/** Settings of an endpoint. */
export interface EndpointOptions {
  /** Milliseconds until a call times out, unless it sets its own timeout; 60,000 by default. */
  readonly timeout?: number | undefined;
  /**
   * Maximum of requests handled at the same time; a further one is answered with {@link SERVER_BUSY}. 1000 by default.
   * A cancelled request counts until its handler ends, so that a client cannot start any number of handlers by
   * cancelling. Over HTTP it is one limit for all connections of a handler, in which each caller has a share.
   */
  readonly maxConcurrentRequests?: number | undefined;
  /** Accepts a result next to `error: null`, which some peers write, and reports it as an event. Off by default. */
  readonly nullErrorAsAbsent?: boolean | undefined;
  /**
   * Sends the caller the message of an error that a handler threw, which may contain internal details. Off by default.
   */
  readonly exposeErrors?: boolean | undefined;
  /**
   * Observes requests and notifications in both directions: `openTelemetry` of `runtime/opentelemetry`, or
   * `safeInstrument` of `runtime/index` with another one.
   */
  readonly instrument?: SafeInstrument | undefined;
  /** Receives what is worth a log line, such as an error of a handler. */
  readonly onEvent?: ((event: EndpointEvent) => void) | undefined;
}

/**
 * The error code for a limit of the receiver: too many requests, sessions or subscriptions. It is outside the range
 * that JSON-RPC reserves (§5.1: -32768 to -32000), and matches the HTTP status.
 */
export const SERVER_BUSY = 503;

export const DEFAULT_TIMEOUT_MS = 60_000;

const DEFAULT_MAX_CONCURRENT_REQUESTS = 1000;

/** The maximum of requests handled at the same time. */
export function maxConcurrent(options: EndpointOptions): number {
  return options.maxConcurrentRequests ?? DEFAULT_MAX_CONCURRENT_REQUESTS;
}

export const DEFAULT_CALL_OPTIONS: CallOptions = Object.freeze({});

/** The functions that return the value of an option. */
const MAKERS = {
  cache: "resultCache",
  instrument: "safeInstrument",
  keepAlive: "keepAlive",
};

/**
 * The settings of a server or client, in which null counts as not set.
 *
 * @throws TypeError if the name is missing, or an option is not what its function returns.
 */
export function checkedSettings<S extends object>(settings: S): S {
  const present = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== null),
  );
  if (present["info"] === undefined)
    throw new TypeError("info is missing: pass a name and a version");
  for (const [name, maker] of Object.entries(MAKERS)) {
    const value = present[name] as { readonly create?: unknown } | undefined;
    if (value !== undefined && typeof value.create !== "function")
      throw new TypeError(`${name} must be what ${maker}(...) returns`);
  }
  return present as S;
}
