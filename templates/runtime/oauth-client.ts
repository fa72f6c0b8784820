import { createAuthFetch } from "./http/client/auth-fetch.js";
import { readChallenge } from "./http/client/auth.js";
import type {
  AuthContext,
  TokenRequest,
  UnauthorizedContext,
} from "./http/client/auth.js";
import { pendingKey } from "./oauth/authorization.js";
import type { PendingAuthorization } from "./oauth/authorization.js";
import { createFailure, describeError } from "./oauth/failure.js";
import { Flow } from "./oauth/flow.js";
import type { FlowOptions } from "./oauth/flow.js";
import type { OAuthOptions, OAuthProvider } from "./oauth/options.js";
import { ServerTokens } from "./oauth/server-tokens.js";
import { memoryStore } from "./oauth/store.js";
import type { OAuthStore } from "./oauth/store.js";

import { UnauthorizedError } from "./http/errors.js";

export { UnauthorizedError } from "./http/errors.js";
export type {
  AssertionContext,
  ClientRegistration,
  JwtBearerGrant,
  OAuthClient,
  OAuthGrant,
  OAuthOptions,
  OAuthProvider,
  OAuthRedirect,
} from "./oauth/options.js";
export { memoryStore } from "./oauth/store.js";
export type { OAuthStore } from "./oauth/store.js";
export { tokenExchange } from "./oauth/token-exchange.js";
export type { TokenExchangeOptions } from "./oauth/token-exchange.js";

/**
 * The OAuth client of an HTTP transport: `httpClientTransport({ url, authProvider: oauthProvider(...) })`. Needs the
 * package `oauth4webapi`, `fetch` and WebCrypto, which browsers, Workers, Deno, Bun and Node have.
 *
 * It finds the authorization server, registers if necessary, has the user authorize, refreshes tokens, and asks for more
 * scopes when the server requires them (MCP 2025-03-26 to 2026-07-28, basic/authorization). It sends tokens only to the
 * server that they were issued for. Errors are UnauthorizedErrors without tokens, codes and secrets; each names the step,
 * the server and a remedy.
 *
 * @throws TypeError if options are missing or contradict each other.
 */
export function oauthProvider(options: OAuthOptions): OAuthProvider {
  checkOptions(options);
  return new Provider(options);
}

/** All members are private, so that logging it shows no secret. */
class Provider implements OAuthProvider {
  readonly #options: OAuthOptions;
  readonly #store: OAuthStore;
  readonly #servers = new Map<string, ServerTokens>();

  constructor(options: OAuthOptions) {
    this.#options = options;
    this.#store = options.store ?? memoryStore();
  }

  async token(context?: AuthContext): Promise<string | undefined> {
    // Other transports do not say where the token will be sent, so they get none.
    if (context === undefined) return undefined;
    try {
      return await this.#server(context.serverUrl, context).token();
    } catch (error) {
      throw wrapError(context.serverUrl, error);
    }
  }

  async authorize(request: TokenRequest, headers: Headers): Promise<void> {
    const proofs = await this.#server(request.serverUrl).proofs();
    await proofs?.authorize(request, headers);
  }

  onResponse(request: TokenRequest, response: Response): boolean {
    const { serverUrl, token, url } = request;
    return this.#server(serverUrl).readResponse(token, url, response);
  }

  async onUnauthorized(context: UnauthorizedContext): Promise<void> {
    const { scope, resourceMetadataUrl } = readChallenge(context.response);
    try {
      await this.#server(context.serverUrl, context).renew({
        status: context.response.status,
        scope,
        resourceMetadataUrl,
      });
    } catch (error) {
      throw wrapError(context.serverUrl, error);
    }
  }

  async finish(answer: URL | URLSearchParams): Promise<void> {
    const parameters = answer instanceof URL ? answer.searchParams : answer;
    const key = pendingKey(parameters.get("state") ?? "");
    const pending = (await this.#store.get(key)) as
      PendingAuthorization | undefined;
    // It is for one answer only, whatever that is.
    await this.#store.delete(key);
    if (pending === undefined || pending.expiresAt < Date.now())
      throw createFailure(
        new URL(
          pending?.serverUrl ??
            (answer instanceof URL ? answer : "http://localhost"),
        ),
        {
          step: "authorization",
          reason: "no authorization waits for this answer",
          remedy: "its state is unknown, expired or already used; start again",
        },
      );
    await this.#server(new URL(pending.serverUrl)).finish(pending, answer);
  }

  async forget(serverUrl: string | URL): Promise<void> {
    await this.#server(new URL(serverUrl)).forget();
  }

  allowsAuthUrl(url: URL): boolean {
    return this.#options.allowsAuthUrl?.(url) === true;
  }

  /** The tokens for a server, requested as its latest transport does, or without one. */
  #server(serverUrl: URL, transport?: FlowOptions): ServerTokens {
    const server = new URL(serverUrl);
    server.hash = "";
    const known = this.#servers.get(server.href);
    if (transport !== undefined) known?.use(transport);
    if (known !== undefined) return known;
    const allowsUrl = (url: URL): boolean => this.allowsAuthUrl(url);
    const made = new ServerTokens(
      new Flow(
        server,
        transport ?? {
          fetchFn: createAuthFetch(
            server,
            this.#options.fetch ?? ((url, init) => fetch(url, init)),
            allowsUrl,
          ),
          allowsUrl,
        },
      ),
      this.#options,
      this.#store,
    );
    this.#servers.set(server.href, made);
    return made;
  }
}

/** What the steps of a flow do not expect: the store of the caller fails. */
function wrapError(server: URL, error: unknown): UnauthorizedError {
  return error instanceof UnauthorizedError
    ? error
    : createFailure(server, {
        step: "token store",
        reason: describeError(error),
      });
}

function checkOptions({ client, grant, redirect, dpop }: OAuthOptions): void {
  const { id, metadataUrl, registration, secret, privateKey } = client;
  if (
    id === undefined &&
    metadataUrl === undefined &&
    registration === undefined
  )
    throw new TypeError(
      "the client needs an id, a metadataUrl or a registration",
    );
  if (secret !== undefined && (id === undefined || privateKey !== undefined))
    throw new TypeError(
      id === undefined
        ? "client.secret needs client.id"
        : "a client has a secret or a privateKey, not both",
    );
  if (metadataUrl !== undefined) {
    const url = URL.canParse(metadataUrl) ? new URL(metadataUrl) : undefined;
    if (url?.protocol !== "https:" || url.pathname === "/" || url.hash !== "")
      throw new TypeError(
        "client.metadataUrl must be an https URL with a path and no fragment",
      );
  }
  if (
    (grant ?? "authorization_code") === "authorization_code" &&
    redirect === undefined
  )
    throw new TypeError("the grant authorization_code needs a redirect");
  if (typeof dpop === "object" && dpop.privateKey.type !== "private")
    throw new TypeError("dpop.privateKey must be a private key");
}
