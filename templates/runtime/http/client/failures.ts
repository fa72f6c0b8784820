import { HttpError } from "../errors.js";

/** Codes that only a failure to connect has. */
const CONNECT_CODES: ReadonlySet<unknown> = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  // Bun
  "ConnectionRefused",
  "FailedToOpenSocket",
]);

/** Codes of a connection that ended. */
const LOST_CODES: ReadonlySet<unknown> = new Set([
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_SOCKET",
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_STREAM_ERROR",
  // Bun
  "ConnectionClosed",
]);

/** Maximum length of a chain of causes. */
const MAX_CAUSES = 5;

/** What platforms say about an error. */
interface Reason {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** The reasons why a request had no response; empty if the error is another one. */
function reasonsOf(error: unknown): readonly Reason[] {
  const reasons: Reason[] = [];
  if (!(error instanceof HttpError) || error.status !== undefined)
    return reasons;
  let reason: unknown = error.cause;
  while (
    typeof reason === "object" &&
    reason !== null &&
    reasons.length < MAX_CAUSES
  ) {
    reasons.push(reason);
    reason = (reason as Reason).cause;
  }
  return reasons;
}

/** Whether a request was not sent, since there was no connection to the server. Then nothing was run. */
export function isNotSent(error: unknown): boolean {
  return reasonsOf(error).some(isConnectFailure);
}

function isConnectFailure({ code, syscall, message, errors }: Reason): boolean {
  // Node tries several addresses, and reports one error for each.
  if (Array.isArray(errors) && errors.length > 0)
    return (errors as readonly Reason[]).every(isConnectFailure);
  return (
    syscall === "connect" ||
    syscall === "getaddrinfo" ||
    CONNECT_CODES.has(code) ||
    // Deno
    (typeof message === "string" && message.includes("client error (Connect)"))
  );
}

/**
 * Whether the connection of a request ended before the response, so that the server may or may not have run it. A
 * platform that reports no reason, such as a browser, counts as that.
 */
export function isConnectionLost(error: unknown): boolean {
  const reasons = reasonsOf(error);
  if (reasons.length === 0 || isNotSent(error)) return false;
  const codes = reasons.flatMap(({ code }) =>
    typeof code === "string" ? [code] : [],
  );
  return codes.length === 0 || codes.some((code) => LOST_CODES.has(code));
}
