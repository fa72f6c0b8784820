import {
  allowInsecureRequests,
  customFetch,
  DPoP,
  generateKeyPair,
  modifyAssertion,
  protectedResourceRequest,
} from "oauth4webapi";
import type { CryptoKeyPair, DPoPHandle } from "oauth4webapi";

/** Signature algorithms to choose from, the most common first. */
const ALGORITHMS = ["ES256", "ES384", "ES512", "Ed25519", "PS256", "RS256"];

/** A key in the form that is stored. */
export interface StoredKey {
  readonly algorithm: string;
  readonly privateKey: object;
  readonly publicKey: object;
}

/** Makes proofs that the client has a key (RFC 9449). */
export class ProofMaker {
  /** For requests to authorization servers. */
  readonly handle: DPoPHandle;
  /** The latest nonce of each MCP server, by origin; one, since a provider keeps a maker for each server. */
  readonly #nonces = new Map<string, string>();

  constructor(keys: CryptoKeyPair) {
    this.handle = DPoP({}, keys, {
      [modifyAssertion]: (_, payload) => {
        const nonce =
          typeof payload["htu"] === "string" && payload["ath"] !== undefined
            ? this.#nonces.get(new URL(payload["htu"]).origin)
            : undefined;
        if (nonce !== undefined) payload["nonce"] = nonce;
      },
    });
  }

  /** Sets the headers of a request to an MCP server (RFC 9449, section 7). */
  async authorize(
    {
      method,
      url,
      token,
    }: { readonly method: string; readonly url: URL; readonly token: string },
    headers: Headers,
  ): Promise<void> {
    // The library signs requests as it makes them; this one is made by the transport.
    await protectedResourceRequest(token, method, url, undefined, undefined, {
      DPoP: this.handle,
      [allowInsecureRequests]: true,
      [customFetch]: (_, init) => {
        for (const name of ["authorization", "dpop"])
          headers.set(name, init.headers[name] ?? "");
        return Promise.resolve(new Response());
      },
    });
  }

  /** Remembers the nonce of a response. Returns whether the request has to be repeated with it (RFC 9449, section 9). */
  readNonce(url: URL, response: Response): boolean {
    const nonce = response.headers.get("dpop-nonce");
    if (nonce === null || nonce === "") return false;
    const isNew = this.#nonces.get(url.origin) !== nonce;
    this.#nonces.set(url.origin, nonce);
    return (
      isNew &&
      response.status === 401 &&
      /\bdpop\b[^]*\berror\s*=\s*"?use_dpop_nonce\b/i.test(
        response.headers.get("www-authenticate") ?? "",
      )
    );
  }
}

/** The proof maker of one MCP server. */
export class Proofs {
  readonly #option: boolean | CryptoKeyPair;
  #maker: ProofMaker | undefined;
  #keyName: string | undefined;

  constructor(option: boolean | CryptoKeyPair) {
    this.#option = option;
  }

  get areWanted(): boolean {
    return this.#option !== false;
  }

  /** The one in use. */
  get current(): ProofMaker | undefined {
    return this.#maker;
  }

  /** A new key for tokens; undefined if the caller has one, which is not stored, or tokens are not bound. */
  async createKey(
    supported: readonly string[] | undefined,
  ): Promise<StoredKey | undefined> {
    return this.#option === true ? createKey(supported) : undefined;
  }

  /** The maker for a key, or that of the caller; undefined if tokens are not bound. */
  async for(key: StoredKey | undefined): Promise<ProofMaker | undefined> {
    if (this.#option === false) return undefined;
    const name = JSON.stringify(key?.publicKey ?? null);
    // One maker for each key, since it remembers nonces.
    if (this.#maker !== undefined && this.#keyName === name) return this.#maker;
    if (this.#option !== true) this.#maker = new ProofMaker(this.#option);
    else if (key !== undefined)
      this.#maker = new ProofMaker(await importKeyPair(key));
    this.#keyName = name;
    return this.#maker;
  }
}

/** Makes a key pair for a server, in the form that is stored. */
async function createKey(
  supported: readonly string[] | undefined,
): Promise<StoredKey> {
  const algorithm =
    ALGORITHMS.find((name) => supported?.includes(name) ?? true) ?? "ES256";
  const { privateKey, publicKey } = await generateKeyPair(algorithm, {
    extractable: true,
  });
  return {
    algorithm,
    privateKey: await crypto.subtle.exportKey("jwk", privateKey),
    publicKey: await crypto.subtle.exportKey("jwk", publicKey),
  };
}

/** The key pair that {@link createKey} made. */
async function importKeyPair(key: StoredKey): Promise<CryptoKeyPair> {
  const read = (jwk: object, usage: "sign" | "verify") =>
    crypto.subtle.importKey(
      "jwk",
      jwk,
      importParameters(key.algorithm),
      usage === "verify",
      [usage],
    );
  return {
    privateKey: await read(key.privateKey, "sign"),
    publicKey: await read(key.publicKey, "verify"),
  };
}

function importParameters(
  algorithm: string,
): Parameters<typeof crypto.subtle.importKey>[2] {
  switch (algorithm) {
    case "PS256":
      return { name: "RSA-PSS", hash: "SHA-256" };
    case "RS256":
      return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    case "Ed25519":
      return { name: "Ed25519" };
    default:
      return {
        name: "ECDSA",
        namedCurve: `P-${algorithm === "ES512" ? "521" : algorithm.slice(2)}`,
      };
  }
}
