import type { SendOptions, Transport } from "../../jsonrpc/transport.js";
import type { FetchSettings } from "./fetch.js";

/** Which server is talked to, and how. */
export interface HttpClientOptions extends FetchSettings {
  /** The server's one endpoint, or the event stream of a server of 2024-11-05. */
  readonly url: string | URL;
  /** Bytes of a message at most; 16 MiB by default. */
  readonly maxMessageBytes?: number | undefined;
  /** How many arrays and objects may be inside one another; 256 by default. */
  readonly maxDepth?: number | undefined;
  /** How a stream that broke off is asked for again. */
  readonly reconnect?: ReconnectOptions | undefined;
  /** Milliseconds that the server may take to accept what it need not answer; 30,000 by default. */
  readonly acceptTimeout?: number | undefined;
  /**
   * Calls that may wait for their answers at the same time, each with a connection of its own; 256 by default. Further
   * ones wait for their turn. Answers to the server and notifications do not wait for calls: 32 of them are sent at the
   * same time. If more than 4096 of those wait, or 128 Mi characters, the connection closes with an error.
   */
  readonly maxConcurrentCalls?: number | undefined;
  /** Whether a server that refuses the first request is tried as one of 2024-11-05 (HTTP+SSE). On by default. */
  readonly fallsBackToSse?: boolean | undefined;
  /**
   * Told that the server had forgotten the session and a new one was begun, as the specification has it. What the old
   * one held, such as subscriptions and the level of logging, is gone. Undefined as id if the server now gives none.
   */
  readonly onSessionRenewed?: ((id: string | undefined) => void) | undefined;
}

/**
 * How a stream that broke off is asked for again. The server's `retry` comes first, but is 100 ms at least. A server that
 * ends one stream after the other soon and with one new event at most is asked less and less often, up to every 5 s.
 */
export interface ReconnectOptions {
  /** Milliseconds to wait at first, doubled with each attempt in vain; 1000 by default. */
  readonly initialDelayMs?: number | undefined;
  /** Milliseconds to wait at most, as far as the doubling goes; 30,000 by default. */
  readonly maxDelayMs?: number | undefined;
  /** Attempts in vain, one after the other, until the stream is given up; 5 by default. */
  readonly maxAttempts?: number | undefined;
}

/** What may be said with a message, beyond {@link SendOptions}; the official SDK's client 2.x says it. */
export interface HttpSendOptions extends SendOptions {
  /** Aborting it ends the request and its stream. */
  readonly requestSignal?: AbortSignal;
  /** Headers beside the transport's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The stream of the answer has ended, though nobody aborted the request. */
  readonly onRequestStreamEnd?: () => void;
}

/** A transport with a server behind a URL. */
export interface HttpClientTransport extends Transport {
  /** The session that the server gave; undefined if there is none. */
  readonly sessionId: string | undefined;
  send(message: object, options?: HttpSendOptions): Promise<void>;
  setProtocolVersion(version: string): void;
  /**
   * Ends an OAuth flow in which the user was sent to the authorization server; then connect anew.
   *
   * @param answer - The code, or all params with which the user came back.
   * @throws UnauthorizedError if the server gives no token for it.
   */
  finishAuth(answer: string | URLSearchParams, iss?: string): Promise<void>;
}
