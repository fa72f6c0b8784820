import { execSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareModules } from './scaffold/support.js';
import { codeBlocks, fileNameOf, shownOutputs } from './support/markdown.js';

const README = 'README.md';
const readme = readFileSync(README, 'utf8');
const blocks = codeBlocks(README);
const commandBlocks = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text.trim());
const [GENERATE = '', TEST = '', INSTALL = '', ...PATHS] = commandBlocks;
/** Output as it is when piped, even where the test run asks for colors; no package comes from a registry. */
const ENVIRONMENT = {
  ...process.env,
  NO_COLOR: '1',
  FORCE_COLOR: undefined,
  npm_config_offline: 'true',
  npm_config_audit: 'false',
};

/** A folder with a clone, `mcpgen`, next to a project. Both find the packages of this repository above them. */
let folder = '';
let project = '';

function run(command: string, cwd: string): string {
  return execSync(command, { cwd, encoding: 'utf8', shell: '/bin/bash', env: ENVIRONMENT, stdio: 'pipe' });
}

beforeAll(() => {
  folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'mcpgen-readme-'));
  shareModules(folder);
  symlinkSync(path.resolve('.'), path.join(folder, 'mcpgen'));
  project = path.join(folder, 'project');
  mkdirSync(project);
  writeFileSync(path.join(project, 'package.json'), '{ "private": true }');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('has at most 170 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(170);
});

test('the first screen has runnable commands', () => {
  expect(GENERATE).toBe('npm ci && npm run generate -- --out out');
  expect(TEST).toBe('npm ci && npm test');
  expect(readFileSync('.ci/run', 'utf8')).toContain(TEST);
});

test('the first command prints what the README shows', () => {
  rmSync('out', { recursive: true, force: true });
  // The dependencies of the test run are installed already.
  const output = run(GENERATE.replace('npm ci && ', ''), '.');
  const table = output.slice(output.indexOf('revision  '));
  expect(table.length).toBeGreaterThan(100);
  expect(shownOutputs(README)[0]?.expected.trim()).toBe(table.trim());
  expect(existsSync('out/2026-07-28/index.ts')).toBe(true);
});

test('the client prints what the README shows', () => {
  const clone = path.join(folder, 'example');
  mkdirSync(clone);
  writeFileSync(path.join(clone, 'package.json'), '{ "type": "module" }');
  symlinkSync(path.resolve('generated'), path.join(clone, 'out'));
  const files = blocks.filter((block) => fileNameOf(block) !== undefined);
  for (const block of files) writeFileSync(path.join(clone, fileNameOf(block) ?? ''), block.text);
  expect(files.map(fileNameOf)).toEqual(['server.ts', 'client.ts']);
  const { command = '', expected } = shownOutputs(README)[1] ?? {};
  expect(command).toBe('npx tsx client.ts');
  expect(run(command, clone)).toBe(expected);
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

describe('the commands of each path work after the install line', () => {
  test('install', () => {
    expect(INSTALL).toBe('npm install --save-dev ../mcpgen');
    run(INSTALL, project);
    expect(existsSync(path.join(project, 'node_modules/.bin/mcpgen'))).toBe(true);
  });

  test('there are four paths of three commands', () => {
    expect(PATHS.map((block) => block.split('\n').length)).toEqual([3, 3, 3, 3]);
  });

  test.each(PATHS.map((block) => [block.split('\n')[0] ?? '', block]))('%s', (_title, block) => {
    // The packages that projects depend on are those of this repository.
    const commands = block.replaceAll(' --yes', ' --yes --no-install').split('\n');
    const output = run(['set -e', ...commands].join('\n'), project);
    expect(output.length).toBeGreaterThan(200);
  });
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
