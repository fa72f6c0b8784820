import { describe, expect, it } from 'vitest';
import {
  deferred,
  Events,
  failure,
  info,
  joined,
  r20251125,
  rawServer,
  rawSession,
  settle,
  takeViolations,
  Tap,
  text,
} from './harness.js';

const { createClient, createServer } = r20251125;

function waitingServer(events = new Events()): {
  server: ReturnType<typeof createServer>;
  started: string[];
  release: Map<string, () => void>;
  events: Events;
} {
  const started: string[] = [];
  const release = new Map<string, () => void>();
  const server = createServer({
    info,
    onEvent: events.onEvent,
    handlers: {
      'tools/call': async ({ name }) => {
        started.push(name);
        const { promise, resolve } = deferred();
        release.set(name, () => {
          resolve();
        });
        await promise;
        return text(name);
      },
    },
  });
  return { server, started, release, events };
}

const call = (id: unknown, name: string): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name },
});

describe('ids of requests that come in', () => {
  it.each([1, '1', 0, -7, '', 'a b', Number.MAX_SAFE_INTEGER, '__proto__', 'constructor', 'é\u2028'])(
    '%j is echoed exactly',
    async (id) => {
      const { raw } = await rawSession(createServer({ info, handlers: {} }));
      expect(await raw.ask({ id, method: 'ping' })).toEqual({ jsonrpc: '2.0', id, result: {} });
    },
  );

  it('1 and "1" are two requests', async () => {
    const { server, release, started } = waitingServer();
    const { raw, session } = await rawSession(server);
    raw.send(call(1, 'number'));
    raw.send(call('1', 'string'));
    expect(await raw.news()).toEqual([]);
    expect(started).toEqual(['number', 'string']);
    expect(session.inFlight.inbound).toBe(2);
    release.get('string')?.();
    expect(await raw.news()).toEqual([{ jsonrpc: '2.0', id: '1', result: text('string') }]);
    release.get('number')?.();
    expect(await raw.news()).toEqual([{ jsonrpc: '2.0', id: 1, result: text('number') }]);
    expect(session.inFlight).toEqual({ inbound: 0, outbound: 0 });
  });

  it('a second one with an id in flight gets -32600, the first goes on, and afterwards the id is free', async () => {
    const { server, release, started } = waitingServer();
    const { raw } = await rawSession(server);
    raw.send(call(1, 'a'));
    raw.send(call(1, 'b'));
    raw.send({ jsonrpc: '2.0', id: 1, method: 'no/such' });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: [] });
    const refused = await raw.news();
    expect(refused.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, -32600],
      [1, -32600],
      [1, -32600],
    ]);
    expect(started).toEqual(['a']);
    release.get('a')?.();
    expect((await raw.news()).map(({ result }) => result)).toEqual([text('a')]);
    raw.send(call(1, 'c'));
    await settle();
    release.get('c')?.();
    expect((await raw.news()).map(({ result }) => result)).toEqual([text('c')]);
  });

  it('an id of a cancelled request is free at once, and the late end of its handler answers nothing', async () => {
    const { server, release } = waitingServer();
    const { raw, session } = await rawSession(server);
    raw.send(call(1, 'a'));
    raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    raw.send(call(1, 'b'));
    await settle();
    release.get('a')?.();
    expect(await raw.news()).toEqual([]);
    expect(session.inFlight.inbound).toBe(1);
    release.get('b')?.();
    expect((await raw.news()).map(({ result }) => result)).toEqual([text('b')]);
  });

  it.each([null, 1.5, true, {}, [1], 2 ** 53])('%j is no id: -32600, without an id', async (id) => {
    const events = new Events();
    const { raw } = await rawSession(createServer({ info, handlers: {}, onEvent: events.onEvent }));
    raw.send({ jsonrpc: '2.0', id, method: 'ping' });
    const [answer, ...more] = await raw.news();
    expect(more).toEqual([]);
    expect(answer).toMatchObject({ error: { code: -32600 } });
    expect(answer).not.toHaveProperty('id');
    expect(events.kinds).toEqual(['invalidMessage']);
    expect((await raw.ask({ id: 2, method: 'ping' })).result).toEqual({});
  });
});

describe('ids of our own requests', () => {
  it('are unique and never used again, also not after answers, cancellations and errors', async () => {
    const client = createClient({ info });
    const { raw, tap } = await rawServer(client);
    raw.responder = ({ id, method }) =>
      method === 'ping'
        ? { jsonrpc: '2.0', id, result: {} }
        : method === 'tools/list'
          ? { jsonrpc: '2.0', id, error: { code: 1, message: 'no' } }
          : undefined;
    for (let round = 0; round < 5; round += 1) {
      const controller = new AbortController();
      const calls = [
        client.ping(),
        client.listTools().catch(() => undefined),
        client.callTool({ name: 'x' }, { signal: controller.signal }).catch(() => undefined),
      ];
      controller.abort(new Error('no more'));
      await Promise.all(calls);
    }
    const ids = tap
      .from('client')
      .filter(({ method, id }) => method !== undefined && id !== undefined)
      .map(({ id }) => id);
    expect(ids.length).toBe(16);
    expect(new Set(ids).size).toBe(16);
    expect(client.inFlight.outbound).toBe(0);
    await client.close();
  });

  it('both sides may use the same ids at the same time', async () => {
    const server = createServer({
      info,
      handlers: { 'tools/call': async (_, context) => text(String((await context.roots()).roots.length)) },
    });
    const client = createClient({ info, handlers: { 'roots/list': () => ({ roots: [{ uri: 'file:///a' }] }) } });
    await joined(server, client);
    const all = await Promise.all(Array.from({ length: 20 }, () => client.callTool({ name: 'x' })));
    expect(all).toEqual(Array.from({ length: 20 }, () => text('1')));
    await client.close();
  });
});

