import { Authorizer, needsAuthorization } from "./auth.js";
import type { AuthSettings, Fetch } from "./auth.js";
import { abortable } from "../../jsonrpc/abort.js";
import { HttpError, publicUrl } from "../errors.js";
import { utf8Characters } from "../headers.js";

/** Custom headers: fixed ones, or a function that returns them for each request. */
export type HeaderSource =
  | Readonly<Record<string, string>>
  | (() =>
      | Readonly<Record<string, string>>
      | Promise<Readonly<Record<string, string>>>);

/** How to make requests. */
export interface FetchSettings extends AuthSettings {
  readonly headers?: HeaderSource | undefined;
  readonly fetch?: Fetch | undefined;
}

/** A request to make. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 5;
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([
  301, 302, 303, 307, 308,
]);
/** Redirects that preserve the method. */
const METHOD_PRESERVING_REDIRECTS: ReadonlySet<number> = new Set([307, 308]);

/** Headers that only the transport sets: they must match the message. */
const RESERVED_HEADERS =
  /^(?:accept|content-type|content-length|host|last-event-id|mcp-.*)$/i;

/** Custom headers that differ in each request, whoever calls. */
const TRACING_HEADERS =
  /^(?:traceparent|tracestate|baggage|x-request-id|x-correlation-id|date)$/i;

/** Makes requests to one server, with its authorization. */
export class AuthorizedFetch {
  readonly authorizer: Authorizer;
  readonly #settings: FetchSettings;
  readonly #basicAuthorization: string | undefined;
  readonly #fetch: Fetch;
  readonly #onCallerChanged: () => void;
  /** The custom headers and credentials of the last request. */
  #caller: string | undefined;

  /**
   * @param onCallerChanged - Called before the first request with other credentials than the one before.
   * @throws TypeError if a custom header is invalid or reserved for the transport.
   */
  constructor(url: URL, settings: FetchSettings, onCallerChanged: () => void) {
    this.#onCallerChanged = onCallerChanged;
    this.#settings = settings;
    this.#fetch = settings.fetch ?? ((to, init) => fetch(to, init));
    this.authorizer = new Authorizer(
      withoutCredentials(url),
      this.#fetch,
      settings,
    );
    this.#basicAuthorization = basicCredentials(url);
    if (typeof settings.headers === "object") checkHeaders(settings.headers);
  }

  /**
   * Makes a request. If the server requires authorization, retries it once the provider has a token.
   *
   * @returns The response, whatever its status.
   * @throws HttpError if there is no response, or it redirects to another origin; UnauthorizedError; the signal's
   *   reason.
   */
  async call(request: HttpRequest): Promise<Response> {
    const refusedStatuses = new Set<number>();
    for (;;) {
      const token = await this.authorizer.token();
      const response = await this.#followRedirects(request, token);
      const { status } = response;
      if (
        !this.authorizer.hasProvider ||
        !needsAuthorization(response) ||
        refusedStatuses.has(status) ||
        // Nobody has to log in to end a session.
        request.method === "DELETE"
      )
        return response;
      refusedStatuses.add(status);
      try {
        await abortable(this.authorizer.renew(response, token), request.signal);
      } finally {
        discardBody(response);
      }
    }
  }

  /** Calls `onCallerChanged` if the next request will have other credentials. */
  async checkAuthorization(): Promise<void> {
    await this.#callerHeaders(await this.authorizer.token());
  }

