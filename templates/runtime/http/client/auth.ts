import { createAuthFetch, refuseAuthUrl } from "./auth-fetch.js";
import type { AllowsUrl, Fetch } from "./auth-fetch.js";
import { HttpError, UnauthorizedError } from "../errors.js";

export type { Fetch } from "./auth-fetch.js";

/** For which server an {@link AuthProvider} is asked, and how to make requests for it. */
export interface AuthContext {
  readonly serverUrl: URL;
  /** Checks the address of each request and redirect. */
  readonly fetchFn: Fetch;
  /** The option `allowsAuthUrl`. */
  readonly allowsUrl: (url: URL) => boolean;
}

/** What an {@link AuthProvider} receives when the server rejected a token. */
export interface UnauthorizedContext extends AuthContext {
  readonly response: Response;
}

/** A request that is sent with a token. */
export interface TokenRequest {
  readonly serverUrl: URL;
  readonly method: string;
  /** Differs from `serverUrl` after a redirect, which never leads to another origin. */
  readonly url: URL;
  readonly token: string;
}

/** Provides tokens. The auth provider of the official SDK's client 2.x is compatible. */
export interface AuthProvider {
  /** Called before each request, with the server that will receive the token. */
  token(context: AuthContext): string | undefined | Promise<string | undefined>;
  /** Called before a request with a token is sent. May replace `Authorization: Bearer`, and add headers. */
  authorize?(request: TokenRequest, headers: Headers): void | Promise<void>;
  /**
   * Called with each response to a request with a token. Returning true repeats the request once with the same token,
   * such as with the nonce that the server has sent. The body must not be read.
   */
  onResponse?(request: TokenRequest, response: Response): boolean;
  /**
   * Called when the server rejected the token (401) or its scope (403 `insufficient_scope`). Must make `token` return a
   * better one, with which the request is retried; throws if that is not possible.
   */
  onUnauthorized?(context: UnauthorizedContext): Promise<void>;
  /** Completes a flow in which the user was redirected, with the parameters of the redirect back. */
  finish?(answer: URLSearchParams): Promise<void>;
  /** As the transport's option of this name, in addition to it. */
  allowsAuthUrl?(url: URL): boolean;
}

/** The part of the official SDKs' OAuth client that is used here; an {@link AuthFlow} uses all of it. */
export interface OAuthClientProvider {
  clientInformation(): unknown;
  tokens(): OAuthTokens | undefined | Promise<OAuthTokens | undefined>;
}

interface OAuthTokens {
  readonly access_token: string;
  readonly scope?: string | undefined;
}

/** What an {@link AuthFlow} receives. */
export interface AuthFlowOptions {
  readonly serverUrl: URL;
  readonly authorizationCode?: string;
  readonly iss?: string;
  readonly scope?: string;
  readonly resourceMetadataUrl?: URL;
  readonly fetchFn: Fetch;
  /** Whether the user must authorize again, since a refreshed token would have the same scope. */
  readonly forceReauthorization?: boolean;
}

/** Runs an OAuth flow; `auth` of the official SDKs is compatible. */
export type AuthFlow = (
  provider: never,
  options: AuthFlowOptions,
) => Promise<string>;

/** Where tokens come from. */
export interface AuthSettings {
  readonly authProvider?: AuthProvider | OAuthClientProvider | undefined;
  readonly auth?: AuthFlow | undefined;
  /**
   * Whether to allow a URL that the server names for its authorization and that is rejected by default: loopback,
   * private and link-local addresses, unless the server itself has such an address, and http at another origin than the
   * server's. Names are not resolved, so the address of a public name is not checked.
   */
  readonly allowsAuthUrl?: ((url: URL) => boolean) | undefined;
}

/** The challenge of a `WWW-Authenticate` header (MCP, authorization). */
export interface BearerChallenge {
  readonly error: string | undefined;
  readonly scope: string | undefined;
  readonly resourceMetadataUrl: URL | undefined;
}

const AUTHORIZED = "AUTHORIZED";

/**
 * The authorization state of a client at one server.
 *
 * At most one renewal runs. Requests that are rejected meanwhile wait for its token if the server requires the same of
 * them, else for another renewal after it.
 */
export class Authorizer {
  readonly #url: URL;
  readonly #fetch: Fetch;
  readonly #settings: AuthSettings;
  #resourceMetadataUrl: URL | undefined;
  #scope: string | undefined;
  /** Running renewals by what the server requires. */
  readonly #renewals = new Map<string, Promise<void>>();

