/* eslint-disable @typescript-eslint/no-deprecated -- `roots/list` is the input that needs the least, and works in both revisions. */
import { afterEach, describe, expect, test } from 'vitest';
import { createServer } from '../../generated/2026-07-28/server.js';
import { createTasks, defineTaskTool, memoryTaskStore, type TaskStore } from '../../generated/runtime/tasks.js';
import type { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { callToolAsTask, resumeTask } from '../../generated/runtime/task-client.js';
import { revision as plain } from '../../generated/2026-07-28/revision.js';
import { connectTo, delay, latest, older, pair, taskServer, type Pair } from './support.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0)) await item.close();
});
async function opened(...args: Parameters<typeof pair>): Promise<Pair> {
  const made = await pair(...args);
  open.push(made);
  return made;
}

const quick = defineTaskTool({ name: 'quick', run: (_args, task) => (task.id === undefined ? 'call' : 'task') });
const required = defineTaskTool({ name: 'required', taskSupport: 'required', run: () => 'task' });
const waiting = defineTaskTool({
  name: 'waiting',
  run: async (args, task) => {
    if (task.id === undefined) return 'call';
    const { answer } = await task.requireInput({ answer: { method: 'roots/list' } });
    const { again } = await task.requireInput({ again: { method: 'roots/list' } });
    return JSON.stringify({ answer, again });
  },
});
const stuck = defineTaskTool({
  name: 'stuck',
  run: (_args, { signal, id }) =>
    id === undefined
      ? 'call'
      : new Promise<string>((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        }),
});
const textOf = (result: object): unknown => (result as { content: { text: string }[] }).content[0]?.text;

describe.each([
  { name: '2026-07-28', revision: latest },
  { name: '2025-11-25', revision: older },
])('isolation in $name', ({ revision }) => {
  test('the task of another principal is not found, in the words of an unknown id', async () => {
    const { server, tasks } = taskServer([stuck], { list: true });
    open.push(server, tasks);
    const ann = await connectTo(server, { revision, principal: 'ann' });
    const bob = await connectTo(server, { revision, principal: 'bob' });
    open.push(ann, bob);
    const task = await callToolAsTask(ann, { name: 'stuck' });
    const errorOf = (id: string, method: string): Promise<unknown> =>
      bob.request(method, { taskId: id, inputResponses: {} }).then(
        () => 'no error',
        (error: unknown) => {
          const { code, message, data } = error as RpcError;
          return { code, message, data };
        },
      );
    for (const method of revision === latest
      ? ['tasks/get', 'tasks/update', 'tasks/cancel']
      : ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      const error = await errorOf(task.id ?? '', method);
      expect(error, method).toMatchObject({ code: -32602 });
      expect(error).toEqual(await errorOf('00000000-0000-4000-8000-000000000000', method));
    }
    expect((await task.refresh())?.status).toBe('working');
    if (revision === latest) {
      const { filter } = await bob.openSubscription({ taskIds: [task.id ?? ''] });
      expect(filter).toEqual({ taskIds: [] });
      return;
    }
    expect(await bob.request('tasks/list')).toEqual({ tasks: [] });
    expect(await ann.request('tasks/list')).toMatchObject({ tasks: [{ taskId: task.id, status: 'working' }] });
  });
});

describe('expiry', () => {
  test('a task is gone after its ttl, and its work is aborted', async () => {
    const { client, tasks } = await opened([stuck], { tasks: { ttlMs: 80, leaseMs: 60 } });
    const task = await callToolAsTask(client, { name: 'stuck' });
    expect(task.state?.ttlMs).toBe(80);
    await expect(task.result()).rejects.toMatchObject({ name: 'TaskExpiredError', taskId: task.id });
    await expect(task.refresh()).rejects.toMatchObject({ code: -32602, message: 'Task not found' });
    while (tasks.running > 0) await delay(10);
  });

  test('a finished task stays until then', async () => {
    const { client } = await opened([quick], { tasks: { ttlMs: 150, leaseMs: 60 } });
    const { id = '' } = await callToolAsTask(client, { name: 'quick' });
    await delay(50);
    expect(textOf(await resumeTask(client, id).result())).toBe('task');
    await delay(150);
    await expect(resumeTask(client, id).refresh()).rejects.toMatchObject({ code: -32602 });
  });

  test('an older client may request a ttl, up to a maximum', async () => {
    const { client } = await opened([stuck], { revision: older, tasks: { maxTtlMs: 5000 } });
    expect((await callToolAsTask(client, { name: 'stuck' }, { ttlMs: 1200 })).state?.ttlMs).toBe(1200);
    expect((await callToolAsTask(client, { name: 'stuck' }, { ttlMs: 99_000 })).state?.ttlMs).toBe(5000);
  });
});

