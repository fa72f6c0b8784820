import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../generated/2026-07-28/client.js';
import type { Client, ClientOptions } from '../../generated/2026-07-28/client.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import type { ServerHandlers } from '../../generated/2026-07-28/server.js';
import { ResultCache, resultCache } from '../../generated/runtime/client/cache.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { RpcError } from '../../generated/runtime/index.js';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import { revision as older } from '../../generated/2025-11-25/revision.js';
import {
  discoverResponse,
  initializeResponse,
  rejectionOf,
  resultMessage,
  sendJson,
  startScriptedServer,
  TEXT,
  waitUntil,
} from '../http/client-peer.js';

const PUBLIC = { ttlMs: 1000, cacheScope: 'public' as const };
const PRIVATE = { ttlMs: 1000, cacheScope: 'private' as const };

/** A server that counts the requests of each method, and a client with a clock that a test moves. */
async function connectInMemory(handlers: ServerHandlers, options: Partial<ClientOptions> = {}) {
  const state = { now: 1_000_000, requests: [] as string[] };
  const counting = Object.fromEntries(
    Object.entries(handlers).map(([method, handler]) => [
      method,
      (params: { readonly uri?: string; readonly cursor?: string }, context: never) => {
        state.requests.push([method, params.uri ?? params.cursor].filter(Boolean).join(' '));
        return (handler as (...args: unknown[]) => object)(params, context);
      },
    ]),
  ) as ServerHandlers;
  const server = createServer({
    info: { name: 'server', version: '1.0.0' },
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    },
    handlers: counting,
  });
  const client = createClient({
    info: { name: 'client', version: '1.0.0' },
    cache: resultCache({ now: () => state.now }),
    ...options,
  });
  const [serverSide, clientSide] = memoryPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  onTestFinished(() => client.close());
  return { client, server, state };
}

const tool = { name: 'a', inputSchema: { type: 'object' as const } };
const ALL: ServerHandlers = {
  'tools/list': () => ({ tools: [tool], ...PUBLIC }),
  'prompts/list': () => ({ prompts: [], ...PUBLIC }),
  'resources/list': () => ({ resources: [], ...PUBLIC }),
  'resources/templates/list': () => ({ resourceTemplates: [], ...PUBLIC }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'x' }], ...PUBLIC }),
  'tools/call': () => ({ content: [] }),
};

const SENDERS: readonly (readonly [string, (client: Client, bypassCache?: boolean) => Promise<object>])[] = [
  ['tools/list', (client, bypassCache) => client.listTools({}, { bypassCache })],
  ['prompts/list', (client, bypassCache) => client.listPrompts({}, { bypassCache })],
  ['resources/list', (client, bypassCache) => client.listResources({}, { bypassCache })],
  ['resources/templates/list', (client, bypassCache) => client.listResourceTemplates({}, { bypassCache })],
  ['resources/read', (client, bypassCache) => client.readResource({ uri: 'file:///a' }, { bypassCache })],
];

describe.each(SENDERS)('%s', (method, send) => {
  const requestsOf = (state: { readonly requests: readonly string[] }): number =>
    state.requests.filter((one) => one.startsWith(method)).length;

  test('is cached while it is fresh, and not after', async () => {
    const { client, state } = await connectInMemory(ALL);
    const first = await send(client);
    state.now += 999;
    expect(await send(client)).toEqual(first);
    expect(requestsOf(state)).toBe(1);
    state.now += 1;
    await send(client);
    expect(requestsOf(state)).toBe(2);
  });

  test('is not cached by default', async () => {
    const { client, state } = await connectInMemory(ALL, { cache: undefined });
    await send(client);
    await send(client);
    expect(requestsOf(state)).toBe(2);
  });

  test('is cached by `resultCache()`', async () => {
    const { client, state } = await connectInMemory(ALL, { cache: resultCache() });
    await send(client);
    await send(client);
    expect(requestsOf(state)).toBe(1);
  });

  test('is requested again with bypassCache, whose result replaces the cached one', async () => {
    const { client, state } = await connectInMemory(ALL);
    await send(client);
    state.now += 600;
    await send(client, true);
    expect(requestsOf(state)).toBe(2);
    state.now += 600;
    await send(client);
    expect(requestsOf(state)).toBe(2);
  });

  test('is requested again after clearCache', async () => {
    const { client, state } = await connectInMemory(ALL);
    await send(client);
    client.clearCache();
    await send(client);
    expect(requestsOf(state)).toBe(2);
  });
});

