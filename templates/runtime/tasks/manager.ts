/** The tasks of a server: who runs them, who may see them, and when they end. */
import { SERVER_BUSY } from "../jsonrpc/endpoint-options.js";
import { MAX_TIMER_DELAY_MS } from "../jsonrpc/envelope.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import {
  errorMessage,
  isUnsupportedCall,
  toErrorObject,
} from "../jsonrpc/handler-errors.js";
import type { ErrorObject } from "../jsonrpc/message.js";
import { notifyListener } from "../jsonrpc/transport-events.js";
import type { ClientInfo } from "../server/types.js";
import { memoryTaskStore } from "./memory-store.js";
import { RunningTask } from "./running.js";
import { fitsShare } from "./store.js";
import type { TaskStore } from "./store.js";
import { isTerminal } from "./types.js";
import type { TaskRecord } from "./types.js";

/** Something about tasks that is worth a log line. */
export type TaskEvent =
  /** The work of a task threw something other than an `RpcError`; the client got only an internal error. */
  | {
      readonly kind: "taskFailed";
      readonly id: string;
      readonly tool: string;
      readonly error: unknown;
    }
  /** A task of a process that has stopped was continued by this one, or reported as failed. */
  | {
      readonly kind: "taskRecovered";
      readonly id: string;
      readonly tool: string;
      readonly outcome: "resumed" | "failed";
    }
  /** The store threw. */
  | { readonly kind: "taskStoreFailed"; readonly error: unknown };

/** Options of a server's tasks. Times are milliseconds. */
export interface TasksOptions {
  /** Keeps the tasks; in memory by default. */
  readonly store?: TaskStore | undefined;
  /** How long a task is kept after it was made, also while it runs; one hour by default, `null` for no end. */
  readonly ttlMs?: number | null | undefined;
  /** Maximum of what a client of 2025-11-25 may request as `ttl`; one day by default. */
  readonly maxTtlMs?: number | undefined;
  /** How often a client should poll; 1000 by default. */
  readonly pollIntervalMs?: number | undefined;
  /**
   * How long after its last sign of life a process counts as stopped; 15,000 by default. Its tasks are then continued or
   * reported as failed, at most half of this time later.
   */
  readonly leaseMs?: number | undefined;
  /** How often to look for changes by other processes, in a shared store; 250 by default. */
  readonly syncMs?: number | undefined;
  /**
   * Maximum of tasks whose work runs at the same time in this process; 1000 by default. A principal may have four times
   * what would stay free.
   */
  readonly maxRunning?: number | undefined;
  /** Offers `tasks/list` in 2025-11-25. Only for servers that know their callers. Off by default. */
  readonly list?: boolean | undefined;
  /** Sends the client the message of an error that work threw, which may contain internal details. Off by default. */
  readonly exposeErrors?: boolean | undefined;
  readonly onEvent?: ((event: TaskEvent) => void) | undefined;
}

/** The work of a tool: returns its result as JSON. */
export interface TaskWork {
  readonly isResumable: boolean;
  /** @param args - Those of the call, or validated ones in the first attempt. */
  run(args: object, task: RunningTask, isFirst: boolean): Promise<object>;
}

/** A task to make. */
export interface TaskStart {
  readonly tool: string;
  /** As the client sent them, for a later attempt. */
  readonly arguments: object;
  /** Validated, for this one. */
  readonly checked: object;
  readonly state: unknown;
  readonly principal: string;
  readonly revision: string;
  readonly client: ClientInfo;
  readonly ttlMs?: number | null | undefined;
  readonly pollIntervalMs?: number | undefined;
}

/** Receives each later state of a task, and undefined when it is gone. */
export type TaskListener = (record: TaskRecord | undefined) => void;

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_CONFLICTS = 100;
/** Tasks in one step of a sweep. */
const BATCH = 100;

/**
 * Every change of a stored task is a compare-and-set that checks the owner, so of two processes only one continues a task.
 * `#running` has a task exactly while its work has not ended; a stopped one may still be in it.
 */
