import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareModules } from './scaffold/support.js';
import { removeTemporaryFolders, temporaryFolder } from './support/cli.js';
import { shownOutputs } from './support/markdown.js';
import { GENERATE, INSTALL, PATHS, README, runInShell } from './support/readme.js';

/** A project next to a clone, `mcpgen`. Both find the packages of this repository above them. */
let project = '';

beforeAll(() => {
  const folder = temporaryFolder();
  shareModules(folder);
  symlinkSync(path.resolve('.'), path.join(folder, 'mcpgen'));
  project = path.join(folder, 'project');
  mkdirSync(project);
  writeFileSync(path.join(project, 'package.json'), '{ "private": true }');
});
afterAll(removeTemporaryFolders);

test('the first command prints what the README shows', () => {
  rmSync('out', { recursive: true, force: true });
  // The dependencies of the test run are installed already.
  const output = runInShell(GENERATE.replace('npm ci && ', ''), '.');
  const table = output.slice(output.indexOf('revision  '));
  expect(table.length).toBeGreaterThan(100);
  expect(shownOutputs(README)[0]?.expected.trim()).toBe(table.trim());
  expect(existsSync('out/2026-07-28/index.ts')).toBe(true);
});

describe('the commands of each path work after the install line', () => {
  test('install', () => {
    expect(INSTALL).toBe('npm install --save-dev ../mcpgen');
    runInShell(INSTALL, project);
    expect(existsSync(path.join(project, 'node_modules/.bin/mcpgen'))).toBe(true);
  });

  test('there are four paths of three commands', () => {
    expect(PATHS.map((block) => block.split('\n').length)).toEqual([3, 3, 3, 3]);
  });

  test.each(PATHS.map((block) => [block.split('\n')[0] ?? '', block]))('%s', (_title, block) => {
    // The packages that projects depend on are those of this repository.
    const commands = block.replaceAll(' --yes', ' --yes --no-install').split('\n');
    const output = runInShell(['set -e', ...commands].join('\n'), project);
    expect(output.length).toBeGreaterThan(200);
  });
});
