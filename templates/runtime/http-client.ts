import type {
  HttpClientOptions,
  HttpClientTransport,
} from "./http/client/options.js";
import { HttpClient } from "./http/client/transport.js";

export type {
  AuthFlow,
  AuthFlowOptions,
  AuthProvider,
  Fetch,
  OAuthClientProvider,
  UnauthorizedContext,
} from "./http/client/auth.js";
export type { HeaderSource } from "./http/client/fetch.js";
export { HttpError, UnauthorizedError } from "./http/errors.js";
export type {
  HttpClientOptions,
  HttpClientTransport,
  HttpSendOptions,
  ReconnectOptions,
} from "./http/client/options.js";

/**
 * The client's side of the Streamable HTTP transport, in each of its forms: with a session and an own stream for what
 * the server has to say (2025-03-26 to 2025-11-25), stateless (2026-07-28), and HTTP+SSE of 2024-11-05 where a server
 * knows nothing newer. Needs `fetch` and streams, as browsers, Workers, Deno, Bun and Node have them.
 *
 * The promise of `send` resolves when a request is answered, and rejects with an {@link HttpError} if that cannot be any
 * more. A stream that breaks off is resumed where the server's events have ids.
 *
 * @throws TypeError if the URL is none, or not of HTTP, or a header is the transport's own.
 */
export function httpClientTransport(
  options: HttpClientOptions,
): HttpClientTransport {
  return new HttpClient(options);
}
