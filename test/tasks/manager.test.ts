/** The records and timers of tasks, without a server. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TaskManager, type TaskStart, type TasksOptions } from '../../generated/runtime/tasks/manager.js';
import { memoryTaskStore } from '../../generated/runtime/tasks/memory-store.js';

const NOW = Date.UTC(2026, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

function managerWith(
  options: TasksOptions = {},
  work: () => Promise<object> = async () => new Promise(() => undefined),
) {
  const store = memoryTaskStore();
  const manager = new TaskManager({ store, ...options });
  manager.addWork('sample', { isResumable: false, run: work });
  const start = (more: Partial<TaskStart> = {}) =>
    manager.create({
      ...{ tool: 'sample', arguments: { a: 1 }, checked: { a: 1 }, state: undefined, principal: 'rose' },
      ...{ revision: '2026-07-28', client: { info: undefined, capabilities: {} } },
      ...more,
    });
  return { store, manager, start };
}

describe('a new task', () => {
  test('works, and lasts an hour by default', async () => {
    const { manager, start } = managerWith();
    expect(await start()).toEqual({
      ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string, version: 1, principal: 'rose', attempt: 1 },
      ...{ owner: expect.stringMatching(/^[0-9a-f-]{36}$/) as string, tool: 'sample', arguments: { a: 1 } },
      ...{ revision: '2026-07-28', client: { capabilities: {} }, status: 'working', inputs: {} },
      ...{ createdAt: NOW, updatedAt: NOW, expiresAt: NOW + 3_600_000, pollIntervalMs: 1000 },
    });
    await manager.close();
  });

  test.each<[TasksOptions, Partial<TaskStart>, object]>([
    [{ ttlMs: 5 }, {}, { expiresAt: NOW + 5 }],
    [{ ttlMs: 5 }, { ttlMs: 7 }, { expiresAt: NOW + 7 }],
    [{ ttlMs: 5 }, { ttlMs: null }, { expiresAt: null }],
    [{ ttlMs: null }, {}, { expiresAt: null }],
    [{ pollIntervalMs: 5 }, {}, { pollIntervalMs: 5 }],
    [{ pollIntervalMs: 5 }, { pollIntervalMs: 7 }, { pollIntervalMs: 7 }],
    [{}, { state: { b: 1 } }, { state: { b: 1 } }],
  ])('with %j and %j has %j', async (options, given, expected) => {
    const { manager, start } = managerWith(options);
    expect(await start(given)).toMatchObject(expected);
    await manager.close();
  });

  test('is rejected past the most that may run, and after the end', async () => {
    const { manager, start } = managerWith({ maxRunning: 1 });
    await start();
    expect([manager.running, manager.canRun('rose'), manager.canRun('other')]).toEqual([1, false, false]);
    await expect(start()).rejects.toMatchObject({ code: 503, message: 'Too many running tasks' });
    await manager.close();
    await expect(start()).rejects.toMatchObject({ code: 503, message: 'Too many running tasks' });
  });
});

test.each([
  [1, undefined, 1],
  [1.9, undefined, 1],
  [0, undefined, 1],
  [-5, undefined, 1],
  [86_400_000, undefined, 86_400_000],
  [86_400_001, undefined, 86_400_000],
  [50, 40, 40],
  ['5', undefined, undefined],
  [null, undefined, undefined],
  [Number.NaN, undefined, undefined],
  [Number.POSITIVE_INFINITY, undefined, undefined],
])('a client that requests %j ms, of at most %j, gets %j', (requested, maxTtlMs, expected) => {
  expect(managerWith(maxTtlMs === undefined ? {} : { maxTtlMs }).manager.ttlFor(requested)).toBe(expected);
});

test('the lease is renewed each third of it, while tasks run, and released at the end', async () => {
  const { store, manager, start } = managerWith({ leaseMs: 90_000 });
  const heartbeat = vi.spyOn(store, 'heartbeat');
  const release = vi.spyOn(store, 'release');
  const { owner } = await start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heartbeat.mock.calls).toEqual(
    [0, 30_000, 60_000].map((passed) => [owner, NOW + passed + 90_000, NOW + passed]),
  );
  await manager.close();
  expect(release.mock.calls).toEqual([[owner]]);
  await vi.advanceTimersByTimeAsync(200_000);
  expect(heartbeat).toHaveBeenCalledTimes(3);
  expect(vi.getTimerCount()).toBe(0);
});

describe('a task', () => {
  test.each<[string, () => Promise<object>, TasksOptions, object]>([
    ['that ends', () => Promise.resolve({ content: [] }), {}, { status: 'completed', result: { content: [] } }],
    [
      'whose work fails',
      () => Promise.reject(new RangeError('the password')),
      {},
      { status: 'failed', error: { code: -32603, message: 'Internal error' } },
    ],
    [
      'whose work fails, with exposed errors',
      () => Promise.reject(new RangeError('the reason')),
      { exposeErrors: true },
      { status: 'failed', error: { code: -32603, message: 'the reason' } },
    ],
  ])('%s has its outcome', async (_, work, options, expected) => {
    const { manager, start } = managerWith(options, work);
    const { id } = await start();
    await vi.advanceTimersByTimeAsync(0);
    expect(await manager.find(id, 'rose')).toMatchObject({ ...expected, version: 2 });
    expect(manager.running).toBe(0);
    await manager.close();
  });

  test('of a tool that is gone fails', async () => {
    const { manager, start } = managerWith({ exposeErrors: true });
    const { id } = await start({ tool: 'gone' });
    await vi.advanceTimersByTimeAsync(0);
    expect(await manager.find(id, 'rose')).toMatchObject({
      status: 'failed',
      error: { message: 'there is no task tool gone' },
    });
    await manager.close();
  });

  test('is cancelled once, and found by its principal until it expires', async () => {
    const { manager, start } = managerWith({ ttlMs: 1000 });
    const { id } = await start();
    const first = await manager.cancel(id, 'rose');
    expect([first.hasCancelled, first.record.status, first.record.statusMessage]).toEqual([
      ...[true, 'cancelled', 'Cancelled by the client'],
    ]);
    expect((await manager.cancel(id, 'rose')).hasCancelled).toBe(false);
    const missing = { code: -32602, message: 'Task not found' };
    await expect(manager.find(id, 'other')).rejects.toMatchObject(missing);
    await expect(manager.cancel(id, 'other')).rejects.toMatchObject(missing);
    await vi.advanceTimersByTimeAsync(999);
    expect((await manager.lookUp(id, 'rose'))?.id).toBe(id);
    await vi.advanceTimersByTimeAsync(1);
    expect(await manager.lookUp(id, 'rose')).toBeUndefined();
    await expect(manager.find(id, 'rose')).rejects.toMatchObject(missing);
    await manager.close();
  });

  test('that runs at the end fails, unless it can be resumed', async () => {
    const { store, manager, start } = managerWith();
    manager.addWork('resumable', { isResumable: true, run: async () => new Promise(() => undefined) });
    const [lost, kept] = [await start(), await start({ tool: 'resumable' })];
    await manager.close();
    expect([await store.get(lost.id), await store.get(kept.id)]).toMatchObject([
      { status: 'failed', error: { message: 'The server was closed while it ran the task' } },
      { status: 'working' },
    ]);
  });
});
