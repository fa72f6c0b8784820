/** Checks an implementation of `TaskStore`, in any test runner. */
import { difference } from "./checks/compare.js";
import { isTerminal } from "./tasks/types.js";
import type { TaskRecord } from "./tasks/types.js";
import type { TaskStore } from "./tasks/store.js";

/** What {@link checkTaskStore} needs to know of a store. */
export interface TaskStoreCheckOptions {
  /** The maximum of tasks of the stores that are opened; at most 1000, at least 20. */
  readonly maxTasks: number;
}

/** Opens an empty store, and other connections to the same tasks. */
export interface OpenedTaskStore {
  readonly store: TaskStore;
  /** Opens the same tasks as another process does; absent if only one process can use them. */
  readonly reopen?: (() => TaskStore | Promise<TaskStore>) | undefined;
}

/** A violation of the rules of `TaskStore`. */
export class TaskStoreCheckError extends Error {
  override readonly name = "TaskStoreCheckError";
}

/** One rule of `TaskStore`, by name. */
export interface TaskStoreCheck {
  readonly name: string;
  /** Rejects with a {@link TaskStoreCheckError}, or what the store throws. */
  readonly run: () => Promise<void>;
}

/**
 * The rules of `TaskStore` as checks, each on another empty store:
 *
 *     for (const check of taskStoreChecks(() => ({ store: memoryTaskStore({ maxTasks: 50 }) }), { maxTasks: 50 }))
 *       test(check.name, check.run);
 */
export function taskStoreChecks(
  open: () => OpenedTaskStore | Promise<OpenedTaskStore>,
  { maxTasks }: TaskStoreCheckOptions,
): readonly TaskStoreCheck[] {
  return Object.entries(CHECKS).map(([name, check]) => ({
    name,
    run: async () => {
      const { store, reopen } = await open();
      await check({ store, other: (await reopen?.()) ?? store, maxTasks });
    },
  }));
}

/** Runs all of {@link taskStoreChecks}, one after the other. */
export async function checkTaskStore(
  open: () => OpenedTaskStore | Promise<OpenedTaskStore>,
  options: TaskStoreCheckOptions,
): Promise<void> {
  for (const { name, run } of taskStoreChecks(open, options)) {
    try {
      await run();
    } catch (error) {
      if (error instanceof TaskStoreCheckError) throw error;
      throw new TaskStoreCheckError(`${name}: the store threw`, {
        cause: error,
      });
    }
  }
}

interface Subject {
  readonly store: TaskStore;
  /** The same tasks, as another process sees them. */
  readonly other: TaskStore;
  readonly maxTasks: number;
}

