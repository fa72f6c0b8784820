import { describe, expect, test } from 'vitest';
import { SERVER_BUSY } from '../../generated/runtime/jsonrpc/endpoint.js';
import {
  deferred,
  Events,
  TEST_INFO,
  revision20250326,
  revision20251125,
  RawPeer,
  connectRawClient,
  startRawSession,
  nextTurns,
  textResult,
  connectedTransports,
} from './harness.js';

const { createServer } = revision20250326;

const ping = (id: unknown): object => ({ jsonrpc: '2.0', id, method: 'ping' });
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: TEST_INFO },
};

describe('a batch in 2025-03-26', () => {
  test('is answered by one array, once all requests are answered', async () => {
    const gate = deferred();
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': async ({ name }) => {
          await gate.promise;
          return textResult(name);
        },
      },
    });
    const { raw, session } = await startRawSession(server, '2025-03-26');
    const seen = raw.received.length;
    raw.send([
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } },
      ping('two'),
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      { jsonrpc: '2.0', id: 3, method: 'no/such' },
      { jsonrpc: '2.0', id: 4, method: 'tools/call', params: [] },
    ]);
    await nextTurns();
    expect(raw.received.length).toBe(seen);
    gate.resolve();
    await nextTurns();
    expect(raw.received.length).toBe(seen + 1);
    const answer = raw.received.at(-1) as readonly { id: unknown; result?: unknown; error?: { code: number } }[];
    const byId = new Map(answer.map((item) => [item.id, item.error?.code ?? item.result]));
    expect(answer.length).toBe(4);
    expect(Object.fromEntries(byId)).toEqual({ 1: textResult('slow'), two: {}, 3: -32601, 4: -32602 });
    expect(session.inFlight.inbound).toBe(0);
  });

  test('of notifications alone is not answered', async () => {
    const { raw } = await startRawSession(createServer({ info: TEST_INFO, handlers: {} }), '2025-03-26');
    raw.send([
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      { jsonrpc: '2.0', method: 'notifications/no/such' },
    ]);
    expect(await raw.nextFrames()).toEqual([]);
  });

  test('must not be empty (case-091) or contain responses (case-092)', async () => {
    const { raw } = await startRawSession(createServer({ info: TEST_INFO, handlers: {} }), '2025-03-26');
    raw.send([]);
    expect(await raw.nextFrames()).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(Array.isArray(raw.received.at(-1))).toBe(false);
    raw.send([ping(1), { jsonrpc: '2.0', id: 2, result: {} }]);
    expect(await raw.nextFrames()).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });

  test('one bad element does not sink the rest (case-094)', async () => {
    const { raw } = await startRawSession(createServer({ info: TEST_INFO, handlers: {} }), '2025-03-26');
    raw.send([ping(1), 1, [ping(2)], null]);
    const answers = await raw.nextFrames();
    expect(answers.filter(({ id }) => id === 1)).toMatchObject([{ result: {} }]);
    expect(answers.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([-32600, -32600, -32600]);
  });

  test('must not contain initialize (case-093)', async () => {
    const { raw, session } = await connectRawClient(createServer({ info: TEST_INFO, handlers: {} }));
    raw.send([initialize]);
    expect(await raw.nextFrames()).toMatchObject([{ id: 0, error: { code: -32600 } }]);
    expect(session.revision).toBeUndefined();
    raw.send(initialize);
    expect(await raw.nextFrames()).toMatchObject([{ id: 0, result: { protocolVersion: '2025-03-26' } }]);
    raw.send([{ ...initialize, id: 9 }, ping(1)]);
    expect(Object.fromEntries((await raw.nextFrames()).map(({ id, error }) => [id, error?.code]))).toEqual({
      1: undefined,
      9: -32600,
    });
  });

  test('counts its members against the limit of requests', async () => {
    const gate = deferred();
    const server = createServer({
      info: TEST_INFO,
      maxConcurrentRequests: 2,
      handlers: { 'tools/call': () => gate.promise.then(() => textResult('')) },
    });
    const { raw } = await startRawSession(server, '2025-03-26');
    const call = (id: number): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x' } });
    raw.send([call(1), call(1), call(2), call(3)]);
    await nextTurns();
    gate.resolve();
    expect((await raw.nextFrames()).map(({ id, error }) => [id, error?.code])).toEqual([
      [1, -32600],
      [3, SERVER_BUSY],
      [1, undefined],
      [2, undefined],
    ]);
  });

  test('is answered without a cancelled member', async () => {
    const server = createServer({ info: TEST_INFO, handlers: { 'tools/call': () => new Promise(() => undefined) } });
    const { raw, session } = await startRawSession(server, '2025-03-26');
    raw.send([ping(1), { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'x' } }]);
    expect(await raw.nextFrames()).toEqual([]);
    raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    expect(await raw.nextFrames()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    raw.send([{ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'x' } }]);
    raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } });
    expect(await raw.nextFrames()).toEqual([]);
    expect(session.inFlight.inbound).toBe(0);
  });

  test('of responses answers the calls of a client', async () => {
    const events = new Events();
    const client = revision20250326.createClient({ info: TEST_INFO, onEvent: events.onEvent });
    const ends = connectedTransports(['client']);
    const raw = new RawPeer(ends.server);
    raw.responder = ({ id, method }) =>
      method === 'initialize'
        ? {
            jsonrpc: '2.0',
            id,
            result: { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo: TEST_INFO },
          }
        : undefined;
    await client.connect(ends.client);
    await raw.nextFrames();
    const calls = [client.ping(), client.listTools()];
    const asked = await raw.nextFrames();
    raw.send([
      { jsonrpc: '2.0', id: asked[1]?.id, result: { tools: [] } },
      { jsonrpc: '2.0', id: 99, result: {} },
      { jsonrpc: '2.0', id: asked[0]?.id, result: {} },
    ]);
    expect(await Promise.all(calls)).toEqual([{}, { tools: [] }]);
    expect(events.kinds).toEqual(['unknownResponse']);
    expect(await raw.nextFrames()).toEqual([]);
    await client.close();
  });
});

describe('a batch in any other revision (case-090)', () => {
  test('is one -32600 without an id', async () => {
    const { raw } = await startRawSession(revision20251125.createServer({ info: TEST_INFO, handlers: {} }));
    raw.send([ping(1)]);
    expect((await raw.nextFrames()).map(({ id, error }) => [id, error?.code])).toEqual([[undefined, -32600]]);
    expect(Array.isArray(raw.received.at(-1))).toBe(false);
    expect((await raw.request({ id: 2, method: 'ping' })).result).toEqual({});
  });
});
