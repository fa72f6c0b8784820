import { describe, expect, test } from 'vitest';
import {
  Events,
  rejectionOf,
  TEST_INFO,
  statelessMeta,
  revision20241105,
  revision20251125,
  revision20260728,
  RawPeer,
  connectRawClient,
  connectRawServer,
  startRawSession,
  nextTurns,
  connectedTransports,
} from './harness.js';

const { createClient, createServer } = revision20251125;

const tools = { 'tools/list': () => ({ tools: [] }) };
const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: TEST_INFO },
};

describe('a stateful server', () => {
  test('answers only ping and initialize before initialize', async () => {
    const { raw } = await connectRawClient(createServer({ info: TEST_INFO, handlers: tools }));
    expect(await raw.request({ id: 1, method: 'ping' })).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect((await raw.request({ id: 2, method: 'tools/list' })).error?.code).toBe(-32600);
    expect((await raw.request({ id: 3, method: 'logging/setLevel', params: {} })).error?.code).toBe(-32600);
    expect((await raw.request({ id: 4, method: 'no/such' })).error?.code).toBe(-32601);
    expect((await raw.request({ id: 5, method: 'sampling/createMessage' })).error?.code).toBe(-32601);
    expect((await raw.request({ id: 6, ...initialize })).result?.['serverInfo']).toEqual(TEST_INFO);
    expect((await raw.request({ id: 7, method: 'tools/list' })).result).toEqual({ tools: [] });
  });

  test('accepts requests before initialized, unless strict (case-086)', async () => {
    const lenient = await connectRawClient(createServer({ info: TEST_INFO, handlers: tools }));
    await lenient.raw.request({ id: 0, ...initialize });
    expect((await lenient.raw.request({ id: 1, method: 'tools/list' })).result).toEqual({ tools: [] });

    const strict = await connectRawClient(createServer({ info: TEST_INFO, handlers: tools, strictLifecycle: true }));
    await strict.raw.request({ id: 0, ...initialize });
    expect(await strict.raw.request({ id: 1, method: 'tools/list' })).toMatchObject({ id: 1, error: { code: -32600 } });
    expect((await strict.raw.request({ id: 2, method: 'ping' })).result).toEqual({});
    strict.raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await strict.raw.request({ id: 3, method: 'tools/list' })).result).toEqual({ tools: [] });
    expect(strict.raw.closes).toBe(0);
  });

  test('rejects a second initialize', async () => {
    const { raw, session } = await startRawSession(createServer({ info: TEST_INFO, handlers: tools }));
    const again = { ...initialize, params: { ...initialize.params, clientInfo: { name: 'other', version: '2' } } };
    expect(await raw.request({ id: 1, ...again })).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(session.client.info).toEqual(TEST_INFO);
    expect((await raw.request({ id: 2, method: 'tools/list' })).result).toEqual({ tools: [] });
  });

  test('rejects an initialize with invalid params', async () => {
    const { raw, session } = await connectRawClient(createServer({ info: TEST_INFO, handlers: tools }));
    for (const params of [undefined, {}, { ...initialize.params, protocolVersion: { toString: 1, valueOf: 1 } }, []]) {
      expect((await raw.request({ id: 1, method: 'initialize', params })).error?.code).toBe(-32602);
    }
    expect(session.revision).toBeUndefined();
    expect((await raw.request({ id: 2, ...initialize })).result?.['protocolVersion']).toBe('2025-11-25');
  });

  test('ignores initialized before initialize (case-087)', async () => {
    const events = new Events();
    let heard = 0;
    const server = createServer({
      info: TEST_INFO,
      handlers: tools,
      strictLifecycle: true,
      onEvent: events.onEvent,
      notifications: { 'notifications/initialized': () => void (heard += 1) },
    });
    const { raw } = await connectRawClient(server);
    raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await raw.nextFrames()).toEqual([]);
    expect(heard).toBe(0);
    expect(events.kinds).toEqual(['unknownNotification']);
    await raw.request({ id: 0, ...initialize });
    // It did not count: strict still waits for it.
    expect((await raw.request({ id: 1, method: 'tools/list' })).error?.code).toBe(-32600);
    raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await raw.request({ id: 2, method: 'tools/list' })).result).toEqual({ tools: [] });
    expect(heard).toBe(1);
  });

  test('never answers a notification (case-084), even an unknown one (case-085)', async () => {
    const events = new Events();
    const { raw } = await startRawSession(createServer({ info: TEST_INFO, handlers: tools, onEvent: events.onEvent }));
    for (const frame of [
      { method: 'notifications/roots/list_changed' },
      { method: 'initialized' },
      { method: 'notifications/no/such', params: { a: 1 } },
      { method: 'tools/list' },
      { method: 'initialize' },
      { method: 'ping' },
      { method: 'constructor' },
      { method: '__proto__' },
      { method: 'notifications/cancelled' },
      { method: 'notifications/cancelled', params: { requestId: null } },
      { method: 'notifications/progress', params: { progressToken: 'x' } },
      { method: 'notifications/roots/list_changed', params: [1] },
      { method: 'notifications/roots/list_changed', params: null },
    ]) {
      raw.send({ jsonrpc: '2.0', ...frame });
    }
    expect(await raw.nextFrames()).toEqual([]);
    expect(events.all.filter(({ kind }) => kind === 'unknownNotification')).toEqual(
      ['initialized', 'notifications/no/such', 'tools/list', 'initialize', 'ping', 'constructor', '__proto__'].map(
        (method) => ({
          kind: 'unknownNotification',
          method,
          params: method === 'notifications/no/such' ? { a: 1 } : undefined,
        }),
      ),
    );
    expect((await raw.request({ id: 1, method: 'tools/list' })).result).toEqual({ tools: [] });
  });

  test('answers ping up to 2025-11-25 (case-088)', async () => {
    const old = await startRawSession(revision20241105.createServer({ info: TEST_INFO, handlers: {} }), '2024-11-05');
    expect(await old.raw.request({ id: 2, method: 'ping' })).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
    const modern = await connectRawClient(revision20260728.createServer({ info: TEST_INFO, handlers: {} }));
    expect((await modern.raw.request({ id: 2, method: 'ping' })).error?.code).toBe(-32601);
    const both = await connectRawClient(
      revision20260728.createServer({
        info: TEST_INFO,
        handlers: {},
        revisions: [revision20251125.revision, revision20260728.revision],
      }),
    );
    const ping = { id: 3, method: 'ping', params: { _meta: statelessMeta() } };
    expect((await both.raw.request(ping)).error?.code).toBe(-32601);
  });
});

