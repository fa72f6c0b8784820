/** How a client and a server agree on a revision. */
import { isObject } from "../jsonrpc/envelope.js";
import { RpcError } from "../jsonrpc/error-codes.js";
import type { CallOptions, Endpoint } from "../jsonrpc/endpoint.js";
import { UnsupportedRevisionError } from "../jsonrpc/call-errors.js";
import type { Transport } from "../jsonrpc/transport.js";
import {
  META_KEYS,
  STATELESS_ERROR_CODES,
  newestRevision,
  truncate,
  versionOf,
} from "../protocol/revision.js";
import type { Implementation, Revision } from "../protocol/revision.js";
import type { SpokenRevision } from "./spoken-revision.js";
import { InvalidResultError } from "./errors.js";
import type { ClientSettings, ServerInfo } from "./types.js";

/** How to connect. */
export type ConnectOptions = Pick<CallOptions, "signal" | "timeout">;

const DEFAULT_PROBE_TIMEOUT_MS = 5000;

/**
 * Whether trying an older revision would not help: a stateless server rejects what was sent (MCP 2026-07-28, Streamable
 * HTTP, backward compatibility), or the transport says so, for example because authorization is missing.
 */
function isFinalError(error: unknown): boolean {
  if (error instanceof RpcError)
    return (
      error.code === STATELESS_ERROR_CODES.HEADER_MISMATCH ||
      error.code === STATELESS_ERROR_CODES.MISSING_CLIENT_CAPABILITY
    );
  return (error as { readonly isFinal?: unknown } | null)?.isFinal === true;
}

/** Maximum of a server's offered versions that are read. */
const MAX_OFFERED_VERSIONS = 100;

/** The versions that a stateless server offers when it rejects one; undefined if it does not reject the version. */
function supportedVersionsIn(error: unknown): readonly string[] | undefined {
  if (
    !(error instanceof RpcError) ||
    error.code !== STATELESS_ERROR_CODES.UNSUPPORTED_VERSION
  )
    return undefined;
  const { supported } = (error.data ?? {}) as { readonly supported?: unknown };
  return versionsIn(supported) ?? [];
}

/** The names of versions in a list; undefined if it is no list. */
function versionsIn(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list
    .filter((item): item is string => typeof item === "string")
    .slice(0, MAX_OFFERED_VERSIONS)
    .map(truncate);
}

/**
 * The client uses each revision from the moment it is proposed, and the last one proposed is the agreed one.
 * A server that exits is restarted only while `server/discover` is pending.
 */
export class Negotiation {
  readonly #revisions: readonly Revision[];
  readonly #settings: ClientSettings;
  readonly #spoken: SpokenRevision;
  readonly #endpoint: Endpoint;
  readonly #validateResult: (method: string, result: object) => object;
  #isProbing = false;

  constructor(
    revisions: readonly Revision[],
    settings: ClientSettings,
    spoken: SpokenRevision,
    endpoint: Endpoint,
    validateResult: (method: string, result: object) => object,
  ) {
    this.#revisions = revisions;
    this.#settings = settings;
    this.#spoken = spoken;
    this.#endpoint = endpoint;
    this.#validateResult = validateResult;
  }

  /**
   * Agrees on a revision: sends `server/discover` if the client supports a stateless revision, and falls back to
   * `initialize` if the server does not know that (MCP 2026-07-28, stdio, backward compatibility).
   *
   * @throws UnsupportedRevisionError if they have no revision in common; any error of the transport or the server.
   */
  async agree(
    transport: Transport,
    options: ConnectOptions,
  ): Promise<ServerInfo> {
    const discovered = await this.#probe(options, transport);
    this.#isProbing = false;
    return discovered ?? this.#initialize(options);
  }

