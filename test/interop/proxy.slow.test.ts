import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client as V2Client, StreamableHTTPClientTransport as V2HttpTransport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1HttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { freePort } from '../support/free-port.js';
import { codeBlocks } from '../support/markdown.js';
import { codeOf } from './peers/clients.js';
import { testFeatures } from './stdio-peers.js';
import { STATELESS } from './peers/fixture-peers.js';
import { serverProgram } from './peers/program.js';
import type { Program } from './peers/program.js';

// The validating proxy of docs/gateways.md, between clients and servers of both official SDKs and ours.

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

const CLIENT_INFO = { name: 'me', version: '1.0.0' };

const PAIRS = [
  { client: 'v1', server: 'v1', revision: '2025-11-25' },
  { client: 'v2', server: 'v2', revision: '2025-11-25' },
  { client: 'v2', server: 'v2', revision: STATELESS },
  { client: 'v1', server: 'ours', revision: '2025-06-18' },
  { client: 'v2', server: 'ours', revision: STATELESS },
  { client: 'ours', server: 'v1', revision: '2025-03-26' },
  { client: 'ours', server: 'v2', revision: STATELESS },
  { client: 'ours', server: 'ours', revision: '2024-11-05' },
  { client: 'ours', server: 'ours', revision: STATELESS },
];

let proxy = '';
beforeAll(() => {
  const block = codeBlocks('docs/gateways.md').find(({ text }) => text.startsWith('// proxy.ts\n'));
  if (block === undefined) throw new Error('docs/gateways.md shows no proxy.ts');
  const generated = path.resolve('generated');
  proxy = path.join(temporaryFolder(), 'proxy.ts');
  writeFileSync(path.join(path.dirname(proxy), 'package.json'), '{ "type": "module" }\n');
  writeFileSync(proxy, block.text.replaceAll("'./out/", `'${generated}/`));
});
afterAll(removeTemporaryFolders);

/** The proxy in front of a program. */
function behindProxy({ command, args }: Program): Program {
  return { command, args: ['--import', TSX, proxy, command, ...args] };
}

describe.each(PAIRS)('$revision: client $client, proxy, server $server', (pair) => {
  const peer = testFeatures(pair, behindProxy);

  test('the proxy answers a request with invalid params', async () => {
    const error = await peer.request('tools/call', { arguments: {} }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(codeOf(error)).toBe(-32602);
    expect(String(error)).toContain('Refused by the proxy: /name is missing');
  });
});

describe('a request that the proxy cannot validate yet', () => {
  const META = 'io.modelcontextprotocol/protocolVersion';
  const initialize = (protocolVersion: string): object => ({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'me', version: '1.0.0' } },
  });
  const call = (name: unknown, _meta?: object): object => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, _meta },
  });
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

  /** All that a client receives which sends its frames at once. */
  function answersTo(...frames: readonly unknown[]): ReadonlyMap<unknown, Readonly<Record<string, unknown>>> {
    const { command, args } = behindProxy(serverProgram('ours', '2025-11-25'));
    const input = frames.map((frame) => `${JSON.stringify(frame)}\n`).join('');
    const { stdout } = spawnSync(command, args, { input, encoding: 'utf8', timeout: 30_000 });
    const answers = stdout.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as object)));
    return new Map(answers.map((answer) => [(answer as { id: unknown }).id, { ...answer }]));
  }

  test('is validated in the revision that a pending initialize proposes', () => {
    const answers = answersTo(initialize('2025-11-25'), call(5), ping);
    expect(answers.get(1)?.['error']).toEqual({
      code: -32602,
      message: 'Refused by the proxy: /name is wrong (CallToolRequestParams): expected a string, found 5',
    });
    expect(answers.get(0)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    expect(answers.get(2)).toHaveProperty('result');
  });

  test('is refused after the proposal of an unknown version, and ping is not', () => {
    const answers = answersTo(initialize('2099-01-01'), call('echo'), ping);
    expect(answers.get(1)).toMatchObject({ error: { code: -32600 } });
    expect(answers.get(0)).toHaveProperty('result');
    expect(answers.get(2)).toHaveProperty('result');
  });

  test('is refused when it names an unknown version', () => {
    const answers = answersTo(call('echo', { [META]: '2099-01-01' }));
    expect(answers.get(1)).toMatchObject({ error: { code: -32600 } });
  });

  test('is validated in a batch', () => {
    const answers = answersTo([call(5), ping]);
    expect(answers.get(1)).toMatchObject({ error: { code: -32602 } });
    expect(answers.get(2)).toMatchObject({ error: { code: -32600 } });
  });

  test('is refused when its params are no object', () => {
    const answers = answersTo(initialize('2025-11-25'), { ...call(5), params: ['echo'] });
    expect(answers.get(1)).toMatchObject({
      error: { code: -32602, message: 'Invalid params: params is not an object' },
    });
  });
});

test('the proxy names a command that does not exist', () => {
  const args = ['--import', TSX, proxy, 'no-such-command'];
  const { status, stderr } = spawnSync(process.execPath, args, { input: '', encoding: 'utf8', timeout: 30_000 });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'cannot start "no-such-command": no such command (ENOENT)\n',
  });
});

describe('the HTTP gateway of docs/gateways.md', () => {
  const gateway: { child?: ChildProcess; url?: URL } = {};
  beforeAll(async () => {
    const block = codeBlocks('docs/gateways.md').find(({ text }) => text.startsWith('// http-gateway.ts\n'));
    if (block === undefined) throw new Error('docs/gateways.md shows no http-gateway.ts');
    const folder = temporaryFolder();
    const file = path.join(folder, 'http-gateway.ts');
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n');
    symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'), 'dir');
    writeFileSync(file, block.text.replaceAll("'./out/", `'${path.resolve('generated')}/`));
    const port = String(await freePort());
    const { command, args } = serverProgram('v1', '2025-11-25');
    const child = spawn(process.execPath, ['--import', TSX, file, port, command, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    gateway.child = child;
    gateway.url = new URL(`http://127.0.0.1:${port}/mcp`);
    const [text] = (await once(child.stderr, 'data')) as [Buffer];
    expect(text.toString()).toBe(`${gateway.url.href}\n`);
  }, 60_000);
  afterAll(() => gateway.child?.kill());

  const urlOf = (): URL => gateway.url ?? new URL('http://unset');
  const status = async (init: RequestInit): Promise<number> => (await fetch(urlOf(), init)).status;

  test.each([
    ['v1', () => new V1Client(CLIENT_INFO), () => new V1HttpTransport(urlOf())],
    ['v2', () => new V2Client(CLIENT_INFO), () => new V2HttpTransport(urlOf())],
  ])('a client of %s lists tools, and gets the error of the gateway', async (_name, create, connect) => {
    const client = create();
    await client.connect(connect());
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    const call = client.callTool({ name: 5 as never });
    await expect(call).rejects.toThrow(/\/name is wrong \(CallToolRequestParams\): expected a string, found 5/);
    await client.close();
  });

  test('what opens no session is refused', async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    expect(await status({ method: 'GET' })).toBe(405);
    expect(await status({ method: 'POST', headers: { ...headers, 'mcp-session-id': 'none' }, body: '{}' })).toBe(404);
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(await status({ method: 'POST', headers, body: list })).toBe(400);
  });
});
