/** The state that a server keeps between the rounds of a request; the client carries it. */
export interface RequestState {
  /** The handler's own data. */
  readonly state: unknown;
  /** Answers of earlier rounds, by key: the client sends only those of the last one. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Whether the handler set the state as `requestState` of its result, and reads it there again. */
  readonly isHandlerState: boolean;
}

interface SignedPayload extends RequestState {
  /** The request that the state was issued for: no other request may use it. */
  readonly for: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Options for the protection of request state. */
export interface RequestStateOptions {
  /**
   * The key of the signature, at least 16 bytes. Random for each process by default; set one if several processes serve
   * the same clients, or if requests must survive a restart.
   *
   * To replace a key, pass several: the first one signs, and all of them verify. Add the new one as the last everywhere,
   * then move it to the front, and remove the old one after `ttl`.
   */
  readonly secret?:
    string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** Milliseconds for which a state is valid; 15 minutes by default. */
  readonly ttl?: number | undefined;
}

/** Bytes in an unshared buffer; newer compilers distinguish these from shared ones. */
type Bytes = ReturnType<Uint8ArrayConstructor["of"]>;

/** Its global name exists only in the typings of browsers. */
type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const DEFAULT_TTL_MS = 15 * 60_000;

/**
 * Signs request state with HMAC-SHA-256, so that the server accepts only unchanged state that it issued recently for
 * the same request. The state is not encrypted: the client can read it. A client can send it more than once while it is
 * valid (MCP 2026-07-28, multi round-trip requests: the server itself must guard what may happen only once).
 */
export class RequestStateSigner {
  readonly #ttl: number;
  /** The first one signs. */
  readonly #secrets: readonly [Bytes, ...Bytes[]];
  #keys: Promise<readonly [HmacKey, ...HmacKey[]]> | undefined;

  constructor({ secret, ttl = DEFAULT_TTL_MS }: RequestStateOptions = {}) {
    this.#ttl = ttl;
    const secrets =
      typeof secret === "string" || secret instanceof Uint8Array
        ? [secret]
        : (secret ?? [crypto.getRandomValues(new Uint8Array(32))]);
    const [first, ...others] = secrets.map((item) =>
      typeof item === "string"
        ? new TextEncoder().encode(item)
        : new Uint8Array(item),
    );
    if (first === undefined)
      throw new RangeError(
        "the list of secrets of request state is empty: pass at least one",
      );
    this.#secrets = [first, ...others];
    if (this.#secrets.some(({ length }) => length < 16))
      throw new RangeError(
        "the secret of request state must have at least 16 bytes",
      );
  }

  /**
   * @param method - The request's method.
   * @param params - The request's params.
   * @param principal - The sender, if the transport knows it: nobody else can use the state.
   * @returns An opaque string.
   */
  async sign(
    method: string,
    params: object | undefined,
    { state, answers, isHandlerState }: RequestState,
    principal?: string,
  ): Promise<string> {
    const payload: SignedPayload = {
      for: await fingerprint(method, params, principal),
      expires: Date.now() + this.#ttl,
      state,
      answers,
      isHandlerState,
    };
    const bytes = new TextEncoder().encode(JSON.stringify(payload));
    const [key] = await this.#hmacKeys();
    const signature = await crypto.subtle.sign("HMAC", key, bytes);
    return `${toBase64Url(bytes)}.${toBase64Url(new Uint8Array(signature))}`;
  }

  /** The verified state, or undefined if it is forged, expired, or issued for another request or principal. */
  async verify(
    token: string,
    method: string,
    params: object | undefined,
    principal?: string,
  ): Promise<RequestState | undefined> {
    const [body = "", signature = "", extra] = token.split(".");
    const bytes = fromBase64Url(body);
    const signatureBytes = fromBase64Url(signature);
    if (
      bytes === undefined ||
      signatureBytes === undefined ||
      extra !== undefined
    )
      return undefined;
    if (!(await this.#isSigned(bytes, signatureBytes))) return undefined;
    const payload = JSON.parse(
      new TextDecoder().decode(bytes),
    ) as SignedPayload;
    const isForThis =
      payload.for === (await fingerprint(method, params, principal));
    return isForThis && Date.now() < payload.expires
      ? {
          state: payload.state,
          answers: payload.answers,
          isHandlerState: payload.isHandlerState,
        }
      : undefined;
  }

  async #isSigned(bytes: Bytes, signature: Bytes): Promise<boolean> {
    for (const key of await this.#hmacKeys()) {
      // Compares in constant time.
      if (await crypto.subtle.verify("HMAC", key, signature, bytes))
        return true;
    }
    return false;
  }

  #hmacKeys(): Promise<readonly [HmacKey, ...HmacKey[]]> {
    const [first, ...others] = this.#secrets;
    this.#keys ??= Promise.all([
      importHmacKey(first),
      ...others.map(importHmacKey),
    ]);
    return this.#keys;
  }
}

function importHmacKey(secret: Bytes): Promise<HmacKey> {
  return crypto.subtle.importKey(
    "raw",
    secret,
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign", "verify"],
  );
}

/** The identity of a request: everything except what a round adds. */
async function fingerprint(
  method: string,
  params: object | undefined,
  principal: string | undefined,
): Promise<string> {
  const stableParams = Object.entries(params ?? {}).filter(
    ([name]) => !PER_ROUND_PARAMS.has(name),
  );
  const text = JSON.stringify([
    method,
    toCanonical(Object.fromEntries(stableParams)),
    ...(principal === undefined ? [] : [principal]),
  ]);
  return toBase64Url(
    new Uint8Array(
      await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)),
    ),
  );
}

const PER_ROUND_PARAMS: ReadonlySet<string> = new Set([
  "_meta",
  "inputResponses",
  "requestState",
]);

/** A value with sorted members: a client may change their order between two rounds. */
function toCanonical(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return ["array", ...value.map(toCanonical)];
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    "object",
    ...members.map(([name, member]) => [name, toCanonical(member)]),
  ];
}

/** Bytes converted to text at once, since the number of arguments of a call is limited. */
const BASE64_CHUNK_BYTES = 8192;

function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length; index += BASE64_CHUNK_BYTES)
    text += String.fromCharCode(
      ...bytes.subarray(index, index + BASE64_CHUNK_BYTES),
    );
  return btoa(text)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function fromBase64Url(text: string): Bytes | undefined {
  if (text === "" || !/^[\w-]+$/.test(text)) return undefined;
  try {
    const decoded = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = new Uint8Array(decoded.length);
    // Not `Uint8Array.from`, which takes seconds for a forged state of maximum length.
    for (let index = 0; index < decoded.length; index += 1)
      bytes[index] = decoded.charCodeAt(index);
    return bytes;
  } catch {
    return undefined;
  }
}
