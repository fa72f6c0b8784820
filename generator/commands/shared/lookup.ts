import { loadAll } from '../../index.js';
import { loadExtensionProtocol } from '../../model/load.js';
import type { Protocol } from '../../model/protocol.js';
import { requireRevision } from '../../read/builtin/revisions.js';
import { readRequestedExtensions, type ExtensionOptions } from './extensions.js';

/** The protocols that a command looks something up in. */
export interface LookupProtocols {
  /** The wanted revisions, and after them the protocols of extensions, such as the one of views and hosts. */
  readonly shown: readonly Protocol[];
  /** All revisions, for histories. */
  readonly revisions: readonly Protocol[];
}

/**
 * Loads revisions with the requested extensions, and the protocols of these.
 *
 * @param wanted - A revision, or the folder of an extension's protocol, such as `ui`; all of them if undefined.
 * @throws {@link McpgenError} if it does not exist, or a requested extension does not extend it.
 */
export async function loadForLookup(wanted: string | undefined, options: ExtensionOptions): Promise<LookupProtocols> {
  const extensions = await readRequestedExtensions(options);
  const everything = await loadAll(extensions);
  const revisions = everything.filter(({ partOf }) => partOf === undefined);
  if (wanted === undefined) return { shown: everything, revisions };
  const own = everything.filter(({ partOf, revision }) => partOf !== undefined && revision === wanted);
  if (own.length > 0) return { shown: own, revisions };
  requireRevision(wanted);
  // An extension has to extend the wanted revision.
  return { shown: await loadAll({ revisions: [wanted], ...extensions }), revisions };
}

/** Where the history of a method is: in all revisions, or in the only version of an extension's protocol. */
export function historyOf(protocol: Protocol, revisions: readonly Protocol[]): readonly Protocol[] {
  return protocol.partOf === undefined ? revisions : [{ ...protocol, revision: protocol.version }];
}

/** The protocols that belong to the requested extensions. */
export async function extensionProtocols({ extensions }: ExtensionOptions): Promise<readonly Protocol[]> {
  const found = await Promise.all(extensions.map(async (id) => loadExtensionProtocol(id)));
  return found.filter((protocol) => protocol !== undefined);
}
