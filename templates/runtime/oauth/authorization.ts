import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from "oauth4webapi";
import type { RegisteredClient } from "./client-auth.js";
import type { ProofMaker, StoredKey } from "./dpop.js";
import { describeError, errorCodeOf, quote } from "./failure.js";
import type { Flow } from "./flow.js";
import type { ServerMetadata } from "./metadata.js";

/** Milliseconds within which a user must come back. */
const PENDING_TTL_MS = 30 * 60_000;

/** An authorization that waits for its user, as stored. The issuer is the one that the answer must come from. */
export interface PendingAuthorization {
  readonly serverUrl: string;
  readonly issuer: string;
  readonly resource: string;
  readonly client: RegisteredClient;
  readonly redirectUri: string;
  readonly state: string;
  readonly verifier: string;
  readonly requestedScope?: string;
  readonly key?: StoredKey;
  readonly isLegacy: boolean;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The key of a pending authorization. */
export function pendingKey(state: string): string {
  return JSON.stringify(["pending", state]);
}

/** What a user is asked to authorize. */
export type AuthorizationRequest = Omit<
  PendingAuthorization,
  "state" | "verifier" | "expiresAt"
>;

/**
 * Begins an authorization: PKCE with S256, `state` and `resource` (MCP 2025-11-25 and 2026-07-28, authorization code
 * protection, open redirection, resource parameter implementation).
 *
 * @throws UnauthorizedError if the server does not support PKCE according to its metadata.
 */
export async function beginAuthorization(
  flow: Flow,
  metadata: ServerMetadata,
  request: AuthorizationRequest,
  proofs: ProofMaker | undefined,
): Promise<{ readonly url: URL; readonly pending: PendingAuthorization }> {
  const step = `authorization at ${metadata.issuer}`;
  if (metadata.authorization_endpoint === undefined)
    throw flow.fail(
      step,
      "the server's metadata has no authorization_endpoint",
    );
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true)
    throw flow.fail(
      step,
      "the server's metadata does not say that it supports PKCE with S256",
      "code_challenge_methods_supported must have it",
    );
  const pending: PendingAuthorization = {
    ...request,
    state: generateRandomState(),
    verifier: generateRandomCodeVerifier(),
    expiresAt: Date.now() + PENDING_TTL_MS,
  };
  const url = new URL(metadata.authorization_endpoint);
  const parameters: Readonly<Record<string, string | undefined>> = {
    response_type: "code",
    client_id: request.client.id,
    redirect_uri: request.redirectUri,
    state: pending.state,
    code_challenge: await calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
    resource: request.resource,
    scope: request.requestedScope,
    // OpenID Connect requires consent for it (OpenID Connect Core, section 11).
    prompt:
      request.requestedScope?.split(" ").includes("offline_access") === true
        ? "consent"
        : undefined,
    dpop_jkt: await proofs?.handle.calculateThumbprint(),
  };
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value);
  return { url, pending };
}

/**
 * Validates the parameters of the redirect back: the issuer, which guards against mix-up attacks, then the state, and
 * only then errors (MCP 2026-07-28, authorization response validation; RFC 9207, section 2.4).
 *
 * @throws UnauthorizedError if the answer is not one to this request, or is an error.
 */
export function validateAnswer(
  flow: Flow,
  metadata: ServerMetadata,
  pending: PendingAuthorization,
  answer: URL | URLSearchParams,
): URLSearchParams {
  const step = `authorization at ${metadata.issuer}`;
  const parameters = answer instanceof URL ? answer.searchParams : answer;
  const secrets = parameters.getAll("code");
  try {
    const valid = validateAuthResponse(
      metadata,
      { client_id: pending.client.id },
      parameters,
      pending.state,
    );
    if (!valid.has("code"))
      throw flow.fail(step, "the answer has no code", "try again");
    return valid;
  } catch (error) {
    throw errorCodeOf(error) === "access_denied"
      ? flow.fail(
          step,
          `the user did not authorize the client: ${describeError(error, secrets)}`,
        )
      : flow.wrap(error, step, { secrets, remedy: "start again" });
  }
}

/**
 * Checks a redirect URI: https, on this machine, or of an app (MCP, communication security; RFC 8252, section 7).
 *
 * @returns The URI as it was given, since servers compare texts.
 */
export function checkRedirect(flow: Flow, address: string | URL): string {
  const text = String(address);
  if (!URL.canParse(text) || !isRedirectUri(new URL(text)))
    throw flow.fail(
      "redirect",
      `${quote(text)} cannot be a redirect URI`,
      "use https, http on this machine, or the scheme of an app, without a fragment",
    );
  return text;
}

function isRedirectUri({ protocol, hostname, hash }: URL): boolean {
  if (hash !== "") return false;
  return protocol === "http:"
    ? /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
    : !/^(?:javascript|data|file|blob|ftp|ws|wss):$/.test(protocol);
}
