import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { CLI, plainEnvironment, removeTemporaryFolders } from '../support/cli.js';
import { proxying, servingPrivately } from '../tools/server-support.js';
import { endOf, entriesFrom, newRecording, readAll, readRecording, until } from './support.js';
import type { Recorded, RecordedLine } from './support.js';

afterAll(removeTemporaryFolders);

const started: { kill: () => unknown }[] = [];
afterEach(() => {
  for (const { kill } of started.splice(0)) kill();
});

/** Starts a server; returns its origin. */
async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  started.push({ kill: () => (server.closeAllConnections(), server.close()) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A proxy that records, and how to end it. */
interface Proxy {
  readonly url: string;
  readonly file: string;
  /** Ends it with Ctrl+C. Returns what it wrote to standard error. */
  readonly stop: () => Promise<string>;
}

async function startProxy(
  url: string,
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  form: 'option' | 'positional' = 'option',
): Promise<Proxy> {
  const file = newRecording();
  const server = form === 'option' ? ['--http', url] : [url];
  const child: Recorded = spawn(process.execPath, [CLI, 'record', '--out', file, ...server, ...options], {
    stdio: 'pipe',
    env: plainEnvironment(env),
  });
  started.push({ kill: () => child.kill('SIGKILL') });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  await until(() => log.includes(' forwards to ') || child.exitCode !== null);
  const [, address = ''] = /record: (http:\S+) forwards to/.exec(log) ?? [];
  const stop = async (): Promise<string> => {
    child.kill('SIGINT');
    expect(await endOf(child)).toEqual({ code: 0, signal: null });
    return log;
  };
  return { url: address, file, stop };
}

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A response with its body. */
interface Answer {
  readonly status: number | undefined;
  readonly raw: readonly string[];
  readonly body: Buffer;
}

async function send(
  url: string,
  options: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer; path?: string } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body, path: target } = options;
  const sent = request(url, { method, headers, agent: false, ...(target === undefined ? {} : { path: target }) });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, raw: response.rawHeaders, body: await readAll(response) };
}

