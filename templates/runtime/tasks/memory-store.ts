/** Tasks in memory: they end with the process. */
import { isTerminal } from "./types.js";
import type { TaskRecord } from "./types.js";
import { requireRoom, requireRoomToGrow } from "./store.js";
import type {
  StoreRoom,
  TaskChanges,
  TaskStore,
  TaskStoreLimits,
} from "./store.js";

/**
 * Room that is kept for each unfinished task, in bytes of JSON. A result up to this size always fits; a larger one fits
 * if there is room.
 */
export const RESERVED_TASK_BYTES = 16_384;

/** The limits of {@link memoryTaskStore}. */
export interface MemoryTaskStoreOptions extends Partial<TaskStoreLimits> {
  /** Maximum of tasks; 10,000 by default. */
  readonly maxTasks?: number;
  /** Maximum of their bytes of JSON; 256 MiB by default. */
  readonly maxBytes?: number;
}

interface StoredTask {
  readonly json: string;
  readonly version: number;
  readonly principal: string;
  readonly owner: string;
  readonly isTerminal: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** What it counts in the limit. */
  readonly bytes: number;
}

interface Usage {
  tasks: number;
  bytes: number;
}

/**
 * Keeps tasks in memory, for one process. Tasks end with it.
 *
 * A principal may hold four times what would stay free, so that one caller cannot use up all room.
 */
export function memoryTaskStore(
  options: MemoryTaskStoreOptions = {},
): TaskStore {
  return new MemoryTaskStore({
    maxTasks: options.maxTasks ?? 10_000,
    maxBytes: options.maxBytes ?? 256 * 1024 * 1024,
  });
}

/**
 * `#total` is the sum of `#usage`, which has an entry exactly for the principals that have tasks.
 * Tasks are kept as JSON, so that nothing changes a stored one, and their size is known.
 */
class MemoryTaskStore implements TaskStore {
  readonly isShared = false;
  readonly #limits: TaskStoreLimits;
  readonly #tasks = new Map<string, StoredTask>();
  readonly #usage = new Map<string, Usage>();
  readonly #total: Usage = { tasks: 0, bytes: 0 };
  readonly #leases = new Map<string, number>();

  constructor(limits: TaskStoreLimits) {
    this.#limits = limits;
  }

  create(record: TaskRecord): void {
    const task = storedTask(record);
    const { principal } = record;
    requireRoom(this.#room(principal), task.bytes);
    this.#tasks.set(record.id, task);
    this.#count(principal, 1, task.bytes);
  }

  get(id: string): TaskRecord | undefined {
    const task = this.#tasks.get(id);
    return task === undefined ? undefined : recordOf(task);
  }

  replace(record: TaskRecord): boolean {
    const before = this.#tasks.get(record.id);
    if (before?.version !== record.version - 1) return false;
    const task = storedTask(record);
    const { principal } = before;
    requireRoomToGrow(this.#room(principal), before.bytes, task.bytes);
    this.#tasks.set(record.id, task);
    this.#count(principal, 0, task.bytes - before.bytes);
    return true;
  }

  list(
    principal: string,
    after: Pick<TaskRecord, "createdAt" | "id"> | undefined,
    limit: number,
  ): readonly TaskRecord[] {
    return [...this.#tasks]
      .filter(
        ([id, task]) =>
          task.principal === principal &&
          (after === undefined ||
            compareAge(task.createdAt, id, after.createdAt, after.id) > 0),
      )
      .sort(([id, task], [otherId, other]) =>
        compareAge(task.createdAt, id, other.createdAt, otherId),
      )
      .slice(0, limit)
      .map(([, task]) => recordOf(task));
  }

  heartbeat(owner: string, until: number, now: number): boolean {
    const former = this.#leases.get(owner);
    this.#leases.set(owner, until);
    return former !== undefined && former > now;
  }

  release(owner: string): void {
    this.#leases.delete(owner);
  }

  abandoned(now: number, limit: number, after = ""): readonly TaskRecord[] {
    return [...this.#tasks]
      .filter(
        ([id, { isTerminal: isDone, owner }]) =>
          !isDone && id > after && !((this.#leases.get(owner) ?? 0) > now),
      )
      .sort(([id], [other]) => (id < other ? -1 : 1))
      .slice(0, limit)
      .map(([, task]) => recordOf(task));
  }

  deleteExpired(now: number, limit: number): number {
    let deleted = 0;
    for (const [id, { principal, expiresAt, bytes }] of this.#tasks) {
      if (deleted >= limit) break;
      if (expiresAt > now) continue;
      this.#tasks.delete(id);
      this.#count(principal, -1, -bytes);
      deleted += 1;
    }
    return deleted;
  }

  // Only this process makes changes, and knows them.
  changes(): TaskChanges {
    return { ids: [], position: 0 };
  }

  #room(principal: string): StoreRoom {
    const held = this.#usage.get(principal) ?? { tasks: 0, bytes: 0 };
    return { limits: this.#limits, principal, held, total: this.#total };
  }

  #count(principal: string, tasks: number, bytes: number): void {
    const usage = this.#usage.get(principal) ?? { tasks: 0, bytes: 0 };
    usage.tasks += tasks;
    usage.bytes += bytes;
    this.#total.tasks += tasks;
    this.#total.bytes += bytes;
    if (usage.tasks === 0) this.#usage.delete(principal);
    else this.#usage.set(principal, usage);
  }
}

function storedTask(record: TaskRecord): StoredTask {
  const json = JSON.stringify(record);
  const { version, principal, owner, createdAt } = record;
  const done = isTerminal(record.status);
  return {
    json,
    version,
    principal,
    owner,
    isTerminal: done,
    createdAt,
    expiresAt: record.expiresAt ?? Number.POSITIVE_INFINITY,
    bytes: countedBytes(json, done),
  };
}

/** What a task counts in the limit of bytes. */
export function countedBytes(json: string, isDone: boolean): number {
  const bytes = new TextEncoder().encode(json).length;
  return isDone ? bytes : bytes + RESERVED_TASK_BYTES;
}

function recordOf({ json }: StoredTask): TaskRecord {
  return JSON.parse(json) as TaskRecord;
}

function compareAge(
  createdAt: number,
  id: string,
  otherCreatedAt: number,
  otherId: string,
): number {
  if (createdAt !== otherCreatedAt) return createdAt - otherCreatedAt;
  return id === otherId ? 0 : id < otherId ? -1 : 1;
}
