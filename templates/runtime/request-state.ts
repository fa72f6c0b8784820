/** What a server keeps between the rounds of a request, in the hands of the client. */
export interface RequestState {
  /** What the handler wants to find again. */
  readonly state: unknown;
  /** Answers of earlier rounds, by key: the client sends those of the last one only. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Whether the handler wrote the state as `requestState` of its result, and reads it there again. */
  readonly isOwn: boolean;
}

interface Payload extends RequestState {
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
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const DEFAULT_TTL = 15 * 60_000;

/**
 * Seals request state, so that what comes back is what was given out, for the same request, and not too long ago. Signed
 * with HMAC-SHA-256, not encrypted: the client can read it, and cannot change it. It can come more than once within its
 * time (MCP 2026-07-28, multi round-trip requests: what must happen once is the server's to guard).
 */
export class RequestStateSeal {
  readonly #ttl: number;
  readonly #secret: Bytes;
  #key: Promise<Key> | undefined;

  constructor({ secret, ttl = DEFAULT_TTL }: RequestStateOptions = {}) {
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
  async seal(
    method: string,
    params: object | undefined,
    { state, answers, isOwn }: RequestState,
    principal?: string,
  ): Promise<string> {
    const payload: Payload = {
      for: await fingerprint(method, params, principal),
      expires: Date.now() + this.#ttl,
      state,
      answers,
      isOwn,
    };
    const bytes = new TextEncoder().encode(JSON.stringify(payload));
    const signature = await crypto.subtle.sign(
      "HMAC",
      await this.#imported(),
      bytes,
    );
    return `${toBase64Url(bytes)}.${toBase64Url(new Uint8Array(signature))}`;
  }

  /** What was sealed, or undefined if it was not by us, not for this request and principal, or too long ago. */
  async open(
    token: string,
    method: string,
    params: object | undefined,
    principal?: string,
  ): Promise<RequestState | undefined> {
    const [body = "", signature = "", more] = token.split(".");
    const bytes = fromBase64Url(body);
    const signed = fromBase64Url(signature);
    if (bytes === undefined || signed === undefined || more !== undefined)
      return undefined;
    // `verify` compares in constant time.
    if (
      !(await crypto.subtle.verify(
        "HMAC",
        await this.#imported(),
        signed,
        bytes,
      ))
    )
      return undefined;
    const payload = JSON.parse(new TextDecoder().decode(bytes)) as Payload;
    const isForThis =
      payload.for === (await fingerprint(method, params, principal));
    return isForThis && Date.now() < payload.expires
      ? {
          state: payload.state,
          answers: payload.answers,
          isOwn: payload.isOwn,
        }
      : undefined;
  }

  #imported(): Promise<Key> {
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
  const salient = Object.entries(params ?? {}).filter(
    ([name]) => !PER_ROUND.has(name),
  );
  const text = JSON.stringify([
    method,
    sorted(Object.fromEntries(salient)),
    ...(principal === undefined ? [] : [principal]),
  ]);
  return toBase64Url(
    new Uint8Array(
      await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)),
    ),
  );
}

const PER_ROUND: ReadonlySet<string> = new Set([
  "_meta",
  "inputResponses",
  "requestState",
]);

/** A value with an order of its own: between two rounds a client may write members in another one. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return ["array", ...value.map(sorted)];
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return ["object", ...members.map(([name, member]) => [name, sorted(member)])];
}

/** Bytes that are turned into text at once; a call cannot have any number of arguments. */
const CHUNK = 8192;

function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
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
    for (let at = 0; at < decoded.length; at += 1)
      bytes[at] = decoded.charCodeAt(at);
    return bytes;
  } catch {
    return undefined;
  }
}
