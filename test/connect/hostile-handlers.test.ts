import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PassThrough } from 'node:stream';
import { SERVER_BUSY } from '../../generated/runtime/jsonrpc/endpoint.js';
import { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { stdioServerTransport } from '../../generated/runtime/stdio-server.js';
import {
  connectPair,
  ALL_REVISIONS,
  deferred,
  Events,
  rejectionOf,
  type Frame,
  TEST_INFO,
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

// Handlers that throw and give what nobody expects: whatever it is, the caller gets one answer, and the process lives.

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => {
  unhandled.push(reason);
};
beforeEach(() => {
  process.on('unhandledRejection', onUnhandled);
});
afterEach(async () => {
  await nextTurns();
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled.splice(0), 'no rejection is left unhandled').toEqual([]);
});

const fail = (): never => {
  throw new RangeError('a trap');
};
const trap = (target: object = {}): object =>
  new Proxy(target, {
    get: fail,
    has: fail,
    ownKeys: fail,
    getPrototypeOf: fail,
    getOwnPropertyDescriptor: fail,
  });
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const getter = (name: string, base: object = {}): object =>
  Object.defineProperty(base, name, { get: fail, enumerable: true });

class NamedByNumber extends Error {
  static override readonly name = 1n as never;
}
class Mute extends RpcError {
  override toJSON = fail;
}

const HOSTILE_ERRORS: readonly [string, () => unknown][] = [
  ['a proxy whose traps throw', trap],
  ['a revoked proxy', revoked],
  ['an error whose constructor is a getter that throws', () => getter('constructor', new Error('x'))],
  ['an error whose message is a getter that throws', () => getter('message', new Error('x'))],
  ['an error whose message is a BigInt', () => Object.assign(new Error('x'), { message: 1n })],
  [
    'an error whose message is an object without text',
    () => Object.assign(new Error('x'), { message: Object.create(null) as unknown }),
  ],
  ['an error whose class is named by a BigInt', () => new NamedByNumber('x')],
  ['a frozen error', () => Object.freeze(new Error('x'))],
  ['an RpcError that cannot be told', () => new Mute(1, 'x')],
  ['an RpcError whose message was taken away', () => Object.assign(new RpcError(1, 'x'), { message: undefined })],
  ['an RpcError whose code was changed', () => Object.assign(new RpcError(1, 'x'), { code: 1.5 })],
  ['an RpcError with a cycle as data', () => new RpcError(1, 'x', Object.assign(cyclicObject(), { a: 1 }))],
  ['an RpcError with data whose getter throws', () => new RpcError(1, 'x', getter('a'))],
  ['a promise that was rejected', () => Promise.reject(new Error('x')).catch((error: unknown) => error)],
  ['NaN', () => Number.NaN],
  ['a function', () => fail],
];

function cyclicObject(): object {
  const one: Record<string, unknown> = {};
  one['self'] = one;
  return one;
}

const HOSTILE_RESULTS: readonly [string, () => unknown][] = [
  ['a thenable whose then is a getter that throws', () => getter('then')],
  ['a thenable whose then throws', () => ({ then: fail })],
  [
    'a thenable that gives a thenable that throws',
    () => ({
      then: (yes: (value: unknown) => void) => {
        yes({ then: fail });
      },
    }),
  ],
  [
    'a thenable that is rejected twice',
    () => ({
      then: (_: unknown, no: (value: unknown) => void) => {
        no(trap());
        no(2);
      },
    }),
  ],
  [
    'a thenable that gives a revoked proxy',
    () => ({
      then: (yes: (value: unknown) => void) => {
        yes(revoked());
      },
    }),
  ],
  ['a revoked proxy', revoked],
  ['a proxy whose traps throw', trap],
  ['a member whose getter throws', () => getter('content')],
  [
    'a member whose getter throws what is no error',
    () =>
      Object.defineProperty({}, 'content', {
        enumerable: true,
        get: () => {
          throw null as unknown as Error;
        },
      }),
  ],
  ['a toJSON that throws an Error', () => ({ content: [], inner: { toJSON: fail } })],
  ['a toJSON at the top that throws', () => ({ content: [], toJSON: fail })],
  ['a toJSON at the top that gives nothing', () => ({ content: [], toJSON: () => undefined })],
  ['a toJSON at the top that gives a text', () => ({ content: [], toJSON: () => 'x' })],
  ['a date', () => new Date(0)],
  ['a BigInt inside', () => ({ content: [], n: 1n })],
  ['a cycle', () => Object.assign(cyclicObject(), { content: [] })],
  ['a symbol', () => Symbol('x')],
  ['a BigInt', () => 1n],
];

/** Acts in a handler right away, later, or inside a stateful batch. */
describe.each(['2024-11-05', '2025-03-26', '2025-11-25', '2026-07-28'])('a handler in %s', (version) => {
  const revision = ALL_REVISIONS.find((one) => one.version === version);
  const api = {
    '2024-11-05': revision20251125,
    '2025-03-26': revision20250326,
    '2025-11-25': revision20251125,
    '2026-07-28': revision20260728,
  }[version];
  const isStateless = revision?.isStateless === true;
  const call = {
    method: 'tools/call',
    params: { name: 'x', ...(isStateless ? { _meta: statelessMeta() } : {}) },
  };

  async function connected(
    act: () => unknown,
    events: Events,
    exposeErrors: boolean,
  ): Promise<Awaited<ReturnType<typeof connectRawClient>>> {
    const server = (api as typeof revision20251125).createServer({
      info: TEST_INFO,
      onEvent: events.onEvent,
      exposeErrors,
      revisions: [revision as never],
      handlers: { 'tools/call': () => act() as never },
    });
    return isStateless ? await connectRawClient(server as never) : await startRawSession(server as never, version);
  }

  const cases = [
    ...HOSTILE_ERRORS.flatMap(([name, make]) => [
      [
        `throws ${name}`,
        () => {
          throw make() as Error;
        },
      ] as const,
      [
        `rejects with ${name}`,
        () =>
          Promise.resolve().then(() => {
            throw make() as Error;
          }),
      ] as const,
    ]),
    ...HOSTILE_RESULTS.flatMap(([name, make]) => [
      [`gives ${name}`, make] as const,
      [`promises ${name}`, () => Promise.resolve().then(make)] as const,
    ]),
  ];

  test.each(cases)('that %s causes one error and no leak', async (_, act) => {
    for (const exposeErrors of [false, true]) {
      const events = new Events();
      const { raw, session } = await connected(act, events, exposeErrors);
      await raw.nextFrames();
      raw.send({ jsonrpc: '2.0', id: 1, ...call });
      await nextTurns(5);
      const answers = await raw.nextFrames();
      expect(answers.length).toBe(1);
      expect(answers[0]).toMatchObject({
        id: 1,
        error: { code: expect.any(Number) as number, message: expect.any(String) as string },
      });
      expect((session as { inFlight: unknown }).inFlight).toEqual({ inbound: 0, outbound: 0 });
      if (isStateless)
        expect(
          await raw.request({ id: 2, method: 'server/discover', params: { _meta: statelessMeta() } }),
        ).toMatchObject({
          result: {},
        });
      else expect(await raw.request({ id: 2, method: 'ping' })).toMatchObject({ result: {} });
      expect(events.kinds).not.toContain('transportFailed');
    }
  });

  if (version === '2025-03-26') {
    test.each(cases)('that %s fails its batch member only', async (_, act) => {
      const { raw } = await connected(act, new Events(), false);
      await raw.nextFrames();
      raw.send([
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', id: 2, ...call },
        { jsonrpc: '2.0', id: 3, method: 'ping' },
      ]);
      await nextTurns(5);
      const answers = await raw.nextFrames();
      expect(answers.map(({ id, error }) => [id, error === undefined]).sort()).toEqual([
        [1, true],
        [2, false],
        [3, true],
      ]);
    });
  }
});

describe('over stdio', () => {
  test('whatever a handler gives or throws is answered by a line that is a message', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    let written = '';
    output.on('data', (chunk: Buffer) => (written += chunk.toString()));
    const acts = [
      ...HOSTILE_ERRORS.map(([, make]) => () => {
        throw make() as Error;
      }),
      ...HOSTILE_RESULTS.map(([, make]) => make),
    ];
    const server = revision20251125.createServer({
      info: TEST_INFO,
      handlers: { 'tools/call': ({ name }) => acts[Number(name)]?.() as never },
    });
    const session = await server.connect(stdioServerTransport({ input, output }));
    const send = (frame: object): void => {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
    };
    send({
      id: 'init',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: TEST_INFO },
    });
    for (const at of acts.keys()) send({ id: at, method: 'tools/call', params: { name: String(at) } });
    await nextTurns(20);
    const lines = written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Frame);
    const answers = lines.slice(1).sort((a, b) => Number(a.id) - Number(b.id));
    expect(answers.map(({ id }) => id)).toEqual([...acts.keys()]);
    for (const answer of answers) {
      expect(revision20251125.revision.classify(answer).kind).toBe('error');
    }
    await session.close();
  });
});

