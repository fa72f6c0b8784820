import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ServerSession } from '../../generated/runtime/server.js';
import type { RawPeer } from './harness.js';
import {
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

/** The state of the conversation as the test expects it. */
interface Model {
  /** Requests in flight by id, as JSON text, so that 1 and "1" differ. */
  open: Set<string>;
  /** Answers that must have come so far, by id. */
  expected: Map<string, number>;
  /** Answers to what has no readable id. */
  anonymous: number;
  isClosed: boolean;
}

interface SystemUnderTest {
  readonly raw: RawPeer;
  /** Frames of the handshake, which are nobody's answer here. */
  readonly before: number;
  readonly session: ServerSession;
  /** Ends the handler of a request; of several with one id the last. */
  readonly gates: Map<string, (how: 'result' | 'error' | 'nothing') => void>;
  readonly late: ((how: 'result') => void)[];
}

type Step = fc.AsyncCommand<Model, SystemUnderTest>;

const count = (model: Model, id: unknown): void => {
  const key = JSON.stringify(id);
  model.expected.set(key, (model.expected.get(key) ?? 0) + 1);
};

/** The invariants: answers are those that must be, nothing else has one, and what is in flight is what the model says. */
async function check(model: Model, { raw, session, before }: SystemUnderTest): Promise<void> {
  await nextTurns(1);
  const got = new Map<string, number>();
  let anonymous = 0;
  for (const { id, method } of raw.frames.slice(before)) {
    if (method !== undefined) continue;
    if (id === undefined || id === null) anonymous += 1;
    else got.set(JSON.stringify(id), (got.get(JSON.stringify(id)) ?? 0) + 1);
  }
  expect(got).toEqual(model.expected);
  expect(anonymous).toBe(model.anonymous);
  expect(session.inFlight).toEqual({ inbound: model.open.size, outbound: 0 });
}

class Command implements Step {
  readonly #name: string;
  readonly #act: (model: Model, real: SystemUnderTest) => void | Promise<void>;

  constructor(name: string, act: (model: Model, real: SystemUnderTest) => void | Promise<void>) {
    this.#name = name;
    this.#act = act;
  }

  check(model: Readonly<Model>): boolean {
    return !model.isClosed;
  }

  async run(model: Model, real: SystemUnderTest): Promise<void> {
    await this.#act(model, real);
    await check(model, real);
  }

  toString(): string {
    return this.#name;
  }
}

const request = (id: unknown, meta: object): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: JSON.stringify(id), _meta: { progressToken: id, ...meta } },
});

const ids = fc.constantFrom<string | number>(1, '1', 2, 'x', 0, '__proto__');
const garbage = fc.constantFrom<[unknown, number]>(
  [null, 1],
  ['text', 1],
  [{}, 1],
  [{ jsonrpc: '2.0' }, 1],
  [{ jsonrpc: '2.0', id: null, method: 'ping' }, 1],
  [{ jsonrpc: '1.0', method: 'x' }, 1],
  [{ jsonrpc: '2.0', id: 900, result: {} }, 0],
  [{ jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }, 0],
  [{ jsonrpc: '2.0', id: 1, result: 5 }, 0],
  [{ jsonrpc: '2.0', method: 'notifications/no/such' }, 0],
  [{ jsonrpc: '2.0', method: 'notifications/roots/list_changed', params: [] }, 0],
);

const commands = (hasBatches: boolean, meta: object): fc.Arbitrary<Step>[] => [
  ids.map(
    (id) =>
      new Command(`request ${JSON.stringify(id)}`, (model, { raw }) => {
        raw.send(request(id, meta));
        const key = JSON.stringify(id);
        if (model.open.has(key)) count(model, id);
        else model.open.add(key);
      }),
  ),
  fc.tuple(ids, fc.constantFrom('result', 'error', 'nothing')).map(
    ([id, how]) =>
      new Command(`end ${JSON.stringify(id)} with ${how}`, (model, { gates }) => {
        const key = JSON.stringify(id);
        gates.get(key)?.(how);
        if (model.open.delete(key)) count(model, id);
      }),
  ),
  ids.map(
    (id) =>
      new Command(`cancel ${JSON.stringify(id)}`, (model, { raw }) => {
        raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
        model.open.delete(JSON.stringify(id));
      }),
  ),
  ids.map(
    (id) =>
      new Command(`ping ${JSON.stringify(id)}`, (model, { raw }) => {
        raw.send({ jsonrpc: '2.0', id, method: 'ping' });
        // In flight or not, and be it that there is no such method, it gets an answer.
        count(model, id);
      }),
  ),
  ids.map(
    (progressToken) =>
      new Command(`progress ${JSON.stringify(progressToken)}`, (_, { raw }) => {
        raw.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } });
      }),
  ),
  garbage.map(
    ([frame, answers]) =>
      new Command(`garbage ${JSON.stringify(frame)}`, (model, { raw }) => {
        raw.send(frame);
        model.anonymous += answers;
      }),
  ),
  fc.constant(
    new Command('late ends', (_, { late }) => {
      for (const end of late) end('result');
    }),
  ),
  fc.tuple(ids, ids).map(
    ([one, other]) =>
      new Command(`batch of ping ${JSON.stringify(one)}, ${JSON.stringify(other)}`, (model, { raw }) => {
        raw.send([
          { jsonrpc: '2.0', id: one, method: 'ping' },
          5,
          { jsonrpc: '2.0', id: other, method: 'no/such' },
          { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
        ]);
        model.anonymous += 1;
        if (!hasBatches) return;
        count(model, one);
        count(model, other);
      }),
  ),
  fc.constant(
    new Command('close', async (model, { session }) => {
      await session.close();
      model.open.clear();
      model.isClosed = true;
    }),
  ),
];

