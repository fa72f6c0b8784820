import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { CallToolResult } from '../../generated/2025-11-25/index.js';
import { SERVER_BUSY } from '../../generated/runtime/jsonrpc/endpoint.js';
import { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { stdioServerTransport } from '../../generated/runtime/stdio-server.js';
import {
  deferred,
  Events,
  failure,
  info,
  joined,
  modernMeta,
  r20250326,
  r20251125,
  r20260728,
  rawClient,
  rawServer,
  rawSession,
  settle,
  text,
} from './harness.js';

const { createClient, createServer } = r20251125;

class SecretError extends Error {}

/** A server whose tool gives or throws what the test says. */
function serverOf(
  act: () => unknown,
  more: Partial<Parameters<typeof createServer>[0]> = {},
): ReturnType<typeof createServer> {
  return createServer({ info, ...more, handlers: { 'tools/call': () => act() as CallToolResult } });
}

const call = { method: 'tools/call', params: { name: 'x' } };
const modernCall = { method: 'tools/call', params: { name: 'x', _meta: modernMeta() } };

describe('the order of checks', () => {
  it('unknown method before wrong params, known method with wrong params before the handler', async () => {
    let calls = 0;
    const server = serverOf(() => {
      calls += 1;
      return text('');
    });
    const { raw } = await rawSession(server);
    for (const params of [undefined, {}, [], null, 'x', 5]) {
      expect((await raw.ask({ id: 1, method: 'no/such', params })).error?.code).toBe(-32601);
      expect((await raw.ask({ id: 1, method: 'prompts/list', params })).error?.code).toBe(-32601);
      expect((await raw.ask({ id: 2, method: 'tools/call', params })).error?.code).toBe(-32602);
    }
    expect(calls).toBe(0);
  });

  it('also before initialize: then it is the time that is wrong', async () => {
    const { raw } = await rawClient(serverOf(() => text('')));
    expect((await raw.ask({ id: 1, method: 'tools/call', params: [] })).error?.code).toBe(-32600);
  });

  it('wrong params come with pointer and reason (case-059: positional, case-057: null)', async () => {
    const { raw } = await rawSession(
      createServer({ info, handlers: { 'tools/call': () => text(''), 'tools/list': () => ({ tools: [] }) } }),
    );
    const wrong = await raw.ask({ id: 1, method: 'tools/call', params: { name: 'x', arguments: 5 } });
    expect(wrong.error).toMatchObject({ code: -32602, data: { path: '/arguments' } });
    expect(wrong.error?.message).toContain('/arguments');
    const missing = await raw.ask({ id: 1, method: 'tools/call', params: { arguments: {} } });
    expect(missing.error).toMatchObject({ code: -32602, data: { path: '/name' } });
    expect(await raw.ask({ id: 1, method: 'tools/call', params: [1, 2] })).toMatchObject({
      id: 1,
      error: { code: -32602 },
    });
    // Null is not taken for absent.
    expect(await raw.ask({ id: 7, method: 'tools/list', params: null })).toMatchObject({
      id: 7,
      error: { code: -32602 },
    });
    // case-058
    expect((await raw.ask({ id: 8, method: 'tools/list' })).result).toEqual({ tools: [] });
  });

  it('2026-07-28 requires params._meta (case-058)', async () => {
    const server = r20260728.createServer({ info, handlers: { 'tools/list': () => ({ tools: [] }) } });
    const { raw } = await rawClient(server);
    for (const params of [
      undefined,
      {},
      { _meta: {} },
      { _meta: { ...modernMeta(), 'io.modelcontextprotocol/protocolVersion': 5 } },
    ]) {
      expect((await raw.ask({ id: 1, method: 'tools/list', params })).error?.code).toBe(-32602);
    }
    const hostile = { ...modernMeta(), 'io.modelcontextprotocol/protocolVersion': { toString: 1, valueOf: 1 } };
    expect((await raw.ask({ id: 1, method: 'tools/list', params: { _meta: hostile } })).error?.code).toBe(-32602);
    expect((await raw.ask({ id: 2, method: 'tools/list', params: { _meta: modernMeta() } })).result).toMatchObject({
      tools: [],
    });
  });

  it('validation can be turned off, but what is no object never reaches a handler', async () => {
    const seen: unknown[] = [];
    const server = createServer({
      info,
      validateParams: false,
      handlers: {
        'tools/call': (params) => {
          seen.push(params);
          return text('');
        },
      },
    });
    const { raw } = await rawSession(server);
    expect((await raw.ask({ id: 1, method: 'tools/call', params: { name: 5 } })).result).toEqual(text(''));
    for (const params of [[], null, 'x']) {
      expect((await raw.ask({ id: 1, method: 'tools/call', params })).error?.code).toBe(-32602);
    }
    expect(seen).toEqual([{ name: 5 }]);
  });
});

describe.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf', '', 'rpc.discover'])(
  'a method named %j',
  (method) => {
    it('is an unknown one, for servers and clients of both kinds', async () => {
      const { raw } = await rawSession(serverOf(() => text('')));
      expect(await raw.ask({ id: 1, method })).toMatchObject({ error: { code: -32601 } });
      const fresh = await rawClient(serverOf(() => text('')));
      expect(await fresh.raw.ask({ id: 1, method })).toMatchObject({ error: { code: -32601 } });
      const modern = await rawClient(r20260728.createServer({ info, handlers: {} }));
      expect(await modern.raw.ask({ id: 1, method, params: { _meta: modernMeta() } })).toMatchObject({
        error: { code: -32601 },
      });
      const client = createClient({ info, handlers: { 'roots/list': () => ({ roots: [] }) } });
      const server = await rawServer(client);
      expect(await server.raw.ask({ id: 1, method })).toMatchObject({ error: { code: -32601 } });
      await client.close();
    });
  },
);