describe('limits', () => {
  test('without room, work runs within the call where the tool allows it', async () => {
    const { client } = await opened([quick, required], { tasks: { store: memoryTaskStore({ maxTasks: 1 }) } });
    expect(textOf(await client.callTool({ name: 'quick' }))).toBe('task');
    expect(textOf(await client.callTool({ name: 'quick' }))).toBe('call');
    await expect(client.callTool({ name: 'required' })).rejects.toMatchObject({ code: 503, message: 'Too many tasks' });
  });

  test('so does work beyond maxRunning', async () => {
    const { client, tasks } = await opened([stuck, required], { tasks: { maxRunning: 2 } });
    await callToolAsTask(client, { name: 'stuck' });
    await callToolAsTask(client, { name: 'stuck' });
    expect(tasks.running).toBe(2);
    expect(textOf(await client.callTool({ name: 'stuck' }))).toBe('call');
    await expect(client.callTool({ name: 'required' })).rejects.toMatchObject({
      code: 503,
      message: 'Too many running tasks',
    });
  });

  test('a result that does not fit fails the task', async () => {
    const big = defineTaskTool({ name: 'big', run: () => 'x'.repeat(200_000) });
    const { client } = await opened([big], { tasks: { store: memoryTaskStore({ maxBytes: 100_000 }) } });
    await expect(client.callTool({ name: 'big' })).rejects.toMatchObject({
      code: 503,
      message: 'The tasks of this server have no room left',
    });
  });

  test('10,000 tasks are followed at the same time', { timeout: 60_000 }, async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const gated = defineTaskTool({ name: 'gated', taskSupport: 'required', run: () => gate.then(() => 'task') });
    const { client, tasks } = await opened([gated], { tasks: { maxRunning: 10_000, ttlMs: 60_000 } });
    const ids: string[] = [];
    for (let batch = 0; batch < 20; batch += 1) {
      const started = await Promise.all(Array.from({ length: 500 }, () => callToolAsTask(client, { name: 'gated' })));
      ids.push(...started.map(({ id = '' }) => id));
    }
    expect(new Set(ids).size).toBe(10_000);
    expect(tasks.running).toBe(10_000);
    await expect(client.callTool({ name: 'gated' })).rejects.toMatchObject({ code: 503 });
    release();
    while (tasks.running > 0) await delay(20);
    for (const id of [ids[0] ?? '', ids[5000] ?? '', ids[9999] ?? ''])
      expect(textOf(await resumeTask(client, id).result())).toBe('task');
  });
});

