import { refuseTarget } from "./address.js";
import { UnauthorizedError } from "../errors.js";

/** The platform's `fetch`, or a custom one. */
export type Fetch = (
  url: string | URL,
  init?: RequestInit,
) => Promise<Response>;

/** Whether to allow a URL that is rejected by default. */
export type AllowsUrl = (url: URL) => boolean;

/** Maximum of redirects that an auth flow follows. */
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Why a URL that a server names for its authorization must not be used; undefined if it may. */
export function refuseAuthUrl(
  server: URL,
  url: URL,
  allows?: AllowsUrl,
): string | undefined {
  const reason = refuseTarget(server, url);
  return reason === undefined || allows?.(url) === true ? undefined : reason;
}

/**
 * The `fetch` of an auth flow. The server, or another one that it names, chooses each URL of a flow, so each URL and
 * each redirect is checked.
 *
 * @param server - The URL of the MCP server, which the user chose.
 * @param fetch - Makes the requests.
 * @returns Rejects with an UnauthorizedError if a URL or a redirect is refused.
 */
export function createAuthFetch(
  server: URL,
  fetch: Fetch,
  allows?: AllowsUrl,
): Fetch {
  const createError = (reason: string, status?: number): UnauthorizedError =>
    new UnauthorizedError(reason, { method: "POST", url: server, status });
  return async (url, init = {}) => {
    let target = new URL(url);
    for (let redirects = 0; ; redirects += 1) {
      const reason = refuseAuthUrl(server, target, allows);
      if (reason !== undefined) throw createError(reason);
      const response = await fetch(target, { ...init, redirect: "manual" });
      const { status } = response;
      // Browsers hide the target: the flow gets an opaque response.
      if (!REDIRECTS.has(status)) return response;
      const location = response.headers.get("location") ?? "";
      response.body?.cancel().catch(() => undefined);
      const isRead = ["GET", "HEAD"].includes(init.method ?? "GET");
      // A POST has a code, a token or a secret that is meant for one URL only.
      if (!isRead || redirects >= MAX_REDIRECTS)
        throw createError(
          isRead
            ? `more than ${MAX_REDIRECTS} redirects`
            : `${target.origin} redirects a request with credentials`,
          status,
        );
      if (!URL.canParse(location, target.href))
        throw createError(`${target.origin} redirects to nowhere`, status);
      target = new URL(location, target);
    }
  };
}
