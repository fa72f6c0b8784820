/**
 * Where tokens, registrations and pending authorizations are stored. Values are JSON objects with secrets. Each key names
 * what a value is bound to: server, issuer, resource and client.
 */
export interface OAuthStore {
  get(key: string): Promise<object | undefined>;
  /** @param expiresAt - Milliseconds since 1970 after which the value may be deleted. */
  set(key: string, value: object, expiresAt?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Runs a task while no other process runs one with the same key, so that one process at a time refreshes a token.
   * Without it, only this process is coordinated.
   */
  exclusive?<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
}

/** A store that forgets everything when the process ends. */
export function memoryStore(): OAuthStore {
  return new MemoryStore();
}

/** Copies values, so that nobody changes stored ones; private, so that nobody logs them. */
class MemoryStore implements OAuthStore {
  readonly #values = new Map<
    string,
    { readonly text: string; readonly expiresAt: number }
  >();

  get(key: string): Promise<object | undefined> {
    const stored = this.#values.get(key);
    return Promise.resolve(
      stored === undefined ? undefined : (JSON.parse(stored.text) as object),
    );
  }

  set(key: string, value: object, expiresAt = Infinity): Promise<void> {
    for (const [name, stored] of this.#values)
      if (stored.expiresAt < Date.now()) this.#values.delete(name);
    this.#values.set(key, { text: JSON.stringify(value), expiresAt });
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.#values.delete(key);
    return Promise.resolve();
  }
}
