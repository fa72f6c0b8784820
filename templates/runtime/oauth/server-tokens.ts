import type { TokenEndpointResponse } from "oauth4webapi";
import { clientAuth } from "./client-auth.js";
import {
  beginAuthorization,
  checkRedirect,
  validateAnswer,
} from "./authorization.js";
import type { PendingAuthorization } from "./authorization.js";
import { discoverResource, discoverServer } from "./discovery.js";
import type { Discovery } from "./discovery.js";
import { createKey, importKeyPair, ProofMaker } from "./dpop.js";
import type { StoredKey } from "./dpop.js";
import { quote } from "./failure.js";
import type { Flow, FlowOptions } from "./flow.js";
import { coversServer } from "./metadata.js";
import type { ServerMetadata } from "./metadata.js";
import type { OAuthOptions, OAuthRedirect } from "./options.js";
import { registrationKey, resolveClient } from "./registration.js";
import type { RegisteredClient } from "./client-auth.js";
import { hasScopes, unionScopes } from "./scopes.js";
import type { OAuthStore } from "./store.js";
import { requestTokens, TokenRequestError, tokenStep } from "./tokens.js";
import type { Exchange, StoredTokens } from "./tokens.js";

/** Sets of scopes that a client requests from one server. */
const MAX_STEP_UPS = 16;
const MAX_SCOPE_CHARS = 4096;

/** Milliseconds before its end at which a token counts as expired. */
const EXPIRY_MARGIN_MS = 10_000;

/** What a server's challenge requires. */
export interface Challenge {
  readonly status: number;
  readonly scope: string | undefined;
  readonly resourceMetadataUrl: URL | undefined;
}

/** Which tokens a server has, as stored: the key of tokens also has what discovery finds. */
interface Binding {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
}

/** What is known before tokens are requested. */
interface Target {
  readonly discovery: Discovery;
  readonly issuer: string;
  readonly metadata: ServerMetadata;
}

