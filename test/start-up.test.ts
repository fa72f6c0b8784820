/** What the built command line loads: time to start is mostly time to load modules. */
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { mcpgen, removeTemporaryFolders, temporaryFolder } from './support/cli.js';
import { loadedModules } from './support/loaded-modules.js';

afterAll(removeTemporaryFolders);

/** The packages among loaded modules. */
function packagesIn(modules: readonly string[]): readonly string[] {
  return [...new Set(modules.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))].sort();
}

test('--version loads the entry and what it shares with others, and no package', async () => {
  const modules = await loadedModules(['--version']);
  expect(packagesIn(modules)).toEqual([]);
  expect(modules.length).toBeGreaterThan(0);
  expect(modules.length).toBeLessThan(8);
});

test.each([[['--help']], [['generate', '--help']]])('%j loads no package', async (args) => {
  const modules = await loadedModules(args);
  expect(packagesIn(modules)).toEqual([]);
  expect(modules.length).toBeLessThan(20);
});

test('generating built-in revisions, and checking them, loads neither Prettier nor Ajv nor a compiler', async () => {
  const folder = temporaryFolder();
  const env = { XDG_CACHE_HOME: path.join(folder, 'cache'), XDG_STATE_HOME: path.join(folder, 'state') };
  const args = ['generate', '-r', '2024-11-05', '-o', 'out', '--emit', 'types,methods'];
  expect(packagesIn(await loadedModules(args, { cwd: folder, env }))).toEqual([]);
  // Both the check that compares hashes, and the one that renders.
  const check = [...args, '--check'];
  const proven = await loadedModules(check, { cwd: folder, env });
  const rendered = await loadedModules(check, { cwd: folder, env: { XDG_CACHE_HOME: '/nowhere' } });
  expect(packagesIn([...proven, ...rendered])).toEqual([]);
  expect(proven.length).toBeLessThan(rendered.length);
  expect((await mcpgen(check, { cwd: folder, env })).stdout).toMatch(/^\d+ files in out\/: all up to date\n$/);
});