test('server/discover is cached, and other methods are not', async () => {
  let discovers = 0;
  let calls = 0;
  const { url } = await startScriptedServer(({ message: { method, id } }, response) => {
    if (method === 'server/discover') {
      discovers += 1;
      const { result } = discoverResponse(id) as { result: object };
      sendJson(response, resultMessage(id, { ...result, ...PUBLIC }));
    } else {
      calls += 1;
      sendJson(response, resultMessage(id, { ...TEXT, ...PUBLIC }));
    }
  });
  const client = createClient({ info: { name: 'c', version: '1' }, cache: resultCache(), ignoreCapabilities: true });
  onTestFinished(() => client.close());
  await client.connect(httpClientTransport({ url }));
  await client.discover();
  await client.discover();
  expect(discovers).toBe(2);
  await client.callTool({ name: 'a' });
  await client.callTool({ name: 'a' });
  expect(calls).toBe(2);
});

describe('ttlMs', () => {
  test.each([
    ['0', 0],
    ['negative', -1],
    ['negative and huge', -1e300],
    ['infinite', Number.POSITIVE_INFINITY],
    ['NaN', Number.NaN],
    ['a text', '1000'],
    ['null', null],
    ['absent', undefined],
  ])('that is %s is not cached', (_, ttlMs) => {
    const cache = new ResultCache({});
    cache.slotFor('tools/list', {})?.store({ tools: [], ttlMs });
    return expect(cache.slotFor('tools/list', {})?.find(() => undefined)).resolves.toBeUndefined();
  });

  test('that is huge counts as a day', async () => {
    let now = 0;
    const cache = new ResultCache({ now: () => now });
    cache.slotFor('tools/list', {})?.store({ tools: [], ttlMs: 1e300 });
    const find = (): Promise<unknown> | undefined => cache.slotFor('tools/list', {})?.find(() => undefined);
    now = 24 * 60 * 60 * 1000 - 1;
    expect(await find()).toBeDefined();
    now += 1;
    expect(await find()).toBeUndefined();
  });
});

describe('the key of a result', () => {
  test('has the cursor: each page is cached with its own time', async () => {
    const { client, state } = await connectInMemory({
      'tools/list': ({ cursor }) =>
        cursor === undefined
          ? { tools: [tool], nextCursor: 'p2', ttlMs: 5000, cacheScope: 'public' }
          : { tools: [{ ...tool, name: 'b' }], ttlMs: 1000, cacheScope: 'public' },
    });
    const names = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { name } of client.listAllTools()) found.push(name);
      return found;
    };
    expect(await names()).toEqual(['a', 'b']);
    expect(await names()).toEqual(['a', 'b']);
    expect(state.requests).toEqual(['tools/list', 'tools/list p2']);
    state.now += 2000;
    expect(await names()).toEqual(['a', 'b']);
    expect(state.requests).toEqual(['tools/list', 'tools/list p2', 'tools/list p2']);
  });

  test('has the URI', async () => {
    const { client, state } = await connectInMemory(ALL);
    await client.readResource({ uri: 'file:///a' });
    await client.readResource({ uri: 'file:///b' });
    expect(state.requests).toHaveLength(2);
  });

  test.each<[string, object | undefined, object | undefined, boolean]>([
    ['has members of _meta', { _meta: { 'com.example/tenant': 'a' } }, { _meta: { 'com.example/tenant': 'b' } }, false],
    ['has _meta', { _meta: { 'com.example/tenant': 'a' } }, {}, false],
    ['lacks the progress token', { _meta: { progressToken: 1 } }, { _meta: { progressToken: 2 } }, true],
    ['lacks the trace', { _meta: { traceparent: '1' } }, undefined, true],
    ['does not depend on the order of members', { uri: 'a', x: { b: 1, c: 2 } }, { x: { c: 2, b: 1 }, uri: 'a' }, true],
    ['has nested members', { uri: 'a', x: { b: 1 } }, { uri: 'a', x: { b: 2 } }, false],
    ['depends on the order of items', { x: [1, 2] }, { x: [2, 1] }, false],
    ['has any other parameter', { uri: 'a', version: 1 }, { uri: 'a', version: 2 }, false],
    ['lacks members that are undefined', { cursor: undefined }, {}, true],
  ])('%s', async (_, first, second, isSame) => {
    const cache = new ResultCache({});
    cache.slotFor('resources/read', first)?.store({ contents: [], ...PUBLIC });
    const found = await cache.slotFor('resources/read', second)?.find(() => undefined);
    expect(found !== undefined).toBe(isSame);
  });

  test.each([{ inputResponses: {} }, { requestState: 'x' }])('does not exist for %j', (params) => {
    expect(new ResultCache({}).slotFor('resources/read', { uri: 'a', ...params })).toBeUndefined();
  });

  test.each([{ x: 1n }, Object.assign({}, ...[{}].map((x) => ({ x: Object.assign(x, { x }) })))])(
    'does not exist for params that are not JSON',
    (params: object) => {
      expect(new ResultCache({}).slotFor('tools/list', params)).toBeUndefined();
    },
  );
});

