import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { shareModules } from './scaffold/support.js';
import { removeTemporaryFolders, temporaryFolder } from './support/cli.js';
import { fileNameOf, shownOutputs } from './support/markdown.js';
import { blocks, GENERATE, README, readme, runInShell, TEST } from './support/readme.js';

afterAll(removeTemporaryFolders);

test('has at most 170 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(170);
});

test('the first screen has runnable commands', () => {
  expect(GENERATE).toBe('npm ci && npm run generate -- --out out');
  expect(TEST).toBe('npm ci && npm test');
  expect(readFileSync('.ci/run', 'utf8')).toContain(TEST);
});

test('the client prints what the README shows', () => {
  const folder = temporaryFolder();
  shareModules(folder);
  const clone = path.join(folder, 'example');
  mkdirSync(clone);
  writeFileSync(path.join(clone, 'package.json'), '{ "type": "module" }');
  symlinkSync(path.resolve('generated'), path.join(clone, 'out'));
  const files = blocks.filter((block) => fileNameOf(block) !== undefined);
  for (const block of files) writeFileSync(path.join(clone, fileNameOf(block) ?? ''), block.text);
  expect(files.map(fileNameOf)).toEqual(['server.ts', 'client.ts']);
  const { command = '', expected } = shownOutputs(README)[1] ?? {};
  expect(command).toBe('npx tsx client.ts');
  expect(runInShell(command, clone)).toBe(expected);
});

const lengths = blocks
  .filter((block) => fileNameOf(block) !== undefined)
  .map(({ text }) => text.trimEnd().split('\n').length - 1);

test('the server has at most 12 lines', () => {
  expect(lengths[0]).toBeLessThanOrEqual(12);
});

test('the client has at most 8 lines', () => {
  expect(lengths[1]).toBeLessThanOrEqual(8);
});

test('the sample matches the schema', () => {
  const [sample] = blocks.filter(({ language }) => language === 'json');
  const [type = ''] = blocks.flatMap(({ text }) => (text.startsWith('export type ') ? [text] : []));
  const name = /^export type (\w+)/.exec(type)?.[1] ?? '';
  const schema = JSON.parse(readFileSync('schema/2025-11-25/schema.json', 'utf8')) as {
    readonly $defs: Readonly<Record<string, { readonly required?: readonly string[] }>>;
  };
  expect(JSON.parse(sample?.text ?? '')).toEqual(schema.$defs[name]);
  const types = readFileSync('generated/2025-11-25/types.ts', 'utf8').replaceAll(/^ *\/\*\*[^]*?\*\/\n/gm, '');
  expect(types).toContain(`\n${type}`);
});
