import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { SERVER_BUSY } from '../../generated/runtime/jsonrpc/endpoint.js';
import { addressKey, Callers } from '../../generated/runtime/http/server/callers.js';
import { serveHttp } from '../../generated/runtime/http-node.js';
import {
  createHttpHandler,
  type AnyServer,
  type HttpEvent,
  type HttpHandler,
  type HttpHandlerOptions,
} from '../../generated/runtime/http-server.js';
import { deferred, nextTurns } from '../connect/harness.js';
import {
  ACCEPT_BOTH,
  fixtureHandler,
  fixtureServer,
  sendStateless,
  STATELESS_REVISION,
  post,
  request,
  send,
  openSession,
} from './server-support.js';

// What a handler takes on: for whom, how much of it at a time, and what it turns away.

let handler: HttpHandler;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await (handler as HttpHandler | undefined)?.close();
});

/** A server whose calls go on until they are let go, whatever becomes of their requests. */
function stubborn(maxConcurrentRequests: number) {
  const gate = deferred();
  const state = { running: 0, most: 0 };
  const server = fixtureServer(undefined, {
    maxConcurrentRequests,
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'tools/call': async () => {
        state.running += 1;
        state.most = Math.max(state.most, state.running);
        await gate.promise;
        state.running -= 1;
        return { content: [] };
      },
    },
  });
  closers.push(() => {
    gate.resolve();
  });
  return { server, state, release: gate.resolve };
}

const from = (name: string) => ({ 'x-client': name });
const byHeader: Partial<HttpHandlerOptions> = { clientKey: (call) => call.header('x-client') };

