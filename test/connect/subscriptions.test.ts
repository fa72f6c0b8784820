import { describe, expect, test } from 'vitest';
import {
  rejectionOf,
  TEST_INFO,
  connectPair,
  statelessMeta,
  revision20251125,
  revision20260728,
  connectRawClient,
  connectRawServer,
  startRawSession,
  nextTurns,
} from './harness.js';

const { createClient, createServer } = revision20260728;
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
} as const;

const listen = (id: unknown, notifications: object): object & { id?: string } =>
  ({ id, method: 'subscriptions/listen', params: { notifications, _meta: statelessMeta() } }) as never;

describe('a server of 2026-07-28', () => {
  test('sends only what was requested, tagged with the id of the request', async () => {
    const server = createServer({ info: TEST_INFO, capabilities, handlers: {} });
    const { raw, session } = await connectRawClient(server);
    raw.send({ jsonrpc: '2.0', ...listen('a', { toolsListChanged: true, resourceSubscriptions: ['x:1'] }) });
    raw.send({ jsonrpc: '2.0', ...listen(1, { promptsListChanged: true, toolsListChanged: false }) });
    raw.send({ jsonrpc: '2.0', ...listen('1', {}) });
    const acknowledged = 'notifications/subscriptions/acknowledged';
    expect(await raw.nextFrames()).toEqual([
      {
        jsonrpc: '2.0',
        method: acknowledged,
        params: {
          notifications: { toolsListChanged: true, resourceSubscriptions: ['x:1'] },
          _meta: { [SUBSCRIPTION]: 'a' },
        },
      },
      {
        jsonrpc: '2.0',
        method: acknowledged,
        params: { notifications: { promptsListChanged: true }, _meta: { [SUBSCRIPTION]: 1 } },
      },
      { jsonrpc: '2.0', method: acknowledged, params: { notifications: {}, _meta: { [SUBSCRIPTION]: '1' } } },
    ]);
    server.notify('notifications/tools/list_changed');
    server.notify('notifications/prompts/list_changed', { _meta: { a: 1 } });
    server.notify('notifications/resources/list_changed');
    server.notify('notifications/resources/updated', { uri: 'x:1' });
    server.notify('notifications/resources/updated', { uri: 'x:2' });
    expect((await raw.nextFrames()).map(({ method, params }) => [method, params])).toEqual([
      ['notifications/tools/list_changed', { _meta: { [SUBSCRIPTION]: 'a' } }],
      ['notifications/prompts/list_changed', { _meta: { a: 1, [SUBSCRIPTION]: 1 } }],
      ['notifications/resources/updated', { uri: 'x:1', _meta: { [SUBSCRIPTION]: 'a' } }],
    ]);
    expect(session.inFlight.inbound).toBe(3);
  });

  test('agrees to no more than it declares', async () => {
    const { raw } = await connectRawClient(
      createServer({ info: TEST_INFO, capabilities: { tools: { listChanged: true }, resources: {} }, handlers: {} }),
    );
    const all = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['x:1'],
    };
    raw.send({ jsonrpc: '2.0', ...listen(1, all) });
    expect((await raw.nextFrames())[0]?.params?.['notifications']).toEqual({ toolsListChanged: true });
  });

  test('sends nothing to a cancelled subscription', async () => {
    const server = createServer({ info: TEST_INFO, capabilities, handlers: {} });
    const { raw, session } = await connectRawClient(server);
    for (const id of [1, 2]) raw.send({ jsonrpc: '2.0', ...listen(id, { toolsListChanged: true }) });
    await raw.nextFrames();
    raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await nextTurns();
    server.notify('notifications/tools/list_changed');
    expect((await raw.nextFrames()).map(({ params }) => params)).toEqual([{ _meta: { [SUBSCRIPTION]: 2 } }]);
    expect(session.inFlight.inbound).toBe(1);
  });

  test('ends them with their answer when it closes', async () => {
    const server = createServer({ info: TEST_INFO, capabilities, handlers: {} });
    const { raw } = await connectRawClient(server);
    for (const id of [1, 'two']) raw.send({ jsonrpc: '2.0', ...listen(id, { toolsListChanged: true }) });
    await raw.nextFrames();
    await server.close();
    const _meta = { 'io.modelcontextprotocol/serverInfo': TEST_INFO };
    expect(await raw.nextFrames()).toEqual(
      [1, 'two'].map((id) => ({
        jsonrpc: '2.0',
        id,
        result: { resultType: 'complete', _meta: { ..._meta, [SUBSCRIPTION]: id } },
      })),
    );
    expect(raw.closes).toBe(1);
  });

  test('wrong filters are -32602', async () => {
    const { raw } = await connectRawClient(createServer({ info: TEST_INFO, capabilities, handlers: {} }));
    expect((await raw.request(listen(1, { toolsListChanged: 'yes' }))).error?.code).toBe(-32602);
    expect((await raw.request(listen(1, { resourceSubscriptions: [1] }))).error?.code).toBe(-32602);
  });
});

