import { describe, expect, it } from 'vitest';
import type { ServerContext } from '../../generated/2025-11-25/index.js';
import { Endpoint } from '../../generated/runtime/jsonrpc/endpoint.js';
import {
  deferred,
  Events,
  failure,
  info,
  joined,
  r20251125,
  Raw,
  rawServer,
  rawSession,
  settle,
  text,
  wait,
  wire,
} from './harness.js';

const { createClient, createServer } = r20251125;

const cancelled = (requestId: unknown, reason?: string): object => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, ...(reason === undefined ? {} : { reason }) },
});

describe('cancelled by the client', () => {
  it('aborts the signal with the reason, sends no answer and nothing else for the request', async () => {
    const release = deferred();
    let context: ServerContext | undefined;
    const server = createServer({
      info,
      capabilities: { logging: {} },
      handlers: {
        'tools/call': async (_, given) => {
          context = given;
          await release.promise;
          given.progress(5);
          given.log('error', 'late');
          given.notify('notifications/resources/list_changed');
          return text('late');
        },
      },
    });
    const { raw, session } = await rawSession(server);
    raw.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'x', _meta: { progressToken: 't' } },
    });
    await settle();
    expect(context?.signal.aborted).toBe(false);
    raw.send(cancelled(1, 'the user left'));
    await settle();
    expect(context?.signal.aborted).toBe(true);
    expect(context?.signal.reason).toMatchObject({ name: 'AbortError', message: 'the user left' });
    expect(session.inFlight.inbound).toBe(0);
    release.resolve();
    expect(await raw.news()).toEqual([]);
  });

  it('also when the handler looks at the signal only afterwards, or fails then', async () => {
    const release = deferred();
    const seen: boolean[] = [];
    const events = new Events();
    const server = createServer({
      info,
      onEvent: events.onEvent,
      handlers: {
        'tools/call': async (_, context) => {
          await release.promise;
          seen.push(context.signal.aborted);
          context.signal.throwIfAborted();
          return text('');
        },
      },
    });
    const { raw } = await rawSession(server);
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
    raw.send(cancelled(1));
    release.resolve();
    expect(await raw.news()).toEqual([]);
    expect(seen).toEqual([true]);
    // What a cancelled handler throws is no failure.
    expect(events.kinds).toEqual([]);
  });

  it('cancels the requests that the handler made, too', async () => {
    const server = createServer({
      info,
      handlers: { 'tools/call': async (_, context) => text(JSON.stringify(await context.roots())) },
    });
    const { raw, session } = await rawSession(server, '2025-11-25', { roots: {} });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
    const [asked] = await raw.news();
    expect(asked?.method).toBe('roots/list');
    raw.send(cancelled(1));
    expect(await raw.news()).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: asked?.id } }]);
    expect(session.inFlight).toEqual({ inbound: 0, outbound: 0 });
  });

  it('initialize is never cancelled, on either side', async () => {
    // Ours is answered within the turn, so the one that comes first is looked at on the other side.
    const client = createClient({ info });
    const ends = wire(['client']);
    const raw = new Raw(ends.server);
    const controller = new AbortController();
    const connecting = failure(client.connect(ends.client, { signal: controller.signal }));
    await settle();
    controller.abort(new Error('enough'));
    expect((await connecting).message).toBe('enough');
    await settle();
    expect(raw.frames.map(({ method }) => method)).toEqual(['initialize']);
    expect(raw.closes).toBe(1);

    const timed = createClient({ info });
    const other = wire(['client']);
    const silent = new Raw(other.server);
    expect((await failure(timed.connect(other.client, { timeout: 10 }))).name).toBe('TimeoutError');
    await settle();
    expect(silent.frames.map(({ method }) => method)).toEqual(['initialize']);
    expect(silent.closes).toBe(1);

    const server = createServer({ info, handlers: {} });
    const session = await rawSession(server);
    session.raw.send(cancelled('init'));
    expect(await session.raw.news()).toEqual([]);
  });

  it('initialize goes on even where its handling takes time', async () => {
    const gate = deferred();
    const endpoint = new Endpoint(
      {
        classify: r20251125.classify,
        handleRequest: () => gate.promise.then(() => ({})),
        handleNotification: () => undefined,
        handleClose: () => undefined,
      },
      {},
    );
    const ends = wire([]);
    const raw = new Raw(ends.client);
    await endpoint.connect(ends.server);
    for (const [id, method] of [
      ['init', 'initialize'],
      ['other', 'ping'],
    ]) {
      raw.send({ jsonrpc: '2.0', id, method });
      raw.send(cancelled(id));
    }
    await settle();
    gate.resolve();
    expect((await raw.news()).map(({ id }) => id)).toEqual(['init']);
    await endpoint.close();
  });

  it('of what is not in flight is ignored', async () => {
    const { raw } = await rawSession(createServer({ info, handlers: {} }));
    for (const id of [1, '1', null, {}, 'constructor']) raw.send(cancelled(id));
    expect(await raw.news()).toEqual([]);
    expect((await raw.ask({ id: 1, method: 'ping' })).result).toEqual({});
  });

  it('reaches the listener of the server as well', async () => {
    const heard: unknown[] = [];
    const server = createServer({
      info,
      handlers: {},
      notifications: { 'notifications/cancelled': (params) => void heard.push(params) },
    });
    const { raw } = await rawSession(server);
    raw.send(cancelled(7, 'why not'));
    await settle();
    expect(heard).toEqual([{ requestId: 7, reason: 'why not' }]);
  });
});

