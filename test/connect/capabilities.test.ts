import { describe, expect, test } from 'vitest';
import type { Revision } from '../../generated/runtime/protocol/revision.js';
import type { HandlerContext } from '../../generated/runtime/server.js';
import {
  rejectionOf,
  TEST_INFO,
  connectPair,
  revision20250618,
  revision20251125,
  revision20260728,
  connectRawClient,
  connectRawServer,
  startRawSession,
  textResult,
} from './harness.js';

const { createClient, createServer } = revision20251125;

describe('a server', () => {
  test('declares the capabilities that its handlers imply', async () => {
    const handlers = {
      'tools/list': () => ({ tools: [] }),
      'prompts/get': () => ({ messages: [] }),
      'resources/subscribe': () => ({}),
      'completion/complete': () => ({ completion: { values: [] } }),
      'logging/setLevel': () => ({}),
    };
    const declared = async (capabilities?: Parameters<typeof createServer>[0]['capabilities']) => {
      const server = createServer({
        info: TEST_INFO,
        handlers,
        ...(capabilities === undefined ? {} : { capabilities }),
      });
      const { raw } = await connectRawClient(server);
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: TEST_INFO };
      return (await raw.request({ id: 1, method: 'initialize', params })).result?.['capabilities'];
    };
    const derived = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} };
    expect(await declared()).toEqual(derived);
    expect(await declared({ tools: { listChanged: true }, logging: false, experimental: { x: {} } })).toEqual({
      tools: { listChanged: true },
      prompts: {},
      resources: { subscribe: true },
      completions: {},
      experimental: { x: {} },
    });
  });

  test('answers -32601 if the capability is not declared, even with a handler', async () => {
    const server = createServer({
      info: TEST_INFO,
      capabilities: { tools: false },
      handlers: { 'tools/list': () => ({ tools: [] }), 'resources/list': () => ({ resources: [] }) },
    });
    const { raw } = await startRawSession(server);
    for (const method of [
      'tools/list',
      'tools/call',
      'prompts/list',
      'resources/subscribe',
      'resources/read',
      'tasks/list',
    ]) {
      expect([method, (await raw.request({ id: 1, method })).error?.code]).toEqual([method, -32601]);
    }
    expect((await raw.request({ id: 1, method: 'resources/list' })).result).toEqual({ resources: [] });
  });

  test('rejects a request that the client did not declare, without sending it', async () => {
    const errors: Error[] = [];
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': async (_, context) => {
          errors.push(
            await rejectionOf(context.roots()),
            await rejectionOf(context.sampling({ messages: [], maxTokens: 1 })),
            await rejectionOf(
              context.elicitation({ message: '', requestedSchema: { type: 'object', properties: {} } }),
            ),
          );
          return textResult('');
        },
      },
    });
    const { raw } = await startRawSession(server);
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
    expect((await raw.nextFrames()).map(({ result }) => result)).toEqual([textResult('')]);
    expect(errors.map((error) => [error.name, (error as Error & { capability: string }).capability])).toEqual([
      ['CapabilityError', 'client.roots'],
      ['CapabilityError', 'client.sampling'],
      ['CapabilityError', 'client.elicitation'],
    ]);
  });

  test('checks the mode of elicitation and the tools of sampling', async () => {
    const sent: (string | undefined)[] = [];
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': async (_, context) => {
          for (const asked of [
            () => context.elicitation({ message: '', requestedSchema: { type: 'object', properties: {} } }),
            () => context.elicitation({ mode: 'url', message: '', url: 'https://a.example', elicitationId: '1' }),
            () => context.sampling({ messages: [], maxTokens: 1 }),
            () => context.sampling({ messages: [], maxTokens: 1, toolChoice: { mode: 'auto' } }),
          ]) {
            const error = await rejectionOf(asked());
            sent.push((error as Error & { capability?: string }).capability);
          }
          return textResult('');
        },
      },
    });
    for (const [capabilities, missing] of [
      [{ elicitation: {}, sampling: {} }, [undefined, 'client.elicitation.url', undefined, 'client.sampling.tools']],
      [
        { elicitation: { url: {} }, sampling: { tools: {} } },
        ['client.elicitation.form', undefined, undefined, undefined],
      ],
      [{ elicitation: { url: {}, form: {} } }, [undefined, undefined, 'client.sampling', 'client.sampling']],
    ] as const) {
      sent.length = 0;
      const { raw } = await startRawSession(server, '2025-11-25', capabilities);
      raw.responder = ({ id, method }) =>
        method === undefined ? undefined : { jsonrpc: '2.0', id, error: { code: 1, message: 'asked' } };
      await raw.request({ id: 1, method: 'tools/call', params: { name: 'x' } });
      expect(sent).toEqual(missing);
    }
  });

  test('cannot send requests in 2026-07-28 or before initialize', async () => {
    const server = revision20260728.createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': async (_, context) => {
          const untyped = context as unknown as HandlerContext;
          return textResult((await rejectionOf(untyped.request('roots/list'))).name);
        },
      },
    });
    const client = revision20260728.createClient({ info: TEST_INFO });
    const { session } = await connectPair(server, client);
    expect((await client.callTool({ name: 'x' })).content).toEqual(textResult('UnsupportedMethodError').content);
    expect((await rejectionOf(session.request('roots/list'))).name).toBe('UnsupportedMethodError');
    await client.close();
  });

  test('does not begin with a handler that no client can call', () => {
    for (const method of ['roots/list', 'no/such', 'constructor', 'notifications/initialized']) {
      expect(() => createServer({ info: TEST_INFO, handlers: { [method]: () => ({}) } })).toThrow(TypeError);
    }
    expect(() =>
      createServer({ info: TEST_INFO, handlers: {}, notifications: { 'tools/list': () => undefined } as never }),
    ).toThrow(TypeError);
    expect(() => createServer({ info: TEST_INFO, handlers: {}, revisions: [] as Revision[] })).toThrow(RangeError);
  });
});