describe('what is not cached', () => {
  test('a result that needed input', async () => {
    let rounds = 0;
    const { client } = await connectInMemory(
      {
        ...ALL,
        'resources/read': ({ uri, requestState }) => {
          rounds += 1;
          return requestState === undefined
            ? { resultType: 'input_required', requestState: 'r' }
            : { contents: [{ uri, text: 'x' }], ...PUBLIC };
        },
      },
      {},
    );
    await client.readResource({ uri: 'file:///a' });
    await client.readResource({ uri: 'file:///a' });
    expect(rounds).toBe(4);
  });

  test('an error', async () => {
    let requests = 0;
    const { client } = await connectInMemory({
      ...ALL,
      'resources/read': () => {
        requests += 1;
        throw new RpcError(-32602, 'no such resource');
      },
    });
    await rejectionOf(client.readResource({ uri: 'file:///a' }), RpcError);
    await rejectionOf(client.readResource({ uri: 'file:///a' }), RpcError);
    expect(requests).toBe(2);
  });

  test('a result that became stale on its way', async () => {
    let answer: () => void = () => undefined;
    const { client, server, state } = await connectInMemory({
      ...ALL,
      'tools/list': () =>
        new Promise((resolve) => {
          answer = () => {
            resolve({ tools: [tool], ...PUBLIC });
          };
        }),
    });
    const changed: string[] = [];
    await client.openSubscription(
      { toolsListChanged: true },
      { onNotification: (method) => void changed.push(method) },
    );
    const listed = client.listTools();
    await waitUntil(() => state.requests.includes('tools/list'));
    server.notify('notifications/tools/list_changed');
    await waitUntil(() => changed.includes('notifications/tools/list_changed'));
    answer();
    await listed;
    const again = client.listTools();
    await waitUntil(() => state.requests.length === 2);
    answer();
    await again;
    client.clearCache();
    const cleared = client.listTools();
    await waitUntil(() => state.requests.length === 3);
    client.clearCache();
    answer();
    await cleared;
    void client.listTools();
    await waitUntil(() => state.requests.length === 4);
    answer();
  });

  test('a result whose private credentials changed on its way', async () => {
    const cache = new ResultCache({});
    const slot = cache.slotFor('tools/list', {});
    const open = cache.slotFor('prompts/list', {});
    cache.clearPrivate();
    slot?.store({ tools: [], ...PRIVATE });
    open?.store({ prompts: [], ...PUBLIC });
    expect(await cache.slotFor('tools/list', {})?.find(() => undefined)).toBeUndefined();
    expect(await cache.slotFor('prompts/list', {})?.find(() => undefined)).toBeDefined();
  });
});

