import type { HeaderFields, HttpCall } from "./call.js";

/** The identity of a request's sender. */
export interface Auth {
  /**
   * Identifies the sender, always in the same way, such as the `sub` of a token. Sessions and request states are bound
   * to it.
   */
  readonly principal: string;
  /** The scopes that the token was granted. */
  readonly scopes?: readonly string[] | undefined;
  /** When the token expires; seconds since 1970, as `exp` of a JWT. */
  readonly expiresAt?: number | undefined;
  /** The audience of the token, as `aud` of a JWT. If present, it must include the resource of the metadata. */
  readonly audience?: string | readonly string[] | undefined;
}

/** The document that names authorization servers to clients (RFC 9728, 2). */
export interface ResourceMetadata {
  /** The canonical URI of the server, as clients know it. */
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly resource_name?: string;
  readonly resource_documentation?: string;
  readonly [member: string]: unknown;
}

/** A message to authorize. */
export interface AuthorizedMessage {
  readonly method: string;
  readonly params?: object | undefined;
}

/** How requests are authorized (MCP, Authorization): the server is an OAuth 2.1 resource server. */
export interface Authorization<A extends Auth = Auth> {
  /**
   * Verifies an access token: signature, issuer, and that it was issued for this server.
   *
   * @returns The identity, or undefined if the token is invalid. An error that it throws also counts as invalid, and so
   *   does an invalid identity, such as one without a principal or with an `expiresAt` that is not a number; both are
   *   reported as events.
   */
  readonly verify: (
    token: string,
    call: HttpCall,
  ) => A | undefined | Promise<A | undefined>;
  /** Served at the well-known paths, and named in challenges. */
  readonly metadata?: ResourceMetadata | undefined;
  /** The scopes that a request needs: always the same, or depending on its message. */
  readonly scopes?:
    | readonly string[]
    | ((message: AuthorizedMessage) => readonly string[])
    | undefined;
}

/** Why a request is not authorized. */
export interface AuthChallenge {
  readonly status: 400 | 401 | 403;
  readonly headers: HeaderFields;
  readonly reason: string;
}

/** The result of authenticating a request. */
export type AuthenticationResult<A> =
  | { readonly auth: A; readonly challenge?: undefined }
  | { readonly auth?: undefined; readonly challenge: AuthChallenge };

const WELL_KNOWN_PATH = "/.well-known/oauth-protected-resource";
const BEARER = /^Bearer +([\w\-.~+/]+=*) *$/i;

/**
 * Authorizes requests by their bearer token (RFC 6750).
 *
 * A result with `auth` passed every check of the token: valid, not expired, issued for this resource.
 * `#metadataUrl` and `#metadataDocument` are both set or both undefined.
 */
export class Authenticator<A extends Auth = Auth> {
  readonly #options: Authorization<A>;
  readonly #onFailure: (error: unknown) => void;
  /** The URL of the metadata by RFC 9728, 3.1; undefined without metadata. */
  readonly #metadataUrl: URL | undefined;
  readonly #metadataDocument: string | undefined;

