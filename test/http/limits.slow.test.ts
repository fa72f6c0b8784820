import { createServer as createHttpServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from 'vitest';
import { nodeListener, serveHttp, type ServeOptions } from '../../generated/runtime/http-node.js';
import { type HttpHandler, type HttpHandlerOptions } from '../../generated/runtime/http-server.js';
import { nextTurns } from '../connect/harness.js';
import {
  ACCEPT_BOTH,
  readEvents,
  fixtureHandler,
  fixtureServer,
  messagesOf,
  sendStateless,
  STATELESS_REVISION,
  post,
  request,
  openSession,
} from './server-support.js';

const MB = 1_000_000;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function made(options: Partial<HttpHandlerOptions> = {}): HttpHandler {
  const handler = fixtureHandler(options);
  closers.push(() => handler.close());
  return handler;
}

const from = (name: string) => ({ 'x-client': name });
const byHeader: Partial<HttpHandlerOptions> = { clientKey: (call) => call.header('x-client') };

/** Behind a port. */
async function served(options: Partial<HttpHandlerOptions> = {}, serving: ServeOptions = {}) {
  const handler = fixtureHandler(options);
  const listening = await serveHttp(handler, { port: 0, ...serving });
  closers.push(() => listening.close());
  return { handler, url: listening.url };
}

function open(url: URL, text: string | Buffer): Socket {
  const socket = connect(Number(url.port), url.hostname);
  closers.push(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(text);
  return socket;
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: ACCEPT_BOTH };

const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS_REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

function rawPost(body: string, headers: Record<string, string> = {}): string {
  const all = Object.entries({ 'Mcp-Protocol-Version': STATELESS_REVISION, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return (
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: ${ACCEPT_BOTH}\r\n${all.join('')}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

function rawCall(
  name: string,
  args: object,
  headers: Record<string, string> = {},
  meta: object = { progressToken: 1 },
): string {
  const body = JSON.stringify(request(1, 'tools/call', { name, arguments: args, _meta: { ...META, ...meta } }));
  return rawPost(body, { 'Mcp-Method': 'tools/call', 'Mcp-Name': name, ...headers });
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use after a collection. */
function inUse(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// The size of what an attack would hold is measured: each test allows several times what the limits say.
const HEAD = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: ${ACCEPT_BOTH}\r\n`;

describe('fetch()', () => {
  test('answers a request whose signal was aborted before the call', async () => {
    const handler = made();
    const answer = handler.fetch(
      new Request('http://localhost:3000/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: ACCEPT_BOTH,
          'mcp-protocol-version': STATELESS_REVISION,
          'mcp-method': 'tools/call',
          'mcp-name': 'slow',
        },
        body: JSON.stringify(request(1, 'tools/call', { name: 'slow', arguments: {}, _meta: META })),
        signal: AbortSignal.abort(),
      }),
    );
    expect(await Promise.race([answer.then(({ status }) => status), delay(1500, 'never')])).toBe(499);
  });

  test('an abort while the body arrives frees the place of the request', async () => {
    const handler = made({ maxOpen: 2 });
    for (let at = 0; at < 2; at += 1) {
      const controller = new AbortController();
      const answer = handler.fetch(
        new Request('http://localhost:3000/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: ACCEPT_BOTH },
          duplex: 'half',
          body: new ReadableStream<Uint8Array>({
            start: (c) => {
              c.enqueue(new Uint8Array([0x5b]));
            },
          }),
          signal: controller.signal,
        }),
      );
      await nextTurns();
      controller.abort();
      expect((await answer).status).toBe(499);
    }
    expect((await sendStateless(handler, 1, 'tools/list')).status).toBe(200);
  });

  test('after close() an answer that nobody reads is cut off', async () => {
    const handler = made({ stallTimeout: 20 });
    await sendStateless(handler, 1, 'tools/call', { name: 'bulk', arguments: { bytes: 3 * MB } });
    expect(handler.load.open).toBe(1);
    await handler.close();
    await delay(1000);
    expect(handler.load.open).toBe(0);
  });

  test.each([
    ['authorize.verify', { authorize: { verify: () => new Promise<never>(() => undefined) } }],
    ['the factory', { server: () => new Promise<never>(() => undefined) }],
  ])('close() answers a request that waits for %s', async (_, options) => {
    const handler = made(options);
    const answer = sendStateless(handler, 1, 'tools/list', {}, { authorization: 'Bearer a' });
    await nextTurns();
    await handler.close();
    expect(await Promise.race([answer.then(({ status }) => status), delay(1000, 'never')])).toBe(503);
  });
});

test('a target in absolute form is served (RFC 9112, 3.2.2)', async () => {
  const { url } = await served({ path: '/mcp' });
  const socket = open(url, rawCall('echo', {}).replace('/mcp', 'http://localhost/mcp'));
  let got = '';
  socket.on('data', (chunk) => (got += String(chunk)));
  socket.resume();
  await expect.poll(() => got).toContain('HTTP/1.1 ');
  expect(got).toContain('200 OK');
});

describe('batches without sessions', () => {
  test('one whose only request is cancelled in it leaves nothing open', async () => {
    const handler = made({ sessions: false });
    const answer = post(
      handler,
      [
        request(1, 'tools/call', { name: 'hang', arguments: {} }),
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      ],
      { 'mcp-protocol-version': '2025-03-26' },
    );
    expect(await Promise.race([answer.then(({ status }) => status), delay(1000, 'never')])).not.toBe('never');
    expect(handler.load.open).toBe(0);
  });

  test.each([
    ['a broken response', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'a' } }],
    ['a broken notification', { jsonrpc: '2.0', method: 'notifications/x', params: 3 }],
  ])('one with nothing but %s leaves nothing open', async (_, member) => {
    const handler = made({ sessions: false });
    const answer = post(handler, [member], { 'mcp-protocol-version': '2025-03-26' });
    expect(await Promise.race([answer.then(({ status }) => status), delay(1000, 'never')])).not.toBe('never');
    expect(handler.load.open).toBe(0);
  });
});

describe('memory', () => {
  test('a body in chunks of a byte costs no more than a few times its bytes', async () => {
    const { url } = await served({});
    const before = inUse();
    const bytes = 400_000;
    const socket = open(url, Buffer.from(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`));
    const piece = Buffer.from('1\r\n \r\n'.repeat(bytes / 10));
    for (let at = 0; at < 10; at += 1) await new Promise((resolve) => socket.write(piece, resolve));
    await delay(1000);
    const used = inUse() - before;
    expect(used).toBeLessThan(10 * bytes);
  });

  test('progress of a client that reads nothing holds no more than what waits', async () => {
    const token = 't'.repeat(2 * MB);
    let ticks = 0;
    const server = fixtureServer(undefined, {
      handlers: {
        'tools/list': () => ({ tools: [] }),
        'tools/call': async (_, context) => {
          for (; ticks < 40 && !context.signal.aborted; ticks += 1) {
            context.progress(ticks, 100);
            await delay(10);
          }
          await delay(5_000, undefined, { signal: context.signal });
          return { content: [] };
        },
      },
    });
    const { url } = await served({ server });
    const before = inUse();
    open(url, rawCall('x', {}, {}, { progressToken: token }));
    await expect.poll(() => ticks, { timeout: 10_000 }).toBe(40);
    const used = inUse() - before;
    expect(used).toBeLessThan(30 * MB);
  });

  test('progress that newer progress replaces is not kept', async () => {
    let ticks = 0;
    const server = fixtureServer(undefined, {
      handlers: {
        'tools/list': () => ({ tools: [] }),
        'tools/call': async (_, context) => {
          context.progress(0.5, 100, 'x'.repeat(10 * MB));
          for (; ticks < 300_000; ticks += 1) {
            context.progress(ticks + 1);
            if (ticks % 1000 === 0) await delay(1);
          }
          await delay(60_000, undefined, { signal: context.signal });
          return { content: [] };
        },
      },
    });
    const { url } = await served({ server });
    open(url, rawCall('x', {}));
    await expect.poll(() => ticks).toBeGreaterThan(1);
    const before = inUse();
    await expect.poll(() => ticks, { timeout: 60_000 }).toBe(300_000);
    const used = inUse() - before;
    expect(used).toBeLessThan(5 * MB);
  });

  test('log messages to a stream that listens are dropped past maxBacklog', async () => {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- older revisions have it
    const server = fixtureServer(undefined, { capabilities: { tools: { listChanged: true }, logging: {} } });
    const handler = made({ server });
    const one = await openSession(handler);
    await one.get();
    const before = inUse();
    for (let id = 0; id < 1000; id += 1)
      server.notify('notifications/message' as never, { level: 'error', data: `${id}${'x'.repeat(30_000)}` } as never);
    expect(inUse() - before).toBeLessThan(8 * MB);
  });
});

describe('refusals', () => {
  async function raw(options: Partial<HttpHandlerOptions>) {
    const handler = fixtureHandler(options);
    const server = createHttpServer(nodeListener(handler));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(
      () =>
        new Promise((resolve) => {
          server.closeAllConnections();
          server.close(resolve);
        }),
    );
    closers.push(() => handler.close());
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const connections = () =>
      new Promise<number>((resolve) =>
        server.getConnections((_, count) => {
          resolve(count);
        }),
      );
    return { handler, url, connections };
  }

  test('a client that reads no refusals is cut off', async () => {
    const { url, connections } = await raw({ stallTimeout: 100 });
    const id = 'i'.repeat(3.5 * MB);
    const wrong = rawPost(JSON.stringify({ ...request(1, 'tools/list', { _meta: META }), id }), {
      'Mcp-Method': 'tools/call',
    });
    open(url, wrong.repeat(4));
    await delay(500);
    expect(await connections()).toBe(1);
    await delay(4000);
    expect(await connections()).toBe(0);
  });
});

describe('shares', () => {
  test('requests whose bodies come late do not open more than maxOpen', async () => {
    const handler = made({ maxOpen: 5, ...byHeader });
    const listen = { notifications: { toolsListChanged: true } };
    const body = new TextEncoder().encode(
      JSON.stringify(request(9, 'subscriptions/listen', { ...listen, _meta: META })),
    );
    const finish: (() => void)[] = [];
    const late = Array.from({ length: 3 }, () =>
      handler.fetch(
        new Request('http://localhost:3000/mcp', {
          method: 'POST',
          headers: {
            ...JSON_HEADERS,
            'mcp-protocol-version': STATELESS_REVISION,
            'mcp-method': 'subscriptions/listen',
            ...from('greedy'),
          },
          duplex: 'half',
          body: new ReadableStream<Uint8Array>({
            start: (controller) => {
              finish.push(() => {
                controller.enqueue(body);
                controller.close();
              });
            },
          }),
        }),
      ),
    );
    for (let id = 0; id < 4; id += 1) {
      await nextTurns(5);
      await sendStateless(handler, id, 'subscriptions/listen', listen, from('greedy'));
    }
    for (const end of finish) end();
    await Promise.all(late);
    expect(handler.load.open).toBeLessThanOrEqual(4);
    expect((await sendStateless(handler, 1, 'tools/list', {}, from('other'))).status).toBe(200);
  });

  test('many sessions of one client cost another client no answer that it is owed', async () => {
    const handler = made({ resumability: { maxTotalBytes: 200_000 }, ...byHeader });
    const modest = await openSession(handler, '2025-11-25', from('modest'));
    const [left] = await readEvents(await modest.call(1, 'leave', { pad: 'x'.repeat(30_000) }));
    await delay(150);
    for (let at = 0; at < 20; at += 1) {
      const one = await openSession(handler, '2025-11-25', from('greedy'));
      await readEvents(await one.call(1, 'leave', { pad: 'x'.repeat(15_000) }));
    }
    await delay(200);
    const owed = await modest.get({ 'last-event-id': left?.id ?? '' });
    expect(owed.status).toBe(200);
    expect(messagesOf(await readEvents(owed))).toMatchObject([{ id: 1 }]);
  });

  test('messages that wait for clients who do not listen cost another client no answer that it is owed', async () => {
    const server = fixtureServer();
    const handler = made({ server, resumability: { maxTotalBytes: 100_000 }, ...byHeader });
    const greedy = [];
    for (let at = 0; at < 20; at += 1) greedy.push(await openSession(handler, '2025-11-25', from('greedy')));
    for (let at = 0; at < 150; at += 1) server.notify('notifications/tools/list_changed');
    const modest = await openSession(handler, '2025-11-25', from('modest'));
    const [left] = await readEvents(await modest.call(1, 'leave', { pad: 'x'.repeat(5_000) }));
    await delay(150);
    const owed = await modest.get({ 'last-event-id': left?.id ?? '' });
    expect(owed.status).toBe(200);
  });
});
