import type { ClientConnectionEvent } from "./connection-events.js";
import type { RequestId } from "./message.js";
import type { Diagnostic } from "./ndjson.js";
import type { Invalid } from "./parse.js";

/** Options of a message to send. */
export interface SendOptions {
  /** The request that the message belongs to, for transports with a stream for each. */
  readonly relatedRequestId?: RequestId;
  /** Aborting it ends the request, for transports that make an HTTP request for each. */
  readonly requestSignal?: AbortSignal;
  /**
   * The event after which to resume a stream, for transports of the official SDKs; this runtime's transports track it
   * themselves.
   */
  readonly resumptionToken?: string;
}

/** What a transport that identifies its peers knows about a message. */
export interface PrincipalInfo {
  /** Identifies the sender, always in the same way; undefined if the sender is unknown. */
  readonly principal: string | undefined;
}

/** Counts a caller's running handlers, across all connections that share a limit. */
export interface HandlerCounter {
  /** Whether one more may run, given the limit for all. */
  canStart(limit: number): boolean;
  /** Called when a handler starts. */
  handlerStarted(): void;
  /** Called when the handler ends, whatever happened to its request. */
  handlerEnded(): void;
}

/** What a transport passes with a message if all its connections share a limit. */
export interface WithHandlerCounter {
  readonly counter: HandlerCounter | undefined;
}

/** Counts the message's handler; undefined if only its connection does. */
export function counterOf(extra: unknown): HandlerCounter | undefined {
  return (extra as Partial<WithHandlerCounter> | null | undefined)?.counter;
}

/** The principal of a message, if its transport knows it. */
export function principalOf(extra: unknown): string | undefined {
  const { principal } = (extra ?? {}) as { readonly principal?: unknown };
  return typeof principal === "string" ? principal : undefined;
}

/** What a transport runs over, for telemetry. */
export interface TransportNetwork {
  readonly transport: "pipe" | "tcp" | "unix";
  /** The protocol that carries the messages. */
  readonly protocol?: "http" | undefined;
  /** The host name or address of the server, if this side is the client. */
  readonly address?: string | undefined;
  readonly port?: number | undefined;
  /** Whether the connection is made for one message, so that it is no session. */
  readonly isSingleMessage?: boolean | undefined;
}

/** Pipes, as of a child process. */
export const PIPE_NETWORK: TransportNetwork = Object.freeze({
  transport: "pipe",
});

/** HTTP, as a server sees it. */
export const HTTP_NETWORK: TransportNetwork = Object.freeze({
  transport: "tcp",
  protocol: "http",
});

/** Parameters of methods are compared bivariantly, so that the narrower message types of the official SDKs match. */
interface BivariantCallbacks {
  message(value: unknown, extra?: unknown): void;
}

/**
 * Carries messages between two endpoints. Transports of the official SDKs have this shape, so they work unchanged.
 *
 * `onmessage`, `onclose` and `onerror` are set before `start` is called. A transport passes on every JSON value: the
 * endpoint classifies it, by the rules of the current revision.
 */
export interface Transport {
  /** Starts receiving. Rejects if the connection cannot be made. */
  start(): Promise<void>;
  /**
   * Sends a message, or an array of them as a batch. The returned promise resolves when more can be sent, so that
   * awaiting it never fills a buffer; nothing is returned if that is at once. An error with a member `isFinal: true`
   * means that trying an older revision does not help.
   */
  send(message: object, options?: SendOptions): Promise<void> | void;
  /** Closes the connection; calls `onclose` once. */
  close(): Promise<void>;
  /**
   * Half-close: ends this side's output and still receives. The other side's `onend` is called after all earlier
   * messages, and it can answer what is pending before it closes. A transport without it cannot half-close.
   */
  end?(): Promise<void> | void;
  /** Stops delivering messages until `resume`, so that the other side finds its output full. */
  pause?(): void;
  /** Continues delivering messages. */
  resume?(): void;
  /**
   * Whether the promise of `send` resolves only with the response to a request, as over HTTP: then it does not say
   * whether more can be sent.
   */
  readonly sendAwaitsResponse?: boolean | undefined;
  /** A batch was handled and no member gets a response; for transports that keep something open for it. */
  endUnanswered?(): void;
  onmessage?: BivariantCallbacks["message"] | undefined;
  onclose?: (() => void) | undefined;
  /**
   * The input has ended, but the other side may still read. Whoever sets this closes the transport when all is
   * answered; if it is not set, the transport closes itself.
   */
  onend?: (() => void) | undefined;
  /**
   * The other side exited, and the transport can restart it: it does if this returns true, and `onclose` is not called.
   * Messages sent meanwhile wait.
   */
  onexit?: (() => boolean) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Something happened to the connection that the transport has handled. */
  onevent?: ((event: ClientConnectionEvent) => void) | undefined;
  /** The input is not a JSON value, or is too large; it was skipped, and reading continues. */
  oninvalid?: ((invalid: Diagnostic | Invalid) => void) | undefined;
  /** Whether the other side always rejects unknown methods, as over HTTP, so that waiting for a response is safe. */
  readonly rejectsUnknownMethods?: boolean | undefined;
  /** Whether the other side is known to exit if the first message is not `initialize`. */
  readonly needsInitialize?: boolean | undefined;
  /** Drops connections that may be dead, and makes new ones. A transport without it can only be closed. */
  reconnect?(): void;
  /** Calls `onevent` with `authorizationChanged` if the next request will have other credentials than the last one. */
  checkAuthorization?(): Promise<void>;
  /** What it runs over, for telemetry. */
  readonly network?: TransportNetwork | undefined;
  /** The id of the session, for transports that have one; for telemetry. */
  readonly sessionId?: string | undefined;
  /** Called once the revision is known, for transports that send it along. */
  setProtocolVersion?: ((version: string) => void) | undefined;
}
