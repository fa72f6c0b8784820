/** What a store of tasks has to do, and how its room is shared. */
import { SERVER_BUSY } from "../jsonrpc/endpoint-options.js";
import { RpcError } from "../jsonrpc/error-codes.js";
import type { TaskRecord } from "./types.js";

type MaybePromise<T> = T | Promise<T>;

/** The ids of changed tasks, and the position after them. */
export interface TaskChanges {
  /** Each changed task at least once. */
  readonly ids: readonly string[];
  /** Pass it to the next call. */
  readonly position: number;
}

/**
 * Keeps tasks. Several processes may share one, if it is `isShared`: each change is a compare-and-set by the record's
 * version, so of two that change the same task at the same time only one succeeds, and the other reads it again.
 *
 * A process that runs tasks extends its lease with {@link heartbeat}. When the lease has expired, its unfinished tasks
 * are {@link abandoned}: another process takes each of them over by a {@link replace} that names a new owner.
 *
 * `checkTaskStore` of `runtime/task-store-check` checks an implementation. Methods may return promises or plain values;
 * what they throw becomes an internal error for the client.
 */
export interface TaskStore {
  /** Whether other processes may change its tasks, so that changes have to be polled for. */
  readonly isShared: boolean;
  /**
   * Adds a new task. It must be durable, and visible to every process, when this returns (Tasks extension, Task
   * Creation).
   *
   * @throws TaskStoreFullError if there is no room for it.
   */
  create(record: TaskRecord): MaybePromise<void>;
  /** The task with an id; undefined if no task has it, or it has been deleted. */
  get(id: string): MaybePromise<TaskRecord | undefined>;
  /**
   * Replaces a task, if the stored one has the version `record.version - 1`.
   *
   * @returns Whether it did.
   * @throws TaskStoreFullError if there is no room for what was added.
   */
  replace(record: TaskRecord): MaybePromise<boolean>;
  /**
   * The tasks of a principal, the oldest first (by `createdAt`, then by `id`).
   *
   * @param after - The last task of the previous page; undefined for the first page.
   */
  list(
    principal: string,
    after: Pick<TaskRecord, "createdAt" | "id"> | undefined,
    limit: number,
  ): MaybePromise<readonly TaskRecord[]>;
  /**
   * Extends the lease of a process.
   *
   * @param owner - The id of the process.
   * @param until - When the lease expires.
   * @returns Whether the former lease was still valid at `now`; false for the first.
   */
  heartbeat(owner: string, until: number, now: number): MaybePromise<boolean>;
  /** Ends the lease of a process: its unfinished tasks are abandoned at once. */
  release(owner: string): MaybePromise<void>;
  /**
   * Unfinished tasks whose owner has no lease at `now`, by `id` in ascending order of code units.
   *
   * @param after - The id of the last task of the previous page; undefined for the first page.
   */
  abandoned(
    now: number,
    limit: number,
    after?: string,
  ): MaybePromise<readonly TaskRecord[]>;
  /** Deletes tasks with `expiresAt` at or before `now`. Returns how many, which is `limit` if there may be more. */
  deleteExpired(now: number, limit: number): MaybePromise<number>;
  /**
   * The tasks that were created or replaced since a position.
   *
   * @param after - The `position` of an earlier call; undefined to get the current position only.
   */
  changes(after: number | undefined, limit: number): MaybePromise<TaskChanges>;
}

/** A store has no room: for the caller, or at all. The client receives it as an error. */
export class TaskStoreFullError extends RpcError {
  constructor(message = "Too many tasks") {
    super(SERVER_BUSY, message);
  }
}

/** The limits of a store. */
export interface TaskStoreLimits {
  /** Maximum of tasks. */
  readonly maxTasks: number;
  /** Maximum of their bytes of JSON. */
  readonly maxBytes: number;
}

/**
 * How many times the remaining free part a principal may hold. With 4, one gets four fifths of a limit, and the next one
 * still finds room.
 */
const FAIR_SHARE_FACTOR = 4;

/**
 * Whether a principal may hold more of what all share.
 *
 * @param held - What it holds. One that holds nothing may have the last free part.
 * @param total - What all hold.
 * @param isKnown - Unknown principals are counted as one, which may use all of it.
 */
export function fitsShare(
  held: number,
  total: number,
  max: number,
  amount: number,
  isKnown: boolean,
): boolean {
  const free = max - total;
  if (free < amount) return false;
  return (
    !isKnown ||
    held === 0 ||
    held + amount <= FAIR_SHARE_FACTOR * (free - amount)
  );
}
