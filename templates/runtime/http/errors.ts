/** What is known of an HTTP request that failed. */
export interface HttpFailure {
  readonly method: string;
  readonly url: string | URL;
  /** Undefined if no answer came. */
  readonly status?: number | undefined;
  /** The body of the answer, or its beginning. */
  readonly body?: string | undefined;
}

const MAX_BODY_CHARS = 200;

/**
 * Statuses that no older revision and no older transport would change: they are about the sender, not about what was
 * sent.
 */
const FINAL_STATUSES: ReadonlySet<number> = new Set([401, 403, 407, 429]);

/** An HTTP request failed, or its answer is none that the protocol knows. */
export class HttpError extends Error {
  override readonly name: string = "HttpError";
  /** Undefined if no answer came. */
  readonly status: number | undefined;
  /** Without credentials and query. */
  readonly url: string;
  /** The first part of the answer's body. */
  readonly body: string;
  /** Whether there is no use in trying an older revision. */
  readonly isFinal: boolean;

  constructor(
    reason: string,
    { method, url, status, body = "" }: HttpFailure,
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
    this.isFinal = status === undefined || FINAL_STATUSES.has(status);
  }
}

/** The server wants an authorization that the client does not have and could not get. */
export class UnauthorizedError extends HttpError {
  override readonly name = "UnauthorizedError";
}

/** A URL as a log may hold it: without user, password, query and fragment. */
export function publicUrl(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** One line of visible characters, since it is the other side's text and goes into a log. */
function excerptBody(body: string): string {
  const line = body
    .slice(0, 4 * MAX_BODY_CHARS)
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  return line.length > MAX_BODY_CHARS
    ? `${line.slice(0, MAX_BODY_CHARS)}...`
    : line;
}
