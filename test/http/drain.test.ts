/** The end of a server: requests that run are answered, nothing that lasts is begun, and health checks say so. */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createServer } from '../../generated/2026-07-28/server.js';
import { serveHttp } from '../../generated/runtime/http-node.js';
import {
  createHttpHandler,
  joinCluster,
  memoryCluster,
  type HttpHandler,
} from '../../generated/runtime/http-server.js';
import { defineTool, toolHandlers } from '../../generated/runtime/registry.js';
import { withMailboxMethod } from './cluster-support.js';
import {
  ACCEPT_BOTH,
  fixtureHandler,
  messagesOf,
  openSession,
  post,
  readEvents,
  request,
  send,
  sendStateless,
  type Recorded,
} from './server-support.js';

const handlers: HttpHandler[] = [];
const created = (...args: Parameters<typeof fixtureHandler>): HttpHandler => {
  const handler = fixtureHandler(...args);
  handlers.push(handler);
  return handler;
};
afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()));
});

/** Waits until a request runs. */
const running = (handler: HttpHandler): Promise<void> =>
  vi.waitFor(() => {
    expect(handler.load.open).toBe(1);
  });

const INITIALIZE = request(0, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'late', version: '1' },
});
const ANSWER = { result: { content: [{ type: 'text', text: '{}' }] } };

