/** By docs/gen-ai/mcp.md of the OpenTelemetry semantic conventions for generative AI. */
import { expect, describe, onTestFinished, test } from 'vitest';
import type { ClientOptions } from '../../generated/2026-07-28/client.js';
import type { ServerOptions } from '../../generated/2026-07-28/server.js';
import { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { revision as batches } from '../../generated/2025-03-26/revision.js';
import type { OpenTelemetryOptions } from '../../generated/runtime/opentelemetry.js';
import {
  memoryPair,
  safeInstrument,
  type Instrument,
  type Observation,
  type Revision,
} from '../../generated/runtime/index.js';
import {
  api,
  attributesIn,
  connectedPair,
  latest,
  metrics,
  older,
  sidesOf,
  spanOf,
  spans,
  tracedServer,
  useTelemetry,
} from './support.js';

useTelemetry();

const { CLIENT, SERVER } = api.SpanKind;
const ERROR = { code: api.SpanStatusCode.ERROR };
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

/** What handlers saw as active. */
const seen: { spanId: string | undefined; baggage: string | undefined }[] = [];

const handlers: ServerOptions['handlers'] = {
  'tools/list': () => ({ tools: [] }),
  'tools/call': async ({ name }, context) => {
    const active = api.context.active();
    seen.push({
      spanId: api.trace.getSpanContext(active)?.spanId,
      baggage: api.propagation.getBaggage(active)?.getEntry('tenant')?.value,
    });
    await Promise.resolve();
    if (name === 'own') api.trace.getTracer('own').startSpan('query').end();
    if (name === 'broken') return { ...text('no paper'), isError: true };
    if (name === 'crash') throw new Error('the password is swordfish');
    if (name === 'refuse') throw new RpcError(-32050, 'rate limit');
    if (name === 'hang')
      await new Promise((_, reject) => {
        context.signal.addEventListener('abort', reject);
      });
    if (name === 'ask') {
      const { answer } = await context.requireInput({
        answer: {
          method: 'elicitation/create',
          params: { mode: 'form', message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
        },
      });
      return text(answer.action);
    }
    return text('sunny');
  },
  'prompts/list': () => ({ prompts: [] }),
  'prompts/get': () => ({ messages: [] }),
  'resources/list': () => ({ resources: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'rose' }] }),
};

async function pair(revision: Revision, options: Partial<ClientOptions> = {}, telemetry: OpenTelemetryOptions = {}) {
  const made = await connectedPair(revision, { handlers }, options, telemetry);
  onTestFinished(made.close);
  return made.client;
}

