import { describe, expect, it } from 'vitest';
import {
  failure,
  info,
  joined,
  modernMeta,
  r20251125,
  r20260728,
  rawClient,
  rawServer,
  rawSession,
  settle,
} from './harness.js';

const { createClient, createServer } = r20260728;
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
} as const;

const listen = (id: unknown, notifications: object): object & { id?: string } =>
  ({ id, method: 'subscriptions/listen', params: { notifications, _meta: modernMeta() } }) as never;

describe('a server of 2026-07-28', () => {
  it('acknowledges, tags with the id of the request as it is, and sends what was asked for only', async () => {
    const server = createServer({ info, capabilities, handlers: {} });
    const { raw, session } = await rawClient(server);
    raw.send({ jsonrpc: '2.0', ...listen('a', { toolsListChanged: true, resourceSubscriptions: ['x:1'] }) });
    raw.send({ jsonrpc: '2.0', ...listen(1, { promptsListChanged: true, toolsListChanged: false }) });
    raw.send({ jsonrpc: '2.0', ...listen('1', {}) });
    const acknowledged = 'notifications/subscriptions/acknowledged';
    expect(await raw.news()).toEqual([
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
    expect((await raw.news()).map(({ method, params }) => [method, params])).toEqual([
      ['notifications/tools/list_changed', { _meta: { [SUBSCRIPTION]: 'a' } }],
      ['notifications/prompts/list_changed', { _meta: { a: 1, [SUBSCRIPTION]: 1 } }],
      ['notifications/resources/updated', { uri: 'x:1', _meta: { [SUBSCRIPTION]: 'a' } }],
    ]);
    expect(session.inFlight.inbound).toBe(3);
  });

  it('agrees to no more than it declares', async () => {
    const { raw } = await rawClient(
      createServer({ info, capabilities: { tools: { listChanged: true }, resources: {} }, handlers: {} }),
    );
    const all = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['x:1'],
    };
    raw.send({ jsonrpc: '2.0', ...listen(1, all) });
    expect((await raw.news())[0]?.params?.['notifications']).toEqual({ toolsListChanged: true });
  });

  it('a cancelled one gets no answer and nothing more; the others go on', async () => {
    const server = createServer({ info, capabilities, handlers: {} });
    const { raw, session } = await rawClient(server);
    for (const id of [1, 2]) raw.send({ jsonrpc: '2.0', ...listen(id, { toolsListChanged: true }) });
    await raw.news();
    raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await settle();
    server.notify('notifications/tools/list_changed');
    expect((await raw.news()).map(({ params }) => params)).toEqual([{ _meta: { [SUBSCRIPTION]: 2 } }]);
    expect(session.inFlight.inbound).toBe(1);
  });

  it('ends them with their answer when it closes', async () => {
    const server = createServer({ info, capabilities, handlers: {} });
    const { raw } = await rawClient(server);
    for (const id of [1, 'two']) raw.send({ jsonrpc: '2.0', ...listen(id, { toolsListChanged: true }) });
    await raw.news();
    await server.close();
    const _meta = { 'io.modelcontextprotocol/serverInfo': info };
    expect(await raw.news()).toEqual(
      [1, 'two'].map((id) => ({
        jsonrpc: '2.0',
        id,
        result: { resultType: 'complete', _meta: { ..._meta, [SUBSCRIPTION]: id } },
      })),
    );
    expect(raw.closes).toBe(1);
  });

  it('wrong filters are -32602', async () => {
    const { raw } = await rawClient(createServer({ info, capabilities, handlers: {} }));
    expect((await raw.ask(listen(1, { toolsListChanged: 'yes' }))).error?.code).toBe(-32602);
    expect((await raw.ask(listen(1, { resourceSubscriptions: [1] }))).error?.code).toBe(-32602);
  });
});

describe('a client of 2026-07-28', () => {
  it('gets what it subscribed to, by subscription, until it closes one', async () => {
    const server = createServer({ info, capabilities, handlers: {} });
    const heard: string[] = [];
    const client = createClient({
      info,
      notifications: { 'notifications/tools/list_changed': () => void heard.push('all') },
    });
    const { session, tap } = await joined(server, client);
    const note = (name: string) => ({ onNotification: (method: string) => heard.push(`${name} ${method}`) });
    const one = await client.listen({ toolsListChanged: true }, note('one'));
    const two = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['x:1'] }, note('two'));
    expect([one.filter, two.filter]).toEqual([
      { toolsListChanged: true },
      { toolsListChanged: true, resourceSubscriptions: ['x:1'] },
    ]);
    server.notify('notifications/tools/list_changed');
    server.notify('notifications/resources/updated', { uri: 'x:1' });
    await settle();
    const method = 'notifications/tools/list_changed';
    expect(heard).toEqual([`one ${method}`, 'all', `two ${method}`, 'all', 'two notifications/resources/updated']);
    one.close();
    await one.ended;
    await settle();
    expect(tap.from('client').at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: one.id },
    });
    heard.length = 0;
    server.notify(method);
    await settle();
    expect(heard).toEqual([`two ${method}`, 'all']);
    expect(session.inFlight.inbound).toBe(1);
    await server.close();
    await two.ended;
    expect(client.inFlight.outbound).toBe(0);
  });

  it('rejects when it is refused, not acknowledged in time, aborted, or the connection breaks', async () => {
    const client = createClient({ info });
    const { raw } = await rawServer(client, capabilities, '2026-07-28');
    raw.responder = ({ id, method }) =>
      method === 'subscriptions/listen' ? { jsonrpc: '2.0', id, error: { code: -32603, message: 'no' } } : undefined;
    expect(await failure(client.listen({}))).toMatchObject({ code: -32603 });
    raw.responder = undefined;
    await raw.news();
    expect(await failure(client.listen({}, { timeout: 10 }))).toMatchObject({ name: 'TimeoutError', timeout: 10 });
    const controller = new AbortController();
    const aborted = failure(client.listen({}, { signal: controller.signal, timeout: 2 ** 40 }));
    // Longer than a timer knows is not at once.
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort(new Error('mine'));
    expect((await aborted).message).toBe('mine');
    expect((await raw.news()).map(({ method }) => method)).toEqual([
      'subscriptions/listen',
      'notifications/cancelled',
      'subscriptions/listen',
      'notifications/cancelled',
    ]);
    expect(client.inFlight.outbound).toBe(0);
    const waiting = failure(client.listen({}));
    await settle();
    await raw.close();
    expect((await waiting).name).toBe('ConnectionClosedError');
  });

  it('an open one tells of a connection that breaks', async () => {
    const client = createClient({ info });
    const { raw } = await rawServer(client, capabilities, '2026-07-28');
    const listening = client.listen({ toolsListChanged: true });
    const [asked] = await raw.news();
    raw.send({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta: { [SUBSCRIPTION]: asked?.id } },
    });
    const { ended } = await listening;
    await raw.close();
    expect((await failure(ended)).name).toBe('ConnectionClosedError');
  });
});

