/** How values are stored in Redis: within a size, and encrypted if there are keys. */
import { RedisStoreError } from "./client.js";

/** Options of stores in Redis. */
export interface RedisValueOptions {
  /**
   * Keys of 32 bytes that encrypt what is stored, by AES-256-GCM with a key derived for each name in Redis. Values stay
   * readable without them: addresses of mailboxes, versions, times and sizes; ids and principals are stored as digests
   * then.
   *
   * To replace a key, pass several: the first one encrypts, and all of them decrypt. Add the new one as the last
   * everywhere, then move it to the front, and remove the old one when all that it has encrypted has expired.
   */
  readonly encryptionKeys?: readonly Uint8Array[] | undefined;
  /** Maximum of bytes of a value, such as a message, as UTF-8; 16 MiB by default. */
  readonly maxValueBytes?: number | undefined;
}

/** Bytes in an unshared buffer; newer compilers distinguish these from shared ones. */
type Bytes = ReturnType<Uint8ArrayConstructor["of"]>;

/** Its global name exists only in the typings of browsers. */
type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

interface MasterKey {
  /** Which key has encrypted a value: the first bytes of its digest. */
  readonly id: string;
  readonly key: ImportedKey;
}

const KEY_BYTES = 32;
const IV_BYTES = 12;
/** Derived keys that are kept: of the sessions and mailboxes in use. */
const MAX_DERIVED_KEYS = 1000;
const DEFAULT_MAX_VALUE_BYTES = 16 * 1024 * 1024;

/** What values begin with. */
const PLAIN = "=";
const ENCRYPTED = "1";

/**
 * Turns texts into values and back. A value belongs to the name of its key in Redis, and to a context, so that it cannot
 * be moved to another place.
 *
 * Each name has a derived key, since the random nonces of AES-GCM suffice for 2^32 values of one key (NIST SP 800-38D,
 * section 8.3), which a large cluster would use up within hours.
 */
export class RedisCipher {
  /** Maximum of bytes of a text. */
  readonly maxBytes: number;
  readonly #secrets: readonly Bytes[];
  readonly #derived = new Map<string, Promise<ImportedKey>>();
  #keys: Promise<readonly MasterKey[]> | undefined;

  constructor({
    encryptionKeys = [],
    maxValueBytes = DEFAULT_MAX_VALUE_BYTES,
  }: RedisValueOptions) {
    if (encryptionKeys.some(({ length }) => length !== KEY_BYTES))
      throw new RangeError(
        `each of the encryptionKeys must have ${KEY_BYTES} bytes`,
      );
    this.maxBytes = maxValueBytes;
    this.#secrets = encryptionKeys.map((secret) => new Uint8Array(secret));
  }

  /** @throws RedisStoreError if a text is too large. */
  checkSize(text: string, what: string): void {
    // A code unit is at most three bytes.
    if (text.length * 3 <= this.maxBytes) return;
    const bytes = byteLength(text);
    if (bytes > this.maxBytes)
      throw new RedisStoreError(
        "too-large",
        `${what} of ${bytes} bytes is larger than maxValueBytes (${this.maxBytes})`,
      );
  }

  async encrypt(name: string, context: string, text: string): Promise<string> {
    if (this.#secrets.length === 0) return PLAIN + text;
    const [master] = await this.#masterKeys();
    if (master === undefined) return PLAIN + text;
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const sealed = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv, additionalData: associated(name, context) },
      await this.#keyFor(master, name),
      new TextEncoder().encode(text),
    );
    return `${ENCRYPTED}${master.id}.${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`;
  }

  /** @throws RedisStoreError if no key decrypts it, or it was stored for another place. */
  async decrypt(name: string, context: string, value: string): Promise<string> {
    if (value.startsWith(PLAIN)) {
      if (this.#secrets.length === 0) return value.slice(PLAIN.length);
      throw unreadable(
        "is not encrypted, but there are encryptionKeys: use another prefix for encrypted values",
      );
    }
    if (!value.startsWith(ENCRYPTED))
      throw unreadable("was not written by this store: use another prefix");
    if (this.#secrets.length === 0)
      throw unreadable("is encrypted, but there are no encryptionKeys");
    const [id, iv = "", sealed = ""] = value.slice(ENCRYPTED.length).split(".");
    const master = (await this.#masterKeys()).find((key) => key.id === id);
    if (master === undefined)
      throw unreadable("was encrypted with none of the encryptionKeys");
    try {
      const text = await crypto.subtle.decrypt(
        {
          name: "AES-GCM",
          iv: fromBase64(iv),
          additionalData: associated(name, context),
        },
        await this.#keyFor(master, name),
        fromBase64(sealed),
      );
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
    } catch (error) {
      throw unreadable("was changed, or moved from another key", error);
    }
  }

  #masterKeys(): Promise<readonly MasterKey[]> {
    return (this.#keys ??= Promise.all(this.#secrets.map(importMaster)));
  }

  #keyFor(master: MasterKey, name: string): Promise<ImportedKey> {
    const id = `${master.id}.${name}`;
    const known = this.#derived.get(id);
    // The map is in the order of use.
    this.#derived.delete(id);
    const key = known ?? deriveKey(master.key, name);
    this.#derived.set(id, key);
    if (this.#derived.size > MAX_DERIVED_KEYS)
      for (const oldest of this.#derived.keys()) {
        this.#derived.delete(oldest);
        break;
      }
    return key;
  }
}

/** The number of bytes of a text as UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function unreadable(what: string, cause?: unknown): RedisStoreError {
  return new RedisStoreError("unreadable", `A value in Redis ${what}`, {
    cause,
  });
}

function associated(name: string, context: string): Bytes {
  return new TextEncoder().encode(`${name}\n${context}`);
}

async function importMaster(secret: Bytes): Promise<MasterKey> {
  const labelled = new Uint8Array([
    ...new TextEncoder().encode("mcpgen key id "),
    ...secret,
  ]);
  const digest = new Uint8Array(
    await crypto.subtle.digest("SHA-256", labelled),
  );
  return {
    id: toBase64(digest.slice(0, 9)),
    key: await crypto.subtle.importKey("raw", secret, "HKDF", false, [
      "deriveKey",
    ]),
  };
}

function deriveKey(master: ImportedKey, name: string): Promise<ImportedKey> {
  return crypto.subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(0),
      info: new TextEncoder().encode(name),
    },
    master,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

/** Characters for which a call has room as arguments. */
const CHUNK = 0x2000;

function toBase64(bytes: Bytes): string {
  let text = "";
  for (let index = 0; index < bytes.length; index += CHUNK)
    text += String.fromCharCode(...bytes.subarray(index, index + CHUNK));
  return btoa(text);
}

function fromBase64(text: string): Bytes {
  const characters = atob(text);
  // `Uint8Array.from` takes seconds for some MiB.
  const bytes = new Uint8Array(characters.length);
  for (let index = 0; index < characters.length; index += 1)
    bytes[index] = characters.charCodeAt(index);
  return bytes;
}
