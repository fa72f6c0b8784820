import type { ExtendedRevisions } from '../../inspect/extensions.js';
import { readExtensionFiles, type RequestedExtensions } from '../../model/extensions/load.js';
import { requireExtension } from '../../read/builtin/extensions.js';
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