const HEAD = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: ${ACCEPT_BOTH}\r\n`;

/** Behind a port, with sockets that write what they like. */
async function served(options: Partial<HttpHandlerOptions> = {}) {
  handler = fixtureHandler(options);
  const listening = await serveHttp(handler, { port: 0 });
  closers.push(() => listening.close());
  const open = (text: string): { readonly socket: Socket; readonly got: () => string } => {
    const socket = connect(Number(listening.url.port), listening.url.hostname);
    let got = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      got += String(chunk);
    });
    socket.write(text);
    closers.push(() => socket.destroy());
    return { socket, got: () => got };
  };
  return { url: listening.url, open };
}

const ping = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': STATELESS_REVISION,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const PING = {
  'content-type': 'application/json',
  accept: ACCEPT_BOTH,
  'mcp-protocol-version': STATELESS_REVISION,
  'mcp-method': 'tools/list',
};

describe('a share', () => {
  test('gives one caller at most four fifths', () => {
    const callers = new Callers();
    const take = (key: string): number => {
      const caller = callers.of(key);
      let taken = 0;
      while (caller.handlers.canAcquire(1000)) {
        caller.handlers.acquire();
        taken += 1;
      }
      return taken;
    };
    expect([take('a'), take('b'), take('c')]).toEqual([800, 160, 32]);
  });

  test('reserves one request of a small limit for others', () => {
    for (const max of [2, 3, 4, 5]) {
      const callers = new Callers();
      const greedy = callers.of('greedy');
      while (greedy.sessions.canAcquire(max)) greedy.sessions.acquire();
      expect(callers.total.sessions.held, `of ${max}`).toBe(max - 1);
      expect(callers.of('other').sessions.canAcquire(max)).toBe(true);
    }
  });

  test('is the whole where callers cannot be distinguished', () => {
    const callers = new Callers();
    const all = callers.of(undefined);
    while (all.openResponses.canAcquire(10)) all.openResponses.acquire();
    expect(callers.total.open.held).toBe(10);
  });

  test('is removed after its last request', () => {
    const callers = new Callers();
    const caller = callers.of('a');
    caller.openResponses.acquire();
    caller.bodyBytes.acquire(7);
    caller.release();
    const again = callers.of('a');
    expect(again).toBe(caller);
    again.release();
    caller.openResponses.release();
    caller.bodyBytes.release(7);
    callers.of('b').release();
    expect(callers.of('a')).not.toBe(caller);
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::1', '0:0:0:0'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:1:2::', '2001:db8:1:2'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('%s counts as %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});

describe('running request handlers', () => {
  test('clients of 2026-07-28 that drop their requests have no more of them run than the limit', async () => {
    const { server, state } = stubborn(10);
    handler = createHttpHandler({ server });
    for (let id = 0; id < 50; id += 1) {
      const aborted = new AbortController();
      const answer = handler.fetch(
        new Request('http://localhost:3000/mcp', {
          method: 'POST',
          signal: aborted.signal,
          headers: { ...PING, 'mcp-method': 'tools/call', 'mcp-name': 'x' },
          body: ping.replace('tools/list', 'tools/call').replace('"_meta"', '"name":"x","_meta"'),
        }),
      );
      void answer;
      await nextTurns(1);
      aborted.abort();
    }
    expect(state.most).toBe(10);
  });

  test('answers 503 past the limit, in a code that 2026-07-28 leaves to implementations (case-125)', async () => {
    const { server, release } = stubborn(1);
    handler = createHttpHandler({ server });
    const first = sendStateless(handler, 1, 'tools/call', { name: 'x' });
    await nextTurns();
    const second = await sendStateless(handler, 2, 'tools/call', { name: 'x' });
    const { error } = (await second.json()) as { error: { code: number } };
    expect([second.status, error.code]).toEqual([503, SERVER_BUSY]);
    expect(error.code < -32768 || error.code > -32000).toBe(true);
    release();
    expect((await first).status).toBe(200);
    expect((await sendStateless(handler, 3, 'tools/call', { name: 'x' })).status).toBe(200);
  });

  test('so it is for too many subscriptions', async () => {
    handler = fixtureHandler({ server: fixtureServer(undefined, { maxSubscribedResources: 1 }) });
    const notifications = { resourceSubscriptions: ['a:1', 'a:2'] };
    const answer = await sendStateless(handler, 1, 'subscriptions/listen', { notifications });
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: SERVER_BUSY } }]);
  });

  test('those of sessions that were deleted count until they end', async () => {
    const { server, state } = stubborn(10);
    handler = createHttpHandler({ server });
    for (let round = 0; round < 3; round += 1) {
      const { call, headers } = await openSession(handler);
      for (let id = 1; id <= 6; id += 1) void call(id, 'x');
      await nextTurns();
      expect((await send(handler, 'DELETE', headers)).status).toBe(204);
    }
    expect(state.most).toBe(10);
    expect(state.running).toBe(10);
  });

  test('a subscription does not count: it keeps nobody from calling', async () => {
    const { server, release } = stubborn(2);
    handler = createHttpHandler({ server });
    const open = await Promise.all(
      [1, 2, 3, 4].map((id) =>
        sendStateless(handler, id, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
      ),
    );
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const called = sendStateless(handler, 5, 'tools/call', { name: 'x' });
    await nextTurns();
    release();
    expect((await called).status).toBe(200);
  });

  test('limits the share of one client', async () => {
    const { server, state, release } = stubborn(10);
    handler = createHttpHandler({ server, ...byHeader });
    const greedy = Array.from({ length: 30 }, (_, id) =>
      sendStateless(handler, id, 'tools/call', { name: 'x' }, from('greedy')),
    );
    await nextTurns();
    expect(state.running).toBe(8);
    const other = sendStateless(handler, 1, 'tools/call', { name: 'x' }, from('other'));
    await nextTurns();
    expect(state.running).toBe(9);
    release();
    expect((await other).status).toBe(200);
    const statuses = (await Promise.all(greedy)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(22);
  });

  test('counts by principal with authorization, whatever the address', async () => {
    const { server, state } = stubborn(10);
    handler = createHttpHandler({ server, ...byHeader, authorize: { verify: (token) => ({ principal: token }) } });
    const call = (token: string, id: number) =>
      sendStateless(
        handler,
        id,
        'tools/call',
        { name: 'x' },
        { authorization: `Bearer ${token}`, ...from(`at-${id}`) },
      );
    for (let id = 0; id < 30; id += 1) void call('rose', id);
    await nextTurns(6);
    expect(state.running).toBe(8);
    void call('iris', 1);
    await nextTurns(6);
    expect(state.running).toBe(9);
  });

  test('behind a port the share is the address’s', async () => {
    const { server, state } = stubborn(10);
    const { open } = await served({ server });
    const body = ping.replace('tools/list', 'tools/call').replace('"_meta"', '"name":"x","_meta"');
    for (let at = 0; at < 12; at += 1)
      open(
        `${HEAD}MCP-Protocol-Version: ${STATELESS_REVISION}\r\nMcp-Method: tools/call\r\nMcp-Name: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    await expect.poll(() => state.running).toBe(8);
    await delay(50);
    expect(state.most).toBe(8);
  });

  test('falls back to the address if the client key throws', async () => {
    const seen: HttpEvent[] = [];
    handler = fixtureHandler({
      clientKey: () => {
        throw new Error('no such header');
      },
      onEvent: (event) => seen.push(event),
    });
    expect((await sendStateless(handler, 1, 'tools/list')).status).toBe(200);
    expect(seen).toMatchObject([{ kind: 'failed', error: { message: 'no such header' } }]);
  });
});

