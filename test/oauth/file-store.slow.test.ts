import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { fileStore } from '../../generated/runtime/oauth-node.js';
import { connectWith, startServers, testProvider } from './support.js';

let parent = '';
let folder = '';
beforeEach(async () => {
  parent = await mkdtemp(path.join(os.tmpdir(), 'oauth-store-'));
  folder = path.join(parent, 'a/tokens');
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
});
const filesOf = async (): Promise<string[]> => (await readdir(folder)).map((name) => path.join(folder, name));

describe('a file store', () => {
  test('never shows half a value to a reader', async () => {
    const store = fileStore(folder);
    const text = 'x'.repeat(200_000);
    await store.set('key', { text });
    const progress = { isDone: false };
    const writing = (async () => {
      for (let round = 0; round < 40; round += 1) await store.set('key', { text, round });
      progress.isDone = true;
    })();
    let reads = 0;
    while (!progress.isDone) {
      expect(await store.get('key')).toMatchObject({ text });
      reads += 1;
    }
    await writing;
    expect(reads).toBeGreaterThan(10);
  });

  test('takes over the lock of a process that has ended', async () => {
    const store = fileStore(folder);
    await store.set('key', {});
    const [file = ''] = await filesOf();
    await writeFile(`${file}.lock`, '');
    await utimes(`${file}.lock`, new Date(0), new Date(0));
    const start = performance.now();
    expect(await store.exclusive('key', () => Promise.resolve(42))).toBe(42);
    expect(performance.now() - start).toBeLessThan(5000);
    expect(await filesOf()).toEqual([file]);
  });

  test('loses nothing if processes write at once, and refreshes once', { timeout: 60_000 }, async () => {
    const program = path.join(parent, 'program.mjs');
    await build({
      stdin: {
        contents: `
          import { fileStore } from ${JSON.stringify(fileURLToPath(new URL('../../generated/runtime/oauth-node.ts', import.meta.url)))};
          const [, , folder, name] = process.argv;
          const store = fileStore(folder);
          for (let i = 0; i < 25; i += 1) {
            await store.set(name + i, { name, i });
            await store.exclusive('counter', async () => {
              const { n } = (await store.get('counter')) ?? { n: 0 };
              await store.set('counter', { n: n + 1 });
            });
          }
        `,
        resolveDir: process.cwd(),
      },
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
    const run = (name: string): Promise<number | null> =>
      new Promise((resolve) => {
        spawn(process.execPath, [program, folder, name], { stdio: 'inherit' }).once('close', resolve);
      });
    expect(await Promise.all(['a', 'b', 'c'].map(run))).toEqual([0, 0, 0]);
    const store = fileStore(folder);
    expect(await store.get('counter')).toEqual({ n: 75 });
    for (const name of ['a', 'b', 'c'])
      for (let i = 0; i < 25; i += 1) expect(await store.get(`${name}${i}`)).toEqual({ name, i });
    expect((await filesOf()).filter((file) => !file.endsWith('.json'))).toEqual([]);
  });
});

describe('a provider with a file store', () => {
  test('uses a refresh token once, whoever refreshes', async () => {
    const servers = await startServers();
    const clients = [];
    for (let i = 0; i < 4; i += 1)
      clients.push((await connectWith(servers.mcp, testProvider({ store: fileStore(folder) }))).client);
    servers.valid.clear();
    await Promise.all(clients.map((client) => client.callTool({ name: 'a', arguments: {} })));
    expect(servers.tokenRequests().map(({ form }) => form.get('grant_type'))).toEqual([
      'authorization_code',
      'refresh_token',
    ]);
  });
});
