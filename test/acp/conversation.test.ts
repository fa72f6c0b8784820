import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as acpV1 from '@agentclientprotocol/sdk';
import * as acpV2 from '@agentclientprotocol/sdk/experimental/v2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadProtocol, type Method, type Protocol } from '../../generator/index.js';
import { exampleOf } from '../../generator/model/types/example.js';
import { ACP_REVISIONS, acpSchema, derive, generateAcp, type AcpRevision } from './acp.js';

/** What the tests use of our generated files. */
interface OurConnection {
  request(method: string, params: object, options?: { signal?: AbortSignal; timeout?: number }): Promise<object>;
  notify(method: string, params: object): void;
  requestExtension(method: string, params: object): Promise<object>;
  notifyExtension(method: string, params: object): void;
  close(): Promise<void>;
  readonly closed: Promise<void>;
}
type Handler = (params: object, context: { signal: AbortSignal; requestId: string | number }) => unknown;
interface OurOptions {
  handlers: Record<string, Handler>;
  notifications?: Record<string, Handler>;
  extensions?: { request?: (method: string, params: object) => object; notification?: (method: string) => void };
  onEvent?: (event: { kind: string }) => void;
}
type Create = (options: OurOptions) => { connect(transport: OurTransport): Promise<OurConnection> };
interface OurTransport {
  start(): Promise<void>;
  send(message: object): Promise<void> | undefined;
  close(): Promise<void>;
  onmessage?: (message: object) => void;
  onclose?: () => void;
}
interface OurRuntime {
  memoryPair(): [OurTransport, OurTransport];
  RpcError: new (code: number, message: string) => Error;
}

/** What the tests use of the package; both revisions have it. */
interface TheirContext {
  request(method: string, params: object, options?: { cancellationSignal?: AbortSignal }): Promise<object>;
  notify(method: string, params: object): Promise<void>;
}
interface TheirApp {
  onRequest(method: string, ...handler: unknown[]): TheirApp;
  onNotification(method: string, ...handler: unknown[]): TheirApp;
  connect(stream: object): { agent: TheirContext; client: TheirContext; close(): void; closed: Promise<void> };
}
interface TheirHandlerContext {
  params: object;
  signal: AbortSignal;
}
const PACKAGES = { v1: acpV1, v2: acpV2 } as unknown as Record<AcpRevision, { agent(): TheirApp; client(): TheirApp }>;

let generated: Awaited<ReturnType<typeof generateAcp>>;
let runtime: OurRuntime;
const protocols = new Map<AcpRevision, Protocol>();
beforeAll(async () => {
  generated = await generateAcp({ emit: ['client', 'server'] });
  runtime = await generated.load('runtime/peer.ts');
  for (const revision of ACP_REVISIONS) {
    const catalog = { name: 'c.json', contents: JSON.stringify(derive(revision).catalog) };
    protocols.set(revision, await loadProtocol({ schema: acpSchema(revision), catalog }));
  }
});
afterAll(() => {
  generated.remove();
});

/** One of our transports as a stream of the package. */
async function toStream(transport: OurTransport): Promise<object> {
  let controller: ReadableStreamDefaultController<object> | undefined;
  const readable = new ReadableStream<object>({
    start: (own) => {
      controller = own;
    },
  });
  transport.onmessage = (message) => controller?.enqueue(message);
  transport.onclose = () => controller?.close();
  await transport.start();
  const writable = new WritableStream<object>({
    write: async (message) => {
      await transport.send(message);
    },
    close: () => transport.close(),
  });
  return { readable, writable };
}

/** An example of params or of a result. */
function exampleBy(protocol: Protocol, name: string | null | undefined): object {
  const definition = protocol.definitions.find((item) => item.name === name);
  if (definition === undefined) throw new Error(`there is no definition ${name ?? ''}`);
  const example = exampleOf(protocol, definition.type, name ?? '') as object;
  return 'protocolVersion' in example ? { ...example, protocolVersion: Number(protocol.revision.slice(1)) } : example;
}

const CANCEL = '$/cancel_request';

