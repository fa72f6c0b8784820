import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { built, INFO } from './bench/pairs.js';
import { bundledBytes, checksOf, outputBytes, PROGRAMS } from './bench/sizes.js';
import { ALLOCATIONS, BUNDLES, CHECKS, expectWithin, MODULES, OUTPUT } from './budgets.js';
import type * as Client from '../generated/2025-11-25/client.js';
import type * as Server from '../generated/2025-11-25/server.js';
import type * as Memory from '../generated/runtime/memory.js';
import { allocationsOf } from './support/allocations.js';
import { mcpgen, removeTemporaryFolders, temporaryFolder } from './support/cli.js';
import { loadedModules, packagesIn } from './support/loaded-modules.js';

afterAll(removeTemporaryFolders);

test.each(Object.entries(BUNDLES))('size of a bundle: %s', async (name, budget) => {
  expectWithin(await bundledBytes(PROGRAMS[name] ?? '', path.resolve('.')), budget);
});

test.each(Object.entries(CHECKS))('size of all guards and validators of %s', async (revision, budget) => {
  expectWithin(await bundledBytes(await checksOf(revision), path.resolve('.')), budget);
});

describe('size of the output', () => {
  let bytes: Readonly<Record<string, number>> = {};
  beforeAll(async () => {
    bytes = await outputBytes();
  });

  test.each(Object.entries(OUTPUT))('%s', (folder, budget) => {
    expectWithin(bytes[folder] ?? 0, budget);
  });

  test('every folder has a budget', () => {
    expect(Object.keys(bytes).sort()).toEqual(Object.keys(OUTPUT).sort());
  });
});

test.each(Object.entries(ALLOCATIONS))('bytes that a call in memory allocates, %s', async (revision, budget) => {
  const { createClient } = (await import(built(`${revision}/client`))) as typeof Client;
  const { createServer } = (await import(built(`${revision}/server`))) as typeof Server;
  const { memoryPair } = (await import(built('runtime/memory'))) as typeof Memory;
  const answer = { content: [{ type: 'text' as const, text: 'hello world' }] };
  const server = createServer({ info: INFO, handlers: { 'tools/call': () => answer } });
  const client = createClient({ info: INFO });
  const [near, far] = memoryPair();
  await Promise.all([server.connect(near), client.connect(far)]);
  const params = { name: 'echo', arguments: { text: 'hello world' } };
  const call = async (times: number): Promise<void> => {
    for (; times > 0; times -= 1) await client.callTool(params);
  };
  // Until all of it is compiled.
  await call(20_000);
  const { bytes } = await allocationsOf(() => call(5000), 5000);
  expectWithin(bytes, budget);
  await client.close();
});

describe('modules at the start of the command line', () => {
  test.each(Object.entries(MODULES))('%s', async (command, budget) => {
    const modules = await loadedModules(command.split(' '));
    expect(packagesIn(modules)).toEqual([]);
    expectWithin(modules.length, budget);
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
});
