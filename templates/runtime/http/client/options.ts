import type { ClientConnectionEvent } from "../../jsonrpc/connection-events.js";
import type { SendOptions, Transport } from "../../jsonrpc/transport.js";
import type { FetchSettings } from "./fetch.js";

/** Which server to connect to, and how. */
export interface HttpClientOptions extends FetchSettings {
  /** The server's MCP endpoint, or the event stream of an HTTP+SSE server (2024-11-05). */
  readonly url: string | URL;
  /** Maximum size of a message in bytes; 16 MiB by default. */
  readonly maxMessageBytes?: number | undefined;
  /** Maximum nesting depth of arrays and objects; 256 by default. */
  readonly maxDepth?: number | undefined;
  /** How to reconnect to a stream that broke off, and to a server that restarts. */
  readonly reconnect?: ReconnectOptions | undefined;
  /** Milliseconds within which the server must accept a notification or response; 30,000 by default. */
  readonly acceptTimeout?: number | undefined;
  /**
   * Maximum of requests that wait for responses at the same time, each with its own connection; 256 by default. Further
   * requests wait for their turn. Notifications and responses to the server do not: 32 are posted at the same time. If
   * more than 4096 of those wait, or 128 Mi characters, the connection closes with an error.
   */
  readonly maxConcurrentCalls?: number | undefined;
  /** Whether to fall back to HTTP+SSE (2024-11-05) if the server rejects the first request. On by default. */
  readonly fallsBackToSse?: boolean | undefined;
  /**
   * Whether to send a request again if that cannot run it twice. On by default:
   *
   * - If a server that has responded before does not accept connections, as during a restart, after the delays of
   *   {@link reconnect}.
   * - If the server answers 429 with `Retry-After`, up to `maxAttempts` times and no longer than `maxDelayMs` each; also
   *   503, if the request only reads.
   * - If the connection is lost before the response, once, and only a request that reads: lists, `resources/read`,
   *   `prompts/get`, `completion/complete`, `ping`, and tools that the server has listed with `readOnlyHint` or
   *   `idempotentHint`. Any other call may have run, so it fails.
   */
  readonly retriesRequests?: boolean | undefined;
  /**
   * Receives what happens to the connection, such as a renewed session. The `onEvent` of a generated client receives the
   * same; this is for transports that another client uses.
   */
  readonly onEvent?: ((event: ClientConnectionEvent) => void) | undefined;
}

/**
 * How to reconnect to a stream that broke off. The server's `retry` takes precedence, but is at least 100 ms. If
 * streams repeatedly end soon with at most one new event, the delay grows up to 5 s. Requests that cannot be sent,
 * since the server is not reachable, have the same delays.
 */
export interface ReconnectOptions {
  /** Milliseconds to wait at first, doubled with each failed attempt; 1000 by default. */
  readonly initialDelayMs?: number | undefined;
  /** Maximum that the doubling reaches, in milliseconds; 30,000 by default. */
  readonly maxDelayMs?: number | undefined;
  /** Consecutive failed attempts after which the client gives up; 5 by default. */
  readonly maxAttempts?: number | undefined;
}

/** Options of one message, in addition to {@link SendOptions}; the official SDK's client 2.x uses them. */
export interface HttpSendOptions extends SendOptions {
  /** Aborting it ends the request and its stream. */
  readonly requestSignal?: AbortSignal;
  /** Headers in addition to the transport's own; only `Mcp-Param-*` of stateless requests are sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the stream of the response has ended without the request being aborted. */
  readonly onRequestStreamEnd?: () => void;
}

/** A transport to a server at a URL. */
export interface HttpClientTransport extends Transport {
  /** The id of the session that the server assigned; undefined without a session. */
  readonly sessionId: string | undefined;
  send(message: object, options?: HttpSendOptions): Promise<void>;
  setProtocolVersion(version: string): void;
  /**
   * Completes an OAuth flow in which the user was redirected to the authorization server; then connect again.
   *
   * @param answer - The authorization code, or all parameters of the redirect back.
   * @throws UnauthorizedError if the server issues no token for it.
   */
  finishAuth(answer: string | URLSearchParams, iss?: string): Promise<void>;
}