describe('sessions', () => {
  test('one client cannot open all there may be', async () => {
    handler = fixtureHandler({ sessions: { max: 10 }, ...byHeader });
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => openSession(handler, '2025-11-25', from('greedy'))),
    );
    expect(opened.filter(({ id }) => id !== '')).toHaveLength(8);
    expect((await openSession(handler, '2025-11-25', from('other'))).opened.status).toBe(200);
    // What is ended can be opened again.
    const [first] = opened;
    await send(handler, 'DELETE', first?.headers);
    await send(handler, 'DELETE', opened[1]?.headers);
    expect((await openSession(handler, '2025-11-25', from('greedy'))).opened.status).toBe(200);
  });

  test('streams of 2024-11-05 are among them', async () => {
    handler = fixtureHandler({ sse: true, sessions: { max: 5 }, ...byHeader });
    const stream = () => send(handler, 'GET', { accept: 'text/event-stream', ...from('greedy') }, undefined, '/sse');
    const streams = [await stream(), await stream(), await stream(), await stream(), await stream()];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 503]);
    await streams[0]?.body?.cancel();
    expect((await stream()).status).toBe(200);
  });

  test('a failed opening takes none', async () => {
    let fails = true;
    handler = createHttpHandler({
      server: ({ auth }) => {
        if (fails && auth !== undefined) throw new Error('not now');
        return fixtureServer();
      },
      authorize: { verify: (principal) => ({ principal }) },
      sessions: { max: 1 },
      sse: true,
    });
    const rose = { authorization: 'Bearer rose' };
    expect((await openSession(handler, '2025-11-25', rose)).opened.status).toBe(500);
    expect((await send(handler, 'GET', { accept: ACCEPT_BOTH, ...rose }, undefined, '/sse')).status).toBe(500);
    fails = false;
    expect((await openSession(handler, '2025-11-25', rose)).opened.status).toBe(200);
  });
});

describe('open requests', () => {
  test('one client cannot hold all streams there may be', async () => {
    handler = fixtureHandler({ maxOpen: 5, ...byHeader });
    const listen = (id: number, name: string) =>
      sendStateless(handler, id, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, from(name));
    const statuses: number[] = [];
    for (let id = 0; id < 6; id += 1) statuses.push((await listen(id, 'greedy')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 503, 503]);
    expect((await listen(1, 'other')).status).toBe(200);
  });
});