/** The tokens of one MCP server, and how to get them. */
export class ServerTokens {
  readonly #flow: Flow;
  readonly #options: OAuthOptions;
  readonly #store: OAuthStore;
  #tokens: StoredTokens | undefined;
  #loading: Promise<void> | undefined;
  #proofs: ProofMaker | undefined;
  #proofsKey: string | undefined;
  /** Metadata of the issuer of the tokens, since they were last discovered. */
  #metadata: ServerMetadata | undefined;
  /** A token that came from a refresh, and that the server has not accepted yet. */
  #unprovenToken: string | undefined;
  /** Scopes that were requested in this process. */
  readonly #requestedScopes = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(flow: Flow, options: OAuthOptions, store: OAuthStore) {
    this.#flow = flow;
    this.#options = options;
    this.#store = store;
  }

  /** Makes requests as a transport does from now on. */
  use(options: FlowOptions): void {
    this.#flow.use(options);
  }

  /** The access token, refreshed if it has expired; undefined if there is none. */
  async token(): Promise<string | undefined> {
    const tokens = await this.#load();
    if (tokens === undefined) return undefined;
    if (!hasExpired(tokens)) return tokens.accessToken;
    if (tokens.refreshToken === undefined) return undefined;
    return this.#inOrder(async () => {
      const current = this.#tokens;
      if (current !== undefined && hasExpired(current))
        await this.#refresh(current);
      return this.#tokens?.accessToken;
    });
  }

  /** Makes proofs for the current token; undefined if it is a bearer token. */
  async proofs(): Promise<ProofMaker | undefined> {
    const tokens = await this.#load();
    return tokens?.isDpop === true ? this.#proofsFor(tokens.key) : undefined;
  }

  /** The proofs in use, without waiting. */
  get currentProofs(): ProofMaker | undefined {
    return this.#proofs;
  }

  /** Called when the server has accepted a token. */
  accept(token: string): void {
    if (this.#unprovenToken === token) this.#unprovenToken = undefined;
  }

  /** Gets another token after the server has rejected the current one. */
  async renew(challenge: Challenge): Promise<void> {
    const rejected = (await this.#load())?.accessToken;
    await this.#inOrder(() => this.#renew(challenge, rejected));
  }

  /** Exchanges the answer of the user for tokens. */
  async finish(
    pending: PendingAuthorization,
    answer: URL | URLSearchParams,
  ): Promise<void> {
    await this.#load();
    await this.#inOrder(async () => {
      const metadata = await discoverServer(
        this.#flow,
        pending.issuer,
        pending.isLegacy,
      );
      await this.#exchangeCode(metadata, pending, answer);
    });
  }

  /** Deletes the tokens. */
  async forget(): Promise<void> {
    await this.#load();
    await this.#inOrder(async () => {
      const binding = await this.#binding();
      if (binding !== undefined) await this.#store.delete(tokensKey(binding));
      await this.#store.delete(this.#bindingKey);
      this.#tokens = undefined;
    });
  }

  /** Runs one flow at a time. */
  #inOrder<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(task);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  get #bindingKey(): string {
    const { id, metadataUrl, registration } = this.#options.client;
    return JSON.stringify([
      "server",
      this.#flow.server.href,
      id ?? null,
      metadataUrl ?? null,
      registration?.name ?? null,
    ]);
  }

  async #binding(): Promise<Binding | undefined> {
    return (await this.#store.get(this.#bindingKey)) as Binding | undefined;
  }

  async #load(): Promise<StoredTokens | undefined> {
    this.#loading ??= this.#loadStored();
    try {
      await this.#loading;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
    return this.#tokens;
  }

  async #loadStored(): Promise<void> {
    const binding = await this.#binding();
    if (binding !== undefined) this.#tokens = await this.#read(binding);
  }

  /** Reads stored tokens, unless they are for anything else. */
  async #read(binding: Binding): Promise<StoredTokens | undefined> {
    const tokens = (await this.#store.get(tokensKey(binding))) as
      StoredTokens | undefined;
    return tokens?.issuer === binding.issuer &&
      tokens.resource === binding.resource &&
      tokens.client.id === binding.clientId &&
      coversServer(tokens.resource, this.#flow.server) &&
      tokens.isDpop === this.#wantsDpop
      ? tokens
      : undefined;
  }

  async #save(tokens: StoredTokens): Promise<void> {
    const binding: Binding = {
      issuer: tokens.issuer,
      resource: tokens.resource,
      clientId: tokens.client.id,
    };
    await this.#store.set(tokensKey(binding), tokens);
    await this.#store.set(this.#bindingKey, binding);
    this.#tokens = tokens;
  }

  async #drop(tokens: StoredTokens): Promise<void> {
    await this.#store.delete(
      tokensKey({
        issuer: tokens.issuer,
        resource: tokens.resource,
        clientId: tokens.client.id,
      }),
    );
    this.#tokens = undefined;
  }

  async #renew(
    challenge: Challenge,
    rejected: string | undefined,
  ): Promise<void> {
    const current = this.#tokens;
    // Another request has got a token meanwhile.
    if (current !== undefined && isBetter(current, rejected, challenge)) return;
    if (challenge.status === 403) this.#checkStepUp(challenge);
    const target = await this.#discover(challenge);
    const usable =
      current?.issuer === target.issuer &&
      current.resource === target.discovery.resource
        ? current
        : undefined;
    // Another process may have got tokens meanwhile; a refresh uses what is stored.
    if (challenge.status === 401 && usable !== undefined) {
      const stored = await this.#read({
        issuer: usable.issuer,
        resource: usable.resource,
        clientId: usable.client.id,
      });
      if (
        stored !== undefined &&
        stored.accessToken !== rejected &&
        !hasExpired(stored)
      ) {
        this.#tokens = stored;
        return;
      }
      if (
        usable.refreshToken !== undefined &&
        hasScopes(usable.requestedScope, challenge.scope) &&
        this.#unprovenToken !== usable.accessToken
      ) {
        this.#metadata = target.metadata;
        await this.#refresh(usable);
        if (this.#tokens !== undefined) return;
      }
    }
    await this.#authorize(
      target,
      unionScopes(
        this.#options.scopes,
        usable?.requestedScope,
        challenge.scope ??
          (this.#options.scopes === undefined
            ? target.discovery.scopes
            : undefined),
      ),
    );
  }

  /**
   * Asking for the same scopes again would not end, nor would asking for ever more (MCP 2026-07-28, step-up
   * authorization flow).
   */
  #checkStepUp({ scope }: Challenge): void {
    const step = "step-up authorization";
    const { requestedScope } = this.#tokens ?? {};
    const wanted = unionScopes(requestedScope, scope);
    if (
      hasScopes(requestedScope, scope) &&
      (scope === undefined || this.#requestedScopes.has(wanted ?? ""))
    )
      throw this.#flow.fail(
        step,
        `the server requires ${scope === undefined ? "more permissions" : quote(scope)}, which this client has requested already`,
        "the user or the client may lack the permission",
      );
    if (
      this.#requestedScopes.size >= MAX_STEP_UPS ||
      (wanted?.length ?? 0) > MAX_SCOPE_CHARS
    )
      throw this.#flow.fail(
        step,
        "the server requires ever more scopes",
        "request all of them at once with the option scopes",
      );
  }

  async #discover(challenge: Challenge): Promise<Target> {
    const discovery = await discoverResource(
      this.#flow,
      challenge.resourceMetadataUrl,
    );
    const issuer = await this.#chooseIssuer(discovery);
    const metadata = await discoverServer(
      this.#flow,
      issuer,
      discovery.isLegacy,
    );
    return { discovery, issuer, metadata };
  }

  /**
   * Credentials are for one authorization server (MCP 2026-07-28, authorization server binding). Of several servers, the
   * client chooses (RFC 9728, section 7.6).
   */
  async #chooseIssuer({ issuers }: Discovery): Promise<string> {
    const { client } = this.#options;
    const bound = client.issuer ?? (await this.#binding())?.issuer;
    if (bound !== undefined && issuers.includes(bound)) return bound;
    if (bound !== undefined && client.id !== undefined)
      throw this.#flow.fail(
        "choice of the authorization server",
        `the client is registered at ${bound.slice(0, 200)}, but the MCP server now names ${JSON.stringify(issuers[0]?.slice(0, 200))}`,
        client.issuer === undefined
          ? "if the client is registered there too, set client.issuer to it"
          : "check client.issuer",
      );
    return issuers[0] ?? "";
  }

  /** Gets tokens with the grant of the options. */
  async #authorize(target: Target, scope: string | undefined): Promise<void> {
    const { grant = "authorization_code" } = this.#options;
    this.#requestedScopes.add(scope ?? "");
    if (grant === "authorization_code") {
      await this.#askUser(target, scope);
      return;
    }
    const { metadata, discovery, issuer } = target;
    const client = await this.#client(metadata, undefined, scope);
    const context = {
      metadata,
      issuer,
      resource: discovery.resource,
      client,
      scope,
      key: await this.#key(metadata),
      isLegacy: discovery.isLegacy,
    };
    if (grant === "client_credentials") {
      await this.#obtain(context, { grant });
      return;
    }
    let assertion: string;
    try {
      assertion = await grant.assertion({
        issuer,
        tokenEndpoint: metadata.token_endpoint ?? "",
        resource: discovery.resource,
        scope,
        fetch: this.#options.fetch ?? ((url, init) => fetch(url, init)),
      });
    } catch (error) {
      throw this.#flow.wrap(error, "assertion for a token request");
    }
    await this.#obtain(context, { grant: "jwt-bearer", assertion });
  }

  async #askUser(
    { metadata, discovery, issuer }: Target,
    scope: string | undefined,
  ): Promise<void> {
    const { redirect } = this.#options;
    if (redirect === undefined)
      throw this.#flow.fail(
        `authorization at ${issuer}`,
        "the server requires that a user authorizes the client",
        "set the option redirect, or a grant that needs no user",
      );
    // Servers issue refresh tokens for it (MCP 2026-07-28, refresh tokens).
    const requestedScope = unionScopes(
      scope,
      metadata.scopes_supported?.includes("offline_access") === true
        ? "offline_access"
        : undefined,
    );
    const opened: OAuthRedirect =
      typeof redirect === "function" ? await redirect() : redirect;
    try {
      const redirectUri = checkRedirect(this.#flow, opened.url);
      const client = await this.#client(metadata, redirectUri, requestedScope);
      const key = await this.#key(metadata);
      const { url, pending } = await beginAuthorization(
        this.#flow,
        metadata,
        {
          serverUrl: this.#flow.server.href,
          issuer,
          resource: discovery.resource,
          client,
          redirectUri,
          ...(requestedScope === undefined ? {} : { requestedScope }),
          ...(key === undefined ? {} : { key }),
          isLegacy: discovery.isLegacy,
        },
        await this.#newProofs(key),
      );
      // Stored first: a page may come back before `open` returns.
      const pendingName = pendingKey(pending.state);
      await this.#store.set(pendingName, pending, pending.expiresAt);
      const answer = await this.#open(opened, url, pendingName);
      if (answer === undefined)
        throw this.#flow.fail(
          `authorization at ${issuer}`,
          "the user has to authorize this client",
          "call finish with the parameters of the redirect back, then connect again",
        );
      await this.#exchangeCode(metadata, pending, answer);
    } catch (error) {
      throw this.#flow.wrap(error, `authorization at ${issuer}`);
    } finally {
      await opened.close?.();
    }
  }

  /** Sends the user away. Only `finish` needs the stored authorization: if the program waited, it is deleted. */
  async #open(
    redirect: OAuthRedirect,
    url: URL,
    pendingName: string,
  ): Promise<URL | URLSearchParams | undefined> {
    let comesBackLater = false;
    try {
      const answer = await redirect.open(url);
      comesBackLater = answer === undefined;
      return answer;
    } finally {
      if (!comesBackLater) await this.#store.delete(pendingName);
    }
  }

  async #exchangeCode(
    metadata: ServerMetadata,
    pending: PendingAuthorization,
    answer: URL | URLSearchParams,
  ): Promise<void> {
    const valid = validateAnswer(this.#flow, metadata, pending, answer);
    const { redirectUri, verifier } = pending;
    await this.#obtain(
      {
        metadata,
        issuer: pending.issuer,
        resource: pending.resource,
        client: pending.client,
        scope: pending.requestedScope,
        key: pending.key,
        isLegacy: pending.isLegacy,
      },
      { grant: "authorization_code", answer: valid, redirectUri, verifier },
    );
  }

  /** Requests tokens and stores them. */
  async #obtain(context: ObtainContext, exchange: Exchange): Promise<void> {
    const { metadata, client } = context;
    try {
      await this.#save(
        this.#toStored(context, await this.#request(context, exchange)),
      );
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      if (error.code === "invalid_client" && client.origin === "registration")
        await this.#forgetClient(metadata, exchange);
      throw this.#flow.fail(
        tokenStep(metadata),
        error.message,
        remedyFor(error.code, client),
      );
    }
  }

  async #forgetClient(
    metadata: ServerMetadata,
    exchange: Exchange,
  ): Promise<void> {
    await this.#store.delete(
      registrationKey({
        metadata,
        options: this.#options.client,
        redirectUri:
          exchange.grant === "authorization_code"
            ? exchange.redirectUri
            : undefined,
      }),
    );
  }

  async #request(
    { metadata, client, resource, scope, key }: ObtainContext,
    exchange: Exchange,
  ): Promise<TokenEndpointResponse> {
    const { client: options } = this.#options;
    return requestTokens(this.#flow, {
      metadata,
      client,
      auth: await clientAuth(this.#flow, metadata, options, client),
      resource,
      scope,
      proofs: await this.#newProofs(key),
      exchange,
      secrets: [
        options.secret ?? "",
        client.secret ?? "",
        exchange.grant === "authorization_code" ? exchange.verifier : "",
        exchange.grant === "authorization_code"
          ? (exchange.answer.get("code") ?? "")
          : "",
        exchange.grant === "refresh_token" ? exchange.refreshToken : "",
        exchange.grant === "jwt-bearer" ? exchange.assertion : "",
      ],
    });
  }

  #toStored(
    { issuer, resource, client, scope, key, isLegacy }: ObtainContext,
    response: TokenEndpointResponse,
    former?: StoredTokens,
  ): StoredTokens {
    // A server that does not rotate a refresh token leaves it out (RFC 6749, section 6).
    const refreshToken = response.refresh_token ?? former?.refreshToken;
    return {
      issuer,
      resource,
      client,
      accessToken: response.access_token,
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(response.expires_in === undefined
        ? {}
        : { expiresAt: Date.now() + response.expires_in * 1000 }),
      ...(scope === undefined ? {} : { requestedScope: scope }),
      ...(response.scope === undefined ? {} : { scope: response.scope }),
      isDpop: this.#wantsDpop,
      ...(key === undefined ? {} : { key }),
      isLegacy,
    };
  }

  /**
   * Refreshes tokens, one process at a time: a server may take the second use of a rotated refresh token for theft. The
   * tokens are gone afterwards if the server no longer accepts the refresh token.
   */
  async #refresh(tokens: StoredTokens): Promise<void> {
    const binding: Binding = {
      issuer: tokens.issuer,
      resource: tokens.resource,
      clientId: tokens.client.id,
    };
    const refresh = async (): Promise<void> => {
      const stored = await this.#read(binding);
      if (
        stored !== undefined &&
        stored.accessToken !== tokens.accessToken &&
        !hasExpired(stored)
      ) {
        this.#tokens = stored;
        return;
      }
      await this.#refreshNow(stored ?? tokens);
    };
    await (this.#store.exclusive?.(tokensKey(binding), refresh) ?? refresh());
  }

  async #refreshNow(tokens: StoredTokens): Promise<void> {
    const { refreshToken } = tokens;
    if (refreshToken === undefined) {
      await this.#drop(tokens);
      return;
    }
    this.#metadata =
      this.#metadata?.issuer === tokens.issuer
        ? this.#metadata
        : await discoverServer(this.#flow, tokens.issuer, tokens.isLegacy);
    const context: ObtainContext = {
      metadata: this.#metadata,
      issuer: tokens.issuer,
      resource: tokens.resource,
      client: tokens.client,
      scope: undefined,
      key: tokens.key,
      isLegacy: tokens.isLegacy,
    };
    try {
      const response = await this.#request(context, {
        grant: "refresh_token",
        refreshToken,
      });
      const refreshed = this.#toStored(
        { ...context, scope: tokens.requestedScope },
        response,
        tokens,
      );
      await this.#save(refreshed);
      this.#unprovenToken = refreshed.accessToken;
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      // The server has an answer, and it is no: the user has to authorize again.
      await this.#drop(tokens);
    }
  }

  async #client(
    metadata: ServerMetadata,
    redirectUri: string | undefined,
    scope: string | undefined,
  ): Promise<RegisteredClient> {
    const { grant = "authorization_code", client } = this.#options;
    try {
      return await resolveClient(this.#flow, {
        metadata,
        options: client,
        redirectUri,
        scope,
        grantType: typeof grant === "string" ? grant : grant.type,
        store: this.#store,
      });
    } catch (error) {
      throw this.#flow.wrap(error, `client registration at ${metadata.issuer}`);
    }
  }

  get #wantsDpop(): boolean {
    return (this.#options.dpop ?? false) !== false;
  }

  /** The key for new tokens: that of the current ones, or a new one. Undefined if it is not to be stored. */
  async #key(metadata: ServerMetadata): Promise<StoredKey | undefined> {
    return this.#options.dpop === true
      ? (this.#tokens?.key ??
          (await createKey(metadata.dpop_signing_alg_values_supported)))
      : undefined;
  }

  #newProofs(key: StoredKey | undefined): Promise<ProofMaker | undefined> {
    return this.#wantsDpop ? this.#proofsFor(key) : Promise.resolve(undefined);
  }

  /** One maker for each key, since it remembers nonces. */
  async #proofsFor(
    key: StoredKey | undefined,
  ): Promise<ProofMaker | undefined> {
    const { dpop } = this.#options;
    const name = JSON.stringify(key?.publicKey ?? null);
    if (this.#proofs !== undefined && this.#proofsKey === name)
      return this.#proofs;
    if (typeof dpop === "object") this.#proofs = new ProofMaker(dpop);
    else if (key !== undefined)
      this.#proofs = new ProofMaker(await importKeyPair(key));
    this.#proofsKey = name;
    return this.#proofs;
  }
}

/** Everything about tokens to request but how. */
interface ObtainContext {
  readonly metadata: ServerMetadata;
  readonly issuer: string;
  readonly resource: string;
  readonly client: RegisteredClient;
  readonly scope: string | undefined;
  readonly key: StoredKey | undefined;
  readonly isLegacy: boolean;
}

/** The key of a pending authorization. */
export function pendingKey(state: string): string {
  return JSON.stringify(["pending", state]);
}

function tokensKey({ issuer, resource, clientId }: Binding): string {
  return JSON.stringify(["tokens", issuer, resource, clientId]);
}

/** Whether tokens may satisfy a challenge that others did not. */
function isBetter(
  tokens: StoredTokens,
  rejected: string | undefined,
  { scope }: Challenge,
): boolean {
  return (
    tokens.accessToken !== rejected && hasScopes(tokens.requestedScope, scope)
  );
}

function hasExpired({ expiresAt }: StoredTokens): boolean {
  return expiresAt !== undefined && expiresAt < Date.now() + EXPIRY_MARGIN_MS;
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
