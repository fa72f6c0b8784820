import { ClientSecretPost, None, PrivateKeyJwt } from "oauth4webapi";
import type { ClientAuth, CryptoKey } from "oauth4webapi";
import type { Flow } from "./flow.js";
import type { ServerMetadata } from "./metadata.js";
import type { OAuthClient } from "./options.js";

/** A client as an authorization server knows it. */
export interface RegisteredClient {
  readonly id: string;
  /** Issued by dynamic registration, unlike that of the options. */
  readonly secret?: string;
  /** Seconds since 1970; 0 if the secret does not expire. */
  readonly secretExpiresAt?: number;
  /** How it authenticates, as registered. */
  readonly method?: string;
  /** The URI that a registration is for. */
  readonly redirectUri?: string;
  readonly origin: "options" | "metadata document" | "registration";
}

/** A PKCS #8 key does not say for which algorithm WebCrypto may use it. */
const KEY_ALGORITHMS = [
  { name: "ECDSA", namedCurve: "P-256" },
  { name: "ECDSA", namedCurve: "P-384" },
  { name: "ECDSA", namedCurve: "P-521" },
  { name: "Ed25519" },
  { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
] as const;

/**
 * How a client authenticates at the token endpoint.
 *
 * @throws UnauthorizedError if the server supports no method that the client can use.
 */
export async function clientAuth(
  flow: Flow,
  metadata: ServerMetadata,
  options: OAuthClient,
  client: RegisteredClient,
): Promise<ClientAuth> {
  const secret =
    client.secret ?? (client.origin === "options" ? options.secret : undefined);
  const method =
    client.method ??
    options.authMethod ??
    chooseMethod(metadata, options, secret);
  if (method === "private_key_jwt" && options.privateKey !== undefined)
    return PrivateKeyJwt({
      key: await importKey(flow, options.privateKey),
      ...(options.keyId === undefined ? {} : { kid: options.keyId }),
    });
  if (method === "none" || secret === undefined) return None();
  if (method === "client_secret_post") return ClientSecretPost(secret);
  if (method === "client_secret_basic") return basicAuth(secret);
  throw flow.fail(
    "client authentication",
    `the authorization server supports ${metadata.token_endpoint_auth_methods_supported?.join(", ").slice(0, 200) ?? "no known method"}`,
    "none of which the client can use with its credentials",
  );
}

/**
 * Basic authentication with a secret. Unlike the library's, it leaves characters such as "-" as they are, which the form
 * encoding of RFC 6749, section 2.3.1 allows: many servers do not decode.
 */
export function basicAuth(secret: string): ClientAuth {
  const encode = (text: string): string =>
    new URLSearchParams({ _: text }).toString().slice("_=".length);
  return (_, client, __, headers) => {
    headers.set(
      "authorization",
      `Basic ${btoa(`${encode(client.client_id)}:${encode(secret)}`)}`,
    );
  };
}

/** The method for credentials; the default of servers that list none is Basic (RFC 8414, section 2). */
export function chooseMethod(
  metadata: ServerMetadata,
  options: OAuthClient,
  secret: string | undefined,
): string {
  if (options.privateKey !== undefined) return "private_key_jwt";
  if (secret === undefined) return "none";
  const supported = metadata.token_endpoint_auth_methods_supported ?? [
    "client_secret_basic",
  ];
  return (
    ["client_secret_basic", "client_secret_post", "none"].find((name) =>
      supported.includes(name),
    ) ?? ""
  );
}

async function importKey(
  flow: Flow,
  key: CryptoKey | string,
): Promise<CryptoKey> {
  if (typeof key !== "string") return key;
  const [, body] =
    /-----BEGIN PRIVATE KEY-----([\s\S]+?)-----END PRIVATE KEY-----/.exec(
      key,
    ) ?? [];
  if (body !== undefined) {
    for (const algorithm of KEY_ALGORITHMS) {
      try {
        const bytes = Uint8Array.from(atob(body.replace(/\s/g, "")), (char) =>
          char.charCodeAt(0),
        );
        return await crypto.subtle.importKey("pkcs8", bytes, algorithm, false, [
          "sign",
        ]);
      } catch {
        // It is a key of another algorithm, or damaged.
      }
    }
  }
  throw flow.fail(
    "client authentication",
    "client.privateKey is not a private key",
    "pass a CryptoKey, or PKCS #8 in PEM: BEGIN PRIVATE KEY",
  );
}