describe('a notification', () => {
  const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];

  test.each<[string, object, readonly string[]]>([
    ['notifications/tools/list_changed', {}, ['tools/list']],
    ['notifications/prompts/list_changed', {}, ['prompts/list']],
    ['notifications/resources/list_changed', {}, ['resources/list', 'resources/templates/list']],
    ['notifications/resources/updated', { uri: 'file:///a' }, ['resources/read file:///a']],
    ['notifications/resources/updated', { uri: 'file:///b' }, ['resources/read file:///b']],
  ])('%s %j makes only its results stale', async (method, params, stale) => {
    const { client, server, state } = await connectInMemory(ALL);
    const readAll = async (): Promise<void> => {
      for (const [, send] of SENDERS) await send(client);
      await client.readResource({ uri: 'file:///b' });
    };
    const changed: string[] = [];
    await client.openSubscription(
      {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['file:///a', 'file:///b'],
      },
      { onNotification: (name) => void changed.push(name) },
    );
    await readAll();
    expect(state.requests).toEqual([...LISTS, 'resources/read file:///a', 'resources/read file:///b']);
    state.requests.length = 0;
    server.notify(method as never, params as never);
    await waitUntil(() => changed.includes(method));
    await readAll();
    expect(state.requests).toEqual(stale);
  });

  test('empties the cache before its handler runs', async () => {
    const lists: number[] = [];
    const { client, server, state } = await connectInMemory(ALL, {
      notifications: {
        'notifications/tools/list_changed': async () => {
          await client.listTools();
          lists.push(state.requests.length);
        },
      },
    });
    await client.openSubscription({ toolsListChanged: true });
    await client.listTools();
    server.notify('notifications/tools/list_changed');
    await waitUntil(() => lists.length > 0);
    expect(lists).toEqual([2]);
  });

  test.each([
    ['file:///a', true],
    ['file:///a/b', true],
    ['file:///a?x', true],
    ['file:///ab', false],
    ['file:///', false],
    ['file:///listed', true],
    [undefined, true],
    [7, true],
  ])('about the resource %j makes what contains it stale: %s', async (uri, isStale) => {
    const cache = new ResultCache({});
    const find = (): Promise<unknown> | undefined =>
      cache.slotFor('resources/read', { uri: 'file:///a' })?.find(() => undefined);
    cache
      .slotFor('resources/read', { uri: 'file:///a' })
      ?.store({ contents: [{ uri: 'file:///listed' }, null, 7], ...PUBLIC });
    expect(await find()).toBeDefined();
    cache.handleNotification('notifications/resources/updated', { uri });
    expect((await find()) === undefined).toBe(isStale);
  });
});

test('a rejected cursor empties its list, and a rejected call that of the tools', async () => {
  const { client, state } = await connectInMemory({
    ...ALL,
    'tools/list': ({ cursor }) => {
      if (cursor === 'old') throw new RpcError(-32602, 'unknown cursor');
      return { tools: [tool], ...PUBLIC };
    },
    'tools/call': () => {
      throw new RpcError(-32602, 'wrong arguments');
    },
  });
  await client.listTools();
  await client.listPrompts();
  await rejectionOf(client.listTools({ cursor: 'old' }), RpcError);
  await client.listTools();
  await client.listPrompts();
  expect(state.requests).toEqual(['tools/list', 'prompts/list', 'tools/list old', 'tools/list']);
  await rejectionOf(client.callTool({ name: 'a' }), RpcError);
  await client.listTools();
  expect(state.requests.slice(4)).toEqual(['tools/call', 'tools/list']);
});

test('a cached result is a copy, so that no caller can change it', async () => {
  const { client } = await connectInMemory(ALL);
  const first = await client.listTools();
  first.tools.length = 0;
  const second = await client.listTools();
  expect(second.tools).toEqual([tool]);
  Object.assign(second.tools[0] ?? {}, { name: 'poisoned' });
  expect((await client.listTools()).tools).toEqual([tool]);
});

