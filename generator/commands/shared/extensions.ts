import { loadAll } from '../../index.js';
import type { ExtendedRevisions } from '../../inspect/extensions.js';
import { readExtensionFiles, type RequestedExtensions } from '../../model/extensions/load.js';
import { loadExtensionProtocol } from '../../model/load.js';
import type { Protocol } from '../../model/protocol.js';
import { requireExtension } from '../../read/builtin/extensions.js';
import { requireRevision } from '../../read/builtin/revisions.js';
import { readExtension } from '../../read/extension.js';
import { pathsOption, stringsOption, type RawOptions } from './options.js';

/** The options `--extension` and `--extend` of a command. */
export interface ExtensionOptions {
  /** Identifiers of built-in extensions. */
  readonly extensions: readonly string[];
  /** Catalogs of other extensions, as paths. */
  readonly extend: readonly string[];
}

export function parseExtensionOptions(raw: RawOptions): ExtensionOptions {
  return { extensions: stringsOption(raw, 'extension') ?? [], extend: pathsOption(raw, 'extend') ?? [] };
}

/**
 * Reads the files of the requested extensions.
 *
 * @throws {@link McpgenError} if one cannot be read.
 */
export async function readRequestedExtensions({
  extensions,
  extend,
}: ExtensionOptions): Promise<Required<RequestedExtensions>> {
  return { extensions, extend: await Promise.all(extend.map((file) => readExtension(file))) };
}

/** Whether extensions were requested. */
export function hasExtensions({ extensions, extend }: ExtensionOptions): boolean {
  return extensions.length + extend.length > 0;
}

/**
 * The revisions with extensions, to inspect conversations. Built-in extensions count as far as a conversation declares
 * them; those that are requested always do.
 *
 * @throws {@link McpgenError} if one is not built in, or cannot be read or added to a revision that it extends.
 */
export async function readExtendedRevisions(options: ExtensionOptions): Promise<ExtendedRevisions | undefined> {
  if (!hasExtensions(options)) return undefined;
  for (const id of options.extensions) requireExtension(id);
  const { extend } = await readRequestedExtensions(options);
  // Only docs and errata of built-in extensions depend on the revision.
  const others = await Promise.all(extend.map((files) => readExtensionFiles(files, '', false)));
  // Imported on demand: it loads all revisions.
  const { ExtendedRevisions: Revisions } = await import('../../inspect/extensions.js');
  return new Revisions({
    extend: others,
    assumed: [...options.extensions, ...others.map(({ catalog }) => catalog.extension)],
  });
}

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
