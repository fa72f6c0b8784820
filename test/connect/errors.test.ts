import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { CallToolResult } from '../../generated/2025-11-25/index.js';
import { SERVER_BUSY } from '../../generated/runtime/jsonrpc/endpoint.js';
import { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { stdioServerTransport } from '../../generated/runtime/stdio-server.js';
import {
  deferred,
  Events,
  rejectionOf,
  TEST_INFO,
  connectPair,
  statelessMeta,
  revision20250326,
  revision20251125,
  revision20260728,
  connectRawClient,
  connectRawServer,
  startRawSession,
  nextTurns,
  textResult,
} from './harness.js';

const { createClient, createServer } = revision20251125;

class SecretError extends Error {}

/** A server whose tool gives or throws what the test says. */
function serverThat(
  act: () => unknown,
  more: Partial<Parameters<typeof createServer>[0]> = {},
): ReturnType<typeof createServer> {
  return createServer({ info: TEST_INFO, ...more, handlers: { 'tools/call': () => act() as CallToolResult } });
}

const call = { method: 'tools/call', params: { name: 'x' } };
const modernCall = { method: 'tools/call', params: { name: 'x', _meta: statelessMeta() } };

describe('the order of checks', () => {
  test('method, then params, then handler', async () => {
    let calls = 0;
    const server = serverThat(() => {
      calls += 1;
      return textResult('');
    });
    const { raw } = await startRawSession(server);
    for (const params of [undefined, {}, [], null, 'x', 5]) {
      expect((await raw.request({ id: 1, method: 'no/such', params })).error?.code).toBe(-32601);
      expect((await raw.request({ id: 1, method: 'prompts/list', params })).error?.code).toBe(-32601);
      expect((await raw.request({ id: 2, method: 'tools/call', params })).error?.code).toBe(-32602);
    }
    expect(calls).toBe(0);
  });

  test('also before initialize: then it is the time that is wrong', async () => {
    const { raw } = await connectRawClient(serverThat(() => textResult('')));
    expect((await raw.request({ id: 1, method: 'tools/call', params: [] })).error?.code).toBe(-32600);
  });

  test('invalid params are reported with pointer and reason (case-059: positional, case-057: null)', async () => {
    const { raw } = await startRawSession(
      createServer({
        info: TEST_INFO,
        handlers: { 'tools/call': () => textResult(''), 'tools/list': () => ({ tools: [] }) },
      }),
    );
    const wrong = await raw.request({ id: 1, method: 'tools/call', params: { name: 'x', arguments: 5 } });
    expect(wrong.error).toMatchObject({ code: -32602, data: { path: '/arguments' } });
    expect(wrong.error?.message).toContain('/arguments');
    const missing = await raw.request({ id: 1, method: 'tools/call', params: { arguments: {} } });
    expect(missing.error).toMatchObject({ code: -32602, data: { path: '/name' } });
    expect(await raw.request({ id: 1, method: 'tools/call', params: [1, 2] })).toMatchObject({
      id: 1,
      error: { code: -32602 },
    });
    // Null is not taken for absent.
    expect(await raw.request({ id: 7, method: 'tools/list', params: null })).toMatchObject({
      id: 7,
      error: { code: -32602 },
    });
    // case-058
    expect((await raw.request({ id: 8, method: 'tools/list' })).result).toEqual({ tools: [] });
  });

  test('2026-07-28 requires params._meta (case-058)', async () => {
    const server = revision20260728.createServer({
      info: TEST_INFO,
      handlers: { 'tools/list': () => ({ tools: [] }) },
    });
    const { raw } = await connectRawClient(server);
    for (const params of [
      undefined,
      {},
      { _meta: {} },
      { _meta: { ...statelessMeta(), 'io.modelcontextprotocol/protocolVersion': 5 } },
    ]) {
      expect((await raw.request({ id: 1, method: 'tools/list', params })).error?.code).toBe(-32602);
    }
    const hostile = { ...statelessMeta(), 'io.modelcontextprotocol/protocolVersion': { toString: 1, valueOf: 1 } };
    expect((await raw.request({ id: 1, method: 'tools/list', params: { _meta: hostile } })).error?.code).toBe(-32602);
    expect(
      (await raw.request({ id: 2, method: 'tools/list', params: { _meta: statelessMeta() } })).result,
    ).toMatchObject({
      tools: [],
    });
  });

  test('params must be an object even if validation is off', async () => {
    const seen: unknown[] = [];
    const server = createServer({
      info: TEST_INFO,
      validateParams: false,
      handlers: {
        'tools/call': (params) => {
          seen.push(params);
          return textResult('');
        },
      },
    });
    const { raw } = await startRawSession(server);
    expect((await raw.request({ id: 1, method: 'tools/call', params: { name: 5 } })).result).toEqual(textResult(''));
    for (const params of [[], null, 'x']) {
      expect((await raw.request({ id: 1, method: 'tools/call', params })).error?.code).toBe(-32602);
    }
    expect(seen).toEqual([{ name: 5 }]);
  });
});

describe.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf', '', 'rpc.discover'])(
  'a method named %j',
  (method) => {
    test('is unknown', async () => {
      const { raw } = await startRawSession(serverThat(() => textResult('')));
      expect(await raw.request({ id: 1, method })).toMatchObject({ error: { code: -32601 } });
      const fresh = await connectRawClient(serverThat(() => textResult('')));
      expect(await fresh.raw.request({ id: 1, method })).toMatchObject({ error: { code: -32601 } });
      const modern = await connectRawClient(revision20260728.createServer({ info: TEST_INFO, handlers: {} }));
      expect(await modern.raw.request({ id: 1, method, params: { _meta: statelessMeta() } })).toMatchObject({
        error: { code: -32601 },
      });
      const client = createClient({ info: TEST_INFO, handlers: { 'roots/list': () => ({ roots: [] }) } });
      const server = await connectRawServer(client);
      expect(await server.raw.request({ id: 1, method })).toMatchObject({ error: { code: -32601 } });
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

  test.each<[string, () => unknown, string]>([
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
      const { raw } = await startRawSession(serverThat(act, { onEvent: events.onEvent, exposeErrors }));
      const answer = await raw.request({ id: 1, ...call });
      expect(answer.error?.code).toBe(-32603);
      expect(answer.error?.data).toEqual({ name });
      if (!exposeErrors) expect(answer.error?.message).toBe('Internal error');
      expect(JSON.stringify(answer)).not.toContain('errors.test');
      expect(await raw.request({ id: 2, method: 'ping' })).toMatchObject({ result: {} });
    }
    expect(events.kinds).toEqual(['handlerFailed', 'handlerFailed']);
  });

  test('tells its message only if an option says so', async () => {
    const act = (): never => {
      throw new SecretError('the password');
    };
    const exposed = await startRawSession(serverThat(act, { exposeErrors: true }));
    expect((await exposed.raw.request({ id: 1, ...call })).error?.message).toBe('the password');
  });

  test.each([undefined, null, 5, 'text', [], () => undefined, true])(
    'by giving %j as result is -32603, in both kinds of revision',
    async (result) => {
      for (const give of [() => result, () => Promise.resolve(result)]) {
        const { raw } = await startRawSession(serverThat(give));
        expect((await raw.request({ id: 1, ...call })).error).toMatchObject({
          code: -32603,
          data: { name: 'TypeError' },
        });
        const modern = revision20260728.createServer({
          info: TEST_INFO,
          handlers: { 'tools/call': () => give() as never },
        });
        const { raw: other } = await connectRawClient(modern);
        expect((await other.request({ id: 1, ...modernCall })).error).toMatchObject({
          code: -32603,
          data: { name: 'TypeError' },
        });
      }
    },
  );

  test('a promise of another library is waited for', async () => {
    const thenable: unknown = {
      then: (resolve: (value: object) => void) => {
        setImmediate(() => {
          resolve(textResult('late'));
        });
      },
    };
    const { raw } = await startRawSession(serverThat(() => thenable));
    expect((await raw.request({ id: 1, ...call })).result).toEqual(textResult('late'));
    const { raw: modern } = await connectRawClient(
      revision20260728.createServer({ info: TEST_INFO, handlers: { 'tools/call': () => thenable as never } }),
    );
    expect((await modern.request({ id: 1, ...modernCall })).result).toMatchObject(textResult('late'));
  });

  test('a listener of notifications that throws is an event', async () => {
    const events = new Events();
    const server = createServer({
      info: TEST_INFO,
      handlers: {},
      onEvent: events.onEvent,
      notifications: {
        'notifications/initialized': () => {
          throw new Error('a');
        },
        'notifications/roots/list_changed': () => Promise.reject(new Error('b')),
      },
    });
    const { raw } = await startRawSession(server);
    raw.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    expect(await raw.nextFrames()).toEqual([]);
    expect(events.kinds).toEqual(['handlerFailed', 'handlerFailed']);
  });

  test('a listener of events that throws ends nothing', async () => {
    const { raw } = await startRawSession(
      serverThat(
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
    expect((await raw.request({ id: 1, ...call })).error?.code).toBe(-32603);
    raw.send({ jsonrpc: '2.0', id: 1, result: {} });
    expect((await raw.request({ id: 2, method: 'ping' })).result).toEqual({});
  });
});

describe('an RpcError', () => {
  test('passes through without stack or cause', async () => {
    const error = new RpcError(-32002, 'not here', { uri: 'a:b' }, { cause: new Error('hidden') });
    const client = createClient({
      info: TEST_INFO,
      handlers: {
        'roots/list': () => {
          throw error;
        },
      },
    });
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'resources/read': () => Promise.reject(error),
        'tools/call': async (_, context) => {
          const caught = await rejectionOf(context.roots());
          return textResult(JSON.stringify(caught));
        },
      },
    });
    const { monitor } = await connectPair(server, client);
    const caught = await rejectionOf(client.readResource({ uri: 'a:b' }));
    expect(caught).toBeInstanceOf(RpcError);
    expect(caught).toMatchObject({ code: -32002, message: 'not here', data: { uri: 'a:b' } });
    expect(monitor.from('server').find(({ error: sent }) => sent !== undefined)?.error).toEqual({
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

  test('is not used for the failure of a tool, which is a result', async () => {
    const client = createClient({ info: TEST_INFO });
    await connectPair(
      serverThat(() => ({ ...textResult('no'), isError: true })),
      client,
    );
    expect(await client.callTool({ name: 'x' })).toEqual({ ...textResult('no'), isError: true });
    await client.close();
  });

  test('a huge message neither hangs nor is lost', async () => {
    const message = 'x'.repeat(5_000_000);
    const { raw } = await startRawSession(
      serverThat(() => {
        throw new RpcError(1, message);
      }),
    );
    expect((await raw.request({ id: 1, ...call })).error?.message.length).toBe(message.length);
  });
});

describe('what a sender writes', () => {
  test('does not come back at its length in errors', async () => {
    const huge = 'm'.repeat(1_000_000);
    const { raw } = await startRawSession(serverThat(() => textResult('')));
    for (const frame of [
      { id: 1, method: huge },
      { id: 1, method: 'tools/call', params: { name: { [huge]: huge } } },
      { id: 1, method: 'tools/call', params: { name: 'x', arguments: huge } },
    ]) {
      const answer = await raw.request(frame);
      expect(answer.error).toBeDefined();
      expect(JSON.stringify(answer).length).toBeLessThan(2000);
    }
  });

  test('a member __proto__ pollutes nothing', async () => {
    const given = deferred<object>();
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': (params) => {
          given.resolve(params);
          return textResult('');
        },
      },
    });
    const { raw } = await startRawSession(server);
    const params = JSON.parse(
      '{"name":"x","arguments":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1},"_meta":{"__proto__":{"polluted":1}}}',
    ) as object;
    expect((await raw.request({ id: 1, method: 'tools/call', params })).result).toEqual(textResult(''));
    await given.promise;
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('what JSON cannot hold', () => {
  const big = { content: [], n: 1n };
  const cyclic: Record<string, unknown> = { content: [] };
  cyclic['self'] = cyclic;

  test.each([
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
    const { raw, session } = await startRawSession(serverThat(act, { onEvent: events.onEvent }));
    expect((await raw.request({ id: 1, ...call })).error).toMatchObject({ code: -32603, data: { name: 'TypeError' } });
    expect(events.kinds).toEqual(['handlerFailed']);
    expect(session.inFlight.inbound).toBe(0);
    expect((await raw.request({ id: 2, method: 'ping' })).result).toEqual({});
  });

  test('over stdio as well', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    let written = '';
    output.on('data', (chunk: Buffer) => (written += chunk.toString()));
    const server = serverThat(() => big);
    const session = await server.connect(stdioServerTransport({ input, output }));
    const lines = [
      {
        id: 0,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: TEST_INFO },
      },
      { id: 1, ...call },
      { id: 2, method: 'ping' },
    ];
    for (const line of lines) input.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`);
    await nextTurns(20);
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

  test('only the member of a batch that is to blame is replaced', async () => {
    const server = revision20250326.createServer({
      info: TEST_INFO,
      handlers: { 'tools/call': ({ name }) => (name === 'bad' ? big : textResult(name)) },
    });
    const { raw, session } = await startRawSession(server, '2025-03-26');
    raw.send(
      ['good', 'bad', 'fine'].map((name, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })),
    );
    expect((await raw.nextFrames()).map(({ id, error }) => [id, error?.code])).toEqual([
      [0, undefined],
      [1, -32603],
      [2, undefined],
    ]);
    expect(session.inFlight.inbound).toBe(0);
  });

  test('params of a call reject it', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client);
    const error = await rejectionOf(client.callTool({ name: 'x', arguments: { n: 1n } }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('/params/arguments/n');
    expect(client.inFlight.outbound).toBe(0);
    expect(await raw.nextFrames()).toEqual([]);
    await client.close();
  });
});

describe('results', () => {
  test('that are invalid reject with a separate error', async () => {
    for (const validateResults of [true, false]) {
      const client = createClient({ info: TEST_INFO, validateResults });
      const { raw } = await connectRawServer(client);
      raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { tools: [{ name: 'x' }] } });
      if (validateResults) {
        expect(await rejectionOf(client.listTools())).toMatchObject({
          name: 'InvalidResultError',
          failure: { path: '/tools/0/inputSchema' },
        });
      } else expect(await client.listTools()).toEqual({ tools: [{ name: 'x' }] });
      await client.close();
    }
  });

  test('without resultType count as complete (case-071)', async () => {
    const modern = revision20260728.createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(modern, { tools: {} }, '2026-07-28');
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { content: [] } });
    expect(await modern.callTool({ name: 'x' })).toEqual({ content: [] });
    await modern.close();
    const older = revision20260728.createClient({
      info: TEST_INFO,
      revisions: [revision20251125.revision, revision20260728.revision],
    });
    const { raw: old } = await connectRawServer(older, { tools: {} }, '2025-11-25');
    old.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { content: [] } });
    expect(await older.callTool({ name: 'x' })).toEqual({ content: [] });
    await older.close();
  });

  test('of a client that are wrong fail the handler that asked', async () => {
    const server = createServer({
      info: TEST_INFO,
      handlers: { 'tools/call': async (_, context) => textResult((await rejectionOf(context.roots())).message) },
    });
    const { raw } = await startRawSession(server, '2025-11-25', { roots: {} });
    raw.responder = ({ id, method }) =>
      method === 'roots/list' ? { jsonrpc: '2.0', id, result: { roots: [{}] } } : undefined;
    const answer = await raw.request({ id: 1, ...call });
    expect(JSON.stringify(answer.result)).toContain('/roots/0/uri');
  });
});

describe('too many requests', () => {
  test('are answered with SERVER_BUSY above the limit', async () => {
    const gates: (() => void)[] = [];
    const server = serverThat(
      () =>
        new Promise((resolve) =>
          gates.push(() => {
            resolve(textResult(''));
          }),
        ),
      { maxConcurrentRequests: 2 },
    );
    const { raw, session } = await startRawSession(server);
    for (const id of [1, 2, 3, 4]) raw.send({ jsonrpc: '2.0', id, ...call });
    expect((await raw.nextFrames()).map(({ id, error }) => [id, error?.code])).toEqual([
      [3, SERVER_BUSY],
      [4, SERVER_BUSY],
    ]);
    expect(session.inFlight.inbound).toBe(2);
    for (const open of gates.splice(0)) open();
    expect((await raw.nextFrames()).map(({ id }) => id)).toEqual([1, 2]);
    raw.send({ jsonrpc: '2.0', id: 5, ...call });
    await nextTurns();
    for (const open of gates) open();
    expect((await raw.nextFrames()).map(({ id, result }) => [id, result])).toEqual([[5, textResult('')]]);
  });
});
