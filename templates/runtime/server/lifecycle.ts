/** Chooses the revision for a request, and implements the lifecycle of stateful revisions. */
import {
  META_KEYS,
  STATELESS_ERROR_CODES,
  maySend,
  methodNotFoundError,
  newestRevision,
  truncate,
  versionOf,
} from "../protocol/revision.js";
import type { Implementation, Revision } from "../protocol/revision.js";
import { PING } from "../protocol/version-rules.js";
import { metaOf, paramsOf } from "../jsonrpc/envelope.js";
import type { UnknownObject } from "../jsonrpc/envelope.js";
import { RpcError } from "../jsonrpc/error-codes.js";
import { invalidRequestError } from "../jsonrpc/handler-errors.js";
import type { Request } from "../jsonrpc/message.js";
import type { SavedSession } from "./saved-session.js";
import type { ClientInfo } from "./types.js";

/**
 * The stateful revision is undefined until `initialize` is answered, and does not change after that.
 * Requests of a stateless revision name theirs in `_meta`; they neither read nor change the state.
 */
export class SessionLifecycle {
  #stateful: readonly Revision[];
  #stateless: readonly Revision[];
  #fallback: Revision;
  #revision: Revision | undefined;
  #client: ClientInfo = { info: undefined, capabilities: {} };
  #isInitialized = false;

  /**
   * @param negotiatedVersion - The revision of the whole connection, if the transport knows it.
   * @throws RangeError if the server does not support it.
   */
  constructor(revisions: readonly Revision[], negotiatedVersion?: string) {
    this.#stateful = revisions.filter(({ isStateless }) => !isStateless);
    this.#stateless = revisions.filter(({ isStateless }) => isStateless);
    this.#fallback = newestRevision(revisions);
    if (negotiatedVersion === undefined) return;
    const revision = revisions.find(
      ({ version }) => version === negotiatedVersion,
    );
    if (revision === undefined)
      throw new RangeError(
        `this server does not support ${truncate(negotiatedVersion)}`,
      );
    this.#fallback = revision;
    if (revision.isStateless) this.#stateful = [];
    else {
      this.#stateless = [];
      this.#revision = revision;
      this.#isInitialized = true;
    }
  }

  /** The revision of a stateful session; undefined before `initialize`. */
  get revision(): Revision | undefined {
    return this.#revision;
  }

  /** What the client sent in `initialize`. */
  get client(): ClientInfo {
    return this.#client;
  }

  /** Whether the client of a stateful session has confirmed `initialize`. */
  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  /** The revision whose envelope rules apply to the next message. */
  get envelopeRevision(): Revision {
    return this.#revision ?? this.#fallback;
  }

  /** The revision of notifications; undefined before `initialize` if the server supports no stateless one. */
  get notificationRevision(): Revision | undefined {
    if (this.#revision !== undefined || this.#stateless.length === 0)
      return this.#revision;
    return newestRevision(this.#stateless);
  }

  get statelessVersions(): readonly string[] {
    return this.#stateless.map(versionOf);
  }

  /**
   * The revision of a request; before a session exists, `initialize` and `ping` are returned by name.
   *
   * @throws RpcError if the server does not support its revision, or it comes at the wrong time (MCP, lifecycle).
   */
  resolve(
    request: Request,
    isStrict: boolean,
  ): Revision | "initialize" | typeof PING {
    const version = metaOf(request)?.[META_KEYS.VERSION];
    if (version !== undefined && this.#stateless.length > 0)
      return this.#statelessRevision(version);
    if (this.#revision === undefined) return this.#beforeInitialize(request);
    const { method } = request;
    if (method === "initialize")
      throw invalidRequest("the session is initialized already");
    if (isStrict && !this.#isInitialized && method !== PING)
      throw invalidRequest(
        `${truncate(method)} before notifications/initialized`,
      );
    return this.#revision;
  }

  #statelessRevision(version: unknown): Revision {
    // A version that is not a string makes the params invalid, and validating them reports that.
    if (typeof version !== "string") return newestRevision(this.#stateless);
    const revision = this.#stateless.find((item) => item.version === version);
    if (revision === undefined) throw this.#unsupportedVersion(version);
    return revision;
  }

  /** MCP, lifecycle: before `initialize` only that and `ping` are allowed. */
  #beforeInitialize(request: Request): Revision | "initialize" | typeof PING {
    const { method } = request;
    if (this.#stateful.length === 0) {
      // An older client shows its user only this message.
      if (method === "initialize") {
        const { protocolVersion } = paramsOf(request);
        throw this.#unsupportedVersion(
          typeof protocolVersion === "string" ? protocolVersion : "unknown",
        );
      }
      return newestRevision(this.#stateless);
    }
    if (method === "initialize" || method === PING) return method;
    const knows = (revision: Revision): boolean =>
      maySend(revision, "client", "request", method);
    if (this.#stateful.some(knows))
      throw invalidRequest(`${method} before initialize`);
    const only = this.#stateless.find(knows);
    if (only === undefined) throw methodNotFoundError(method);
    return only;
  }

  /** MCP, version negotiation: the requested version if the server supports it, otherwise the newest. */
  choose(requested: unknown): Revision {
    return (
      this.#stateful.find(({ version }) => version === requested) ??
      newestRevision(this.#stateful)
    );
  }

  /** Starts the stateful session. */
  initialize(revision: Revision, params: UnknownObject): void {
    this.#revision = revision;
    this.#client = {
      info: params["clientInfo"] as Implementation | undefined,
      capabilities: params["capabilities"] as object,
    };
  }

  /**
   * Goes on with a stateful session.
   *
   * @throws RangeError if the server does not support its revision.
   */
  restore({ revision: version, client, isInitialized }: SavedSession): void {
    const revision = this.#stateful.find((item) => item.version === version);
    if (revision === undefined)
      throw new RangeError(`this server does not support ${truncate(version)}`);
    this.#revision = revision;
    this.#client = client;
    this.#isInitialized = isInitialized;
  }

  /** Handles `notifications/initialized`. */
  confirm(): void {
    if (this.#revision !== undefined) this.#isInitialized = true;
  }

  #unsupportedVersion(requested: string): RpcError {
    const supported = this.statelessVersions;
    return new RpcError(
      STATELESS_ERROR_CODES.UNSUPPORTED_VERSION,
      `Unsupported protocol version; this server supports ${supported.join(", ")}`,
      { supported, requested: truncate(requested) },
    );
  }
}

function invalidRequest(reason: string): RpcError {
  return RpcError.from(invalidRequestError(reason));
}
