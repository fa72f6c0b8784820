/** The tasks of a server: who runs them, who may see them, and when they end. */
import { SERVER_BUSY } from "../jsonrpc/endpoint-options.js";
import { keepProcessAlive, MAX_TIMER_DELAY_MS } from "../jsonrpc/envelope.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import {
  errorMessage,
  isUnsupportedCall,
  toErrorObject,
} from "../jsonrpc/handler-errors.js";
import { SharedSlots } from "../jsonrpc/fair-share.js";
import type { ErrorObject } from "../jsonrpc/message.js";
import { notifyListener } from "../jsonrpc/transport-events.js";
import type { ClientInfo } from "../server/types.js";
import { memoryTaskStore } from "./memory-store.js";
import { RunningTask } from "./running.js";
import { TaskStoreFullError } from "./store.js";
import type { TaskStore } from "./store.js";
import {
  checkPositive,
  isAnswered,
  isExpired,
  isTerminal,
  outstandingInputs,
} from "./types.js";
import type { TaskAnswer, TaskRecord } from "./types.js";

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

/** How the work of a task ended. */
type Outcome = { readonly result: object } | { readonly error: ErrorObject };

/** Receives each later state of a task, and undefined when it is gone. */
export type TaskListener = (record: TaskRecord | undefined) => void;

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_CONFLICTS = 100;
/** Milliseconds until what a store did not accept is stored again; twice as many after each failure. */
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 10_000;
const CLOSING = "the server is closing";
const CLOSED = "The server was closed while it ran the task";
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
  readonly #slots = new SharedSlots();
  readonly #listeners = new Map<string, Set<TaskListener>>();
  readonly #leaseMs: number;
  /** The id of this process; created with its first task, since not every platform has random numbers before. */
  #owner = "";
  #leasedUntil = 0;
  /** What the wall clock shows more than the one that is never set. */
  #clockOffset = Date.now() - performance.now();
  /** When tasks may be taken over again, by the clock that is never set. */
  #recoverFrom = 0;
  #position: number | undefined;
  #sweepTimer: ReturnType<typeof setTimeout> | undefined;
  #syncTimer: ReturnType<typeof setTimeout> | undefined;
  #isStarted = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  /** How work has ended that the store has not accepted yet. */
  readonly #unstored = new Map<string, Outcome>();

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
      checkPositive(name, options[name]);
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
      this.#slots.hasRoom(principal, this.options.maxRunning ?? 1000)
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
    if (this.#isClosed)
      throw new RpcError(SERVER_BUSY, "The server is closing");
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
    if (this.#closing === undefined) this.#run(record, start.checked, true);
    else if (!this.#isResumable(record.tool)) await this.#fail(record, CLOSED);
    return record;
  }

  /** The ttl for a client that requests one; undefined for a value that is no number. */
  ttlFor(requested: unknown): number | undefined {
    if (typeof requested !== "number" || !Number.isFinite(requested))
      return undefined;
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
    answers: Readonly<Record<string, TaskAnswer>>,
  ): Promise<void> {
    await this.change(id, (stored) => {
      if (isTerminal(stored.status)) return undefined;
      const inputs = { ...stored.inputs };
      let answered = 0;
      for (const [key, answer] of Object.entries(answers)) {
        const input = Object.hasOwn(inputs, key) ? inputs[key] : undefined;
        if (input === undefined || isAnswered(input)) continue;
        inputs[key] = { ...input, ...answer };
        answered += 1;
      }
      if (answered === 0) return undefined;
      const changed = { ...stored, inputs };
      const isWaiting = Object.keys(outstandingInputs(changed)).length > 0;
      return { ...changed, status: isWaiting ? "input_required" : "working" };
    });
  }

  /** Ends a task with an error, unless it is done. */
  async fail(id: string, error: ErrorObject): Promise<void> {
    await this.change(id, (stored) =>
      isTerminal(stored.status) ? undefined : failedTask(stored, error),
    );
  }

  /** Reads a task again, for its work and its listeners. */
  async refresh(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined && !this.#listeners.has(id)) return;
    const record = await this.store.get(id);
    if (record !== undefined) this.#publish(record);
    else running?.stop("the task has expired");
  }

  /**
   * Calls a listener with each later state of a task. What changed before this call is not among them: {@link refresh}
   * or read the task after it.
   *
   * @param known - The state that the listener knows; version 0 if none.
   * @returns A function that ends this.
   */
  watch(
    known: Pick<TaskRecord, "id" | "version" | "expiresAt">,
    listener: TaskListener,
  ): () => void {
    let version = known.version;
    let expiresAt = known.expiresAt ?? Number.POSITIVE_INFINITY;
    const { id } = known;
    const notify: TaskListener = (current) => {
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
   * Stores what must not be lost: again and again, until the store accepts it.
   *
   * @param isOver - Whether it need not be stored any more.
   * @throws TaskStoreFullError if there is no room.
   */
  async persist(
    store: () => Promise<unknown>,
    isOver: () => boolean,
  ): Promise<void> {
    for (
      let delay = FIRST_RETRY_MS;
      !isOver();
      delay = Math.min(2 * delay, MAX_RETRY_MS)
    ) {
      try {
        await store();
        return;
      } catch (error) {
        if (error instanceof TaskStoreFullError) throw error;
        this.#report({ kind: "taskStoreFailed", error });
      }
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => {
        keepProcessAlive(setTimeout(resolve, delay), false);
      });
    }
  }

  /**
   * Stops all work. Tasks of resumable tools are left to the next process, others are reported as failed. The store stays
   * open.
   *
   * @throws What the store threw; the work is stopped all the same.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#sweepTimer);
    clearTimeout(this.#syncTimer);
    const stopped = [...this.#running.values()];
    const unstored = new Map(this.#unstored);
    // First of all, since a store may fail.
    for (const running of stopped)
      if (!unstored.has(running.id)) running.stop(CLOSING);
    const failures: unknown[] = [];
    const attempt = async (step: () => Promise<unknown>): Promise<void> => {
      try {
        await step();
      } catch (error) {
        failures.push(error);
        this.#report({ kind: "taskStoreFailed", error });
      }
    };
    for (const running of stopped)
      await attempt(async () => {
        const outcome = unstored.get(running.id);
        try {
          if (outcome !== undefined) await this.#finish(running, outcome);
        } finally {
          running.stop(CLOSING);
        }
        const record = await this.store.get(running.id);
        if (record?.owner === this.#owner && !this.#isResumable(record.tool))
          await this.#fail(record, CLOSED);
      });
    this.#listeners.clear();
    if (this.#owner !== "")
      await attempt(async () => this.store.release(this.#owner));
    if (failures.length > 0) throw failures[0];
  }

  #isResumable(tool: string): boolean {
    return this.#work.get(tool)?.isResumable === true;
  }

  #run(record: TaskRecord, args: object, isFirst: boolean): void {
    const running = new RunningTask(record, this.change);
    const { principal } = record;
    this.#running.set(record.id, running);
    this.#slots.take(principal);
    this.#scheduleSync();
    void this.#runWork(running, record.tool, args, isFirst).finally(() => {
      // Work that another process had taken over may end after this process has resumed the task.
      if (this.#running.get(record.id) === running)
        this.#running.delete(record.id);
      this.#slots.free(principal);
    });
  }

  async #runWork(
    running: RunningTask,
    tool: string,
    args: object,
    isFirst: boolean,
  ): Promise<void> {
    let outcome: Outcome;
    try {
      const work = this.#work.get(tool);
      if (work === undefined) throw new Error(`there is no task tool ${tool}`);
      const result = await work.run(args, running, isFirst);
      outcome = { result: asJson(result) as object };
    } catch (error) {
      if (running.signal.aborted) return;
      outcome = { error: this.#errorOf(running.id, tool, error) };
    }
    // Another process may own the task by now, or the next run of this one.
    if (running.signal.aborted) return;
    await this.#persistOutcome(running, outcome);
  }

  /** The task counts as running until its outcome is stored. */
  async #persistOutcome(running: RunningTask, outcome: Outcome): Promise<void> {
    const isOver = (): boolean =>
      running.signal.aborted || running.expiresAt <= Date.now();
    this.#unstored.set(running.id, outcome);
    try {
      await this.persist(() => this.#finish(running, outcome), isOver);
    } catch (error) {
      // It has no room. An error has, at the latest when other tasks have expired.
      const { code, message } = error as TaskStoreFullError;
      const full: Outcome = { error: { code, message } };
      this.#unstored.set(running.id, full);
      await this.persist(
        () => this.#finish(running, full).catch(asOrdinaryFailure),
        isOver,
      );
    } finally {
      this.#unstored.delete(running.id);
    }
  }

  async #finish(running: RunningTask, outcome: Outcome): Promise<void> {
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

  /** @param isForced - Also if the lease is fresh. */
  async #extendLease(isForced = false): Promise<void> {
    const now = Date.now();
    if (this.#owner === "") this.#owner = crypto.randomUUID();
    if (!isForced && this.#leasedUntil - now > (this.#leaseMs * 2) / 3) return;
    const until = now + this.#leaseMs;
    const wasValid = await this.store.heartbeat(this.#owner, until, now);
    // It closed meanwhile, so that nothing runs here.
    if (this.#isClosed) await this.store.release(this.#owner);
    const isFirst = this.#leasedUntil === 0;
    this.#leasedUntil = until;
    // This process was held up for so long that another one may have taken its tasks over.
    if (!wasValid && !isFirst)
      await this.#refreshAll([...this.#running.keys()]);
  }

  async #refreshAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.refresh(id);
  }

  #scheduleSweep(delay: number): void {
    if (this.#isClosed) return;
    this.#sweepTimer = setTimeout(() => {
      this.#sweep()
        .catch((error: unknown) => {
          this.#report({ kind: "taskStoreFailed", error });
        })
        .finally(() => {
          this.#scheduleSweep(Math.min(this.#leaseMs / 3, MAX_TIMER_DELAY_MS));
        });
    }, delay);
    keepProcessAlive(this.#sweepTimer, false);
  }

  async #sweep(): Promise<void> {
    if (this.#running.size > 0)
      await this.#extendLease(this.#hasClockStepped());
    const now = Date.now();
    for (const running of this.#running.values())
      if (running.expiresAt <= now) running.stop("the task has expired");
    while ((await this.store.deleteExpired(now, BATCH)) >= BATCH)
      await this.#pause();
    for (const listeners of [...this.#listeners.values()])
      for (const listener of [...listeners]) listener(undefined);
    await this.#recover();
  }

  /** Takes over the tasks of processes that have stopped. */
  async #recover(): Promise<void> {
    let after: string | undefined;
    for (;;) {
      const hasStepped = this.#hasClockStepped();
      if (hasStepped && this.#running.size > 0) await this.#extendLease(true);
      if (performance.now() < this.#recoverFrom) return;
      const abandoned = await this.store.abandoned(Date.now(), BATCH, after);
      for (const record of abandoned) {
        // A task that has expired is deleted by the next sweep.
        if (this.#isClosed || isExpired(record)) continue;
        if (!this.#isResumable(record.tool))
          await this.#fail(record, "The server stopped while it ran the task");
        else if (this.canRun(record.principal)) await this.#resume(record);
      }
      const last = abandoned.at(-1);
      // A store that does not know pages returns the first one again.
      if (
        abandoned.length < BATCH ||
        last === undefined ||
        last.id <= (after ?? "")
      )
        return;
      after = last.id;
      await this.#pause();
    }
  }

  /**
   * Whether the wall clock was set since the last call. Then the leases of living processes look expired, so for the time
   * of one lease, in which each of them extends its own, no tasks are taken over.
   */
  #hasClockStepped(): boolean {
    const offset = Date.now() - performance.now();
    const step = Math.abs(offset - this.#clockOffset);
    this.#clockOffset = offset;
    if (step <= this.#leaseMs / 6) return false;
    this.#recoverFrom = performance.now() + this.#leaseMs;
    return true;
  }

  /** In a long sweep: requests are handled, and the lease is kept. */
  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0);
    });
    if (this.#running.size > 0) await this.#extendLease();
  }

  async #resume(record: TaskRecord): Promise<void> {
    await this.#extendLease();
    const next: TaskRecord = {
      ...record,
      version: record.version + 1,
      owner: this.#owner,
      attempt: record.attempt + 1,
      updatedAt: Math.max(Date.now(), record.updatedAt),
    };
    // Of several processes, one succeeds.
    if (this.#isClosed || !(await this.store.replace(next))) return;
    this.#publish(next);
    // Its lease is released, so another process continues the task.
    if (this.#closing !== undefined) return;
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
    this.#syncTimer = setTimeout(
      () => {
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
      },
      Math.min(this.options.syncMs ?? 250, MAX_TIMER_DELAY_MS),
    );
    keepProcessAlive(this.#syncTimer, false);
  }

  async #sync(): Promise<void> {
    if (this.#position === undefined) {
      this.#position = (await this.store.changes(undefined, BATCH)).position;
      // What changed before this position has to be read once.
      await this.#refreshAll([
        ...new Set([...this.#running.keys(), ...this.#listeners.keys()]),
      ]);
    }
    for (;;) {
      const { ids, position } = await this.store.changes(this.#position, BATCH);
      this.#position = position;
      await this.#refreshAll(ids);
      if (ids.length < BATCH) return;
    }
  }

  #report(event: TaskEvent): void {
    notifyListener(this.options.onEvent, event);
  }
}

/** Rethrows, but not as a lack of room. */
function asOrdinaryFailure(error: unknown): never {
  throw new Error("the store did not accept the outcome", { cause: error });
}

/** What a store returns for a value. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function failedTask(record: TaskRecord, error: ErrorObject): TaskRecord {
  return { ...record, status: "failed", statusMessage: error.message, error };
}

function internalError(message: string): ErrorObject {
  return { code: STANDARD_ERROR_CODES.INTERNAL_ERROR, message };
}
