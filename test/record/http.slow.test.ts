import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { CLI, plainEnvironment, removeTemporaryFolders } from '../support/cli.js';
import { proxying, servingPrivately } from '../tools/server-support.js';
import { entriesFrom, newRecording, readAll, readRecording, until } from './support.js';
import { started, serve, startProxy, send, httpOf } from './http-support.js';

afterAll(removeTemporaryFolders);
afterEach(() => {
  for (const { kill } of started.splice(0)) kill();
});

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

describe('a request', () => {
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