describe.each([
  ['2025-03-26', revision20250326],
  ['2025-11-25', revision20251125],
  ['2026-07-28', revision20260728],
] as const)('a server of %s, whatever comes in whatever order', (version, module) => {
  test('a server answers each request at most once, for any sequence of messages', async () => {
    const hasBatches = version === '2025-03-26';
    const isStateless = version === '2026-07-28';
    await fc.assert(
      fc.asyncProperty(
        fc.commands(commands(hasBatches, isStateless ? statelessMeta() : {}), { maxCommands: 40 }),
        async (steps) => {
          const gates: SystemUnderTest['gates'] = new Map();
          const late: SystemUnderTest['late'] = [];
          const server = (module.createServer as typeof revision20251125.createServer)({
            info: TEST_INFO,
            handlers: {
              'tools/call': ({ name }, context) =>
                new Promise((resolve, reject) => {
                  const end = (how: 'result' | 'error' | 'nothing'): void => {
                    context.progress(1);
                    if (how === 'result') resolve(textResult(name));
                    else if (how === 'error') reject(new Error(name));
                    else resolve(undefined as never);
                  };
                  gates.set(name, end);
                  late.push((how) => {
                    if (context.signal.aborted) end(how);
                  });
                }),
            },
          });
          const { raw, session } = await (isStateless ? connectRawClient(server) : startRawSession(server, version));
          const model: Model = { open: new Set(), expected: new Map(), anonymous: 0, isClosed: false };
          const real: SystemUnderTest = { raw, before: isStateless ? 0 : 1, session, gates, late };
          await fc.asyncModelRun(() => ({ model, real }), steps);
          await session.close();
          for (const end of gates.values()) end('result');
          model.open.clear();
          await check(model, real);
          expect(server.sessions.size).toBe(0);
          expect(raw.closes).toBe(1);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('a client, whatever comes in whatever order', () => {
  const moves = fc.array(
    fc.tuple(
      fc.constantFrom('call', 'call', 'call', 'abort', 'answer', 'fail', 'twice', 'progress', 'noise', 'close'),
      fc.nat(9),
    ),
    { maxLength: 40 },
  );

  test('ends each call once, as the first ending message says', async () => {
    await fc.assert(
      fc.asyncProperty(moves, async (all) => {
        const client = revision20251125.createClient({ info: TEST_INFO });
        const { raw } = await connectRawServer(client);
        const calls: { end: Promise<string>; controller: AbortController; expected: string | undefined }[] = [];
        const sent = (): readonly Frame[] => raw.frames.filter(({ method }) => method === 'tools/call');
        let isClosed = false;
        for (const [kind, at] of all) {
          const call = calls[at];
          const id = sent()[at]?.id;
          if (kind === 'call' && !isClosed) {
            const controller = new AbortController();
            const end = client
              .callTool({ name: 'x' }, { signal: controller.signal, onProgress: () => undefined })
              .then(() => 'answer')
              .catch((error: unknown) => (error as Error).name);
            calls.push({ end, controller, expected: undefined });
          } else if (kind === 'abort' && call !== undefined) {
            call.controller.abort(Object.assign(new Error('mine'), { name: 'Mine' }));
            call.expected ??= 'Mine';
          } else if (kind === 'close') {
            await client.close();
            isClosed = true;
            for (const item of calls) item.expected ??= 'ConnectionClosedError';
          } else if (kind === 'noise') {
            if (!isClosed) raw.send({ jsonrpc: '2.0', id: 500 + at, result: {} });
          } else if (id !== undefined && call !== undefined && !isClosed) {
            if (kind === 'progress') {
              raw.send({
                jsonrpc: '2.0',
                method: 'notifications/progress',
                params: { progressToken: id, progress: at },
              });
            } else if (kind === 'fail') {
              raw.send({ jsonrpc: '2.0', id, error: { code: 1, message: '' } });
              call.expected ??= 'RpcError';
            } else {
              for (let time = 0; time < (kind === 'twice' ? 2 : 1); time += 1) {
                raw.send({ jsonrpc: '2.0', id, result: textResult('') });
              }
              call.expected ??= 'answer';
            }
          }
          await nextTurns(1);
          const waiting = calls.filter(({ expected }) => expected === undefined).length;
          expect(client.inFlight).toEqual({ inbound: 0, outbound: waiting });
        }
        await client.close();
        for (const { end, expected } of calls) expect(await end).toBe(expected ?? 'ConnectionClosedError');
        expect(client.inFlight).toEqual({ inbound: 0, outbound: 0 });
        expect((await rejectionOf(client.ping())).name).toBe('ConnectionClosedError');
        expect(new Set(sent().map(({ id }) => id)).size).toBe(sent().length);
      }),
      { numRuns: 150 },
    );
  });
});
