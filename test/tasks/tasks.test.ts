import { afterEach, describe, expect, test } from 'vitest';
import { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { ToolError, defineTool } from '../../generated/runtime/registry.js';
import { mirroredHeaders } from '../../generated/runtime/http/headers.js';
import { TASKS_EXTENSION, defineTaskTool } from '../../generated/runtime/tasks.js';
import { callToolAsTask, resumeTask, type TaskSnapshot } from '../../generated/runtime/task-client.js';
import { connectTo, delay, latest, older, pair, taskServer, type Pair, type PairOptions } from './support.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0)) await item.close();
});
async function opened(...args: Parameters<typeof pair>): Promise<Pair> {
  const made = await pair(...args);
  open.push(made);
  return made;
}

const texts = (result: object): unknown => (result as { content: { text: string }[] }).content.map(({ text }) => text);

const slow = defineTaskTool({
  name: 'slow',
  run: async (args, task) => {
    task.report('half done');
    await delay(Number(args['ms'] ?? 60));
    return `done ${task.id === undefined ? 'within the call' : 'as a task'}`;
  },
});
const required = defineTaskTool({ name: 'required', taskSupport: 'required', run: () => 'required' });
const failing = defineTaskTool({
  name: 'failing',
  run: () => {
    throw new ToolError('out of paper');
  },
});
const rejecting = defineTaskTool({
  name: 'rejecting',
  run: () => {
    throw new RpcError(-32050, 'rate limit', { after: 5 });
  },
});
const crashing = defineTaskTool({
  name: 'crashing',
  run: () => {
    throw new Error('secret');
  },
});
const greet = defineTool({ name: 'greet', run: ({ name }) => `Hello, ${String(name)}!` });
const asking = defineTaskTool({
  name: 'asking',
  run: async (_args, task) => {
    const { answer } = await task.requireInput({
      answer: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
      },
    });
    return JSON.stringify(answer);
  },
});
const TOOLS = [slow, required, failing, rejecting, crashing, greet, asking];

const elicit: NonNullable<PairOptions['client']> = {
  handlers: { 'elicitation/create': () => ({ action: 'accept', content: { name: 'Ann' } }) },
};

