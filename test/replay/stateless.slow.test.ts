/** A recording of 2026-07-28: as a mock server over HTTP, and as a test that runs against it. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../generated/2026-07-28/client.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { CLI, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';

/** Lines of the fixture that are calls without cancellation and subscriptions. */
const LINES = 35;

let folder = '';
let url = '';
let stop: () => unknown = () => undefined;

beforeAll(async () => {
  folder = temporaryFolder();
  const lines = readFileSync(path.resolve('test/fixtures/2026-07-28/ours-ours.ndjson'), 'utf8').split('\n');
  writeFileSync(path.join(folder, 'calls.ndjson'), `${lines.slice(0, LINES).join('\n')}\n`);
  const args = [CLI, 'replay', path.join(folder, 'calls.ndjson'), '--as-server', '--port', '0'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  stop = () => server.kill();
  url = await new Promise<string>((resolve, reject) => {
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      const [, found] = /listening on (\S+)/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    server.once('exit', () => {
      reject(new Error('the server ended'));
    });
  });
});

afterAll(() => {
  stop();
  removeTemporaryFolders();
});

test('--as-server answers a client of 2026-07-28 over HTTP, without a session', async () => {
  const client = createClient({ info: { name: 'ours', version: '1.0.0' } });
  await client.connect(httpClientTransport({ url: new URL(url) }));
  expect(client.revision).toBe('2026-07-28');
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
  });
  // This revision has no handshake, and a method that does not exist has this status.
  expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([404, null]);
});

test('--as-test with a URL writes a test that passes against the server at it', { timeout: 120_000 }, async () => {
  const project = path.join(folder, 'project');
  mkdirSync(path.join(project, 'src/generated'), { recursive: true });
  for (const name of ['2026-07-28', 'runtime'])
    cpSync(path.resolve('generated', name), path.join(project, 'src/generated', name), { recursive: true });
  symlinkSync(path.resolve('node_modules'), path.join(project, 'node_modules'));
  writeFileSync(path.join(project, 'package.json'), '{"type":"module"}');
  const run = await mcpgen(['replay', '../calls.ndjson', '--as-test', 'test', url], { cwd: project });
  expect([run.code, run.stderr]).toEqual([0, '']);
  const text = readFileSync(path.join(project, 'test/calls.test.ts'), 'utf8');
  expect(text).toContain('/2026-07-28/client.js');
  expect(text).toContain(`httpClientTransport({ url: ${JSON.stringify(url)} })`);
  const args = [path.resolve('node_modules/vitest/vitest.mjs'), 'run', '--root', project, 'test/calls.test.ts'];
  const { status, stdout } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  const [, calls = ''] = /: (\d+) calls/.exec(run.stdout) ?? [];
  expect([status, stdout]).toEqual([0, expect.stringMatching(new RegExp(`Tests\\s+${calls} passed`))]);
});
