import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Endpoint } from '../../generated/runtime/jsonrpc/endpoint.js';
import { CANCELLATION } from '../../generated/runtime/protocol/message-rules.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { childProgram } from '../runtime/stdio-support.js';
import {
  deferred,
  Events,
  rejectionOf,
  TEST_INFO,
  connectPair,
  revision20251125,
  revision20260728,
  RawPeer,
  connectRawServer,
  startRawSession,
  nextTurns,
  textResult,
  sleep,
  connectedTransports,
} from './harness.js';

const { createClient, createServer } = revision20251125;

function neverEnding(): {
  server: ReturnType<typeof createServer>;
  reasons: unknown[];
  release: () => void;
} {
  const reasons: unknown[] = [];
  const { promise, resolve } = deferred();
  const server = createServer({
    info: TEST_INFO,
    handlers: {
      'tools/call': async (_, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        await promise;
        return textResult('late');
      },
    },
  });
  return { server, reasons, release: resolve };
}

describe('closing', () => {
  test.each(['client', 'session', 'server'] as const)('by the %s rejects calls and aborts handlers', async (who) => {
    const { server, reasons, release } = neverEnding();
    const client = createClient({ info: TEST_INFO });
    const { session, monitor } = await connectPair(server, client);
    const calls = [1, 2, 3].map(() => rejectionOf(client.callTool({ name: 'x' })));
    await nextTurns();
    expect(session.inFlight.inbound).toBe(3);
    expect(client.inFlight.outbound).toBe(3);
    await { client, session, server }[who].close();
    await Promise.all([client.closed, session.closed]);
    expect((await Promise.all(calls)).map(({ name }) => name)).toEqual(
      Array.from({ length: 3 }, () => 'ConnectionClosedError'),
    );
    expect(reasons.map((reason) => (reason as Error).name)).toEqual(
      Array.from({ length: 3 }, () => 'ConnectionClosedError'),
    );
    const before = monitor.frames.length;
    release();
    await nextTurns();
    expect(monitor.frames.length).toBe(before);
    expect([client.inFlight, session.inFlight]).toEqual([
      { inbound: 0, outbound: 0 },
      { inbound: 0, outbound: 0 },
    ]);
    expect(server.sessions.size).toBe(0);
    expect(await rejectionOf(client.ping())).toMatchObject({ name: 'ConnectionClosedError' });
  });

  test('is idempotent', async () => {
    const client = createClient({ info: TEST_INFO });
    await client.close();
    await client.close();
    await client.closed;
    expect((await rejectionOf(client.connect(connectedTransports().client))).message).toContain('connects only once');
  });

  test('rejects the requests of a server too', async () => {
    const server = createServer({
      info: TEST_INFO,
      handlers: { 'tools/call': async (_, context) => textResult((await rejectionOf(context.roots())).name) },
    });
    const { raw, session } = await startRawSession(server, '2025-11-25', { roots: {} });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
    await raw.nextFrames();
    const asking = rejectionOf(session.request('roots/list'));
    expect(session.inFlight).toEqual({ inbound: 1, outbound: 2 });
    await session.close();
    expect((await asking).name).toBe('ConnectionClosedError');
    expect(await raw.nextFrames()).toMatchObject([{ method: 'roots/list' }]);
    expect(raw.closes).toBe(1);
  });

  test('what arrives afterwards is not looked at', async () => {
    const events = new Events();
    const server = createServer({ info: TEST_INFO, handlers: {}, onEvent: events.onEvent });
    const ends = connectedTransports(['server']);
    const raw = new RawPeer(ends.client);
    const session = await server.connect(ends.server);
    const receive = ends.server.onmessage;
    await session.close();
    receive?.({ jsonrpc: '2.0', id: 1, method: 'ping' });
    receive?.({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await raw.nextFrames()).toEqual([]);
    expect(events.all).toEqual([]);
  });

  test('drops the answer of a handler that closes the session', async () => {
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': async () => {
          await server.close();
          return textResult('');
        },
      },
    });
    const { raw } = await startRawSession(server);
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
    expect(await raw.nextFrames()).toEqual([]);
    expect(raw.closes).toBe(1);
  });

  test('ends input handlers that never return', async () => {
    for (const how of ['close', 'abort'] as const) {
      const reasons: string[] = [];
      const client = revision20260728.createClient({
        info: TEST_INFO,
        handlers: {
          'elicitation/create': (_, { signal }) =>
            new Promise(() => {
              signal.addEventListener('abort', () => reasons.push((signal.reason as Error).name));
            }),
        },
      });
      const { raw } = await connectRawServer(client, { tools: {} }, '2026-07-28');
      raw.responder = ({ id }) => ({
        jsonrpc: '2.0',
        id,
        result: {
          resultType: 'input_required',
          inputRequests: {
            r: {
              method: 'elicitation/create',
              params: { message: 'who', requestedSchema: { type: 'object', properties: {} } },
            },
          },
          requestState: 's',
        },
      });
      const controller = new AbortController();
      const called = rejectionOf(client.callTool({ name: 'x' }, { signal: controller.signal }));
      await nextTurns();
      if (how === 'close') await client.close();
      else controller.abort(Object.assign(new Error('no'), { name: 'Mine' }));
      const name = how === 'close' ? 'ConnectionClosedError' : 'Mine';
      expect((await called).name).toBe(name);
      expect(reasons).toEqual([name]);
      await client.close();
    }
  });
});