describe('the limits of a cache', () => {
  const read = (cache: ResultCache, uri: string): Promise<unknown> =>
    cache.slotFor('resources/read', { uri })?.find(() => undefined) ?? Promise.resolve();
  const write = (cache: ResultCache, uri: string, text = 'x'): void => {
    cache.slotFor('resources/read', { uri })?.store({ contents: [{ uri, text }], ...PUBLIC });
  };

  test('remove what was not used for longest', async () => {
    const cache = new ResultCache({ maxEntries: 2 });
    write(cache, 'a:1');
    write(cache, 'a:2');
    await read(cache, 'a:1');
    write(cache, 'a:3');
    expect(await read(cache, 'a:2')).toBeUndefined();
    expect(await read(cache, 'a:1')).toBeDefined();
    expect(await read(cache, 'a:3')).toBeDefined();
  });

  test('count characters, also of what is replaced and removed', async () => {
    const cache = new ResultCache({ maxChars: 3000 });
    for (let round = 0; round < 20; round += 1) {
      write(cache, 'a:1', 'x'.repeat(800));
      write(cache, 'a:2', 'x'.repeat(800));
    }
    expect(await read(cache, 'a:1')).toBeDefined();
    expect(await read(cache, 'a:2')).toBeDefined();
    for (let round = 0; round < 20; round += 1) {
      cache.clear();
      write(cache, 'a:1', 'x'.repeat(1000));
    }
    write(cache, 'a:2', 'x'.repeat(1000));
    expect(await read(cache, 'a:1')).toBeDefined();
    write(cache, 'a:3', 'x'.repeat(1000));
    expect(await read(cache, 'a:1')).toBeDefined();
    expect(await read(cache, 'a:2')).toBeUndefined();
  });

  test('do not keep a result that is larger than all, and keep the others', async () => {
    const cache = new ResultCache({ maxChars: 1000 });
    write(cache, 'a:1');
    write(cache, 'a:2', 'x'.repeat(1000));
    expect(await read(cache, 'a:1')).toBeDefined();
    expect(await read(cache, 'a:2')).toBeUndefined();
  });

  test('of 0 keep nothing', async () => {
    const cache = new ResultCache({ maxEntries: 0 });
    write(cache, 'a:1');
    expect(await read(cache, 'a:1')).toBeUndefined();
  });

  test('bound the memory of a client whose server sends new pages without end', async () => {
    const cache = new ResultCache({ maxChars: 1024 * 1024 });
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    for (let page = 0; page < 20_000; page += 1) write(cache, `a:${page}`, 'x'.repeat(5000));
    globalThis.gc?.();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(150 * 1024 * 1024);
    expect(await read(cache, 'a:19999')).toBeDefined();
    expect(await read(cache, 'a:19000')).toBeUndefined();
  });

  test.each([{ maxEntries: -1 }, { maxChars: Number.NaN }])('must not be %j', (options) => {
    expect(() => resultCache(options)).toThrow(RangeError);
  });
});

test('identical requests at the same time are all sent, so that one can be cancelled', async () => {
  const answers: (() => void)[] = [];
  const { client, state } = await connectInMemory({
    ...ALL,
    'tools/list': () =>
      new Promise((resolve) => {
        answers.push(() => {
          resolve({ tools: [tool], ...PUBLIC });
        });
      }),
  });
  const controller = new AbortController();
  const cancelled = client.listTools({}, { signal: controller.signal });
  const other = client.listTools();
  await waitUntil(() => answers.length === 2);
  controller.abort(new Error('enough'));
  await expect(cancelled).rejects.toThrow('enough');
  answers.forEach((answer) => {
    answer();
  });
  expect((await other).tools).toHaveLength(1);
  expect(state.requests).toHaveLength(2);
});

