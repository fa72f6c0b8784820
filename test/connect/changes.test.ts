import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import type { Transport } from '../../generated/runtime/index.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { stdioServerTransport } from '../../generated/runtime/stdio-server.js';
import {
  ALL_REVISIONS,
  Events,
  TEST_INFO,
  connectRawClient,
  nextTurns,
  revision20251125,
  revision20260728,
  sleep,
  startRawSession,
  textResult,
} from './harness.js';

const RESOURCES = { resources: { listChanged: true, subscribe: true } } as const;
const LIST_CHANGED = 'notifications/resources/list_changed';
const UPDATED = 'notifications/resources/updated';

/** A tool call tells everybody that resources changed. */
function changingServer(capabilities: object = RESOURCES, onEvent?: Events['onEvent']) {
  return revision20260728.createServer({
    info: TEST_INFO,
    revisions: ALL_REVISIONS,
    capabilities,
    ...(onEvent === undefined ? {} : { onEvent }),
    handlers: {
      'resources/read': () => ({ contents: [] }),
      'tools/call': (_, context) => {
        context.notify(LIST_CHANGED);
        context.notify(UPDATED, { uri: 'note:1' });
        return textResult('done');
      },
    },
  });
}

type ChangingServer = ReturnType<typeof changingServer>;
type Connect = (server: ChangingServer) => Promise<Transport> | Transport;

const CONNECT: readonly (readonly [string, () => Connect])[] = [
  [
    'memory',
    () => async (server) => {
      const [here, there] = memoryPair();
      await server.connect(there);
      return here;
    },
  ],
  [
    'stdio',
    () => async (server) => {
      const toServer = new PassThrough();
      const toClient = new PassThrough();
      await server.connect(stdioServerTransport({ input: toServer, output: toClient, protectStdout: false }));
      // The client's side has the same lines the other way round.
      return stdioServerTransport({ input: toClient, output: toServer, protectStdout: false });
    },
  ],
  [
    'HTTP',
    () => {
      let handler: ReturnType<typeof createHttpHandler> | undefined;
      return (server) => {
        handler ??= createHttpHandler({ server, origins: 'any' } as never);
        const { fetch } = handler;
        return httpClientTransport({
          url: 'http://localhost/mcp',
          fetch: (input: string, init?: RequestInit) => fetch(new Request(input, init)),
        } as never);
      };
    },
  ],
];

async function heardBy(revision: 'stateful' | 'stateless', transport: Transport, uri?: string) {
  const heard: string[] = [];
  const note = (method: string, params?: { uri?: string }) => void heard.push(params?.uri ?? method);
  const options = {
    info: TEST_INFO,
    notifications: {
      [LIST_CHANGED]: () => {
        note('list');
      },
      [UPDATED]: (params: { uri: string }) => {
        note(UPDATED, params);
      },
    },
  };
  if (revision === 'stateful') {
    const client = revision20251125.createClient(options);
    await client.connect(transport);
    if (uri !== undefined) await client.subscribe({ uri });
    return { heard, client };
  }
  const client = revision20260728.createClient(options);
  await client.connect(transport);
  await client.listen({ resourcesListChanged: true, ...(uri === undefined ? {} : { resourceSubscriptions: [uri] }) });
  return { heard, client };
}

describe.each(CONNECT)('over %s', (_name, prepare) => {
  test.each(['stateful', 'stateless'] as const)(
    'a change in a handler reaches all clients, and an update its subscribers (%s)',
    async (revision) => {
      const server = changingServer();
      const connect = prepare();
      const one = await heardBy(revision, await connect(server));
      const two = await heardBy(revision, await connect(server), 'note:1');
      const three = await heardBy(revision, await connect(server), 'note:2');
      await sleep(20);
      await one.client.callTool({ name: 'x' });
      await vi.waitFor(() => {
        expect([one.heard, two.heard, three.heard]).toEqual([['list'], ['list', 'note:1'], ['list']]);
      });
      for (const { client } of [one, two, three]) await client.close();
      await server.close();
    },
  );

  test.each(['stateful', 'stateless'] as const)(
    'a change outside of a handler reaches the same clients (%s)',
    async (revision) => {
      const server = changingServer();
      const connect = prepare();
      const one = await heardBy(revision, await connect(server));
      const two = await heardBy(revision, await connect(server), 'note:1');
      await sleep(20);
      server.notify(LIST_CHANGED);
      server.notify(UPDATED, { uri: 'note:1' });
      await vi.waitFor(() => {
        expect([one.heard, two.heard]).toEqual([['list'], ['list', 'note:1']]);
      });
      for (const { client } of [one, two]) await client.close();
      await server.close();
    },
  );
});

describe('a notification whose capability is not declared', () => {
  afterEach(() => void vi.restoreAllMocks());

  test('is reported once, with the capability to declare', async () => {
    const events = new Events();
    const server = changingServer({}, events.onEvent);
    const raw = await startRawSession(server);
    for (const id of [1, 2]) await raw.raw.request({ id, method: 'tools/call', params: { name: 'x' } });
    server.notify('notifications/tools/list_changed');
    await nextTurns();
    expect(events.all).toEqual([
      { kind: 'undeclaredNotification', method: LIST_CHANGED, capability: 'resources.listChanged' },
      { kind: 'undeclaredNotification', method: UPDATED, capability: 'resources.subscribe' },
      { kind: 'undeclaredNotification', method: 'notifications/tools/list_changed', capability: 'tools.listChanged' },
    ]);
  });

  test.each(['log', 'notify'] as const)('is reported if context.%s would send a log message', async (how) => {
    const events = new Events();
    const server = revision20251125.createServer({
      info: TEST_INFO,
      onEvent: events.onEvent,
      handlers: {
        'tools/call': (_, context) => {
          if (how === 'log') context.log('info', 'x');
          else context.notify('notifications/message', { level: 'info', data: 'x' });
          return textResult('');
        },
      },
    });
    const { raw } = await startRawSession(server);
    await raw.request({ id: 1, method: 'tools/call', params: { name: 'x' } });
    expect(events.all).toEqual([
      { kind: 'undeclaredNotification', method: 'notifications/message', capability: 'logging' },
    ]);
  });

  test('does not fail the handler if the listener fails', async () => {
    const server = changingServer({}, () => {
      throw new Error('of the listener');
    });
    const { raw } = await startRawSession(server);
    const { result } = await raw.request({ id: 1, method: 'tools/call', params: { name: 'x' } });
    expect(result).toMatchObject(textResult('done'));
  });

  test('is reported on the console if there is no onEvent', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const server = revision20251125.createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': (_, { log }) => {
          log('info', 'x');
          return textResult('');
        },
      },
    });
    const { raw } = await connectRawClient(server);
    await raw.request({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: TEST_INFO },
    });
    raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    for (const id of [2, 3]) await raw.request({ id, method: 'tools/call', params: { name: 'x' } });
    expect(warn.mock.calls).toEqual([['notifications/message is not sent: the server does not declare logging']]);
  });
});