describe('bodies', () => {
  test('serves others despite 70 sockets that send their bodies slowly', async () => {
    const { url, open } = await served();
    for (let at = 0; at < 70; at += 1) open(`${HEAD}Content-Length: 4194304\r\n\r\n${'['.repeat(70)}`);
    for (let at = 0; at < 5; at += 1) open(`${HEAD}Transfer-Encoding: chunked\r\n\r\n46\r\n${'['.repeat(70)}\r\n`);
    await delay(100);
    const answer = await fetch(url, { method: 'POST', headers: PING, body: ping });
    expect(answer.status).toBe(200);
  });

  test('drops the oldest incomplete body past the limit', async () => {
    const { url, open } = await served({ maxTotalBodyBytes: 150_000 });
    const stalled = Array.from({ length: 3 }, () => open(`${HEAD}Content-Length: 50000\r\n\r\n${'['.repeat(30_000)}`));
    await delay(100);
    expect(stalled.map(({ got }) => got())).toEqual(['', '', '']);
    const large = ping.replace('"_meta"', `"x":"${'x'.repeat(80_000)}","_meta"`);
    const answer = await fetch(url, { method: 'POST', headers: PING, body: large });
    expect(answer.status).toBe(200);
    await expect
      .poll(() => stalled.map(({ got }) => got().split('\r\n', 1)[0]))
      .toEqual(['HTTP/1.1 503 Service Unavailable', '', '']);
  });

  test('one that comes in one piece makes no other be dropped', async () => {
    const { url, open } = await served({ maxTotalBodyBytes: 100_000 });
    const stalled = Array.from({ length: 3 }, () => open(`${HEAD}Content-Length: 50000\r\n\r\n${'['.repeat(30_000)}`));
    await delay(100);
    const answer = await fetch(url, { method: 'POST', headers: PING, body: ping });
    expect(answer.status).toBe(200);
    expect(stalled.map(({ got }) => got())).toEqual(['', '', '']);
  });

  test('drops the caller that buffers the most, not the oldest one', async () => {
    const { open } = await served({ maxTotalBodyBytes: 100_000, ...byHeader });
    const begin = (name: string, bytes: number) =>
      open(`${HEAD}X-Client: ${name}\r\nContent-Length: 90000\r\n\r\n${'['.repeat(bytes)}`);
    const honest = begin('honest', 10_000);
    await delay(50);
    const greedy = [begin('greedy', 40_000)];
    await delay(50);
    greedy.push(begin('greedy', 40_000), begin('greedy', 40_000));
    await expect.poll(() => greedy.some(({ got }) => got().includes('503'))).toBe(true);
    expect(honest.got()).toBe('');
  });

  test('apply to fetch() too', async () => {
    handler = fixtureHandler({ maxTotalBodyBytes: 1000 });
    let cancelled = false;
    const stalled = handler.fetch(
      new Request('http://localhost:3000/mcp', {
        method: 'POST',
        headers: PING,
        duplex: 'half',
        body: new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(new Uint8Array(900).fill(0x5b));
          },
          cancel() {
            cancelled = true;
          },
        }),
      }),
    );
    await nextTurns();
    expect((await sendStateless(handler, 1, 'tools/list')).status).toBe(200);
    expect((await stalled).status).toBe(503);
    expect(cancelled).toBe(true);
  });

  test('an announced length above the limit of a body is 413 at once', async () => {
    const { open } = await served({ maxBodyBytes: 1000 });
    const { got } = open(`${HEAD}Content-Length: 1001\r\n\r\n`);
    await expect.poll(got).toContain('413 ');
  });

  test.each(['abc', '-1', '1.5', '', '5, 5', '0x10', 'NaN', '1e3'])('answers 400 to a length of %j', async (length) => {
    handler = fixtureHandler({ maxTotalBodyBytes: 1000 });
    const wrong = await sendStateless(handler, 1, 'tools/list', {}, { 'content-length': length });
    expect(wrong.status).toBe(400);
    expect((await sendStateless(handler, 1, 'tools/list')).status).toBe(200);
    const large = await sendStateless(handler, 1, 'tools/call', {
      name: 'echo',
      arguments: { text: 'x'.repeat(1000) },
    });
    expect(large.status).toBe(503);
  });
});

