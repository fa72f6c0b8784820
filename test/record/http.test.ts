import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { entriesFrom, readAll, readRecording } from './support.js';
import { started, serve, startProxy, send, httpOf } from './http-support.js';

afterAll(removeTemporaryFolders);
afterEach(() => {
  for (const { kill } of started.splice(0)) kill();
});

describe('the reference server', () => {
  const PROGRAM = path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');

  async function freePort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return port;
  }

  test.each([
    {
      mode: 'streamableHttp',
      at: 'mcp',
      transport: (url: URL): Transport => new StreamableHTTPClientTransport(url) as Transport,
    },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- It is what servers of 2024-11-05 need.
    { mode: 'sse', at: 'sse', transport: (url: URL): Transport => new SSEClientTransport(url) },
  ])('over $mode speaks with the official client, and all of it is recorded', async ({ mode, at, transport }) => {
    const port = await freePort();
    const server = spawn(process.execPath, [PROGRAM, mode], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    started.push({ kill: () => server.kill() });
    await new Promise<void>((resolve) => {
      server.stderr.on('data', (chunk) => {
        if (String(chunk).includes('port')) resolve();
      });
    });
    const proxy = await startProxy(`http://127.0.0.1:${port}/${at}`);
    const client = new Client({ name: 'visitor', version: '1.0.0' });
    await client.connect(transport(new URL(proxy.url)));
    const progress: number[] = [];
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    const echoed = await client.callTool({ name: 'echo', arguments: { message: 'roses' } });
    expect(JSON.stringify(echoed)).toContain('Echo: roses');
    await client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } },
      undefined,
      {
        onprogress: (step) => progress.push(step.progress),
      },
    );
    expect(progress).toContain(1);
    await client.close();
    const log = await proxy.stop();
    expect(log).toMatch(/recorded \d+ requests in /);

    const entries = readRecording(proxy.file);
    expect(entries[0]?.recording).toMatchObject({ transport: 'http', server: `http://127.0.0.1:${port}/${at}` });
    const methods = entries.flatMap(({ from, frame }) =>
      from === 'client' && frame !== undefined ? [(frame as { method?: string }).method] : [],
    );
    expect(methods.slice(0, 4)).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/call']);
    const events = entries.filter(({ from, http }) => from === 'server' && http?.event !== undefined);
    expect(JSON.stringify(events.map(({ frame }) => frame))).toContain('Echo: roses');
    expect(JSON.stringify(events.map(({ frame }) => frame))).toContain('notifications/progress');
    const first = entries.find(({ from }) => from === 'server');
    expect(first?.http).toMatchObject({ exchange: 1, status: 200 });
    expect(first?.http?.headers?.['content-type']).toContain('text/event-stream');
    if (mode === 'sse')
      expect(events[0]).toMatchObject({
        text: expect.stringContaining('sessionId=') as string,
        http: { event: { event: 'endpoint' } },
      });
    else expect(first?.http?.headers?.['mcp-session-id']).toMatch(/^[\w-]{20,}$/);
    // Every request was answered, and every stream has an end.
    const requests = entries.flatMap(({ http }) => (http?.method === undefined ? [] : [http.exchange]));
    expect(requests).toEqual(requests.map((_, index) => index + 1));
    expect(entries.flatMap(({ http }) => (http?.status === undefined ? [] : [http.exchange])).sort()).toEqual(
      [...requests].sort(),
    );
  });
});