/** A call of a tool in 2026-07-28, as it goes over a connection. */
function rawCall({ host }: URL, name: string, ...headers: readonly string[]): string {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify(request(1, 'tools/call', { name, _meta: meta }));
  const head = [
    'POST /mcp HTTP/1.1',
    `host: ${host}`,
    'content-type: application/json',
    `accept: ${ACCEPT_BOTH}`,
    'mcp-protocol-version: 2026-07-28',
    'mcp-method: tools/call',
    `mcp-name: ${name}`,
    `content-length: ${body.length}`,
    ...headers,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

describe('draining', () => {
  test('answers the running requests of sessions, and closes', async () => {
    const seen: Recorded = { aborted: [] };
    const handler = created({}, seen);
    const session = await openSession(handler);
    const slow = session.call(1, 'slow');
    const drained = handler.drain();
    // A session goes on, so that its client can answer, cancel and finish.
    expect(await (await session.call(2, 'echo')).json()).toMatchObject({ id: 2, ...ANSWER });
    expect(await (await slow).json()).toMatchObject({ id: 1, ...ANSWER });
    await drained;
    expect(seen.aborted).toEqual([]);
    expect(handler.load.sessions).toBe(0);
    expect((await session.call(3, 'echo')).status).toBe(503);
  });

  test('answers running and new requests of a stateless revision', async () => {
    const handler = created();
    const slow = sendStateless(handler, 1, 'tools/call', { name: 'slow' });
    await running(handler);
    const drained = handler.drain();
    expect(await (await sendStateless(handler, 2, 'tools/call', { name: 'echo' })).json()).toMatchObject(ANSWER);
    expect(await (await slow).json()).toMatchObject(ANSWER);
    await drained;
    expect((await sendStateless(handler, 3, 'tools/call', { name: 'echo' })).status).toBe(503);
  });

  test('answers running requests over HTTP+SSE', async () => {
    const handler = created({ sse: true });
    const stream = await send(handler, 'GET', { accept: 'text/event-stream' }, undefined, '/sse');
    const reader = (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    const path = /data: (.*)/.exec((await reader.read()).value ?? '')?.[1] ?? '';
    const posted = (body: unknown) => send(handler, 'POST', { 'content-type': 'application/json' }, body, path);
    await posted({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: '2024-11-05' } });
    await posted({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await posted(request(1, 'tools/call', { name: 'slow' }));
    await handler.drain();
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value;
    expect(rest).toContain('"id":1,"result"');
  });

  test.each([
    ['a session', (handler: HttpHandler) => post(handler, INITIALIZE)],
    [
      'an HTTP+SSE stream',
      (handler: HttpHandler) => send(handler, 'GET', { accept: 'text/event-stream' }, undefined, '/sse'),
    ],
    [
      'a subscription',
      (handler: HttpHandler) => sendStateless(handler, 1, 'subscriptions/listen', { notifications: {} }),
    ],
  ])('refuses %s, and says when to try again', async (_what, open) => {
    const handler = created({ sse: true });
    const slow = sendStateless(handler, 9, 'tools/call', { name: 'slow' });
    await running(handler);
    const drained = handler.drain();
    const refused = await open(handler);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ error: { message: 'the server is shutting down' } });
    await slow;
    await drained;
  });

  test('ends listening streams with a time to reconnect, and opens none', async () => {
    const handler = created({ resumability: { retry: 250 } });
    const session = await openSession(handler);
    const listening = await session.get();
    const slow = session.call(1, 'slow');
    const drained = handler.drain();
    expect((await readEvents(listening)).at(-1)).toEqual({ retry: '250' });
    const again = await session.get();
    expect([again.status, again.headers.get('retry-after')]).toEqual([503, '1']);
    await slow;
    await drained;
  });

  test('lets a client resume the stream of a request that runs', async () => {
    const handler = created();
    const session = await openSession(handler);
    const stream = await session.call(1, 'leave');
    const [first] = await readEvents(stream, 1);
    const slow = session.call(2, 'slow');
    const drained = handler.drain();
    const resumed = await session.get({ 'last-event-id': first?.id ?? '' });
    expect(resumed.status).toBe(200);
    expect(messagesOf(await readEvents(resumed))).toMatchObject([{ id: 1, ...ANSWER }]);
    await slow;
    await drained;
  });

  test('ends subscriptions with their response', async () => {
    const handler = created();
    const listening = await sendStateless(handler, 7, 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    await handler.drain();
    const messages = messagesOf(await readEvents(listening));
    expect(messages.map(({ method, id }) => method ?? id)).toEqual(['notifications/subscriptions/acknowledged', 7]);
    expect(messages.at(-1)?.result).toMatchObject({ _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } });
  });

  test('aborts what runs longer than its time', async () => {
    const seen: Recorded = { aborted: [] };
    const handler = created({}, seen);
    const session = await openSession(handler);
    const hanging = session.call(1, 'hang');
    await running(handler);
    await handler.drain({ timeout: 50 });
    expect((await hanging).status).toBe(503);
    expect(seen.aborted).toEqual(['hang']);
  });

  test('ends when the handler is closed, and happens once', async () => {
    const handler = created();
    const session = await openSession(handler);
    const hanging = session.call(1, 'hang');
    await running(handler);
    const first = handler.drain();
    const second = handler.drain({ timeout: 0 });
    await handler.close();
    await Promise.all([first, second]);
    expect((await hanging).status).toBe(503);
  });

  test('waits for a client that still reads its response', async () => {
    const text = 'x'.repeat(30_000_000);
    const big = defineTool({ name: 'big', run: () => text });
    const handler = createHttpHandler({
      server: createServer({ info: { name: 'big', version: '1.0.0' }, handlers: toolHandlers([big]) }),
    });
    handlers.push(handler);
    const listening = await serveHttp(handler, { port: 0 });
    const socket = connect(Number(listening.url.port), '127.0.0.1');
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.pause();
    socket.write(rawCall(listening.url, 'big'));
    await running(handler);
    const drained = listening.drain();
    // Longer than closing waits for the last responses.
    await sleep(2500);
    socket.resume();
    await drained;
    await vi.waitFor(() => {
      expect(received).toBeGreaterThan(text.length);
    }, 5000);
    socket.destroy();
  }, 20_000);

  test('a port accepts connections until no request runs', async () => {
    const handler = created({ health: true });
    const listening = await serveHttp(handler, { port: 0 });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const call = (name: string) =>
      fetch(listening.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: ACCEPT_BOTH,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': name,
        },
        body: JSON.stringify(request(1, 'tools/call', { name, _meta: meta })),
      });
    const slow = call('slow');
    await running(handler);
    const drained = listening.drain();
    expect(await (await call('echo')).json()).toMatchObject(ANSWER);
    expect((await fetch(new URL('/readyz', listening.url))).status).toBe(503);
    expect(await (await slow).json()).toMatchObject(ANSWER);
    await drained;
    await expect(call('echo')).rejects.toThrow();
  });

  test('a port answers what a connection brings that it accepted just before', async () => {
    const handler = created();
    const listening = await serveHttp(handler, { port: 0 });
    const socket = connect(Number(listening.url.port), '127.0.0.1').setEncoding('utf8');
    let received = '';
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    // Answered only after the connection was accepted.
    expect((await fetch(listening.url)).status).toBe(400);
    const drained = listening.drain();
    await sleep(200);
    socket.write(rawCall(listening.url, 'echo', 'connection: close'));
    await drained;
    await vi.waitFor(() => {
      expect(received).toMatch(/^HTTP\/1\.1 200 .*"result"/su);
    });
  });

  test('a port never answers that the server is gone, however long that takes to close', async () => {
    const cluster = withMailboxMethod(memoryCluster(), 'close', (close) => async (address) => {
      await sleep(300);
      await close(address);
    });
    const handler = created({ cluster: joinCluster(cluster) });
    const listening = await serveHttp(handler, { port: 0 });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = JSON.stringify(request(1, 'tools/call', { name: 'echo', _meta: meta }));
    const headers = {
      'content-type': 'application/json',
      accept: ACCEPT_BOTH,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    };
    /** Over a new connection; undefined if that is refused. */
    const call = (): Promise<number | undefined> =>
      new Promise((resolve) => {
        const sent = httpRequest(listening.url, { method: 'POST', agent: false, headers }, (response) => {
          response.resume().once('end', () => {
            resolve(response.statusCode);
          });
        });
        sent.once('error', () => {
          resolve(undefined);
        });
        sent.end(body);
      });
    const statuses = [await call()];
    const drained = listening.drain();
    do statuses.push(await call());
    while (statuses.at(-1) !== undefined);
    await drained;
    expect(new Set(statuses)).toEqual(new Set([200, undefined]));
  });
});

