/**
 * The command that generates a file again, as its header shows it.
 */
import { STANDARD_INPUT } from './model/load.js';
import { shellQuote } from './text.js';
import { DEFAULT_PARTS } from './emit/parts.js';
import type { Emittable } from './emit/parts.js';
import type { Protocol } from './model/protocol.js';
import { partsToEmit } from './render-options.js';
import type { RenderOptions } from './render-options.js';

/** A file as a word of a command line. */
function fileArgument(file: string): string {
  return file === STANDARD_INPUT ? '-' : shellQuote(file);
}

/** The option that names parts, as short as it can be. */
function emitFlag(parts: readonly Emittable[]): readonly string[] {
  const hasDefault = DEFAULT_PARTS.every((part) => parts.includes(part));
  const others = hasDefault ? parts.filter((part) => !DEFAULT_PARTS.includes(part)) : parts;
  if (hasDefault && others.length === 0) return [];
  return [`--emit ${[...(hasDefault ? ['default'] : []), ...new Set(others)].join(',')}`];
}

/** The command that makes a protocol's files anew, as their header names it. */
export function regenerateCommand({ source, revision }: Protocol, options: RenderOptions): string {
  // Stubs are never made anew, so a file does not change because they were once asked for.
  const parts = partsToEmit(options).filter((part) => part !== 'stubs');
  return [
    'mcpgen generate',
    ...(source.builtin ? [] : [`--schema ${fileArgument(source.file)}`]),
    ...(source.catalogFile === undefined ? [] : [`--catalog ${fileArgument(source.catalogFile)}`]),
    `--revision ${revision}`,
    ...emitFlag(parts),
    ...(options.importExtension === undefined || options.importExtension === 'js'
      ? []
      : [`--import-extension ${options.importExtension}`]),
    ...(source.corrected ? [] : ['--no-errata']),
    '--out <folder above this one>',
  ].join(' ');
}
