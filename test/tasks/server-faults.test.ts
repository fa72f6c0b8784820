import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClient } from '../../generated/2026-07-28/client.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { callToolAsTask, clientTasks } from '../../generated/runtime/task-client.js';
import {
  createTasks,
  defineTaskTool,
  memoryTaskStore,
  type TaskEvent,
  type TaskRecord,
  type TaskStore,
} from '../../generated/runtime/tasks.js';
import { NODE_22, bundle } from './sqlite.js';
import { connectTo, delay, latest, older, pair, taskServer, type Pair } from './support.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const item of open.splice(0)) await item.close();
});
async function opened(...args: Parameters<typeof pair>): Promise<Pair> {
  const made = await pair(...args);
  open.push(made);
  return made;
}

const never = (): Promise<string> => new Promise(() => undefined);
const stuck = defineTaskTool({ name: 'stuck', run: never });
const roots = { answer: { method: 'roots/list' } } as const;
const asking = defineTaskTool({
  name: 'asking',
  run: async (_args, task) => JSON.stringify(await task.requireInput(roots)),
});
const textOf = (result: object): unknown => (result as { content: { text: string }[] }).content[0]?.text;
const answering = (answer: () => unknown) => ({ handlers: { 'roots/list': answer as () => { roots: [] } } });

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** A store whose methods are replaced. */
function storeWith(members: Partial<TaskStore>, inner: TaskStore = memoryTaskStore()): TaskStore {
  return {
    isShared: inner.isShared,
    create: (record) => inner.create(record),
    get: (id) => inner.get(id),
    replace: (record) => inner.replace(record),
    list: (principal, after, limit) => inner.list(principal, after, limit),
    heartbeat: (owner, until, now) => inner.heartbeat(owner, until, now),
    release: (owner) => inner.release(owner),
    abandoned: (now, limit, after) => inner.abandoned(now, limit, after),
    deleteExpired: (now, limit) => inner.deleteExpired(now, limit),
    changes: (after, limit) => inner.changes(after, limit),
    ...members,
  };
}

function stored(store: TaskStore, id = ''): TaskRecord | undefined {
  return store.get(id) as TaskRecord | undefined;
}

function sample(id: string, members: Partial<TaskRecord> = {}): TaskRecord {
  return {
    id,
    version: 1,
    principal: '',
    owner: 'gone',
    attempt: 1,
    tool: 'stuck',
    arguments: {},
    revision: '2026-07-28',
    client: { info: undefined, capabilities: {} },
    status: 'working',
    createdAt: Date.now(),
    updatedAt: Date.now(),
    expiresAt: null,
    pollIntervalMs: 100,
    inputs: {},
    ...members,
  };
}

describe('limits of time', () => {
  test.each([{ ttl: 1 }, { ttl: 86_400_000 }, { ttl: 'x' }])('a client of 2026-07-28 cannot set $ttl', async (task) => {
    const store = memoryTaskStore();
    const { client } = await opened([stuck], { tasks: { store, ttlMs: 60_000 } });
    const result = await client.request('tools/call', { name: 'stuck', task });
    expect(result).toMatchObject({ resultType: 'task', ttlMs: 60_000 });
  });

  test('those of a tool are checked', () => {
    for (const options of [{ ttlMs: Number.NaN }, { ttlMs: -5 }, { pollIntervalMs: 0.5 }, { pollIntervalMs: -1 }])
      expect(() => defineTaskTool({ name: 'w', ...options, run: never })).toThrow(RangeError);
    expect(() => defineTaskTool({ name: 'w', ttlMs: null, pollIntervalMs: 1, run: never })).not.toThrow();
  });

  test('a long interval between looks at a shared store is not a short one', async () => {
    let looks = 0;
    const inner = memoryTaskStore();
    const changes = () => {
      looks += 1;
      return { ids: [], position: 0 };
    };
    await opened([stuck], { tasks: { store: storeWith({ isShared: true, changes }, inner), syncMs: 2 ** 31 } }).then(
      ({ client }) => callToolAsTask(client, { name: 'stuck' }),
    );
    await delay(60);
    expect(looks).toBe(0);
  });
});

