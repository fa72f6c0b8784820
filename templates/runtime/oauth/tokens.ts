import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  clientCredentialsGrantRequest,
  customFetch,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  processGenericTokenEndpointResponse,
  refreshTokenGrantRequest,
} from "oauth4webapi";
import type {
  ClientAuth,
  TokenEndpointRequestOptions,
  TokenEndpointResponse,
} from "oauth4webapi";
import { publicUrl } from "../http/errors.js";
import type { RegisteredClient } from "./client-auth.js";
import type { ProofMaker, StoredKey } from "./dpop.js";
import { errorCodeOf, describeError } from "./failure.js";
import type { Flow } from "./flow.js";
import type { ServerMetadata } from "./metadata.js";

/** The type of an assertion grant (RFC 7523, section 2.1). */
export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Tokens for one MCP server, as stored. Whoever reads them checks what they are bound to. */
export interface StoredTokens {
  readonly issuer: string;
  readonly resource: string;
  readonly client: RegisteredClient;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** When to stop using the access token, a little before it expires; milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Scopes that were requested: a server may grant others, and a later request asks for these as well. */
  readonly requestedScope?: string;
  /** Scopes that the server granted, where it says so. */
  readonly scope?: string;
  readonly isDpop: boolean;
  readonly key?: StoredKey;
  readonly isLegacy: boolean;
}

/** How to exchange something for tokens. */
export type Exchange =
  | {
      readonly grant: "authorization_code";
      /** Validated parameters of the redirect back. */
      readonly answer: URLSearchParams;
      readonly redirectUri: string;
      readonly verifier: string;
    }
  | { readonly grant: "refresh_token"; readonly refreshToken: string }
  | { readonly grant: "client_credentials" }
  | { readonly grant: "jwt-bearer"; readonly assertion: string };

/** A request for tokens. */
export interface TokensRequest {
  readonly metadata: ServerMetadata;
  readonly client: RegisteredClient;
  readonly auth: ClientAuth;
  /** The `resource` of the request (RFC 8707); required in every one. */
  readonly resource: string;
  readonly scope: string | undefined;
  readonly proofs: ProofMaker | undefined;
  readonly exchange: Exchange;
  /** Values that errors must not show. */
  readonly secrets: readonly string[];
}

/** A token request that failed, with what the server says. */
export class TokenRequestError extends Error {
  override readonly name = "TokenRequestError";
  /** The code of the error response, such as `invalid_grant`. */
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/**
 * Requests tokens.
 *
 * @throws TokenRequestError if the server issues none; UnauthorizedError if it cannot be asked.
 */
export async function requestTokens(
  flow: Flow,
  request: TokensRequest,
): Promise<TokenEndpointResponse> {
  const { metadata, client, proofs, secrets } = request;
  const step = tokenStep(metadata);
  if (metadata.token_endpoint === undefined)
    throw flow.fail(step, "the server's metadata has no token_endpoint");
  const oauthClient = { client_id: client.id };
  for (let attempts = 1; ; attempts += 1) {
    const response = await withoutIdToken(
      await sendTokenRequest(flow, step, request),
    );
    try {
      const tokens = await processGenericTokenEndpointResponse(
        metadata,
        oauthClient,
        response,
      );
      // A client that wants bound tokens must not use others (RFC 9449, section 5).
      if (proofs !== undefined && tokens.token_type !== "dpop")
        throw flow.fail(
          step,
          "the server issued a token that is not bound to the key",
          "unset the option dpop if it does not support DPoP",
        );
      if (proofs === undefined && tokens.token_type !== "bearer")
        throw flow.fail(step, "the server issued a token of an unknown type");
      // RFC 6749, appendix A.12. A header with others would be an error that shows the token.
      if (!/^[\x20-\x7e]+$/.test(tokens.access_token))
        throw flow.fail(
          step,
          "the server issued a token with characters that a header cannot have",
        );
      return tokens;
    } catch (error) {
      // RFC 9449, section 8: the nonce came with the response, and the handle has it.
      if (isDPoPNonceError(error) && attempts === 1) continue;
      const code = errorCodeOf(error);
      if (code === undefined) throw flow.wrap(error, step, { secrets });
      throw new TokenRequestError(describeError(error, secrets), code);
    }
  }
}

/** What an error names if a token request fails. */
export function tokenStep(metadata: ServerMetadata): string {
  return `token request to ${publicUrl(metadata.token_endpoint ?? metadata.issuer)}`;
}

function sendTokenRequest(
  flow: Flow,
  step: string,
  { metadata, client, auth, resource, scope, proofs, exchange }: TokensRequest,
): Promise<Response> {
  const oauthClient = { client_id: client.id };
  const parameters = new URLSearchParams({
    resource,
    ...(scope === undefined || exchange.grant === "authorization_code"
      ? {}
      : { scope }),
  });
  const options: TokenEndpointRequestOptions = {
    [customFetch]: flow.fetchFor(step),
    // The flow has checked the endpoint: it is https, on this machine, or allowed.
    [allowInsecureRequests]: true,
    ...(proofs === undefined ? {} : { DPoP: proofs.handle }),
  };
  const withParameters = { ...options, additionalParameters: parameters };
  switch (exchange.grant) {
    case "authorization_code":
      return authorizationCodeGrantRequest(
        metadata,
        oauthClient,
        auth,
        exchange.answer,
        exchange.redirectUri,
        exchange.verifier,
        withParameters,
      );
    case "refresh_token":
      return refreshTokenGrantRequest(
        metadata,
        oauthClient,
        auth,
        exchange.refreshToken,
        withParameters,
      );
    case "client_credentials":
      return clientCredentialsGrantRequest(
        metadata,
        oauthClient,
        auth,
        parameters,
        options,
      );
    case "jwt-bearer":
      parameters.set("assertion", exchange.assertion);
      return genericTokenEndpointRequest(
        metadata,
        oauthClient,
        auth,
        JWT_BEARER,
        parameters,
        options,
      );
  }
}

/** Only access tokens are used, so an ID token whose algorithm is unknown must not make the response invalid. */
async function withoutIdToken(response: Response): Promise<Response> {
  const text = await response.text();
  let body = text;
  try {
    const { id_token: _, ...rest } = JSON.parse(text) as {
      readonly id_token?: unknown;
    };
    body = JSON.stringify(rest);
  } catch {
    // The library reports it.
  }
  return new Response(body, response);
}