describe('resources of a stateful session', () => {
  it.each([true, false])('are told of to those who subscribed, with a handler of the server’s own: %s', async (own) => {
    const asked: string[] = [];
    const server = r20251125.createServer({
      info,
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
    const { raw } = await rawSession(server);
    const updated = async (uri: string): Promise<number> => {
      server.notify('notifications/resources/updated', { uri });
      return (await raw.news()).length;
    };
    expect(await updated('x:1')).toBe(0);
    expect((await raw.ask({ id: 1, method: 'resources/subscribe', params: { uri: 'x:1' } })).result).toEqual({});
    await raw.ask({ id: 2, method: 'resources/subscribe', params: { uri: 'x:no' } });
    await raw.news();
    expect(await updated('x:1')).toBe(1);
    expect(await updated('x:2')).toBe(0);
    expect(await updated('x:no')).toBe(own ? 0 : 1);
    await raw.ask({ id: 3, method: 'resources/unsubscribe', params: { uri: 'x:1' } });
    await raw.news();
    expect(await updated('x:1')).toBe(0);
    expect(asked).toEqual(own ? ['x:1'] : []);
  });

  it('change notices go to sessions that are initialized, if they are declared', async () => {
    const server = r20251125.createServer({
      info,
      capabilities: { tools: { listChanged: true }, prompts: {} },
      handlers: {},
    });
    const ready = await rawSession(server);
    const early = await rawClient(server);
    await early.raw.ask({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info },
    });
    await early.raw.news();
    server.notify('notifications/tools/list_changed');
    server.notify('notifications/prompts/list_changed');
    expect((await ready.raw.news()).map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
    expect(await early.raw.news()).toEqual([]);
  });
});