describe('health checks', () => {
  const statusOf = async (handler: HttpHandler, path: string, method = 'GET') => {
    const { status } = await send(handler, method, { host: 'a.pod' }, undefined, path);
    return status;
  };

  test('are off by default', async () => {
    const handler = created({ path: '/mcp' });
    const statuses = ['/livez', '/readyz'].map(
      async (path) => (await send(handler, 'GET', {}, undefined, path)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 404]);
  });

  test('need no token, origin or host that the server knows, and are no part of its limits', async () => {
    const handler = created({
      health: true,
      maxOpen: 0,
      allowedHosts: ['example.com'],
      authorize: { verify: () => undefined },
    });
    expect([await statusOf(handler, '/livez'), await statusOf(handler, '/readyz?verbose')]).toEqual([200, 200]);
    expect(await statusOf(handler, '/mcp')).toBe(503);
  });

  test('have paths of the author', async () => {
    const handler = created({ health: { live: '/up', ready: '/go' } });
    expect([await statusOf(handler, '/up'), await statusOf(handler, '/go', 'HEAD')]).toEqual([200, 200]);
    expect(await statusOf(handler, '/up', 'POST')).toBe(405);
  });

  test('say that the server is alive, and not ready, while it drains', async () => {
    const handler = created({ health: true });
    const slow = sendStateless(handler, 1, 'tools/call', { name: 'slow' });
    await running(handler);
    const drained = handler.drain();
    expect([await statusOf(handler, '/livez'), await statusOf(handler, '/readyz')]).toEqual([200, 503]);
    await slow;
    await drained;
    expect([await statusOf(handler, '/livez'), await statusOf(handler, '/readyz')]).toEqual([200, 503]);
  });
});
