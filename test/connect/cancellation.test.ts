import { describe, expect, test, vi } from 'vitest';
import type { ServerContext } from '../../generated/2025-11-25/index.js';
import { Endpoint } from '../../generated/runtime/jsonrpc/endpoint.js';
import { CANCELLATION } from '../../generated/runtime/protocol/message-rules.js';
import {
  deferred,
  Events,
  rejectionOf,
  TEST_INFO,
  connectPair,
  revision20251125,
  RawPeer,
  connectRawServer,
  startRawSession,
  nextTurns,
  textResult,
  sleep,
  connectedTransports,
} from './harness.js';

const { createClient, createServer } = revision20251125;

const cancelled = (requestId: unknown, reason?: string): object => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, ...(reason === undefined ? {} : { reason }) },
});

describe('cancelled by the client', () => {
  test('aborts the signal and sends no answer', async () => {
    const release = deferred();
    let context: ServerContext | undefined;
    const server = createServer({
      info: TEST_INFO,
      capabilities: { logging: {} },
      handlers: {
        'tools/call': async (_, given) => {
          context = given;
          await release.promise;
          given.progress(5);
          given.log('error', 'late');
          given.notify('notifications/resources/list_changed');
          return textResult('late');
        },
      },
    });
    const { raw, session } = await startRawSession(server);
    raw.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'x', _meta: { progressToken: 't' } },
    });
    await nextTurns();
    expect(context?.signal.aborted).toBe(false);
    raw.send(cancelled(1, 'the user left'));
    await nextTurns();
    expect(context?.signal.aborted).toBe(true);
    expect(context?.signal.reason).toMatchObject({ name: 'AbortError', message: 'the user left' });
    expect(session.inFlight.inbound).toBe(0);
    release.resolve();
    expect(await raw.nextFrames()).toEqual([]);
  });

  test('aborts a handler that reads the signal late', async () => {
    const release = deferred();
    const seen: boolean[] = [];
    const events = new Events();
    const server = createServer({
      info: TEST_INFO,
      onEvent: events.onEvent,
      handlers: {
        'tools/call': async (_, context) => {
          await release.promise;
          seen.push(context.signal.aborted);
          context.signal.throwIfAborted();
          return textResult('');
        },
      },
    });
    const { raw } = await startRawSession(server);
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
    raw.send(cancelled(1));
    release.resolve();
    expect(await raw.nextFrames()).toEqual([]);
    expect(seen).toEqual([true]);
    // What a cancelled handler throws is no failure.
    expect(events.kinds).toEqual([]);
  });

  test('cancels the requests that the handler made', async () => {
    const server = createServer({
      info: TEST_INFO,
      handlers: { 'tools/call': async (_, context) => textResult(JSON.stringify(await context.roots())) },
    });
    const { raw, session } = await startRawSession(server, '2025-11-25', { roots: {} });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
    const [asked] = await raw.nextFrames();
    expect(asked?.method).toBe('roots/list');
    raw.send(cancelled(1));
    expect(await raw.nextFrames()).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: asked?.id } },
    ]);
    expect(session.inFlight).toEqual({ inbound: 0, outbound: 0 });
  });

  test('does not apply to initialize', async () => {
    // Ours is answered within the turn, so the one that comes first is looked at on the other side.
    const client = createClient({ info: TEST_INFO });
    const ends = connectedTransports(['client']);
    const raw = new RawPeer(ends.server);
    const controller = new AbortController();
    const connecting = rejectionOf(client.connect(ends.client, { signal: controller.signal }));
    await nextTurns();
    controller.abort(new Error('enough'));
    expect((await connecting).message).toBe('enough');
    await nextTurns();
    expect(raw.frames.map(({ method }) => method)).toEqual(['initialize']);
    expect(raw.closes).toBe(1);

    const timed = createClient({ info: TEST_INFO });
    const other = connectedTransports(['client']);
    const silent = new RawPeer(other.server);
    expect((await rejectionOf(timed.connect(other.client, { timeout: 10 }))).name).toBe('TimeoutError');
    await nextTurns();
    expect(silent.frames.map(({ method }) => method)).toEqual(['initialize']);
    expect(silent.closes).toBe(1);

    const server = createServer({ info: TEST_INFO, handlers: {} });
    const session = await startRawSession(server);
    session.raw.send(cancelled('init'));
    expect(await session.raw.nextFrames()).toEqual([]);
  });

  test('initialize goes on even where its handling takes time', async () => {
    const gate = deferred();
    const endpoint = new Endpoint(
      {
        cancellation: CANCELLATION,
        classify: revision20251125.classify,
        handleRequest: () => gate.promise.then(() => ({})),
        handleNotification: () => undefined,
        handleClose: () => undefined,
      },
      {},
    );
    const ends = connectedTransports([]);
    const raw = new RawPeer(ends.client);
    await endpoint.connect(ends.server);
    for (const [id, method] of [
      ['init', 'initialize'],
      ['other', 'ping'],
    ]) {
      raw.send({ jsonrpc: '2.0', id, method });
      raw.send(cancelled(id));
    }
    await nextTurns();
    gate.resolve();
    expect((await raw.nextFrames()).map(({ id }) => id)).toEqual(['init']);
    await endpoint.close();
  });

  test('of what is not in flight is ignored', async () => {
    const { raw } = await startRawSession(createServer({ info: TEST_INFO, handlers: {} }));
    for (const id of [1, '1', null, {}, 'constructor']) raw.send(cancelled(id));
    expect(await raw.nextFrames()).toEqual([]);
    expect((await raw.request({ id: 1, method: 'ping' })).result).toEqual({});
  });

  test('reaches the listener of the server as well', async () => {
    const heard: unknown[] = [];
    const server = createServer({
      info: TEST_INFO,
      handlers: {},
      notifications: { 'notifications/cancelled': (params) => void heard.push(params) },
    });
    const { raw } = await startRawSession(server);
    raw.send(cancelled(7, 'why not'));
    await nextTurns();
    expect(heard).toEqual([{ requestId: 7, reason: 'why not' }]);
  });
});