describe('responses that nobody waits for', () => {
  it('unknown ids are an event, and the connection goes on', async () => {
    const events = new Events();
    const client = createClient({ info, onEvent: events.onEvent });
    const { raw } = await rawServer(client);
    for (const id of [999, '1', 'constructor', '__proto__', 0, -1]) raw.send({ jsonrpc: '2.0', id, result: {} });
    raw.send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
    raw.send({ jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' } });
    await settle();
    expect(events.all).toEqual([
      ...[999, '1', 'constructor', '__proto__', 0, -1, null, null].map((id) => ({ kind: 'unknownResponse', id })),
    ]);
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: {} });
    expect(await client.ping()).toEqual({});
    await client.close();
  });

  it('late answers are told apart: after an answer, a time limit, a cancellation', async () => {
    const events = new Events();
    const client = createClient({ info, onEvent: events.onEvent });
    const { raw } = await rawServer(client);
    const ids: unknown[] = [];
    raw.responder = ({ id, method }) => {
      if (id === undefined) return undefined;
      ids.push(id);
      return method === 'ping' ? { jsonrpc: '2.0', id, result: {} } : undefined;
    };
    await client.ping();
    expect((await failure(client.listTools(undefined, { timeout: 10 }))).name).toBe('TimeoutError');
    const controller = new AbortController();
    const cancelled = failure(client.listTools(undefined, { signal: controller.signal }));
    controller.abort(new Error('enough'));
    expect((await cancelled).message).toBe('enough');
    await settle();
    expect(ids.length).toBe(3);
    for (const id of ids) raw.send({ jsonrpc: '2.0', id, result: { tools: [] } });
    await settle();
    expect(events.all).toEqual(ids.map((id) => ({ kind: 'lateResponse', id })));
    expect(client.inFlight.outbound).toBe(0);
    await client.close();
  });

  it('a server that never asked takes responses as well', async () => {
    const events = new Events();
    const { raw } = await rawSession(createServer({ info, handlers: {}, onEvent: events.onEvent }));
    raw.send({ jsonrpc: '2.0', id: 5, result: {} });
    raw.send({ jsonrpc: '2.0', id: 5, error: { code: 1, message: '' } });
    expect(await raw.news()).toEqual([]);
    expect(events.kinds).toEqual(['unknownResponse', 'unknownResponse']);
  });

  it.each([
    { jsonrpc: '2.0', result: 'x' },
    { jsonrpc: '2.0', result: {}, error: { code: 1, message: '' } },
    { jsonrpc: '1.0', result: {} },
    { jsonrpc: '2.0', error: { code: 1.5, message: '' } },
    { jsonrpc: '2.0', error: { code: 1e300, message: 'out of range' } },
    { jsonrpc: '2.0', error: null },
  ])('a broken answer fails the call, it does not keep it waiting: %j', async (answer) => {
    const client = createClient({ info });
    const { raw } = await rawServer(client);
    raw.responder = ({ id }) => ({ ...answer, id });
    const error = await failure(client.listTools(undefined, { timeout: 500 }));
    expect(error).toMatchObject({ name: 'RpcError', code: -32600 });
    expect(client.inFlight.outbound).toBe(0);
    await client.close();
  });
});

describe('the tap', () => {
  it('finds what is wrong with a frame', () => {
    const tap = new Tap(['client', 'server']);
    const start = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info };
    tap.see('client', { jsonrpc: '2.0', id: 1, method: 'initialize', params: start });
    tap.see('server', {
      jsonrpc: '2.0',
      id: 1,
      result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: info },
    });
    expect(takeViolations()).toEqual([]);
    tap.see('client', { jsonrpc: '2.0', id: 2, method: 'tools/call', params: {} });
    tap.see('server', { jsonrpc: '2.0', id: 2, result: { content: 1 } });
    tap.see('server', { jsonrpc: '2.0', id: 2, result: {} });
    tap.see('server', { jsonrpc: '2.0', id: 3, method: 'tools/list' });
    tap.see('server', [{ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } }]);
    tap.see('server', { jsonrpc: '2.0', id: 9, error: { code: -32021, message: '', data: {} } });
    expect(takeViolations().length).toBe(6);
  });
});
