import { describe, expect, it } from 'vitest';
import {
  Events,
  failure,
  info,
  modernMeta,
  r20241105,
  r20251125,
  r20260728,
  Raw,
  rawClient,
  rawServer,
  rawSession,
  settle,
  wire,
} from './harness.js';

const { createClient, createServer } = r20251125;

const tools = { 'tools/list': () => ({ tools: [] }) };
const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info },
};

describe('a stateful server', () => {
  it('answers nothing but ping and initialize before initialize', async () => {
    const { raw } = await rawClient(createServer({ info, handlers: tools }));
    expect(await raw.ask({ id: 1, method: 'ping' })).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect((await raw.ask({ id: 2, method: 'tools/list' })).error?.code).toBe(-32600);
    expect((await raw.ask({ id: 3, method: 'logging/setLevel', params: {} })).error?.code).toBe(-32600);
    expect((await raw.ask({ id: 4, method: 'no/such' })).error?.code).toBe(-32601);
    expect((await raw.ask({ id: 5, method: 'sampling/createMessage' })).error?.code).toBe(-32601);
    expect((await raw.ask({ id: 6, ...initialize })).result?.['serverInfo']).toEqual(info);
    expect((await raw.ask({ id: 7, method: 'tools/list' })).result).toEqual({ tools: [] });
  });

  it('is lenient about requests before initialized, and strict as an option, with ping free (case-086)', async () => {
    const lenient = await rawClient(createServer({ info, handlers: tools }));
    await lenient.raw.ask({ id: 0, ...initialize });
    expect((await lenient.raw.ask({ id: 1, method: 'tools/list' })).result).toEqual({ tools: [] });

    const strict = await rawClient(createServer({ info, handlers: tools, strictLifecycle: true }));
    await strict.raw.ask({ id: 0, ...initialize });
    expect(await strict.raw.ask({ id: 1, method: 'tools/list' })).toMatchObject({ id: 1, error: { code: -32600 } });
    expect((await strict.raw.ask({ id: 2, method: 'ping' })).result).toEqual({});
    strict.raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await strict.raw.ask({ id: 3, method: 'tools/list' })).result).toEqual({ tools: [] });
    expect(strict.raw.closes).toBe(0);
  });

  it('refuses a second initialize, and the session stays as it is', async () => {
    const { raw, session } = await rawSession(createServer({ info, handlers: tools }));
    const again = { ...initialize, params: { ...initialize.params, clientInfo: { name: 'other', version: '2' } } };
    expect(await raw.ask({ id: 1, ...again })).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(session.client.info).toEqual(info);
    expect((await raw.ask({ id: 2, method: 'tools/list' })).result).toEqual({ tools: [] });
  });

  it('refuses an initialize with wrong params, and takes the next one', async () => {
    const { raw, session } = await rawClient(createServer({ info, handlers: tools }));
    for (const params of [undefined, {}, { ...initialize.params, protocolVersion: { toString: 1, valueOf: 1 } }, []]) {
      expect((await raw.ask({ id: 1, method: 'initialize', params })).error?.code).toBe(-32602);
    }
    expect(session.revision).toBeUndefined();
    expect((await raw.ask({ id: 2, ...initialize })).result?.['protocolVersion']).toBe('2025-11-25');
  });

  it('takes initialized before initialize for nothing, and initialize still works (case-087)', async () => {
    const events = new Events();
    let heard = 0;
    const server = createServer({
      info,
      handlers: tools,
      strictLifecycle: true,
      onEvent: events.onEvent,
      notifications: { 'notifications/initialized': () => void (heard += 1) },
    });
    const { raw } = await rawClient(server);
    raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await raw.news()).toEqual([]);
    expect(heard).toBe(0);
    expect(events.kinds).toEqual(['unknownNotification']);
    await raw.ask({ id: 0, ...initialize });
    // It did not count: strict still waits for it.
    expect((await raw.ask({ id: 1, method: 'tools/list' })).error?.code).toBe(-32600);
    raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await raw.ask({ id: 2, method: 'tools/list' })).result).toEqual({ tools: [] });
    expect(heard).toBe(1);
  });

  it('never answers what has no id (case-084), and ignores what it does not know (case-085)', async () => {
    const events = new Events();
    const { raw } = await rawSession(createServer({ info, handlers: tools, onEvent: events.onEvent }));
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
    expect(await raw.news()).toEqual([]);
    expect(events.all.filter(({ kind }) => kind === 'unknownNotification')).toEqual(
      ['initialized', 'notifications/no/such', 'tools/list', 'initialize', 'ping', 'constructor', '__proto__'].map(
        (method) => ({
          kind: 'unknownNotification',
          method,
          params: method === 'notifications/no/such' ? { a: 1 } : undefined,
        }),
      ),
    );
    expect((await raw.ask({ id: 1, method: 'tools/list' })).result).toEqual({ tools: [] });
  });

  it('answers ping up to 2025-11-25, and a client that speaks 2026-07-28 gets -32601 (case-088)', async () => {
    const old = await rawSession(r20241105.createServer({ info, handlers: {} }), '2024-11-05');
    expect(await old.raw.ask({ id: 2, method: 'ping' })).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
    const modern = await rawClient(r20260728.createServer({ info, handlers: {} }));
    expect((await modern.raw.ask({ id: 2, method: 'ping' })).error?.code).toBe(-32601);
    const both = await rawClient(
      r20260728.createServer({ info, handlers: {}, revisions: [r20251125.revision, r20260728.revision] }),
    );
    const ping = { id: 3, method: 'ping', params: { _meta: modernMeta() } };
    expect((await both.raw.ask(ping)).error?.code).toBe(-32601);
  });
});