describe('bodies that are complete', () => {
  const large = { text: 'x'.repeat(50_000) };
  const limited = { ...byHeader, maxTotalBodyBytes: 120_000 };

  /** What becomes of so many calls with large arguments, one after another: those that are taken go on. */
  async function outcomes(name: string, count: number): Promise<(number | string)[]> {
    const seen: (number | string)[] = [];
    for (let id = 0; id < count; id += 1) {
      const answer = sendStateless(handler, id, 'tools/call', { name: 'any', arguments: large }, from(name));
      seen.push(await Promise.race([answer.then(({ status }) => status), delay(30, 'open')]));
    }
    return seen;
  }

  test('count per caller until their handlers end', async () => {
    const { server, release } = stubborn(100);
    handler = fixtureHandler({ ...limited, server });
    expect(await outcomes('greedy', 3)).toEqual(['open', 'open', 503]);
    expect((await sendStateless(handler, 1, 'tools/list', {}, from('greedy'))).status).toBe(200);
    expect(await outcomes('other', 2)).toEqual(['open', 503]);
    release();
    await nextTurns();
    expect(await outcomes('greedy', 1)).toEqual([200]);
  });

  test('count for handlers whose clients are gone', async () => {
    const { server, state } = stubborn(100);
    handler = fixtureHandler({ ...limited, server, streamAfter: 20 });
    for (const id of [1, 2]) {
      const answer = await sendStateless(handler, id, 'tools/call', { name: 'any', arguments: large }, from('greedy'));
      await answer.body?.cancel();
    }
    expect(handler.load.open).toBe(0);
    expect(state.running).toBe(2);
    expect(await outcomes('greedy', 1)).toEqual([503]);
  });

  test('count while a subscription lasts', async () => {
    handler = fixtureHandler(limited);
    const resourceSubscriptions = Array.from({ length: 50 }, (_, at) => `file:///${at}/${'x'.repeat(1_000)}`);
    const listen = (id: number) =>
      sendStateless(handler, id, 'subscriptions/listen', { notifications: { resourceSubscriptions } }, from('greedy'));
    const streams = [await listen(1), await listen(2)];
    expect((await listen(3)).status).toBe(503);
    await streams[0]?.body?.cancel();
    await nextTurns();
    expect((await listen(4)).status).toBe(200);
  });

  test('count for a session that keeps what its client said of itself', async () => {
    handler = fixtureHandler(limited);
    const initialize = { ...INITIALIZE, clientInfo: { name: 'x'.repeat(50_000), version: '1.0.0' } };
    const begin = (id: number) => post(handler, request(id, 'initialize', initialize), from('greedy'));
    const sessions = [await begin(1), await begin(2)];
    expect(sessions.map(({ status }) => status)).toEqual([200, 200]);
    expect((await begin(3)).status).toBe(503);
    await send(handler, 'DELETE', { 'mcp-session-id': sessions[0]?.headers.get('mcp-session-id') ?? '' });
    expect((await begin(4)).status).toBe(200);
  });
});

