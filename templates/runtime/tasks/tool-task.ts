/** One task, as a client follows it. */
import type { CallOptions } from "../jsonrpc/endpoint.js";
import { SERVER_BUSY } from "../jsonrpc/endpoint-options.js";
import { isObject, MAX_TIMER_DELAY_MS } from "../jsonrpc/envelope.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import { ConnectionClosedError, TimeoutError } from "../jsonrpc/call-errors.js";
import { InvalidResultError } from "../client/errors.js";
import type { Subscription, TaskPort } from "../client/types.js";
import type { ErrorObject } from "../jsonrpc/message.js";
import { hasCoreTasks } from "../protocol/version-rules.js";
import type { EmbeddedRequest } from "../server/types.js";
import { TaskCancelledError, TaskExpiredError } from "./client-errors.js";
import { isTerminal } from "./types.js";
import type { TaskStatus } from "./types.js";

/** The state of a task at one time. */
export interface TaskSnapshot {
  readonly id: string;
  readonly status: TaskStatus;
  /** What the server says about the state, for people. */
  readonly statusMessage: string | undefined;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly lastUpdatedAt: string;
  /** Milliseconds from its creation for which the server keeps it; null for no end. */
  readonly ttlMs: number | null;
  /** Milliseconds between two polls, if the server suggests some. */
  readonly pollIntervalMs: number | undefined;
}

/** How to wait for a task. */
export interface TaskWaitOptions {
  /** Aborting it ends the waiting, and not the task. */
  readonly signal?: AbortSignal | undefined;
}

/** What follows all tasks of a client. */
export interface TaskWatch {
  readonly port: TaskPort;
  readonly pollIntervalMs: number;
  readonly onTask: (task: TaskSnapshot) => void;
  /** Opens a subscription to a task; undefined if there are too many, or the server has none. */
  listen(
    id: string,
    signal: AbortSignal,
    onTask: (task: object) => void,
  ): Promise<Subscription | undefined>;
}

/** How to follow one task. */
export interface TaskFollowOptions extends CallOptions {
  readonly onUpdate?: ((task: TaskSnapshot) => void) | undefined;
}

/** A detailed task of 2026-07-28, or a task of 2025-11-25. */
interface ReceivedTask {
  readonly snapshot: TaskSnapshot;
  readonly result: object | undefined;
  readonly error: ErrorObject | undefined;
  readonly inputRequests: Readonly<Record<string, EmbeddedRequest>>;
}

/** Polls that run, and how many callers wait for their outcome. */
interface Following {
  readonly outcome: Promise<object>;
  readonly stop: AbortController;
  waiters: number;
}

/** Failed polls in a row, after which waiting fails. */
const MAX_FAILED_POLLS = 5;

/** While notifications arrive, polls only make sure that none was lost. */
const SUBSCRIBED_POLL_MS = 30_000;

/** The shortest time between two polls, whatever the server suggests. */
const MIN_POLL_MS = 20;

/** How long after its ttl a task counts as expired, if the server does not say so itself. */
const TTL_GRACE_MS = 5000;

/**
 * A call of a tool that goes on after the server has answered.
 *
 * @typeParam Result - The result of the tool.
 */
export class ToolTask<Result extends object = object> {
  /** Save it to continue after a restart. Undefined if the server answered at once, without a task. */
  readonly id: string | undefined;
  readonly #watch: TaskWatch;
  readonly #options: TaskFollowOptions;
  #latest: TaskSnapshot | undefined;
  #following: Following | undefined;
  #result: object | undefined;
  #expiresAt = Number.POSITIVE_INFINITY;
  /** Keys of inputs that were answered, or are being answered. */
  readonly #answered = new Set<string>();
  #updates = 0;

  /**
   * @internal
   * @param result - The result, if the server answered without a task.
   */
  constructor(
    watch: TaskWatch,
    id: string | undefined,
    options: TaskFollowOptions,
    result?: object,
  ) {
    this.#watch = watch;
    this.id = id;
    this.#options = options;
    this.#result = result;
  }

