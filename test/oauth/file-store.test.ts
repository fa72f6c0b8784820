import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { UnauthorizedError } from '../../generated/runtime/oauth-client.js';
import { fileStore } from '../../generated/runtime/oauth-node.js';
import { rejectionOf } from '../http/client-peer.js';
import { agreeingUser, connectWith, startServers, testProvider } from './support.js';

let parent = '';
let folder = '';
beforeEach(async () => {
  parent = await mkdtemp(path.join(os.tmpdir(), 'oauth-store-'));
  folder = path.join(parent, 'a/tokens');
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
});

const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8);
const filesOf = async (): Promise<string[]> => (await readdir(folder)).map((name) => path.join(folder, name));

describe('a file store', () => {
  test('stores values for this user only', async () => {
    const umask = process.umask(0);
    try {
      const store = fileStore(folder);
      await store.set('key', { a: 1 });
      expect(await fileStore(folder).get('key')).toEqual({ a: 1 });
    } finally {
      process.umask(umask);
    }
    const files = await filesOf();
    expect(files).toHaveLength(1);
    expect([await modeOf(folder), await modeOf(files[0] ?? '')]).toEqual(['700', '600']);
  });

  test('knows nothing at first', async () => {
    expect(await fileStore(folder).get('key')).toBeUndefined();
    await fileStore(folder).delete('key');
  });

  test('replaces and deletes values', async () => {
    const store = fileStore(folder);
    await store.set('a', { n: 1 });
    await store.set('b', { n: 2 });
    await store.set('a', { n: 3 });
    await store.delete('b');
    expect([await store.get('a'), await store.get('b')]).toEqual([{ n: 3 }, undefined]);
    expect(await filesOf()).toHaveLength(1);
  });

  test.each([0o640, 0o604, 0o622])('refuses a file with mode %o', async (mode) => {
    const store = fileStore(folder);
    await store.set('key', { token: 'very-secret' });
    const [file = ''] = await filesOf();
    await chmod(file, mode);
    const error = await rejectionOf(store.get('key'));
    expect(error.message).toBe(
      `${file} can be accessed by other users (mode ${mode.toString(8)}); tokens may have leaked: revoke them, delete it and sign in again, or run chmod 600`,
    );
    // It is replaced by a new one, with the right mode.
    await store.set('key', { token: 'new' });
    expect([await store.get('key'), await modeOf(file)]).toEqual([{ token: 'new' }, '600']);
  });

  test('refuses a folder that others can access', async () => {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
    const error = await rejectionOf(fileStore(folder).set('key', {}));
    expect(error.message).toContain(`${folder} can be accessed by other users (mode 755)`);
    expect(error.message).toContain('chmod 700');
    expect(await filesOf()).toEqual([]);
  });

  test('does not follow links', async () => {
    const store = fileStore(folder);
    await store.set('key', {});
    const [file = ''] = await filesOf();
    const other = path.join(parent, 'other');
    await writeFile(other, '{"key":"key","value":{"token":"planted"}}', { mode: 0o600 });
    await rm(file);
    await symlink(other, file);
    await rejectionOf(store.get('key'));
    await store.set('key', { n: 1 });
    expect(await readFile(other, 'utf8')).toContain('planted');
    expect(await store.get('key')).toEqual({ n: 1 });
  });

  test.each(['', '{', '[]', '{"key":"another","value":{}}', '{"key":"key","value":1}'])(
    'refuses a file with %j',
    async (text) => {
      const store = fileStore(folder);
      await store.set('key', {});
      const [file = ''] = await filesOf();
      await writeFile(file, text);
      const error = await rejectionOf(store.get('key'));
      expect(error.message).toBe(`${file} is not a file of this token store; delete it and sign in again`);
    },
  );

  test('deletes what has expired and what a crash has left', async () => {
    const store = fileStore(folder);
    await store.set('old', {}, Date.now() - 1);
    await store.set('new', {}, Date.now() + 60_000);
    const [file = ''] = await filesOf();
    const left = `${file}.0123456789abcdef.tmp`;
    await writeFile(left, '');
    await utimes(left, new Date(0), new Date(0));
    await store.set('other', {});
    expect([await store.get('old'), await store.get('new')]).toEqual([undefined, {}]);
    expect((await filesOf()).every((name) => name.endsWith('.json'))).toBe(true);
  });

  test('runs tasks one after the other', async () => {
    const [first, second] = [fileStore(folder), fileStore(folder)];
    let running = 0;
    let most = 0;
    const task = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
    };
    await Promise.all([1, 2, 3].flatMap(() => [first.exclusive('key', task), second.exclusive('key', task)]));
    expect(most).toBe(1);
    await first.exclusive('key', () => Promise.reject(new Error('x'))).catch(() => undefined);
    await second.exclusive('key', task);
    expect(await filesOf()).toEqual([]);
  });
});

describe('a provider with a file store', () => {
  test('uses its tokens in the next process', async () => {
    const servers = await startServers();
    await connectWith(servers.mcp, testProvider({ store: fileStore(folder) }));
    const opened: URL[] = [];
    await connectWith(servers.mcp, testProvider({ store: fileStore(folder), redirect: agreeingUser(opened) }));
    expect(opened).toEqual([]);
    // The first request has the token already.
    expect(servers.atServer.filter(({ path: at, headers }) => at === '/mcp' && !headers.authorization)).toHaveLength(1);
  });

  test('reports what is wrong with the store', async () => {
    const servers = await startServers();
    await connectWith(servers.mcp, testProvider({ store: fileStore(folder) }));
    for (const file of await filesOf()) await chmod(file, 0o644);
    const error = await rejectionOf(
      connectWith(servers.mcp, testProvider({ store: fileStore(folder) })),
      UnauthorizedError,
    );
    expect(error.message).toContain('OAuth: token store: ');
    expect(error.message).toContain('can be accessed by other users (mode 644); tokens may have leaked');
    expect(error.message).toContain('chmod 600');
  });
});
