import { coversServer } from "./metadata.js";
import type { OAuthClient, OAuthOptions } from "./options.js";
import type { OAuthStore } from "./store.js";
import type { StoredTokens } from "./tokens.js";

/** What tokens are bound to. */
export interface Binding {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
}

/** The stored tokens of one MCP server. */
export class TokenRepository {
  readonly #store: OAuthStore;
  readonly #server: URL;
  readonly #client: OAuthClient;
  readonly #grant: string;

  constructor(
    store: OAuthStore,
    server: URL,
    {
      client,
      grant = "authorization_code",
    }: Pick<OAuthOptions, "client" | "grant">,
  ) {
    this.#store = store;
    this.#server = server;
    this.#client = client;
    this.#grant = typeof grant === "string" ? grant : grant.type;
  }

  /** The latest tokens of the server; undefined without tokens. */
  async load(): Promise<StoredTokens | undefined> {
    const binding = await this.#binding();
    return binding === undefined ? undefined : this.read(binding);
  }

  /** Reads stored tokens, unless they are for anything else. */
  async read(binding: Binding): Promise<StoredTokens | undefined> {
    const tokens = (await this.#store.get(this.#tokensKey(binding))) as
      StoredTokens | undefined;
    return tokens?.issuer === binding.issuer &&
      tokens.resource === binding.resource &&
      tokens.client.id === binding.clientId &&
      coversServer(tokens.resource, this.#server)
      ? tokens
      : undefined;
  }

  async save(tokens: StoredTokens): Promise<void> {
    const binding = bindingOf(tokens);
    await this.#store.set(this.#tokensKey(binding), tokens);
    await this.#store.set(this.#bindingKey, binding);
    if (this.#client.id !== undefined)
      await this.#store.set(issuerKey(this.#client.id), {
        issuer: tokens.issuer,
      });
  }

  async delete(tokens: StoredTokens): Promise<void> {
    await this.#store.delete(this.#tokensKey(bindingOf(tokens)));
  }

  /** Deletes everything about the server. */
  async forget(): Promise<void> {
    const binding = await this.#binding();
    if (binding !== undefined)
      await this.#store.delete(this.#tokensKey(binding));
    await this.#store.delete(this.#bindingKey);
    // The issuer of the client stays: other servers must not choose another one for it.
  }

  /**
   * The issuer at which the client is registered, as far as that is known. A client with an id is registered at one
   * issuer, whatever MCP server it is for.
   */
  async issuer(): Promise<string | undefined> {
    const { id, issuer } = this.#client;
    if (issuer !== undefined) return issuer;
    if (id === undefined) return (await this.#binding())?.issuer;
    const stored = await this.#store.get(issuerKey(id));
    return (stored as { readonly issuer: string } | undefined)?.issuer;
  }

  /** Runs a task while no other process runs one for the same tokens. */
  exclusive<Result>(
    tokens: StoredTokens,
    task: () => Promise<Result>,
  ): Promise<Result> {
    const key = this.#tokensKey(bindingOf(tokens));
    return this.#store.exclusive?.(key, task) ?? task();
  }

  /** Which tokens the server has. A client does not use those of a client with other options. */
  get #bindingKey(): string {
    const { id, metadataUrl, registration } = this.#client;
    return JSON.stringify([
      "server",
      this.#server.href,
      this.#grant,
      id ?? null,
      metadataUrl ?? null,
      registration?.name ?? null,
    ]);
  }

  /** Tokens of a user are not those of the client itself. */
  #tokensKey({ issuer, resource, clientId }: Binding): string {
    return JSON.stringify(["tokens", issuer, resource, clientId, this.#grant]);
  }

  async #binding(): Promise<Binding | undefined> {
    return (await this.#store.get(this.#bindingKey)) as Binding | undefined;
  }
}

export function bindingOf({ issuer, resource, client }: StoredTokens): Binding {
  return { issuer, resource, clientId: client.id };
}

/** The latest claim in each store: one after the other, as stores need not be able to exclude others. */
const claims = /* @__PURE__ */ new WeakMap<OAuthStore, Promise<unknown>>();

/**
 * Binds a client with an id to an issuer before its secret is sent there, unless it is bound already.
 *
 * @returns The issuer that it is bound to, and how to undo a new binding.
 */
export async function claimIssuer(
  store: OAuthStore,
  { id, issuer: configured }: OAuthClient,
  issuer: string,
): Promise<{ readonly bound: string; readonly undo: () => Promise<void> }> {
  const keep = (): Promise<void> => Promise.resolve();
  if (id === undefined || configured !== undefined)
    return { bound: configured ?? issuer, undo: keep };
  const key = issuerKey(id);
  const claim = async (): Promise<Awaited<ReturnType<typeof claimIssuer>>> => {
    const stored = (await store.get(key)) as
      { readonly issuer: string } | undefined;
    if (stored !== undefined) return { bound: stored.issuer, undo: keep };
    await store.set(key, { issuer });
    return { bound: issuer, undo: () => store.delete(key) };
  };
  const before = claims.get(store) ?? Promise.resolve();
  const result = before.then(() => store.exclusive?.(key, claim) ?? claim());
  claims.set(
    store,
    result.catch(() => undefined),
  );
  return result;
}

function issuerKey(clientId: string): string {
  return JSON.stringify(["issuer", clientId]);
}