  /** The last known state; undefined before the first one, and if there is no task. */
  get state(): TaskSnapshot | undefined {
    return this.#latest;
  }

  /** @internal Takes over a state that was received elsewhere. */
  seed(task: object): void {
    this.#observe(this.#received(task));
  }

  /** Asks the server for the current state; undefined if there is no task. */
  async refresh(options?: CallOptions): Promise<TaskSnapshot | undefined> {
    if (this.id === undefined) return undefined;
    return this.#observe(await this.#get(options)).snapshot;
  }

  /**
   * Waits for the result. The client's handlers answer the inputs that the task requests meanwhile.
   *
   * @throws RpcError if the task failed; {@link TaskCancelledError}; {@link TaskExpiredError}; the signal's reason; any
   *   error of a request.
   */
  async result(options: TaskWaitOptions = {}): Promise<Result> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#result !== undefined) return this.#result as Result;
    this.#following ??= this.#start();
    const running = this.#following;
    running.waiters += 1;
    let onAbort: () => void = () => undefined;
    try {
      const aborted = new Promise<never>((_, reject) => {
        onAbort = () => {
          reject(signal?.reason as Error);
        };
        signal?.addEventListener("abort", onAbort, { once: true });
      });
      return (await Promise.race([running.outcome, aborted])) as Result;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      running.waiters -= 1;
      if (running.waiters === 0) {
        running.stop.abort(new Error("nobody waits for the task any more"));
        if (this.#following === running) this.#following = undefined;
      }
    }
  }

  /** Asks the server to cancel the task. It may finish nevertheless. */
  async cancel(options?: CallOptions): Promise<void> {
    if (
      this.id === undefined ||
      (this.#latest !== undefined && isTerminal(this.#latest.status))
    )
      return;
    await this.#watch.port.send("tasks/cancel", { taskId: this.id }, options);
  }

  #start(): Following {
    const stop = new AbortController();
    const outcome = this.#follow(stop.signal).then(
      (result) => (this.#result = result),
    );
    // Each waiter reports it.
    outcome.catch(() => undefined);
    return { outcome, stop, waiters: 0 };
  }