  /** Whether to restart a server that has exited: only if it exited instead of answering the probe. */
  restarts(): boolean {
    if (!this.#isProbing) return false;
    this.#isProbing = false;
    this.#endpoint.emit({ kind: "serverRestarted", method: "server/discover" });
    return true;
  }

  /** Asks a stateless server for its versions; undefined if it is an older server. */
  async #probe(
    options: ConnectOptions,
    transport: Transport,
  ): Promise<ServerInfo | undefined> {
    const { rejectsUnknownMethods = false } = transport;
    const stateless = this.#revisions.filter(({ isStateless }) => isStateless);
    if (stateless.length === 0) return undefined;
    const hasOlder = stateless.length < this.#revisions.length;
    if (hasOlder && transport.needsInitialize === true) return undefined;
    this.#isProbing = hasOlder;
    let proposed = newestRevision(stateless);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      this.#spoken.use(proposed);
      let discovered: object;
      try {
        discovered = await this.#endpoint.request(
          "server/discover",
          this.#spoken.withMeta({}),
          {
            ...options,
            ...(hasOlder && !rejectsUnknownMethods
              ? {
                  timeout:
                    this.#settings.probeTimeout ?? DEFAULT_PROBE_TIMEOUT_MS,
                }
              : {}),
          },
        );
      } catch (error) {
        options.signal?.throwIfAborted();
        const supported = supportedVersionsIn(error);
        if (supported === undefined) {
          if (
            !this.#endpoint.isOpen ||
            isFinalError(error) ||
            (!hasOlder && !(error instanceof RpcError))
          )
            throw error;
          if (hasOlder) return undefined;
          throw new UnsupportedRevisionError([], stateless.map(versionOf));
        }
        const common = this.#newestCommon(stateless, supported, hasOlder);
        if (common === undefined) return undefined;
        proposed = common;
        continue;
      }
      let checked: object;
      try {
        checked = this.#validateResult("server/discover", discovered);
      } catch (error) {
        // An older server may answer any request with a result.
        if (hasOlder) return undefined;
        throw error;
      }
      const { supportedVersions, capabilities, instructions, _meta } =
        checked as {
          readonly supportedVersions?: unknown;
          readonly capabilities?: unknown;
          readonly instructions?: string;
          readonly _meta?: Readonly<Record<string, unknown>>;
        };
      // Results may be accepted without validation.
      const offered = versionsIn(supportedVersions);
      if (offered === undefined || !isObject(capabilities)) {
        if (hasOlder) return undefined;
        throw new InvalidResultError("server/discover", {
          path: offered === undefined ? "/supportedVersions" : "/capabilities",
          reason: "value",
          expected: offered === undefined ? "array" : "object",
          found: typeof (offered === undefined
            ? supportedVersions
            : capabilities),
        });
      }
      const common = this.#newestCommon(stateless, offered, hasOlder);
      if (common === undefined) return undefined;
      this.#spoken.use(common);
      return {
        info: _meta?.[META_KEYS.SERVER_INFO] as Implementation | undefined,
        capabilities,
        instructions,
      };
    }
    if (hasOlder) return undefined;
    throw new UnsupportedRevisionError([], stateless.map(versionOf));
  }

  /** The newest revision in common; undefined if no newer one matches but older ones can be tried. */
  #newestCommon(
    ours: readonly Revision[],
    theirs: readonly string[],
    hasOlder: boolean,
  ): Revision | undefined {
    const both = ours.filter(({ version }) => theirs.includes(version));
    if (both.length > 0) return newestRevision(both);
    if (hasOlder) return undefined;
    throw new UnsupportedRevisionError(theirs, this.#revisions.map(versionOf));
  }

  /** MCP, lifecycle: the handshake of stateful revisions. */
  async #initialize(options: ConnectOptions): Promise<ServerInfo> {
    const stateful = this.#revisions.filter(({ isStateless }) => !isStateless);
    const newest = newestRevision(stateful);
    this.#spoken.use(newest);
    const result = (await this.#endpoint.request(
      "initialize",
      {
        protocolVersion: newest.version,
        capabilities: this.#spoken.capabilities,
        clientInfo: this.#settings.info,
      },
      options,
    )) as {
      readonly protocolVersion?: unknown;
      readonly capabilities?: unknown;
      readonly serverInfo?: Implementation;
      readonly instructions?: string;
    };
    const agreed = stateful.find(
      (item) => item.version === result.protocolVersion,
    );
    if (agreed === undefined) {
      throw new UnsupportedRevisionError(
        [
          typeof result.protocolVersion === "string"
            ? truncate(result.protocolVersion)
            : "an invalid version",
        ],
        this.#revisions.map(versionOf),
      );
    }
    this.#spoken.use(agreed);
    this.#validateResult("initialize", result);
    return {
      info: result.serverInfo,
      capabilities: isObject(result.capabilities) ? result.capabilities : {},
      instructions: result.instructions,
    };
  }
}
