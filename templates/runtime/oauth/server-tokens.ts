import type { PendingAuthorization } from "./authorization.js";
import { discoverResource, discoverServer } from "./discovery.js";
import type { Discovery } from "./discovery.js";
import { Proofs } from "./dpop.js";
import type { ProofMaker } from "./dpop.js";
import { quote } from "./failure.js";
import type { Flow, FlowOptions } from "./flow.js";
import { otherIssuerError, TokenIssuance } from "./issuance.js";
import type { Target } from "./issuance.js";
import type { ServerMetadata } from "./metadata.js";
import type { OAuthOptions } from "./options.js";
import { bindingOf, TokenRepository } from "./repository.js";
import { hasScopes, unionScopes } from "./scopes.js";
import type { OAuthStore } from "./store.js";
import type { StoredTokens } from "./tokens.js";

/** Sets of scopes that a client requests from one server, and the length of one. */
const MAX_SCOPE_SETS = 16;
const MAX_SCOPE_CHARS = 4096;

/** Milliseconds within which a rejected new token is not replaced by another new one. */
const REJECTION_PAUSE_MS = 60_000;

/** What a server's challenge requires. */
export interface Challenge {
  readonly status: number;
  readonly scope: string | undefined;
  readonly resourceMetadataUrl: URL | undefined;
}

interface UnprovenToken {
  readonly token: string;
  readonly isRefreshed: boolean;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
}