function httpOf(entries: readonly RecordedLine[]): readonly unknown[] {
  return entries
    .filter(({ http }) => http !== undefined)
    .map(({ from, http, frame, text, base64 }) => ({ from, http, frame: frame ?? text ?? base64 }));
}

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

  test('and its response pass with headers in any encoding, byte for byte', async () => {
    // Node has headers as Latin-1: one character is one byte.
    const [utf8, latin1] = [Buffer.from('Grüße 你好').toString('latin1'), 'Gr\u00fc\u00dfe'];
    let seen: IncomingMessage | undefined;
    const origin = await serve((incoming, outgoing) => {
      seen = incoming;
      outgoing.writeHead(200, ['X-Utf8', utf8, 'X-Latin1', latin1, 'Content-Length', '2']).end(Buffer.from('{}'));
    });
    const proxy = await startProxy(`${origin}/mcp`);
    const answer = await send(proxy.url, { headers: { 'X-Utf8': utf8, 'X-Latin1': latin1 } });
    expect(seen?.headers).toMatchObject({ 'x-utf8': utf8, 'x-latin1': latin1 });
    expect(answer.status).toBe(200);
    expect(answer.raw.slice(0, 4)).toEqual(['X-Utf8', utf8, 'X-Latin1', latin1]);
    await proxy.stop();
    for (const { http } of readRecording(proxy.file).slice(1))
      expect(http?.headers).toMatchObject({ 'x-utf8': 'Grüße 你好', 'x-latin1': latin1 });
  });

  test('goes to a server with a private certificate, if NODE_EXTRA_CA_CERTS has its authority', async () => {
    const { port, ca, seen } = await servingPrivately();
    const list = { method: 'POST', headers: ACCEPT, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
    const trusting = await startProxy(`https://localhost:${port}/mcp`, [], { NODE_EXTRA_CA_CERTS: ca });
    expect((await send(trusting.url, list)).status).toBeLessThan(500);
    expect(seen).toHaveLength(1);
    await trusting.stop();
    const other = await startProxy(`https://localhost:${port}/mcp`);
    const refused = await send(other.url, list);
    expect([refused.status, refused.body.toString()]).toEqual([
      502,
      expect.stringMatching(/\((?:UNABLE_TO_VERIFY|SELF_SIGNED|UNABLE_TO_GET)/),
    ]);
    expect(seen).toHaveLength(1);
    await other.stop();
  });

  test('goes through the proxy of HTTPS_PROXY, unless NO_PROXY names the server', async () => {
    const { port, ca, seen } = await servingPrivately();
    const corporate = await proxying(port);
    const env = { NODE_EXTRA_CA_CERTS: ca, HTTPS_PROXY: corporate.url, no_proxy: '', https_proxy: '' };
    const proxy = await startProxy('https://mcp.invalid.example/mcp', [], env);
    await send(proxy.url, { method: 'POST', headers: ACCEPT, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
    expect(corporate.asked).toEqual(['CONNECT mcp.invalid.example:443']);
    expect(seen).toHaveLength(1);
    await proxy.stop();
    const direct = await startProxy(`https://localhost:${port}/mcp`, [], { ...env, no_proxy: 'localhost' });
    await send(direct.url, { method: 'POST', headers: ACCEPT, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
    expect(corporate.asked).toHaveLength(1);
    expect(seen).toHaveLength(2);
    await direct.stop();
  });

  test('goes through the proxy of HTTP_PROXY, to a server that is named as a URL without --http', async () => {
    const origin = await serve((_, outgoing) => outgoing.end('{"jsonrpc":"2.0","id":1,"result":{}}'));
    const corporate = await proxying(Number(new URL(origin).port));
    const env = { HTTP_PROXY: corporate.url, http_proxy: '', NO_PROXY: '', no_proxy: '' };
    const proxy = await startProxy('http://mcp.invalid.example/mcp', [], env, 'positional');
    await send(proxy.url, { method: 'POST', headers: ACCEPT, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
    expect(corporate.asked).toEqual(['CONNECT mcp.invalid.example:80']);
    await proxy.stop();
    expect(entriesFrom(proxy.file, 'server').map(({ frame }) => frame)).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
  });

  test('carries user and password of the URL, which are not recorded', async () => {
    const seen: (string | undefined)[] = [];
    const origin = await serve((incoming, outgoing) => {
      seen.push(incoming.headers.authorization);
      outgoing.end('{}');
    });
    const proxy = await startProxy(`${origin.replace('//', '//ada:lovelace@')}/mcp`);
    await send(proxy.url);
    await send(proxy.url, { headers: { authorization: 'Bearer own' } });
    const log = await proxy.stop();
    expect(seen).toEqual([`Basic ${Buffer.from('ada:lovelace').toString('base64')}`, 'Bearer own']);
    expect(log + readFileSync(proxy.file, 'utf8')).not.toMatch(/lovelace/);
  });

  test.each<[string, Record<string, string>]>([
    ['host', { host: 'evil.example' }],
    ['host', { host: '127.0.0.1.evil.example:80' }],
    ['origin', { origin: 'https://evil.example' }],
    ['origin', { origin: 'null' }],
  ])('with the %s of another machine is rejected: %j', async (name, headers) => {
    let count = 0;
    const origin = await serve((_, outgoing) => {
      count += 1;
      outgoing.end('{}');
    });
    const proxy = await startProxy(`${origin}/mcp`);
    const answer = await send(proxy.url, { method: 'POST', headers, body: '{}' });
    expect([answer.status, answer.body.toString()]).toEqual([403, `the header ${name} does not name this machine`]);
    const { port } = new URL(proxy.url);
    expect(
      (await send(proxy.url, { headers: { host: `localhost:${port}`, origin: 'http://localhost:6274' } })).status,
    ).toBe(200);
    const log = await proxy.stop();
    expect(log).toContain(`a request was rejected: the header ${name} does not name this machine`);
    expect(count).toBe(1);
    expect(httpOf(readRecording(proxy.file))).toHaveLength(2);
  });

  test('to a server that does not run is answered with 502', async () => {
    const proxy = await startProxy('http://127.0.0.1:9/mcp');
    const answer = await send(proxy.url, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(502);
    expect(answer.body.toString()).toBe('mcpgen record: no response from http://127.0.0.1:9 (ECONNREFUSED)');
    await proxy.stop();
    expect(httpOf(entriesFrom(proxy.file, 'server'))).toMatchObject([
      { http: { status: 502 }, frame: answer.body.toString() },
    ]);
  });

  test('that the client aborts is aborted at the server, and recorded as ended by the client', async () => {
    let isAborted = false;
    const origin = await serve((incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"n":1}\n\n');
      outgoing.on('close', () => {
        isAborted = true;
      });
      incoming.resume();
    });
    const proxy = await startProxy(`${origin}/mcp`);
    const sent = request(proxy.url, { method: 'POST' });
    sent.on('error', () => undefined).end('{}');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response, 'data');
    sent.destroy();
    await until(() => isAborted);
    await until(() => readRecording(proxy.file).length >= 5);
    await proxy.stop();
    expect(httpOf(readRecording(proxy.file)).slice(2)).toEqual([
      { from: 'server', http: { exchange: 1, event: {} }, frame: { n: 1 } },
      { from: 'client', http: { exchange: 1, end: 'broken' }, frame: undefined },
    ]);
  });
});

describe('a response', () => {
  test('that breaks is broken for the client, too', async () => {
    const origin = await serve((_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"half":');
      setTimeout(() => outgoing.destroy(), 100);
    });
    const proxy = await startProxy(`${origin}/mcp`);
    await expect(send(proxy.url)).rejects.toThrow(/aborted/);
    await proxy.stop();
    expect(httpOf(entriesFrom(proxy.file, 'server'))).toMatchObject([
      { http: { exchange: 1, status: 200 }, frame: '{"half":' },
      { http: { exchange: 1, end: 'broken' } },
    ]);
  });

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

  test('that is compressed passes as it is, and is recorded decompressed', async () => {
    const body = gzipSync('{"a":1}');
    const events = gzipSync('data: {"b":2}\n\n');
    const origin = await serve(({ url }, outgoing) => {
      const isStream = url === '/stream';
      outgoing.writeHead(200, {
        'content-encoding': 'gzip',
        'content-type': isStream ? 'text/event-stream' : 'application/json',
      });
      outgoing.end(isStream ? events : body);
    });
    const proxy = await startProxy(`${origin}/mcp`);
    expect((await send(proxy.url, { headers: { 'accept-encoding': 'gzip' } })).body.equals(body)).toBe(true);
    expect((await send(proxy.url, { path: '/stream' })).body.equals(events)).toBe(true);
    await proxy.stop();
    expect(entriesFrom(proxy.file, 'server').flatMap(({ frame }) => frame ?? [])).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('of HTTP+SSE names the proxy as the endpoint, and the server in the recording', async () => {
    let host = '';
    const origin = await serve((incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.write('event: endp');
      setTimeout(
        () =>
          outgoing.end(
            `oint\ndata: http://${host}/messages?sessionId=1\n\nevent: endpoint\ndata: http://${host}/x\n\n`,
          ),
        50,
      );
      incoming.resume();
    });
    host = new URL(origin).host;
    const proxy = await startProxy(`${origin}/sse`);
    const { body } = await send(proxy.url, { headers: { accept: 'text/event-stream' } });
    expect(body.toString()).toBe(
      `event: endpoint\ndata: ${new URL(proxy.url).origin}/messages?sessionId=1\n\nevent: endpoint\ndata: ${origin}/x\n\n`,
    );
    await proxy.stop();
    expect(entriesFrom(proxy.file, 'server').flatMap(({ text }) => text ?? [])[0]).toBe(
      `${origin}/messages?sessionId=1`,
    );
  });

  test('that redirects to the server redirects to the proxy', async () => {
    const origin = await serve(({ headers: { host } }, outgoing) => {
      outgoing.writeHead(307, { location: `http://${host ?? ''}/mcp/?a=b` }).end();
    });
    const proxy = await startProxy(`${origin}/mcp`);
    const { status, raw } = await send(proxy.url);
    expect(status).toBe(307);
    expect(raw.join('\n')).toContain(`location\n${new URL(proxy.url).origin}/mcp/?a=b`);
    await proxy.stop();
    expect(entriesFrom(proxy.file, 'server')[0]?.http?.headers?.['location']).toBe(`${origin}/mcp/?a=b`);
  });

  test('of 30 MB, and a request of 30 MB, pass byte for byte, and are omitted from the recording', async () => {
    const origin = await serve((incoming, outgoing) => {
      incoming.pipe(outgoing);
    });
    const proxy = await startProxy(`${origin}/mcp`, ['--max-frame-bytes', '1000000']);
    const body = Buffer.alloc(30_000_000, 'abcdefg\n');
    expect((await send(proxy.url, { method: 'POST', body })).body.equals(body)).toBe(true);
    await proxy.stop();
    expect(
      readRecording(proxy.file)
        .slice(1)
        .map(({ from, omitted }) => [from, omitted?.start.length]),
    ).toEqual([
      ['client', 1000],
      ['server', 1000],
    ]);
  });
});

test('a request that is answered before it is complete is recorded before its response', async () => {
  const origin = await serve((incoming, outgoing) => {
    incoming.once('data', () => outgoing.writeHead(413).end('{"enough":1}'));
  });
  const proxy = await startProxy(`${origin}/mcp`);
  const sent = request(proxy.url, { method: 'POST', headers: { 'content-length': '1000' } });
  sent.on('error', () => undefined).write('{"begun":');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect((await readAll(response)).toString()).toBe('{"enough":1}');
  sent.destroy();
  await proxy.stop();
  const [asked, answered] = readRecording(proxy.file).slice(1);
  expect(asked).toMatchObject({ from: 'client', omitted: { bytes: 9, start: '{"begun":' } });
  expect(answered).toMatchObject({ from: 'server', http: { status: 413 }, frame: { enough: 1 } });
});

test('ends open streams at Ctrl+C, and records their end', async () => {
  const origin = await serve((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  });
  const proxy = await startProxy(`${origin}/mcp`);
  const sent = request(proxy.url, { headers: { accept: 'text/event-stream' } });
  sent.on('error', () => undefined).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  await proxy.stop();
  expect(readRecording(proxy.file).at(-1)?.http).toEqual({ exchange: 1, end: 'broken' });
});

test('a port in use is an error, and leaves no file', async () => {
  const origin = await serve(() => undefined);
  const { port } = new URL(origin);
  const file = newRecording();
  const child = spawn(process.execPath, [CLI, 'record', '--out', file, '--http', origin, '--port', port], {
    env: plainEnvironment(),
  });
  const log = (await readAll(child.stderr)).toString();
  expect(log).toContain(`error: 127.0.0.1:${port}: the port is in use`);
  expect(readRecording(file)).toEqual([]);
});