const CHECKS: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  "returns a task as it was created": async ({ store, other }) => {
    const record = sampleTask("a", {
      state: { step: 1, text: "\u{1F600}\u0000" },
    });
    await store.create(record);
    expectEqual(await store.get("a"), record, "get");
    expectEqual(await other.get("a"), record, "get of another process");
  },
  "returns undefined for an unknown id": async ({ store }) => {
    expectEqual(await store.get("none"), undefined, "get");
  },
  "does not share objects with callers": async ({ store }) => {
    const state = { steps: [1] };
    await store.create(sampleTask("a", { state }));
    state.steps.push(2);
    expectEqual(
      (await store.get("a"))?.state,
      { steps: [1] },
      "state after a change of the caller's object",
    );
  },
  "replaces only the version before": async ({ store, other }) => {
    const record = sampleTask("a");
    await store.create(record);
    const next = { ...record, version: 2, statusMessage: "x" };
    expectEqual(await store.replace(next), true, "replace");
    expectEqual(
      await other.replace({ ...next, statusMessage: "y" }),
      false,
      "a second replace of version 1",
    );
    expectEqual((await other.get("a"))?.statusMessage, "x", "message");
    expectEqual(
      await store.replace({ ...next, version: 4 }),
      false,
      "replace of a version that is not there",
    );
    expectEqual(
      await store.replace(sampleTask("b", { version: 2 })),
      false,
      "replace of an unknown task",
    );
  },
  "lets one of many concurrent replacements succeed": async ({
    store,
    other,
  }) => {
    const record = sampleTask("a");
    await store.create(record);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        Promise.resolve(
          (index % 2 === 0 ? store : other).replace({
            ...record,
            version: 2,
            owner: `p${index}`,
          }),
        ),
      ),
    );
    expectEqual(outcomes.filter(Boolean).length, 1, "successful replacements");
    const winner = outcomes.indexOf(true);
    expectEqual((await store.get("a"))?.owner, `p${winner}`, "owner");
  },
  "lists the tasks of one principal, in pages": async ({ store }) => {
    for (const [id, createdAt] of [
      ["c", 3],
      ["a", 1],
      ["b2", 2],
      ["b1", 2],
    ] as const)
      await store.create(sampleTask(id, { principal: "ann", createdAt }));
    await store.create(sampleTask("x", { principal: "bob", createdAt: 1 }));
    const first = await store.list("ann", undefined, 2);
    expectEqual(
      first.map(({ id }) => id),
      ["a", "b1"],
      "first page",
    );
    const second = await store.list("ann", first.at(-1), 5);
    expectEqual(
      second.map(({ id }) => id),
      ["b2", "c"],
      "second page",
    );
    expectEqual(
      await store.list("eve", undefined, 5),
      [],
      "tasks of a principal that has none",
    );
  },
  "reports whether a lease was still valid": async ({ store, other }) => {
    expectEqual(
      await store.heartbeat("p", 200, 100),
      false,
      "the first heartbeat",
    );
    expectEqual(
      await other.heartbeat("p", 300, 150),
      true,
      "one within the lease",
    );
    expectEqual(
      await store.heartbeat("p", 500, 400),
      false,
      "one after the lease",
    );
  },
  "finds unfinished tasks of owners without a lease": async ({
    store,
    other,
  }) => {
    await store.heartbeat("alive", 1000, 0);
    await store.heartbeat("dead", 100, 0);
    for (const [id, owner, status] of [
      ["a", "alive", "working"],
      ["b", "dead", "working"],
      ["c", "dead", "completed"],
      ["d", "", "input_required"],
      ["e", "unknown", "working"],
    ] as const)
      await store.create(sampleTask(id, { owner, status }));
    const idsAt = async (now: number): Promise<readonly string[]> =>
      (await other.abandoned(now, 10)).map(({ id }) => id).sort();
    expectEqual(
      await idsAt(50),
      ["d", "e"],
      "abandoned tasks before the lease ends",
    );
    expectEqual(await idsAt(500), ["b", "d", "e"], "abandoned tasks after it");
    expectEqual(
      (await store.abandoned(500, 2)).length,
      2,
      "abandoned tasks with a limit of 2",
    );
    expectEqual(
      (await store.abandoned(500, 2, "b")).map(({ id }) => id),
      ["d", "e"],
      "abandoned tasks after b",
    );
    await store.release("alive");
    expectEqual(
      await idsAt(500),
      ["a", "b", "d", "e"],
      "abandoned tasks after a release",
    );
  },
  "deletes expired tasks only": async ({ store, other }) => {
    await store.create(sampleTask("a", { expiresAt: 100 }));
    await store.create(sampleTask("b", { expiresAt: 200 }));
    await store.create(sampleTask("c", { expiresAt: null }));
    expectEqual(await store.deleteExpired(99, 10), 0, "deleted before");
    expectEqual(await store.deleteExpired(100, 10), 1, "deleted at the time");
    expectEqual(await other.get("a"), undefined, "the expired task");
    expectEqual(
      await other.deleteExpired(1000, 1),
      1,
      "deleted with a limit of 1",
    );
    expectEqual((await store.get("c"))?.id, "c", "the task without an end");
  },
  "reports what has changed since a position": async ({ store, other }) => {
    await store.create(sampleTask("old"));
    const { position } = await other.changes(undefined, 10);
    if (!store.isShared) return;
    expectEqual(
      (await other.changes(position, 10)).ids,
      [],
      "changes at first",
    );
    await store.create(sampleTask("a"));
    await store.create(sampleTask("b"));
    await store.replace(sampleTask("a", { version: 2 }));
    const seen = new Set<string>();
    let after = position;
    for (let round = 0; round < 10; round += 1) {
      const changes = await other.changes(after, 1);
      for (const id of changes.ids) seen.add(id);
      after = changes.position;
    }
    expectEqual([...seen].sort(), ["a", "b"], "changed tasks");
    expectEqual(
      (await other.changes(after, 10)).ids,
      [],
      "changes after all were read",
    );
  },
  "refuses tasks beyond its limit, and has room again": async ({
    store,
    maxTasks,
  }) => {
    let made = 0;
    for (; made <= maxTasks; made += 1)
      if (!(await creates(store, sampleTask(`t${made}`, { expiresAt: 1 }))))
        break;
    expectEqual(made, maxTasks, "tasks that it accepted");
    await store.deleteExpired(1, maxTasks);
    expectEqual(
      await creates(store, sampleTask("again")),
      true,
      "a task after the others are gone",
    );
  },
  "keeps room for the next principal": async ({ store, maxTasks }) => {
    let made = 0;
    for (; made <= maxTasks; made += 1)
      if (
        !(await creates(store, sampleTask(`t${made}`, { principal: "greedy" })))
      )
        break;
    expectEqual(made < maxTasks, true, "one principal gets less than all");
    expectEqual(made >= maxTasks / 2, true, "one principal gets at least half");
    expectEqual(
      await creates(store, sampleTask("next", { principal: "next" })),
      true,
      "the next principal's task",
    );
  },
};

/** Whether a store accepts a task. */
async function creates(store: TaskStore, record: TaskRecord): Promise<boolean> {
  try {
    await store.create(record);
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 503)
      throw new TaskStoreCheckError(
        "create must throw a TaskStoreFullError when there is no room",
        { cause: error },
      );
    return false;
  }
}

function sampleTask(id: string, members: Partial<TaskRecord> = {}): TaskRecord {
  const status = members.status ?? "working";
  return {
    id,
    version: 1,
    principal: "",
    owner: "",
    attempt: 1,
    tool: "sample",
    arguments: { n: 1 },
    revision: "2026-07-28",
    client: { info: { name: "check", version: "1" }, capabilities: {} },
    status,
    createdAt: 10,
    updatedAt: 10,
    expiresAt: null,
    pollIntervalMs: 1000,
    inputs: {},
    ...(isTerminal(status) ? { result: { content: [] } } : {}),
    ...members,
  };
}

function expectEqual(found: unknown, expected: unknown, what: string): void {
  const text = difference(found, expected);
  if (text !== undefined) throw new TaskStoreCheckError(`${what}: ${text}`);
}
