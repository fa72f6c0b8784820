import { once } from 'node:events';
import { createServer, type Server as NodeServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import express from 'express';
import { Hono } from 'hono';
import { afterEach, describe, expect, test } from 'vitest';
import { nodeListener, serveHttp, type ServeOptions } from '../../generated/runtime/http-node.js';
import type { HttpHandler, HttpHandlerOptions } from '../../generated/runtime/http-server.js';
import { ACCEPT_BOTH, fixtureHandler, fixtureServer, STATELESS_REVISION, request } from './server-support.js';

// Behind a port: node:http itself, frameworks, the official clients, and clients that mean no good.

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startServer(
  options: Partial<HttpHandlerOptions> = {},
  serving: ServeOptions = {},
  seen = { aborted: [] as string[] },
) {
  const handler = fixtureHandler({ server: fixtureServer(seen), ...options });
  const listening = await serveHttp(handler, { port: 0, ...serving });
  closers.push(() => listening.close());
  return { handler, url: listening.url, listening, seen };
}

/** Writes bytes to a port, and gives what comes back until the other side closes or some text is there. */
async function rawRequest(url: URL, text: string, until?: string): Promise<string> {
  const socket = connect(Number(url.port), url.hostname);
  closers.push(async () => {
    socket.destroy();
    await delay(0);
  });
  socket.on('error', () => undefined);
  socket.write(text);
  let got = '';
  for await (const chunk of socket) {
    got += String(chunk);
    if (until !== undefined && got.includes(until)) break;
  }
  return got;
}

const HEAD = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: ${ACCEPT_BOTH}\r\n`;

function rawCall(name: string): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': STATELESS_REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
    progressToken: 1,
  };
  const body = JSON.stringify(request(1, 'tools/call', { name, _meta }));
  return `${HEAD}Mcp-Protocol-Version: ${STATELESS_REVISION}\r\nMcp-Method: tools/call\r\nMcp-Name: ${name}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

test('listens on localhost at a free port', async () => {
  const { listening } = await startServer();
  expect(listening.url.hostname).toBe('127.0.0.1');
  expect(Number(listening.url.port)).toBeGreaterThan(0);
});

test('a client that disconnects aborts the handler of its request', async () => {
  const { url, seen, handler } = await startServer();
  const socket = connect(Number(url.port), url.hostname);
  socket.write(rawCall('hang'));
  await expect.poll(() => handler.load.open).toBe(1);
  socket.destroy();
  await expect.poll(() => [...seen.aborted]).toEqual(['hang']);
  expect(handler.load.open).toBe(0);
});

test('cuts off a client that does not read', async () => {
  const { url, handler } = await startServer({ maxBacklog: 30_000_000, stallTimeout: 50 });
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(rawCall('flood'));
  await expect.poll(() => handler.load.open).toBe(1);
  await expect.poll(() => handler.load.open, { timeout: 5_000 }).toBe(0);
  socket.destroy();
});

describe('hostile', () => {
  test('headers or a body that do not come in time', async () => {
    const { url, handler } = await startServer({}, { headersTimeout: 300, requestTimeout: 600 });
    expect(await rawRequest(url, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')).toContain('408 Request Timeout');
    expect(await rawRequest(url, `${HEAD}Content-Length: 100\r\n\r\n{"jsonrpc"`)).toContain('408 Request Timeout');
    expect(handler.load).toEqual({ sessions: 0, open: 0 });
  });

  test('rejects malformed headers', async () => {
    const { url } = await startServer();
    expect(await rawRequest(url, `${HEAD}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`)).toContain(
      '431 Request Header Fields Too Large',
    );
    expect(await rawRequest(url, `${HEAD}Mcp-Session-Id: a\rX-Injected: b\r\n\r\n`)).toContain('400 Bad Request');
    expect(await rawRequest(url, `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`)).toContain(
      '400 Bad Request',
    );
    expect(await rawRequest(url, `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`)).toContain(
      '400 Bad Request',
    );
  });

  test('no line break of a client gets into a header of ours', async () => {
    const { url } = await startServer({ cors: { origins: 'any' } });
    const answer = await fetch(url, {
      method: 'POST',
      headers: { origin: 'http://a.example%0d%0aX-Injected:1', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.headers.get('x-injected')).toBeNull();
  });

  test('rejects a body past the limit', async () => {
    const { url, handler } = await startServer({ maxBodyBytes: 1000 });
    const headers = { 'content-type': 'application/json', accept: ACCEPT_BOTH };
    const large = 'x'.repeat(200_000);
    expect((await fetch(url, { method: 'POST', headers, body: large })).status).toBe(413);
    const stream = new ReadableStream({
      start: (controller) => {
        for (let at = 0; at < 20; at += 1) controller.enqueue(new TextEncoder().encode(large));
        controller.close();
      },
    });
    expect((await fetch(url, { method: 'POST', headers, body: stream, duplex: 'half' })).status).toBe(413);
    expect(handler.load).toEqual({ sessions: 0, open: 0 });
  });

  test('bytes that are not UTF-8', async () => {
    const { url } = await startServer();
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: ACCEPT_BOTH },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: -32700 } }]);
  });

  test('a client that goes away in the middle of a body', async () => {
    const { url, handler } = await startServer();
    const socket = connect(Number(url.port), url.hostname);
    socket.write(`${HEAD}Content-Length: 100\r\n\r\n{`);
    await delay(50);
    socket.destroy();
    await delay(50);
    expect(handler.load).toEqual({ sessions: 0, open: 0 });
    expect((await rawRequest(url, rawCall('echo'), '"id":1')).split('\r\n')[0]).toBe('HTTP/1.1 200 OK');
  });
});