describe('a store that fails for a moment', () => {
  test('loses no result', async () => {
    const inner = memoryTaskStore();
    let failures = 0;
    const events: TaskEvent[] = [];
    const replace = (record: TaskRecord) => {
      if (record.status === 'completed' && (failures += 1) <= 2) throw new Error('database is locked');
      return inner.replace(record);
    };
    const quick = defineTaskTool({ name: 'quick', run: () => 'task' });
    const { client, tasks } = await opened([quick], {
      tasks: { store: storeWith({ replace }, inner), onEvent: (event) => events.push(event) },
    });
    expect(textOf(await client.callTool({ name: 'quick' }))).toBe('task');
    expect(events.map(({ kind }) => kind)).toEqual(['taskStoreFailed', 'taskStoreFailed']);
    await vi.waitFor(() => {
      expect(tasks.running).toBe(0);
    });
  });

  test('loses no result when the tasks are closed', async () => {
    const inner = memoryTaskStore();
    let isFailing = true;
    let failed: () => void = () => undefined;
    const hasFailed = new Promise<void>((resolve) => (failed = resolve));
    const replace = (record: TaskRecord) => {
      if (!isFailing) return inner.replace(record);
      failed();
      throw new Error('database is locked');
    };
    const quick = defineTaskTool({ name: 'quick', run: () => 'task' });
    const { client, tasks } = await opened([quick], { tasks: { store: storeWith({ replace }, inner) } });
    const { id } = await callToolAsTask(client, { name: 'quick' });
    await hasFailed;
    isFailing = false;
    await tasks.close();
    expect(stored(inner, id)?.status).toBe('completed');
  });

  test('does not have the user asked again in 2025-11-25', async () => {
    const inner = memoryTaskStore();
    let hasFailed = false;
    let asked = 0;
    const replace = (record: TaskRecord) => {
      if (!hasFailed && record.inputs['answer']?.response !== undefined) {
        hasFailed = true;
        throw new Error('database is locked');
      }
      return inner.replace(record);
    };
    const { client } = await opened([asking], {
      revision: older,
      tasks: { store: storeWith({ replace }, inner) },
      client: answering(() => {
        asked += 1;
        return { roots: [] };
      }),
    });
    const { id } = await callToolAsTask(client, { name: 'asking' });
    const result = String(textOf(await client.request('tasks/result', { taskId: id })));
    // The client adds the task that the answer belongs to.
    expect(JSON.parse(result)).toMatchObject({ answer: { roots: [] } });
    expect({ asked, hasFailed }).toEqual({ asked: 1, hasFailed: true });
  });
});

describe('close', () => {
  test('stops all work and releases the lease though the store fails, and says so each time', async () => {
    const inner = memoryTaskStore();
    let isFailing = false;
    let aborted = 0;
    const released: string[] = [];
    const work = defineTaskTool({
      name: 'work',
      run: (_args, { signal }) => {
        signal.addEventListener('abort', () => (aborted += 1));
        return never();
      },
    });
    const store = storeWith(
      {
        get: (id) => {
          if (isFailing) throw new Error('disk I/O error');
          return inner.get(id);
        },
        release: (owner) => {
          released.push(owner);
        },
      },
      inner,
    );
    const { server, tasks } = taskServer([work], { store });
    open.push(server);
    const client = await connectTo(server);
    for (let count = 0; count < 3; count += 1) await callToolAsTask(client, { name: 'work' });
    isFailing = true;
    await expect(tasks.close()).rejects.toThrow('disk I/O error');
    expect(aborted).toBe(3);
    expect(released).toHaveLength(1);
    await expect(tasks.close()).rejects.toThrow('disk I/O error');
  });

  test('a task that is just being made does not start', async () => {
    const inner = memoryTaskStore();
    let hasStarted = false;
    const work = defineTaskTool({
      name: 'work',
      run: () => {
        hasStarted = true;
        return 'done';
      },
    });
    let creating: () => void = () => undefined;
    const isCreating = new Promise<void>((resolve) => (creating = resolve));
    const create = async (record: TaskRecord) => {
      creating();
      await delay(20);
      await inner.create(record);
    };
    const { client, tasks } = await opened([work], { tasks: { store: storeWith({ create }, inner) } });
    const call = callToolAsTask(client, { name: 'work' });
    await isCreating;
    await tasks.close();
    const { id } = await call;
    expect(hasStarted).toBe(false);
    expect(stored(inner, id)).toMatchObject({ status: 'failed' });
  });
});

