import { describe, expect, it } from 'vitest';
import type { Revision } from '../../generated/runtime/protocol/revision.js';
import type { HandlerContext } from '../../generated/runtime/server.js';
import {
  failure,
  info,
  joined,
  r20250618,
  r20251125,
  r20260728,
  rawClient,
  rawServer,
  rawSession,
  text,
} from './harness.js';

const { createClient, createServer } = r20251125;

describe('a server', () => {
  it('declares what its handlers show, extended and narrowed', async () => {
    const handlers = {
      'tools/list': () => ({ tools: [] }),
      'prompts/get': () => ({ messages: [] }),
      'resources/subscribe': () => ({}),
      'completion/complete': () => ({ completion: { values: [] } }),
      'logging/setLevel': () => ({}),
    };
    const declared = async (capabilities?: Parameters<typeof createServer>[0]['capabilities']) => {
      const server = createServer({ info, handlers, ...(capabilities === undefined ? {} : { capabilities }) });
      const { raw } = await rawClient(server);
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info };
      return (await raw.ask({ id: 1, method: 'initialize', params })).result?.['capabilities'];
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

  it('answers -32601 to what it does not advertise, handler or not', async () => {
    const server = createServer({
      info,
      capabilities: { tools: false },
      handlers: { 'tools/list': () => ({ tools: [] }), 'resources/list': () => ({ resources: [] }) },
    });
    const { raw } = await rawSession(server);
    for (const method of [
      'tools/list',
      'tools/call',
      'prompts/list',
      'resources/subscribe',
      'resources/read',
      'tasks/list',
    ]) {
      expect([method, (await raw.ask({ id: 1, method })).error?.code]).toEqual([method, -32601]);
    }
    expect((await raw.ask({ id: 1, method: 'resources/list' })).result).toEqual({ resources: [] });
  });

  it('refuses to send what the client did not declare, with nothing sent', async () => {
    const errors: Error[] = [];
    const server = createServer({
      info,
      handlers: {
        'tools/call': async (_, context) => {
          errors.push(
            await failure(context.roots()),
            await failure(context.sampling({ messages: [], maxTokens: 1 })),
            await failure(context.elicitation({ message: '', requestedSchema: { type: 'object', properties: {} } })),
          );
          return text('');
        },
      },
    });
    const { raw } = await rawSession(server);
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
    expect((await raw.news()).map(({ result }) => result)).toEqual([text('')]);
    expect(errors.map((error) => [error.name, (error as Error & { capability: string }).capability])).toEqual([
      ['CapabilityError', 'client.roots'],
      ['CapabilityError', 'client.sampling'],
      ['CapabilityError', 'client.elicitation'],
    ]);
  });

  it('looks at the mode of elicitation and at the tools of sampling', async () => {
    const sent: (string | undefined)[] = [];
    const server = createServer({
      info,
      handlers: {
        'tools/call': async (_, context) => {
          for (const asked of [
            () => context.elicitation({ message: '', requestedSchema: { type: 'object', properties: {} } }),
            () => context.elicitation({ mode: 'url', message: '', url: 'https://a.example', elicitationId: '1' }),
            () => context.sampling({ messages: [], maxTokens: 1 }),
            () => context.sampling({ messages: [], maxTokens: 1, toolChoice: { mode: 'auto' } }),
          ]) {
            const error = await failure(asked());
            sent.push((error as Error & { capability?: string }).capability);
          }
          return text('');
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
      const { raw } = await rawSession(server, '2025-11-25', capabilities);
      raw.responder = ({ id, method }) =>
        method === undefined ? undefined : { jsonrpc: '2.0', id, error: { code: 1, message: 'asked' } };
      await raw.ask({ id: 1, method: 'tools/call', params: { name: 'x' } });
      expect(sent).toEqual(missing);
    }
  });

  it('has no requests to a client of 2026-07-28, and none before initialize', async () => {
    const server = r20260728.createServer({
      info,
      handlers: {
        'tools/call': async (_, context) => {
          const untyped = context as unknown as HandlerContext;
          return text((await failure(untyped.request('roots/list'))).name);
        },
      },
    });
    const client = r20260728.createClient({ info });
    const { session } = await joined(server, client);
    expect((await client.callTool({ name: 'x' })).content).toEqual(text('UnsupportedMethodError').content);
    expect((await failure(session.request('roots/list'))).name).toBe('UnsupportedMethodError');
    await client.close();
  });

  it('does not begin with a handler that no client can call', () => {
    for (const method of ['roots/list', 'no/such', 'constructor', 'notifications/initialized']) {
      expect(() => createServer({ info, handlers: { [method]: () => ({}) } })).toThrow(TypeError);
    }
    expect(() =>
      createServer({ info, handlers: {}, notifications: { 'tools/list': () => undefined } as never }),
    ).toThrow(TypeError);
    expect(() => createServer({ info, handlers: {}, revisions: [] as Revision[] })).toThrow(RangeError);
  });
});

describe('a client', () => {
  it('refuses to send what the server did not advertise, unless told otherwise', async () => {
    const client = createClient({ info });
    const { raw } = await rawServer(client, { tools: {}, resources: {} });
    for (const [called, capability] of [
      [client.listPrompts(), 'server.prompts'],
      [
        client.complete({ ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'x', value: '' } }),
        'server.completions',
      ],
      [client.subscribe({ uri: 'x:1' }), 'server.resources.subscribe'],
      [client.setLevel({ level: 'info' }), 'server.logging'],
    ] as const) {
      expect(await failure(called)).toMatchObject({ name: 'CapabilityError', capability });
    }
    expect(() => {
      client.notify('notifications/roots/list_changed');
    }).toThrow('client.roots.listChanged');
    expect(await raw.news()).toEqual([]);
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { tools: [] } });
    expect(await client.listTools()).toEqual({ tools: [] });
    await client.close();
    const careless = createClient({ info, ignoreCapabilities: true });
    const other = await rawServer(careless);
    other.raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { prompts: [] } });
    expect(await careless.listPrompts()).toEqual({ prompts: [] });
    await careless.close();
  });

  it('does not send what its revision has not', async () => {
    const client = r20260728.createClient({ info, revisions: [r20251125.revision] });
    const { raw } = await rawServer(client);
    expect((await failure(client.discover())).name).toBe('UnsupportedMethodError');
    expect((await failure(client.listen({}))).name).toBe('UnsupportedMethodError');
    expect((await failure(client.request('roots/list'))).name).toBe('UnsupportedMethodError');
    expect(() => {
      client.notify('notifications/tools/list_changed' as never);
    }).toThrow('notifications/tools/list_changed');
    expect(await raw.news()).toEqual([]);
    await client.close();
  });

  it('declares what its handlers show, and answers -32601 to what it does not declare', async () => {
    const handlers = {
      'roots/list': () => ({ roots: [] }),
      'sampling/createMessage': () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: '' } }) as const,
    };
    const client = createClient({ info, capabilities: { roots: { listChanged: true }, sampling: false }, handlers });
    const { raw, tap } = await rawServer(client);
    expect(tap.from('client')[0]?.params?.['capabilities']).toEqual({ roots: { listChanged: true } });
    expect((await raw.ask({ id: 1, method: 'roots/list' })).result).toEqual({ roots: [] });
    const sampling = { id: 2, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } };
    expect((await raw.ask(sampling)).error?.code).toBe(-32601);
    expect((await raw.ask({ id: 3, method: 'elicitation/create' })).error?.code).toBe(-32601);
    expect((await raw.ask({ id: 4, method: 'tools/list' })).error?.code).toBe(-32601);
    client.notify('notifications/roots/list_changed');
    expect((await raw.news()).at(-1)?.method).toBe('notifications/roots/list_changed');
    await client.close();
  });

  it('checks the params of what a server asks', async () => {
    const client = createClient({ info, handlers: { 'elicitation/create': () => ({ action: 'decline' }) } });
    const { raw } = await rawServer(client);
    for (const params of [undefined, {}, [], null, { message: 5 }]) {
      expect((await raw.ask({ id: 1, method: 'elicitation/create', params })).error?.code).toBe(-32602);
    }
    await client.close();
  });

  it('capability members of a newer revision reach an older server unharmed (case-070)', async () => {
    const server = r20250618.createServer({ info, handlers: { 'tools/call': () => text('ok') } });
    const { raw, session } = await rawSession(server, '2025-06-18', { elicitation: { form: {} }, tasks: { list: {} } });
    expect((await raw.ask({ id: 1, method: 'tools/call', params: { name: 'x' } })).result).toEqual(text('ok'));
    expect(session.client.capabilities).toEqual({ elicitation: { form: {} }, tasks: { list: {} } });
  });

  it('does not begin with a handler of what no server asks', () => {
    for (const method of ['tools/list', 'no/such', 'constructor']) {
      expect(() => createClient({ info, handlers: { [method]: () => ({}) } })).toThrow(TypeError);
    }
  });
});
