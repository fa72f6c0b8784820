/** Conversations of a server with tasks, recorded over stdio and HTTP: nothing in them breaks the protocol. */
import { spawn } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build } from 'esbuild';
import { createClient, type Client } from '../../generated/2026-07-28/client.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { serveHttp } from '../../generated/runtime/http-node.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import { callToolAsTask, clientTasks } from '../../generated/runtime/task-client.js';
import { defineTaskTool } from '../../generated/runtime/tasks.js';
import { inspectRecording } from '../../generator/inspect/inspect.js';
import { CLI, plainEnvironment } from '../support/cli.js';
import { NODE_22 } from '../tasks/sqlite.js';
import { latest, older } from '../tasks/revisions.js';
import { delay, taskServer } from '../tasks/support.js';

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-tasks-'));
const program = path.join(folder, 'shared-server.mjs');

beforeAll(async () => {
  const entry = path.resolve(import.meta.dirname, '../tasks/shared-server.ts');
  await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm' });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Calls a tool that is followed, and one whose task is cancelled. */
async function converse(transport: Transport, revision: typeof latest, name: string): Promise<void> {
  const client: Client = createClient({
    info: { name: 'test', version: '1' },
    revisions: [revision],
    tasks: clientTasks(),
  });
  await client.connect(transport);
  await client.listTools();
  const { content } = await client.callTool({ name, arguments: { ms: 50 } });
  expect(content).toMatchObject([{ text: 'done' }]);
  const task = await callToolAsTask(client, { name, arguments: { ms: 60_000 } });
  await task.cancel();
  await client.close();
}

/** What a recording breaks, and the methods in it. */
async function inspected(
  file: string,
): Promise<{ readonly findings: readonly string[]; readonly methods: readonly string[] }> {
  const methods = new Set<string>();
  const { conversations } = await inspectRecording(createReadStream(file), {
    onEntry: ({ messages }) => {
      for (const { method } of messages) if (method !== undefined) methods.add(method);
    },
  });
  const findings = conversations.flatMap((conversation) =>
    conversation.findings.map(({ rule, message, frame }) => `${frame}: ${rule}: ${message}`),
  );
  return { findings, methods: [...methods] };
}

test.each([
  ['2026-07-28', latest],
  ['2025-11-25', older],
] as const)(
  'over stdio in %s',
  async (version, revision) => {
    const file = path.join(folder, `${version}.ndjson`);
    const server = [NODE_22, '--no-warnings', program, path.join(folder, `${version}.db`), path.join(folder, 'log')];
    const args = [CLI, 'record', '--out', file, '--', ...server];
    await converse(stdioClientTransport({ command: process.execPath, args }), revision, 'once');
    const { findings, methods } = await inspected(file);
    expect(findings).toEqual([]);
    expect(methods).toEqual(expect.arrayContaining(['tools/call', 'tasks/get', 'tasks/cancel']));
  },
  60_000,
);

test('over HTTP in 2026-07-28', async () => {
  const tool = defineTaskTool({
    name: 'once',
    taskSupport: 'required',
    run: async (args) => {
      await delay(Number(args['ms']));
      return 'done';
    },
  });
  const { server, tasks } = taskServer([tool]);
  const listening = await serveHttp(createHttpHandler({ server }), { port: 0 });
  const file = path.join(folder, 'http.ndjson');
  const proxy = spawn(process.execPath, [CLI, 'record', '--out', file, '--http', listening.url.href], {
    env: plainEnvironment(),
  });
  try {
    let log = '';
    proxy.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const address = (): string | undefined => /record: (http:\S+) forwards to/.exec(log)?.[1];
    while (address() === undefined && proxy.exitCode === null) await delay(20);
    await converse(httpClientTransport({ url: address() ?? '' }), latest, 'once');
  } finally {
    proxy.kill('SIGINT');
    await new Promise((resolve) => proxy.once('exit', resolve));
    await tasks.close();
    await listening.close();
  }
  const { findings, methods } = await inspected(file);
  expect(findings).toEqual([]);
  expect(methods).toEqual(expect.arrayContaining(['tools/call', 'tasks/get', 'tasks/cancel']));
}, 60_000);