  /** @throws TypeError if the resource of the metadata is not an absolute URL, or the scopes are invalid. */
  constructor(options: Authorization<A>, onFailure: (error: unknown) => void) {
    this.#options = options;
    this.#onFailure = onFailure;
    if (options.scopes !== undefined && typeof options.scopes !== "function")
      scopesOf(options.scopes);
    const { metadata } = options;
    if (metadata === undefined) return;
    this.#metadataDocument = JSON.stringify({
      bearer_methods_supported: ["header"],
      ...metadata,
    });
    const url = new URL(metadata.resource);
    url.pathname = WELL_KNOWN_PATH + (url.pathname === "/" ? "" : url.pathname);
    url.hash = "";
    this.#metadataUrl = url;
  }

  /** The metadata document, if it is served at the path. */
  metadataDocumentAt(path: string): string | undefined {
    return path === WELL_KNOWN_PATH || path === this.#metadataUrl?.pathname
      ? this.#metadataDocument
      : undefined;
  }

  /** The identity of a request's sender, or the challenge to respond with (RFC 6750, 3). */
  async authenticate(call: HttpCall): Promise<AuthenticationResult<A>> {
    const header = call.header("authorization");
    if (header === undefined) return this.#refuse("the request has no token");
    const token = BEARER.exec(header)?.[1];
    if (token === undefined)
      return this.#refuse(
        "Authorization is not a bearer token",
        "invalid_request",
      );
    let auth: A | undefined;
    try {
      auth = await this.#options.verify(token, call);
      const fault =
        auth === undefined ? undefined : invalidPrincipalReason(auth);
      if (fault !== undefined) {
        auth = undefined;
        this.#onFailure(
          new TypeError(`authorize.verify returned no identity: ${fault}`),
        );
      }
    } catch (error) {
      auth = undefined;
      this.#onFailure(error);
    }
    if (auth === undefined)
      return this.#refuse("the token is not valid", "invalid_token");
    const { expiresAt, audience } = auth;
    if (expiresAt !== undefined && expiresAt * 1000 <= Date.now())
      return this.#refuse("the token has expired", "invalid_token");
    const resource = this.#options.metadata?.resource;
    const isForUs =
      audience === undefined ||
      resource === undefined ||
      [audience].flat().some((item) => isSameResource(item, resource));
    return isForUs
      ? { auth }
      : this.#refuse("the token is for another resource", "invalid_token");
  }

  /** The challenge if the token does not cover the scopes that the messages need. */
  missingScopes(
    auth: A,
    messages: readonly AuthorizedMessage[],
  ): AuthChallenge | undefined {
    const { scopes } = this.#options;
    if (scopes === undefined) return undefined;
    const needed = new Set(
      typeof scopes === "function"
        ? messages.flatMap((message) => scopesOf(scopes(message)))
        : scopes,
    );
    const granted = new Set(auth.scopes);
    if ([...needed].every((scope) => granted.has(scope))) return undefined;
    return this.#challenge(
      403,
      "the token does not have the required scope",
      "insufficient_scope",
      [...needed],
    );
  }

  #refuse(reason: string, error?: string): AuthenticationResult<A> {
    const { scopes, metadata } = this.#options;
    const asked =
      typeof scopes === "function" || scopes === undefined
        ? metadata?.scopes_supported
        : scopes;
    return {
      challenge: this.#challenge(
        error === "invalid_request" ? 400 : 401,
        reason,
        error,
        asked,
      ),
    };
  }

  #challenge(
    status: AuthChallenge["status"],
    reason: string,
    error: string | undefined,
    scopes: readonly string[] | undefined,
  ): AuthChallenge {
    const parts = [
      ...(error === undefined
        ? []
        : [`error="${error}"`, `error_description="${reason}"`]),
      ...(scopes === undefined || scopes.length === 0
        ? []
        : [`scope="${scopes.map(sanitizeScope).join(" ")}"`]),
      ...(this.#metadataUrl === undefined
        ? []
        : [`resource_metadata="${this.#metadataUrl.href}"`]),
    ];
    const value = parts.length === 0 ? "Bearer" : `Bearer ${parts.join(", ")}`;
    return { status, reason, headers: { "www-authenticate": value } };
  }
}

/** Why the result of a hook is not an identity; undefined if it is one. */
function invalidPrincipalReason(auth: unknown): string | undefined {
  if (typeof auth !== "object" || auth === null || Array.isArray(auth))
    return "it is not an object";
  const { principal, scopes, expiresAt, audience } = auth as Readonly<
    Record<keyof Auth, unknown>
  >;
  if (typeof principal !== "string" || principal === "")
    return "principal must be a non-empty string";
  if (scopes !== undefined && !isStringArray(scopes))
    return "scopes must be an array of strings";
  if (expiresAt !== undefined && !Number.isFinite(expiresAt))
    return "expiresAt must be a finite number of seconds";
  if (
    audience !== undefined &&
    typeof audience !== "string" &&
    !isStringArray(audience)
  )
    return "audience must be a string or an array of strings";
  return undefined;
}

/** @throws TypeError if they are not scopes. */
function scopesOf(scopes: unknown): readonly string[] {
  if (isStringArray(scopes)) return scopes;
  throw new TypeError(
    "authorize.scopes must be, or return, an array of strings",
  );
}

function isStringArray(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.every((item) => typeof item === "string")
  );
}

/** A scope by RFC 6749, 3.3, without characters that could end its quotes. */
function sanitizeScope(scope: string): string {
  return scope.replaceAll(/[^!#-[\]-~]/g, "");
}

/** Whether two URIs identify the same resource, ignoring a slash at the end. */
function isSameResource(a: string, b: string): boolean {
  return a.replace(/\/$/, "") === b.replace(/\/$/, "");
}
