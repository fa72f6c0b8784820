import { describe, expect, test } from 'vitest';
import {
  deferred,
  Events,
  rejectionOf,
  TEST_INFO,
  connectPair,
  revision20251125,
  connectRawServer,
  startRawSession,
  nextTurns,
  textResult,
} from './harness.js';
import { drainViolations, ProtocolMonitor } from './protocol-monitor.js';

const { createClient, createServer } = revision20251125;

function waitingServer(events = new Events()): {
  server: ReturnType<typeof createServer>;
  started: string[];
  release: Map<string, () => void>;
  events: Events;
} {
  const started: string[] = [];
  const release = new Map<string, () => void>();
  const server = createServer({
    info: TEST_INFO,
    onEvent: events.onEvent,
    handlers: {
      'tools/call': async ({ name }) => {
        started.push(name);
        const { promise, resolve } = deferred();
        release.set(name, () => {
          resolve();
        });
        await promise;
        return textResult(name);
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
  test.each([1, '1', 0, -7, '', 'a b', Number.MAX_SAFE_INTEGER, '__proto__', 'constructor', 'é\u2028'])(
    '%j is echoed exactly',
    async (id) => {
      const { raw } = await startRawSession(createServer({ info: TEST_INFO, handlers: {} }));
      expect(await raw.request({ id, method: 'ping' })).toEqual({ jsonrpc: '2.0', id, result: {} });
    },
  );

  test('distinguish 1 from "1"', async () => {
    const { server, release, started } = waitingServer();
    const { raw, session } = await startRawSession(server);
    raw.send(call(1, 'number'));
    raw.send(call('1', 'string'));
    expect(await raw.nextFrames()).toEqual([]);
    expect(started).toEqual(['number', 'string']);
    expect(session.inFlight.inbound).toBe(2);
    release.get('string')?.();
    expect(await raw.nextFrames()).toEqual([{ jsonrpc: '2.0', id: '1', result: textResult('string') }]);
    release.get('number')?.();
    expect(await raw.nextFrames()).toEqual([{ jsonrpc: '2.0', id: 1, result: textResult('number') }]);
    expect(session.inFlight).toEqual({ inbound: 0, outbound: 0 });
  });

  test('reject a duplicate of an id in flight', async () => {
    const { server, release, started } = waitingServer();
    const { raw } = await startRawSession(server);
    raw.send(call(1, 'a'));
    raw.send(call(1, 'b'));
    raw.send({ jsonrpc: '2.0', id: 1, method: 'no/such' });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: [] });
    const refused = await raw.nextFrames();
    expect(refused.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, -32600],
      [1, -32600],
      [1, -32600],
    ]);
    expect(started).toEqual(['a']);
    release.get('a')?.();
    expect((await raw.nextFrames()).map(({ result }) => result)).toEqual([textResult('a')]);
    raw.send(call(1, 'c'));
    await nextTurns();
    release.get('c')?.();
    expect((await raw.nextFrames()).map(({ result }) => result)).toEqual([textResult('c')]);
  });

  test('are free again once cancelled', async () => {
    const { server, release } = waitingServer();
    const { raw, session } = await startRawSession(server);
    raw.send(call(1, 'a'));
    raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    raw.send(call(1, 'b'));
    await nextTurns();
    release.get('a')?.();
    expect(await raw.nextFrames()).toEqual([]);
    expect(session.inFlight.inbound).toBe(1);
    release.get('b')?.();
    expect((await raw.nextFrames()).map(({ result }) => result)).toEqual([textResult('b')]);
  });

  test.each([null, 1.5, true, {}, [1], 2 ** 53])('reject %j', async (id) => {
    const events = new Events();
    const { raw } = await startRawSession(createServer({ info: TEST_INFO, handlers: {}, onEvent: events.onEvent }));
    raw.send({ jsonrpc: '2.0', id, method: 'ping' });
    const [answer, ...more] = await raw.nextFrames();
    expect(more).toEqual([]);
    expect(answer).toMatchObject({ error: { code: -32600 } });
    expect(answer).not.toHaveProperty('id');
    expect(events.kinds).toEqual(['invalidMessage']);
    expect((await raw.request({ id: 2, method: 'ping' })).result).toEqual({});
  });
});

describe('ids of this side’s requests', () => {
  test('are never reused', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw, monitor } = await connectRawServer(client);
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
    const ids = monitor
      .from('client')
      .filter(({ method, id }) => method !== undefined && id !== undefined)
      .map(({ id }) => id);
    expect(ids.length).toBe(16);
    expect(new Set(ids).size).toBe(16);
    expect(client.inFlight.outbound).toBe(0);
    await client.close();
  });

  test('both sides may use the same ids at the same time', async () => {
    const server = createServer({
      info: TEST_INFO,
      handlers: { 'tools/call': async (_, context) => textResult(String((await context.roots()).roots.length)) },
    });
    const client = createClient({
      info: TEST_INFO,
      handlers: { 'roots/list': () => ({ roots: [{ uri: 'file:///a' }] }) },
    });
    await connectPair(server, client);
    const all = await Promise.all(Array.from({ length: 20 }, () => client.callTool({ name: 'x' })));
    expect(all).toEqual(Array.from({ length: 20 }, () => textResult('1')));
    await client.close();
  });
});