describe('a handler that fails', () => {
  /** Throws anything at all. */
  const throwing = (thrown: unknown) => (): never => {
    throw thrown as Error;
  };
  const noConstructor = Object.assign(new Error('the password'), { constructor: undefined });

  it.each<[string, () => unknown, string]>([
    ['synchronously', throwing(new SecretError('the password')), 'SecretError'],
    ['asynchronously', () => Promise.reject(new SecretError('the password')), 'SecretError'],
    ['with a TypeError', () => (undefined as unknown as { a: { b: 1 } }).a.b, 'TypeError'],
    ['with a string', throwing('the password'), 'string'],
    ['with undefined', () => Promise.resolve().then(throwing(undefined)), 'undefined'],
    ['with null', throwing(null), 'object'],
    ['with an object without prototype', throwing(Object.create(null)), 'object'],
    ['with an error without constructor', throwing(noConstructor), 'Error'],
    ['with a symbol', () => Promise.resolve().then(throwing(Symbol('the password'))), 'symbol'],
  ])('%s is -32603 with the name of its class, no message, no stack', async (_, act, name) => {
    const events = new Events();
    for (const exposeErrors of [false, true]) {
      const { raw } = await rawSession(serverOf(act, { onEvent: events.onEvent, exposeErrors }));
      const answer = await raw.ask({ id: 1, ...call });
      expect(answer.error?.code).toBe(-32603);
      expect(answer.error?.data).toEqual({ name });
      if (!exposeErrors) expect(answer.error?.message).toBe('Internal error');
      expect(JSON.stringify(answer)).not.toContain('errors.test');
      expect(await raw.ask({ id: 2, method: 'ping' })).toMatchObject({ result: {} });
    }
    expect(events.kinds).toEqual(['handlerFailed', 'handlerFailed']);
  });

  it('tells its message only if an option says so', async () => {
    const act = (): never => {
      throw new SecretError('the password');
    };
    const exposed = await rawSession(serverOf(act, { exposeErrors: true }));
    expect((await exposed.raw.ask({ id: 1, ...call })).error?.message).toBe('the password');
  });

  it.each([undefined, null, 5, 'text', [], () => undefined, true])(
    'by giving %j as result is -32603, in both kinds of revision',
    async (result) => {
      for (const give of [() => result, () => Promise.resolve(result)]) {
        const { raw } = await rawSession(serverOf(give));
        expect((await raw.ask({ id: 1, ...call })).error).toMatchObject({ code: -32603, data: { name: 'TypeError' } });
        const modern = r20260728.createServer({ info, handlers: { 'tools/call': () => give() as never } });
        const { raw: other } = await rawClient(modern);
        expect((await other.ask({ id: 1, ...modernCall })).error).toMatchObject({
          code: -32603,
          data: { name: 'TypeError' },
        });
      }
    },
  );

  it('a promise of another library is waited for', async () => {
    const thenable: unknown = {
      then: (resolve: (value: object) => void) => {
        setImmediate(() => {
          resolve(text('late'));
        });
      },
    };
    const { raw } = await rawSession(serverOf(() => thenable));
    expect((await raw.ask({ id: 1, ...call })).result).toEqual(text('late'));
    const { raw: modern } = await rawClient(
      r20260728.createServer({ info, handlers: { 'tools/call': () => thenable as never } }),
    );
    expect((await modern.ask({ id: 1, ...modernCall })).result).toMatchObject(text('late'));
  });

  it('a listener of notifications that throws is an event', async () => {
    const events = new Events();
    const server = createServer({
      info,
      handlers: {},
      onEvent: events.onEvent,
      notifications: {
        'notifications/initialized': () => {
          throw new Error('a');
        },
        'notifications/roots/list_changed': () => Promise.reject(new Error('b')),
      },
    });
    const { raw } = await rawSession(server);
    raw.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    expect(await raw.news()).toEqual([]);
    expect(events.kinds).toEqual(['handlerFailed', 'handlerFailed']);
  });

  it('a listener of events that throws ends nothing', async () => {
    const { raw } = await rawSession(
      serverOf(
        () => {
          throw new Error('x');
        },
        {
          onEvent: () => {
            throw new Error('y');
          },
        },
      ),
    );
    expect((await raw.ask({ id: 1, ...call })).error?.code).toBe(-32603);
    raw.send({ jsonrpc: '2.0', id: 1, result: {} });
    expect((await raw.ask({ id: 2, method: 'ping' })).result).toEqual({});
  });
});