  constructor(url: URL, fetch: Fetch, settings: AuthSettings) {
    this.#url = url;
    this.#settings = settings;
    this.#fetch = createAuthFetch(url, fetch, this.#allowsUrl);
  }

  get hasProvider(): boolean {
    return this.#settings.authProvider !== undefined;
  }

  /** The provider, unless it is one of the official SDKs with a flow. */
  get #provider(): AuthProvider | undefined {
    const { authProvider } = this.#settings;
    return authProvider === undefined || isOAuthProvider(authProvider)
      ? undefined
      : authProvider;
  }

  get #context(): AuthContext {
    return {
      serverUrl: this.#url,
      fetchFn: this.#fetch,
      allowsUrl: this.#allowsUrl,
    };
  }

  /** @throws UnauthorizedError if the provider fails. */
  async token(): Promise<string | undefined> {
    const { authProvider } = this.#settings;
    if (authProvider === undefined) return undefined;
    try {
      return isOAuthProvider(authProvider)
        ? (await authProvider.tokens())?.access_token
        : await authProvider.token(this.#context);
    } catch (error) {
      if (error instanceof UnauthorizedError) throw error;
      throw this.#createError(
        "the auth provider returned no token",
        undefined,
        error,
      );
    }
  }

  /**
   * Sets the headers that authorize a request.
   *
   * @throws UnauthorizedError if the provider fails.
   */
  async authorize(
    request: Omit<TokenRequest, "serverUrl">,
    headers: Headers,
  ): Promise<void> {
    headers.set("authorization", `Bearer ${request.token}`);
    try {
      await this.#provider?.authorize?.(
        { ...request, serverUrl: this.#url },
        headers,
      );
    } catch (error) {
      if (error instanceof UnauthorizedError) throw error;
      throw this.#createError(describeAuthError(error), undefined, error);
    }
  }

  /** Whether the provider wants to send a request again, with other headers. */
  wantsRetry(
    request: Omit<TokenRequest, "serverUrl">,
    response: Response,
  ): boolean {
    return (
      this.#provider?.onResponse?.(
        { ...request, serverUrl: this.#url },
        response,
      ) ?? false
    );
  }

  /**
   * Gets a new token after a request was rejected, unless there is a newer one already.
   *
   * @throws UnauthorizedError if there is no other token.
   */
  async renew(
    response: Response,
    usedToken: string | undefined,
  ): Promise<void> {
    if (this.#renewals.size === 0) {
      const token = await this.token();
      // Without one, there is nothing to repeat the request with.
      if (token !== undefined && token !== usedToken) return;
    }
    const { scope } = readChallenge(response);
    const key = `${response.status} ${scope ?? ""}`;
    let renewal = this.#renewals.get(key);
    if (renewal === undefined) {
      const others = [...this.#renewals.values()];
      renewal = Promise.allSettled(others)
        .then(() => this.#renew(response))
        .finally(() => {
          this.#renewals.delete(key);
        });
      this.#renewals.set(key, renewal);
    }
    await renewal;
  }

  /**
   * Completes an OAuth flow in which the user was redirected to the authorization server.
   *
   * @param answer - The authorization code, or all parameters of the redirect back.
   * @throws UnauthorizedError if the server issues no token for it.
   */
  async finish(answer: string | URLSearchParams, iss?: string): Promise<void> {
    if (this.#provider?.finish !== undefined) {
      if (typeof answer === "string")
        throw this.#createError(
          "the auth provider needs all parameters of the redirect, not just the code",
        );
      await this.#provider.finish(answer);
      return;
    }
    const code = typeof answer === "string" ? answer : answer.get("code");
    const issuer =
      typeof answer === "string" ? iss : (answer.get("iss") ?? undefined);
    if (code === null) {
      const reason = typeof answer === "string" ? null : answer.get("error");
      throw this.#createError(
        `the authorization server returned no code but ${JSON.stringify(reason?.slice(0, 60) ?? "nothing")}`,
      );
    }
    await this.#runFlow({
      authorizationCode: code,
      ...(issuer === undefined ? {} : { iss: issuer }),
      ...(this.#scope === undefined ? {} : { scope: this.#scope }),
    });
  }

  readonly #allowsUrl: AllowsUrl = (url) =>
    this.#settings.allowsAuthUrl?.(url) === true ||
    this.#provider?.allowsAuthUrl?.(url) === true;

  /** Why a URL that the server names must not be used. */
  #refuseUrl(url: URL): string | undefined {
    return refuseAuthUrl(this.#url, url, this.#allowsUrl);
  }

  async #renew(response: Response): Promise<void> {
    const { authProvider } = this.#settings;
    const { status } = response;
    const challenge = readChallenge(response);
    if (challenge.resourceMetadataUrl !== undefined) {
      const reason = this.#refuseUrl(challenge.resourceMetadataUrl);
      if (reason !== undefined)
        throw this.#createError(`resource_metadata: ${reason}`, status);
    }
    this.#resourceMetadataUrl =
      challenge.resourceMetadataUrl ?? this.#resourceMetadataUrl;
    if (authProvider !== undefined && isOAuthProvider(authProvider)) {
      const granted =
        status === 403 ? (await authProvider.tokens())?.scope : undefined;
      const scope =
        status === 403
          ? unionScopes(this.#scope, granted, challenge.scope)
          : challenge.scope;
      this.#scope = unionScopes(this.#scope, scope);
      await this.#runFlow(
        {
          ...(scope === undefined ? {} : { scope }),
          ...(status === 403 &&
          unionScopes(granted) !== unionScopes(granted, scope)
            ? { forceReauthorization: true }
            : {}),
        },
        status,
      );
      return;
    }
    if (authProvider?.onUnauthorized === undefined)
      throw this.#createError("the server rejects the token", status);
    try {
      await authProvider.onUnauthorized({
        ...this.#context,
        response,
      });
    } catch (error) {
      if (error instanceof UnauthorizedError) throw error;
      throw this.#createError(describeAuthError(error), status, error);
    }
  }

  async #runFlow(
    options: Omit<AuthFlowOptions, "serverUrl" | "fetchFn">,
    status?: number,
  ): Promise<void> {
    const { authProvider, auth } = this.#settings;
    if (auth === undefined)
      throw this.#createError(
        "the server requires authorization, but the option auth has no OAuth flow",
        status,
      );
    let outcome: string;
    try {
      outcome = await auth(authProvider as never, {
        serverUrl: this.#url,
        fetchFn: this.#fetch,
        ...(this.#resourceMetadataUrl === undefined
          ? {}
          : { resourceMetadataUrl: this.#resourceMetadataUrl }),
        ...options,
      });
    } catch (error) {
      throw this.#createError(describeAuthError(error), status, error);
    }
    if (outcome !== AUTHORIZED)
      throw this.#createError(
        "the user has to authorize this client; call finishAuth with the code, then connect again",
        status,
      );
  }

  #createError(
    reason: string,
    status?: number,
    cause?: unknown,
  ): UnauthorizedError {
    return new UnauthorizedError(
      reason,
      { method: "POST", url: this.#url, status },
      { cause },
    );
  }
}