test('an aborted signal rejects even if the result is cached', async () => {
  const { client } = await connectInMemory(ALL);
  await client.listTools();
  await expect(client.listTools({}, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
});

test('a closed client returns nothing from its cache', async () => {
  const { client } = await connectInMemory(ALL);
  await client.listTools();
  await client.close();
  expect((await rejectionOf(client.listTools())).name).toBe('ConnectionClosedError');
});

test('two clients of a server share nothing, not even public results', async () => {
  const first = await connectInMemory(ALL);
  const second = await connectInMemory(ALL);
  await first.client.listTools();
  await second.client.listTools();
  expect([first.state.requests, second.state.requests]).toEqual([['tools/list'], ['tools/list']]);
});

describe('over HTTP', () => {
  /** A server that lists the credentials that it gets. */
  const startServer = async (cacheScope: 'public' | 'private') => {
    const lists: (string | undefined)[] = [];
    const { url } = await startScriptedServer(({ message: { method, id }, headers }, response) => {
      if (method === 'server/discover') sendJson(response, discoverResponse(id));
      else {
        lists.push(headers.authorization);
        const tools = [{ ...tool, name: (headers.authorization ?? 'anonymous').replace('Bearer ', '') }];
        sendJson(response, resultMessage(id, { resultType: 'complete', tools, ttlMs: 60_000, cacheScope }));
      }
    });
    return { url, lists };
  };
  const connect = async (url: string, credentials: { token: string }, header = false): Promise<Client> => {
    const client = createClient({ info: { name: 'c', version: '1' }, cache: resultCache() });
    onTestFinished(() => client.close());
    await client.connect(
      httpClientTransport({
        url,
        ...(header
          ? { headers: () => ({ authorization: credentials.token, traceparent: String(Math.random()) }) }
          : { authProvider: { token: () => credentials.token } }),
      }),
    );
    return client;
  };
  const nameOf = async (client: Client): Promise<string | undefined> => (await client.listTools()).tools[0]?.name;

  test.each([false, true])('a private result is not used with other credentials (headers: %s)', async (header) => {
    const { url, lists } = await startServer('private');
    const credentials = { token: 'anna' };
    const client = await connect(url, credentials, header);
    expect(await nameOf(client)).toBe('anna');
    expect(await nameOf(client)).toBe('anna');
    expect(lists).toHaveLength(1);
    credentials.token = 'bert';
    expect(await nameOf(client)).toBe('bert');
    credentials.token = 'anna';
    expect(await nameOf(client)).toBe('anna');
    expect(lists).toHaveLength(3);
  });

  test('a public result is used with other credentials of the client', async () => {
    const { url, lists } = await startServer('public');
    const credentials = { token: 'anna' };
    const client = await connect(url, credentials);
    await nameOf(client);
    credentials.token = 'bert';
    expect(await nameOf(client)).toBe('anna');
    expect(lists).toHaveLength(1);
  });

  test('a private result is not used if the provider of the token fails', async () => {
    const { url } = await startServer('private');
    const credentials = { token: 'anna' };
    const client = await connect(url, credentials);
    await nameOf(client);
    Object.defineProperty(credentials, 'token', {
      get: () => {
        throw new Error('signed out');
      },
    });
    expect((await rejectionOf(client.listTools())).name).toBe('UnauthorizedError');
  });

  test('a renewed session empties the cache', async () => {
    let session = 1;
    let lists = 0;
    const { url } = await startScriptedServer(({ verb, message: { method, id }, headers }, response) => {
      if (method === 'initialize') sendJson(response, initializeResponse(id), 200, { 'mcp-session-id': `s${session}` });
      else if (headers['mcp-session-id'] !== `s${session}`) sendJson(response, {}, 404);
      else if (verb === 'GET') response.writeHead(405).end();
      else if (id === undefined) response.writeHead(202).end();
      else if (method === 'tools/list') {
        lists += 1;
        sendJson(response, resultMessage(id, { tools: [], ttlMs: 60_000, cacheScope: 'public' }));
      } else sendJson(response, resultMessage(id, TEXT));
    });
    const client = createClient({
      info: { name: 'c', version: '1' },
      revisions: [older],
      cache: resultCache(),
      ignoreCapabilities: true,
    });
    onTestFinished(() => client.close());
    await client.connect(httpClientTransport({ url }));
    await client.listTools();
    await client.listTools();
    expect(lists).toBe(1);
    session = 2;
    await client.callTool({ name: 'a' });
    await client.listTools();
    expect(lists).toBe(2);
  });
});

test('over stdio, results are cached and notifications empty the cache', async () => {
  const script = `
    let lists = 0;
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const meta = (id) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': id } });
    let listener;
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const result = (value) => send({ id, result: { resultType: 'complete', ttlMs: 60000, cacheScope: 'public', ...value } });
      if (method === 'server/discover')
        result({ supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } });
      else if (method === 'subscriptions/listen') {
        listener = id;
        send({ method: 'notifications/subscriptions/acknowledged', params: { ...meta(id), notifications: params.notifications } });
      } else if (method === 'tools/list') {
        lists += 1;
        result({ tools: [{ name: 'list' + lists, inputSchema: { type: 'object' } }] });
      } else if (method === 'tools/call') {
        send({ method: 'notifications/tools/list_changed', params: meta(listener) });
        send({ id, result: { resultType: 'complete', content: [] } });
      }
    });`;
  const client = createClient({ info: { name: 'c', version: '1' }, cache: resultCache() });
  onTestFinished(() => client.close());
  await client.connect(stdioClientTransport({ command: process.execPath, args: ['-e', script] }));
  await client.openSubscription({ toolsListChanged: true });
  const nameOf = async (): Promise<string | undefined> => (await client.listTools()).tools[0]?.name;
  expect([await nameOf(), await nameOf()]).toEqual(['list1', 'list1']);
  await client.callTool({ name: 'a' });
  expect([await nameOf(), await nameOf()]).toEqual(['list2', 'list2']);
});