  /** Follows redirects within the origin: credentials and messages must not go elsewhere. */
  async #followRedirects(
    request: HttpRequest,
    token: string | undefined,
  ): Promise<Response> {
    let { url } = request;
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#fetchOnce(request, url, token);
      if (!isRedirect(response)) return response;
      discardBody(response);
      const failure = {
        method: request.method,
        url,
        status: response.status || undefined,
      };
      const location = response.headers.get("location");
      if (location === null || !URL.canParse(location, url.href))
        throw finalError("the server redirects to an unknown target", failure);
      const target = new URL(location, url);
      if (target.origin !== url.origin)
        throw finalError(
          `the server redirects to another origin, ${publicUrl(target)}; connect to that if it is the right one`,
          failure,
        );
      if (redirects >= MAX_REDIRECTS)
        throw finalError(`more than ${MAX_REDIRECTS} redirects`, failure);
      if (
        request.method !== "GET" &&
        !METHOD_PRESERVING_REDIRECTS.has(response.status)
      )
        throw finalError(
          `the server redirects to ${publicUrl(target)} in a way that would make the request a GET`,
          failure,
        );
      url = target;
    }
  }

  /** Sends a request, and once more if the auth provider wants to, such as with a nonce of the server. */
  async #fetchOnce(
    request: HttpRequest,
    url: URL,
    token: string | undefined,
  ): Promise<Response> {
    const response = await this.#send(request, url, token);
    if (token === undefined) return response;
    const sent = { method: request.method, url, token };
    if (!this.authorizer.wantsRetry(sent, response)) return response;
    discardBody(response);
    const secondResponse = await this.#send(request, url, token);
    // It may have a nonce for the next request.
    this.authorizer.wantsRetry(sent, secondResponse);
    return secondResponse;
  }

  async #send(
    { method, headers, body, signal }: HttpRequest,
    url: URL,
    token: string | undefined,
  ): Promise<Response> {
    const allHeaders = await this.#callerHeaders(token);
    if (token !== undefined)
      await this.authorizer.authorize({ method, url, token }, allHeaders);
    for (const [name, value] of headers) allHeaders.set(name, value);
    signal.throwIfAborted();
    try {
      return await this.#fetch(withoutCredentials(url), {
        method,
        headers: allHeaders,
        signal,
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new HttpError(
        `no response (${networkErrorReason(error)})`,
        { method, url },
        { cause: error },
      );
    }
  }

  /** The headers that say who calls: custom ones, and credentials. */
  async #callerHeaders(token: string | undefined): Promise<Headers> {
    const { headers: source } = this.#settings;
    const customHeaders =
      typeof source === "function" ? await source() : (source ?? {});
    if (typeof source === "function") checkHeaders(customHeaders);
    const headers = new Headers({ ...customHeaders });
    if (this.#basicAuthorization !== undefined)
      headers.set("authorization", this.#basicAuthorization);
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    const sent: (readonly [string, string])[] = [];
    // Not iterated: that needs a library of TypeScript which not every project has.
    headers.forEach((value, name) => {
      if (!TRACING_HEADERS.test(name)) sent.push([name, value]);
    });
    const caller = JSON.stringify(sent);
    const hasChanged = this.#caller !== undefined && this.#caller !== caller;
    this.#caller = caller;
    if (hasChanged) this.#onCallerChanged();
    return headers;
  }
}

/**
 * Reads the text of a response's body.
 *
 * @param limit - Maximum in bytes; the rest of a longer body is not read.
 * @returns Undefined if the body is longer.
 */
export async function readBodyText(
  response: Response,
  limit: number,
): Promise<string | undefined> {
  const { text, isWhole } = await readBodyStart(response, limit);
  return isWhole ? text : undefined;
}

/** Reads the text of a response's body, up to a limit in bytes. */
export async function readBodyStart(
  response: Response,
  limit: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  if (response.body === null) return { text: "", isWhole: true };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = (await reader.read()) as {
      readonly done: boolean;
      readonly value?: Uint8Array;
    };
    if (done || value === undefined)
      return { text: text + decoder.decode(), isWhole: true };
    const room = limit - size;
    size += value.length;
    text += decoder.decode(value.subarray(0, room), { stream: true });
    if (size > limit) {
      reader.cancel().catch(() => undefined);
      return { text, isWhole: false };
    }
  }
}

/** Releases the connection of a response whose body nobody reads. */
export function discardBody(response: Response): void {
  if (response.bodyUsed || response.body === null || response.body.locked)
    return;
  response.body.cancel().catch(() => undefined);
}

/** The media type of a response, without its parameters. */
export function mediaTypeOf(response: Response): string {
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  return type.trim().toLowerCase();
}

function isRedirect(response: Response): boolean {
  // Browsers hide the status of a redirect that they do not follow.
  return (
    response.type === "opaqueredirect" || REDIRECT_STATUSES.has(response.status)
  );
}

/** An error after which trying an older revision does not help. */
function finalError(
  reason: string,
  failure: ConstructorParameters<typeof HttpError>[1],
): HttpError {
  return Object.assign(new HttpError(reason, failure), { isFinal: true });
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED_HEADERS.test(name))
      throw new TypeError(
        `the header ${JSON.stringify(name)} is reserved for the transport`,
      );
    try {
      new Headers([[name, value]]);
    } catch (error) {
      throw new TypeError(
        `${JSON.stringify(name)} is not a valid header name, or its value is invalid`,
        { cause: error },
      );
    }
  }
}

/** The URL without user and password, which `fetch` rejects. */
function withoutCredentials(url: URL): URL {
  if (url.username === "" && url.password === "") return url;
  const copy = new URL(url);
  copy.username = "";
  copy.password = "";
  return copy;
}

function basicCredentials({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${btoa(utf8Characters(text))}`;
}

/** Why a request had no response: Node has the reason in `cause`. */
export function networkErrorReason(error: unknown): string {
  const { message, cause } = error as {
    readonly message?: unknown;
    readonly cause?: unknown;
  };
  const { code, message: inner } = (cause ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const reason = [code, inner, message].find(
    (item): item is string => typeof item === "string" && item !== "",
  );
  return (reason ?? String(error)).slice(0, 200);
}
