import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import path from 'node:path';
import { Client as V2Client, StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildClient } from '../../templates/client/src/client.js';
import { httpClientTransport } from '../../templates/client/src/generated/runtime/http-client.js';
import { listen as listenV1 } from '../../templates/server/src/listen.sdk-v1.js';
import { listen as listenV2 } from '../../templates/server/src/listen.sdk.js';

const INFO = { name: 'visitor', version: '1.0.0' };
const GREETING = [{ type: 'text', text: 'Hello, Ann!' }];
const CALL = { name: 'greet', arguments: { name: 'Ann' } };
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO },
};
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const DISCOVER = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: META } };

describe.each([
  ['2.x', listenV2, NodeStreamableHTTPServerTransport],
  ['1.x', listenV1, StreamableHTTPServerTransport],
] as const)('the server over HTTP with the transport of the official SDK %s', (_, listen, Transport) => {
  let listening: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    listening = await listen(0);
  });
  afterAll(() => listening.close());

  const post = (message: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(listening.url, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(message) });
  const begin = async (): Promise<string> => {
    const response = await post(INITIALIZE);
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  };
  /** The status of a request for a path, with headers that `fetch` does not let through. */
  const statusOf = (target: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { port } = listening.url;
      const sent = request({ port, path: target, method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end('{}');
    });

  test('serves clients of both versions at the same time', async () => {
    const v1 = new V1Client(INFO);
    const v2 = new V2Client(INFO, { versionNegotiation: { mode: 'auto' } });
    await v1.connect(new V1Http(listening.url));
    await v2.connect(new V2Http(listening.url));
    for (const client of [v1, v2]) {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('greet');
    }
    const called = await Promise.all([v1, v2].map((client) => client.callTool(CALL)));
    expect(called.map(({ content }) => content)).toEqual([GREETING, GREETING]);
    await Promise.all([v1.close(), v2.close()]);
  });

  test('a client of ours that would rather speak 2026-07-28 takes what there is', async () => {
    const client = buildClient();
    await client.connect(httpClientTransport({ url: listening.url.href }));
    expect(client.revision).toBe('2025-11-25');
    expect(await client.callTool(CALL)).toMatchObject({ content: GREETING });
    await client.close();
  });

  test('a client of ours over the transport of each version', async () => {
    for (const transport of [new V1Http(listening.url), new V2Http(listening.url)]) {
      const client = buildClient();
      await client.connect(transport);
      expect(client.revision).toBe('2025-11-25');
      expect(await client.callTool(CALL)).toMatchObject({ content: GREETING });
      await client.close();
    }
  });

  test('answers 404 to an unknown session', async () => {
    const id = await begin();
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    const alive = await post(ping, { 'mcp-session-id': id });
    expect([alive.status, await alive.text()]).toEqual([200, expect.stringContaining('"result":{}')]);
    await fetch(listening.url, { method: 'DELETE', headers: { 'mcp-session-id': id } });
    expect((await post(ping, { 'mcp-session-id': id })).status).toBe(404);
    expect((await post(ping, { 'mcp-session-id': 'never' })).status).toBe(404);
  });

  test('what begins no session leaves none behind', async () => {
    const close = vi.spyOn(Transport.prototype, 'close');
    try {
      expect((await post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(400);
      await expect.poll(() => close.mock.calls.length).toBe(1);
      expect((await post(DISCOVER)).status).toBe(400);
      await expect.poll(() => close.mock.calls.length).toBe(2);
      await begin();
      expect(close).toHaveBeenCalledTimes(2);
    } finally {
      close.mockRestore();
    }
  });

  test('ends the least recently used session past the limit', async () => {
    const [first, second] = [await begin(), await begin()];
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': first });
    for (let count = 0; count < 99; count += 1) await begin();
    const status = async (id: string): Promise<number> =>
      (await post({ jsonrpc: '2.0', id: 2, method: 'ping' }, { 'mcp-session-id': id })).status;
    expect([await status(first), await status(second)]).toEqual([200, 404]);
  });

  test.each([
    ['no path of ours', '/other', {}, 404],
    ['a path that is no path', '//', {}, 404],
    ["another site's page", '/mcp', { origin: 'https://example.com' }, 403],
    ['a page without a site', '/mcp', { origin: 'null' }, 403],
    ['a name that leads here and is not ours', '/mcp', { host: 'example.com' }, 403],
    [
      'a page of this machine, which is let through to be told what is wrong',
      '/mcp',
      { origin: 'http://localhost:1' },
      406,
    ],
  ])('%s', async (_what, target, headers, status) => {
    expect(await statusOf(target, headers)).toBe(status);
  });

  test('closing ends a stream that is open', async () => {
    const other = await listen(0);
    const begun = await fetch(other.url, { method: 'POST', headers: HEADERS, body: JSON.stringify(INITIALIZE) });
    await begun.text();
    const stream = await fetch(other.url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' },
    });
    expect(stream.status).toBe(200);
    await other.close();
    expect(await stream.text()).toBe('');
    await expect(fetch(other.url)).rejects.toThrow();
  });
});

test('the transport of the official SDK 1.x supports the stateless revision over stdio', async () => {
  const program = path.resolve('templates/server/src/index.sdk-v1.ts');
  const child = spawn(process.execPath, [path.resolve('node_modules/tsx/dist/cli.mjs'), program]);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stdin.write(`${JSON.stringify(DISCOVER)}\n`);
  child.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { ...CALL, _meta: META } })}\n`,
  );
  await expect.poll(() => output.split('\n').length, { timeout: 60_000 }).toBe(3);
  // The program ends with its input.
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code).toBe(0);
  expect(
    output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([
    { id: 1, result: { supportedVersions: ['2026-07-28'] } },
    { id: 2, result: { content: GREETING } },
  ]);
});