export class TaskManager {
  readonly options: TasksOptions;
  readonly store: TaskStore;
  readonly #work = new Map<string, TaskWork>();
  readonly #running = new Map<string, RunningTask>();
  readonly #runningOf = new Map<string, number>();
  readonly #listeners = new Map<
    string,
    Set<(record: TaskRecord | undefined) => void>
  >();
  readonly #leaseMs: number;
  /** The id of this process; created with its first task, since not every platform has random numbers before. */
  #owner = "";
  #leasedUntil = 0;
  #position: number | undefined;
  #sweepTimer: ReturnType<typeof setTimeout> | undefined;
  #syncTimer: ReturnType<typeof setTimeout> | undefined;
  #isStarted = false;
  #isClosed = false;

  constructor(options: TasksOptions) {
    this.options = options;
    this.store = options.store ?? memoryTaskStore();
    this.#leaseMs = options.leaseMs ?? 15_000;
    for (const name of [
      "ttlMs",
      "maxTtlMs",
      "pollIntervalMs",
      "leaseMs",
      "syncMs",
      "maxRunning",
    ] as const) {
      const value = options[name];
      if (
        value !== undefined &&
        value !== null &&
        !(Number.isSafeInteger(value) && value > 0)
      )
        throw new RangeError(
          `${name} must be a positive integer, not ${value}`,
        );
    }
  }

  /** The number of tasks whose work runs in this process. */
  get running(): number {
    return this.#running.size;
  }

  /** Adds the work of a tool, by the tool's name. */
  addWork(tool: string, work: TaskWork): void {
    this.#work.set(tool, work);
  }