describe('an RpcError', () => {
  it('passes through as it is, both ways, without stack and cause', async () => {
    const error = new RpcError(-32002, 'not here', { uri: 'a:b' }, { cause: new Error('hidden') });
    const client = createClient({
      info,
      handlers: {
        'roots/list': () => {
          throw error;
        },
      },
    });
    const server = createServer({
      info,
      handlers: {
        'resources/read': () => Promise.reject(error),
        'tools/call': async (_, context) => {
          const caught = await failure(context.roots());
          return text(JSON.stringify(caught));
        },
      },
    });
    const { tap } = await joined(server, client);
    const caught = await failure(client.readResource({ uri: 'a:b' }));
    expect(caught).toBeInstanceOf(RpcError);
    expect(caught).toMatchObject({ code: -32002, message: 'not here', data: { uri: 'a:b' } });
    expect(tap.from('server').find(({ error: sent }) => sent !== undefined)?.error).toEqual({
      code: -32002,
      message: 'not here',
      data: { uri: 'a:b' },
    });
    const [content] = (await client.callTool({ name: 'x' })).content;
    expect(content).toMatchObject({
      text: JSON.stringify({ code: -32002, message: 'not here', data: { uri: 'a:b' } }),
    });
    await client.close();
  });

  it('a tool’s own failure is a result, and no protocol error', async () => {
    const client = createClient({ info });
    await joined(
      serverOf(() => ({ ...text('no'), isError: true })),
      client,
    );
    expect(await client.callTool({ name: 'x' })).toEqual({ ...text('no'), isError: true });
    await client.close();
  });

  it('a huge message neither hangs nor is lost', async () => {
    const message = 'x'.repeat(5_000_000);
    const { raw } = await rawSession(
      serverOf(() => {
        throw new RpcError(1, message);
      }),
    );
    expect((await raw.ask({ id: 1, ...call })).error?.message.length).toBe(message.length);
  });
});

