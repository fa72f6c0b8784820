import { Client as V2Client, InMemoryTransport as V2Memory } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';
import { bindTaskReceiver } from '@modelcontextprotocol/ext-tasks/receiver';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental';
import { McpServer as V1Server } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../generated/2026-07-28/client.js';
import { createServer } from '../../generated/2025-11-25/server.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { ToolError, defineTool } from '../../generated/runtime/registry.js';
import { defineTaskTool } from '../../generated/runtime/tasks.js';
import { callToolAsTask, clientTasks, resumeTask } from '../../generated/runtime/task-client.js';
import { latest, older } from '../tasks/revisions.js';
import { delay, taskServer } from '../tasks/support.js';

// Live against the official package for tasks, and the task server of the official SDK v1.

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

const form = {
  mode: 'form',
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
} as const;

const TOOLS = [
  defineTaskTool({
    name: 'slow',
    run: async (_args, task) => {
      task.report('half done');
      await delay(80);
      return task.id === undefined ? 'call' : 'task';
    },
  }),
  defineTaskTool({
    name: 'asking',
    run: async (_args, task) => {
      const { answer } = await task.requireInput({ answer: { method: 'elicitation/create', params: form } });
      return JSON.stringify((answer as { content?: unknown }).content);
    },
  }),
  defineTaskTool({
    name: 'failing',
    run: () => {
      throw new ToolError('out of paper');
    },
  }),
  defineTaskTool({
    name: 'rejecting',
    run: () => {
      throw new RpcError(-32050, 'rate limit');
    },
  }),
  defineTaskTool({
    name: 'endless',
    run: (_args, { signal }) =>
      new Promise<string>((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      }),
  }),
  defineTool({ name: 'greet', run: () => 'Hello!' }),
];

const info = { name: 'live', version: '1' };

interface JsonRpc {
  readonly id?: number;
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The official client with the official package for tasks, connected to our server. */
async function officialSession(generation: 'v1' | 'v2') {
  const { server, tasks } = taskServer(TOOLS);
  open.push(server, tasks);
  const [one, other] = V2Memory.createLinkedPair();
  await server.connect(other);
  const client = new V2Client(info, {
    capabilities: { elicitation: { form: {} } },
    ...(generation === 'v2'
      ? { versionNegotiation: { mode: { pin: latest.version } } }
      : { supportedProtocolVersions: [older.version] }),
  });
  await client.connect(one);
  open.push(client);
  const common = {
    endpointId: 'ours',
    onInputRequest: () => Promise.resolve({ action: 'accept', content: { name: 'Ann' } } as never),
  };
  const session = createTaskSessionFromClient(
    client,
    generation === 'v1' ? common : ({ ...common, ...(await rawDispatch(server)) } as never),
  );
  open.push(session);
  return { session, tasks };
}

/** A second connection, on which the package writes its own requests. */
async function rawDispatch(server: ReturnType<typeof taskServer>['server']) {
  const [one, other] = memoryPair();
  await server.connect(other);
  const waiting = new Map<number, (message: JsonRpc) => void>();
  one.onmessage = (value) => {
    const message = value as JsonRpc;
    waiting.get(message.id ?? -1)?.(message);
  };
  await one.start();
  open.push(one);
  let id = 0;
  return {
    rawDispatch: async (request: unknown) => {
      id += 1;
      const { result, error } = await new Promise<JsonRpc>((resolve) => {
        waiting.set(id, resolve);
        void one.send({ ...(request as object), jsonrpc: '2.0', id });
      });
      return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
    },
    v2RequestFraming: {
      protocolVersion: latest.version,
      clientInfo: info,
      clientCapabilities: { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } },
    },
  };
}

