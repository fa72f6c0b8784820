import {
  allowInsecureRequests,
  customFetch,
  genericTokenEndpointRequest,
  None,
  processGenericTokenEndpointResponse,
} from "oauth4webapi";
import { isLoopback } from "../http/client/address.js";
import { readBodyStart } from "../http/client/fetch.js";
import { basicAuth } from "./client-auth.js";
import { describeError } from "./failure.js";
import type { AssertionContext } from "./options.js";

/** The identity provider of an organization, and who asks it. */
export interface TokenExchangeOptions {
  /** The token endpoint of the identity provider: https, or on this machine. */
  readonly tokenEndpoint: string | URL;
  /** The client at the identity provider, which need not be that at the authorization server. */
  readonly client: {
    readonly id: string;
    readonly secret?: string | undefined;
  };
  /** The ID token of the user, from signing in at the identity provider. */
  readonly idToken: () => string | Promise<string>;
}

const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const TOKEN_TYPE = "urn:ietf:params:oauth:token-type";
const TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 256 * 1024;

/**
 * The assertion of enterprise-managed authorization: exchanges the ID token of a user at the organization's identity
 * provider for an assertion that the authorization server of an MCP server accepts (RFC 8693; extension
 * enterprise-managed-authorization, section 4).
 *
 * @returns The member `assertion` of a {@link JwtBearerGrant}. It rejects with an error without tokens if the identity
 *   provider refuses.
 * @throws TypeError if the endpoint is not https.
 */
export function tokenExchange(
  options: TokenExchangeOptions,
): (context: AssertionContext) => Promise<string> {
  const endpoint = new URL(options.tokenEndpoint);
  if (endpoint.protocol !== "https:" && !isLoopback(endpoint))
    throw new TypeError("tokenEndpoint must be an https URL");
  return async (context) => {
    const idToken = await options.idToken();
    return exchange(endpoint, options, idToken, context).catch(
      // Causes of the OAuth library's errors have tokens.
      (error: unknown) => {
        throw new Error(
          `the identity provider at ${endpoint.origin} issued no assertion: ${describeError(error, [idToken, options.client.secret ?? ""])}`,
        );
      },
    );
  };
}

async function exchange(
  endpoint: URL,
  { client }: TokenExchangeOptions,
  subjectToken: string,
  { issuer, resource, scope, fetch }: AssertionContext,
): Promise<string> {
  const server = { issuer: endpoint.origin, token_endpoint: endpoint.href };
  const oauthClient = { client_id: client.id };
  const response = await genericTokenEndpointRequest(
    server,
    oauthClient,
    client.secret === undefined ? None() : basicAuth(client.secret),
    GRANT,
    {
      requested_token_type: `${TOKEN_TYPE}:id-jag`,
      audience: issuer,
      resource,
      ...(scope === undefined ? {} : { scope }),
      subject_token: subjectToken,
      subject_token_type: `${TOKEN_TYPE}:id_token`,
    },
    {
      [customFetch]: (url, init) => fetch(url, init),
      [allowInsecureRequests]: true,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    },
  );
  const { text } = await readBodyStart(response, MAX_RESPONSE_BYTES);
  const tokens = await processGenericTokenEndpointResponse(
    server,
    oauthClient,
    new Response(text, {
      status: response.status,
      headers: { "content-type": "application/json" },
    }),
    // The assertion is no access token.
    { recognizedTokenTypes: { n_a: () => undefined } },
  );
  if (tokens["issued_token_type"] !== `${TOKEN_TYPE}:id-jag`)
    throw new Error("the identity provider issued a token of another type");
  return tokens.access_token;
}