describe.each([
  { name: '2026-07-28', revision: latest, support: {} },
  { name: '2025-11-25', revision: older, support: { preferTasks: true } },
])('$name', ({ revision, support }) => {
  test('callTool waits for the result of the task', async () => {
    const states: TaskSnapshot[] = [];
    const { client, tasks } = await opened(TOOLS, {
      revision,
      follow: { ...support, onTask: (task) => states.push(task) },
    });
    const progress: unknown[] = [];
    const result = await client.callTool({ name: 'slow' }, { onProgress: (step) => progress.push(step.message) });
    expect(texts(result)).toEqual(['done as a task']);
    expect(states.map(({ status }) => status).at(0)).toBe('working');
    expect(states.map(({ status }) => status).at(-1)).toBe('completed');
    expect(progress).toEqual(['half done']);
    expect(tasks.running).toBe(0);
  });

  test('the client answers the inputs that a task requests', async () => {
    const { client } = await opened(TOOLS, { revision, follow: support, client: elicit });
    const result = await client.callTool({ name: 'asking' });
    const related = { 'io.modelcontextprotocol/related-task': { taskId: expect.any(String) as string } };
    expect(JSON.parse(String((texts(result) as string[])[0]))).toEqual({
      action: 'accept',
      content: { name: 'Ann' },
      // In 2025-11-25, messages name their task.
      ...(revision === older ? { _meta: related } : {}),
    });
  });

  test('a failure for the model is the result', async () => {
    const { client } = await opened(TOOLS, { revision, follow: support });
    expect(await client.callTool({ name: 'failing' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'out of paper' }],
    });
  });

  test('a JSON-RPC error of the work rejects the call', async () => {
    const { client } = await opened(TOOLS, { revision, follow: support });
    await expect(client.callTool({ name: 'rejecting' })).rejects.toMatchObject({
      code: -32050,
      message: 'rate limit',
      data: { after: 5 },
    });
  });

  test('other errors of the work are not exposed', async () => {
    const events: unknown[] = [];
    const { client } = await opened(TOOLS, {
      revision,
      follow: support,
      tasks: { onEvent: (event) => events.push(event) },
    });
    await expect(client.callTool({ name: 'crashing' })).rejects.toMatchObject({
      code: -32603,
      message: 'Internal error',
    });
    expect(events).toMatchObject([{ kind: 'taskFailed', tool: 'crashing', error: { message: 'secret' } }]);
  });

  test('callToolAsTask shows the task', async () => {
    const { client } = await opened(TOOLS, { revision });
    const task = await callToolAsTask(client, { name: 'slow', arguments: { ms: 100 } });
    expect(task.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(task.state).toMatchObject({ status: 'working', ttlMs: 3_600_000, pollIntervalMs: 30 });
    expect(await task.refresh()).toMatchObject({ status: 'working', statusMessage: 'half done' });
    expect(texts(await task.result())).toEqual(['done as a task']);
    expect(task.state?.status).toBe('completed');
  });

  test('a tool without tasks answers callToolAsTask at once', async () => {
    const { client } = await opened(TOOLS, { revision });
    const task = await callToolAsTask(client, { name: 'greet', arguments: { name: 'Bo' } });
    expect(task.id).toBeUndefined();
    expect(texts(await task.result())).toEqual(['Hello, Bo!']);
  });

  test('another client continues with the id', async () => {
    const { server, tasks } = taskServer(TOOLS);
    open.push(server, tasks);
    const first = await connectTo(server, { revision });
    const { id = '' } = await callToolAsTask(first, { name: 'slow' });
    await first.close();
    const second = await connectTo(server, { revision });
    expect(texts(await resumeTask(second, id).result())).toEqual(['done as a task']);
    // Once more, since results are kept until they expire.
    expect(texts(await resumeTask(second, id).result())).toEqual(['done as a task']);
    await second.close();
  });

  test('cancelling a task aborts its work', async () => {
    let reason: unknown;
    const endless = defineTaskTool({
      name: 'endless',
      run: (_args, { signal }) =>
        new Promise<string>((_, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(signal.reason as Error);
          });
        }),
    });
    const { client, tasks } = await opened([endless], { revision });
    const task = await callToolAsTask(client, { name: 'endless' });
    await task.refresh();
    expect(tasks.running).toBe(1);
    await task.cancel();
    expect(reason).toMatchObject({ name: 'AbortError', message: 'the task was cancelled' });
    await expect(task.result()).rejects.toMatchObject({ name: 'TaskCancelledError', taskId: task.id });
    expect(tasks.running).toBe(0);
  });

  test('aborting callTool cancels its task', async () => {
    const aborts: string[] = [];
    const endless = defineTaskTool({
      name: 'endless',
      run: (_args, { signal }) =>
        new Promise<string>((resolve) => {
          signal.addEventListener('abort', () => {
            aborts.push('work');
            resolve('');
          });
        }),
    });
    const { client, tasks } = await opened([endless], { revision, follow: support });
    const controller = new AbortController();
    const call = client.callTool({ name: 'endless' }, { signal: controller.signal });
    while (tasks.running === 0) await delay(5);
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    while (aborts.length === 0) await delay(5);
  });

  test('maxTimeout ends the waiting and the task', async () => {
    const { client, tasks } = await opened(TOOLS, { revision, follow: support });
    const call = client.callTool({ name: 'slow', arguments: { ms: 200 } }, { maxTimeout: 60 });
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(tasks.running).toBeLessThanOrEqual(1);
  });

  test('unknown ids are errors', async () => {
    const { client } = await opened(TOOLS, { revision });
    const unknown = resumeTask(client, 'no-such-task');
    await expect(unknown.result()).rejects.toMatchObject({ code: -32602, message: 'Task not found' });
    await expect(unknown.cancel()).rejects.toMatchObject({ code: -32602, message: 'Task not found' });
  });
});

describe('2026-07-28', () => {
  test('a client without the extension gets the result within the call', async () => {
    const { client } = await opened(TOOLS, { follow: false });
    expect(texts(await client.callTool({ name: 'slow' }))).toEqual(['done within the call']);
  });

  test('a client without the extension cannot call a tool that requires it', async () => {
    const { client } = await opened(TOOLS, { follow: false });
    await expect(client.callTool({ name: 'required' })).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    });
    for (const [method, params] of [
      ['tasks/get', { taskId: 'x' }],
      ['tasks/update', { taskId: 'x', inputResponses: {} }],
      ['tasks/cancel', { taskId: 'x' }],
      ['subscriptions/listen', { notifications: { taskIds: ['x'] } }],
    ] as const)
      await expect(client.request(method, params), method).rejects.toMatchObject({ code: -32021 });
  });

  test('a task for a client that has not declared the extension is an invalid result', async () => {
    const { server } = taskServer([slow]);
    open.push(server);
    const client = await connectTo(server, {
      follow: false,
      client: { capabilities: { extensions: {} } },
    });
    open.push(client);
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS_EXTENSION]: {} } } };
    await expect(client.callTool({ name: 'slow', _meta: meta })).rejects.toMatchObject({
      name: 'InvalidResultError',
    });
  });

  test('a request for a task repeats its id in a header', () => {
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect(mirroredHeaders({ method, params: { taskId: 'the id' } })).toEqual([
        ['Mcp-Method', method],
        ['Mcp-Name', 'the id'],
      ]);
  });

  test('the server declares the extension, and lists no task support', async () => {
    const { client } = await opened(TOOLS);
    expect(client.server.capabilities).toEqual({ tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } });
    expect(JSON.stringify(await client.listTools())).not.toContain('execution');
  });
});