/** The tokens of one MCP server. */
export class ServerTokens {
  readonly #flow: Flow;
  readonly #options: OAuthOptions;
  readonly #proofs: Proofs;
  readonly #repository: TokenRepository;
  readonly #issuance: TokenIssuance;
  #tokens: StoredTokens | undefined;
  #loading: Promise<void> | undefined;
  /** Metadata of the issuer of the tokens, since they were last discovered. */
  #metadata: ServerMetadata | undefined;
  /** A new token that the server has not accepted yet. */
  #unproven: UnprovenToken | undefined;
  /** Scopes that were requested in this process. */
  readonly #requestedScopes = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(flow: Flow, options: OAuthOptions, store: OAuthStore) {
    this.#flow = flow;
    this.#options = options;
    this.#proofs = new Proofs(options.dpop ?? false);
    this.#repository = new TokenRepository(store, flow.server, options);
    this.#issuance = new TokenIssuance(flow, options, store, this.#proofs);
  }

  /** Makes requests as a transport does from now on. */
  use(options: FlowOptions): void {
    this.#flow.use(options);
  }

  /** The access token, refreshed if it has expired; undefined without one. */
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
    return this.#proofs.for((await this.#load())?.key);
  }

  /** Reads the response to a request with a token. Returns whether to repeat the request with a nonce. */
  readResponse(token: string, url: URL, response: Response): boolean {
    if (response.ok && this.#unproven?.token === token)
      this.#unproven = undefined;
    return this.#proofs.current?.readNonce(url, response) ?? false;
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
      const { issuer, isLegacy } = pending;
      const metadata = await discoverServer(this.#flow, issuer, isLegacy);
      await this.#save(
        await this.#issuance.exchangeCode(metadata, pending, answer),
        false,
      );
    });
  }

  /** Deletes the tokens. */
  async forget(): Promise<void> {
    await this.#load();
    await this.#inOrder(async () => {
      await this.#repository.forget();
      this.#tokens = undefined;
      this.#requestedScopes.clear();
    });
  }

  /** Runs one flow at a time. */
  #inOrder<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(task);
    this.#queue = result.catch(() => undefined);
    return result;
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
    const stored = await this.#repository.load();
    if (stored?.isDpop === this.#proofs.areWanted) this.#tokens = stored;
  }

  async #save(tokens: StoredTokens, isRefreshed: boolean): Promise<void> {
    await this.#repository.save(tokens);
    this.#tokens = tokens;
    // As they were requested, which may be more than the challenge requires.
    if (!isRefreshed) this.#requestedScopes.add(tokens.requestedScope ?? "");
    this.#unproven = {
      token: tokens.accessToken,
      isRefreshed,
      issuedAt: Date.now(),
    };
  }

  async #renew(
    challenge: Challenge,
    rejected: string | undefined,
  ): Promise<void> {
    const current = this.#tokens;
    // Another request has got a token meanwhile.
    if (current !== undefined && isBetter(current, rejected, challenge)) return;
    if (challenge.status === 403) this.#checkStepUp(challenge);
    else this.#checkUnproven(rejected);
    const target = await this.#discover(challenge);
    const { discovery, metadata } = target;
    const usable =
      current?.issuer === metadata.issuer &&
      current.resource === discovery.resource
        ? current
        : undefined;
    if (
      challenge.status === 401 &&
      usable !== undefined &&
      (await this.#recover(usable, challenge, metadata))
    )
      return;
    const scope = unionScopes(
      this.#options.scopes,
      usable?.requestedScope,
      challenge.scope ??
        (this.#options.scopes === undefined ? discovery.scopes : undefined),
    );
    this.#checkScope(scope);
    await this.#save(
      await this.#issuance.authorize(target, scope, this.#tokens?.key),
      false,
    );
  }

  /** Gets another token without the user. Returns whether there is one. */
  async #recover(
    rejected: StoredTokens,
    challenge: Challenge,
    metadata: ServerMetadata,
  ): Promise<boolean> {
    // Another process may have got it.
    const stored = await this.#repository.read(bindingOf(rejected));
    if (
      stored !== undefined &&
      !hasExpired(stored) &&
      isBetter(stored, rejected.accessToken, challenge)
    ) {
      this.#tokens = stored;
      return true;
    }
    // A refreshed token has the same scopes; if it is rejected at once, refreshing does not help.
    if (
      rejected.refreshToken === undefined ||
      !hasScopes(rejected.requestedScope, challenge.scope) ||
      this.#unproven?.token === rejected.accessToken
    )
      return false;
    this.#metadata = metadata;
    await this.#refresh(rejected);
    return this.#tokens !== undefined;
  }

  /** Asking the user again and again does not help if the server rejects what it has just been issued. */
  #checkUnproven(rejected: string | undefined): void {
    const unproven = this.#unproven;
    if (
      unproven !== undefined &&
      unproven.token === rejected &&
      !unproven.isRefreshed &&
      Date.now() - unproven.issuedAt < REJECTION_PAUSE_MS
    )
      throw this.#flow.fail(
        "use of the token",
        "the server rejects a token that has just been issued for it",
        "check that the server accepts tokens of its authorization server with its own audience",
      );
  }

  /** Asking for the same scopes again would not end (MCP 2026-07-28, step-up authorization flow). */
  #checkStepUp({ scope }: Challenge): void {
    const { requestedScope } = this.#tokens ?? {};
    if (
      hasScopes(requestedScope, scope) &&
      (scope === undefined || this.#requestedScopes.has(requestedScope ?? ""))
    )
      throw this.#flow.fail(
        "step-up authorization",
        `the server requires ${scope === undefined ? "more permissions" : quote(scope)}, which this client has requested already`,
        "the user or the client may lack the permission",
      );
  }

  /** Nor would asking for more and more scopes. */
  #checkScope(scope = ""): void {
    if (
      scope.length > MAX_SCOPE_CHARS ||
      (this.#requestedScopes.size >= MAX_SCOPE_SETS &&
        !this.#requestedScopes.has(scope))
    )
      throw this.#flow.fail(
        "step-up authorization",
        "the server requires ever more scopes",
        "request all of them at once with the option scopes",
      );
    this.#requestedScopes.add(scope);
  }

  async #discover(challenge: Challenge): Promise<Target> {
    const discovery = await discoverResource(
      this.#flow,
      challenge.resourceMetadataUrl,
    );
    const issuer = await this.#chooseIssuer(discovery);
    const { isLegacy } = discovery;
    return {
      discovery,
      metadata: await discoverServer(this.#flow, issuer, isLegacy),
    };
  }

  /**
   * Credentials are for one authorization server (MCP 2026-07-28, authorization server binding). Of several servers, the
   * client chooses (RFC 9728, section 7.6).
   */
  async #chooseIssuer({ issuers }: Discovery): Promise<string> {
    const { client } = this.#options;
    const bound = await this.#repository.issuer();
    if (bound !== undefined && issuers.includes(bound)) return bound;
    if (bound !== undefined && client.id !== undefined)
      throw otherIssuerError(this.#flow, client, bound, issuers[0] ?? "");
    return issuers[0] ?? "";
  }

  /**
   * Refreshes tokens, one process at a time: a server may take the second use of a rotated refresh token for theft. The
   * tokens are gone afterwards if the server no longer accepts the refresh token.
   */
  #refresh(tokens: StoredTokens): Promise<void> {
    return this.#repository.exclusive(tokens, async () => {
      const stored = (await this.#repository.read(bindingOf(tokens))) ?? tokens;
      if (stored.accessToken !== tokens.accessToken && !hasExpired(stored)) {
        this.#tokens = stored;
        return;
      }
      const { refreshToken, issuer, isLegacy } = stored;
      if (this.#metadata?.issuer !== issuer)
        this.#metadata = await discoverServer(this.#flow, issuer, isLegacy);
      const refreshed =
        refreshToken === undefined
          ? undefined
          : await this.#issuance.refresh(this.#metadata, stored, refreshToken);
      if (refreshed === undefined) {
        await this.#repository.delete(stored);
        this.#tokens = undefined;
      } else {
        await this.#save(refreshed, true);
      }
    });
  }
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
  return expiresAt !== undefined && expiresAt <= Date.now();
}