describe('a client', () => {
  test('rejects a request that the server did not declare, by default', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client, { tools: {}, resources: {} });
    for (const [called, capability] of [
      [client.listPrompts(), 'server.prompts'],
      [
        client.complete({ ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'x', value: '' } }),
        'server.completions',
      ],
      [client.subscribe({ uri: 'x:1' }), 'server.resources.subscribe'],
      [client.setLevel({ level: 'info' }), 'server.logging'],
    ] as const) {
      expect(await rejectionOf(called)).toMatchObject({ name: 'CapabilityError', capability });
    }
    expect(() => {
      client.notify('notifications/roots/list_changed');
    }).toThrow('client.roots.listChanged');
    expect(await raw.nextFrames()).toEqual([]);
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { tools: [] } });
    expect(await client.listTools()).toEqual({ tools: [] });
    await client.close();
    const careless = createClient({ info: TEST_INFO, ignoreCapabilities: true });
    const other = await connectRawServer(careless);
    other.raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { prompts: [] } });
    expect(await careless.listPrompts()).toEqual({ prompts: [] });
    await careless.close();
  });

  test('does not send what its revision has not', async () => {
    const client = revision20260728.createClient({ info: TEST_INFO, revisions: [revision20251125.revision] });
    const { raw } = await connectRawServer(client);
    expect((await rejectionOf(client.discover())).name).toBe('UnsupportedMethodError');
    expect((await rejectionOf(client.listen({}))).name).toBe('UnsupportedMethodError');
    expect((await rejectionOf(client.request('roots/list'))).name).toBe('UnsupportedMethodError');
    expect(() => {
      client.notify('notifications/tools/list_changed' as never);
    }).toThrow('notifications/tools/list_changed');
    expect(await raw.nextFrames()).toEqual([]);
    await client.close();
  });

  test('declares the capabilities that its handlers imply', async () => {
    const handlers = {
      'roots/list': () => ({ roots: [] }),
      'sampling/createMessage': () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: '' } }) as const,
    };
    const client = createClient({
      info: TEST_INFO,
      capabilities: { roots: { listChanged: true }, sampling: false },
      handlers,
    });
    const { raw, monitor } = await connectRawServer(client);
    expect(monitor.from('client')[0]?.params?.['capabilities']).toEqual({ roots: { listChanged: true } });
    expect((await raw.request({ id: 1, method: 'roots/list' })).result).toEqual({ roots: [] });
    const sampling = { id: 2, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } };
    expect((await raw.request(sampling)).error?.code).toBe(-32601);
    expect((await raw.request({ id: 3, method: 'elicitation/create' })).error?.code).toBe(-32601);
    expect((await raw.request({ id: 4, method: 'tools/list' })).error?.code).toBe(-32601);
    client.notify('notifications/roots/list_changed');
    expect((await raw.nextFrames()).at(-1)?.method).toBe('notifications/roots/list_changed');
    await client.close();
  });

  test('checks the params of what a server asks', async () => {
    const client = createClient({ info: TEST_INFO, handlers: { 'elicitation/create': () => ({ action: 'decline' }) } });
    const { raw } = await connectRawServer(client);
    for (const params of [undefined, {}, [], null, { message: 5 }]) {
      expect((await raw.request({ id: 1, method: 'elicitation/create', params })).error?.code).toBe(-32602);
    }
    await client.close();
  });

  test('capability members of a newer revision reach an older server unharmed (case-070)', async () => {
    const server = revision20250618.createServer({
      info: TEST_INFO,
      handlers: { 'tools/call': () => textResult('ok') },
    });
    const { raw, session } = await startRawSession(server, '2025-06-18', {
      elicitation: { form: {} },
      tasks: { list: {} },
    });
    expect((await raw.request({ id: 1, method: 'tools/call', params: { name: 'x' } })).result).toEqual(
      textResult('ok'),
    );
    expect(session.client.capabilities).toEqual({ elicitation: { form: {} }, tasks: { list: {} } });
  });

  test('does not begin with a handler of what no server asks', () => {
    for (const method of ['tools/list', 'no/such', 'constructor']) {
      expect(() => createClient({ info: TEST_INFO, handlers: { [method]: () => ({}) } })).toThrow(TypeError);
    }
  });
});