describe('inputs', () => {
  test('an error as an answer ends the input in 2025-11-25: tasks/result returns what the call would have', async () => {
    let asked = 0;
    const patient = defineTaskTool({
      name: 'patient',
      run: async (_args, task) => {
        const message = await task.requireInput(roots).then(
          () => 'no error',
          (error: unknown) => `${(error as RpcError).code} ${(error as RpcError).message}`,
        );
        await delay(30);
        return message;
      },
    });
    const { client } = await opened([patient, asking], {
      revision: older,
      client: answering(() => {
        asked += 1;
        throw new RpcError(-32000, 'no user here');
      }),
    });
    const { id } = await callToolAsTask(client, { name: 'patient' });
    const result = await client.request('tasks/result', { taskId: id });
    expect(textOf(result)).toBe('-32000 no user here');
    expect(asked).toBe(1);
    // Work that does not handle it fails with it.
    const other = await callToolAsTask(client, { name: 'asking' });
    await expect(client.request('tasks/result', { taskId: other.id })).rejects.toMatchObject({
      code: -32000,
      message: 'no user here',
    });
    expect(asked).toBe(2);
  });

  test('when the session that was asked is gone, another one that waits is asked', async () => {
    const { server, tasks } = taskServer([asking]);
    open.push(server, tasks);
    let isAsked: () => void = () => undefined;
    const first = await connectTo(server, {
      revision: older,
      client: answering(() => {
        isAsked();
        return never();
      }),
    });
    const second = await connectTo(server, { revision: older, client: answering(() => ({ roots: [] })) });
    open.push(second);
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const { id } = await callToolAsTask(first, { name: 'asking' });
    first.request('tasks/result', { taskId: id }).catch(() => undefined);
    await asked;
    const result = second.request('tasks/result', { taskId: id }, { timeout: 1500 });
    await delay(30);
    await first.close();
    expect(JSON.parse(String(textOf(await result)))).toMatchObject({ answer: { roots: [] } });
  });

  test('two equal ones at the same time are two inputs', async () => {
    const twice = defineTaskTool({
      name: 'twice',
      run: async (_args, task) =>
        JSON.stringify(await Promise.all([task.requireInput(roots), task.requireInput(roots)])),
    });
    const { client } = await opened([twice], { client: answering(() => ({ roots: [] })) });
    const result = await client.callTool({ name: 'twice' }, { maxTimeout: 1500 });
    expect(textOf(result)).toBe('[{"answer":{"roots":[]}},{"answer":{"roots":[]}}]');
  });

  test('any name is a key', async () => {
    const odd = defineTaskTool({
      name: 'odd',
      run: async (_args, task) => Object.keys(await task.requireInput({ constructor: roots.answer })).join(),
    });
    const { client } = await opened([odd], { client: answering(() => ({ roots: [] })) });
    expect(textOf(await client.callTool({ name: 'odd' }, { maxTimeout: 1500 }))).toBe('constructor');
  });
});

