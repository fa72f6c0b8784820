import type { RequestedExtensions } from '../../model/extensions/load.js';
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
  return { extensions, extend: await Promise.all(extend.map(readExtension)) };
}

/** Whether extensions were requested. */
export function hasExtensions({ extensions, extend }: ExtensionOptions): boolean {
  return extensions.length + extend.length > 0;
}
