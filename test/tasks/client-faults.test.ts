import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../../generated/2026-07-28/client.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import {
  callToolAsTask,
  clientTasks,
  resumeTask,
  type ClientTasksOptions,
} from '../../generated/runtime/task-client.js';
import { createTasks, defineTaskTool } from '../../generated/runtime/tasks.js';
import { connectTo, delay, latest, older, pair, taskServer, type PairOptions } from './support.js';

const open: { close(): Promise<unknown> }[] = [];
/** What became of the works that were started. */
let works: { aborted: boolean }[] = [];
beforeEach(() => {
  works = [];
});
afterEach(async () => {
  for (const item of open.splice(0)) await item.close();
});
function track<T extends { close(): Promise<unknown> }>(item: T): T {
  open.push(item);
  return item;
}

const textOf = (result: object): unknown => (result as { content: { text: string }[] }).content[0]?.text;
const elicitation = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
} as const;

/** Returns a function to call when the work is done. */
function watched(signal: AbortSignal): () => void {
  const work = { aborted: false };
  works.push(work);
  const onAbort = (): void => {
    work.aborted = true;
  };
  signal.addEventListener('abort', onAbort);
  return () => {
    signal.removeEventListener('abort', onAbort);
  };
}
const slow = defineTaskTool({
  name: 'slow',
  run: async (_args, task) => {
    const done = watched(task.signal);
    await delay(150);
    done();
    return 'done';
  },
});
const endless = defineTaskTool({
  name: 'endless',
  run: (_args, { signal }) =>
    new Promise<string>((_, reject) => {
      watched(signal);
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    }),
});
const asking = defineTaskTool({
  name: 'asking',
  run: async (_args, task) => {
    watched(task.signal);
    const { answer } = await task.requireInput({ answer: elicitation });
    return JSON.stringify(answer);
  },
});
const TOOLS = [slow, endless, asking];

type Fault = (method: string, count: number, body: string) => Response | undefined;

/** A client over HTTP, where some requests fail on their way. */
async function overHttp(
  fault: Fault,
  { revision = latest, follow = {}, client: options = {} }: PairOptions = {},
): Promise<{ readonly client: Client; readonly sent: string[] }> {
  const { server, tasks } = taskServer(TOOLS);
  const handler = track(createHttpHandler({ server }));
  open.push(tasks);
  const sent: string[] = [];
  const client = track(
    createClient({
      info: { name: 'test', version: '1' },
      revisions: [revision],
      tasks: clientTasks({ pollIntervalMs: 20, ...(follow as ClientTasksOptions) }),
      ...options,
    }),
  );
  await client.connect(
    httpClientTransport({
      url: 'http://127.0.0.1/mcp',
      fetch: (url, init) => {
        const body = typeof init?.body === 'string' ? init.body : '';
        const method = /"method":"([^"]+)"/.exec(body)?.[1] ?? '';
        sent.push(method);
        const response = fault(method, sent.filter((item) => item === method).length, body);
        return response === undefined
          ? Promise.resolve(handler.fetch(new Request(url, init)))
          : Promise.resolve(response);
      },
    }),
  );
  return { client, sent };
}

const cut = (): Response => new Response('{"json', { status: 200, headers: { 'content-type': 'application/json' } });
const broken = (): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.error(new TypeError('terminated'));
      },
    }),
    { status: 200, headers: { 'content-type': 'application/json' } },
  );
const unreachable = (): never => {
  throw new TypeError('fetch failed');
};
const busy = (body: string): Response =>
  new Response(
    JSON.stringify({
      jsonrpc: '2.0',
      id: (JSON.parse(body) as { id: number }).id,
      error: { code: 503, message: 'Server busy' },
    }),
    { status: 200, headers: { 'content-type': 'application/json' } },
  );

