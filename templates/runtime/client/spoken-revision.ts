/** The current revision of a client, and what depends on it. */
import {
  META_KEYS,
  deriveCapabilities,
  mergeCapabilities,
} from "../protocol/revision.js";
import type { Revision } from "../protocol/revision.js";
import type { ClientSettings } from "./types.js";

/** The declared capabilities and the `_meta` of requests always belong to the current revision. */
export class SpokenRevision {
  readonly #settings: ClientSettings;
  #revision: Revision;
  #capabilities: object = {};
  /**
   * The `_meta` of all requests whose caller adds nothing to it, of which only one exists. Frozen, since the memory
   * transport passes it on by reference.
   */
  #meta: object = {};

  constructor(revision: Revision, settings: ClientSettings) {
    this.#settings = settings;
    this.#revision = revision;
  }

  get revision(): Revision {
    return this.#revision;
  }

  /** The capabilities that the client declares in this revision. */
  get capabilities(): object {
    return this.#capabilities;
  }

  /** Changes the revision. */
  use(revision: Revision): void {
    this.#revision = revision;
    const { handlers = {}, tasks, capabilities = {} } = this.#settings;
    this.#capabilities = mergeCapabilities(
      deriveCapabilities(revision, handlers, tasks?.capabilities(revision)),
      capabilities,
    );
    this.#meta = Object.freeze({
      [META_KEYS.VERSION]: revision.version,
      [META_KEYS.CLIENT_INFO]: this.#settings.info,
      [META_KEYS.CLIENT_CAPABILITIES]: this.#capabilities,
      ...(this.#settings.logLevel === undefined
        ? {}
        : { [META_KEYS.LOG_LEVEL]: this.#settings.logLevel }),
    });
  }

  /** The params of a stateless request, with the required `_meta`. */
  withMeta(params: object | undefined, roundParams?: object): object {
    const ownMeta = (params as { readonly _meta?: object } | undefined)?._meta;
    // Not spread: in Node 20, members that are added to a spread copy cost twenty times as much.
    const sent: { _meta?: object } = Object.assign({}, params, roundParams);
    sent._meta =
      ownMeta === undefined
        ? this.#meta
        : Object.assign({}, this.#meta, ownMeta);
    return sent;
  }
}
