/** What a store of tasks has to do, and how its room is shared. */
import { SERVER_BUSY } from "../jsonrpc/endpoint-options.js";
import { RpcError } from "../jsonrpc/error-codes.js";
import { fitsShare } from "../jsonrpc/fair-share.js";
import type { MaybePromise } from "../registry/types.js";
import type { TaskRecord } from "./types.js";

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

/** What a principal, or all of them, hold in a store. */
export interface StoreUsage {
  readonly tasks: number;
  readonly bytes: number;
}

/** Whose room in a store is looked at. */
export interface StoreRoom {
  readonly limits: TaskStoreLimits;
  readonly principal: string;
  readonly held: StoreUsage;
  readonly total: StoreUsage;
}

/** @throws TaskStoreFullError if a store has no room for one more task. */
export function requireRoom(
  { limits, principal, held, total }: StoreRoom,
  bytes: number,
): void {
  const isKnown = principal !== "";
  if (
    !fitsShare(held.tasks, total.tasks, limits.maxTasks, 1, isKnown) ||
    !fitsShare(held.bytes, total.bytes, limits.maxBytes, bytes, isKnown)
  )
    throw new TaskStoreFullError();
}

/** @throws TaskStoreFullError if a task has grown, and a store has no room for it as if it was added instead. */
export function requireRoomToGrow(
  { limits, principal, held, total }: StoreRoom,
  before: number,
  after: number,
): void {
  if (
    after > before &&
    !fitsShare(
      held.bytes - before,
      total.bytes - before,
      limits.maxBytes,
      after,
      principal !== "",
    )
  )
    throw new TaskStoreFullError("The tasks of this server have no room left");
}
