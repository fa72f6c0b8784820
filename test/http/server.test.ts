import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpHandler, type HttpHandler } from '../../generated/runtime/http-server.js';
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
  send,
  openSession,
} from './server-support.js';

// The server's side of Streamable HTTP by its rules, through `fetch` as a runtime of the Web calls it.

let handler: HttpHandler;
afterEach(() => handler.close());

async function errorOf(response: Response): Promise<{ status: number; code: number; message: string; id?: unknown }> {
  const { error, id } = (await response.json()) as { error: { code: number; message: string }; id?: unknown };
  return { status: response.status, ...error, id };
}

describe('sessions', () => {
  test('last from initialize to DELETE', async () => {
    handler = fixtureHandler();
    const { id, opened, post: say, headers } = await openSession(handler);
    expect(opened.status).toBe(200);
    expect(opened.headers.get('content-type')).toBe('application/json');
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(handler.load).toEqual({ sessions: 1, open: 0 });
    expect((await say(request(1, 'ping'))).status).toBe(200);
    expect((await send(handler, 'DELETE', headers)).status).toBe(204);
    expect(handler.load).toEqual({ sessions: 0, open: 0 });
    expect((await say(request(2, 'ping'))).status).toBe(404);
    expect((await send(handler, 'DELETE', headers)).status).toBe(404);
  });

  test('ids cannot be guessed: none is like another', async () => {
    handler = fixtureHandler();
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await openSession(handler)).id));
    expect(new Set(ids).size).toBe(20);
  });

  test('answer 400 to a missing session id', async () => {
    handler = fixtureHandler();
    expect((await post(handler, request(1, 'ping'))).status).toBe(400);
  });

  test('answer 404 to an unknown session id', async () => {
    handler = fixtureHandler();
    expect((await post(handler, request(1, 'ping'), { 'mcp-session-id': 'x' })).status).toBe(404);
  });

  test('answer 202 to a notification', async () => {
    handler = fixtureHandler();
    const { post: say } = await openSession(handler);
    const answer = await say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([answer.status, await answer.text()]).toEqual([202, '']);
  });

  test('a failed initialize leaves no session', async () => {
    handler = fixtureHandler();
    const answer = await post(handler, request(0, 'initialize', { protocolVersion: 1 }));
    expect(answer.headers.get('mcp-session-id')).toBeNull();
    expect(await errorOf(answer)).toMatchObject({ code: -32602, id: 0 });
    expect(handler.load).toEqual({ sessions: 0, open: 0 });
  });

  test('expire when idle', async () => {
    handler = fixtureHandler({ sessions: { max: 2, idleTimeout: 150 } });
    const first = await openSession(handler);
    await openSession(handler);
    const refused = await post(handler, request(0, 'initialize', {}));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    const listening = await first.get();
    await expect.poll(() => handler.load.sessions, { timeout: 10_000 }).toBe(1);
    expect((await first.post(request(1, 'ping'))).status).toBe(200);
    await listening.body?.cancel();
    await expect.poll(() => handler.load, { timeout: 10_000 }).toEqual({ sessions: 0, open: 0 });
  });

  test('reject an unsupported protocol version header', async () => {
    handler = fixtureHandler();
    const { id, post: say } = await openSession(handler, '2025-06-18');
    expect((await say(request(1, 'ping'), { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    expect((await post(handler, request(2, 'ping'), { 'mcp-session-id': id })).status).toBe(200);
  });

  test('reject an id that is in use', async () => {
    handler = fixtureHandler();
    const { call, post: say } = await openSession(handler);
    const first = call(7, 'slow');
    expect((await call(7, 'echo')).status).toBe(400);
    expect((await first).status).toBe(200);
    expect(await errorOf(await say(request(8, 'initialize', {})))).toMatchObject({ code: -32600 });
  });

  test('answer a batch in 2025-03-26 only', async () => {
    handler = fixtureHandler();
    const old = await openSession(handler, '2025-03-26');
    const answer = await old.post([
      request(1, 'ping'),
      request('two', 'nothing'),
      { jsonrpc: '2.0', method: 'notifications/x' },
    ]);
    const answers = (await answer.json()) as { id: unknown }[];
    expect(answers.map(({ id }) => id)).toEqual([1, 'two']);
    expect((await old.post([{ jsonrpc: '2.0', method: 'notifications/x' }])).status).toBe(202);
    expect((await old.post([])).status).toBe(400);
    const late = await openSession(handler, '2025-06-18');
    expect((await late.post([request(1, 'ping')])).status).toBe(400);
    expect(handler.load.open).toBe(0);
  });

  test('none are kept if so wanted: each request is self-contained', async () => {
    handler = fixtureHandler({ sessions: false });
    const opened = await post(
      handler,
      request(0, 'initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      }),
    );
    expect([opened.status, opened.headers.get('mcp-session-id')]).toEqual([200, null]);
    const called = await post(handler, request(1, 'tools/call', { name: 'echo' }), {
      'mcp-protocol-version': '2025-06-18',
    });
    expect(await called.json()).toMatchObject({ id: 1, result: { content: [{ text: '{}' }] } });
    expect((await send(handler, 'GET', { accept: ACCEPT_BOTH })).status).toBe(405);
    expect(handler.load).toEqual({ sessions: 0, open: 0 });
  });
});

describe('streams', () => {
  test('are used only if a message precedes the result', async () => {
    handler = fixtureHandler();
    const { call } = await openSession(handler);
    expect((await call(1, 'echo')).headers.get('content-type')).toBe('application/json');
    const streamed = await call(2, 'count');
    expect(streamed.headers.get('content-type')).toBe('text/event-stream');
    expect(streamed.headers.get('x-accel-buffering')).toBe('no');
    const all = await readEvents(streamed);
    expect(all[0]).toMatchObject({ data: '', retry: '1000' });
    expect(messagesOf(all).map(({ method, id }) => method ?? id)).toEqual([
      ...Array<string>(3).fill('notifications/progress'),
      2,
    ]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(5);
  });

  test('start with an empty event since 2025-11-25 only', async () => {
    handler = fixtureHandler();
    const { call } = await openSession(handler, '2025-06-18');
    expect((await readEvents(await call(2, 'count'))).every(({ data }) => data !== '')).toBe(true);
  });

  test('are opened for slow results and kept alive', async () => {
    handler = fixtureHandler({ streamAfter: 50, keepAlive: 50 });
    const { call } = await openSession(handler);
    const answer = await call(1, 'slow');
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(messagesOf(await readEvents(answer))).toMatchObject([{ id: 1 }]);
  });

  test('carry requests to the client, answered by a separate POST', async () => {
    handler = fixtureHandler();
    const { call, post: say } = await openSession(handler, '2025-11-25', {}, { elicitation: { form: {} } });
    const answer = await call(1, 'ask');
    const reader = readEvents(answer);
    await delay(20);
    expect((await say({ jsonrpc: '2.0', id: 1, result: { action: 'decline' } })).status).toBe(202);
    expect(messagesOf(await reader)).toMatchObject([
      { method: 'elicitation/create' },
      { id: 1, result: { content: [{ text: 'decline' }] } },
    ]);
  });

  test('end when their request is cancelled', async () => {
    const seen = { aborted: [] as string[] };
    handler = fixtureHandler({}, seen);
    const { call, post: say } = await openSession(handler);
    const answer = call(5, 'hang');
    await delay(20);
    await say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    expect(await readEvents(await answer)).toEqual([]);
    expect(seen.aborted).toEqual(['hang']);
    expect(handler.load.open).toBe(0);
  });

  test('deliver unrelated messages to one listening stream', async () => {
    const server = fixtureServer();
    handler = fixtureHandler({ server });
    const { get } = await openSession(handler);
    server.notify('notifications/tools/list_changed');
    const first = await get();
    const second = await get();
    const [got] = await Promise.all([readEvents(first, 2)]);
    expect(messagesOf(got)).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
    server.notify('notifications/tools/list_changed');
    expect(messagesOf(await readEvents(second, 2))).toHaveLength(1);
  });
});

describe('resumption', () => {
  test('continues after the last event id', async () => {
    handler = fixtureHandler();
    const { call, get } = await openSession(handler);
    const left = await readEvents(await call(3, 'leave'));
    expect(left).toHaveLength(1);
    const resumed = messagesOf(await readEvents(await get({ 'last-event-id': left[0]?.id ?? '' })));
    expect(resumed).toMatchObject([{ id: 3 }]);
    expect(handler.load.open).toBe(0);
  });

  test('replays the later events of the same stream only', async () => {
    handler = fixtureHandler();
    const { call, get } = await openSession(handler);
    const first = await readEvents(await call(1, 'count'));
    await readEvents(await call(2, 'count'));
    const again = await readEvents(await get({ 'last-event-id': first[2]?.id ?? '' }));
    expect(again).toEqual(first.slice(3));
  });

  test('returns the answer to a client that disconnected', async () => {
    const seen = { aborted: [] as string[] };
    handler = fixtureHandler({ streamAfter: 20 }, seen);
    const { call, get } = await openSession(handler);
    const [first] = await readEvents(await call(1, 'slow'), 1);
    expect(first?.data).toBe('');
    const resumed = await readEvents(await get({ 'last-event-id': first?.id ?? '' }));
    expect(messagesOf(resumed)).toMatchObject([{ id: 1 }]);
    expect(seen.aborted).toEqual([]);
  });

  test('an answer that is gone is said to be gone', async () => {
    handler = fixtureHandler({ resumability: { maxEvents: 1 } });
    const { call, get } = await openSession(handler);
    const first = await readEvents(await call(1, 'count'));
    await readEvents(await call(2, 'count'));
    expect((await get({ 'last-event-id': first[0]?.id ?? '' })).status).toBe(400);
    expect((await get({ 'last-event-id': 'nonsense\u00e9' })).status).toBe(400);
  });

  test('an answer that nobody has had outlives the notifications of others', async () => {
    handler = fixtureHandler({ resumability: { maxEvents: 2 } });
    const { call, get } = await openSession(handler);
    const [left] = await readEvents(await call(1, 'leave'));
    await delay(200);
    await readEvents(await call(2, 'count'));
    const resumed = messagesOf(await readEvents(await get({ 'last-event-id': left?.id ?? '' })));
    expect(resumed).toMatchObject([{ id: 1 }]);
  });

  test('answers 400 if missed events were dropped', async () => {
    const server = fixtureServer();
    handler = createHttpHandler({ server, resumability: { maxEvents: 2 } });
    const { get } = await openSession(handler);
    const stream = await get();
    for (let at = 0; at < 4; at += 1) server.notify('notifications/tools/list_changed');
    const all = await readEvents(stream, 5);
    expect(messagesOf(all)).toHaveLength(4);
    // The first two are not kept any more.
    for (const missed of [0, 1])
      expect((await get({ 'last-event-id': all[missed]?.id ?? '' })).status, `after ${missed}`).toBe(400);
    const resumed = await readEvents(await get({ 'last-event-id': all[2]?.id ?? '' }), 2);
    expect(resumed).toEqual(all.slice(3));
    expect((await get({ 'last-event-id': 'g999-1' })).status).toBe(200);
    expect((await get()).status).toBe(200);
  });

  test('a stream of which all was forgotten is not taken for one that said nothing', async () => {
    const server = fixtureServer();
    handler = createHttpHandler({ server, resumability: { maxEvents: 1 } });
    const { call, get } = await openSession(handler);
    const stream = await get();
    for (let at = 0; at < 2; at += 1) server.notify('notifications/tools/list_changed');
    const all = await readEvents(stream, 3);
    await readEvents(await call(1, 'count'));
    expect((await get({ 'last-event-id': all[1]?.id ?? '' })).status).toBe(400);
  });
});

describe('2026-07-28', () => {
  test('maps errors to HTTP statuses', async () => {
    handler = fixtureHandler();
    const listed = await sendStateless(handler, 1, 'tools/list');
    expect(await listed.json()).toMatchObject({
      id: 1,
      result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
    });
    expect(listed.headers.get('mcp-session-id')).toBeNull();
    expect(await errorOf(await sendStateless(handler, 2, 'no/such'))).toMatchObject({
      status: 404,
      code: -32601,
      id: 2,
    });
    expect(await errorOf(await sendStateless(handler, 3, 'initialize'))).toMatchObject({ status: 404, code: -32601 });
    expect(await errorOf(await sendStateless(handler, 4, 'tools/call', { name: 'crash' }))).toMatchObject({
      status: 200,
      code: -32603,
    });
    expect(handler.load).toEqual({ sessions: 0, open: 0 });
  });

  test('two clients may use one id at the same time', async () => {
    handler = fixtureHandler();
    const answers = await Promise.all([
      sendStateless(handler, 1, 'tools/call', { name: 'slow' }),
      sendStateless(handler, 1, 'tools/call', { name: 'slow' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test('headers must be what is in the request', async () => {
    handler = fixtureHandler();
    const call = { name: 'echo', arguments: { bed: 'north' } };
    const fault = async (more: Record<string, string>) =>
      errorOf(await sendStateless(handler, 9, 'tools/call', call, more));
    for (const wrong of [
      { 'mcp-method': 'tools/list' },
      { 'mcp-name': 'other' },
      { 'mcp-protocol-version': '2025-11-25' },
      {},
      { 'mcp-param-bed': 'south' },
      { 'mcp-param-bed': '=?base64?bm9ydGg?=' },
    ])
      expect(await fault(wrong), JSON.stringify(wrong)).toMatchObject({ status: 400, code: -32020, id: 9 });
    for (const right of ['north', '=?base64?bm9ydGg=?='])
      expect((await sendStateless(handler, 9, 'tools/call', call, { 'mcp-param-bed': right })).status).toBe(200);
    expect((await sendStateless(handler, 9, 'tools/call', { name: 'echo', arguments: {} })).status).toBe(200);
  });

  test('rejects a missing or unsupported version', async () => {
    handler = fixtureHandler();
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const answer = await sendStateless(handler, 1, 'tools/list', { _meta }, { 'mcp-protocol-version': '2099-01-01' });
    expect(await errorOf(answer)).toMatchObject({
      status: 400,
      code: -32022,
      data: { supported: [STATELESS_REVISION], requested: '2099-01-01' },
    });
    const bare = await post(handler, request(2, 'tools/list', {}), {
      'mcp-protocol-version': STATELESS_REVISION,
      'mcp-method': 'tools/list',
    });
    expect(await errorOf(bare)).toMatchObject({ status: 400, code: -32602 });
  });

  test('acknowledges a subscription and ends it when the server closes', async () => {
    const server = fixtureServer();
    handler = fixtureHandler({ server });
    const answer = await sendStateless(handler, 'sub', 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    server.notify('notifications/tools/list_changed');
    await handler.close();
    const got = messagesOf(await readEvents(answer));
    expect(got.map(({ method, id }) => method ?? id)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
      'sub',
    ]);
  });

  test('who closes the stream cancels the request', async () => {
    const seen = { aborted: [] as string[] };
    handler = fixtureHandler({ streamAfter: 20, keepAlive: 20 }, seen);
    const answer = await sendStateless(handler, 1, 'tools/call', { name: 'hang' });
    await answer.body?.cancel();
    expect(seen.aborted).toEqual(['hang']);
    expect(handler.load.open).toBe(0);
  });

  const headers = { 'mcp-protocol-version': STATELESS_REVISION };

  test('accepts notifications', async () => {
    handler = fixtureHandler();
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await post(handler, cancelled, headers)).status).toBe(202);
  });

  test('rejects responses', async () => {
    handler = fixtureHandler();
    expect((await post(handler, { jsonrpc: '2.0', id: 1, result: {} }, headers)).status).toBe(400);
  });

  test('names the supported versions to older clients', async () => {
    handler = fixtureHandler({ server: fixtureServer(undefined, { revisions: fixtureServer().revisions.slice(-1) }) });
    expect((await send(handler, 'GET', { accept: ACCEPT_BOTH })).status).toBe(405);
    expect((await send(handler, 'DELETE')).status).toBe(405);
    const old = await post(
      handler,
      request(1, 'initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      }),
    );
    const { status, message } = await errorOf(old);
    expect([status, message.includes(STATELESS_REVISION)]).toEqual([400, true]);
    expect(await errorOf(await post(handler, request(1, 'tools/list')))).toMatchObject({ status: 400, code: -32020 });
  });
});

describe('who may connect', () => {
  test.each([
    [{ host: 'evil.example.com' }, 403],
    [{ origin: 'http://evil.example.com' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://localhost.evil.example' }, 403],
    [{ host: 'LOCALHOST:99', origin: 'http://127.0.0.1:3000' }, 200],
    [{ origin: 'http://[::1]:8080' }, 200],
  ])('%j: %i', async (headers, status) => {
    handler = fixtureHandler();
    expect((await sendStateless(handler, 1, 'server/discover', {}, headers)).status).toBe(status);
  });

  test('allows only listed hosts and origins', async () => {
    handler = fixtureHandler({ allowedHosts: ['mcp.example.com'], allowedOrigins: ['https://app.example.com'] });
    const ask = async (headers: Record<string, string>) =>
      (await sendStateless(handler, 1, 'server/discover', {}, headers)).status;
    expect(await ask({ host: 'mcp.example.com', origin: 'https://app.example.com' })).toBe(200);
    expect(await ask({ host: 'mcp.example.com', origin: 'https://mcp.example.com' })).toBe(403);
    expect(await ask({ host: 'localhost' })).toBe(403);
  });

  test('allows only listed origins to read answers', async () => {
    const origin = 'https://app.example.com';
    const asking = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'mcp-param-bed, x-other',
    };
    handler = fixtureHandler();
    const local = await sendStateless(handler, 1, 'server/discover', {}, { origin: 'http://localhost:1' });
    expect(local.headers.get('access-control-allow-origin')).toBeNull();
    await handler.close();
    handler = fixtureHandler({ cors: { origins: [origin] } });
    const preflight = await send(handler, 'OPTIONS', asking);
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'mcp-param-bed']);
    const { opened } = await openSession(handler, '2025-11-25', { origin });
    expect(opened.headers.get('access-control-allow-origin')).toBe(origin);
    expect(opened.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id');
  });
});

describe('bad requests', () => {
  test.each([
    ['text/plain', ACCEPT_BOTH, '{}', 415],
    ['application/jsonp', ACCEPT_BOTH, '{}', 415],
    ['application/json; charset=utf-8', ACCEPT_BOTH, '{', 400],
    ['application/json', 'application/json', '{}', 406],
    ['application/json', 'text/html', '{}', 406],
    ['application/json', '*/*', '{}', 400],
    ['application/json', ACCEPT_BOTH, '[]', 400],
    ['application/json', ACCEPT_BOTH, 'null', 400],
    ['application/json', ACCEPT_BOTH, `${'['.repeat(400)}${']'.repeat(400)}`, 400],
    ['application/json', ACCEPT_BOTH, `"${'x'.repeat(300)}"`, 413],
  ])('%s, %s, %s: %i', async (type, accept, body, status) => {
    handler = fixtureHandler({ maxBodyBytes: 1 });
    await handler.close();
    handler = fixtureHandler({ maxBodyBytes: status === 413 ? 200 : 10_000 });
    const answer = await send(handler, 'POST', { 'content-type': type, accept }, body);
    expect(answer.status).toBe(status);
    expect(handler.load).toEqual({ sessions: 0, open: 0 });
  });

  test('rejects other methods and paths', async () => {
    handler = fixtureHandler({ path: '/mcp' });
    const answer = await send(handler, 'PUT', {}, '{}');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, GET, DELETE']);
    expect((await send(handler, 'POST', {}, '{}', '/other')).status).toBe(404);
    expect((await send(handler, 'GET', {}, undefined, '/.well-known/oauth-protected-resource')).status).toBe(404);
  });

  test('answers 500 if a factory throws', async () => {
    const failures: unknown[] = [];
    let isBroken = true;
    handler = fixtureHandler({
      server: () => {
        if (isBroken) throw new Error('no database');
        return fixtureServer();
      },
      onEvent: (event) => {
        if (event.kind === 'failed') failures.push(event.error);
      },
    });
    expect((await sendStateless(handler, 1, 'tools/list')).status).toBe(500);
    expect(failures).toHaveLength(1);
    isBroken = false;
    expect((await sendStateless(handler, 1, 'tools/list')).status).toBe(200);
  });

  test('answers 503 past the limit of open requests', async () => {
    handler = fixtureHandler({ maxOpen: 1, streamAfter: 20 });
    const held = await sendStateless(handler, 1, 'tools/call', { name: 'hang' });
    expect((await sendStateless(handler, 2, 'tools/list')).status).toBe(503);
    await held.body?.cancel();
    expect((await sendStateless(handler, 2, 'tools/list')).status).toBe(200);
    await handler.close();
    expect((await sendStateless(handler, 2, 'tools/list')).status).toBe(503);
  });

  test('aborts the request of a client that does not read', async () => {
    const seen = { aborted: [] as string[] };
    handler = fixtureHandler({ maxBacklog: 100_000, stallTimeout: 50, streamAfter: 50 }, seen);
    const answer = await sendStateless(handler, 1, 'tools/call', { name: 'flood', _meta: { progressToken: 1 } });
    await expect.poll(() => [...seen.aborted]).toEqual(['flood']);
    await expect(readEvents(answer)).rejects.toThrow('cut off');
    expect(handler.load.open).toBe(0);
  });
});

test('HTTP+SSE: counts streams that are being opened against the limit', async () => {
  let made = 0;
  handler = createHttpHandler({
    server: async () => {
      await delay(20);
      made += 1;
      if (made === 1) throw new Error('no server today');
      return fixtureServer();
    },
    sse: true,
    sessions: { max: 2 },
  });
  const open = (): Promise<Response> => send(handler, 'GET', { accept: 'text/event-stream' }, undefined, '/sse');
  const answers = await Promise.all([open(), open(), open(), open()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 500, 503, 503]);
  expect(handler.load).toEqual({ sessions: 1, open: 1 });
});

test('HTTP+SSE of 2024-11-05 works over one stream', async () => {
  handler = fixtureHandler({ sse: true });
  const stream = await send(handler, 'GET', { accept: 'text/event-stream' }, undefined, '/sse');
  const reading = readEvents(stream, 2);
  expect(handler.load).toEqual({ sessions: 1, open: 1 });
  const other = await send(
    handler,
    'POST',
    { 'content-type': 'application/json' },
    request(1, 'ping'),
    '/messages?sessionId=x',
  );
  expect(other.status).toBe(404);
  const path = await new Promise<string>((resolve) => {
    void send(handler, 'GET', { accept: 'text/event-stream' }, undefined, '/sse').then(async (second) => {
      const [endpoint] = await readEvents(second, 1);
      resolve(endpoint?.data ?? '');
    });
  });
  expect(path).toMatch(/^\/messages\?sessionId=[0-9a-f]{32}$/);
  await expect.poll(() => handler.load.sessions).toBe(1);
  void reading.catch(() => undefined);
});
