import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Options } from 'prettier';
import { DEFAULT_LAYOUT, type LayoutSettings } from './layout/layout.js';

/** Every file in which Prettier looks for a config; `package.json` only counts with the key `prettier`. */
const CONFIG_FILES: readonly string[] = [
  'package.yaml',
  '.editorconfig',
  '.prettierrc',
  ...'json yml yaml json5 js ts mjs mts cjs cts toml'.split(' ').map((extension) => `.prettierrc.${extension}`),
  ...'js ts mjs mts cjs cts'.split(' ').map((extension) => `prettier.config.${extension}`),
];

/**
 * Whether Prettier may find a config for the files of a folder, in it or above it. Loading Prettier takes longer than
 * to generate a revision, and most folders have no config.
 *
 * @param folder - Absolute; it need not exist.
 * @param known - Answers of a run, which are added.
 */
export function mayHavePrettierConfig(folder: string, known = new Map<string, boolean>()): boolean {
  const parent = path.dirname(folder);
  const answer =
    known.get(folder) ??
    (CONFIG_FILES.some((name) => existsSync(path.join(folder, name))) ||
      packageHasConfig(path.join(folder, 'package.json')) ||
      (parent !== folder && mayHavePrettierConfig(parent, known)));
  known.set(folder, answer);
  return answer;
}

function packageHasConfig(file: string): boolean {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    // A folder of that name is Prettier's problem.
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
  if (!text.includes('prettier')) return false;
  try {
    const contents: unknown = JSON.parse(text);
    return typeof contents === 'object' && contents !== null && Object.hasOwn(contents, 'prettier');
  } catch {
    return true;
  }
}

/** Options that make no difference for generated TypeScript, or that are always overridden. */
const IRRELEVANT_OPTIONS: ReadonlySet<string> = new Set([
  'bracketSameLine',
  'embeddedLanguageFormatting',
  'filepath',
  'htmlWhitespaceSensitivity',
  'insertPragma',
  'jsxBracketSameLine',
  'jsxSingleQuote',
  'parser',
  'proseWrap',
  'rangeEnd',
  'rangeStart',
  'requirePragma',
  'singleAttributePerLine',
  'vueIndentScriptAndStyle',
]);

/** The options that the layout does not have, with the values that it implements. */
const FIXED_OPTIONS: Readonly<Record<string, unknown>> = {
  arrowParens: 'always',
  bracketSpacing: true,
  endOfLine: 'lf',
  experimentalOperatorPosition: 'end',
  experimentalTernaries: false,
  objectWrap: 'preserve',
  quoteProps: 'as-needed',
  semi: true,
  trailingComma: 'all',
  useTabs: false,
};

/** The layout that a config means for TypeScript; undefined if only Prettier has it. */
export function layoutOf(config: Options | null): LayoutSettings | undefined {
  let settings = DEFAULT_LAYOUT;
  for (const [name, value] of Object.entries(config ?? {})) {
    if (value === undefined || IRRELEVANT_OPTIONS.has(name)) continue;
    if (name === 'plugins' && Array.isArray(value) && value.length === 0) continue;
    if (name === 'singleQuote' && typeof value === 'boolean') settings = { ...settings, singleQuote: value };
    else if ((name === 'printWidth' || name === 'tabWidth') && Number.isInteger(value) && Number(value) > 0)
      settings = { ...settings, [name]: Number(value) };
    else if (!Object.hasOwn(FIXED_OPTIONS, name) || FIXED_OPTIONS[name] !== value) return undefined;
  }
  return settings;
}

/** Whether a layout is that of Prettier without a config. */
export function isDefaultLayout(settings: LayoutSettings | undefined): boolean {
  return (
    settings?.printWidth === DEFAULT_LAYOUT.printWidth &&
    settings.tabWidth === DEFAULT_LAYOUT.tabWidth &&
    settings.singleQuote === DEFAULT_LAYOUT.singleQuote
  );
}
