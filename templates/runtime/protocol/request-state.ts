/** What a server keeps between the rounds of a request, in the hands of the client. */
export interface RequestState {
  /** What the handler wants to find again. */
  readonly state: unknown;
  /** Answers of earlier rounds, by key: the client sends those of the last one only. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Whether the handler wrote the state as `requestState` of its result, and reads it there again. */
  readonly isHandlerState: boolean;
}

interface SignedPayload extends RequestState {
  /** What the state was made for: another request must not come with it. */
  readonly for: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** How request state is protected. */
export interface RequestStateOptions {
  /**
   * Key of the signature, at least 16 bytes. By default a random one of this process; give one if several processes serve
   * the same clients, or a restart must not end their requests.
   */
  readonly secret?: string | Uint8Array | undefined;
  /** Milliseconds for which a state is accepted; 15 minutes by default. */
  readonly ttl?: number | undefined;
}

/** Bytes in a buffer of their own; newer compilers tell them apart from shared ones. */
type Bytes = ReturnType<Uint8ArrayConstructor["of"]>;

/** Its global name is known only where the types of a browser are. */
type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const DEFAULT_TTL_MS = 15 * 60_000;

/**
 * Seals request state, so that what comes back is what was given out, for the same request, and not too long ago. Signed
 * with HMAC-SHA-256, not encrypted: the client can read it, and cannot change it. It can come more than once within its
 * time (MCP 2026-07-28, multi round-trip requests: what must happen once is the server's to guard).
 */
export class RequestStateSigner {
  readonly #ttl: number;
  readonly #secret: Bytes;
  #key: Promise<HmacKey> | undefined;

  constructor({ secret, ttl = DEFAULT_TTL_MS }: RequestStateOptions = {}) {
    this.#ttl = ttl;
    this.#secret =
      secret === undefined
        ? crypto.getRandomValues(new Uint8Array(32))
        : typeof secret === "string"
          ? new TextEncoder().encode(secret)
          : new Uint8Array(secret);
    if (this.#secret.length < 16)
      throw new RangeError(
        "the secret of request state must have 16 bytes at least",
      );
  }

  /**
   * @param method - The request's method.
   * @param params - Its params.
   * @param principal - On whose behalf it is made, where the transport knows: nobody else can come back with the state.
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
    const signature = await crypto.subtle.sign(
      "HMAC",
      await this.#hmacKey(),
      bytes,
    );
    return `${toBase64Url(bytes)}.${toBase64Url(new Uint8Array(signature))}`;
  }

  /** What was sealed, or undefined if it was not by us, not for this request and principal, or too long ago. */
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
    // `verify` compares in constant time.
    if (
      !(await crypto.subtle.verify(
        "HMAC",
        await this.#hmacKey(),
        signatureBytes,
        bytes,
      ))
    )
      return undefined;
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

  #hmacKey(): Promise<HmacKey> {
    this.#key ??= crypto.subtle.importKey(
      "raw",
      this.#secret,
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign", "verify"],
    );
    return this.#key;
  }
}

/** What a request is, apart from what a round adds. */
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

/** A value with an order of its own: between two rounds a client may write members in another one. */
function toCanonical(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return ["array", ...value.map(toCanonical)];
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    "object",
    ...members.map(([name, member]) => [name, toCanonical(member)]),
  ];
}

/** Bytes that are turned into text at once; a call cannot have any number of arguments. */
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
    // Not `Uint8Array.from`, which takes seconds for a forged state as long as a message may be.
    for (let index = 0; index < decoded.length; index += 1)
      bytes[index] = decoded.charCodeAt(index);
    return bytes;
  } catch {
    return undefined;
  }
}