describe('work that lost its task', () => {
  test('learns it from save', async () => {
    const inner = memoryTaskStore();
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const saved = deferred<unknown>();
    const work = defineTaskTool({
      name: 'work',
      resumable: true,
      before: () => 0,
      run: async (_args, task) => {
        await gate;
        await task.save(7).then(() => {
          saved.resolve('saved');
        }, saved.resolve);
        return 'done';
      },
    });
    const { client } = await opened([work], { tasks: { store: storeWith({ isShared: true }, inner), syncMs: 60_000 } });
    const { id } = await callToolAsTask(client, { name: 'work' });
    const record = stored(inner, id);
    if (record === undefined) throw new Error('there is no task');
    await inner.replace({ ...record, version: record.version + 1, owner: 'other', attempt: 2, state: 3 });
    go();
    expect(await saved.promise).toMatchObject({ message: 'another process has taken over the task' });
    expect(stored(inner, id)?.state).toBe(3);
  });

  test('and ends after this process has resumed the task leaves the new work alone', async () => {
    const inner = memoryTaskStore();
    const runs: { readonly signal: AbortSignal; readonly end: () => void }[] = [];
    const work = defineTaskTool({
      name: 'work',
      resumable: true,
      run: (_args, { signal }) =>
        new Promise<string>((resolve) =>
          runs.push({
            signal,
            end: () => {
              resolve('done');
            },
          }),
        ),
    });
    const { client, tasks } = await opened([work], {
      tasks: { store: storeWith({ isShared: true }, inner), syncMs: 20, leaseMs: 150 },
    });
    const { id } = await callToolAsTask(client, { name: 'work' });
    const record = stored(inner, id);
    if (record === undefined) throw new Error('there is no task');
    // Another process takes the task over, and stops.
    await inner.replace({ ...record, version: record.version + 1, owner: 'other', attempt: 2 });
    await vi.waitFor(() => {
      expect(runs).toHaveLength(2);
    });
    expect(runs.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    runs[0]?.end();
    await delay(30);
    expect([tasks.running, stored(inner, id)?.status]).toEqual([1, 'working']);
    await client.request('tasks/cancel', { taskId: id } as never);
    await vi.waitFor(() => {
      expect(runs[1]?.signal.aborted).toBe(true);
    });
  });

  test('is aborted if the call is cancelled while the task is being made', async () => {
    const inner = memoryTaskStore();
    const aborted = deferred<string>();
    const work = defineTaskTool({
      name: 'work',
      run: (_args, { signal }) => {
        signal.addEventListener('abort', () => {
          aborted.resolve((signal.reason as Error).message);
        });
        return never();
      },
    });
    const create = async (record: TaskRecord) => {
      await delay(80);
      await inner.create(record);
    };
    const { client } = await opened([work], { tasks: { store: storeWith({ create }, inner) } });
    await expect(client.callTool({ name: 'work' }, { signal: AbortSignal.timeout(30) })).rejects.toThrow();
    expect(await Promise.race([aborted.promise, delay(1000)])).toBe('the task was cancelled');
  });
});

describe('a change between a look-up and the start of the watch', () => {
  /** Whose next look-up returns late what it found at once. */
  function lateStore() {
    const inner = memoryTaskStore();
    const late = { ms: 0 };
    const get = async (id: string) => {
      const record = await inner.get(id);
      const { ms } = late;
      late.ms = 0;
      if (ms > 0) await delay(ms);
      return record;
    };
    return { inner, late, store: storeWith({ get }, inner) };
  }
  const ended = () => {
    const end = deferred<string>();
    return { end, tool: defineTaskTool({ name: 'work', run: () => end.promise }) };
  };

  test('ends tasks/result', async () => {
    const { store, late } = lateStore();
    const { end, tool } = ended();
    const { client } = await opened([tool], { revision: older, tasks: { store } });
    const { id } = await callToolAsTask(client, { name: 'work' });
    late.ms = 60;
    const result = client.request('tasks/result', { taskId: id }, { timeout: 1000 });
    await delay(10);
    end.resolve('done');
    expect(textOf(await result)).toBe('done');
  });

  test('reaches a subscription', async () => {
    const { store, late } = lateStore();
    const { end, tool } = ended();
    const { client } = await opened([tool], { follow: { maxSubscriptions: 0 }, tasks: { store } });
    const { id = '' } = await callToolAsTask(client, { name: 'work' });
    const got: unknown[] = [];
    // An extension's member.
    const filter: object = { taskIds: [id] };
    late.ms = 60;
    void client
      .listen(filter, {
        onNotification: (_method, params) => {
          got.push((params as { status?: unknown }).status);
        },
      })
      .catch(() => undefined);
    await delay(10);
    end.resolve('done');
    await vi.waitFor(() => {
      expect(got.at(-1)).toBe('completed');
    });
  });
});

describe('subscriptions', () => {
  test('a client that names no task receives the other notifications', async () => {
    const tasks = createTasks();
    const server = createServer({
      info: { name: 's', version: '1' },
      revisions: [latest],
      capabilities: { tools: { listChanged: true } },
      handlers: tasks.toolHandlers([stuck]),
      extensions: [tasks],
    });
    open.push(tasks);
    const client = await connectTo(server);
    open.push(client);
    const got: string[] = [];
    const subscription = await client.listen(
      { toolsListChanged: true },
      { onNotification: (method) => got.push(method) },
    );
    expect(subscription).toBeDefined();
    server.notify('notifications/tools/list_changed');
    await vi.waitFor(() => {
      expect(got).toEqual(['notifications/tools/list_changed']);
    });
  });
});

describe('requests', () => {
  test('waiting for results leaves room for others', async () => {
    const tasks = createTasks();
    const server = createServer({
      info: { name: 's', version: '1' },
      revisions: [older],
      handlers: tasks.toolHandlers([stuck]),
      extensions: [tasks],
      maxConcurrentRequests: 3,
    });
    const [clientSide, serverSide] = memoryPair();
    await server.connect(serverSide);
    const client = createClient({ info: { name: 'c', version: '1' }, revisions: [older], tasks: clientTasks() });
    await client.connect(clientSide);
    open.push(client, tasks, server);
    const ids: (string | undefined)[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await callToolAsTask(client, { name: 'stuck' })).id);
    const results = ids.map((id) =>
      client.request('tasks/result', { taskId: id }).then(
        () => 'result',
        (error: unknown) => (error as RpcError).message,
      ),
    );
    await delay(20);
    for (const id of ids)
      expect(await client.request('tasks/cancel', { taskId: id })).toMatchObject({
        status: 'cancelled',
      });
    expect(new Set(await Promise.all(results))).toEqual(new Set(['The task has no result: it is cancelled']));
  });

  test('an unknown tool is the same error with and without a task', async () => {
    const { client } = await opened([stuck], { revision: older });
    const errorOf = (params: object): Promise<unknown> =>
      client.request('tools/call', { name: 'nope', ...params }).then(
        () => 'no error',
        (error: unknown) => (error as RpcError).code,
      );
    expect([await errorOf({}), await errorOf({ task: {} })]).toEqual([-32602, -32602]);
  });

  test('an expired task is not listed', async () => {
    const store = memoryTaskStore();
    const { client } = await opened([stuck], { revision: older, tasks: { store, list: true } });
    await callToolAsTask(client, { name: 'stuck' });
    await delay(20);
    await store.create(sample('a', { expiresAt: Date.now() - 1, status: 'completed' }));
    await store.create(sample('b', { status: 'completed' }));
    const { tasks } = (await client.request('tasks/list')) as unknown as { tasks: { taskId: string }[] };
    expect(tasks.map(({ taskId }) => taskId)).toContain('b');
    expect(tasks.map(({ taskId }) => taskId)).not.toContain('a');
  });
});

