/** When Prettier is needed: only where a config may exist, and only for what the layout does not have. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type { Options } from 'prettier';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDefaultLayout, layoutOf, mayHavePrettierConfig } from '../../generator/output/prettier-config.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-config-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function folderWith(name: string, text: string): string {
  const own = mkdtempSync(path.join(folder, 'own-'));
  writeFileSync(path.join(own, name), text);
  return path.join(own, 'src', 'generated');
}

/** The names of config files in the sources of Prettier. */
function configFilesOfPrettier(): readonly string[] {
  const source = readFileSync(
    createRequire(import.meta.url)
      .resolve('prettier')
      .replace('.cjs', '.mjs'),
    'utf8',
  );
  const start = source.indexOf('// src/config/prettier-config/config-searcher.js');
  const part = source.slice(start, source.indexOf('// src/config/prettier-config/load-config.js', start));
  return [...part.matchAll(/"([\w.]*(?:prettier|package)[\w.]*\.?\w*)"/g)].map(([, name = '']) => name);
}

test('knows every file in which the installed Prettier looks for a config', () => {
  const names = configFilesOfPrettier();
  expect(names.length).toBeGreaterThan(15);
  expect(names).toContain('.prettierrc.json5');
  const missed = names.filter((name) => !mayHavePrettierConfig(folderWith(name, '{ "prettier": {} }')));
  expect(missed.filter((name) => name !== 'prettier')).toEqual([]);
});

test.each([
  ['.editorconfig', '', true],
  ['package.json', '{ "prettier": { "semi": false } }', true],
  ['package.json', '{ "prettier": ', true],
  ['package.json', '{ "devDependencies": { "prettier": "3" } }', false],
  ['package.json', '{ "name": "a" }', false],
  ['tsconfig.json', '{}', false],
])('with %s as %s, a config is possible: %s', (name, text, expected) => {
  expect(mayHavePrettierConfig(folderWith(name, text))).toBe(expected);
});

test('a folder that is named like a config is for Prettier to report', () => {
  const own = mkdtempSync(path.join(folder, 'own-'));
  mkdirSync(path.join(own, 'package.json'));
  expect(mayHavePrettierConfig(own)).toBe(true);
});

test.each<[Options | null, boolean]>([
  [null, true],
  [{}, true],
  [{ tabWidth: 2, useTabs: false, endOfLine: 'lf' }, true],
  [{ proseWrap: 'always', parser: 'flow', plugins: [] }, true],
  [{ singleQuote: true }, false],
  [{ printWidth: 100 }, false],
])('%j has the default layout: %s', (config, expected) => {
  expect(isDefaultLayout(layoutOf(config))).toBe(expected);
});

test.each<object>([
  { bracketSameLine: true },
  { embeddedLanguageFormatting: 'off' },
  { filepath: 'a.js' },
  { htmlWhitespaceSensitivity: 'ignore' },
  { insertPragma: true },
  { jsxBracketSameLine: true },
  { jsxSingleQuote: true },
  { parser: 'babel' },
  { proseWrap: 'always' },
  { rangeEnd: 5 },
  { rangeStart: 5 },
  { requirePragma: true },
  { singleAttributePerLine: true },
  { vueIndentScriptAndStyle: true },
  { plugins: [] },
  { semi: undefined },
  ...['arrowParens always', 'endOfLine lf', 'experimentalOperatorPosition end', 'objectWrap preserve'].map((text) => {
    const [name = '', value] = text.split(' ');
    return { [name]: value };
  }),
  { bracketSpacing: true, experimentalTernaries: false, quoteProps: 'as-needed', trailingComma: 'all', useTabs: false },
])('%j makes no difference', (config) => {
  expect(layoutOf(config)).toEqual(layoutOf(null));
});

test('quotes and widths need no Prettier', () => {
  expect(layoutOf({ singleQuote: true, printWidth: 100, tabWidth: 4 })).toEqual({
    singleQuote: true,
    printWidth: 100,
    tabWidth: 4,
  });
});

test.each<object>([
  { semi: false },
  { useTabs: true },
  { trailingComma: 'es5' },
  { bracketSpacing: false },
  { arrowParens: 'avoid' },
  { quoteProps: 'consistent' },
  { objectWrap: 'collapse' },
  { experimentalTernaries: true },
  { endOfLine: 'crlf' },
  { plugins: ['prettier-plugin-organize-imports'] },
  { printWidth: Number.POSITIVE_INFINITY },
  { printWidth: 0 },
  { tabWidth: 2.5 },
  { singleQuote: 'yes' },
  { checkIgnorePragma: true },
  // Options that are not known yet.
  { maxColumns: 80 },
  { presets: [] },
])('only Prettier has the layout of %j', (config) => {
  expect(layoutOf(config)).toBeUndefined();
});
