/**
 * What an endpoint is told: its role, options, options of calls, and the events that it reports.
 */
import type { Classification, Invalid, ToleratedDeviation } from "./parse.js";
import type { Diagnostic } from "./ndjson.js";
import type { Notification, Request, RequestId } from "./message.js";
import type { InboundRequest } from "./inbound-request.js";

/** Something that is worth a line in a log, and no reason to stop. */
export type EndpointEvent =
  /** What came is no message; it was skipped, and answered if it may be. */
  | { readonly kind: "invalidMessage"; readonly invalid: Invalid | Diagnostic }
  /** What came deviates from JSON-RPC in a way that an option tolerates. */
  | {
      readonly kind: "toleratedMessage";
      readonly deviation: ToleratedDeviation;
      readonly id: RequestId | null;
    }
  /** A response to a call that was cancelled, timed out or answered before. */
  | { readonly kind: "lateResponse"; readonly id: RequestId }
  /** A response to nothing that was ever asked. */
  | { readonly kind: "unknownResponse"; readonly id: RequestId | null }
  /** A request in a revision in which this side is asked nothing, so that it must not answer either. */
  | {
      readonly kind: "unexpectedRequest";
      readonly id: RequestId;
      readonly method: string;
    }
  /** Progress of a call that nobody waits for, or that goes backwards. */
  | {
      readonly kind: "unknownProgress" | "progressNotIncreasing";
      readonly token: unknown;
    }
  /** A notification that the revision does not know and that no handler is registered for. */
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
  /** A handler threw; the caller was told no more than that. */
  | {
      readonly kind: "handlerFailed";
      readonly method: string;
      readonly error: unknown;
    }
  /** The server exited instead of answering `method`; it was started again and is sent `initialize`. */
  | { readonly kind: "serverRestarted"; readonly method: string }
  | { readonly kind: "transportFailed"; readonly error: unknown };

/** How far a call has come. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** How a request is sent. */
export interface CallOptions {
  /** Aborting it cancels the call, here and, as far as it listens, on the other side. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the call is given up; 60,000 by default, `Infinity` for none. */
  readonly timeout?: number | undefined;
  /** Progress restarts the timeout, up to {@link maxTimeout}; the request asks for progress. Off by default. */
  readonly resetTimeoutOnProgress?: boolean | undefined;
  /** Milliseconds until the call is given up whatever progress it makes; none by default. */
  readonly maxTimeout?: number | undefined;
  /** Asks for progress, and receives it. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The request that is being handled and that this one belongs to. */
  readonly relatedRequestId?: RequestId | undefined;
  /** Told the id under which it is sent, before it is. */
  readonly onSent?: ((id: RequestId) => void) | undefined;
}

/** What makes an endpoint a client or a server. */
export interface Role {
  /** The envelope rules of the revision that is spoken. */
  classify(value: unknown): Classification;
  /** @returns Why a request must not be in a batch; undefined if it may. */
  refuseInBatch?(method: string): string | undefined;
  /**
   * Whether this side answers; yes where it does not say.
   *
   * @param id - Of the request; null if it is unreadable, or what came was none.
   */
  mayRespond?(id: RequestId | null): boolean;
  /** What an answer bears whose id could not be read, in the revision that is spoken; null where it does not say. */
  unreadId?(): "null" | "absent";
  /** @returns The result; what it throws is the error. */
  handleRequest(
    request: Request,
    inbound: InboundRequest,
  ): object | Promise<object>;
  handleNotification(notification: Notification): void;
  /** The other side cancels what is no request of its own; a stateless server ends a subscription so. */
  handleCancelled?(id: RequestId): void;
  /** The other side says nothing more and waits for the answers to what it asked; what has no end of its own ends now. */
  handleInputEnd?(): void;
  /**
   * The other side has ended by itself, and the transport can start it again.
   *
   * @returns Whether it should; calls that wait are rejected either way.
   */
  handleExit?(): boolean;
  /** The connection is over; all calls have been ended. */
  handleClose(): void;
}

/** Settings of an endpoint. */
export interface EndpointOptions {
  /** Milliseconds until a call is given up, where it does not say so itself; 60,000 by default. */
  readonly timeout?: number | undefined;
  /**
   * Requests that are handled at the same time; a further one is answered with {@link SERVER_BUSY}. 1000 by default. A
   * cancelled one counts until its handler has ended, or a client that cancels what it asks could have any number of them
   * run. Over HTTP it is one limit for all connections of a handler, in which each caller has a share.
   */
  readonly maxConcurrentRequests?: number | undefined;
  /** Reads a result next to `error: null`, which some peers write, and reports it as an event. Refused by default. */
  readonly nullErrorAsAbsent?: boolean | undefined;
  /** Tells the caller the message of an error that a handler threw, which may hold what is not meant for it. Off by default. */
  readonly exposeErrors?: boolean | undefined;
  readonly onEvent?: ((event: EndpointEvent) => void) | undefined;
}

/**
 * The code that says that a limit of the receiver is reached: too many requests, sessions or subscriptions. It is outside
 * the range that JSON-RPC reserves, as MCP 2026-07-28 wants new codes (Basic, Error Codes: -32000 to -32019 are closed); that
 * of the HTTP status says the same.
 */
export const SERVER_BUSY = 503;

export const DEFAULT_TIMEOUT_MS = 60_000;

const DEFAULT_MAX_CONCURRENT_REQUESTS = 1000;

/** The limit of requests that are handled at the same time. */
export function maxConcurrent(options: EndpointOptions): number {
  return options.maxConcurrentRequests ?? DEFAULT_MAX_CONCURRENT_REQUESTS;
}

export const DEFAULT_CALL_OPTIONS: CallOptions = Object.freeze({});