describe('a client of 2026-07-28', () => {
  test('receives its notifications until it closes the subscription', async () => {
    const server = createServer({ info: TEST_INFO, capabilities, handlers: {} });
    const heard: string[] = [];
    const client = createClient({
      info: TEST_INFO,
      notifications: { 'notifications/tools/list_changed': () => void heard.push('all') },
    });
    const { session, monitor } = await connectPair(server, client);
    const note = (name: string) => ({ onNotification: (method: string) => heard.push(`${name} ${method}`) });
    const one = await client.listen({ toolsListChanged: true }, note('one'));
    const two = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['x:1'] }, note('two'));
    expect([one.filter, two.filter]).toEqual([
      { toolsListChanged: true },
      { toolsListChanged: true, resourceSubscriptions: ['x:1'] },
    ]);
    server.notify('notifications/tools/list_changed');
    server.notify('notifications/resources/updated', { uri: 'x:1' });
    await nextTurns();
    const method = 'notifications/tools/list_changed';
    expect(heard).toEqual([`one ${method}`, 'all', `two ${method}`, 'all', 'two notifications/resources/updated']);
    one.close();
    await one.ended;
    await nextTurns();
    expect(monitor.from('client').at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: one.id },
    });
    heard.length = 0;
    server.notify(method);
    await nextTurns();
    expect(heard).toEqual([`two ${method}`, 'all']);
    expect(session.inFlight.inbound).toBe(1);
    await server.close();
    await two.ended;
    expect(client.inFlight.outbound).toBe(0);
  });

  test('rejects if the subscription cannot be established', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client, capabilities, '2026-07-28');
    raw.responder = ({ id, method }) =>
      method === 'subscriptions/listen' ? { jsonrpc: '2.0', id, error: { code: -32603, message: 'no' } } : undefined;
    expect(await rejectionOf(client.listen({}))).toMatchObject({ code: -32603 });
    raw.responder = undefined;
    await raw.nextFrames();
    expect(await rejectionOf(client.listen({}, { timeout: 10 }))).toMatchObject({ name: 'TimeoutError', timeout: 10 });
    const controller = new AbortController();
    const aborted = rejectionOf(client.listen({}, { signal: controller.signal, timeout: 2 ** 40 }));
    // Longer than a timer knows is not at once.
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort(new Error('mine'));
    expect((await aborted).message).toBe('mine');
    expect((await raw.nextFrames()).map(({ method }) => method)).toEqual([
      'subscriptions/listen',
      'notifications/cancelled',
      'subscriptions/listen',
      'notifications/cancelled',
    ]);
    expect(client.inFlight.outbound).toBe(0);
    const waiting = rejectionOf(client.listen({}));
    await nextTurns();
    await raw.close();
    expect((await waiting).name).toBe('ConnectionClosedError');
  });

  test('an open one tells of a connection that breaks', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client, capabilities, '2026-07-28');
    const listening = client.listen({ toolsListChanged: true });
    const [asked] = await raw.nextFrames();
    raw.send({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta: { [SUBSCRIPTION]: asked?.id } },
    });
    const { ended } = await listening;
    await raw.close();
    expect((await rejectionOf(ended)).name).toBe('ConnectionClosedError');
  });
});

describe('resources of a stateful session', () => {
  test.each([true, false])('are sent to subscribers, with a custom handler: %s', async (own) => {
    const asked: string[] = [];
    const server = revision20251125.createServer({
      info: TEST_INFO,
      capabilities: { resources: { subscribe: true } },
      handlers: own
        ? {
            'resources/subscribe': ({ uri }) => {
              if (uri === 'x:no') throw new Error('no');
              asked.push(uri);
              return {};
            },
            'resources/unsubscribe': () => ({}),
          }
        : {},
    });
    const { raw } = await startRawSession(server);
    const updated = async (uri: string): Promise<number> => {
      server.notify('notifications/resources/updated', { uri });
      return (await raw.nextFrames()).length;
    };
    expect(await updated('x:1')).toBe(0);
    expect((await raw.request({ id: 1, method: 'resources/subscribe', params: { uri: 'x:1' } })).result).toEqual({});
    await raw.request({ id: 2, method: 'resources/subscribe', params: { uri: 'x:no' } });
    await raw.nextFrames();
    expect(await updated('x:1')).toBe(1);
    expect(await updated('x:2')).toBe(0);
    expect(await updated('x:no')).toBe(own ? 0 : 1);
    await raw.request({ id: 3, method: 'resources/unsubscribe', params: { uri: 'x:1' } });
    await raw.nextFrames();
    expect(await updated('x:1')).toBe(0);
    expect(asked).toEqual(own ? ['x:1'] : []);
  });

  test('change notifications need an initialized session', async () => {
    const server = revision20251125.createServer({
      info: TEST_INFO,
      capabilities: { tools: { listChanged: true }, prompts: {} },
      handlers: {},
    });
    const ready = await startRawSession(server);
    const early = await connectRawClient(server);
    await early.raw.request({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: TEST_INFO },
    });
    await early.raw.nextFrames();
    server.notify('notifications/tools/list_changed');
    server.notify('notifications/prompts/list_changed');
    expect((await ready.raw.nextFrames()).map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
    expect(await early.raw.nextFrames()).toEqual([]);
  });
});