describe('a call that is given up', () => {
  it('tells the server, and rejects with the reason of the signal', async () => {
    const started = deferred();
    const aborted = deferred<unknown>();
    const server = createServer({
      info,
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
    const client = createClient({ info });
    const { tap, session } = await joined(server, client);
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const called = failure(client.callTool({ name: 'x' }, { signal: controller.signal }));
    await started.promise;
    controller.abort(reason);
    expect(await called).toBe(reason);
    expect(await aborted.promise).toMatchObject({ name: 'AbortError' });
    await settle();
    const call = tap.from('client').find(({ method }) => method === 'tools/call');
    expect(tap.from('client').at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: call?.id },
    });
    expect(tap.from('server').filter(({ id }) => id === call?.id)).toEqual([]);
    expect([client.inFlight, session.inFlight]).toEqual([
      { inbound: 0, outbound: 0 },
      { inbound: 0, outbound: 0 },
    ]);
    await client.close();
  });

  it('sends nothing at all if the signal was aborted before', async () => {
    const client = createClient({ info });
    const { raw } = await rawServer(client);
    const error = await failure(client.ping(undefined, { signal: AbortSignal.abort(new Error('no')) }));
    expect(error.message).toBe('no');
    expect(await raw.news()).toEqual([]);
    await client.close();
  });

  it('says nothing more once it is answered', async () => {
    const client = createClient({ info });
    const { raw } = await rawServer(client);
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: {} });
    const controller = new AbortController();
    await client.ping(undefined, { signal: controller.signal });
    await raw.news();
    controller.abort();
    expect(await raw.news()).toEqual([]);
    await client.close();
  });

  it('a server gives up as well, and the handler of the client is aborted', async () => {
    const aborted = deferred<unknown>();
    const client = createClient({
      info,
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
      info,
      handlers: {
        'tools/call': async (_, context) => text((await failure(context.roots(undefined, { timeout: 20 }))).name),
      },
    });
    const { tap } = await joined(server, client);
    expect(await client.callTool({ name: 'x' })).toEqual(text('TimeoutError'));
    expect(await aborted.promise).toMatchObject({ message: 'timed out' });
    await settle();
    expect(tap.from('client').filter(({ result }) => result?.['roots'] !== undefined)).toEqual([]);
    expect(client.inFlight.inbound).toBe(0);
    await client.close();
  });
});

describe('time limits', () => {
  it('reject with a typed error and cancel, each call by its own', async () => {
    const client = createClient({ info, timeout: 30 });
    const { raw } = await rawServer(client);
    const order: string[] = [];
    const note = (name: string) => (error: Error) => {
      order.push(`${name} ${error.name}`);
      return error;
    };
    const [, short] = await Promise.all([
      failure(client.ping()).then(note('default')),
      failure(client.ping(undefined, { timeout: 5 })).then(note('short')),
      failure(client.ping(undefined, { timeout: 60 })).then(note('long')),
    ]);
    expect(order).toEqual(['short TimeoutError', 'default TimeoutError', 'long TimeoutError']);
    expect(short).toMatchObject({ method: 'ping', timeout: 5 });
    expect((await raw.news()).map(({ method }) => method)).toEqual([
      ...Array.from({ length: 3 }, () => 'ping'),
      ...Array.from({ length: 3 }, () => 'notifications/cancelled'),
    ]);
    expect(client.inFlight.outbound).toBe(0);
    await client.close();
  });

  it('end calls in the order of the limits, also where the process was too busy to see any pass', async () => {
    const client = createClient({ info, timeout: 30 });
    await rawServer(client);
    const order: number[] = [];
    const calls = [30, 5, 20].map(async (timeout) => {
      await failure(client.ping(undefined, { timeout }));
      order.push(timeout);
    });
    const end = performance.now() + 60;
    while (performance.now() < end);
    await Promise.all(calls);
    expect(order).toEqual([5, 20, 30]);
    await client.close();
  });

  it('Infinity is none, and a limit beyond what a timer can hold does not fire at once', async () => {
    const client = createClient({ info, timeout: 5 });
    const { raw } = await rawServer(client);
    let done = 0;
    const all = [Number.POSITIVE_INFINITY, 2 ** 40].map((timeout) =>
      client.ping(undefined, { timeout }).then(() => (done += 1)),
    );
    const asked = await raw.news();
    await wait(40);
    expect(done).toBe(0);
    for (const { id } of asked) raw.send({ jsonrpc: '2.0', id, result: {} });
    await Promise.all(all);
    await client.close();
  });
});
