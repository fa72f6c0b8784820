import { describe, expect, test } from 'vitest';
import { memoryTaskStore } from '../../generated/runtime/tasks.js';
import { checkTaskStore, taskStoreChecks } from '../../generated/runtime/task-store-check.js';
import type { TaskRecord, TaskStore } from '../../generated/runtime/tasks.js';
import { sqliteChecks } from './sqlite.js';

const LIMIT = { maxTasks: 40 };

describe('memoryTaskStore', () => {
  test.each(taskStoreChecks(() => ({ store: memoryTaskStore(LIMIT) }), LIMIT))('$name', async ({ run }) => run());

  test('refuses tasks beyond its bytes', () => {
    const store = memoryTaskStore({ maxBytes: 90_000 });
    const record = sample('a');
    const makes = (id: string): boolean => {
      try {
        void store.create({ ...record, id });
        return true;
      } catch {
        return false;
      }
    };
    // Each counts its own bytes and the room for a result.
    expect(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(makes)).toEqual([true, true, true, true, true, false, false]);
    expect(store.replace({ ...record, version: 2, status: 'completed', result: { text: 'x'.repeat(10_000) } })).toBe(
      true,
    );
    expect(() => store.replace({ ...record, version: 3, result: { text: 'x'.repeat(100_000) } })).toThrow(
      'The tasks of this server have no room left',
    );
  });
});

describe('sqliteTaskStore', () => {
  test('node:sqlite keeps all rules, in one process and two', { timeout: 60_000 }, async () => {
    expect(await sqliteChecks()).toEqual([]);
  });
});

describe('checkTaskStore reports', () => {
  const broken: readonly { readonly name: string; readonly members: Partial<TaskStore>; readonly says: RegExp }[] = [
    {
      name: 'a store without compare-and-set',
      members: { replace: () => true },
      says: /a second replace of version 1/,
    },
    { name: 'a store that forgets', members: { get: () => undefined }, says: /^get: expected/ },
    { name: 'a store without expiry', members: { deleteExpired: () => 0 }, says: /deleted at the time/ },
    { name: 'a store that finds no abandoned tasks', members: { abandoned: () => [] }, says: /abandoned tasks/ },
  ];
  test.each(broken)('$name', async ({ members, says }) => {
    const open = () => {
      const store = memoryTaskStore(LIMIT);
      const methods = [
        'create',
        'get',
        'replace',
        'list',
        'heartbeat',
        'release',
        'abandoned',
        'deleteExpired',
        'changes',
      ];
      const copy = Object.fromEntries(
        methods.map((name) => [
          name,
          (...args: unknown[]) => (store as unknown as Record<string, (...a: unknown[]) => unknown>)[name]?.(...args),
        ]),
      );
      return { store: { isShared: false, ...copy, ...members } as TaskStore };
    };
    await expect(checkTaskStore(open, LIMIT)).rejects.toThrow(says);
  });
});

function sample(id: string): TaskRecord {
  return {
    id,
    version: 1,
    principal: '',
    owner: '',
    attempt: 1,
    tool: 'x',
    arguments: {},
    revision: '2026-07-28',
    client: { info: undefined, capabilities: {} },
    status: 'working',
    createdAt: 1,
    updatedAt: 1,
    expiresAt: null,
    pollIntervalMs: 1000,
    inputs: {},
  };
}
