import type { TokenEndpointResponse } from "oauth4webapi";
import {
  beginAuthorization,
  checkRedirect,
  pendingKey,
  validateAnswer,
} from "./authorization.js";
import type { PendingAuthorization } from "./authorization.js";
import { clientAuth } from "./client-auth.js";
import type { RegisteredClient } from "./client-auth.js";
import type { Discovery } from "./discovery.js";
import type { Proofs, StoredKey } from "./dpop.js";
import { quote } from "./failure.js";
import type { Flow } from "./flow.js";
import type { UnauthorizedError } from "../http/errors.js";
import type { ServerMetadata } from "./metadata.js";
import type { OAuthClient, OAuthOptions, OAuthRedirect } from "./options.js";
import { claimIssuer } from "./repository.js";
import { forgetRegistration, resolveClient } from "./registration.js";
import { unionScopes } from "./scopes.js";
import type { OAuthStore } from "./store.js";
import { requestTokens, TokenRequestError, tokenStep } from "./tokens.js";
import type { Exchange, StoredTokens } from "./tokens.js";

/** Milliseconds before its end at which a token is no longer used; less for short lifetimes. */
const MAX_MARGIN_MS = 10_000;

/** What is known before tokens are requested. */
export interface Target {
  readonly discovery: Discovery;
  readonly metadata: ServerMetadata;
}

/** Everything about tokens to request but how. */
interface IssueContext {
  readonly metadata: ServerMetadata;
  readonly resource: string;
  readonly client: RegisteredClient;
  readonly scope: string | undefined;
  readonly key: StoredKey | undefined;
  readonly isLegacy: boolean;
}

/** Has tokens issued for one MCP server, with the grant of the options. */
export class TokenIssuance {
  readonly #flow: Flow;
  readonly #options: OAuthOptions;
  readonly #store: OAuthStore;
  readonly #proofs: Proofs;

  constructor(
    flow: Flow,
    options: OAuthOptions,
    store: OAuthStore,
    proofs: Proofs,
  ) {
    this.#flow = flow;
    this.#options = options;
    this.#store = store;
    this.#proofs = proofs;
  }

