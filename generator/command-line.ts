/**
 * Formats command lines of mcpgen that messages and headers show. Callers choose the options; quoting, order and
 * omission are decided here.
 */
import { STANDARD_INPUT } from './read/files.js';
import { shellQuote } from './text.js';
import { DEFAULT_PARTS } from './emit/parts.js';
import type { Emittable } from './emit/parts.js';
import type { Protocol } from './model/protocol.js';
import { partsToEmit, pluginNames } from './render-options.js';
import type { RenderOptions } from './render-options.js';

/** A value that the reader fills in; printed as `<text>`, without quotes. */
export interface Placeholder {
  readonly placeholder: string;
}

/** Every option that a printed command may have, in print order. */
const OPTION_ORDER = [
  'to',
  'config',
  'code',
  'fromServer',
  'mcpConfig',
  'schema',
  'catalog',
  'revision',
  'extension',
  'extend',
  'plugin',
  'emit',
  'methods',
  'importExtension',
  'target',
  'tsNocheck',
  'errata',
  'trustPatterns',
  'additionalSchema',
  'nullable',
  'clients',
  'out',
  'allowOutside',
] as const;

/**
 * An option's value: `true` prints the flag, `false` its `--no-` form, a list the option once for each item,
 * `undefined` nothing.
 */
type OptionValue = string | readonly string[] | boolean | Placeholder | undefined;

/** The options of a printed command. */
export type ShownOptions = Readonly<Partial<Record<(typeof OPTION_ORDER)[number], OptionValue>>>;

/** What follows the verb of a printed command. */
export interface ShownArguments {
  readonly words?: readonly (string | Placeholder)[];
  readonly options?: ShownOptions;
  /** How mcpgen is run; `mcpgen` by default. */
  readonly program?: string;
}

/** A command line of mcpgen, quoted for a shell: `mcpgen add handler tasks/get --to client`. */
export function formatCommand(
  verb: string,
  { words = [], options = {}, program = 'mcpgen' }: ShownArguments = {},
): string {
  // A word that begins with a dash would be read as an option in front of `--`.
  const isDashed = (word: string | Placeholder): boolean =>
    typeof word === 'string' && word.startsWith('-') && word !== '-';
  const dashed = words.filter(isDashed);
  return [
    program,
    verb,
    ...words.filter((word) => !isDashed(word)).map(formatWord),
    ...OPTION_ORDER.flatMap((name) => formatOption(name, options[name])),
    ...(dashed.length === 0 ? [] : ['--', ...dashed.map(formatWord)]),
  ].join(' ');
}

function formatOption(name: string, value: OptionValue): readonly string[] {
  if (value === undefined) return [];
  if (value === true) return [optionFlag(name)];
  if (value === false) return [optionFlag(name).replace('--', '--no-')];
  const values = isList(value) ? value : [value];
  return values.map((item) => `${optionFlag(name)} ${formatWord(item)}`);
}

function isList(value: string | readonly string[] | Placeholder): value is readonly string[] {
  return Array.isArray(value);
}

function formatWord(word: string | Placeholder): string {
  return typeof word === 'string' ? shellQuote(word) : `<${word.placeholder}>`;
}

/** An option as it is written: `importExtension` as `--import-extension`. */
export function optionFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `--out` in the header of a generated file, which does not name a folder of one machine. */
export const FOLDER_ABOVE: Placeholder = { placeholder: 'folder above this one' };

/** The command that generates a protocol's files again, as their header shows it. */
export function regenerateCommand({ source, revision, extensions, partOf }: Protocol, options: RenderOptions): string {
  // Stubs are written once, so the header does not depend on whether a run requested them.
  const parts = partsToEmit(options).filter((part) => part !== 'stubs');
  return formatCommand('generate', {
    options: {
      schema: source.builtin || partOf !== undefined ? undefined : sourceArgument(source.file),
      catalog:
        source.catalogFile === undefined || partOf !== undefined ? undefined : sourceArgument(source.catalogFile),
      revision: partOf === undefined ? revision : undefined,
      extension:
        partOf !== undefined
          ? [partOf]
          : extensions.filter((extension) => extension.source.builtin).map(({ id }) => id),
      extend: extensions.flatMap((extension) => extension.source.catalogFile ?? []),
      plugin: pluginNames(options),
      emit: emitArgument(parts),
      importExtension: options.importExtension === 'js' ? undefined : options.importExtension,
      target: options.target === 'ts' ? undefined : options.target,
      tsNocheck: options.tsNocheck === true ? true : undefined,
      errata: source.corrected || partOf !== undefined ? undefined : false,
      out: FOLDER_ABOVE,
    },
  });
}

function sourceArgument(file: string): string {
  return file === STANDARD_INPUT ? '-' : file;
}

/** The value of `--emit`, as short as it can be; undefined for the default parts. */
function emitArgument(parts: readonly Emittable[]): string | undefined {
  const hasDefault = DEFAULT_PARTS.every((part) => parts.includes(part));
  const others = hasDefault ? parts.filter((part) => !DEFAULT_PARTS.includes(part)) : parts;
  if (hasDefault && others.length === 0) return undefined;
  return [...(hasDefault ? ['default'] : []), ...new Set(others)].join(',');
}