describe('tasks of processes that have stopped', () => {
  test('are reported as failed though many others wait for room', async () => {
    const store = memoryTaskStore();
    for (let index = 0; index < 150; index += 1) await store.create(sample(`a${index}`, { tool: 'resumable' }));
    for (let index = 0; index < 10; index += 1) await store.create(sample(`b${index}`));
    const resumable = defineTaskTool({ name: 'resumable', resumable: true, run: never });
    const { tasks, server } = taskServer([resumable, stuck], { store, leaseMs: 60_000, maxRunning: 10 });
    open.push(tasks, server);
    tasks.start();
    await vi.waitFor(() => {
      expect(stored(store, 'b9')?.status).toBe('failed');
    });
    expect(tasks.running).toBe(10);
  });

  test('are not those of living ones when the clock is set', async () => {
    const inner = memoryTaskStore();
    const options = { leaseMs: 300, store: storeWith({ isShared: true }, inner) };
    const [here, there] = [taskServer([stuck], options), taskServer([stuck], options)];
    open.push(here.tasks, there.tasks, here.server, there.server);
    there.tasks.start();
    const client = await connectTo(here.server);
    const { id } = await callToolAsTask(client, { name: 'stuck' });
    const real = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => real() + 60_000);
    await delay(700);
    expect(stored(inner, id)?.status).toBe('working');
    // One that does stop is still noticed.
    await inner.create(sample('dead'));
    await vi.waitFor(() => {
      expect(stored(inner, 'dead')?.status).toBe('failed');
    });
  });

  test('keep the time of their last change', async () => {
    const store = memoryTaskStore();
    const later = Date.now() + 5000;
    await store.create(sample('a', { tool: 'resumable', updatedAt: later }));
    const resumable = defineTaskTool({ name: 'resumable', resumable: true, run: never });
    const { tasks, server } = taskServer([resumable], { store });
    open.push(tasks, server);
    tasks.start();
    await vi.waitFor(() => {
      expect(stored(store, 'a')?.attempt).toBe(2);
    });
    expect(stored(store, 'a')?.updatedAt).toBe(later);
  });

  test('and expired ones are deleted in steps, between which requests are handled', async () => {
    const inner = memoryTaskStore();
    let steps = 0;
    let turns = 0;
    let turnsMeanwhile = 0;
    const deleteExpired = (_now: number, limit: number) => {
      turnsMeanwhile = turns;
      return (steps += 1) < 20 ? limit : 0;
    };
    const { tasks, server } = taskServer([stuck], { store: storeWith({ deleteExpired }, inner) });
    open.push(tasks, server);
    const turn = setInterval(() => (turns += 1), 0);
    tasks.start();
    await vi.waitFor(() => {
      expect(steps).toBe(20);
    });
    clearInterval(turn);
    expect(turnsMeanwhile).toBeGreaterThan(5);
  });
});