/** Reads the Bearer or DPoP challenge of a response. Parameters of other schemes are read as those of this one. */
export function readChallenge(response: Response): BearerChallenge {
  const header = response.headers.get("www-authenticate") ?? "";
  const isKnown = /(?:^|,\s*)(?:bearer|dpop)\b/i.test(header);
  const param = (name: string): string | undefined => {
    if (!isKnown) return undefined;
    const found = new RegExp(
      `(?:^|[\\s,])${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,]+))`,
      "i",
    ).exec(header);
    return found?.[1]?.replace(/\\(.)/g, "$1") ?? found?.[2];
  };
  const metadata = param("resource_metadata");
  return {
    error: param("error"),
    scope: param("scope"),
    resourceMetadataUrl:
      metadata !== undefined && URL.canParse(metadata)
        ? new URL(metadata)
        : undefined,
  };
}

/** Whether a server rejected a request because of a missing or insufficient token. */
export function needsAuthorization(response: Response): boolean {
  return (
    response.status === 401 ||
    (response.status === 403 &&
      readChallenge(response).error === "insufficient_scope")
  );
}

function isOAuthProvider(
  provider: AuthProvider | OAuthClientProvider,
): provider is OAuthClientProvider {
  return "tokens" in provider && typeof provider.tokens === "function";
}

/** All scopes without duplicates; undefined instead of an empty list. */
function unionScopes(
  ...scopes: readonly (string | undefined)[]
): string | undefined {
  const all = new Set(
    scopes.flatMap((scope) => (scope ?? "").split(/\s+/)).filter(Boolean),
  );
  return all.size === 0 ? undefined : [...all].join(" ");
}

function describeAuthError(error: unknown): string {
  if (error instanceof HttpError) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return message === "" ? "the auth provider failed" : message;
}