describe('outages', () => {
  test.each([
    ['no response', unreachable],
    ['502', () => new Response('Bad gateway', { status: 502 })],
    ['504', () => new Response('Gateway timeout', { status: 504 })],
    ['a body that is cut off', cut],
    ['a body that breaks', broken],
  ])('callTool continues after %s', async (_name, respond) => {
    const { client, sent } = await overHttp((method, count) =>
      method === 'tasks/get' && count <= 2 ? respond() : undefined,
    );
    expect(textOf(await client.callTool({ name: 'slow' }))).toBe('done');
    expect(sent).not.toContain('tasks/cancel');
    expect(works).toEqual([{ aborted: false }]);
  });

  test('callTool continues after an outage of tasks/result in 2025-11-25', async () => {
    const { client } = await overHttp(
      (method, count) => (method === 'tasks/result' && count <= 2 ? unreachable() : undefined),
      { revision: older, follow: { preferTasks: true } },
    );
    expect(textOf(await client.callTool({ name: 'slow' }))).toBe('done');
  });

  test('more failures than five do not end a short outage', async () => {
    const { client, sent } = await overHttp((method, count) =>
      method === 'tasks/get' && count <= 6 ? unreachable() : undefined,
    );
    const task = await callToolAsTask(client, { name: 'slow' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const result = task.result();
      for (let step = 0; step < 200; step += 1) await vi.advanceTimersByTimeAsync(50);
      expect(textOf(await result)).toBe('done');
    } finally {
      vi.useRealTimers();
    }
    expect(sent.filter((method) => method === 'tasks/get').length).toBeGreaterThan(6);
  });

  test('an outage that lasts ends the waiting, and not the task', async () => {
    const { client, sent } = await overHttp((method) => (method === 'tasks/get' ? unreachable() : undefined), {
      follow: { maxOutageMs: 60, maxSubscriptions: 0 },
    });
    await expect(client.callTool({ name: 'endless' })).rejects.toMatchObject({ name: 'HttpError' });
    expect(sent).not.toContain('tasks/cancel');
    expect(works).toEqual([{ aborted: false }]);
  });

  test('other errors of HTTP are not repeated', async () => {
    const { client, sent } = await overHttp(
      (method) => (method === 'tasks/get' ? new Response('no', { status: 403 }) : undefined),
      { follow: { maxSubscriptions: 0 } },
    );
    await expect(client.callTool({ name: 'endless' })).rejects.toMatchObject({ status: 403 });
    expect(sent.filter((method) => method === 'tasks/get')).toHaveLength(1);
  });

  test.each([
    ['the server is busy', busy],
    ['there is no response', unreachable],
  ])('an answer is sent again when %s, and nobody is asked twice', async (_name, respond) => {
    const prompt = vi.fn(() => ({ action: 'accept', content: { name: 'Ann' } }) as const);
    const { client, sent } = await overHttp(
      (method, count, body) => (method === 'tasks/update' && count <= 2 ? respond(body) : undefined),
      { client: { handlers: { 'elicitation/create': prompt } } },
    );
    expect(textOf(await client.callTool({ name: 'asking' }))).toContain('Ann');
    expect(prompt).toHaveBeenCalledTimes(1);
    expect(sent.filter((method) => method === 'tasks/update')).toHaveLength(3);
  });

  test('an answer that could not be sent is kept for the next result()', async () => {
    const prompt = vi.fn(() => ({ action: 'accept', content: { name: 'Ann' } }) as const);
    let isDown = true;
    const { client } = await overHttp((method) => (isDown && method === 'tasks/update' ? unreachable() : undefined), {
      follow: { maxOutageMs: 40 },
      client: { handlers: { 'elicitation/create': prompt } },
    });
    const task = await callToolAsTask(client, { name: 'asking' });
    await expect(task.result()).rejects.toMatchObject({ name: 'HttpError' });
    isDown = false;
    expect(textOf(await task.result())).toContain('Ann');
    expect(prompt).toHaveBeenCalledTimes(1);
  });
});

describe('inputs', () => {
  /** A server of 2025-11-25 that requests an input again and again until it is answered. */
  async function persistentServer(options: Partial<ClientOptions>) {
    const asked: unknown[] = [];
    const created = {
      taskId: 'one',
      status: 'input_required',
      createdAt: new Date().toISOString(),
      lastUpdatedAt: new Date().toISOString(),
      ttl: null,
      pollInterval: 10,
    };
    let answered: object | undefined;
    const meta = { 'io.modelcontextprotocol/related-task': { taskId: 'one' } };
    const [clientSide, serverSide] = memoryPair();
    const client = track(
      createClient({
        info: { name: 'test', version: '1' },
        revisions: [older],
        tasks: clientTasks(),
        ...options,
      }),
    );
    const pending = new Map<unknown, unknown>();
    let nextId = 1000;
    serverSide.onmessage = (value) => {
      const { id, method, result, error } = value as {
        readonly id?: unknown;
        readonly method?: string;
        readonly result?: object;
        readonly error?: object;
      };
      const send = (members: object): void => {
        void serverSide.send({ jsonrpc: '2.0', ...members });
      };
      const task = { ...created, status: answered === undefined ? 'input_required' : 'completed' };
      switch (method) {
        case 'initialize':
          send({
            id,
            result: {
              protocolVersion: '2025-11-25',
              capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } },
              serverInfo: { name: 'test', version: '1' },
            },
          });
          break;
        case 'tools/list':
          send({
            id,
            result: {
              tools: [{ name: 'asking', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
            },
          });
          break;
        case 'tools/call':
          send({ id, result: { task: created } });
          break;
        case 'tasks/get':
          send({ id, result: task });
          break;
        case 'tasks/cancel':
          send({ id, result: { ...task, status: 'cancelled' } });
          break;
        case 'tasks/result': {
          const askId = (nextId += 1);
          pending.set(askId, id);
          send({ id: askId, ...elicitation, params: { ...elicitation.params, _meta: meta } });
          break;
        }
        case undefined:
          asked.push(value);
          if (error !== undefined) send({ id: pending.get(id), error: { code: -32603, message: 'Internal error' } });
          else {
            answered = result;
            send({ id: pending.get(id), result: { content: [{ type: 'text', text: 'thanks' }], _meta: meta } });
          }
          break;
        default:
          break;
      }
    };
    await serverSide.start();
    await client.connect(clientSide);
    return { client, asked };
  }

  test('nobody is asked again for an input whose handler has failed', async () => {
    const prompt = vi.fn(() => {
      throw new Error('no terminal');
    });
    const { client, asked } = await persistentServer({ handlers: { 'elicitation/create': prompt } });
    await expect(client.callTool({ name: 'asking' })).rejects.toMatchObject({ code: -32603 });
    expect(prompt).toHaveBeenCalledTimes(1);
    expect(asked).toHaveLength(5);
  });

  test('an answer names the task of its request, in 2025-11-25', async () => {
    const { client, asked } = await persistentServer({
      handlers: {
        'elicitation/create': () => ({ action: 'accept', content: { name: 'Ann' }, _meta: { mine: 1 } }),
      },
    });
    expect(textOf(await client.callTool({ name: 'asking' }))).toBe('thanks');
    expect(asked).toMatchObject([
      {
        result: {
          action: 'accept',
          content: { name: 'Ann' },
          _meta: { mine: 1, 'io.modelcontextprotocol/related-task': { taskId: 'one' } },
        },
      },
    ]);
  });

  test('a failing handler cancels the task of callTool, whatever it throws', async () => {
    for (const error of [new RpcError(-32000, 'no user here'), new Error('no user here')]) {
      const { client, tasks } = track(
        await pair(TOOLS, {
          client: {
            handlers: {
              'elicitation/create': () => {
                throw error;
              },
            },
          },
        }),
      );
      await expect(client.callTool({ name: 'asking' })).rejects.toBe(error);
      await vi.waitFor(() => {
        expect(tasks.running).toBe(0);
      });
    }
    expect(works).toEqual([{ aborted: true }, { aborted: true }]);
  });
});

describe('limits of a call', () => {
  test('maxTimeout counts from the call to the result', async () => {
    const late = defineTaskTool({
      name: 'late',
      before: () => delay(150),
      run: () => new Promise<string>(() => undefined),
    });
    const { client } = track(await pair([late]));
    const since = performance.now();
    await expect(client.callTool({ name: 'late' }, { maxTimeout: 250 })).rejects.toMatchObject({
      name: 'TimeoutError',
      timeout: 250,
    });
    expect(performance.now() - since).toBeLessThan(390);
  });

  test('maxTimeout ends the waiting for a task of callToolAsTask and resumeTask, and not the task', async () => {
    const { client } = track(await pair(TOOLS));
    const task = await callToolAsTask(client, { name: 'endless' }, { maxTimeout: 80 });
    await expect(task.result()).rejects.toMatchObject({ name: 'TimeoutError', timeout: 80 });
    await expect(resumeTask(client, String(task.id), { maxTimeout: 40 }).result()).rejects.toMatchObject({
      name: 'TimeoutError',
      timeout: 40,
    });
    expect(await task.refresh()).toMatchObject({ status: 'working' });
    expect(works).toEqual([{ aborted: false }]);
  });

  test.each([
    ['signal', () => ({ signal: AbortSignal.timeout(50) })],
    ['timeout', () => ({ timeout: 50 })],
    ['maxTimeout', () => ({ maxTimeout: 50 })],
  ])('%s ends a call in 2025-11-25 whose server does not list its tools', async (_name, options) => {
    const tasks = createTasks();
    const server = createServer({
      info: { name: 'test', version: '1' },
      revisions: [older],
      handlers: { ...tasks.toolHandlers(TOOLS), 'tools/list': () => new Promise<never>(() => undefined) },
      extensions: [tasks],
    });
    open.push(tasks, server);
    const client = track(await connectTo(server, { revision: older }));
    await expect(client.callTool({ name: 'slow' }, options())).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(works).toEqual([]);
  });
});

describe('expiry', () => {
  test.each([
    { name: 'polls are rare', poll: 3_600_000, follow: { maxSubscriptions: 0 } },
    { name: 'it is subscribed to', poll: 1000, follow: {} },
  ])('an expired task is a TaskExpiredError at once when $name', async ({ poll, follow }) => {
    const brief = defineTaskTool({
      name: 'brief',
      ttlMs: 200,
      pollIntervalMs: poll,
      run: () => new Promise<string>(() => undefined),
    });
    const { client } = track(await pair([brief], { follow }));
    const since = performance.now();
    await expect(client.callTool({ name: 'brief' })).rejects.toMatchObject({ name: 'TaskExpiredError' });
    expect(performance.now() - since).toBeLessThan(1500);
  });
});

describe('listeners and messages', () => {
  test('failing listeners do not lose the task', async () => {
    const { client } = track(await pair(TOOLS));
    const fail = (): never => {
      throw new Error('listener');
    };
    const task = await callToolAsTask(client, { name: 'slow' }, { onUpdate: fail, onProgress: fail });
    expect(textOf(await task.result())).toBe('done');
  });

  test('a task for a request that cannot have one says so', async () => {
    const created = {
      resultType: 'task',
      taskId: 'one',
      status: 'working',
      createdAt: new Date().toISOString(),
      lastUpdatedAt: new Date().toISOString(),
      ttlMs: null,
    };
    const server = track(
      createServer({
        info: { name: 'test', version: '1' },
        revisions: [latest],
        handlers: { 'prompts/get': () => ({ messages: [], ...created }), 'prompts/list': () => ({ prompts: [] }) },
      }),
    );
    // A client that validates results rejects it for its type.
    const client = track(await connectTo(server, { client: { validateResults: false } }));
    await expect(client.request('prompts/get', { name: 'x' })).rejects.toThrow('only calls of tools become tasks');
  });
});