  /**
   * Gets tokens.
   *
   * @param key - The key of current tokens, to go on with.
   */
  async authorize(
    target: Target,
    scope: string | undefined,
    key: StoredKey | undefined,
  ): Promise<StoredTokens> {
    const { metadata, discovery } = target;
    const { grant = "authorization_code" } = this.#options;
    const usedKey =
      key ??
      (await this.#proofs.createKey(
        metadata.dpop_signing_alg_values_supported,
      ));
    if (grant === "authorization_code")
      return this.#askUser(target, scope, usedKey);
    const context: IssueContext = {
      metadata,
      resource: discovery.resource,
      client: await this.#client(metadata, undefined),
      scope,
      key: usedKey,
      isLegacy: discovery.isLegacy,
    };
    if (grant === "client_credentials") return this.#issue(context, { grant });
    let assertion: string;
    try {
      assertion = await grant.assertion({
        issuer: metadata.issuer,
        tokenEndpoint: metadata.token_endpoint ?? "",
        resource: discovery.resource,
        scope,
        fetch: this.#options.fetch ?? ((url, init) => fetch(url, init)),
      });
    } catch (error) {
      throw this.#flow.wrap(error, "assertion for a token request");
    }
    return this.#issue(context, { grant: "jwt-bearer", assertion });
  }

  /** Exchanges the answer of a user. */
  async exchangeCode(
    metadata: ServerMetadata,
    pending: PendingAuthorization,
    answer: URL | URLSearchParams,
  ): Promise<StoredTokens> {
    const { redirectUri, verifier, requestedScope } = pending;
    const valid = validateAnswer(this.#flow, metadata, pending, answer);
    return this.#issue(
      { ...pending, key: pending.key, metadata, scope: requestedScope },
      { grant: "authorization_code", answer: valid, redirectUri, verifier },
    );
  }

  /**
   * Refreshes tokens.
   *
   * @returns Undefined if the server no longer accepts the refresh token.
   */
  async refresh(
    metadata: ServerMetadata,
    tokens: StoredTokens,
    refreshToken: string,
  ): Promise<StoredTokens | undefined> {
    const context: IssueContext = {
      ...tokens,
      key: tokens.key,
      metadata,
      // All that the user has granted.
      scope: undefined,
    };
    try {
      const response = await this.#request(context, {
        grant: "refresh_token",
        refreshToken,
      });
      return this.#toStored(
        { ...context, scope: tokens.requestedScope },
        response,
        refreshToken,
      );
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      await this.#forgetUnknown(metadata, tokens.client, error);
      // Other errors pass, such as that of a server with too much to do (RFC 6749, section 5.2).
      const isUnknown =
        error.code === "invalid_client" &&
        tokens.client.origin === "registration";
      if (error.code === "invalid_grant" || isUnknown) return undefined;
      throw this.#flow.fail(
        `refresh at ${metadata.issuer}`,
        error.message,
        remedyFor(error.code, tokens.client),
      );
    }
  }

  async #askUser(
    { metadata, discovery }: Target,
    scope: string | undefined,
    key: StoredKey | undefined,
  ): Promise<StoredTokens> {
    const step = `authorization at ${metadata.issuer}`;
    const { redirect } = this.#options;
    if (redirect === undefined)
      throw this.#flow.fail(step, "a user has to authorize the client");
    // Servers issue refresh tokens for it (MCP 2026-07-28, refresh tokens).
    const requestedScope = unionScopes(
      scope,
      metadata.scopes_supported?.includes("offline_access") === true
        ? "offline_access"
        : undefined,
    );
    let opened: OAuthRedirect | undefined;
    try {
      opened = typeof redirect === "function" ? await redirect() : redirect;
      const redirectUri = checkRedirect(this.#flow, opened.url);
      const client = await this.#client(metadata, redirectUri);
      const { url, pending } = await beginAuthorization(
        this.#flow,
        metadata,
        {
          serverUrl: this.#flow.server.href,
          issuer: metadata.issuer,
          resource: discovery.resource,
          client,
          redirectUri,
          ...(requestedScope === undefined ? {} : { requestedScope }),
          ...(key === undefined ? {} : { key }),
          isLegacy: discovery.isLegacy,
        },
        await this.#proofs.for(key),
      );
      const answer = await this.#open(opened, url, pending);
      if (answer === undefined)
        throw this.#flow.fail(
          step,
          "the user has to authorize this client",
          "call finish with the parameters of the redirect back, then connect again",
        );
      return await this.exchangeCode(metadata, pending, answer);
    } catch (error) {
      throw this.#flow.wrap(error, step);
    } finally {
      await opened?.close?.();
    }
  }

  /** Sends the user away. Only `finish` needs the stored authorization: if the program waited, it is deleted. */
  async #open(
    redirect: OAuthRedirect,
    url: URL,
    pending: PendingAuthorization,
  ): Promise<URL | URLSearchParams | undefined> {
    const key = pendingKey(pending.state);
    // Stored first: a page may be gone before `open` returns.
    await this.#store.set(key, pending, pending.expiresAt);
    let comesBackLater = false;
    try {
      const answer = await redirect.open(url);
      comesBackLater = answer === undefined;
      return answer;
    } finally {
      if (!comesBackLater) await this.#store.delete(key);
    }
  }

  async #issue(
    context: IssueContext,
    exchange: Exchange,
  ): Promise<StoredTokens> {
    const { metadata, client } = context;
    const { client: options } = this.#options;
    const { bound, undo } = await claimIssuer(
      this.#store,
      options,
      metadata.issuer,
    );
    if (bound !== metadata.issuer)
      throw otherIssuerError(this.#flow, options, bound, metadata.issuer);
    try {
      return this.#toStored(context, await this.#request(context, exchange));
    } catch (error) {
      await undo();
      if (!(error instanceof TokenRequestError)) throw error;
      await this.#forgetUnknown(metadata, client, error);
      throw this.#flow.fail(
        tokenStep(metadata),
        error.message,
        remedyFor(error.code, client),
      );
    }
  }

  /** The next attempt registers again if the server does not know the client any more. */
  async #forgetUnknown(
    metadata: ServerMetadata,
    client: RegisteredClient,
    { code }: TokenRequestError,
  ): Promise<void> {
    if (code === "invalid_client" && client.origin === "registration")
      await forgetRegistration(
        this.#store,
        metadata,
        this.#options.client,
        client,
      );
  }

  async #request(
    { metadata, client, resource, scope, key }: IssueContext,
    exchange: Exchange,
  ): Promise<TokenEndpointResponse> {
    const { client: options } = this.#options;
    return requestTokens(this.#flow, {
      metadata,
      client,
      auth: await clientAuth(this.#flow, metadata, options, client),
      resource,
      scope,
      proofs: await this.#proofs.for(key),
      exchange,
      secrets: [
        options.secret ?? "",
        client.secret ?? "",
        ...secretsOf(exchange),
      ],
    });
  }

  /** @param former - A server that does not rotate a refresh token leaves it out (RFC 6749, section 6). */
  #toStored(
    { metadata, resource, client, scope, key, isLegacy }: IssueContext,
    response: TokenEndpointResponse,
    former?: string,
  ): StoredTokens {
    const refreshToken = response.refresh_token ?? former;
    return {
      issuer: metadata.issuer,
      resource,
      client,
      accessToken: response.access_token,
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(response.expires_in === undefined
        ? {}
        : { expiresAt: endOfUse(response.expires_in * 1000) }),
      ...(scope === undefined ? {} : { requestedScope: scope }),
      ...(response.scope === undefined ? {} : { scope: response.scope }),
      isDpop: this.#proofs.areWanted,
      ...(key === undefined ? {} : { key }),
      isLegacy,
    };
  }

  async #client(
    metadata: ServerMetadata,
    redirectUri: string | undefined,
  ): Promise<RegisteredClient> {
    const { grant = "authorization_code", client } = this.#options;
    try {
      return await resolveClient(this.#flow, {
        metadata,
        options: client,
        redirectUri,
        grantType: typeof grant === "string" ? grant : grant.type,
        store: this.#store,
      });
    } catch (error) {
      throw this.#flow.wrap(error, `client registration at ${metadata.issuer}`);
    }
  }
}

