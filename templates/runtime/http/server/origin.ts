import type { HeaderFields, HttpCall } from "./call.js";
import { HTTP_HEADERS } from "../headers.js";

/** Which hosts and origins may connect. */
export interface OriginCheckOptions {
  /**
   * Allowed values of the `Host` header, with or without a port; a value without one allows any. By default those of
   * this machine: `localhost`, `127.0.0.1` and `[::1]`. Use `any` only behind a proxy that checks the header.
   */
  readonly allowedHosts?: readonly string[] | "any" | undefined;
  /**
   * Origins of web pages that may send requests, such as `https://app.example.com`. By default those on the allowed
   * hosts. Requests without an `Origin` do not come from a page.
   */
  readonly allowedOrigins?: readonly string[] | "any" | undefined;
  /** Lets pages of these origins read responses (CORS). None by default. */
  readonly cors?: CorsOptions | undefined;
}

/** Which origins may read responses in a browser. */
export interface CorsOptions {
  readonly origins: readonly string[] | "any";
  /** Seconds for which a browser caches a preflight response; 600 by default. */
  readonly maxAge?: number | undefined;
}

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Keeps foreign web pages from talking to a server on this machine (MCP, Streamable HTTP, Security Warning).
 *
 * All host and origin sets are in lower case; an undefined host set allows every host.
 * An origin that may read responses (CORS) may also send requests.
 */
export class OriginCheck {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string> | "any" | undefined;
  readonly #cors: CorsOptions | undefined;

  constructor({
    allowedHosts = LOCAL_HOSTS,
    allowedOrigins,
    cors,
  }: OriginCheckOptions) {
    this.#hosts =
      allowedHosts === "any"
        ? undefined
        : new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#origins =
      allowedOrigins === undefined || allowedOrigins === "any"
        ? allowedOrigins
        : new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
    this.#cors = cors;
  }

  /** Why a call is rejected, and how to allow it; undefined if it is allowed. */
  refuse(call: HttpCall): string | undefined {
    const host = call.header("host");
    if (this.#hosts !== undefined && !includesHost(this.#hosts, host))
      return "the Host header is not allowed here; allowedHosts lists those that are";
    const origin = call.header("origin");
    if (origin === undefined || this.#allowsOrigin(origin)) return undefined;
    return "the Origin is not allowed here; allowedOrigins lists those that are";
  }

  /** The headers that let a page read the response; undefined if it may not. */
  corsHeaders(call: HttpCall): HeaderFields | undefined {
    const origin = call.header("origin");
    if (origin === undefined || !this.#allowsCors(origin)) return undefined;
    return {
      "access-control-allow-origin": origin,
      "access-control-expose-headers": `${HTTP_HEADERS.SESSION_ID}, ${HTTP_HEADERS.PROTOCOL_VERSION}, WWW-Authenticate`,
      vary: "Origin",
    };
  }

  /** The additional headers of a preflight response (Fetch, CORS protocol). */
  preflightHeaders(call: HttpCall): HeaderFields {
    const requested = (call.header("access-control-request-headers") ?? "")
      .split(",")
      .map((name) => name.trim().toLowerCase())
      .filter((name) => PREFLIGHT_HEADERS.test(name));
    return {
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers": requested.join(", "),
      "access-control-max-age": String(this.#cors?.maxAge ?? 600),
    };
  }

  #allowsOrigin(origin: string): boolean {
    const text = origin.toLowerCase();
    if (this.#allowsCors(origin)) return true;
    if (this.#origins === "any") return true;
    if (this.#origins !== undefined) return this.#origins.has(text);
    const host = /^https?:\/\/([^/]+)$/.exec(text)?.[1];
    return this.#hosts !== undefined && includesHost(this.#hosts, host);
  }

  #allowsCors(origin: string): boolean {
    if (this.#cors === undefined) return false;
    const { origins } = this.#cors;
    return origins === "any" || origins.includes(origin);
  }
}

const PREFLIGHT_HEADERS =
  /^(?:accept|authorization|content-type|last-event-id|traceparent|tracestate|baggage|mcp-[\w!#$%&'*+.^`|~-]+)$/;

/** Whether a host is allowed, with its port or whatever that is. */
function includesHost(
  hosts: ReadonlySet<string>,
  host: string | undefined,
): boolean {
  if (host === undefined) return false;
  const text = host.toLowerCase();
  return hosts.has(text) || hosts.has(text.replace(/:\d{1,5}$/, ""));
}
