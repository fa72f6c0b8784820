import type { RequestId } from "./message.js";
import type { Diagnostic } from "./ndjson.js";
import type { Invalid } from "./parse.js";

/** What may be said with a message that is sent. */
export interface SendOptions {
  /** The request that the message belongs to, for transports that have a stream for each. */
  readonly relatedRequestId?: RequestId;
  /** Aborting it ends the request that is sent, for transports that make one of their own for it. */
  readonly requestSignal?: AbortSignal;
  /** The event after which a stream goes on. Transports of the official SDKs over HTTP take it; ours know it themselves. */
  readonly resumptionToken?: string;
}

/** What a transport that knows who is at the other end says of a message, beside it. */
export interface PrincipalInfo {
  /** Names whoever sent the message, the same way each time; undefined if that is nobody in particular. */
  readonly principal: string | undefined;
}

/** Counts the handlers that run for one caller, over all connections that share a limit. */
export interface HandlerCounter {
  /** Whether one more may run, where there may be so many in all. */
  canStart(limit: number): boolean;
  /** A handler runs. */
  handlerStarted(): void;
  /** It has ended, whatever became of its request. */
  handlerEnded(): void;
}

/** What a transport says of a message that is one of many connections with a limit for all. */
export interface WithHandlerCounter {
  readonly counter: HandlerCounter | undefined;
}

/** What counts the handler of a message; undefined if its connection alone does. */
export function counterOf(extra: unknown): HandlerCounter | undefined {
  return (extra as Partial<WithHandlerCounter> | null | undefined)?.counter;
}

/** On whose behalf a message came, if its transport knows. */
export function principalOf(extra: unknown): string | undefined {
  const { principal } = (extra ?? {}) as { readonly principal?: unknown };
  return typeof principal === "string" ? principal : undefined;
}

/** A method's parameters are compared both ways, so that the narrower message types of the official SDKs fit. */
interface BivariantCallbacks {
  message(value: unknown, extra?: unknown): void;
}

/**
 * What carries messages between two endpoints. Transports of the official SDKs have this shape, so they serve as they
 * are.
 *
 * `onmessage`, `onclose` and `onerror` are set before `start` is called. A transport passes every JSON value on: the
 * endpoint judges it, by the rules of the revision that is spoken by then.
 */
export interface Transport {
  /** Begins to receive. Rejects if there is no connection to be had. */
  start(): Promise<void>;
  /**
   * Sends a message, or an array of them as a batch. What it returns resolves when more can be taken, so that who waits for it never fills a
   * buffer; nothing is returned if that is at once. An error with a member `isFinal` that is true says that trying an
   * older revision is of no use.
   */
  send(message: object, options?: SendOptions): Promise<void> | void;
  /** Ends the connection; calls `onclose` once. */
  close(): Promise<void>;
  /** A batch has been handled, and none of its members is answered; for transports that hold something open for it. */
  endUnanswered?(): void;
  onmessage?: BivariantCallbacks["message"] | undefined;
  onclose?: (() => void) | undefined;
  /**
   * Nothing more comes, but what is sent may still be read. Who sets it closes the transport when all is answered; where
   * it is not set, the transport closes itself.
   */
  onend?: (() => void) | undefined;
  /**
   * The other side has ended by itself, and the transport can start it again: it does if this returns true, and `onclose`
   * is not called. What is sent meanwhile waits.
   */
  onexit?: (() => boolean) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Something came that is no JSON value, or too much of one; it was skipped and the stream goes on. */
  oninvalid?: ((invalid: Diagnostic | Invalid) => void) | undefined;
  /** Whether what the other side does not know is refused in any case, as it is over HTTP, so that silence says nothing. */
  readonly rejectsUnknownMethods?: boolean | undefined;
  /** Whether the other side is known to exit at any first message other than `initialize`. */
  readonly needsInitialize?: boolean | undefined;
  /** Told once the revision is known, for transports that have to send it along. */
  setProtocolVersion?: ((version: string) => void) | undefined;
}
