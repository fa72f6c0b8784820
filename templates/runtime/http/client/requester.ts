import { HttpError } from "../errors.js";
import { JSON_TYPE, STREAM_TYPE } from "../headers.js";
import type { Authorizer } from "./auth.js";
import { AuthorizedFetch } from "./fetch.js";
import type { FetchSettings } from "./fetch.js";

/** Header fields of a request. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** The headers of every POST. */
export const POST_HEADERS: HeaderList = [
  ["Content-Type", JSON_TYPE],
  ["Accept", `${JSON_TYPE}, ${STREAM_TYPE}`],
];

/** Bytes of an error response's body that are read. */
export const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Makes the transport's requests to one server.
 *
 * `postUrl` is set once, only where the server speaks HTTP+SSE, and has the origin of the configured URL.
 */
export class Requester {
  readonly url: URL;
  readonly #authorizedFetch: AuthorizedFetch;
  #postUrl: URL | undefined;

  /** @throws TypeError if the URL is not an HTTP URL, or a header is reserved. */
  constructor(url: string | URL, settings: FetchSettings) {
    this.url = parseHttpUrl(url);
    this.#authorizedFetch = new AuthorizedFetch(this.url, settings);
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

  fetch(
    method: "GET" | "POST" | "DELETE",
    headers: HeaderList,
    signal: AbortSignal,
    message?: object,
  ): Promise<Response> {
    return this.#authorizedFetch.call({
      method,
      url: method === "POST" ? (this.#postUrl ?? this.url) : this.url,
      headers:
        method === "POST"
          ? headers
          : [["Accept", STREAM_TYPE] as const, ...headers],
      ...(message === undefined ? {} : { body: JSON.stringify(message) }),
      signal,
    });
  }

  /** The error of a POST whose response the transport cannot use. */
  createError(response: Response, reason: string, body = ""): HttpError {
    return new HttpError(reason, {
      method: "POST",
      url: this.#postUrl ?? this.url,
      status: response.status,
      body,
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
