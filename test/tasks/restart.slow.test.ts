/* eslint-disable @typescript-eslint/no-deprecated -- `roots/list` is the input that needs the least. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../generated/2026-07-28/client.js';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import { callToolAsTask, clientTasks, resumeTask } from '../../generated/runtime/task-client.js';
import { NODE_22 } from './sqlite.js';
import { latest } from './revisions.js';
import { delay } from './support.js';

// Several processes share one SQLite file, and are killed.

const folder = mkdtempSync(path.join(os.tmpdir(), 'tasks-restart-'));
const program = path.join(folder, 'shared-server.mjs');
const clients: Client[] = [];
let files = 0;

beforeAll(async () => {
  await build({
    entryPoints: [path.join(import.meta.dirname, 'shared-server.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A new database and a new log. */
function newFiles(): { readonly database: string; readonly log: string } {
  files += 1;
  const log = path.join(folder, `${files}.log`);
  writeFileSync(log, '');
  return { database: path.join(folder, `${files}.db`), log };
}

const linesOf = (log: string): readonly string[] => readFileSync(log, 'utf8').trim().split('\n').filter(Boolean);

async function start({
  database,
  log,
}: ReturnType<typeof newFiles>): Promise<{ client: Client; kill(): Promise<void> }> {
  const client = createClient({
    info: { name: 'test', version: '1' },
    revisions: [latest],
    tasks: clientTasks(),
    handlers: { 'roots/list': () => ({ roots: [{ uri: 'file:///home' }] }) },
  });
  await client.connect(stdioClientTransport({ command: NODE_22, args: ['--no-warnings', program, database, log] }));
  clients.push(client);
  const { content } = await client.callTool({ name: 'pid' });
  const pid = Number((content[0] as { text: string }).text);
  return {
    client,
    kill: async () => {
      process.kill(pid, 'SIGKILL');
      await client.closed;
    },
  };
}

/** Starts tasks of a tool. Returns their ids. */
async function startTasks(client: Client, name: string, ms: number, count: number): Promise<readonly string[]> {
  const started = await Promise.all(
    Array.from({ length: count }, () => callToolAsTask(client, { name, arguments: { ms } })),
  );
  return started.map(({ id = '' }) => id);
}

async function outcomeOf(client: Client, id: string): Promise<string> {
  try {
    const { content } = await resumeTask(client, id).result();
    return (content[0] as { text: string }).text;
  } catch (error) {
    return (error as Error).message;
  }
}

/** How often each line that begins with a text is in a log, by the task's id. */
function countById(log: string, begin: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of linesOf(log)) {
    if (!line.startsWith(begin)) continue;
    const id = line.split(' ').at(-1) ?? '';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

describe('a server is killed with open tasks, and started again', () => {
  test('no task is lost, and none runs twice', { timeout: 60_000 }, async () => {
    const shared = newFiles();
    const first = await start(shared);
    const ids = await startTasks(first.client, 'once', 60_000, 20);
    const done = await startTasks(first.client, 'once', 1, 5);
    for (const id of done) expect(await outcomeOf(first.client, id)).toBe('done');
    await first.kill();
    const { client } = await start(shared);
    for (const id of ids) expect(await outcomeOf(client, id)).toBe('The server stopped while it ran the task');
    for (const id of done) expect(await outcomeOf(client, id)).toBe('done');
    const counts = countById(shared.log, 'once');
    expect(counts.size).toBe(25);
    expect([...counts.values()].every((count) => count === 1)).toBe(true);
  });

  test('tasks of a resumable tool go on from their last step, each in one process', { timeout: 60_000 }, async () => {
    const shared = newFiles();
    const [first, second, third] = [await start(shared), await start(shared), await start(shared)] as const;
    const ids = await startTasks(first.client, 'steps', 100, 20);
    while (linesOf(shared.log).filter((line) => line.startsWith('step')).length < 30) await delay(10);
    await first.kill();
    for (const [index, id] of ids.entries())
      expect(await outcomeOf(index % 2 === 0 ? second.client : third.client, id)).toBe('five steps');
    expect([...countById(shared.log, 'attempt 1').values()]).toEqual(ids.map(() => 1));
    const resumed = countById(shared.log, 'attempt 2');
    expect([...resumed.values()].every((count) => count === 1)).toBe(true);
    expect(resumed.size).toBeGreaterThan(0);
    expect(linesOf(shared.log).filter((line) => line.startsWith('attempt 3'))).toEqual([]);
    // A step is repeated only if the process was killed between its effect and its `save`.
    for (const id of ids) {
      const own = linesOf(shared.log).filter((line) => line.startsWith('step') && line.endsWith(id));
      expect(new Set(own).size).toBe(5);
      expect(own.length).toBeLessThanOrEqual(6);
    }
  });
});

describe('two processes share one file', () => {
  test('each knows the tasks of the other', { timeout: 60_000 }, async () => {
    const shared = newFiles();
    const [one, other] = [await start(shared), await start(shared)] as const;
    const [id = ''] = await startTasks(one.client, 'once', 300, 1);
    expect(await outcomeOf(other.client, id)).toBe('done');
    expect(await outcomeOf(one.client, id)).toBe('done');
  });

  test('an input is answered, and a task cancelled, through the other process', { timeout: 60_000 }, async () => {
    const shared = newFiles();
    const [one, other] = [await start(shared), await start(shared)] as const;
    const [id = '', cancelled = ''] = await startTasks(one.client, 'waiting', 0, 2);
    expect(await outcomeOf(other.client, id)).toBe('{"roots":[{"uri":"file:///home"}]}');
    await resumeTask(other.client, cancelled).cancel();
    while (!linesOf(shared.log).includes(`aborted ${cancelled}`)) await delay(20);
    expect(await outcomeOf(one.client, cancelled)).toContain('the task was cancelled');
  });
});
