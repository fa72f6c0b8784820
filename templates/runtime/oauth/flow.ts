import { isLoopback } from "../http/client/address.js";
import { refuseAuthUrl } from "../http/client/auth-fetch.js";
import type { AllowsUrl, Fetch } from "../http/client/auth-fetch.js";
import { networkErrorReason, readBodyStart } from "../http/client/fetch.js";
import { publicUrl, UnauthorizedError } from "../http/errors.js";
import { createFailure, describeError, quote } from "./failure.js";
import type { Failure } from "./failure.js";

/** Milliseconds within which a server must send a whole response. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Size of a response's body: metadata, a registration or tokens. */
const MAX_RESPONSE_BYTES = 256 * 1024;

/** How to make requests for an MCP server. */
export interface FlowOptions {
  /** Checks the address of each request and redirect. */
  readonly fetchFn: Fetch;
  /** Whether to allow an address that is refused by default. */
  readonly allowsUrl: AllowsUrl;
}

/** The requests of a flow for one MCP server: bounded in time and size, with errors that name the step. */
export class Flow {
  /** The MCP server, which the user chose. */
  readonly server: URL;
  #options: FlowOptions;

  constructor(server: URL, options: FlowOptions) {
    this.server = server;
    this.#options = options;
  }

  /** Makes requests in another way from now on, such as that of the transport in use. */
  use(options: FlowOptions): void {
    this.#options = options;
  }

  fail(step: string, reason: string, remedy?: string): UnauthorizedError {
    return createFailure(this.server, { step, reason, remedy });
  }

  /** The error of an operation; errors of other steps stay as they are. */
  wrap(
    error: unknown,
    step: string,
    {
      secrets,
      remedy,
    }: Partial<Failure> & { secrets?: readonly string[] } = {},
  ): UnauthorizedError {
    return error instanceof UnauthorizedError
      ? error
      : this.fail(step, describeError(error, secrets), remedy);
  }

  /**
   * The `fetch` of one step. Its responses are whole, so the OAuth library cannot be made to read without end.
   *
   * @param secrets - Values that errors must not show.
   */
  fetchFor(step: string): Fetch {
    return async (url, init) => {
      const controller = new AbortController();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const timeout = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          controller.abort();
          reject(
            this.fail(
              step,
              `no response within ${REQUEST_TIMEOUT_MS / 1000} seconds`,
              "try again later",
            ),
          );
        }, REQUEST_TIMEOUT_MS);
      });
      try {
        return await Promise.race([
          this.#fetchWhole(step, url, { ...init, signal: controller.signal }),
          timeout,
        ]);
      } finally {
        clearTimeout(timer);
      }
    };
  }

  async #fetchWhole(
    step: string,
    url: string | URL,
    init: RequestInit,
  ): Promise<Response> {
    let response: Response;
    let body: Awaited<ReturnType<typeof readBodyStart>>;
    try {
      response = await this.#options.fetchFn(url, init);
      body = await readBodyStart(response, MAX_RESPONSE_BYTES);
    } catch (error) {
      throw error instanceof UnauthorizedError
        ? this.fail(step, error.message.replace(/^POST \S+: /, ""))
        : this.fail(
            step,
            `no response (${networkErrorReason(error)})`,
            "check the network, and that the server is running",
          );
    }
    // Browsers hide redirects.
    if (response.type === "opaqueredirect")
      throw this.fail(step, "the server redirects");
    if (!body.isWhole)
      throw this.fail(
        step,
        `the response is larger than ${MAX_RESPONSE_BYTES / 1024} KiB`,
      );
    const headers = new Headers();
    for (const name of ["content-type", "dpop-nonce"]) {
      const value = response.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    const { status } = response;
    return new Response([204, 205, 304].includes(status) ? null : body.text, {
      status,
      headers,
    });
  }

  /**
   * Checks a URL that a server names. Authorization servers need https, unless they are on this machine (MCP, security
   * considerations, communication security).
   *
   * @param step - What fails if the URL must not be used.
   * @param name - The name of the member with the URL.
   */
  checkUrl(step: string, name: string, value: unknown): URL {
    // URL ignores control characters, so that a text shown to a user and the URL would differ.
    if (
      typeof value !== "string" ||
      /[\p{Cc}\s]/u.test(value) ||
      !URL.canParse(value)
    )
      throw this.fail(
        step,
        `${name} is not a URL but ${typeof value === "string" ? quote(value) : describeType(value)}`,
      );
    const url = new URL(value);
    if (url.protocol !== "https:" && url.protocol !== "http:")
      throw this.fail(step, `${name} is not an HTTP URL: ${quote(value)}`);
    if (url.username !== "" || url.password !== "" || url.hash !== "")
      throw this.fail(
        step,
        `${name} has a user, a password or a fragment: ${publicUrl(url)}`,
      );
    const reason =
      refuseAuthUrl(this.server, url, this.#options.allowsUrl) ??
      (url.protocol === "http:" &&
      !isLoopback(url) &&
      !this.#options.allowsUrl(url)
        ? `${publicUrl(url)} must be an https URL`
        : undefined);
    if (reason !== undefined)
      throw this.fail(
        step,
        `${name}: ${reason}`,
        "the option allowsAuthUrl can allow it",
      );
    return url;
  }
}

/** The JSON type of a value. */
export function describeType(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
