import type {
  HttpClientOptions,
  HttpClientTransport,
} from "./http/client/options.js";
import { HttpClient } from "./http/client/transport.js";

export type {
  AuthContext,
  AuthFlow,
  AuthFlowOptions,
  AuthProvider,
  Fetch,
  OAuthClientProvider,
  TokenRequest,
  UnauthorizedContext,
} from "./http/client/auth.js";
export type { ClientConnectionEvent } from "./jsonrpc/connection-events.js";
export type { HeaderSource } from "./http/client/fetch.js";
export { HttpError, UnauthorizedError } from "./http/errors.js";
export type {
  HttpClientOptions,
  HttpClientTransport,
  HttpSendOptions,
  ReconnectOptions,
} from "./http/client/options.js";

/**
 * The client's side of the Streamable HTTP transport in all its forms: with sessions and a stream for the server's own
 * messages (2025-03-26 to 2025-11-25), stateless (2026-07-28), and HTTP+SSE (2024-11-05) if a server supports nothing
 * newer. Needs `fetch` and streams, which browsers, Workers, Deno, Bun and Node have.
 *
 * The promise of `send` resolves when a request is answered, and rejects with an {@link HttpError} once that is
 * impossible. A stream that breaks off is resumed if the server's events have ids.
 *
 * @throws TypeError if the URL is invalid or not an HTTP URL, or a header is reserved for the transport.
 */
export function httpClientTransport(
  options: HttpClientOptions,
): HttpClientTransport {
  return new HttpClient(options);
}