  /** Starts to look for expired tasks, and for those of processes that have stopped. */
  start(): void {
    if (this.#isStarted || this.#isClosed) return;
    this.#isStarted = true;
    this.#scheduleSweep(0);
  }

  /** Whether one more task of a principal may run in this process. */
  canRun(principal: string): boolean {
    return (
      !this.#isClosed &&
      fitsShare(
        this.#runningOf.get(principal) ?? 0,
        this.#running.size,
        this.options.maxRunning ?? 1000,
        1,
        principal !== "",
      )
    );
  }

  /**
   * Stores a new task and starts its work.
   *
   * @throws TaskStoreFullError or RpcError if there is no room.
   */
  async create(start: TaskStart): Promise<TaskRecord> {
    this.start();
    if (!this.canRun(start.principal))
      throw new RpcError(SERVER_BUSY, "Too many running tasks");
    await this.#extendLease();
    const now = Date.now();
    const { ttlMs = 60 * 60 * 1000, pollIntervalMs = 1000 } = this.options;
    const ttl = start.ttlMs === undefined ? ttlMs : start.ttlMs;
    const record: TaskRecord = {
      id: crypto.randomUUID(),
      version: 1,
      principal: start.principal,
      owner: this.#owner,
      attempt: 1,
      tool: start.tool,
      arguments: start.arguments,
      ...(start.state === undefined ? {} : { state: asJson(start.state) }),
      revision: start.revision,
      client: start.client,
      status: "working",
      createdAt: now,
      updatedAt: now,
      expiresAt: ttl === null ? null : now + ttl,
      pollIntervalMs: start.pollIntervalMs ?? pollIntervalMs,
      inputs: {},
    };
    await this.store.create(record);
    this.#run(record, start.checked, true);
    return record;
  }

  /** The ttl for a client that requests one. */
  ttlFor(requested: number | undefined): number | null | undefined {
    if (requested === undefined) return undefined;
    const max = this.options.maxTtlMs ?? DAY_MS;
    return Math.max(1, Math.min(Math.floor(requested), max));
  }

  /**
   * A task of a principal.
   *
   * @throws RpcError if no task has this id, or it is another principal's: both get the same error.
   */
  async find(id: string, principal: string): Promise<TaskRecord> {
    this.start();
    const record = await this.lookUp(id, principal);
    if (record === undefined)
      throw new RpcError(STANDARD_ERROR_CODES.INVALID_PARAMS, "Task not found");
    return record;
  }

  /** The same, or undefined. */
  async lookUp(id: string, principal: string): Promise<TaskRecord | undefined> {
    const record = await this.store.get(id);
    if (record?.principal !== principal || isExpired(record)) return undefined;
    return record;
  }

  /** Cancels a task unless it is done. Returns it as it is then, and whether this cancelled it. */
  async cancel(
    id: string,
    principal: string,
  ): Promise<{ readonly record: TaskRecord; readonly hasCancelled: boolean }> {
    await this.find(id, principal);
    let hasCancelled = false;
    const record = await this.change(id, (stored) => {
      hasCancelled = !isTerminal(stored.status);
      return hasCancelled
        ? {
            ...stored,
            status: "cancelled",
            statusMessage: "Cancelled by the client",
          }
        : undefined;
    });
    return { record: record ?? (await this.find(id, principal)), hasCancelled };
  }

  /** Stores answers to outstanding inputs; others are ignored (Tasks extension, Task Update Requests). */
  async answer(
    id: string,
    responses: Readonly<Record<string, object>>,
  ): Promise<void> {
    await this.change(id, (stored) => {
      if (isTerminal(stored.status)) return undefined;
      const inputs = { ...stored.inputs };
      let answered = 0;
      for (const [key, response] of Object.entries(responses)) {
        const input = Object.hasOwn(inputs, key) ? inputs[key] : undefined;
        if (input === undefined || input.response !== undefined) continue;
        inputs[key] = { ...input, response };
        answered += 1;
      }
      if (answered === 0) return undefined;
      const isWaiting = Object.values(inputs).some(
        ({ response }) => response === undefined,
      );
      return {
        ...stored,
        inputs,
        status: isWaiting ? "input_required" : "working",
      };
    });
  }

  /** Ends a task with an error, unless it is done. */
  async fail(id: string, error: ErrorObject): Promise<void> {
    await this.change(id, (stored) =>
      isTerminal(stored.status) ? undefined : failedTask(stored, error),
    );
  }

  /** Calls a listener with each later state of a task. Returns a function that ends this. */
  watch(record: TaskRecord, listener: TaskListener): () => void {
    let version = record.version;
    let expiresAt = record.expiresAt ?? Number.POSITIVE_INFINITY;
    const { id } = record;
    const notify = (current: TaskRecord | undefined): void => {
      if (current === undefined) {
        if (expiresAt <= Date.now()) listener(undefined);
        return;
      }
      if (current.version <= version) return;
      version = current.version;
      expiresAt = current.expiresAt ?? Number.POSITIVE_INFINITY;
      listener(current);
    };
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners);
    listeners.add(notify);
    this.#scheduleSync();
    return () => {
      listeners.delete(notify);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners)
        this.#listeners.delete(id);
    };
  }

  /**
   * Changes a stored task.
   *
   * @param change - Returns what to store, or undefined for no change. It may be called several times.
   * @returns The task as it is then; undefined if it is gone.
   */
  readonly change = async (
    id: string,
    change: (record: TaskRecord) => TaskRecord | undefined,
  ): Promise<TaskRecord | undefined> => {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const stored = await this.store.get(id);
      if (stored === undefined) return undefined;
      const changed = change(stored);
      if (changed === undefined) return stored;
      const next = {
        ...changed,
        version: stored.version + 1,
        updatedAt: Math.max(Date.now(), stored.updatedAt),
      };
      if (await this.store.replace(next)) {
        this.#publish(next);
        return next;
      }
    }
    throw new Error(`the task changed ${MAX_CONFLICTS} times in a row`);
  };

  /**
   * Stops all work. Tasks of resumable tools are left to the next process, others are reported as failed. The store stays
   * open.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#sweepTimer);
    clearTimeout(this.#syncTimer);
    for (const running of [...this.#running.values()]) {
      running.stop("the server is closing");
      const record = await this.store.get(running.id);
      if (
        record !== undefined &&
        this.#work.get(record.tool)?.isResumable !== true
      )
        await this.#fail(record, "The server was closed while it ran the task");
    }
    this.#listeners.clear();
    if (this.#owner !== "") await this.store.release(this.#owner);
  }

  #run(record: TaskRecord, args: object, isFirst: boolean): void {
    const running = new RunningTask(record, this.change);
    const { principal } = record;
    this.#running.set(record.id, running);
    this.#runningOf.set(principal, (this.#runningOf.get(principal) ?? 0) + 1);
    this.#scheduleSync();
    void this.#runWork(running, record.tool, args, isFirst).finally(() => {
      this.#running.delete(record.id);
      const left = (this.#runningOf.get(principal) ?? 1) - 1;
      if (left === 0) this.#runningOf.delete(principal);
      else this.#runningOf.set(principal, left);
    });
  }

  async #runWork(
    running: RunningTask,
    tool: string,
    args: object,
    isFirst: boolean,
  ): Promise<void> {
    let outcome: Pick<TaskRecord, "result"> | { readonly error: ErrorObject };
    try {
      const work = this.#work.get(tool);
      if (work === undefined) throw new Error(`there is no task tool ${tool}`);
      const result = await work.run(args, running, isFirst);
      outcome = { result: asJson(result) as object };
    } catch (error) {
      if (running.signal.aborted) return;
      outcome = { error: this.#errorOf(running.id, tool, error) };
    }
    try {
      await this.#finish(running, outcome);
    } catch (error) {
      await this.#finish(running, {
        error: this.#errorOf(running.id, tool, error),
      }).catch((failure: unknown) => {
        // The lease ends with the process, or another one reports it as failed.
        this.#report({ kind: "taskStoreFailed", error: failure });
      });
    }
  }

  async #finish(
    running: RunningTask,
    outcome: Pick<TaskRecord, "result"> | { readonly error: ErrorObject },
  ): Promise<void> {
    await this.change(running.id, (stored) => {
      if (!running.owns(stored)) return undefined;
      return "error" in outcome
        ? failedTask(stored, outcome.error)
        : { ...stored, ...outcome, status: "completed" };
    });
  }

  #errorOf(id: string, tool: string, thrown: unknown): ErrorObject {
    const known = toErrorObject(thrown);
    if (known !== undefined) return known;
    this.#report({ kind: "taskFailed", id, tool, error: thrown });
    return internalError(
      this.options.exposeErrors === true || isUnsupportedCall(thrown)
        ? errorMessage(thrown)
        : "Internal error",
    );
  }

  /** Passes a change on to the work and the listeners of a task. */
  #publish(record: TaskRecord): void {
    this.#running.get(record.id)?.observe(record);
    for (const listener of [...(this.#listeners.get(record.id) ?? [])])
      listener(record);
  }

  async #extendLease(): Promise<void> {
    const now = Date.now();
    if (this.#owner === "") this.#owner = crypto.randomUUID();
    if (this.#leasedUntil - now > (this.#leaseMs * 2) / 3) return;
    const until = now + this.#leaseMs;
    const wasValid = await this.store.heartbeat(this.#owner, until, now);
    const isFirst = this.#leasedUntil === 0;
    this.#leasedUntil = until;
    // This process was held up for so long that another one may have taken its tasks over.
    if (!wasValid && !isFirst) await this.#refresh([...this.#running.keys()]);
  }

  async #refresh(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const running = this.#running.get(id);
      if (running === undefined && !this.#listeners.has(id)) continue;
      const record = await this.store.get(id);
      if (record !== undefined) this.#publish(record);
      else running?.stop("the task has expired");
    }
  }

  #scheduleSweep(delay: number): void {
    if (this.#isClosed) return;
    this.#sweepTimer = unreferenced(
      setTimeout(() => {
        this.#sweep()
          .catch((error: unknown) => {
            this.#report({ kind: "taskStoreFailed", error });
          })
          .finally(() => {
            this.#scheduleSweep(
              Math.min(this.#leaseMs / 3, MAX_TIMER_DELAY_MS),
            );
          });
      }, delay),
    );
  }

  async #sweep(): Promise<void> {
    if (this.#running.size > 0) await this.#extendLease();
    const now = Date.now();
    for (const running of this.#running.values())
      if (running.expiresAt <= now) running.stop("the task has expired");
    while ((await this.store.deleteExpired(now, BATCH)) >= BATCH);
    for (const listeners of [...this.#listeners.values()])
      for (const listener of [...listeners]) listener(undefined);
    await this.#recover(now);
  }

  /** Takes over the tasks of processes that have stopped. */
  async #recover(now: number): Promise<void> {
    for (;;) {
      const abandoned = await this.store.abandoned(now, BATCH);
      let recovered = 0;
      for (const record of abandoned) {
        // A task that has expired is deleted by the next sweep.
        if (this.#isClosed || isExpired(record)) continue;
        const work = this.#work.get(record.tool);
        if (work?.isResumable !== true) {
          await this.#fail(record, "The server stopped while it ran the task");
          recovered += 1;
        } else if (this.canRun(record.principal)) {
          await this.#resume(record);
          recovered += 1;
        }
      }
      if (abandoned.length < BATCH || recovered === 0) return;
    }
  }

  async #resume(record: TaskRecord): Promise<void> {
    await this.#extendLease();
    const next: TaskRecord = {
      ...record,
      version: record.version + 1,
      owner: this.#owner,
      attempt: record.attempt + 1,
      updatedAt: Date.now(),
    };
    // Of several processes, one succeeds.
    if (!(await this.store.replace(next))) return;
    this.#publish(next);
    const { id, tool } = next;
    this.#report({ kind: "taskRecovered", id, tool, outcome: "resumed" });
    this.#run(next, next.arguments, false);
  }

  async #fail(record: TaskRecord, reason: string): Promise<void> {
    const error = internalError(reason);
    const changed = await this.change(record.id, (stored) =>
      stored.owner === record.owner && !isTerminal(stored.status)
        ? failedTask(stored, error)
        : undefined,
    );
    const { id, tool } = record;
    if (changed?.error === error)
      this.#report({ kind: "taskRecovered", id, tool, outcome: "failed" });
  }

  /** Looks for changes by other processes while anything here depends on them. */
  #scheduleSync(): void {
    if (!this.store.isShared || this.#isClosed || this.#syncTimer !== undefined)
      return;
    const timer = setTimeout(() => {
      this.#sync()
        .catch((error: unknown) => {
          this.#report({ kind: "taskStoreFailed", error });
        })
        .finally(() => {
          this.#syncTimer = undefined;
          if (this.#running.size + this.#listeners.size > 0)
            this.#scheduleSync();
          else this.#position = undefined;
        });
    }, this.options.syncMs ?? 250);
    this.#syncTimer = unreferenced(timer);
  }

  async #sync(): Promise<void> {
    if (this.#position === undefined) {
      this.#position = (await this.store.changes(undefined, BATCH)).position;
      // What changed before this position has to be read once.
      await this.#refresh([
        ...new Set([...this.#running.keys(), ...this.#listeners.keys()]),
      ]);
    }
    for (;;) {
      const { ids, position } = await this.store.changes(this.#position, BATCH);
      this.#position = position;
      await this.#refresh(ids);
      if (ids.length < BATCH) return;
    }
  }

  #report(event: TaskEvent): void {
    notifyListener(this.options.onEvent, event);
  }
}

/** What a store returns for a value. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function failedTask(record: TaskRecord, error: ErrorObject): TaskRecord {
  return { ...record, status: "failed", statusMessage: error.message, error };
}

function isExpired({ expiresAt }: TaskRecord): boolean {
  return expiresAt !== null && expiresAt <= Date.now();
}

function internalError(message: string): ErrorObject {
  return { code: STANDARD_ERROR_CODES.INTERNAL_ERROR, message };
}

/** A timer that does not keep the process running, where the platform has such. */
function unreferenced(
  timer: ReturnType<typeof setTimeout>,
): ReturnType<typeof setTimeout> {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