describe.each(['v1', 'v2'] as const)('our server, client of @modelcontextprotocol/ext-tasks, %s', (generation) => {
  const preference = { task: { preference: 'prefer' } } as const;

  test('a task completes with the result of the tool', async () => {
    const { session } = await officialSession(generation);
    const execution = await session.callTool('slow', {}, preference);
    expect(execution.kind).toBe('task');
    const { outcome, lastTask } = await execution.settle();
    expect(outcome).toMatchObject({ status: 'completed', result: { content: [{ type: 'text', text: 'task' }] } });
    expect(lastTask?.status).toBe('completed');
  });

  test('a tool without tasks answers at once', async () => {
    const { session } = await officialSession(generation);
    const execution = await session.callTool('greet', {});
    expect(execution.kind).toBe('immediate');
    expect((await execution.settle()).outcome).toMatchObject({ result: { content: [{ text: 'Hello!' }] } });
  });

  test('the client answers an input', async () => {
    const { session } = await officialSession(generation);
    const { outcome } = await (await session.callTool('asking', {}, preference)).settle();
    expect(outcome).toMatchObject({ status: 'completed', result: { content: [{ text: '{"name":"Ann"}' }] } });
  });

  test('errors of the tool and of the protocol', async () => {
    const { session } = await officialSession(generation);
    const failed = await (await session.callTool('failing', {}, preference)).settle();
    // In 2025-11-25, a tool's own failure is a failed task, of which the package reports the status message only.
    expect(failed.outcome).toMatchObject(
      generation === 'v2'
        ? { status: 'completed', result: { isError: true, content: [{ text: 'out of paper' }] } }
        : { status: 'failed', error: { message: 'out of paper' } },
    );
    const rejected = await (await session.callTool('rejecting', {}, preference)).settle();
    expect(rejected.outcome).toMatchObject({
      status: 'failed',
      error: { message: 'rate limit', ...(generation === 'v2' ? { code: -32050 } : {}) },
    });
  });

  test('a cancelled task', async () => {
    const { session, tasks } = await officialSession(generation);
    const execution = await session.callTool('endless', {}, preference);
    await execution.cancel();
    expect((await execution.settle()).outcome).toMatchObject({ status: 'cancelled' });
    while (tasks.running > 0) await delay(5);
  });
});

describe('our client, task server of the official SDK v1', () => {
  async function connected() {
    const taskStore = new InMemoryTaskStore();
    const server = new V1Server(info, {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore,
    });
    server.experimental.tasks.registerToolTask(
      'compost',
      { description: 'Slow', inputSchema: { ms: z.number() }, execution: { taskSupport: 'required' } },
      {
        createTask: async ({ ms }, { taskStore: store }) => {
          const task = await store.createTask({ ttl: 60_000, pollInterval: 20 });
          if (ms < 10_000)
            setTimeout(() => {
              void store.storeTaskResult(task.taskId, 'completed', { content: [{ type: 'text', text: 'Good soil.' }] });
            }, ms);
          return { task };
        },
        getTask: async (_args, { taskId, taskStore: store }) => store.getTask(taskId),
        getTaskResult: async (_args, { taskId, taskStore: store }) => (await store.getTaskResult(taskId)) as never,
      },
    );
    const [one, other] = memoryPair();
    await server.connect(other as never);
    const client = createClient({ info, revisions: [older], tasks: clientTasks() });
    await client.connect(one);
    open.push(client, server, {
      close: () => {
        taskStore.cleanup();
      },
    });
    return client;
  }

  test('callTool requests the task that the tool requires, and waits for it', async () => {
    const client = await connected();
    const { content } = await client.callTool({ name: 'compost', arguments: { ms: 60 } });
    expect(content).toEqual([{ type: 'text', text: 'Good soil.' }]);
  });

  test('a task is shown, resumed and cancelled', async () => {
    const client = await connected();
    const task = await callToolAsTask(client, { name: 'compost', arguments: { ms: 60 } }, { ttlMs: 30_000 });
    expect(task.state).toMatchObject({ status: 'working' });
    const { content } = await resumeTask(client, task.id ?? '').result();
    expect(content).toEqual([{ type: 'text', text: 'Good soil.' }]);
    const endless = await callToolAsTask(client, { name: 'compost', arguments: { ms: 99_999 } });
    await endless.cancel();
    await expect(endless.result()).rejects.toMatchObject({ name: 'TaskCancelledError' });
  });
});

test('our server requests sampling as a task from the receiver of @modelcontextprotocol/ext-tasks', async () => {
  const client = new V2Client(info, {
    capabilities: {
      sampling: {},
      tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } },
    },
    supportedProtocolVersions: [older.version],
  });
  const receiver = bindTaskReceiver(client, {
    methods: { 'sampling/createMessage': true },
    sampling: () => Promise.resolve({ model: 'm', role: 'assistant', content: { type: 'text', text: 'Soil.' } }),
  });
  const server = createServer({
    info,
    revisions: [older],
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'tools/call': async (_params, context) => {
        const params = { messages: [{ role: 'user', content: { type: 'text', text: 'What?' } }], maxTokens: 5 };
        const created = await context.request('sampling/createMessage', { ...params, task: {} } as never);
        const { taskId } = (created as unknown as { task: { taskId: string } }).task;
        const { status } = await context.request('tasks/get', { taskId });
        const result = await context.request('tasks/result', { taskId });
        return { content: [{ type: 'text', text: `${status} ${JSON.stringify(result['content'])}` }] };
      },
    },
  });
  const [one, other] = V2Memory.createLinkedPair();
  await server.connect(other);
  await client.connect(one);
  open.push(client, server, receiver);
  const { content } = (await client.callTool({ name: 'ask', arguments: {} })) as { content: { text: string }[] };
  expect(content[0]?.text).toMatch(/^(working|completed) \{"type":"text","text":"Soil."\}$/);
});