describe('a request', () => {
  test('passes with its path, headers and body, except what belongs to a connection', async () => {
    let seen: { path: string | undefined; raw: readonly string[]; body: string } | undefined;
    const origin = await serve((incoming, outgoing) => {
      void readAll(incoming).then((body) => {
        seen = { path: incoming.url, raw: incoming.rawHeaders, body: body.toString() };
        outgoing
          .writeHead(202, [
            'X-Twice',
            'a',
            'X-Twice',
            'b',
            'Set-Cookie',
            'c=d',
            'Keep-Alive',
            'timeout=9',
            'Proxy-Authenticate',
            'Basic',
          ])
          .end();
      });
    });
    const proxy = await startProxy(`${origin}/mcp`);
    const { port } = new URL(proxy.url);
    const answer = await send(proxy.url, {
      method: 'POST',
      path: '/mcp/../a%2f?x=1&access_token=query-secret',
      headers: {
        Accept: 'application/json, text/event-stream',
        Authorization: 'Bearer header-secret',
        Origin: `http://127.0.0.1:${port}`,
        Connection: 'X-Hop, close',
        'X-Hop': '1',
        'Proxy-Authorization': 'Basic proxy-secret',
        'X-Other': ['1', '2'],
        'Mcp-Session-Id': 'session-1',
      },
      body: '{"id":1.0}',
    });
    expect(seen?.path).toBe('/mcp/../a%2f?x=1&access_token=query-secret');
    expect(seen?.body).toBe('{"id":1.0}');
    const headers = seen?.raw.join('\n') ?? '';
    expect(headers).toContain(`host\n${new URL(origin).host}`);
    expect(headers).toContain(`Origin\n${origin}`);
    expect(headers).toContain('Authorization\nBearer header-secret');
    expect(headers).toContain('X-Other\n1\nX-Other\n2');
    expect(headers).not.toMatch(/X-Hop|proxy-auth/i);
    expect(answer.status).toBe(202);
    expect(answer.raw.join('\n')).toContain('X-Twice\na\nX-Twice\nb\nSet-Cookie\nc=d');
    expect(answer.raw.join('\n')).not.toMatch(/timeout=9|proxy-auth/i);

    const log = await proxy.stop();
    expect(log).toContain('redacted access_token (1), authorization (1), proxy-authorization (1), set-cookie (1) in ');
    expect(readFileSync(proxy.file, 'utf8')).toContain('"frame":{"id":1.0}');
    expect(readFileSync(proxy.file, 'utf8')).not.toMatch(/-secret|c=d/);
    const [asked, answered] = readRecording(proxy.file).slice(1);
    expect(asked?.http).toMatchObject({
      exchange: 1,
      method: 'POST',
      path: '/mcp/../a%2f?x=1&access_token=[redacted]',
      headers: { authorization: '[redacted]', 'x-other': '1, 2', 'mcp-session-id': 'session-1' },
    });
    expect(asked?.redacted).toEqual(['/http/path', '/http/headers/authorization', '/http/headers/proxy-authorization']);
    expect(answered?.http).toMatchObject({
      exchange: 1,
      status: 202,
      headers: { 'x-twice': 'a, b', 'set-cookie': '[redacted]' },
    });
  });
});

describe('a response', () => {
  test('that is an event stream passes event by event, and each is recorded with its fields', async () => {
    const parts = [
      'id: 1\nretry: 500\ndata:\n\n',
      ': comment\n\nevent: message\nid: 2\ndata: {"a":\ndata: 1.0}\n\n',
      'data: not json\r\n\r\n',
      'retry: 7\n\n',
      'data: incomp',
    ];
    let next = (): void => undefined;
    const origin = await serve((_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream;charset=utf-8' }).flushHeaders();
      next = () => {
        const part = parts.shift();
        if (part === undefined) outgoing.end();
        else outgoing.write(part);
      };
    });
    const proxy = await startProxy(`${origin}/mcp`);
    const sent = request(proxy.url, { headers: { accept: 'text/event-stream' } });
    sent.end();
    // Headers come before the first event.
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    for (const part of [...parts]) {
      next();
      const [chunk] = (await once(response, 'data')) as [Buffer];
      expect(chunk.toString()).toBe(part);
    }
    next();
    await once(response, 'end');
    await proxy.stop();
    expect(httpOf(entriesFrom(proxy.file, 'server')).slice(1)).toEqual([
      { from: 'server', http: { exchange: 1, event: { id: '1', retry: 500 } }, frame: undefined },
      { from: 'server', http: { exchange: 1, event: { id: '2', event: 'message' } }, frame: { a: 1 } },
      { from: 'server', http: { exchange: 1, event: {} }, frame: 'not json' },
      { from: 'server', http: { exchange: 1, event: { retry: 7 } }, frame: undefined },
      { from: 'server', http: { exchange: 1, end: 'complete' }, frame: undefined },
    ]);
    expect(readFileSync(proxy.file, 'utf8')).toContain('"frame":{"a": 1.0}');
  });
});