describe.each(ACP_REVISIONS)('ACP %s', (revision) => {
  const protocol = (): Protocol => {
    const found = protocols.get(revision);
    if (found === undefined) throw new Error('not loaded');
    return found;
  };
  /** The methods that a side handles, `initialize` first, as a connection begins. */
  const handledBy = (side: 'agent' | 'client', kind: Method['kind']): readonly Method[] =>
    protocol()
      .methods.filter(
        ({ direction, kind: own }) =>
          own === kind && direction === (side === 'agent' ? 'clientToServer' : 'serverToClient'),
      )
      .sort((a, b) => Number(b.name === 'initialize') - Number(a.name === 'initialize'));

  async function create(side: 'agent' | 'client'): Promise<Create> {
    const module: Record<string, Create> = await generated.load(`${revision}/${side}.ts`);
    const found = module[side === 'agent' ? 'createAgent' : 'createClient'];
    if (found === undefined) throw new Error('not generated');
    return found;
  }

  /** Our side against the package's other side. */
  async function connectSides(
    side: 'agent' | 'client',
    options: OurOptions,
    prepare: (app: TheirApp) => void,
    // Version 2 of the package requires `initialize` before anything else.
    { initializes = true }: { readonly initializes?: boolean } = {},
  ): Promise<{ ours: OurConnection; theirs: TheirContext; close: () => Promise<void> }> {
    const [one, other] = runtime.memoryPair();
    const handlers =
      initializes && side === 'agent'
        ? { initialize: () => exampleBy(protocol(), handledBy('agent', 'request')[0]?.results[0]), ...options.handlers }
        : options.handlers;
    const ours = await (await create(side))({ ...options, handlers }).connect(one);
    const app = PACKAGES[revision][side === 'agent' ? 'client' : 'agent']();
    prepare(app);
    const initialize = handledBy('agent', 'request')[0];
    const initialized = exampleBy(protocol(), initialize?.results[0]);
    if (initializes && side === 'client') app.onRequest('initialize', () => initialized);
    const connection = app.connect(await toStream(other));
    const params = exampleBy(protocol(), initialize?.params);
    if (initializes) await (side === 'agent' ? connection.agent : ours).request('initialize', params);
    return {
      ours,
      theirs: side === 'agent' ? connection.agent : connection.client,
      close: async () => {
        await ours.close();
        await connection.closed.catch(() => undefined);
      },
    };
  }

  /** Messages that a side received, by method. */
  class Received {
    readonly byMethod = new Map<string, object>();
    record(method: string, params: object): void {
      this.byMethod.set(method, JSON.parse(JSON.stringify(params)) as object);
    }
  }

  describe.each(['agent', 'client'] as const)('our %s and the other side of the package', (side) => {
    const peer = side === 'agent' ? 'client' : 'agent';

    test('exchange each method of both sides once', async () => {
      const [ours, theirs] = [new Received(), new Received()];
      const results = (method: Method): object => exampleBy(protocol(), method.results[0]);
      const {
        ours: connection,
        theirs: context,
        close,
      } = await connectSides(
        side,
        {
          handlers: Object.fromEntries(
            handledBy(side, 'request').map((method) => [
              method.name,
              (params: object) => {
                ours.record(method.name, params);
                return results(method);
              },
            ]),
          ),
          notifications: Object.fromEntries(
            handledBy(side, 'notification').map(({ name }) => [
              name,
              (params: object) => {
                ours.record(name, params);
              },
            ]),
          ),
        },
        (app) => {
          for (const method of handledBy(peer, 'request'))
            app.onRequest(method.name, ({ params }: TheirHandlerContext) => {
              theirs.record(method.name, params);
              return results(method);
            });
          for (const { name } of handledBy(peer, 'notification'))
            app.onNotification(name, ({ params }: TheirHandlerContext) => {
              theirs.record(name, params);
            });
        },
        { initializes: false },
      );
      const answers = new Map<string, object>();
      const callTheirs = async (): Promise<void> => {
        for (const { name, params } of handledBy(peer, 'request'))
          answers.set(name, await connection.request(name, exampleBy(protocol(), params)));
        for (const { name, params } of handledBy(peer, 'notification'))
          connection.notify(name, exampleBy(protocol(), params));
      };
      const callOurs = async (): Promise<void> => {
        for (const { name, params } of handledBy(side, 'request'))
          answers.set(name, await context.request(name, exampleBy(protocol(), params)));
        for (const { name, params } of handledBy(side, 'notification'))
          await context.notify(name, exampleBy(protocol(), params));
      };
      // The client begins, with `initialize`.
      if (side === 'agent') {
        await callOurs();
        await callTheirs();
      } else {
        await callTheirs();
        await callOurs();
      }
      // A last request: notifications before it have arrived when it is answered.
      const [first] = handledBy(side, 'request').filter(({ name }) => name !== 'initialize');
      await context.request(first?.name ?? '', exampleBy(protocol(), first?.params));
      await expect
        .poll(() => theirs.byMethod.size)
        .toBe(handledBy(peer, 'request').length + handledBy(peer, 'notification').length);

      const methods = [...handledBy(side, 'request'), ...handledBy(side, 'notification')];
      expect([...ours.byMethod.keys()].sort()).toEqual(methods.map(({ name }) => name).sort());
      for (const { name, params } of methods)
        expect(ours.byMethod.get(name)).toMatchObject(exampleBy(protocol(), params));
      for (const { name, params } of [...handledBy(peer, 'request'), ...handledBy(peer, 'notification')])
        expect(theirs.byMethod.get(name)).toMatchObject(exampleBy(protocol(), params));
      for (const method of [...handledBy(side, 'request'), ...handledBy(peer, 'request')])
        expect(answers.get(method.name)).toMatchObject(results(method));
      expect(protocol().methods).toHaveLength(ours.byMethod.size + theirs.byMethod.size + 1);
      await close();
    });

    test('cancel requests of both sides with the error code of the protocol', async () => {
      const [mine] = handledBy(side, 'request').filter(({ name }) => name !== 'initialize');
      const [other] = handledBy(peer, 'request').filter(({ name }) => name !== 'initialize');
      const aborted: string[] = [];
      const untilAborted = (who: string, signal: AbortSignal): Promise<never> =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(who);
            reject(Object.assign(new Error('stopped'), { name: 'AbortError' }));
          });
        });
      const { ours, theirs, close } = await connectSides(
        side,
        { handlers: { [mine?.name ?? '']: (_, { signal }) => untilAborted('ours', signal) } },
        (app) => {
          app.onRequest(other?.name ?? '', ({ signal }: TheirHandlerContext) => untilAborted('theirs', signal));
        },
      );
      const controller = new AbortController();
      const call = theirs.request(mine?.name ?? '', exampleBy(protocol(), mine?.params), {
        cancellationSignal: controller.signal,
      });
      const response = call.catch((error: unknown) => error);
      await new Promise((resolve) => setTimeout(resolve, 10));
      controller.abort();
      expect(await response).toMatchObject({ code: -32_800 });

      const own = new AbortController();
      const ownCall = ours
        .request(other?.name ?? '', exampleBy(protocol(), other?.params), { signal: own.signal })
        .catch((error: unknown) => error);
      await new Promise((resolve) => setTimeout(resolve, 10));
      own.abort(new Error('no longer needed'));
      expect(await ownCall).toMatchObject({ message: 'no longer needed' });
      await expect.poll(() => [...aborted].sort()).toEqual(['ours', 'theirs']);
      await close();
    });

    test('exchange extension methods', async () => {
      const seen: string[] = [];
      const { ours, theirs, close } = await connectSides(
        side,
        {
          handlers: {},
          extensions: {
            request: (method, params) => ({ method, params }),
            notification: (method) => void seen.push(method),
          },
        },
        (app) => {
          app.onRequest(
            '_acme/echo',
            (params: object) => params,
            ({ params }: TheirHandlerContext) => params,
          );
        },
      );
      expect(await ours.requestExtension('_acme/echo', { x: 1 })).toEqual({ x: 1 });
      expect(await theirs.request('_acme/theirs', { y: 2 })).toEqual({ method: '_acme/theirs', params: { y: 2 } });
      for (const { name } of protocol().methods) {
        const message = `the protocol defines ${JSON.stringify(name)}: use request or notify, which validate`;
        await expect(ours.requestExtension(name, {})).rejects.toThrow(new TypeError(message));
        expect(() => {
          ours.notifyExtension(name, {});
        }).toThrow(new TypeError(message));
      }
      await theirs.notify('_acme/event', {});
      await expect.poll(() => seen).toEqual(['_acme/event']);
      await close();
    });

    test('answer what is wrong with the codes of JSON-RPC', async () => {
      const [mine] = handledBy(side, 'request').filter(({ name }) => name !== 'initialize');
      const [, missing] = handledBy(side, 'request').filter(({ name }) => name !== 'initialize');
      const events: string[] = [];
      const [one, raw] = runtime.memoryPair();
      const own = await (
        await create(side)
      )({
        handlers: {
          [mine?.name ?? '']: () => {
            throw new runtime.RpcError(-32_000, 'log in first');
          },
        },
        onEvent: ({ kind }) => void events.push(kind),
      }).connect(one);
      const frames: { id?: unknown; error?: { code: number } }[] = [];
      raw.onmessage = (frame) => void frames.push(frame);
      await raw.start();
      const [notification] = handledBy(side, 'notification');
      const sent = [
        { id: 1, method: mine?.name, params: exampleBy(protocol(), mine?.params) },
        { id: 2, method: mine?.name, params: { sessionId: 7, methodId: 7, message: 7 } },
        { id: 3, method: missing?.name, params: exampleBy(protocol(), missing?.params) },
        { id: 4, method: handledBy(peer, 'request')[0]?.name, params: {} },
        { id: 5, method: notification?.name, params: exampleBy(protocol(), notification?.params) },
        { id: 6, method: 'constructor', params: {} },
        { method: notification?.name, params: { sessionId: 7 } },
        { method: CANCEL, params: { requestId: 99 } },
      ];
      for (const message of sent) await raw.send({ jsonrpc: '2.0', ...message });
      await expect.poll(() => frames.length).toBe(6);
      expect(frames.map(({ id, error }) => [id, error?.code])).toEqual([
        [1, -32_000],
        [2, -32_602],
        [3, -32_601],
        [4, -32_601],
        [5, -32_600],
        [6, -32_601],
      ]);
      await expect.poll(() => events).toEqual(['invalidNotification']);
      await own.close();
      await own.closed;
    });
  });
});

