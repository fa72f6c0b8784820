import { publicUrl } from "../http/errors.js";
import { quote } from "./failure.js";
import type { Flow } from "./flow.js";
import {
  defaultMetadata,
  readResourceMetadata,
  readServerMetadata,
} from "./metadata.js";
import type { ResourceInfo, ServerMetadata } from "./metadata.js";

type JsonObject = Readonly<Record<string, unknown>>;

/** Where to get tokens for an MCP server. */
export interface Discovery extends ResourceInfo {
  /** Whether the server has no metadata, so that its origin is the authorization server (MCP 2025-03-26). */
  readonly isLegacy: boolean;
}

/**
 * Finds the authorization servers of an MCP server: from the document that a challenge names, else at the well-known
 * URIs, the one with the server's path first (MCP 2025-11-25 and 2026-07-28, protected resource metadata discovery
 * requirements). A server without a document is its own authorization server, as in 2025-03-26.
 *
 * @param named - `resource_metadata` of the challenge.
 * @throws UnauthorizedError if the document is invalid or is about another server.
 */
export async function discoverResource(
  flow: Flow,
  named: URL | undefined,
): Promise<Discovery> {
  const step = (url: URL): string => `resource metadata at ${publicUrl(url)}`;
  if (named !== undefined) {
    const document = await readDocument(flow, step(named), named);
    if (typeof document === "string")
      throw flow.fail(
        step(named),
        document,
        "the server names this document and must serve it",
      );
    return {
      ...readResourceMetadata(flow, step(named), document),
      isLegacy: false,
    };
  }
  for (const url of resourceMetadataUrls(flow.server)) {
    const document = await readDocument(flow, step(url), url);
    if (typeof document !== "string")
      return {
        ...readResourceMetadata(flow, step(url), document),
        isLegacy: false,
      };
  }
  return {
    resource: canonicalUrl(flow.server),
    issuers: [flow.server.origin],
    scopes: undefined,
    isLegacy: true,
  };
}

/**
 * Finds the metadata of an authorization server at the well-known URIs of OAuth and OpenID Connect, in the order of the
 * specification (MCP 2025-11-25 and 2026-07-28, authorization server metadata discovery).
 *
 * @param isLegacy - Whether a server without metadata has the default endpoints of 2025-03-26.
 * @throws UnauthorizedError if there is no valid document of this issuer.
 */
export async function discoverServer(
  flow: Flow,
  issuer: string,
  isLegacy: boolean,
): Promise<ServerMetadata> {
  const step = `metadata of the authorization server ${quote(issuer)}`;
  const url = flow.checkUrl(step, "issuer", issuer);
  if (url.search !== "") throw flow.fail(step, "the issuer has a query");
  const problems: string[] = [];
  let firstError: unknown;
  for (const location of serverMetadataUrls(url)) {
    const document = await readDocument(flow, step, location).catch(
      (error: unknown) => {
        firstError ??= error;
        return undefined;
      },
    );
    if (document === undefined) continue;
    if (typeof document === "string") {
      problems.push(`${publicUrl(location)}: ${document}`);
      continue;
    }
    // A tenant's document may be at a later place, while a catch-all answers at an earlier one.
    try {
      return readServerMetadata(flow, step, document, issuer);
    } catch (error) {
      firstError ??= error;
    }
  }
  if (firstError !== undefined) throw firstError as Error;
  if (isLegacy) return defaultMetadata(issuer);
  throw flow.fail(
    step,
    `not found (${problems.join(", ")})`,
    "the authorization server must serve one of these",
  );
}

/** The well-known URIs of a protected resource (RFC 9728, section 3.1). */
function resourceMetadataUrls(server: URL): readonly URL[] {
  const root = new URL("/.well-known/oauth-protected-resource", server);
  if (server.pathname === "/") return [root];
  const withPath = new URL(root);
  withPath.pathname += server.pathname.replace(/\/$/, "");
  withPath.search = server.search;
  return [withPath, root];
}

/** The well-known URIs of an authorization server (RFC 8414, section 3.1 and 5; OpenID Connect Discovery, section 4). */
function serverMetadataUrls(issuer: URL): readonly URL[] {
  const at = (path: string): URL => {
    const url = new URL(issuer);
    url.pathname = path;
    return url;
  };
  const path = issuer.pathname.replace(/\/$/, "");
  return [
    at(`/.well-known/oauth-authorization-server${path}`),
    at(`/.well-known/openid-configuration${path}`),
    ...(path === "" ? [] : [at(`${path}/.well-known/openid-configuration`)]),
  ];
}

/** Fetches a JSON object. Returns why there is no document at a URL; throws if there is something that is not one. */
async function readDocument(
  flow: Flow,
  step: string,
  url: URL,
): Promise<JsonObject | string> {
  const response = await flow.fetchFor(step)(url, {
    headers: { accept: "application/json" },
  });
  // A server that is out of order must not be taken for one without metadata.
  if (response.status >= 500)
    throw flow.fail(
      step,
      `the response is ${response.status}`,
      "try again later",
    );
  if (response.status !== 200) return `the response is ${response.status}`;
  // Sites answer unknown paths with a page.
  if (/^text\/html\b/i.test(response.headers.get("content-type") ?? ""))
    return "the response is a page, not JSON";
  let document: unknown;
  try {
    document = JSON.parse(await response.text());
  } catch {
    throw flow.fail(step, "the response is not JSON");
  }
  if (
    typeof document !== "object" ||
    document === null ||
    Array.isArray(document)
  )
    throw flow.fail(step, "the response is not a JSON object");
  return document as JsonObject;
}

/** The canonical URI of an MCP server (MCP 2026-07-28, canonical server URI): no fragment, no slash for a missing path. */
function canonicalUrl(server: URL): string {
  const url = new URL(server);
  url.hash = "";
  return url.pathname === "/" && url.search === "" ? url.origin : url.href;
}
