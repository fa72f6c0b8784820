/**
 * How a client agrees on a revision with a server.
 */
import { RpcError } from "../jsonrpc/error-codes.js";
import type { CallOptions, EndpointEvent } from "../jsonrpc/endpoint.js";
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
import type { ClientSettings, ServerInfo } from "./types.js";

/** How to connect. */
export type ConnectOptions = Pick<CallOptions, "signal" | "timeout">;

/** What negotiation needs of its client. */
export interface NegotiatingClient {
  isOpen(): boolean;
  request(
    method: string,
    params: object,
    options: CallOptions,
  ): Promise<object>;
  validateResult(method: string, result: object): object;
  emit(event: EndpointEvent): void;
}

const DEFAULT_PROBE_TIMEOUT_MS = 5000;

/**
 * Whether an older revision would fare no better: the server is a stateless one that finds fault with what was sent (MCP
 * 2026-07-28, Streamable HTTP, backward compatibility), or the transport says so, such as for want of authorization.
 */
function isFinalError(error: unknown): boolean {
  if (error instanceof RpcError)
    return (
      error.code === STATELESS_ERROR_CODES.HEADER_MISMATCH ||
      error.code === STATELESS_ERROR_CODES.MISSING_CLIENT_CAPABILITY
    );
  return (error as { readonly isFinal?: unknown } | null)?.isFinal === true;
}

/** Versions of a server that are looked at; there are not so many. */
const MAX_OFFERED_VERSIONS = 100;

/** What a stateless server says that it speaks when it refuses a version; undefined if it did not say so. */
function supportedVersionsIn(error: unknown): readonly string[] | undefined {
  if (
    !(error instanceof RpcError) ||
    error.code !== STATELESS_ERROR_CODES.UNSUPPORTED_VERSION
  )
    return undefined;
  const { supported } = (error.data ?? {}) as { readonly supported?: unknown };
  return Array.isArray(supported)
    ? supported
        .filter((item): item is string => typeof item === "string")
        .slice(0, MAX_OFFERED_VERSIONS)
        .map(truncate)
    : [];
}

/**
 * The client uses each revision from the moment it is proposed, and the last one proposed is the one agreed on.
 * A server that exits may be started again only while it is being asked `server/discover`.
 */
export class Negotiation {
  readonly #revisions: readonly Revision[];
  readonly #settings: ClientSettings;
  readonly #spoken: SpokenRevision;
  readonly #peer: NegotiatingClient;
  #isProbing = false;

  constructor(
    revisions: readonly Revision[],
    settings: ClientSettings,
    spoken: SpokenRevision,
    peer: NegotiatingClient,
  ) {
    this.#revisions = revisions;
    this.#settings = settings;
    this.#spoken = spoken;
    this.#peer = peer;
  }

  /**
   * Agrees on a revision: sends `server/discover` if the client speaks a stateless one, and falls back to `initialize` if
   * the server does not know that (MCP 2026-07-28, stdio, backward compatibility).
   *
   * @throws UnsupportedRevisionError if there is none in common; what the transport and the server throw.
   */
  async agree(
    transport: Transport,
    options: ConnectOptions,
  ): Promise<ServerInfo> {
    const discovered = await this.#probe(options, transport);
    this.#isProbing = false;
    return discovered ?? this.#initialize(options);
  }

  /** Whether a server that has exited is started again: if it did instead of answering the probe. */
  restarts(): boolean {
    if (!this.#isProbing) return false;
    this.#isProbing = false;
    this.#peer.emit({ kind: "serverRestarted", method: "server/discover" });
    return true;
  }

  /** Asks a stateless server what it speaks; undefined if it is an older one. */
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
        discovered = await this.#peer.request(
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
            !this.#peer.isOpen() ||
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
        checked = this.#peer.validateResult("server/discover", discovered);
      } catch (error) {
        // An older server may answer whatever it is asked.
        if (hasOlder) return undefined;
        throw error;
      }
      const { supportedVersions, capabilities, instructions, _meta } =
        checked as {
          readonly supportedVersions: readonly string[];
          readonly capabilities: object;
          readonly instructions?: string;
          readonly _meta?: Readonly<Record<string, unknown>>;
        };
      const common = this.#newestCommon(
        stateless,
        supportedVersions.slice(0, MAX_OFFERED_VERSIONS).map(truncate),
        hasOlder,
      );
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

  /** The newest that both speak; undefined if there is none but older ones are left to try. */
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

  /** MCP, lifecycle: the handshake of the stateful revisions. */
  async #initialize(options: ConnectOptions): Promise<ServerInfo> {
    const stateful = this.#revisions.filter(({ isStateless }) => !isStateless);
    const newest = newestRevision(stateful);
    this.#spoken.use(newest);
    const result = (await this.#peer.request(
      "initialize",
      {
        protocolVersion: newest.version,
        capabilities: this.#spoken.capabilities,
        clientInfo: this.#settings.info,
      },
      options,
    )) as {
      readonly protocolVersion?: unknown;
      readonly capabilities?: object;
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
            : "what is no version",
        ],
        this.#revisions.map(versionOf),
      );
    }
    this.#spoken.use(agreed);
    this.#peer.validateResult("initialize", result);
    return {
      info: result.serverInfo,
      capabilities: result.capabilities ?? {},
      instructions: result.instructions,
    };
  }
}