test('handlers are optional: requests without one are answered with -32601', async () => {
  const { createAgent }: { createAgent: (options?: object) => ReturnType<Create> } =
    await generated.load('v1/agent.ts');
  for (const agent of [createAgent(), createAgent({}), createAgent({ handlers: undefined })]) {
    const [one, raw] = runtime.memoryPair();
    const connection = await agent.connect(one);
    const frames: object[] = [];
    raw.onmessage = (frame) => void frames.push(frame);
    await raw.start();
    await raw.send({ jsonrpc: '2.0', id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } });
    await expect.poll(() => frames).toMatchObject([{ id: 1, error: { code: -32_601 } }]);
    await connection.close();
  }
});

test('no file of the output speaks of MCP', () => {
  const files = readdirSync(path.join(generated.out, 'runtime'), { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(path.join(generated.out, 'runtime', file), 'utf8')] as const);
  expect(texts.length).toBeGreaterThan(20);
  const foreign = texts.flatMap(([file, text]) =>
    text
      .split('\n')
      .flatMap((line) => (/\bMCP\b|Model Context|--revision|`endpoint\.ts`/.test(line) ? `${file}: ${line}` : [])),
  );
  expect(foreign).toEqual([]);
});

test('a handler for a method that the other side does not send is rejected', async () => {
  const { createAgent }: { createAgent: Create } = await generated.load('v1/agent.ts');
  expect(() => createAgent({ handlers: { 'session/request_permission': () => ({}) } })).toThrow(
    'no client sends the request session/request_permission',
  );
});
