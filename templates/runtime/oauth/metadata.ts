import type { AuthorizationServer } from "oauth4webapi";
import type { Flow } from "./flow.js";
import { describeType } from "./flow.js";
import { quote } from "./failure.js";

/** What is known about the MCP server (RFC 9728). */
export interface ResourceInfo {
  /** The `resource` of requests for tokens. */
  readonly resource: string;
  /** The issuers of its authorization servers; at least one. */
  readonly issuers: readonly string[];
  readonly scopes: readonly string[] | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
] as const;
const LISTS = [
  "scopes_supported",
  "response_types_supported",
  "grant_types_supported",
  "token_endpoint_auth_methods_supported",
  "token_endpoint_auth_signing_alg_values_supported",
  "code_challenge_methods_supported",
  "dpop_signing_alg_values_supported",
] as const;
const FLAGS = [
  "authorization_response_iss_parameter_supported",
  "client_id_metadata_document_supported",
] as const;

/** Metadata of an authorization server (RFC 8414), as far as it is used here. */
export type ServerMetadata = Pick<
  AuthorizationServer,
  "issuer" | (typeof ENDPOINTS)[number] | (typeof LISTS)[number]
> &
  Partial<Readonly<Record<(typeof FLAGS)[number], boolean>>>;

/**
 * Reads metadata of a protected resource (RFC 9728, section 3.3; MCP, resource parameter implementation).
 *
 * @param step - What fails if the document is invalid.
 */
export function readResourceMetadata(
  flow: Flow,
  step: string,
  document: JsonObject,
): ResourceInfo {
  const resource = own(document, "resource");
  if (typeof resource !== "string" || !URL.canParse(resource))
    throw flow.fail(step, `resource is not a URL but ${show(resource)}`);
  if (!coversServer(resource, flow.server))
    throw flow.fail(
      step,
      `resource is ${quote(resource)}, which is not this server`,
      "tokens for another server must not be sent to this one",
    );
  const issuers = stringList(flow, step, document, "authorization_servers");
  if (issuers === undefined || issuers.length === 0)
    throw flow.fail(step, "authorization_servers has no server");
  return {
    resource,
    issuers,
    scopes: stringList(flow, step, document, "scopes_supported"),
  };
}

/** Whether a resource identifier is that of a server: its URL, or one above it at the same origin. */
export function coversServer(resource: string, server: URL): boolean {
  if (/[\p{Cc}\s]/u.test(resource) || !URL.canParse(resource)) return false;
  const { origin, pathname, search, hash, username, password } = new URL(
    resource,
  );
  if (origin !== server.origin || `${hash}${username}${password}` !== "")
    return false;
  if (search !== "" && search !== server.search) return false;
  const withSlash = (path: string): string =>
    path.endsWith("/") ? path : `${path}/`;
  return withSlash(server.pathname).startsWith(withSlash(pathname));
}

/**
 * Reads metadata of an authorization server. The issuer must be identical to the one whose document was requested (MCP
 * 2026-07-28, authorization server metadata discovery; RFC 8414, section 3.3).
 *
 * @param step - What fails if the document is invalid.
 */
export function readServerMetadata(
  flow: Flow,
  step: string,
  document: JsonObject,
  expectedIssuer: string,
): ServerMetadata {
  const issuer = own(document, "issuer");
  if (issuer !== expectedIssuer)
    throw flow.fail(
      step,
      `issuer is ${show(issuer)} and not ${quote(expectedIssuer)}`,
      "the server that the resource metadata names must describe itself",
    );
  const metadata: Record<string, unknown> = { issuer };
  for (const name of ENDPOINTS) {
    const value = own(document, name);
    if (value !== undefined)
      metadata[name] = flow.checkUrl(step, name, value).href;
  }
  for (const name of LISTS) {
    const value = stringList(flow, step, document, name);
    if (value !== undefined) metadata[name] = value;
  }
  for (const name of FLAGS) {
    const value = own(document, name);
    if (value !== undefined && typeof value !== "boolean")
      throw flow.fail(
        step,
        `${name} is not a boolean but ${describeType(value)}`,
      );
    if (value !== undefined) metadata[name] = value;
  }
  return metadata as ServerMetadata;
}

/** Endpoints of a server without metadata (MCP 2025-03-26, fallbacks for servers without metadata discovery). */
export function defaultMetadata(issuer: string): ServerMetadata {
  return {
    issuer,
    authorization_endpoint: new URL("/authorize", issuer).href,
    token_endpoint: new URL("/token", issuer).href,
    registration_endpoint: new URL("/register", issuer).href,
    // That revision requires PKCE of all clients.
    code_challenge_methods_supported: ["S256"],
  };
}

/** A member that the document itself has: `JSON.parse` makes members such as `__proto__` plain ones. */
function own(document: JsonObject, name: string): unknown {
  return Object.hasOwn(document, name) ? document[name] : undefined;
}

function stringList(
  flow: Flow,
  step: string,
  document: JsonObject,
  name: string,
): readonly string[] | undefined {
  const value = own(document, name);
  if (value === undefined) return undefined;
  if (
    !Array.isArray(value) ||
    !value.every((item): item is string => typeof item === "string")
  )
    throw flow.fail(
      step,
      `${name} is not a list of strings but ${Array.isArray(value) ? "has other items" : describeType(value)}`,
    );
  return value;
}

function show(value: unknown): string {
  return typeof value === "string" ? quote(value) : describeType(value);
}