describe('initialize for a server of 2026-07-28 (case-089)', () => {
  it('alone it answers with the versions that it does speak, and a server of both serves it', async () => {
    const modern = await rawClient(r20260728.createServer({ info, handlers: {} }));
    expect((await modern.raw.ask({ id: 0, ...initialize })).error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '2025-11-25' },
    });
    expect((await modern.raw.ask({ id: 0, method: 'initialize' })).error?.code).toBe(-32022);
    const hostile = { id: 1, method: 'initialize', params: { protocolVersion: { toString: 1, valueOf: 1 } } };
    expect((await modern.raw.ask(hostile)).error?.code).toBe(-32022);
    const both = await rawClient(
      r20260728.createServer({ info, handlers: {}, revisions: [r20251125.revision, r20260728.revision] }),
    );
    expect((await both.raw.ask({ id: 0, ...initialize })).result?.['protocolVersion']).toBe('2025-11-25');
  });
});

describe('a client', () => {
  it('sends nothing before it is connected, and says why', async () => {
    const client = createClient({ info });
    expect(await failure(client.ping())).toMatchObject({
      name: 'ConnectionClosedError',
      message: 'there is no connection yet',
    });
    expect(() => {
      client.notify('notifications/roots/list_changed');
    }).toThrow('there is no connection yet');
  });

  it('sends initialize, then initialized, and only then anything else', async () => {
    const client = createClient({ info });
    const { raw, tap } = await rawServer(client);
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: {} });
    await client.ping();
    expect(tap.from('client').map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized', 'ping']);
    expect(client.server).toEqual({ info, capabilities: { tools: {} }, instructions: undefined });
    await client.close();
  });

  it('has one connection in its life', async () => {
    const client = createClient({ info });
    await rawServer(client);
    expect((await failure(client.connect(wire().client))).message).toContain('one connection');
    await client.close();
  });

  it('answers ping of a server at any time, also before initialize is answered', async () => {
    const client = createClient({ info });
    const ends = wire(['client']);
    const raw = new Raw(ends.server);
    const connecting = client.connect(ends.client);
    await settle();
    expect(await raw.ask({ id: 'early', method: 'ping' })).toEqual({ jsonrpc: '2.0', id: 'early', result: {} });
    const { id } = raw.frames[0] ?? {};
    raw.send({
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: info },
    });
    await connecting;
    expect((await raw.ask({ id: 'late', method: 'ping' })).result).toEqual({});
    await client.close();
  });

  it('closes when initialize is refused or answered wrongly', async () => {
    for (const answer of [
      { error: { code: -32603, message: 'no' } },
      { result: { protocolVersion: '2025-11-25', capabilities: {} } },
      { result: { protocolVersion: { toString: 1 }, capabilities: {}, serverInfo: info } },
      { result: {} },
    ]) {
      const client = createClient({ info });
      const ends = wire(['client']);
      const raw = new Raw(ends.server);
      raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, ...answer });
      await failure(client.connect(ends.client));
      await client.closed;
      expect(raw.closes).toBe(1);
      expect(raw.frames.map(({ method }) => method)).toEqual(['initialize']);
    }
  });
});
