import { dynamicClientRegistrationRequest } from "oauth4webapi";
import { allowInsecureRequests, customFetch } from "oauth4webapi";
import { isLoopback } from "../http/client/address.js";
import { publicUrl } from "../http/errors.js";
import type { RegisteredClient } from "./client-auth.js";
import { chooseMethod } from "./client-auth.js";
import type { Flow } from "./flow.js";
import { quote } from "./failure.js";
import type { ServerMetadata } from "./metadata.js";
import type { OAuthClient } from "./options.js";
import type { OAuthStore } from "./store.js";

/** Milliseconds for which a registration with a port of this machine is kept; the tokens contain what they need of it. */
const TRANSIENT_TTL_MS = 24 * 60 * 60 * 1000;

/** What a client is needed for. */
export interface RegistrationRequest {
  readonly metadata: ServerMetadata;
  readonly options: OAuthClient;
  /** Undefined for a grant without a user. */
  readonly redirectUri: string | undefined;
  readonly grantType: string;
  readonly store: OAuthStore;
}

/**
 * Finds out as which client to request tokens: a registered one, then a client ID metadata document, then dynamic
 * registration (MCP 2025-11-25 and 2026-07-28, client registration). Registrations are stored by issuer.
 *
 * @throws UnauthorizedError if the authorization server supports nothing that the options allow.
 */
export async function resolveClient(
  flow: Flow,
  request: RegistrationRequest,
): Promise<RegisteredClient> {
  const { metadata, options, store } = request;
  const step = `client registration at ${metadata.issuer}`;
  if (options.id !== undefined) return { id: options.id, origin: "options" };
  if (
    options.metadataUrl !== undefined &&
    metadata.client_id_metadata_document_supported === true
  )
    return { id: options.metadataUrl, origin: "metadata document" };
  if (
    options.registration !== undefined &&
    metadata.registration_endpoint !== undefined
  ) {
    const key = registrationKey(request);
    const stored = (await store.get(key)) as RegisteredClient | undefined;
    if (stored !== undefined && !isExpired(stored)) return stored;
    const client = await register(flow, step, request);
    // The port of a program's redirect is another one next time, so that this registration is not used again.
    const isTransient =
      request.redirectUri !== undefined &&
      isLoopback(new URL(request.redirectUri));
    await store.set(
      key,
      client,
      isTransient ? Date.now() + TRANSIENT_TTL_MS : undefined,
    );
    return client;
  }
  throw flow.fail(
    step,
    "the authorization server supports none of the ways that the client can register",
    "register the client there and set client.id, or set client.metadataUrl or client.registration",
  );
}

/** Deletes a registration that the server does not know any more. */
export async function forgetRegistration(
  store: OAuthStore,
  metadata: ServerMetadata,
  options: OAuthClient,
  { redirectUri }: RegisteredClient,
): Promise<void> {
  await store.delete(registrationKey({ metadata, options, redirectUri }));
}

/** The key of a stored registration. Another redirect URI would be rejected. */
function registrationKey({
  metadata,
  options,
  redirectUri,
}: Pick<RegistrationRequest, "metadata" | "options" | "redirectUri">): string {
  return JSON.stringify([
    "client",
    metadata.issuer,
    options.registration?.name,
    redirectUri ?? null,
  ]);
}

function isExpired({ secretExpiresAt = 0 }: RegisteredClient): boolean {
  return secretExpiresAt !== 0 && secretExpiresAt * 1000 < Date.now() + 60_000;
}

/** Dynamic registration (RFC 7591, section 3; MCP, application type and redirect URI constraints). */
async function register(
  flow: Flow,
  step: string,
  { metadata, options, redirectUri, grantType }: RegistrationRequest,
): Promise<RegisteredClient> {
  const { registration } = options;
  const methods = metadata.token_endpoint_auth_methods_supported ?? [
    "client_secret_basic",
  ];
  const method =
    options.privateKey !== undefined
      ? "private_key_jwt"
      : (["none", "client_secret_basic", "client_secret_post"].find((name) =>
          methods.includes(name),
        ) ?? "none");
  const isCodeGrant = grantType === "authorization_code";
  const response = await dynamicClientRegistrationRequest(
    metadata,
    {
      client_name: registration?.name,
      ...(registration?.uri === undefined
        ? {}
        : { client_uri: registration.uri }),
      ...(redirectUri === undefined ? {} : { redirect_uris: [redirectUri] }),
      grant_types: isCodeGrant
        ? ["authorization_code", "refresh_token"]
        : [grantType],
      response_types: isCodeGrant ? ["code"] : [],
      token_endpoint_auth_method: method,
      application_type:
        registration?.applicationType ?? applicationType(redirectUri),
      // No scope: it would limit those of a later step-up, and servers reject what they do not list.
      ...registration?.metadata,
    },
    {
      [customFetch]: flow.fetchFor(step),
      // The flow has checked the endpoint: it is https, on this machine, or allowed.
      [allowInsecureRequests]: true,
    },
  );
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const value = (name: string): unknown =>
    typeof body === "object" && body !== null && Object.hasOwn(body, name)
      ? (body as Record<string, unknown>)[name]
      : undefined;
  // Not the library's reader: servers answer 200, and leave out when a secret expires.
  if (response.status !== 201 && response.status !== 200) {
    const [code, description] = [value("error"), value("error_description")];
    throw flow.fail(
      step,
      `${response.status}${typeof code === "string" ? `, ${quote(code)}` : ""}${typeof description === "string" ? ` (${quote(description)})` : ""}`,
      "register the client by hand and set client.id, or change client.registration and the redirect URI",
    );
  }
  const id = value("client_id");
  const secret = value("client_secret");
  const expiry = value("client_secret_expires_at");
  const registeredMethod = value("token_endpoint_auth_method");
  if (typeof id !== "string" || id === "")
    throw flow.fail(
      step,
      `${publicUrl(metadata.registration_endpoint ?? metadata.issuer)} returned no client_id`,
    );
  return {
    id,
    ...(typeof secret === "string" && secret !== "" ? { secret } : {}),
    ...(typeof expiry === "number" ? { secretExpiresAt: expiry } : {}),
    method:
      typeof registeredMethod === "string"
        ? registeredMethod
        : chooseMethod(
            metadata,
            options,
            typeof secret === "string" ? secret : undefined,
          ),
    ...(redirectUri === undefined ? {} : { redirectUri }),
    origin: "registration",
  };
}

/** Native: on this machine, or in an app with its own scheme. */
function applicationType(redirectUri: string | undefined): "native" | "web" {
  if (redirectUri === undefined) return "native";
  const url = new URL(redirectUri);
  return url.protocol === "https:" && !isLoopback(url) ? "web" : "native";
}