describe('inputs', () => {
  const roots = (uri: string) => ({ handlers: { 'roots/list': () => ({ roots: [{ uri }] }) } });

  test('keys are unique during the life of a task', async () => {
    const twice = defineTaskTool({
      name: 'twice',
      run: async (_args, task) => {
        const first = await task.requireInput({ answer: { method: 'roots/list' } });
        const second = await task.requireInput({ answer: { method: 'roots/list', params: { _meta: { n: 2 } } } });
        return JSON.stringify([first, second]);
      },
    });
    const { client } = await opened([twice], { client: roots('file:///a') });
    const task = await callToolAsTask(client, { name: 'twice' });
    const keys: unknown[] = [];
    for (let round = 0; round < 2; round += 1) {
      let state: { inputRequests?: object } = {};
      while (state.inputRequests === undefined || Object.keys(state.inputRequests).every((key) => keys.includes(key))) {
        state = await client.request('tasks/get', { taskId: task.id });
        await delay(5);
      }
      const [key = ''] = Object.keys(state.inputRequests);
      keys.push(key);
      await client.request('tasks/update', {
        taskId: task.id,
        inputResponses: { [key]: { roots: [] }, unknown: { ignored: true } },
      });
    }
    expect(keys).toEqual(['answer', 'answer#2']);
    expect(textOf(await task.result())).toBe('[{"answer":{"roots":[]}},{"answer":{"roots":[]}}]');
  });

  test('an answer that does not match its request is an error, and can be sent again', async () => {
    const { client } = await opened([waiting], { client: roots('file:///a') });
    const task = await callToolAsTask(client, { name: 'waiting' });
    while ((await task.refresh())?.status !== 'input_required') await delay(5);
    await expect(
      client.request('tasks/update', { taskId: task.id, inputResponses: { answer: { roots: 5 } } }),
    ).rejects.toMatchObject({ code: -32602 });
    expect((await task.refresh())?.status).toBe('input_required');
    expect(textOf(await task.result())).toContain('file:///a');
  });

  test('a task does not request what the client has not declared', async () => {
    const { client } = await opened([waiting]);
    await expect(client.callTool({ name: 'waiting' })).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { roots: {} } },
    });
  });
});

describe('notifications of 2026-07-28', () => {
  test('a subscription reports each state, so that the client need not poll', async () => {
    const { client } = await opened([waiting], {
      client: { handlers: { 'roots/list': () => ({ roots: [] }) } },
      // Polls alone would take minutes.
      tasks: { pollIntervalMs: 60_000 },
    });
    expect(textOf(await client.callTool({ name: 'waiting' }))).toBe('{"answer":{"roots":[]},"again":{"roots":[]}}');
  });

  test('a client without subscriptions polls', async () => {
    const { client } = await opened([quick], { follow: { maxSubscriptions: 0 }, tasks: { pollIntervalMs: 40 } });
    expect(textOf(await client.callTool({ name: 'quick' }))).toBe('task');
  });
});

describe('the store of a server', () => {
  test('a failing store is an error of the request', async () => {
    const store: TaskStore = { ...wrap(memoryTaskStore()), get: () => Promise.reject(new Error('disk')) };
    const { client } = await opened([stuck], { tasks: { store } });
    await expect(resumeTask(client, 'x').refresh()).rejects.toMatchObject({ code: -32603, message: 'Internal error' });
  });

  test('work that was running is reported as failed when the tasks are closed', async () => {
    const store = memoryTaskStore();
    const { server, tasks } = taskServer([stuck], { store });
    const client = await connectTo(server);
    const { id = '' } = await callToolAsTask(client, { name: 'stuck' });
    await tasks.close();
    expect(store.get(id)).toMatchObject({ status: 'failed', error: { code: -32603 } });
    await server.close();
  });

  test('a revision without tasks is reported when the server is created', () => {
    const tasks = createTasks();
    expect(() =>
      createServer({
        info: { name: 'x', version: '1' },
        revisions: [plain],
        handlers: tasks.toolHandlers([quick]),
        extensions: [tasks],
      }),
    ).toThrow('generate the revision with `--extension`');
  });

  test('numbers that are not positive integers are rejected', () => {
    for (const options of [{ leaseMs: 0 }, { ttlMs: -1 }, { pollIntervalMs: 0.5 }, { maxRunning: Number.NaN }])
      expect(() => createTasks(options)).toThrow(RangeError);
  });
});

function wrap(store: TaskStore): TaskStore {
  return {
    isShared: store.isShared,
    create: (record) => store.create(record),
    get: (id) => store.get(id),
    replace: (record) => store.replace(record),
    list: (principal, after, limit) => store.list(principal, after, limit),
    heartbeat: (owner, until, now) => store.heartbeat(owner, until, now),
    release: (owner) => store.release(owner),
    abandoned: (now, limit) => store.abandoned(now, limit),
    deleteExpired: (now, limit) => store.deleteExpired(now, limit),
    changes: (after, limit) => store.changes(after, limit),
  };
}