const ASK = {
  method: 'elicitation/create',
  params: { mode: 'form', message: '?', requestedSchema: { type: 'object', properties: {} } },
};

describe('a handler of a client', () => {
  test.each([
    ...HOSTILE_ERRORS.map(
      ([name, make]) =>
        [
          `throws ${name}`,
          () => {
            throw make() as Error;
          },
        ] as const,
    ),
    ...HOSTILE_RESULTS.map(([name, make]) => [`gives ${name}`, make] as const),
  ])('that %s causes one error response', async (_, act) => {
    const client = revision20251125.createClient({ info: TEST_INFO, handlers: { 'roots/list': () => act() as never } });
    const { raw } = await connectRawServer(client);
    await raw.nextFrames();
    raw.send({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
    await nextTurns(5);
    const answers = await raw.nextFrames();
    expect(answers.length).toBe(1);
    expect(answers[0]).toMatchObject({ id: 1, error: { code: expect.any(Number) as number } });
    expect(client.inFlight).toEqual({ inbound: 0, outbound: 0 });
    expect(await raw.request({ id: 2, method: 'ping' })).toMatchObject({ result: {} });
    await client.close();
  });

  test('that returns no object as input ends the call', async () => {
    for (const given of [undefined, null, 5, 'x', []]) {
      const client = revision20260728.createClient({
        info: TEST_INFO,
        handlers: { 'elicitation/create': () => given as never },
      });
      const { raw } = await connectRawServer(client, { tools: {} }, '2026-07-28');
      raw.responder = ({ id }) => ({
        jsonrpc: '2.0',
        id,
        result: { resultType: 'input_required', inputRequests: { a: ASK }, requestState: 's' },
      });
      const error = await rejectionOf(client.callTool({ name: 'x' }));
      expect(error).toBeInstanceOf(TypeError);
      expect((await raw.nextFrames()).filter(({ method }) => method === 'tools/call').length).toBe(1);
      expect(client.inFlight.outbound).toBe(0);
      await client.close();
    }
  });
});

describe('params of a call that throw when they are read', () => {
  test('params with a getter that throws reject the call', async () => {
    const client = revision20251125.createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client);
    for (const params of [getter('name'), trap()]) {
      for (const onProgress of [undefined, () => undefined]) {
        await rejectionOf(client.callTool(params as never, { onProgress }));
        expect(client.inFlight.outbound).toBe(0);
      }
    }
    await rejectionOf(client.request('tools/call', { name: 'x' }, { onSent: fail }));
    expect(client.inFlight.outbound).toBe(0);
    expect(await raw.nextFrames()).toEqual([]);
    await client.close();
  });
});

describe.each([revision20251125, revision20260728])('params that cannot be read', ({ createClient, createServer }) => {
  test('reject the call instead of throwing', async () => {
    const server = createServer({ info: TEST_INFO, handlers: { 'tools/call': () => textResult('') } });
    const client = createClient({ info: TEST_INFO });
    await connectPair(server, client);
    for (const params of [getter('name'), trap()]) {
      let call: Promise<unknown> | undefined;
      expect(() => (call = client.request('tools/call', params as never))).not.toThrow();
      await rejectionOf(call ?? Promise.resolve());
    }
    expect(client.inFlight.outbound).toBe(0);
    await client.close();
  });
});

describe('handlers of cancelled requests', () => {
  test('count as running until they end: cancelling does not let a client start any number', async () => {
    const gate = deferred();
    let running = 0;
    let most = 0;
    const server = revision20251125.createServer({
      info: TEST_INFO,
      maxConcurrentRequests: 10,
      handlers: {
        'tools/call': async () => {
          running += 1;
          most = Math.max(most, running);
          await gate.promise;
          running -= 1;
          return textResult('');
        },
      },
    });
    const { raw, session } = await startRawSession(server);
    await raw.nextFrames();
    for (let id = 0; id < 1000; id += 1) {
      raw.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x' } });
      raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    }
    await nextTurns();
    expect(most).toBe(10);
    const refused = await raw.nextFrames();
    expect(refused.length).toBe(990);
    expect(new Set(refused.map(({ error }) => error?.code))).toEqual(new Set([SERVER_BUSY]));
    gate.resolve();
    await nextTurns();
    expect(running).toBe(0);
    expect(session.inFlight.inbound).toBe(0);
    expect(await raw.request({ id: 'next', method: 'tools/call', params: { name: 'x' } })).toMatchObject({
      result: textResult(''),
    });
  });

  test('a cancelled subscription is over at once', async () => {
    const server = revision20260728.createServer({ info: TEST_INFO, maxConcurrentRequests: 3, handlers: {} });
    const { raw, session } = await connectRawClient(server);
    for (let id = 0; id < 100; id += 1) {
      raw.send({
        jsonrpc: '2.0',
        id,
        method: 'subscriptions/listen',
        params: { notifications: {}, _meta: statelessMeta() },
      });
      raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      await nextTurns(1);
    }
    expect(session.inFlight.inbound).toBe(0);
    expect(raw.frames.filter(({ error }) => error !== undefined)).toEqual([]);
  });
});
