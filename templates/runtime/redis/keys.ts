/** The names of keys in Redis. */

const DEFAULT_PREFIX = "mcp:";

/**
 * Names of keys. What belongs to one session, mailbox or principal has the same text in braces, so that a Redis Cluster
 * keeps it in one slot. That text is a digest: it has no characters with a meaning, and does not show ids of sessions.
 */
export class RedisKeys {
  readonly #prefix: string;

  constructor(prefix: string = DEFAULT_PREFIX) {
    if (/[{}]/u.test(prefix))
      throw new RangeError(
        "the prefix of keys must not contain braces, which choose the slot in a Redis Cluster",
      );
    this.#prefix = prefix;
  }

  /** A key of which there is one. */
  single(kind: string): string {
    return this.#prefix + kind;
  }

  /** The keys of something with an id, by kind. */
  async of<const K extends readonly string[]>(
    id: string,
    ...kinds: K
  ): Promise<{ readonly [I in keyof K]: string }> {
    const hash = await digest(id);
    return kinds.map((kind) => `${this.#prefix}${kind}:{${hash}}`) as {
      readonly [I in keyof K]: string;
    };
  }
}

/** 128 bits of the SHA-256 of a text. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(text),
  );
  return btoa(String.fromCharCode(...new Uint8Array(bytes).slice(0, 16)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
