import { CallError } from "../jsonrpc/error-codes.js";

/** An HTTP request that failed. */
export interface HttpFailure {
  readonly method: string;
  readonly url: string | URL;
  /** Undefined if there was no response. */
  readonly status?: number | undefined;
  /** The response's body, or its beginning. */
  readonly body?: string | undefined;
  /** Milliseconds after which the server asks to try again. */
  readonly retryAfterMs?: number | undefined;
}

const MAX_BODY_CHARS = 200;

/**
 * Statuses that trying an older revision or transport would not change: they are about the client, not about the
 * message.
 */
const FINAL_STATUSES: ReadonlySet<number> = new Set([401, 403, 407, 429]);

/**
 * An HTTP request failed, or its response is not part of the protocol. If a POST got a status from 400 to 499, nothing
 * was run; otherwise the call may have run. Retry 429 and 503 after `retryAfterMs`.
 */
export class HttpError extends CallError {
  override readonly name: string = "HttpError";
  /** Undefined if there was no response. */
  readonly status: number | undefined;
  /** Without credentials and query. */
  readonly url: string;
  /** The beginning of the response's body. */
  readonly body: string;
  /** The response's `Retry-After` in milliseconds; undefined if it has none. */
  readonly retryAfterMs: number | undefined;
  /** Whether trying an older revision does not help. */
  readonly isFinal: boolean;
  readonly mayHaveRun: boolean;

  constructor(
    reason: string,
    { method, url, status, body = "", retryAfterMs }: HttpFailure,
    options?: { readonly cause?: unknown },
  ) {
    const location = publicUrl(url);
    const quoted = excerptBody(body);
    super(
      `${method} ${location}: ${status === undefined ? "" : `${status}, `}${reason}${quoted === "" ? "" : `: ${quoted}`}`,
      options,
    );
    this.status = status;
    this.url = location;
    this.body = body.slice(0, MAX_BODY_CHARS);
    this.retryAfterMs = retryAfterMs;
    this.mayHaveRun =
      method !== "POST" ||
      status === undefined ||
      status < 400 ||
      status >= 500;
    this.isFinal = status === undefined || FINAL_STATUSES.has(status);
  }
}

/**
 * The server requires an authorization that the client could not obtain. Nothing was run, unless it was required for the
 * rest of a stream. Have the user sign in, or provide another token.
 */
export class UnauthorizedError extends HttpError {
  override readonly name = "UnauthorizedError";
  override readonly mayHaveRun: boolean;

  constructor(...parts: ConstructorParameters<typeof HttpError>) {
    super(...parts);
    this.mayHaveRun = parts[1].method !== "POST";
  }
}

/** A URL that is safe to log: without user, password, query and fragment. */
export function publicUrl(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** One line of printable characters, since the server's text may be logged. */
function excerptBody(body: string): string {
  const line = body
    .slice(0, 4 * MAX_BODY_CHARS)
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  return line.length > MAX_BODY_CHARS
    ? `${line.slice(0, MAX_BODY_CHARS)}...`
    : line;
}