/**
 * When to stop using a token: before it expires on its way to the server.
 *
 * @param lifetime - Milliseconds.
 */
function endOfUse(lifetime: number): number {
  return Date.now() + lifetime - Math.min(MAX_MARGIN_MS, lifetime / 5);
}

/** Values that errors must not show. */
function secretsOf(exchange: Exchange): readonly string[] {
  switch (exchange.grant) {
    case "authorization_code":
      return [exchange.verifier, exchange.answer.get("code") ?? ""];
    case "refresh_token":
      return [exchange.refreshToken];
    case "jwt-bearer":
      return [exchange.assertion];
    case "client_credentials":
      return [];
  }
}

function remedyFor(
  code: string | undefined,
  { origin }: RegisteredClient,
): string {
  switch (code) {
    case "invalid_client":
    case "unauthorized_client":
      return origin === "registration"
        ? "the registration is gone and will be repeated; try again"
        : "check client.id, its secret or key, and its registration";
    case "invalid_scope":
      return "check the option scopes";
    case "invalid_target":
      return "the authorization server does not know the MCP server";
    case "invalid_grant":
      return "authorize again";
    default:
      return "check the configuration of the client at the authorization server";
  }
}

/** The error for a client that is registered at another issuer than the MCP server names. */
export function otherIssuerError(
  flow: Flow,
  { issuer }: OAuthClient,
  bound: string,
  named: string,
): UnauthorizedError {
  return flow.fail(
    "choice of the authorization server",
    `the client is registered at ${quote(bound)}, but the MCP server names ${quote(named)}`,
    issuer === undefined
      ? "if the client is registered there too, set client.issuer to it"
      : "check client.issuer",
  );
}
