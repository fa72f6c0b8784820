import { describe, expect, test } from 'vitest';
import type { ServerContext } from '../../generated/2026-07-28/index.js';
import { canElicit, canListRoots, canSample } from '../../generated/runtime/server.js';
import { RequestStateSigner } from '../../generated/runtime/protocol/request-state.js';
import {
  Events,
  rejectionOf,
  type Frame,
  TEST_INFO,
  connectPair,
  statelessMeta,
  revision20251125,
  revision20260728,
  connectRawClient,
  connectRawServer,
  textResult,
  sleep,
} from './harness.js';

const { createClient, createServer } = revision20260728;

const form = (message: string) =>
  ({
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties: {} } },
  }) as const;
const accept = { action: 'accept', content: {} } as const;
const ELICITATION = { elicitation: {} };

const asksOnce = async ({ name }: { name: string }, context: ServerContext) => {
  const { who } = await context.requireInput({ who: form('who') }, { step: 1, name });
  return textResult(`${who.action} ${JSON.stringify(context.state)}`);
};

function call(id: number, more: object = {}, name = 'x', capabilities: object = ELICITATION): object & Partial<Frame> {
  return { id, method: 'tools/call', params: { name, _meta: statelessMeta(capabilities), ...more } };
}

describe('a server', () => {
  test('passes the typed answers and its state to the handler', async () => {
    const { raw } = await connectRawClient(createServer({ info: TEST_INFO, handlers: { 'tools/call': asksOnce } }));
    const first = await raw.request(call(1));
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { who: form('who') },
      _meta: { 'io.modelcontextprotocol/serverInfo': TEST_INFO },
    });
    const requestState = first.result?.['requestState'];
    expect(typeof requestState).toBe('string');
    const second = await raw.request(call(2, { requestState, inputResponses: { who: accept } }));
    expect(second.result).toMatchObject({ resultType: 'complete', ...textResult('accept {"step":1,"name":"x"}') });
  });

  test('accepts only its own state', async () => {
    const { raw } = await connectRawClient(
      createServer({ info: TEST_INFO, requestState: { ttl: 2000 }, handlers: { 'tools/call': asksOnce } }),
    );
    const state = (await raw.request(call(1))).result?.['requestState'] as string;
    const other = (await raw.request(call(1, {}, 'y'))).result?.['requestState'] as string;
    const flipped = (at: number): string =>
      `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
    const [body = '', signature = ''] = state.split('.');
    for (const [why, requestState] of [
      ['empty', ''],
      ['no state at all', 'x'],
      ['body changed', flipped(5)],
      ['signature changed', flipped(state.length - 10)],
      ['signature missing', body],
      ['signature empty', `${body}.`],
      ['signature short', `${body}.${signature.slice(0, 10)}`],
      ['one part more', `${state}.x`],
      ['another body with this signature', `${other.split('.')[0] ?? ''}.${signature}`],
      ['of another request', other],
      ['huge', 'A'.repeat(100_000)],
    ] as const) {
      const answer = await raw.request(call(2, { requestState, inputResponses: { who: accept } }));
      expect([why, answer.error?.code, answer.error?.data]).toEqual([why, -32602, { path: '/requestState' }]);
    }
    // Replayed with other params.
    const params = { requestState: state, inputResponses: { who: accept } };
    expect((await raw.request(call(3, { ...params, arguments: { admin: true } }))).error?.code).toBe(-32602);
    expect((await raw.request(call(3, { ...params, name: 'z' }))).error?.code).toBe(-32602);
    // Members in another order are the same request; what is per round does not count.
    expect((await raw.request(call(3, params))).result?.['resultType']).toBe('complete');
    await sleep(2020);
    expect((await raw.request(call(4, params))).error?.code).toBe(-32602);
  });

  test('binds a state to one method and one server', async () => {
    const seal = new RequestStateSigner({ secret: 'a secret of 16 bytes' });
    const same = new RequestStateSigner({ secret: new TextEncoder().encode('a secret of 16 bytes') });
    const other = new RequestStateSigner();
    const given = { state: { n: 1 }, answers: { a: 1 }, isHandlerState: false };
    const token = await seal.sign('tools/call', { name: 'x', arguments: { a: 1, b: [1, { c: 2, d: 3 }] } }, given);
    const params = { arguments: { b: [1, { d: 3, c: 2 }], a: 1 }, name: 'x', _meta: {}, inputResponses: {} };
    expect(await same.verify(token, 'tools/call', params)).toEqual(given);
    expect(await other.verify(token, 'tools/call', params)).toBeUndefined();
    expect(await same.verify(token, 'prompts/get', params)).toBeUndefined();
    expect(
      await same.verify(token, 'tools/call', { ...params, arguments: { a: 1, b: [{ c: 2, d: 3 }, 1] } }),
    ).toBeUndefined();
    expect(await same.verify(token, 'tools/call', { ...params, arguments: [['a', 1]] })).toBeUndefined();
    expect(() => new RequestStateSigner({ secret: 'short' })).toThrow(RangeError);
  });

  test('verifies states of a replaced key, and signs with the first one', async () => {
    const [before, after] = ['a secret of 16 bytes', 'another one, of 2026'];
    const [old, both, late] = [before, [after, before], [after]].map((secret) => new RequestStateSigner({ secret }));
    const given = { state: 1, answers: {}, isHandlerState: false };
    const signedBefore = (await old?.sign('tools/call', {}, given)) ?? '';
    const signedAfter = (await both?.sign('tools/call', {}, given)) ?? '';
    expect(await both?.verify(signedBefore, 'tools/call', {})).toEqual(given);
    expect(await both?.verify(signedAfter, 'tools/call', {})).toEqual(given);
    expect(await late?.verify(signedAfter, 'tools/call', {})).toEqual(given);
    expect(await late?.verify(signedBefore, 'tools/call', {})).toBeUndefined();
    expect(await old?.verify(signedAfter, 'tools/call', {})).toBeUndefined();
    expect(() => new RequestStateSigner({ secret: [] })).toThrow('is empty');
    expect(() => new RequestStateSigner({ secret: [after, 'short'] })).toThrow('at least 16 bytes');
  });

  test('collects the answers of all rounds', async () => {
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'prompts/get': async (_, context) => {
          const { a } = await context.requireInput({ a: form('a') }, 1);
          const { b, c } = await context.requireInput({ b: form('b'), c: form('c') }, 2);
          return { messages: [], description: [a, b, c].map(({ action }) => action).join() + String(context.state) };
        },
      },
    });
    const { raw } = await connectRawClient(server);
    const ask = (id: number, more: object) =>
      raw.request({ id, method: 'prompts/get', params: { name: 'x', _meta: statelessMeta(ELICITATION), ...more } });
    const first = (await ask(1, {})).result;
    expect(Object.keys(first?.['inputRequests'] as object)).toEqual(['a']);
    const wrong = await ask(2, { requestState: first?.['requestState'], inputResponses: { a: { action: 'maybe' } } });
    expect(wrong.error?.code).toBe(-32602);
    const second = (await ask(3, { requestState: first?.['requestState'], inputResponses: { a: accept } })).result;
    expect(Object.keys(second?.['inputRequests'] as object)).toEqual(['b', 'c']);
    // After half of the answers, the server requests the rest again.
    const half = (
      await ask(4, { requestState: second?.['requestState'], inputResponses: { b: { action: 'decline' } } })
    ).result;
    expect(Object.keys(half?.['inputRequests'] as object)).toEqual(['c']);
    const last = await ask(5, { requestState: half?.['requestState'], inputResponses: { c: { action: 'cancel' } } });
    expect(last.result).toMatchObject({ resultType: 'complete', description: 'accept,decline,cancel2' });
  });

  test.each([
    ['elicitation', {}, form('x'), { elicitation: {} }],
    ['elicitation by form', { elicitation: { url: {} } }, form('x'), { elicitation: { form: {} } }],
    [
      'elicitation by URL',
      { elicitation: {} },
      {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'x', url: 'https://a.example', elicitationId: '1' },
      },
      { elicitation: { url: {} } },
    ],
    ['roots', { elicitation: {} }, { method: 'roots/list' }, { roots: {} }],
    [
      'sampling with tools',
      { sampling: {} },
      {
        method: 'sampling/createMessage',
        params: { messages: [], maxTokens: 1, tools: [{ name: 'x', inputSchema: { type: 'object' } }] },
      },
      { sampling: { tools: {} } },
    ],
  ] as const)(
    'without the capability for %s it is -32021 with what is required',
    async (_, declared, request, required) => {
      const server = createServer({
        info: TEST_INFO,
        handlers: {
          'tools/call': async (_params, context) =>
            textResult(JSON.stringify(await context.requireInput({ r: request as never }))),
        },
      });
      const { raw } = await connectRawClient(server);
      const answer = await raw.request(call(1, {}, 'x', declared));
      expect(answer.error).toMatchObject({ code: -32021, data: { requiredCapabilities: required } });
      expect(revision20260728.isMissingRequiredClientCapabilityError(answer)).toBe(true);
      const allowed = await raw.request(call(2, {}, 'x', required));
      expect(allowed.result?.['resultType']).toBe('input_required');
    },
  );

  test('answers -32022 with its versions to an unsupported version', async () => {
    const { raw } = await connectRawClient(createServer({ info: TEST_INFO, handlers: {} }));
    const _meta = { ...statelessMeta(), 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    for (const method of ['server/discover', 'tools/list', 'no/such']) {
      const answer = await raw.request({ id: 1, method, params: { _meta } });
      expect(answer.error).toMatchObject({
        code: -32022,
        data: { supported: ['2026-07-28'], requested: '2099-01-01' },
      });
      expect(revision20260728.isUnsupportedProtocolVersionError(answer)).toBe(true);
    }
  });

  test('signs the state of a result that the handler writes itself', async () => {
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': (params, context) =>
          params.requestState === undefined
            ? { resultType: 'input_required', inputRequests: { a: form('a') }, requestState: 'mine' }
            : textResult(`${params.requestState} ${String(context.state)} ${JSON.stringify(params.inputResponses)}`),
      },
    });
    const { raw } = await connectRawClient(server);
    const { requestState } = (await raw.request(call(1))).result ?? {};
    expect(requestState).not.toBe('mine');
    const done = await raw.request(call(2, { requestState, inputResponses: { a: accept } }));
    expect(done.result).toMatchObject(textResult(`mine mine ${JSON.stringify({ a: accept })}`));
    expect((await raw.request(call(3, { requestState: 'mine' }))).error?.code).toBe(-32602);
  });

  test('fills in required members of a result', async () => {
    const server = createServer({
      info: TEST_INFO,
      instructions: 'read me',
      handlers: {
        'tools/list': () => ({ tools: [] }),
        'prompts/list': () => ({ prompts: [], ttlMs: 5, cacheScope: 'public', _meta: { a: 1 } }),
        'resources/list': () => ({ resources: [], resultType: undefined as never, ttlMs: undefined as never }),
        'tools/call': () => textResult(''),
      },
    });
    const { raw } = await connectRawClient(server);
    const result = async (method: string, params: object = {}) =>
      (await raw.request({ id: 1, method, params: { ...params, _meta: statelessMeta() } })).result;
    const _meta = { 'io.modelcontextprotocol/serverInfo': TEST_INFO };
    expect(await result('tools/list')).toEqual({
      resultType: 'complete',
      tools: [],
      ttlMs: 0,
      cacheScope: 'private',
      _meta,
    });
    expect(await result('prompts/list')).toEqual({
      resultType: 'complete',
      prompts: [],
      ttlMs: 5,
      cacheScope: 'public',
      _meta: { ..._meta, a: 1 },
    });
    expect(await result('resources/list')).toEqual({
      resultType: 'complete',
      resources: [],
      ttlMs: 0,
      cacheScope: 'private',
      _meta,
    });
    expect(await result('tools/call', { name: 'x' })).toEqual({ resultType: 'complete', ...textResult(''), _meta });
    expect(await result('server/discover')).toEqual({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, prompts: {}, resources: {} },
      instructions: 'read me',
      ttlMs: 0,
      cacheScope: 'private',
      _meta,
    });
  });

  test('sends separate requests in a stateful session', async () => {
    const server = createServer({
      info: TEST_INFO,
      revisions: [revision20251125.revision, revision20260728.revision],
      handlers: { 'tools/call': asksOnce },
    });
    const client = revision20251125.createClient({ info: TEST_INFO, handlers: { 'elicitation/create': () => accept } });
    const { monitor } = await connectPair(server, client);
    expect(await client.callTool({ name: 'x' })).toEqual(textResult('accept undefined'));
    expect(monitor.from('server').some(({ method }) => method === 'elicitation/create')).toBe(true);
    await client.close();
  });

  test('names the missing capability in a stateful session', async () => {
    const server = createServer({
      info: TEST_INFO,
      revisions: [revision20251125.revision],
      handlers: { 'tools/call': asksOnce },
    });
    const client = revision20251125.createClient({ info: TEST_INFO });
    await connectPair(server, client);
    expect(await rejectionOf(client.callTool({ name: 'x' }))).toMatchObject({
      code: -32603,
      message: 'elicitation/create needs the capability client.elicitation, which the client has not declared',
      data: { name: 'CapabilityError' },
    });
    await client.close();
  });
});

describe('what the client of a request can do', () => {
  const from = (capabilities: object) => ({ client: { info: undefined, capabilities } });

  test.each<[object, boolean, boolean]>([
    [{}, false, false],
    [{ elicitation: {} }, true, false],
    [{ elicitation: { form: {} } }, true, false],
    [{ elicitation: { url: {} } }, false, true],
    [{ elicitation: { form: {}, url: {} } }, true, true],
  ])('with %j, canElicit is %s for a form and %s for a URL', (capabilities, canForm, canUrl) => {
    expect([canElicit(from(capabilities)), canElicit(from(capabilities), 'url')]).toEqual([canForm, canUrl]);
  });

  test('canSample needs sampling', () => {
    expect([canSample(from({ sampling: {} })), canSample(from({ roots: {} }))]).toEqual([true, false]);
  });

  test('canListRoots needs roots', () => {
    expect([canListRoots(from({ roots: {} })), canListRoots(from({ sampling: {} }))]).toEqual([true, false]);
  });
});

describe('a client', () => {
  const required = (id: unknown, more: object = {}): object => ({
    jsonrpc: '2.0',
    id,
    result: { resultType: 'input_required', inputRequests: { who: form('who') }, ...more },
  });
  const complete = (id: unknown): object => ({
    jsonrpc: '2.0',
    id,
    result: { resultType: 'complete', ...textResult('done') },
  });

  test('repeats the request with the exact state', async () => {
    const keys: unknown[] = [];
    const client = createClient({
      info: TEST_INFO,
      handlers: {
        'elicitation/create': (_, context) => {
          keys.push(context.key);
          return accept;
        },
      },
    });
    const { raw } = await connectRawServer(client, { tools: {} }, '2026-07-28');
    const rounds: object[] = [
      { requestState: ' \u2028 "opaque"\n ' },
      {},
      { requestState: '' },
      { inputRequests: undefined, requestState: 'only' },
    ];
    let round = 0;
    raw.responder = ({ id }) => {
      const more = rounds[round];
      round += 1;
      return more === undefined ? complete(id) : (JSON.parse(JSON.stringify(required(id, more))) as object);
    };
    expect((await client.callTool({ name: 'x', arguments: { a: 1 } })).content).toEqual(textResult('done').content);
    const calls = raw.frames.filter(({ method }) => method === 'tools/call');
    const inputResponses = { who: accept };
    expect(calls.map(({ params }) => ({ ...params, _meta: undefined }))).toEqual([
      { name: 'x', arguments: { a: 1 } },
      { name: 'x', arguments: { a: 1 }, inputResponses, requestState: ' \u2028 "opaque"\n ' },
      { name: 'x', arguments: { a: 1 }, inputResponses },
      { name: 'x', arguments: { a: 1 }, inputResponses, requestState: '' },
      { name: 'x', arguments: { a: 1 }, requestState: 'only' },
    ]);
    expect(calls.map(({ params }) => 'requestState' in (params ?? {}))).toEqual([false, true, false, true, true]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(5);
    expect(keys).toEqual(['who', 'who', 'who']);
    await client.close();
  });

  test('gives up after the rounds that it may take', async () => {
    for (const maxRounds of [undefined, 2, 0]) {
      const client = createClient({ info: TEST_INFO, maxRounds, handlers: { 'elicitation/create': () => accept } });
      const { raw } = await connectRawServer(client, { tools: {} }, '2026-07-28');
      raw.responder = ({ id }) => required(id);
      expect((await rejectionOf(client.callTool({ name: 'x' }))).name).toBe('TooManyRoundsError');
      expect(raw.frames.filter(({ method }) => method === 'tools/call').length).toBe((maxRounds ?? 10) + 1);
      await client.close();
    }
  });

  test('rejects an input request that it did not declare', async () => {
    const without = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(without, { tools: {} }, '2026-07-28');
    raw.responder = ({ id }) => required(id);
    const error = await rejectionOf(without.callTool({ name: 'x' }));
    expect(error).toMatchObject({ name: 'CapabilityError', capability: 'client.elicitation' });
    expect(error.message).toContain('this client has not declared');
    const undeclared = createClient({
      info: TEST_INFO,
      capabilities: { elicitation: false },
      handlers: { 'elicitation/create': () => accept },
    });
    const second = await connectRawServer(undeclared, { tools: {} }, '2026-07-28');
    second.raw.responder = ({ id }) => required(id);
    expect((await rejectionOf(undeclared.callTool({ name: 'x' }))).name).toBe('CapabilityError');
    const failing = createClient({
      info: TEST_INFO,
      handlers: { 'elicitation/create': () => Promise.reject(new Error('no user')) },
    });
    const third = await connectRawServer(failing, { tools: {} }, '2026-07-28');
    third.raw.responder = ({ id }) => required(id);
    expect((await rejectionOf(failing.callTool({ name: 'x' }))).message).toBe('no user');
    for (const client of [without, undeclared, failing]) {
      expect(client.inFlight).toEqual({ inbound: 0, outbound: 0 });
      await client.close();
    }
  });

  test('ignores resultType in a stateful revision', async () => {
    const client = revision20251125.createClient({ info: TEST_INFO, handlers: { 'elicitation/create': () => accept } });
    const { raw } = await connectRawServer(client);
    raw.responder = ({ id }) => required(id, textResult('done'));
    expect((await client.callTool({ name: 'x' })).content).toEqual(textResult('done').content);
    expect(raw.frames.filter(({ method }) => method === 'tools/call').length).toBe(1);
    await client.close();
    const modern = createClient({ info: TEST_INFO, handlers: { 'elicitation/create': () => accept } });
    const other = await connectRawServer(modern, { tools: {} }, '2026-07-28');
    other.raw.responder = ({ id }) => required(id, { tools: [], ttlMs: 0, cacheScope: 'private' });
    expect((await rejectionOf(modern.listTools())).name).toBe('InvalidResultError');
    await modern.close();
  });

  test('answers several input requests at once', async () => {
    const client = createClient({
      info: TEST_INFO,
      handlers: {
        'elicitation/create': async ({ message }) => {
          await sleep(5);
          return { action: 'accept', content: { message } };
        },
      },
    });
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': async (_, context) => {
          const { a, b } = await context.requireInput({ a: form('A'), b: form('B') });
          return textResult(JSON.stringify([a.content, b.content]));
        },
      },
    });
    await connectPair(server, client);
    expect((await client.callTool({ name: 'x' })).content).toEqual(
      textResult('[{"message":"A"},{"message":"B"}]').content,
    );
    await client.close();
  });
});

describe('a result that requires input and has neither inputRequests nor requestState (case-126)', () => {
  test('is not sent', async () => {
    const events = new Events();
    const server = createServer({
      info: TEST_INFO,
      onEvent: events.onEvent,
      handlers: { 'tools/call': () => ({ resultType: 'input_required' }) },
    });
    const { raw } = await connectRawClient(server);
    expect((await raw.request(call(1))).error).toMatchObject({ code: -32603 });
    expect(events.all).toMatchObject([
      {
        kind: 'handlerFailed',
        method: 'tools/call',
        error: { message: 'a result that requires input has neither inputRequests nor requestState' },
      },
    ]);
  });

  test('is sent with only one of them', async () => {
    const results = [{ requestState: 'x' }, { inputRequests: { who: form('who') } }];
    for (const part of results) {
      const server = createServer({
        info: TEST_INFO,
        handlers: { 'tools/call': () => ({ resultType: 'input_required', ...part }) },
      });
      const { raw } = await connectRawClient(server);
      expect((await raw.request(call(1))).result?.['resultType']).toBe('input_required');
    }
  });

  test('fails the call of a client at once', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client, { tools: {} }, '2026-07-28');
    let asked = 0;
    raw.responder = ({ id, method }) => {
      if (method !== 'tools/call') return undefined;
      asked += 1;
      return { jsonrpc: '2.0', id, result: { resultType: 'input_required' } };
    };
    const error = await rejectionOf(client.callTool({ name: 'x' }));
    expect(error.name).toBe('InvalidResultError');
    expect(error.message).toContain('/inputRequests is missing');
    expect(asked).toBe(1);
    await client.close();
  });
});