describe('a call that is given up', () => {
  test('notifies the server and rejects with the abort reason', async () => {
    const started = deferred();
    const aborted = deferred<unknown>();
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': (_, { signal }) =>
          new Promise((_resolve, reject) => {
            started.resolve();
            signal.addEventListener('abort', () => {
              aborted.resolve(signal.reason);
              reject(signal.reason as Error);
            });
          }),
      },
    });
    const client = createClient({ info: TEST_INFO });
    const { monitor, session } = await connectPair(server, client);
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const called = rejectionOf(client.callTool({ name: 'x' }, { signal: controller.signal }));
    await started.promise;
    controller.abort(reason);
    expect(await called).toBe(reason);
    expect(await aborted.promise).toMatchObject({ name: 'AbortError' });
    await nextTurns();
    const call = monitor.from('client').find(({ method }) => method === 'tools/call');
    expect(monitor.from('client').at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: call?.id },
    });
    expect(monitor.from('server').filter(({ id }) => id === call?.id)).toEqual([]);
    expect([client.inFlight, session.inFlight]).toEqual([
      { inbound: 0, outbound: 0 },
      { inbound: 0, outbound: 0 },
    ]);
    await client.close();
  });

  test('sends nothing at all if the signal was aborted before', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client);
    const error = await rejectionOf(client.ping(undefined, { signal: AbortSignal.abort(new Error('no')) }));
    expect(error.message).toBe('no');
    expect(await raw.nextFrames()).toEqual([]);
    await client.close();
  });

  test('says nothing more once it is answered', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client);
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: {} });
    const controller = new AbortController();
    await client.ping(undefined, { signal: controller.signal });
    await raw.nextFrames();
    controller.abort();
    expect(await raw.nextFrames()).toEqual([]);
    await client.close();
  });

  test('aborts the handler of the client if the server cancels', async () => {
    const aborted = deferred<unknown>();
    const client = createClient({
      info: TEST_INFO,
      handlers: {
        'roots/list': (_, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              aborted.resolve(signal.reason);
              resolve({ roots: [] });
            });
          }),
      },
    });
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': async (_, context) =>
          textResult((await rejectionOf(context.roots(undefined, { timeout: 20 }))).name),
      },
    });
    const { monitor } = await connectPair(server, client);
    expect(await client.callTool({ name: 'x' })).toEqual(textResult('TimeoutError'));
    expect(await aborted.promise).toMatchObject({ message: 'timed out' });
    await nextTurns();
    expect(monitor.from('client').filter(({ result }) => result?.['roots'] !== undefined)).toEqual([]);
    expect(client.inFlight.inbound).toBe(0);
    await client.close();
  });
});

describe('time limits', () => {
  test('reject with a typed error and cancel the call', async () => {
    const client = createClient({ info: TEST_INFO, timeout: 30 });
    const { raw } = await connectRawServer(client);
    const order: string[] = [];
    const note = (name: string) => (error: Error) => {
      order.push(`${name} ${error.name}`);
      return error;
    };
    const [, short] = await Promise.all([
      rejectionOf(client.ping()).then(note('default')),
      rejectionOf(client.ping(undefined, { timeout: 5 })).then(note('short')),
      rejectionOf(client.ping(undefined, { timeout: 60 })).then(note('long')),
    ]);
    expect(order).toEqual(['short TimeoutError', 'default TimeoutError', 'long TimeoutError']);
    expect(short).toMatchObject({ method: 'ping', timeout: 5 });
    expect((await raw.nextFrames()).map(({ method }) => method)).toEqual([
      ...Array.from({ length: 3 }, () => 'ping'),
      ...Array.from({ length: 3 }, () => 'notifications/cancelled'),
    ]);
    expect(client.inFlight.outbound).toBe(0);
    await client.close();
  });

  test('end calls in the order of their limits, even in a busy process', async () => {
    const client = createClient({ info: TEST_INFO, timeout: 30 });
    await connectRawServer(client);
    const order: number[] = [];
    const calls = [30, 5, 20].map(async (timeout) => {
      await rejectionOf(client.ping(undefined, { timeout }));
      order.push(timeout);
    });
    const end = performance.now() + 60;
    while (performance.now() < end);
    await Promise.all(calls);
    expect(order).toEqual([5, 20, 30]);
    await client.close();
  });

  test('end calls with the same limit in the order in which they were sent', async () => {
    const client = createClient({ info: TEST_INFO, timeout: 30 });
    await connectRawServer(client);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const order: number[] = [];
      const calls = Array.from({ length: 8 }, async (_, index) => {
        await rejectionOf(client.ping());
        order.push(index);
      });
      vi.advanceTimersByTime(60_000);
      await Promise.all(calls);
      expect(order).toEqual([...order].sort((a, b) => a - b));
    } finally {
      vi.useRealTimers();
    }
    await client.close();
  });

  test('may exceed what a timer supports', async () => {
    const client = createClient({ info: TEST_INFO, timeout: 5 });
    const { raw } = await connectRawServer(client);
    let done = 0;
    const all = [Number.POSITIVE_INFINITY, 2 ** 40].map((timeout) =>
      client.ping(undefined, { timeout }).then(() => (done += 1)),
    );
    const asked = await raw.nextFrames();
    await sleep(40);
    expect(done).toBe(0);
    for (const { id } of asked) raw.send({ jsonrpc: '2.0', id, result: {} });
    await Promise.all(all);
    await client.close();
  });
});