test('closes every stream, session and connection', async () => {
  const { url, listening, handler } = await startServer();
  const client = new ClientV1({ name: 'guest', version: '1' });
  await client.connect(new TransportV1(url));
  await expect.poll(() => handler.load).toEqual({ sessions: 1, open: 1 });
  await listening.close();
  closers.length = 0;
  expect(handler.load).toEqual({ sessions: 0, open: 0 });
  await client.close();
});

describe('the same handler elsewhere', () => {
  async function listen(server: NodeServer): Promise<URL> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close').catch(() => undefined);
    });
    return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  }

  const hosts: readonly (readonly [string, (handler: HttpHandler) => Promise<URL>])[] = [
    ['node:http', (handler) => listen(createServer(nodeListener(handler)))],
    ['Express', (handler) => listen(createServer(express().all('/mcp', nodeListener(handler))))],
    [
      'Express that has parsed the body',
      (handler) => listen(createServer(express().use(express.json()).all('/mcp', nodeListener(handler)))),
    ],
    [
      'Hono',
      async (handler) => {
        const app = new Hono().all('/mcp', (context) => handler.fetch(context.req.raw));
        const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as NodeServer;
        await once(server, 'listening');
        closers.push(async () => {
          server.closeAllConnections();
          server.close();
          await delay(0);
        });
        return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
      },
    ],
  ];

  test.each(hosts)('%s', async (_name, host) => {
    const seen = { aborted: [] as string[] };
    const handler = fixtureHandler({ server: fixtureServer(seen), streamAfter: 20, keepAlive: 20 });
    closers.push(() => handler.close());
    const url = await host(handler);
    const client = new ClientV1({ name: 'guest', version: '1' });
    await client.connect(new TransportV1(url));
    const progress: number[] = [];
    await client.callTool({ name: 'count' }, undefined, { onprogress: (now) => progress.push(now.progress) });
    expect(progress).toEqual([1, 2, 3]);
    await client.close();
    const held = connect(Number(url.port), url.hostname);
    held.on('error', () => undefined);
    held.write(rawCall('hang'));
    await once(held, 'data');
    held.destroy();
    await expect.poll(() => [...seen.aborted], { timeout: 5_000 }).toEqual(['hang']);
  });
});

describe('the official clients', () => {
  test('v1 works through a whole session', async () => {
    const server = fixtureServer();
    const { url, handler } = await startServer({ server });
    const client = new ClientV1({ name: 'guest', version: '1' }, { capabilities: { elicitation: {} } });
    const { ElicitRequestSchema, ToolListChangedNotificationSchema } =
      await import('@modelcontextprotocol/sdk/types.js');
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' as const }));
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
    const transport = new TransportV1(url);
    await client.connect(transport);
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(await client.callTool({ name: 'ask' })).toMatchObject({ content: [{ text: 'decline' }] });
    // The stream is left in the middle, and the client comes back by itself.
    expect(await client.callTool({ name: 'leave' })).toMatchObject({ content: [{ text: '{}' }] });
    server.notify('notifications/tools/list_changed');
    await expect.poll(() => changes).toBe(1);
    await transport.terminateSession();
    await expect.poll(() => handler.load).toEqual({ sessions: 0, open: 0 });
    await client.close();
  });

  test('v1 over HTTP+SSE', async () => {
    const { url, handler } = await startServer({ sse: true });
    const client = new ClientV1({ name: 'guest', version: '1' });
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- HTTP+SSE is what is to be tested.
    await client.connect(new SSEClientTransport(new URL('/sse', url)));
    expect(await client.callTool({ name: 'echo', arguments: { bed: 'north' } })).toMatchObject({
      content: [{ text: '{"bed":"north"}' }],
    });
    await client.close();
    await expect.poll(() => handler.load).toEqual({ sessions: 0, open: 0 });
  });

  test.each(['stateful', STATELESS_REVISION])('v2: %s', async (version) => {
    const { url, handler } = await startServer();
    const client = new ClientV2(
      { name: 'guest', version: '1' },
      version === STATELESS_REVISION ? { versionNegotiation: { mode: { pin: STATELESS_REVISION } } } : {},
    );
    await client.connect(new TransportV2(url));
    await client.listTools();
    expect(await client.callTool({ name: 'echo', arguments: { bed: 'north' } })).toMatchObject({
      content: [{ text: '{"bed":"north"}' }],
    });
    const progress: number[] = [];
    await client.callTool({ name: 'count' }, { onprogress: (now) => progress.push(now.progress) });
    expect(progress).toEqual([1, 2, 3]);
    expect(handler.load.sessions).toBe(version === STATELESS_REVISION ? 0 : 1);
    await client.close();
  });
});