describe('closing', () => {
  test.each([
    ['a session', (one: HttpHandler) => post(one, request(0, 'initialize', INITIALIZE))],
    ['a stream of 2024-11-05', (one: HttpHandler) => send(one, 'GET', { accept: ACCEPT_BOTH }, undefined, '/sse')],
    ['a request of 2026-07-28', (one: HttpHandler) => sendStateless(one, 1, 'tools/call', { name: 'hang' })],
  ])('while a factory makes the server of %s leaves nothing behind', async (_, opening) => {
    const made = deferred<AnyServer>();
    const seen: HttpEvent[] = [];
    const server = fixtureServer();
    handler = createHttpHandler({ server: () => made.promise, sse: true, onEvent: (event) => seen.push(event) });
    const answer = opening(handler);
    await nextTurns();
    await handler.close();
    made.resolve(server);
    expect((await answer).status).toBe(503);
    await nextTurns();
    expect(handler.load).toEqual({ sessions: 0, open: 0 });
    expect(server.sessions.size).toBe(0);
    expect(seen.filter(({ kind }) => kind === 'sessionOpened')).toEqual([]);
  });

  test('answers 503 while a factory creates a server', async () => {
    const made = deferred();
    const server = fixtureServer();
    let calls = 0;
    handler = createHttpHandler({
      server: async () => {
        calls += 1;
        if (calls > 2) await made.promise;
        return server;
      },
    });
    await openSession(handler);
    const late = post(handler, request(0, 'initialize', INITIALIZE));
    await nextTurns();
    await handler.close();
    made.resolve();
    expect([(await late).status, handler.load.sessions, server.sessions.size]).toEqual([503, 0, 0]);
  });

  test('answers 503 while a request is being authorized', async () => {
    const verified = deferred<{ principal: string }>();
    handler = fixtureHandler({ authorize: { verify: () => verified.promise } });
    const waiting = post(handler, request(0, 'initialize', INITIALIZE), { authorization: 'Bearer rose' });
    await nextTurns();
    await handler.close();
    verified.resolve({ principal: 'rose' });
    expect([(await waiting).status, handler.load.sessions]).toEqual([503, 0]);
  });

  test('answers 503 while a body is being read', async () => {
    handler = fixtureHandler();
    const arriving = handler.fetch(
      new Request('http://localhost:3000/mcp', {
        method: 'POST',
        headers: PING,
        duplex: 'half',
        body: new ReadableStream<Uint8Array>(),
      }),
    );
    await nextTurns();
    await handler.close();
    expect((await arriving).status).toBe(503);
  });
});

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };

