import type { CryptoKey, CryptoKeyPair } from "oauth4webapi";
import type { AuthProvider, Fetch } from "../http/client/auth.js";
import type { OAuthStore } from "./store.js";

/**
 * Who the client is at the authorization server. Ways that are given are tried in the order of the specification: a
 * registered `id`, then `metadataUrl` if the server supports it, then `registration` (MCP 2025-11-25 and 2026-07-28,
 * client registration).
 */
export interface OAuthClient {
  /** The id of a client that is registered at the authorization server. */
  readonly id?: string | undefined;
  /**
   * The issuer of the authorization server at which `id` is registered. Other servers receive neither `id` nor secret.
   * Without it, the client is bound to the first authorization server that the MCP server names.
   */
  readonly issuer?: string | undefined;
  readonly secret?: string | undefined;
  /** How `secret` is sent, if the client is registered for one way only; by default what the server supports. */
  readonly authMethod?:
    "client_secret_basic" | "client_secret_post" | undefined;
  /** Authenticates the client with signed JWTs (`private_key_jwt`): a private key, or PKCS #8 in PEM. */
  readonly privateKey?: CryptoKey | string | undefined;
  /** The `kid` of `privateKey` in the client's key set. */
  readonly keyId?: string | undefined;
  /** The https URL of the client ID metadata document, with a path. */
  readonly metadataUrl?: string | undefined;
  /** How to register where the server supports dynamic registration (RFC 7591). */
  readonly registration?: ClientRegistration | undefined;
}

/** What a client registers with (RFC 7591, section 2). */
export interface ClientRegistration {
  /** Shown to users when they authorize the client. */
  readonly name: string;
  /** A page about the client. */
  readonly uri?: string | undefined;
  /** By default `native` if the redirect leads to this machine or to an app, else `web`. */
  readonly applicationType?: "native" | "web" | undefined;
  /** Further metadata, such as `logo_uri`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** How a user authorizes the client. */
export interface OAuthRedirect {
  /** The redirect URI: https, on this machine, or with the scheme of an app. */
  readonly url: string | URL;
  /**
   * Sends the user to the authorization server.
   *
   * @returns The URL of the redirect back or its parameters, or undefined if the program comes back later with
   *   `provider.finish`.
   */
  open(
    authorizationUrl: URL,
  ):
    | URL
    | URLSearchParams
    | undefined
    | Promise<URL | URLSearchParams | undefined>;
  /** Called when the flow no longer needs the redirect, however it ends. */
  close?(): void | Promise<void>;
}

/** What an assertion has to be made for. */
export interface AssertionContext {
  /** The issuer of the authorization server: the audience of the assertion. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** The MCP server, as its metadata names it. */
  readonly resource: string;
  /** Requested scopes; undefined if any will do. */
  readonly scope: string | undefined;
  /** The option `fetch`, or the platform's. It checks no addresses: they are those that the caller chooses. */
  readonly fetch: Fetch;
}

/**
 * Exchanges an assertion that another party has signed for a token (RFC 7523, section 2.1), as enterprise-managed
 * authorization and workload identity federation do.
 */
export interface JwtBearerGrant {
  readonly type: "jwt-bearer";
  /** Returns a JWT for each token that is requested. */
  assertion(context: AssertionContext): string | Promise<string>;
}

/** How tokens are obtained. */
export type OAuthGrant =
  "authorization_code" | "client_credentials" | JwtBearerGrant;

/** How a client obtains tokens. */
export interface OAuthOptions {
  readonly client: OAuthClient;
  /**
   * Scopes to request in addition to those of the server's challenges. Without them, all that the metadata of the server
   * lists are requested if a challenge names none (MCP 2026-07-28, scope selection strategy).
   */
  readonly scopes?: readonly string[] | undefined;
  /** `authorization_code` by default, which needs `redirect`. */
  readonly grant?: OAuthGrant | undefined;
  /** How a user authorizes. A function is called for each authorization, such as to listen on a port. */
  readonly redirect?:
    OAuthRedirect | (() => OAuthRedirect | Promise<OAuthRedirect>) | undefined;
  /**
   * Whether to bind tokens to a key (DPoP, RFC 9449), so that a stolen token is useless. With true, the key is made and
   * stored with the tokens; a key pair of the caller is not stored.
   */
  readonly dpop?: boolean | CryptoKeyPair | undefined;
  /** Where tokens and registrations are stored; in memory by default. */
  readonly store?: OAuthStore | undefined;
  /** Allows addresses as the option of the transport does, in addition to it. */
  readonly allowsAuthUrl?: ((url: URL) => boolean) | undefined;
  /** Used by `finish` in a program that has not connected; by default the platform's. */
  readonly fetch?: Fetch | undefined;
}

/** The `authProvider` of an HTTP client. It may be shared by transports to several servers. */
export interface OAuthProvider extends AuthProvider {
  /**
   * Completes an authorization for which `redirect.open` returned undefined, possibly in another process with the same
   * store; then connect again.
   *
   * @param answer - The URL of the redirect back, or its parameters.
   * @throws UnauthorizedError if the answer is not one to a request of this client, or the server issues no token.
   */
  finish(answer: URL | URLSearchParams): Promise<void>;
  /** Forgets the tokens for a server, so that the next request asks the user again. */
  forget(serverUrl: string | URL): Promise<void>;
}