describe('responses that nobody waits for', () => {
  test('are reported if their id is unknown', async () => {
    const events = new Events();
    const client = createClient({ info: TEST_INFO, onEvent: events.onEvent });
    const { raw } = await connectRawServer(client);
    for (const id of [999, '1', 'constructor', '__proto__', 0, -1]) raw.send({ jsonrpc: '2.0', id, result: {} });
    raw.send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
    raw.send({ jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' } });
    await nextTurns();
    expect(events.all).toEqual([
      ...[999, '1', 'constructor', '__proto__', 0, -1, null, null].map((id) => ({ kind: 'unknownResponse', id })),
    ]);
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: {} });
    expect(await client.ping()).toEqual({});
    await client.close();
  });

  test('are reported with the reason why they are late', async () => {
    const events = new Events();
    const client = createClient({ info: TEST_INFO, onEvent: events.onEvent });
    const { raw } = await connectRawServer(client);
    const ids: unknown[] = [];
    raw.responder = ({ id, method }) => {
      if (id === undefined) return undefined;
      ids.push(id);
      return method === 'ping' ? { jsonrpc: '2.0', id, result: {} } : undefined;
    };
    await client.ping();
    expect((await rejectionOf(client.listTools(undefined, { timeout: 10 }))).name).toBe('TimeoutError');
    const controller = new AbortController();
    const cancelled = rejectionOf(client.listTools(undefined, { signal: controller.signal }));
    controller.abort(new Error('enough'));
    expect((await cancelled).message).toBe('enough');
    await nextTurns();
    expect(ids.length).toBe(3);
    for (const id of ids) raw.send({ jsonrpc: '2.0', id, result: { tools: [] } });
    await nextTurns();
    expect(events.all).toEqual(ids.map((id) => ({ kind: 'lateResponse', id })));
    expect(client.inFlight.outbound).toBe(0);
    await client.close();
  });

  test('a server that never asked takes responses as well', async () => {
    const events = new Events();
    const { raw } = await startRawSession(createServer({ info: TEST_INFO, handlers: {}, onEvent: events.onEvent }));
    raw.send({ jsonrpc: '2.0', id: 5, result: {} });
    raw.send({ jsonrpc: '2.0', id: 5, error: { code: 1, message: '' } });
    expect(await raw.nextFrames()).toEqual([]);
    expect(events.kinds).toEqual(['unknownResponse', 'unknownResponse']);
  });

  test.each([
    { jsonrpc: '2.0', result: 'x' },
    { jsonrpc: '2.0', result: {}, error: { code: 1, message: '' } },
    { jsonrpc: '1.0', result: {} },
    { jsonrpc: '2.0', error: { code: 1.5, message: '' } },
    { jsonrpc: '2.0', error: { code: 1e300, message: 'out of range' } },
    { jsonrpc: '2.0', error: null },
  ])('fail the call if they are invalid: %j', async (answer) => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client);
    raw.responder = ({ id }) => ({ ...answer, id });
    const error = await rejectionOf(client.listTools(undefined, { timeout: 500 }));
    expect(error).toMatchObject({ name: 'RpcError', code: -32600 });
    expect(client.inFlight.outbound).toBe(0);
    await client.close();
  });
});

describe('the monitor', () => {
  test('finds what is wrong with a frame', () => {
    const monitor = new ProtocolMonitor(['client', 'server']);
    const start = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: TEST_INFO };
    monitor.observe('client', { jsonrpc: '2.0', id: 1, method: 'initialize', params: start });
    monitor.observe('server', {
      jsonrpc: '2.0',
      id: 1,
      result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: TEST_INFO },
    });
    expect(drainViolations()).toEqual([]);
    monitor.observe('client', { jsonrpc: '2.0', id: 2, method: 'tools/call', params: {} });
    monitor.observe('server', { jsonrpc: '2.0', id: 2, result: { content: 1 } });
    monitor.observe('server', { jsonrpc: '2.0', id: 2, result: {} });
    monitor.observe('server', { jsonrpc: '2.0', id: 3, method: 'tools/list' });
    monitor.observe('server', [
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } },
    ]);
    monitor.observe('server', { jsonrpc: '2.0', id: 9, error: { code: -32021, message: '', data: {} } });
    expect(drainViolations().length).toBe(6);
  });
});