describe('stores', () => {
  test('a principal that uses most of the room cannot take the rest with its results', async () => {
    const store = memoryTaskStore({ maxBytes: 1_000_000 });
    const record = (id: string, principal: string) => sample(id, { principal });
    for (let index = 0; index < 10; index += 1) await store.create(record(`a${index}`, 'ann'));
    let kept = 0;
    for (let index = 0; index < 10; index += 1) {
      const result = { text: 'x'.repeat(95_000) };
      try {
        await store.replace({ ...record(`a${index}`, 'ann'), version: 2, status: 'completed', result });
        kept += 1;
      } catch {
        // No room.
      }
    }
    expect(kept).toBeGreaterThan(5);
    expect(kept).toBeLessThan(9);
    await store.create(record('b', 'bob'));
    expect(await store.get('b')).toBeDefined();
  });

  test('several processes open the same new database at once', { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'tasks-open-'));
    try {
      const program = await bundle(
        `
        import { DatabaseSync } from 'node:sqlite';
        import { sqliteTaskStore } from './generated/runtime/tasks-sqlite.js';
        const [, , file, at] = process.argv;
        while (Date.now() < Number(at));
        sqliteTaskStore(new DatabaseSync(file));
        console.log('open');
      `,
        folder,
        'open',
      );
      const at = String(Date.now() + 600);
      const opens = Array.from({ length: 6 }, () =>
        promisify(execFile)(NODE_22, ['--no-warnings', program, path.join(folder, 'new.db'), at]).then(
          ({ stdout }) => stdout.trim(),
          (error: unknown) => String(error),
        ),
      );
      expect(await Promise.all(opens)).toEqual(Array.from({ length: 6 }, () => 'open'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
