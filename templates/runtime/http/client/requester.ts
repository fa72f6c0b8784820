import type { ClientConnectionEvent } from "../../jsonrpc/connection-events.js";
import { HttpError } from "../errors.js";
import { JSON_TYPE, STREAM_TYPE } from "../headers.js";
import type { Authorizer } from "./auth.js";
import { retryAfterMs } from "../retry-after.js";
import { sleep } from "./back-off.js";
import type { BackOff } from "./back-off.js";
import { isNotSent } from "./failures.js";
import { AuthorizedFetch, readBodyStart } from "./fetch.js";
import type { FetchSettings, HttpRequest } from "./fetch.js";

/** Header fields of a request. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** The headers of every POST. */
export const POST_HEADERS: HeaderList = [
  ["Content-Type", JSON_TYPE],
  ["Accept", `${JSON_TYPE}, ${STREAM_TYPE}`],
];

/** Bytes of an error response's body that are read. */
export const MAX_ERROR_BYTES: number = 64 * 1024;

/** How a requester reaches a server that restarts. */
export interface ReachSettings {
  /** Undefined if requests are not retried. */
  readonly backOff: BackOff | undefined;
  readonly emit: (event: ClientConnectionEvent) => void;
}

/**
 * Makes the transport's requests to one server.
 *
 * `postUrl` is set once, only where the server speaks HTTP+SSE, and has the origin of the configured URL.
 */
export class Requester {
  readonly url: URL;
  readonly #authorizedFetch: AuthorizedFetch;
  readonly #reach: ReachSettings;
  #postUrl: URL | undefined;
  #hasResponded = false;

  /** @throws TypeError if the URL is not an HTTP URL, or a header is reserved. */
  constructor(
    url: string | URL,
    settings: FetchSettings,
    reach: ReachSettings,
  ) {
    this.url = parseHttpUrl(url);
    this.#reach = reach;
    this.#authorizedFetch = new AuthorizedFetch(this.url, settings, () => {
      reach.emit({ kind: "authorizationChanged" });
    });
  }

  /** Whether the server has ever responded. */
  get hasResponded(): boolean {
    return this.#hasResponded;
  }

  get authorizer(): Authorizer {
    return this.#authorizedFetch.authorizer;
  }

  /** Where an HTTP+SSE server accepts messages; undefined if messages go to `url`. */
  get postUrl(): URL | undefined {
    return this.#postUrl;
  }

  /**
   * Sends messages to another URL from now on.
   *
   * @returns False if the URL has another origin: messages and credentials must only go to the configured one.
   */
  setPostUrl(address: string): boolean {
    const target = URL.canParse(address, this.url.href)
      ? new URL(address, this.url)
      : undefined;
    if (target?.origin !== this.url.origin) return false;
    this.#postUrl = target;
    return true;
  }

  /** Reports new credentials now, instead of with the next request. */
  checkAuthorization(): Promise<void> {
    return this.#authorizedFetch.checkAuthorization();
  }

  /**
   * Makes a request. A POST that cannot be sent, since a server that has responded before is not reachable, waits for the
   * server to come back.
   *
   * @throws What {@link AuthorizedFetch.call} throws.
   */
  async fetch(
    method: "GET" | "POST" | "DELETE",
    headers: HeaderList,
    signal: AbortSignal,
    message?: object,
  ): Promise<Response> {
    const request: HttpRequest = {
      method,
      url: method === "POST" ? (this.#postUrl ?? this.url) : this.url,
      headers:
        method === "POST"
          ? headers
          : [["Accept", STREAM_TYPE] as const, ...headers],
      ...(message === undefined ? {} : { body: JSON.stringify(message) }),
      signal,
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await this.#authorizedFetch.call(request);
        this.#hasResponded = true;
        return response;
      } catch (error) {
        signal.throwIfAborted();
        if (method !== "POST" || !(await this.#waits(attempt, error, signal)))
          throw error;
      }
    }
  }

  /** Waits before the next attempt to connect. Returns whether to try it. */
  async #waits(
    attempt: number,
    error: unknown,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { backOff, emit } = this.#reach;
    if (backOff === undefined || !this.#hasResponded || !isNotSent(error))
      return false;
    if (attempt > backOff.maxAttempts) {
      emit({ kind: "gaveUp", error });
      return false;
    }
    const delayMs = backOff.delayMs(attempt);
    emit({
      kind: "reconnecting",
      attempt,
      delayMs,
      reason: error instanceof Error ? error.message : String(error),
    });
    await sleep(delayMs, signal);
    return true;
  }

  /** The error of a POST whose response the transport cannot use. */
  createError(response: Response, reason: string, body = ""): HttpError {
    return new HttpError(reason, {
      method: "POST",
      url: this.#postUrl ?? this.url,
      status: response.status,
      body,
      retryAfterMs: retryAfterMs(response),
    });
  }
}

function parseHttpUrl(url: string | URL): URL {
  if (!URL.canParse(String(url)))
    throw new TypeError(`${JSON.stringify(String(url))} is not a URL`);
  const parsed = new URL(url);
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:")
    throw new TypeError(
      `${JSON.stringify(parsed.protocol)} is not supported; the URL of a server begins with http: or https:`,
    );
  return parsed;
}

/**
 * The beginning of a rejection's body; empty if the connection is lost meanwhile, since the status is what counts.
 *
 * @throws The signal's reason if it is aborted.
 */
export async function readRejection(
  response: Response,
  signal: AbortSignal,
): Promise<string> {
  try {
    return (await readBodyStart(response, MAX_ERROR_BYTES)).text;
  } catch {
    signal.throwIfAborted();
    return "";
  }
}