describe('headers', () => {
  test.each([
    'Host: other',
    'Authorization: Bearer b',
    'Content-Type: text/plain',
    'Mcp-Session-Id: b',
    'MCP-Protocol-Version: 2025-11-25',
    'Mcp-Method: b',
    'mcp-name: b',
    'Mcp-Param-Bed: south',
    'Origin: http://localhost',
    'Last-Event-ID: b',
  ])('a second %s is 400', async (second) => {
    const { open } = await served();
    const body = ping;
    const name = second.slice(0, second.indexOf(':'));
    const { got } = open(
      `${HEAD}${/^(?:host|content-type)$/i.test(name) ? '' : `${name.toUpperCase()}: a\r\n`}${second}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await expect.poll(got).toContain(`400 Bad Request`);
    expect(got()).toContain('more than one');
  });

  test('rejects two hosts that fetch() joined', async () => {
    handler = fixtureHandler({ allowedHosts: 'any' });
    expect((await sendStateless(handler, 1, 'tools/list', {}, { host: 'a.example, b.example' })).status).toBe(400);
  });

  test('rejects two media types', async () => {
    handler = fixtureHandler();
    const status = async (type: string) =>
      (await sendStateless(handler, 1, 'tools/list', {}, { 'content-type': type })).status;
    for (const right of [
      'application/json',
      'application/json;charset=utf-8',
      'Application/JSON ; charset="utf-8"; x=1',
    ])
      expect(await status(right), right).toBe(200);
    for (const wrong of [
      'application/json, text/plain',
      'application/json; charset=utf-8, text/plain',
      'application/jsonx',
    ])
      expect(await status(wrong), wrong).toBe(415);
  });

  test.each([
    ['application/json, text/event-stream', 200],
    ['application/json;q=0.9, text/event-stream;q=0.1', 200],
    ['*/*', 200],
    ['application/*, text/*', 200],
    ['application/json;q=0, text/event-stream', 406],
    ['application/json, text/event-stream;q=0', 406],
    ['application/json, text/event-stream ; q=0.000', 406],
    ['*/*, text/event-stream;q=0', 406],
    ['text/event-stream, */*;q=0', 406],
    ['text/event-stream, application/*;q=0, application/json', 200],
    ['application/json;q=0.001, text/event-stream;Q=1', 200],
    ['application/json;charset=utf-8;q=0, text/event-stream', 406],
    ['application/json', 406],
  ])('Accept: %s is %d', async (accept, status) => {
    handler = fixtureHandler();
    expect((await sendStateless(handler, 1, 'tools/list', {}, { accept })).status).toBe(status);
  });

  test.each([
    ['absent', {}],
    ['null', { bed: null }],
    ['no value that a header can have', { bed: { a: 1 } }],
    ['absent with all arguments', undefined],
  ])('an Mcp-Param header is refused if its argument is %s', async (_, args) => {
    handler = fixtureHandler();
    const call = { name: 'echo', ...(args === undefined ? {} : { arguments: args }) };
    const wrong = await sendStateless(handler, 9, 'tools/call', call, { 'mcp-param-bed': 'north' });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { id: 9, error: { code: -32020 } }]);
    // Another tool's header, or nobody's, is to be ignored.
    expect((await sendStateless(handler, 9, 'tools/call', call, { 'mcp-param-other': 'north' })).status).toBe(200);
  });
});

describe('clients that accept JSON alone (case-122)', () => {
  const JSON_ONLY = { accept: 'application/json' };

  test('are refused by default', async () => {
    handler = fixtureHandler();
    expect((await sendStateless(handler, 1, 'tools/list', {}, JSON_ONLY)).status).toBe(406);
  });

  test('get JSON without earlier messages if the option is on', async () => {
    handler = fixtureHandler({ jsonOnlyClients: true, streamAfter: 20, keepAlive: 20 });
    const { call } = await openSession(handler, '2025-11-25', JSON_ONLY);
    for (const tool of ['echo', 'count', 'slow', 'leave']) {
      for (const answer of [
        await call(1, tool),
        await sendStateless(handler, 1, 'tools/call', { name: tool, _meta: { progressToken: 1 } }, JSON_ONLY),
      ]) {
        expect([tool, answer.status, answer.headers.get('content-type')]).toEqual([tool, 200, 'application/json']);
        expect(await answer.json()).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
      }
    }
    expect(handler.load.open).toBe(0);
  });

  test('get 406 where the answer has to be a stream', async () => {
    handler = fixtureHandler({ jsonOnlyClients: true });
    const listen = await sendStateless(handler, 1, 'subscriptions/listen', { notifications: {} }, JSON_ONLY);
    expect([listen.status, await listen.json()]).toMatchObject([406, { id: 1 }]);
    const { call, headers } = await openSession(handler, '2025-11-25', JSON_ONLY, { elicitation: { form: {} } });
    const asked = await call(1, 'ask');
    expect([asked.status, await asked.json()]).toMatchObject([406, { error: { code: -32600 } }]);
    expect((await send(handler, 'GET', headers)).status).toBe(406);
    expect(handler.load).toEqual({ sessions: 1, open: 0 });
  });

  test('others are served as ever', async () => {
    handler = fixtureHandler({ jsonOnlyClients: true });
    const { call } = await openSession(handler);
    expect((await call(1, 'count')).headers.get('content-type')).toBe('text/event-stream');
    expect((await sendStateless(handler, 1, 'tools/list', {}, { accept: 'text/event-stream' })).status).toBe(406);
  });

  test('a cancelled request of theirs ends without a stream', async () => {
    handler = fixtureHandler({ jsonOnlyClients: true });
    const { call, post: say } = await openSession(handler, '2025-11-25', JSON_ONLY);
    const hanging = call(5, 'hang');
    await nextTurns();
    await say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    expect((await hanging).status).toBe(202);
  });
});

test('ignores an async listener that rejects', async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', note);
  try {
    const reject = (): Promise<void> => Promise.reject(new Error('the log is full'));
    const fail = reject as () => void;
    handler = fixtureHandler({ onEvent: fail, server: fixtureServer(undefined, { onEvent: fail }) });
    expect((await post(handler, '{bad')).status).toBe(400);
    expect((await sendStateless(handler, 1, 'tools/call', { name: 'crash' })).status).toBe(200);
    await delay(10);
    expect(rejections).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});
