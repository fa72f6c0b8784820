import { describe, expect, test } from 'vitest';
import { subscribe } from '../../generated/runtime/subscribe.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { defineTool, toolHandlers } from '../../generated/runtime/registry.js';
import { callTool } from '../../templates/runtime/client/tool-calls.js';
import { TEST_INFO, nextTurns, rejectionOf, revision20251125, revision20260728 } from './harness.js';

const REVISIONS = [revision20251125.revision, revision20260728.revision];
const ALL_CHANGES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
} as const;

type ClientOptions = Omit<Parameters<typeof revision20260728.createClient>[0], 'info'>;

/** A server of both kinds of revision, and a client of one that hears of updated resources. */
async function connected(version: string, capabilities: object = ALL_CHANGES, options: ClientOptions = {}) {
  const server = revision20260728.createServer({
    info: TEST_INFO,
    revisions: REVISIONS,
    capabilities,
    handlers: {
      'resources/read': () => ({ contents: [] }),
      ...toolHandlers([
        defineTool({
          name: 'log',
          run: (_args, { log }) => {
            for (const level of ['debug', 'info', 'error'] as const) log(level, level);
            return 'done';
          },
        }),
      ]),
    },
  });
  const heard: unknown[] = [];
  const client = revision20260728.createClient({
    info: TEST_INFO,
    revisions: REVISIONS.filter((revision) => revision.version === version),
    notifications: {
      'notifications/resources/updated': ({ uri }) => void heard.push(uri),
      'notifications/tools/list_changed': () => void heard.push('tools'),
      'notifications/message': ({ data }) => void heard.push(data),
    },
    ...options,
  });
  const [here, there] = memoryPair();
  await server.connect(there);
  await client.connect(here);
  return { server, client, heard };
}

describe.each(['2025-11-25', '2026-07-28'])('subscribe in %s', (version) => {
  test('receives the requested changes until it is closed', async () => {
    const { server, client, heard } = await connected(version);
    const subscription = await subscribe(client, { toolsListChanged: true, resourceSubscriptions: ['x:1'] });
    const change = async (): Promise<void> => {
      server.notify('notifications/resources/updated', { uri: 'x:1' });
      server.notify('notifications/resources/updated', { uri: 'x:2' });
      await nextTurns();
    };
    await change();
    expect(heard).toEqual(['x:1']);
    server.notify('notifications/tools/list_changed');
    await nextTurns();
    expect(heard).toEqual(['x:1', 'tools']);
    subscription.close();
    await expect(subscription.ended).resolves.toBeUndefined();
    await nextTurns();
    await change();
    expect(heard).toEqual(['x:1', 'tools']);
  });

  test('agrees to what the server declares', async () => {
    const { client } = await connected(version, { tools: { listChanged: true }, resources: { subscribe: false } });
    const { filter } = await subscribe(client, {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['x:1'],
    });
    expect(filter).toEqual({ toolsListChanged: true });
  });

  test('ends when its signal is aborted', async () => {
    const { server, client, heard } = await connected(version);
    const controller = new AbortController();
    const { signal } = controller;
    const { ended } = await subscribe(client, { resourceSubscriptions: ['x:1'] }, { signal });
    controller.abort();
    await ended;
    await nextTurns();
    server.notify('notifications/resources/updated', { uri: 'x:1' });
    await nextTurns();
    expect(heard).toEqual([]);
  });

  test('rejects with the reason of a signal that is aborted already', async () => {
    const { client } = await connected(version);
    const signal = AbortSignal.abort(new Error('enough'));
    expect(await rejectionOf(subscribe(client, {}, { signal }))).toMatchObject({ message: 'enough' });
  });

  test('rejects if there is no connection', async () => {
    const client = revision20260728.createClient({ info: TEST_INFO, revisions: REVISIONS });
    expect((await rejectionOf(subscribe(client, {}))).name).toBe('ConnectionClosedError');
  });

  test('sends the log level of the client', async () => {
    const { client, heard } = await connected(version, { logging: {} }, { logLevel: 'info' });
    await client.callTool({ name: 'log' });
    expect(heard).toEqual(['info', 'error']);
  });

  test('connects with a log level to a server without logging', async () => {
    const { client, heard } = await connected(version, {}, { logLevel: 'info' });
    await client.callTool({ name: 'log' });
    expect(heard).toEqual([]);
  });
});

test('a subscription of a stateful revision ends with the connection', async () => {
  const { client } = await connected('2025-11-25');
  const { ended } = await subscribe(client, { resourceSubscriptions: ['x:1'] });
  await client.close();
  await expect(ended).resolves.toBeUndefined();
});

test('resources that were subscribed to before an error are unsubscribed', async () => {
  const { server, client, heard } = await connected('2025-11-25');
  const failed = await rejectionOf(subscribe(client, { resourceSubscriptions: ['x:1', 1 as never] }));
  expect(failed.name).toBe('RpcError');
  await nextTurns();
  server.notify('notifications/resources/updated', { uri: 'x:1' });
  await nextTurns();
  expect(heard).toEqual([]);
});

test('a method of a tool sends its option `meta`', async () => {
  const { client, heard } = await connected('2026-07-28', { logging: {} });
  const meta = { 'io.modelcontextprotocol/logLevel': 'error' };
  await callTool(client, 'log', {}, undefined, { meta });
  expect(heard).toEqual(['error']);
});

test.each([
  ['2025-11-25', 'subscriptions/listen', 'runtime/subscribe'],
  ['2026-07-28', 'resources/subscribe', 'runtime/subscribe'],
  ['2026-07-28', 'logging/setLevel', '`logLevel`'],
])('the error of a method that %s lacks, %s, names what works in every revision', async (version, method, what) => {
  const { client } = await connected(version);
  const failed = await rejectionOf(method === 'subscriptions/listen' ? client.listen({}) : client.request(method, {}));
  expect(failed.message).toContain(what);
});