describe.each([older, latest])('in $version', (revision) => {
  test('a tool call has a span on each side', async () => {
    const client = await pair(revision);
    await client.callTool({ name: 'weather', arguments: { city: 'Rome' } });
    const [sent, received] = sidesOf('tools/call weather');
    const expected = {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'weather',
      'jsonrpc.request.id': '2',
      'mcp.protocol.version': revision.version,
    };
    expect(sent.attributes).toEqual(expected);
    expect(received.attributes).toEqual(expected);
    expect(sent.parentSpanContext).toBeUndefined();
    expect(received.parentSpanContext).toMatchObject({ spanId: sent.spanContext().spanId, isRemote: true });
    expect(received.spanContext().traceId).toBe(sent.spanContext().traceId);
    expect([sent.status, received.status]).toEqual([{ code: 0 }, { code: 0 }]);
    expect(received.links).toEqual([]);
  });

  test('spans of a program nest: around a call, and in its handler', async () => {
    const client = await pair(revision);
    const outer = api.trace.getTracer('own').startSpan('agent');
    const baggage = api.propagation.createBaggage({ tenant: { value: 'garden' } });
    const context = api.propagation.setBaggage(api.trace.setSpan(api.context.active(), outer), baggage);
    seen.length = 0;
    await api.context.with(context, () => client.callTool({ name: 'own' }));
    const [sent, received] = sidesOf('tools/call own');
    expect(sent.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    expect(seen).toEqual([{ spanId: received.spanContext().spanId, baggage: 'garden' }]);
    expect(spanOf('query', api.SpanKind.INTERNAL).parentSpanContext?.spanId).toBe(received.spanContext().spanId);
  });

  test.each([
    ['broken', { 'error.type': 'tool_error' }, ERROR],
    ['refuse', { 'error.type': '-32050', 'rpc.response.status_code': '-32050' }, { ...ERROR, message: 'rate limit' }],
    [
      'crash',
      { 'error.type': '-32603', 'rpc.response.status_code': '-32603' },
      { ...ERROR, message: 'Internal error' },
    ],
  ])('a failed call: %s', async (name, attributes, status) => {
    const client = await pair(revision);
    await client.callTool({ name }).catch(() => undefined);
    for (const span of sidesOf(`tools/call ${name}`)) {
      expect(span.attributes).toMatchObject(attributes);
      expect(span.status).toEqual(status);
      expect(JSON.stringify([span.attributes, span.events, span.status])).not.toMatch('swordfish');
    }
    const measured = await metrics();
    for (const side of ['client', 'server'])
      expect(attributesIn(measured.get(`mcp.${side}.operation.duration`))).toContainEqual({
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'mcp.protocol.version': revision.version,
        ...attributes,
      });
  });

  test('a cancelled call', async () => {
    const client = await pair(revision);
    const controller = new AbortController();
    const call = client.callTool({ name: 'hang' }, { signal: controller.signal });
    controller.abort(new Error('not needed'));
    await expect(call).rejects.toThrow('not needed');
    await client.listTools();
    for (const span of sidesOf('tools/call hang')) {
      expect(span.attributes['error.type']).toBe('cancelled');
      expect(span.status).toEqual(ERROR);
    }
  });

  test('a call that times out is cancelled for the other side', async () => {
    const client = await pair(revision);
    await expect(client.callTool({ name: 'hang' }, { timeout: 5 })).rejects.toThrow('within');
    await client.listTools();
    const errors = sidesOf('tools/call hang').map(({ attributes }) => attributes['error.type']);
    expect(errors).toEqual(['timeout', 'cancelled']);
  });

  test('prompts have a target, resources an attribute only', async () => {
    const client = await pair(revision);
    await client.getPrompt({ name: 'greet' });
    await client.readResource({ uri: 'file:///rose' });
    for (const span of sidesOf('prompts/get greet')) expect(span.attributes['gen_ai.prompt.name']).toBe('greet');
    for (const span of sidesOf('resources/read'))
      expect(span.attributes).toMatchObject({ 'mcp.resource.uri': 'file:///rose' });
    const measured = await metrics();
    expect(JSON.stringify(attributesIn(measured.get('mcp.server.operation.duration')))).not.toMatch('rose');
  });

  test('arguments and results are recorded only if requested', async () => {
    const quiet = await pair(revision);
    await quiet.callTool({ name: 'quiet', arguments: { city: 'Rome' } });
    expect(JSON.stringify(sidesOf('tools/call quiet').map((span) => span.attributes))).not.toMatch(/Rome|sunny/);
    const open = await pair(revision, {}, { recordsContent: true });
    await open.callTool({ name: 'open', arguments: { city: 'Rome' } });
    for (const { attributes } of sidesOf('tools/call open')) {
      expect(attributes['gen_ai.tool.call.arguments']).toBe('{"city":"Rome"}');
      expect(JSON.parse(String(attributes['gen_ai.tool.call.result']))).toMatchObject(text('sunny'));
    }
    await open.callTool({ name: 'broken' });
    for (const { attributes } of sidesOf('tools/call broken'))
      expect(attributes).not.toHaveProperty('gen_ai.tool.call.result');
  });

  test('methods that are left out have neither span nor trace context', async () => {
    const client = await pair(revision, {}, { includes: (method) => method === 'tools/list' });
    await client.callTool({ name: 'weather' });
    await client.listTools();
    expect(spans().map(({ name }) => name)).toEqual(['tools/list', 'tools/list']);
  });
});

test('a request of the server is a child of the call that it belongs to', async () => {
  const client = await pair(older, {
    handlers: { 'elicitation/create': () => ({ action: 'accept' as const, content: {} }) },
  });
  await client.callTool({ name: 'ask' });
  const [, handled] = sidesOf('tools/call ask');
  const [asked, answered] = sidesOf('elicitation/create');
  expect(asked.parentSpanContext?.spanId).toBe(handled.spanContext().spanId);
  expect(answered.parentSpanContext?.spanId).toBe(asked.spanContext().spanId);
  expect(answered.attributes).toEqual({
    'mcp.method.name': 'elicitation/create',
    'jsonrpc.request.id': '1',
    'mcp.protocol.version': '2025-11-25',
  });
});

test('each round of a call has its spans', async () => {
  const client = await pair(latest, {
    handlers: { 'elicitation/create': () => ({ action: 'accept' as const, content: {} }) },
  });
  await client.callTool({ name: 'ask' });
  const calls = spans().filter(({ name }) => name === 'tools/call ask');
  expect(calls.map(({ kind, attributes }) => [kind, attributes['jsonrpc.request.id']])).toEqual([
    [SERVER, '2'],
    [CLIENT, '2'],
    [SERVER, '3'],
    [CLIENT, '3'],
  ]);
});

test('initialize names the revision that it agrees on, and notifications have spans', async () => {
  await pair(older);
  await new Promise(setImmediate);
  for (const span of sidesOf('initialize')) expect(span.attributes['mcp.protocol.version']).toBe('2025-11-25');
  const [sent, received] = sidesOf('notifications/initialized');
  expect(received.parentSpanContext?.spanId).toBe(sent.spanContext().spanId);
  expect(sent.attributes).toEqual({
    'mcp.method.name': 'notifications/initialized',
    'mcp.protocol.version': '2025-11-25',
  });
});

test('a notification ends with its handlers, and their errors are its error', async () => {
  const method = 'notifications/tools/list_changed';
  const ended: string[] = [];
  const notifications = {
    [method]: async () => {
      await new Promise(setImmediate);
      ended.push(...spans().map(({ name, kind }) => `${name} ${kind}`));
      throw new RangeError('broken');
    },
  };
  const capabilities = { tools: { listChanged: true } };
  const made = await connectedPair(older, { handlers, capabilities }, { notifications });
  onTestFinished(made.close);
  made.server.notify(method);
  await expect.poll(() => spans().filter(({ name }) => name === method).length).toBe(2);
  expect(ended).toContain(`${method} ${CLIENT}`);
  expect(ended).not.toContain(`${method} ${SERVER}`);
  const [sent, received] = sidesOf(method);
  expect(received.parentSpanContext?.spanId).toBe(sent.spanContext().spanId);
  expect([sent, received].map(({ attributes }) => attributes['error.type'])).toEqual([undefined, 'RangeError']);
});

test('a closed connection ends the spans of what is pending', async () => {
  const client = await pair(older);
  const call = client.callTool({ name: 'hang' });
  await new Promise(setImmediate);
  await client.close();
  await expect(call).rejects.toThrow('closed');
  for (const span of sidesOf('tools/call hang')) expect(span.attributes['error.type']).toBe('ConnectionClosedError');
});

test('leaving a subscription is no error', async () => {
  const made = await connectedPair(latest, { handlers, capabilities: { tools: { listChanged: true } } });
  onTestFinished(made.close);
  const subscription = await made.client.listen({ toolsListChanged: true });
  subscription.close();
  await new Promise(setImmediate);
  for (const span of sidesOf('subscriptions/listen')) expect(span.status).toEqual({ code: 0 });
});

describe('metrics', () => {
  const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

  test('durations are in seconds, with the buckets of the conventions', async () => {
    const made = await connectedPair(older, { handlers });
    await made.client.callTool({ name: 'weather' });
    await made.close();
    const measured = await metrics();
    expect([...measured.keys()].sort()).toEqual([
      'mcp.client.operation.duration',
      'mcp.client.session.duration',
      'mcp.server.operation.duration',
      'mcp.server.session.duration',
    ]);
    for (const { descriptor, dataPoints } of measured.values()) {
      expect(descriptor.unit).toBe('s');
      for (const { value } of dataPoints as { value: { buckets: { boundaries: number[] }; sum: number } }[]) {
        expect(value.buckets.boundaries).toEqual(boundaries);
        expect(value.sum).toBeGreaterThan(0);
        expect(value.sum).toBeLessThan(5);
      }
    }
    for (const side of ['client', 'server'])
      expect(attributesIn(measured.get(`mcp.${side}.session.duration`))).toEqual([
        { 'mcp.protocol.version': '2025-11-25' },
      ]);
  });

  test('a stateless revision has no sessions', async () => {
    const made = await connectedPair(latest, { handlers });
    await made.client.listTools();
    await made.close();
    expect([...(await metrics()).keys()].filter((name) => name.includes('session'))).toEqual([]);
  });

  test('a client cannot add attributes without limit', async () => {
    const [clientSide, serverSide] = memoryPair();
    const server = tracedServer({
      handlers: {
        'tools/list': () => ({ tools: [] }),
        'tools/call': () => {
          throw new RpcError(-32602, 'unknown tool');
        },
      },
    });
    onTestFinished(() => server.close());
    await server.connect(serverSide, '2025-11-25');
    await clientSide.start();
    for (let index = 0; index < 150; index += 1) {
      void clientSide.send({ jsonrpc: '2.0', id: `a${index}`, method: `junk/${index}`, params: {} });
      void clientSide.send({ jsonrpc: '2.0', method: `notifications/junk${index}` });
      void clientSide.send({ jsonrpc: '2.0', id: `b${index}`, method: 'tools/call', params: { name: `junk${index}` } });
    }
    await expect.poll(() => spans().length).toBe(450);
    const attributes = attributesIn((await metrics()).get('mcp.server.operation.duration')) as Record<string, string>[];
    expect(attributes.filter((item) => 'gen_ai.tool.name' in item)).toEqual([]);
    expect(attributes.filter((item) => item['mcp.method.name']?.startsWith('junk/'))).toEqual([]);
    expect(new Set(attributes.map((item) => item['mcp.method.name'])).size).toBe(102);
  });
});

describe('a trace context of the other side', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const valid = `00-${traceId}-00f067aa0ba902b7-01`;

  async function spanWith(meta: unknown, telemetry?: OpenTelemetryOptions) {
    const [clientSide, serverSide] = memoryPair();
    const server = tracedServer({ handlers }, telemetry);
    onTestFinished(() => server.close());
    await server.connect(serverSide, '2025-11-25');
    const answer = new Promise((resolve) => {
      clientSide.onmessage = resolve;
    });
    await clientSide.start();
    void clientSide.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'weather', _meta: meta } });
    const response = (await answer) as { result?: object; error?: object };
    return { response, span: spanOf('tools/call weather', SERVER) };
  }

  test('is the parent', async () => {
    const { span } = await spanWith({ traceparent: valid, tracestate: 'rojo=00f067aa0ba902b7' });
    expect(span.parentSpanContext).toMatchObject({ traceId, spanId: '00f067aa0ba902b7', isRemote: true });
    expect(span.spanContext().traceState?.serialize()).toBe('rojo=00f067aa0ba902b7');
  });

  test('is only linked, or ignored, by an option', async () => {
    const linked = await spanWith({ traceparent: valid }, { remoteContext: 'link' });
    expect(linked.span.parentSpanContext).toBeUndefined();
    expect(linked.span.links.map(({ context }) => context.traceId)).toEqual([traceId]);
  });

  test('is ignored by an option', async () => {
    const { span } = await spanWith({ traceparent: valid, baggage: 'tenant=x' }, { remoteContext: 'ignore' });
    expect([span.parentSpanContext, span.links]).toEqual([undefined, []]);
    expect(seen.at(-1)?.baggage).toBeUndefined();
  });

  test('has no baggage if that is longer than W3C Baggage allows', async () => {
    await spanWith({ traceparent: valid, baggage: 'tenant=garden' });
    expect(seen.at(-1)?.baggage).toBe('garden');
    await spanWith({ traceparent: valid, baggage: `tenant=garden,${'k=v,'.repeat(2048)}` }).catch(() => undefined);
    expect(seen.at(-1)?.baggage).toBeUndefined();
  });

  test.each([
    ['garbage', { traceparent: 'garbage' }],
    ['zeros', { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01` }],
    ['a number', { traceparent: 7 }],
    ['a list', { traceparent: [valid] }],
    ['an object', { traceparent: { toString: 'x' } }],
    ['a huge text', { traceparent: `${valid}-${'x'.repeat(1_000_000)}` }],
    ['control characters', { traceparent: `${valid}\r\nx: y` }],
    ['a huge state', { tracestate: 'a=b,'.repeat(100_000), baggage: 'k=v,'.repeat(100_000) }],
    ['percent signs', { baggage: '%=%ZZ;%%,==;' }],
    ['null', { traceparent: null, tracestate: null, baggage: null }],
  ])('does not matter if it is %s', async (_, meta) => {
    const { response, span } = await spanWith(meta);
    expect(response).toHaveProperty('result');
    expect(span.parentSpanContext).toBeUndefined();
  });

  test.each([
    ['null', null],
    ['a list', [valid]],
    ['a text', valid],
  ])('gets the usual answer if `_meta` is %s', async (_, meta) => {
    const { response, span } = await spanWith(meta);
    expect(response.error).toMatchObject({ code: -32602 });
    expect(span.attributes['error.type']).toBe('-32602');
  });
});

describe('messages on the wire', () => {
  /** Sends a message to a server of a revision, and returns its answer. */
  async function answerTo(message: object, revisions: readonly Revision[], version: string): Promise<unknown> {
    const [clientSide, serverSide] = memoryPair();
    const server = tracedServer({
      handlers: { ...handlers, 'resources/read': () => ({ contents: 1n }) as never },
      revisions,
    });
    onTestFinished(() => server.close());
    await server.connect(serverSide, version);
    const answer = new Promise((resolve) => {
      clientSide.onmessage = resolve;
    });
    await clientSide.start();
    void clientSide.send(message);
    return answer;
  }

  test('each request of a batch has a span', async () => {
    const calls = ['one', 'broken'].map((name, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } }));
    await answerTo(calls, [batches], batches.version);
    expect(spans().map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['tools/call one', undefined],
      ['tools/call broken', 'tool_error'],
    ]);
  });

  test('a request that is rejected at once has a span', async () => {
    const made = await connectedPair(older, { handlers, maxConcurrentRequests: 1 });
    onTestFinished(made.close);
    const hanging = made.client.callTool({ name: 'hang' });
    await expect(made.client.callTool({ name: 'weather' })).rejects.toThrow('busy');
    for (const span of sidesOf('tools/call weather')) expect(span.attributes['error.type']).toBe('503');
    await made.client.close();
    await expect(hanging).rejects.toThrow('closed');
  });

  test('params that are no object do not matter', async () => {
    await answerTo({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: 'x' }, [older], older.version);
    expect(spanOf('tools/call', SERVER).attributes['error.type']).toBe('-32602');
  });

  test('the caller sees its own `_meta` unchanged', async () => {
    const client = await pair(older);
    const meta = Object.freeze({ traceparent: 'x', 'example.com/a': 1 });
    const params = Object.freeze({ name: 'weather', _meta: meta });
    await client.callTool(params);
    expect(params).toEqual({ name: 'weather', _meta: { traceparent: 'x', 'example.com/a': 1 } });
    const [sent, received] = sidesOf('tools/call weather');
    expect(received.parentSpanContext?.spanId).toBe(sent.spanContext().spanId);
  });
});

describe('an instrument that throws', () => {
  const fail = (): never => {
    throw new Error('telemetry is down');
  };
  const within: Observation = { run: (action) => (action(), fail()), end: fail };
  const instruments: Record<string, Instrument> = {
    'when a connection opens': { observe: fail },
    'for each message': { observe: () => ({ send: fail, receive: fail, handleEvent: fail, close: fail }) },
    'before it runs anything': {
      observe: () => ({
        send: ({ params }) => ({ params, run: fail, end: fail }),
        receive: () => ({ run: fail, end: fail }),
        close: fail,
      }),
    },
    'after it has run something': {
      observe: () => ({ send: ({ params }) => ({ params, ...within }), receive: () => within, close: fail }),
    },
    'never, but runs everything twice': {
      observe: () => ({
        send: ({ params }) => ({ params, run: (action) => (action(), action()), end: () => undefined }),
        receive: () => ({ run: (action) => (action(), action()), end: () => undefined }),
        close: () => undefined,
      }),
    },
  };

  test.each(Object.entries(instruments))('changes nothing: %s', async (_, instrument) => {
    let calls = 0;
    const count = () => {
      calls += 1;
      return text(String(calls));
    };
    const events: unknown[] = [];
    const onEvent = (event: unknown): void => {
      events.push(event);
    };
    const options = { instrument: safeInstrument(instrument), onEvent };
    const made = await connectedPair(
      older,
      { handlers: { 'tools/call': count, 'tools/list': () => ({ tools: [] }) }, ...options },
      options,
    );
    await expect(made.client.callTool({ name: 'count' })).resolves.toEqual(text('1'));
    made.client.notify('notifications/cancelled', { requestId: 99 });
    await expect(made.client.listTools()).resolves.toEqual({ tools: [] });
    await made.close();
    expect([calls, events]).toEqual([1, []]);
  });
});

test('an instrument learns of every end once', async () => {
  const log: string[] = [];
  const instrument = safeInstrument({
    observe: ({ side = 'peer' }) => {
      const observation = (method: string): Observation => ({
        run: (action) => action(),
        end: ({ kind }) => log.push(`${side} ${method} ${kind}`),
      });
      return {
        send: ({ method, params }) => ({ params, ...observation(method) }),
        receive: ({ method }) => observation(method),
        close: () => log.push(`${side} closed`),
      };
    },
  });
  const made = await connectedPair(older, { handlers, instrument }, { instrument });
  await made.client.callTool({ name: 'weather' });
  await made.close();
  expect(log.sort()).toEqual([
    'client closed',
    'client initialize result',
    'client notifications/initialized result',
    'client tools/call result',
    'server closed',
    'server initialize result',
    'server notifications/initialized result',
    'server tools/call result',
  ]);
});