describe('a transport that fails', () => {
  function broken(more: Partial<Transport>): Transport {
    return {
      start: () => Promise.resolve(),
      send: () => undefined,
      close: () => Promise.resolve(),
      ...more,
    };
  }

  test('on start rejects connect', async () => {
    const server = createServer({ info: TEST_INFO, handlers: {} });
    const client = createClient({ info: TEST_INFO });
    const start = (): Promise<void> => Promise.reject(new Error('no cable'));
    expect((await rejectionOf(server.connect(broken({ start })))).message).toBe('no cable');
    expect((await rejectionOf(client.connect(broken({ start })))).message).toBe('no cable');
    expect(server.sessions.size).toBe(0);
    await client.closed;
  });

  test.each([
    [
      'at once',
      () => {
        throw new Error('no cable');
      },
    ],
    ['later', () => Promise.reject(new Error('no cable'))],
  ] as const)('to send %s: the call is rejected, an answer is an event', async (_, send) => {
    const events = new Events();
    const transport = broken({ send });
    const endpoint = new Endpoint(
      {
        classify: revision20251125.classify,
        handleRequest: () => ({}),
        handleNotification: () => undefined,
        handleClose: () => undefined,
      },
      { onEvent: events.onEvent },
    );
    await endpoint.connect(transport);
    expect((await rejectionOf(endpoint.request('ping', undefined))).message).toBe('no cable');
    endpoint.notify('notifications/initialized');
    transport.onmessage?.({ jsonrpc: '2.0', id: 1, method: 'ping' });
    transport.onerror?.(new Error('noise'));
    await nextTurns();
    expect(events.kinds).toEqual(Array.from({ length: 3 }, () => 'transportFailed'));
    expect(endpoint.inFlight).toEqual({ inbound: 0, outbound: 0 });
    await endpoint.close();
  });

  test('while a time limit is reported: no timer outlives the connection', async () => {
    // Other files that ran in this process may have left some.
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const transport = broken({});
    const endpoint = new Endpoint(
      {
        classify: revision20251125.classify,
        handleRequest: () => ({}),
        handleNotification: () => undefined,
        handleClose: () => undefined,
        cancellation: CANCELLATION,
      },
      {},
    );
    await endpoint.connect(transport);
    const calls = [5, 10_000].map((timeout) => rejectionOf(endpoint.request('ping', undefined, { timeout })));
    transport.send = () => {
      transport.onclose?.();
      throw new Error('broken pipe');
    };
    expect((await Promise.all(calls)).map(({ name }) => name)).toEqual(['TimeoutError', 'ConnectionClosedError']);
    await sleep(5);
    expect(timers()).toBeLessThanOrEqual(before);
  });
});

describe('the process', () => {
  test('exits by itself after closing', async () => {
    const begin = performance.now();
    const program = childProgram('../../connect/children/exits.ts');
    const { stdout } = await promisify(execFile)(process.execPath, program, { timeout: 50_000 });
    expect(JSON.parse(stdout)).toEqual({
      called: 'ok',
      waiting: 'ConnectionClosedError',
      left: 'nothing',
    });
    expect(performance.now() - begin).toBeLessThan(50_000);
  });
});

describe('ending a client', () => {
  async function connected() {
    const { server, release } = neverEnding();
    const client = createClient({ info: TEST_INFO });
    const [serverSide, clientSide] = memoryPair();
    await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
    return { client, release };
  }

  test('waits for the answers to pending calls', async () => {
    const { client, release } = await connected();
    const call = client.callTool({ name: 'x' });
    const ended = client.end();
    await nextTurns();
    expect(client.inFlight.outbound).toBe(1);
    release();
    await ended;
    expect(await call).toEqual(textResult('late'));
    await client.closed;
  });

  test('rejects further calls', async () => {
    const { client, release } = await connected();
    const call = client.callTool({ name: 'x' });
    const ended = client.end();
    expect((await rejectionOf(client.ping())).message).toBe('this side has ended its output');
    release();
    await Promise.all([call, ended]);
  });

  test('without pending calls closes at once', async () => {
    const { client } = await connected();
    await client.end();
    expect(client.inFlight.outbound).toBe(0);
    await client.closed;
  });

  test('closes once a pending call has timed out', async () => {
    const { client } = await connected();
    const call = rejectionOf(client.callTool({ name: 'x' }, { timeout: 20 }));
    await client.end();
    expect((await call).name).toBe('TimeoutError');
  });
});
