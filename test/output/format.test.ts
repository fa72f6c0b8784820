import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { McpgenError } from '../../generator/errors.js';
import { Formatter } from '../../generator/output/format.js';
import { removeTemporaryFolders } from '../support/cli.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-format-'));
});
afterAll(removeTemporaryFolders);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('a piece keeps its line comments', async () => {
  const formatter = new Formatter();
  const pieces = [
    '// one',
    'export const a = "\\n\\n// mcpgen: border\\n\\n"',
    '/**\n * b\n *\n * // mcpgen: border\n *\n */\ntype B = 1',
    'type B = 2',
  ];
  const text = await formatter.format(pieces, path.join(folder, 'none', 'x.ts'));
  expect(text.split('\n\n')).toHaveLength(4);
  expect(await formatter.format(pieces, path.join(folder, 'none', 'x.ts'))).toBe(text);
});

/** A text whose chain of operators is too long for Prettier's parser, whatever the config. */
const TOO_DEEP = `export const a = ${Array.from({ length: 20_000 }, (_, index) => `b === ${index}`).join(' || ')};`;

test.each([
  ['a text that does not parse', 'export const = 1;'],
  ['a text that overflows the stack of Prettier', TOO_DEEP],
])('%s is never reported as a fault of the config', async (_title, text) => {
  const out = mkdtempSync(path.join(folder, 'fault-'));
  writeFileSync(path.join(out, '.prettierrc'), '{ "singleQuote": true }');
  const error: unknown = await new Formatter()
    .format([text], path.join(out, 'x.ts'))
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(McpgenError);
});

test.each([
  ['does not parse', '{'],
  ['has a wrong value', '{ "tabWidth": "wide" }'],
  ['names a plugin that is not installed', '{ "plugins": ["prettier-plugin-nowhere"] }'],
])('a config that %s is reported with its place', async (_title, config) => {
  const out = mkdtempSync(path.join(folder, 'config-'));
  writeFileSync(path.join(out, '.prettierrc'), config);
  const error: unknown = await new Formatter()
    .format(['export const a = 1;'], path.join(out, 'x.ts'))
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(McpgenError);
  expect((error as McpgenError).place).toBe(path.join(out, '.prettierrc'));
});