describe('initialize for a server of 2026-07-28 (case-089)', () => {
  test('is answered with the supported versions', async () => {
    const modern = await connectRawClient(revision20260728.createServer({ info: TEST_INFO, handlers: {} }));
    expect((await modern.raw.request({ id: 0, ...initialize })).error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '2025-11-25' },
    });
    expect((await modern.raw.request({ id: 0, method: 'initialize' })).error?.code).toBe(-32022);
    const hostile = { id: 1, method: 'initialize', params: { protocolVersion: { toString: 1, valueOf: 1 } } };
    expect((await modern.raw.request(hostile)).error?.code).toBe(-32022);
    const both = await connectRawClient(
      revision20260728.createServer({
        info: TEST_INFO,
        handlers: {},
        revisions: [revision20251125.revision, revision20260728.revision],
      }),
    );
    expect((await both.raw.request({ id: 0, ...initialize })).result?.['protocolVersion']).toBe('2025-11-25');
  });
});

describe('a client', () => {
  test('cannot send before it is connected', async () => {
    const client = createClient({ info: TEST_INFO });
    expect(await rejectionOf(client.ping())).toMatchObject({
      name: 'ConnectionClosedError',
      message: 'there is no connection yet',
    });
    expect(() => {
      client.notify('notifications/roots/list_changed');
    }).toThrow('there is no connection yet');
  });

  test('sends nothing else between initialize and initialized', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw, monitor } = await connectRawServer(client);
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: {} });
    await client.ping();
    expect(monitor.from('client').map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'ping',
    ]);
    expect(client.server).toEqual({ info: TEST_INFO, capabilities: { tools: {} }, instructions: undefined });
    await client.close();
  });

  test('has one connection in its life', async () => {
    const client = createClient({ info: TEST_INFO });
    await connectRawServer(client);
    expect((await rejectionOf(client.connect(connectedTransports().client))).message).toContain('connects only once');
    await client.close();
  });

  test('answers ping even before initialize', async () => {
    const client = createClient({ info: TEST_INFO });
    const ends = connectedTransports(['client']);
    const raw = new RawPeer(ends.server);
    const connecting = client.connect(ends.client);
    await nextTurns();
    expect(await raw.request({ id: 'early', method: 'ping' })).toEqual({ jsonrpc: '2.0', id: 'early', result: {} });
    const { id } = raw.frames[0] ?? {};
    raw.send({
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: TEST_INFO },
    });
    await connecting;
    expect((await raw.request({ id: 'late', method: 'ping' })).result).toEqual({});
    await client.close();
  });

  test('closes when initialize is refused or answered wrongly', async () => {
    for (const answer of [
      { error: { code: -32603, message: 'no' } },
      { result: { protocolVersion: '2025-11-25', capabilities: {} } },
      { result: { protocolVersion: { toString: 1 }, capabilities: {}, serverInfo: TEST_INFO } },
      { result: {} },
    ]) {
      const client = createClient({ info: TEST_INFO });
      const ends = connectedTransports(['client']);
      const raw = new RawPeer(ends.server);
      raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, ...answer });
      await rejectionOf(client.connect(ends.client));
      await client.closed;
      expect(raw.closes).toBe(1);
      expect(raw.frames.map(({ method }) => method)).toEqual(['initialize']);
    }
  });
});