describe('what a sender writes', () => {
  it('does not come back at its length in errors', async () => {
    const huge = 'm'.repeat(1_000_000);
    const { raw } = await rawSession(serverOf(() => text('')));
    for (const frame of [
      { id: 1, method: huge },
      { id: 1, method: 'tools/call', params: { name: { [huge]: huge } } },
      { id: 1, method: 'tools/call', params: { name: 'x', arguments: huge } },
    ]) {
      const answer = await raw.ask(frame);
      expect(answer.error).toBeDefined();
      expect(JSON.stringify(answer).length).toBeLessThan(2000);
    }
  });

  it('a member __proto__ pollutes nothing', async () => {
    const given = deferred<object>();
    const server = createServer({
      info,
      handlers: {
        'tools/call': (params) => {
          given.resolve(params);
          return text('');
        },
      },
    });
    const { raw } = await rawSession(server);
    const params = JSON.parse(
      '{"name":"x","arguments":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1},"_meta":{"__proto__":{"polluted":1}}}',
    ) as object;
    expect((await raw.ask({ id: 1, method: 'tools/call', params })).result).toEqual(text(''));
    await given.promise;
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('what JSON cannot hold', () => {
  const big = { content: [], n: 1n };
  const cyclic: Record<string, unknown> = { content: [] };
  cyclic['self'] = cyclic;

  it.each([
    ['a BigInt in a result', () => big],
    ['a cycle in a result', () => cyclic],
    [
      'a BigInt in the data of an error',
      () => {
        throw new RpcError(1, 'x', { n: 1n });
      },
    ],
    [
      'a toJSON that throws',
      () => ({
        content: [],
        toJSON: () => {
          throw new TypeError('no');
        },
      }),
    ],
  ] as const)('%s is answered with -32603, and the connection goes on', async (_, act) => {
    const events = new Events();
    const { raw, session } = await rawSession(serverOf(act, { onEvent: events.onEvent }));
    expect((await raw.ask({ id: 1, ...call })).error).toMatchObject({ code: -32603, data: { name: 'TypeError' } });
    expect(events.kinds).toEqual(['handlerFailed']);
    expect(session.inFlight.inbound).toBe(0);
    expect((await raw.ask({ id: 2, method: 'ping' })).result).toEqual({});
  });

  it('over stdio as well', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    let written = '';
    output.on('data', (chunk: Buffer) => (written += chunk.toString()));
    const server = serverOf(() => big);
    const session = await server.connect(stdioServerTransport({ input, output }));
    const lines = [
      { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info } },
      { id: 1, ...call },
      { id: 2, method: 'ping' },
    ];
    for (const line of lines) input.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`);
    await settle(20);
    const answers = written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; error?: { code: number } });
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [0, undefined],
      [1, -32603],
      [2, undefined],
    ]);
    await session.close();
  });

  it('only the member of a batch that is to blame gives way', async () => {
    const server = r20250326.createServer({
      info,
      handlers: { 'tools/call': ({ name }) => (name === 'bad' ? big : text(name)) },
    });
    const { raw, session } = await rawSession(server, '2025-03-26');
    raw.send(
      ['good', 'bad', 'fine'].map((name, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })),
    );
    expect((await raw.news()).map(({ id, error }) => [id, error?.code])).toEqual([
      [0, undefined],
      [1, -32603],
      [2, undefined],
    ]);
    expect(session.inFlight.inbound).toBe(0);
  });

  it('params of a call: it is rejected, nothing is left behind', async () => {
    const client = createClient({ info });
    const { raw } = await rawServer(client);
    const error = await failure(client.callTool({ name: 'x', arguments: { n: 1n } }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('/params/arguments/n');
    expect(client.inFlight.outbound).toBe(0);
    expect(await raw.news()).toEqual([]);
    await client.close();
  });
});

describe('results', () => {
  it('that are wrong are an error of their own, unless validation is off', async () => {
    for (const validateResults of [true, false]) {
      const client = createClient({ info, validateResults });
      const { raw } = await rawServer(client);
      raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { tools: [{ name: 'x' }] } });
      if (validateResults) {
        expect(await failure(client.listTools())).toMatchObject({
          name: 'InvalidResultError',
          failure: { path: '/tools/0/inputSchema' },
        });
      } else expect(await client.listTools()).toEqual({ tools: [{ name: 'x' }] });
      await client.close();
    }
  });

  it('without resultType count as complete, in 2026-07-28 and from an older server (case-071)', async () => {
    const modern = r20260728.createClient({ info });
    const { raw } = await rawServer(modern, { tools: {} }, '2026-07-28');
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { content: [] } });
    expect(await modern.callTool({ name: 'x' })).toEqual({ content: [] });
    await modern.close();
    const older = r20260728.createClient({ info, revisions: [r20251125.revision, r20260728.revision] });
    const { raw: old } = await rawServer(older, { tools: {} }, '2025-11-25');
    old.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { content: [] } });
    expect(await older.callTool({ name: 'x' })).toEqual({ content: [] });
    await older.close();
  });

  it('of a client that are wrong fail the handler that asked', async () => {
    const server = createServer({
      info,
      handlers: { 'tools/call': async (_, context) => text((await failure(context.roots())).message) },
    });
    const { raw } = await rawSession(server, '2025-11-25', { roots: {} });
    raw.responder = ({ id, method }) =>
      method === 'roots/list' ? { jsonrpc: '2.0', id, result: { roots: [{}] } } : undefined;
    const answer = await raw.ask({ id: 1, ...call });
    expect(JSON.stringify(answer.result)).toContain('/roots/0/uri');
  });
});

describe('too many requests', () => {
  it('are answered with SERVER_BUSY above the limit, and taken again below it', async () => {
    const gates: (() => void)[] = [];
    const server = serverOf(
      () =>
        new Promise((resolve) =>
          gates.push(() => {
            resolve(text(''));
          }),
        ),
      { maxConcurrentRequests: 2 },
    );
    const { raw, session } = await rawSession(server);
    for (const id of [1, 2, 3, 4]) raw.send({ jsonrpc: '2.0', id, ...call });
    expect((await raw.news()).map(({ id, error }) => [id, error?.code])).toEqual([
      [3, SERVER_BUSY],
      [4, SERVER_BUSY],
    ]);
    expect(session.inFlight.inbound).toBe(2);
    for (const open of gates.splice(0)) open();
    expect((await raw.news()).map(({ id }) => id)).toEqual([1, 2]);
    raw.send({ jsonrpc: '2.0', id: 5, ...call });
    await settle();
    for (const open of gates) open();
    expect((await raw.news()).map(({ id, result }) => [id, result])).toEqual([[5, text('')]]);
  });
});
