import type { ExtendedRevisions } from '../../inspect/extensions.js';
import type { RequestedExtensions } from '../../model/extensions/load.js';
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
  if (extend.length === 0) return { extensions, extend: [] };
  const { readExtension } = await import('../../read/extension.js');
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
  // Imported on demand: they load the reader of schemas and all revisions, which a recording does without.
  const [{ requireExtension }, { readExtensionFiles }, { ExtendedRevisions: Revisions }] = await Promise.all([
    import('../../read/builtin/extensions.js'),
    import('../../model/extensions/load.js'),
    import('../../inspect/extensions.js'),
  ]);
  for (const id of options.extensions) requireExtension(id);
  const { extend } = await readRequestedExtensions(options);
  // Only docs and errata of built-in extensions depend on the revision.
  const others = await Promise.all(extend.map((files) => readExtensionFiles(files, '', false)));
  return new Revisions({
    extend: others,
    assumed: [...options.extensions, ...others.map(({ catalog }) => catalog.extension)],
  });
}