  /** Polls until the task is done. */
  async #follow(signal: AbortSignal): Promise<object> {
    const id = this.id ?? "";
    const isCore = hasCoreTasks(this.#watch.port.revision.version);
    let news: ReceivedTask | undefined;
    let wake: () => void = () => undefined;
    const failures: unknown[] = [];
    const finished: object[] = [];
    const fail = (error: unknown): void => {
      failures.push(error);
      wake();
    };
    const ended = new AbortController();
    const whileFollowing = AbortSignal.any([signal, ended.signal]);
    let subscription: Promise<void> | undefined;
    let isSubscribed = false;
    let isAwaitingResult = false;
    const subscribe = async (): Promise<void> => {
      const opened = await this.#watch
        .listen(id, whileFollowing, (task) => {
          try {
            news = this.#received(task);
            wake();
          } catch {
            // The next poll reports an invalid task.
          }
        })
        .catch(() => undefined);
      if (opened === undefined) return;
      isSubscribed = true;
      opened.ended
        .catch(() => undefined)
        .finally(() => {
          isSubscribed = false;
          wake();
        });
    };
    try {
      let failedPolls = 0;
      for (;;) {
        let task: ReceivedTask;
        if (news === undefined) {
          try {
            task = await this.#get({
              ...this.#requestOptions(),
              signal: whileFollowing,
            });
            failedPolls = 0;
          } catch (error) {
            failedPolls += 1;
            if (!isTransient(error) || failedPolls >= MAX_FAILED_POLLS)
              throw error;
            await sleep(
              this.#interval(false) * 2 ** failedPolls,
              signal,
              () => undefined,
            );
            continue;
          }
        } else {
          task = news;
          news = undefined;
        }
        const { status } = this.#observe(task).snapshot;
        if (isTerminal(status))
          return await this.#outcomeOf(task, isCore, whileFollowing);
        if (status === "input_required") {
          if (!isCore)
            this.#answerInputs(task.inputRequests, whileFollowing).catch(fail);
          else if (!isAwaitingResult) {
            // MCP 2025-11-25, tasks: the inputs are requested while this call is open.
            isAwaitingResult = true;
            this.#payload(whileFollowing).then(
              (result) => {
                finished.push(result);
                wake();
              },
              (error: unknown) => {
                isAwaitingResult = false;
                if (!isTransient(error)) fail(error);
              },
            );
          }
        }
        if (!isCore) subscription ??= subscribe();
        if (Date.now() > this.#expiresAt + TTL_GRACE_MS)
          throw new TaskExpiredError(id);
        // What arrived meanwhile is not slept over.
        if (!hasNews(news, failures, finished))
          await sleep(this.#interval(isSubscribed), signal, (resolve) => {
            wake = resolve;
          });
        if (failures.length > 0) throw failures[0];
        const [result] = finished;
        if (result !== undefined) return result;
      }
    } finally {
      ended.abort(new Error("the task is done"));
    }
  }

  #interval(isSubscribed: boolean): number {
    const suggested =
      this.#latest?.pollIntervalMs ?? this.#watch.pollIntervalMs;
    const interval = Math.max(MIN_POLL_MS, suggested);
    if (!isSubscribed) return Math.min(interval, MAX_TIMER_DELAY_MS);
    // No notification says that a task has expired.
    const untilExpiry = Math.max(interval, this.#expiresAt - Date.now());
    return Math.min(Math.max(interval, SUBSCRIBED_POLL_MS), untilExpiry);
  }

  #requestOptions(): CallOptions {
    const { timeout } = this.#options;
    return timeout === undefined ? {} : { timeout };
  }

  async #get(options: CallOptions | undefined): Promise<ReceivedTask> {
    return this.#received(
      await this.#watch.port.send("tasks/get", { taskId: this.id }, options),
    );
  }

  #observe(task: ReceivedTask): ReceivedTask {
    const { snapshot } = task;
    const before = this.#latest;
    this.#latest = snapshot;
    if (snapshot.ttlMs === null) this.#expiresAt = Number.POSITIVE_INFINITY;
    // By this side's clock, since that of the server may differ.
    else if (before?.ttlMs !== snapshot.ttlMs) {
      const age =
        before === undefined
          ? Date.parse(snapshot.lastUpdatedAt) - Date.parse(snapshot.createdAt)
          : 0;
      this.#expiresAt =
        Date.now() +
        snapshot.ttlMs -
        (Number.isFinite(age) ? Math.min(age, snapshot.ttlMs) : 0);
    }
    if (
      before?.lastUpdatedAt === snapshot.lastUpdatedAt &&
      before.status === snapshot.status &&
      before.statusMessage === snapshot.statusMessage
    )
      return task;
    this.#watch.onTask(snapshot);
    this.#options.onUpdate?.(snapshot);
    const { statusMessage } = snapshot;
    if (
      statusMessage !== undefined &&
      statusMessage !== before?.statusMessage &&
      !isTerminal(snapshot.status)
    )
      this.#options.onProgress?.({
        progress: (this.#updates += 1),
        message: statusMessage,
      });
    return task;
  }

  async #outcomeOf(
    task: ReceivedTask,
    isCore: boolean,
    signal: AbortSignal,
  ): Promise<object> {
    const { status, statusMessage } = task.snapshot;
    if (status === "cancelled")
      throw new TaskCancelledError(this.id ?? "", statusMessage);
    if (isCore) return this.#payload(signal);
    if (status === "failed")
      throw RpcError.from(
        task.error ?? {
          code: STANDARD_ERROR_CODES.INTERNAL_ERROR,
          message: statusMessage ?? "the task failed",
        },
      );
    return this.#validResult(task.result ?? {});
  }

  /** MCP 2025-11-25, tasks, Retrieving Task Results. */
  async #payload(signal: AbortSignal): Promise<object> {
    const result = await this.#watch.port.send(
      "tasks/result",
      { taskId: this.id },
      { timeout: Number.POSITIVE_INFINITY, signal },
    );
    return this.#validResult(result);
  }

  #validResult(result: object): object {
    const { revision } = this.#watch.port;
    // A result inside a task may lack what that of a call has.
    const complete = revision.isStateless
      ? { resultType: "complete", ...result }
      : result;
    const outcome = revision.validateResult("tools/call", complete);
    if (!outcome.success)
      throw new InvalidResultError("tools/call", outcome.failure);
    return outcome.value as object;
  }

  /** Answers each input once (Tasks extension, Task Update Requests). */
  async #answerInputs(
    requests: Readonly<Record<string, EmbeddedRequest>>,
    signal: AbortSignal,
  ): Promise<void> {
    const fresh = Object.entries(requests).filter(
      ([key]) => !this.#answered.has(key),
    );
    if (fresh.length === 0) return;
    for (const [key] of fresh) this.#answered.add(key);
    try {
      const inputResponses = await this.#watch.port.collectInputs(
        Object.fromEntries(fresh),
        signal,
      );
      await this.#watch.port.send(
        "tasks/update",
        { taskId: this.id, inputResponses },
        { ...this.#requestOptions(), signal },
      );
    } catch (error) {
      for (const [key] of fresh) this.#answered.delete(key);
      if (signal.aborted) return;
      throw error;
    }
  }

  /** @throws InvalidResultError if it is not a task. */
  #received(task: object): ReceivedTask {
    const members = task as Readonly<Record<string, unknown>>;
    const {
      taskId,
      status,
      statusMessage,
      createdAt,
      lastUpdatedAt,
      result,
      error,
      inputRequests,
    } = members;
    const ttlMs = members["ttlMs"] ?? members["ttl"] ?? null;
    const pollIntervalMs = members["pollIntervalMs"] ?? members["pollInterval"];
    const problem =
      taskId !== this.id
        ? "another task"
        : typeof status !== "string"
          ? "no status"
          : ttlMs !== null && typeof ttlMs !== "number"
            ? "an invalid ttl"
            : undefined;
    if (problem !== undefined)
      throw new InvalidResultError("tasks/get", {
        path: "",
        reason: "value",
        expected: `the task ${this.id ?? ""}`,
        found: problem,
      });
    return {
      snapshot: {
        id: taskId as string,
        status: status as TaskStatus,
        statusMessage:
          typeof statusMessage === "string" ? statusMessage : undefined,
        createdAt: String(createdAt),
        lastUpdatedAt: String(lastUpdatedAt),
        ttlMs: ttlMs as number | null,
        pollIntervalMs:
          typeof pollIntervalMs === "number" && pollIntervalMs >= 0
            ? pollIntervalMs
            : undefined,
      },
      result: isObject(result) ? result : undefined,
      error: isObject(error) ? (error as unknown as ErrorObject) : undefined,
      inputRequests: isObject(inputRequests)
        ? (inputRequests as Readonly<Record<string, EmbeddedRequest>>)
        : {},
    };
  }
}

/** Whether something has arrived since the last poll. */
function hasNews(
  news: ReceivedTask | undefined,
  failures: readonly unknown[],
  finished: readonly object[],
): boolean {
  return news !== undefined || failures.length + finished.length > 0;
}

/** Whether a poll may succeed when it is repeated. */
function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionClosedError) return false;
  return (
    error instanceof TimeoutError ||
    (error instanceof RpcError &&
      (error.code === SERVER_BUSY ||
        error.code === STANDARD_ERROR_CODES.INTERNAL_ERROR))
  );
}

/** Waits; `expose` receives a function that ends it. Rejects with the signal's reason. */
async function sleep(
  delay: number,
  signal: AbortSignal,
  expose: (wake: () => void) => void,
): Promise<void> {
  signal.throwIfAborted();
  let end: () => void = () => undefined;
  const woken = new Promise<void>((resolve) => {
    end = resolve;
  });
  expose(end);
  const timer = setTimeout(end, Math.min(delay, MAX_TIMER_DELAY_MS));
  signal.addEventListener("abort", end, { once: true });
  try {
    await woken;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
  signal.throwIfAborted();
}
