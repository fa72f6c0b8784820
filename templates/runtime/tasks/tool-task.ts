/** One task, as a client follows it. */
import { abortable } from "../jsonrpc/abort.js";
import type { CallOptions } from "../jsonrpc/endpoint.js";
import { isObject, MAX_TIMER_DELAY_MS } from "../jsonrpc/envelope.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import { TimeoutError } from "../jsonrpc/call-errors.js";
import { notifyListener } from "../jsonrpc/transport-events.js";
import { InvalidResultError } from "../client/errors.js";
import type { Subscription, TaskPort } from "../client/types.js";
import type { ErrorObject } from "../jsonrpc/message.js";
import { hasCoreTasks } from "../protocol/version-rules.js";
import type { EmbeddedRequest } from "../server/types.js";
import {
  TaskCancelledError,
  TaskExpiredError,
  isOutage,
  isServerFailure,
  retryAfterOf,
} from "./client-errors.js";
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
  /** Milliseconds for which requests are repeated while the server cannot be reached or is busy. */
  readonly maxOutageMs: number;
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

/** Errors of the server in a row, after which waiting fails. */
const MAX_SERVER_FAILURES = 5;

/** The delay before the first repetition of a request, unless polls are more frequent; and the longest delay. */
const RETRY_DELAY_MS = 1000;
const MAX_RETRY_DELAY_MS = 15_000;

/** While notifications arrive, polls only make sure that none was lost. */
const SUBSCRIBED_POLL_MS = 30_000;

/** The shortest time between two polls, whatever the server suggests. */
const MIN_POLL_MS = 20;

/** How long after its ttl a task counts as expired, if the server does not say so itself. */
const TTL_GRACE_MS = 5000;

/** The most by which this side may count the ttl longer or shorter than the server. */
const TTL_TOLERANCE_MS = 1000;

/** How long after its ttl the state of a task is requested, so that it is not requested just before. */
const AFTER_TTL_MS = 50;

/** The time for a call, from now on. */
export class CallLimit {
  readonly #maxTimeout: number;
  readonly #method: string;
  readonly #deadline: number;

  /** @param maxTimeout - Milliseconds; undefined for no limit. */
  constructor(
    maxTimeout: number = Number.POSITIVE_INFINITY,
    method = "tools/call",
  ) {
    this.#maxTimeout = maxTimeout;
    this.#method = method;
    this.#deadline = performance.now() + maxTimeout;
  }

  get isOver(): boolean {
    return performance.now() >= this.#deadline;
  }

  /** @throws TimeoutError */
  throwIfOver(): void {
    if (this.isOver) throw this.#error();
  }

  /**
   * Waits for work until the time is over or the caller's signal is aborted. Both abort the signal of the work.
   *
   * @throws TimeoutError; the signal's reason; any error of the work.
   */
  async run<T>(
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    this.throwIfOver();
    const isEndless = this.#deadline === Number.POSITIVE_INFINITY;
    if (isEndless && signal === undefined) return work(undefined);
    const stop = new AbortController();
    const onAbort = (): void => {
      stop.abort(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    const timer = isEndless ? undefined : this.#abortAtDeadline(stop);
    try {
      return await abortable(work(stop.signal), stop.signal);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  #abortAtDeadline(stop: AbortController): ReturnType<typeof setTimeout> {
    return setTimeout(
      () => {
        stop.abort(this.#error());
      },
      Math.min(
        // A timer may fire a fraction of a millisecond early.
        Math.ceil(this.#deadline - performance.now()) + 1,
        MAX_TIMER_DELAY_MS,
      ),
    );
  }

  #error(): TimeoutError {
    return new TimeoutError(this.#method, this.#maxTimeout);
  }
}

/** How often and how long failing requests about one task are repeated. */
class RetryPolicy {
  readonly #maxOutageMs: number;
  readonly #maxServerFailures: number;
  #failures = 0;
  #serverFailures = 0;
  #since = 0;

  constructor(maxOutageMs: number, maxServerFailures: number) {
    this.#maxOutageMs = maxOutageMs;
    this.#maxServerFailures = maxServerFailures;
  }

  reset(): void {
    this.#failures = 0;
    this.#serverFailures = 0;
  }

  /**
   * @param firstDelay - Milliseconds.
   * @returns Milliseconds to wait before the next attempt.
   * @throws The error, if the request should not be repeated.
   */
  delayAfter(error: unknown, firstDelay: number): number {
    const now = performance.now();
    if (this.#failures === 0) this.#since = now;
    this.#failures += 1;
    if (isServerFailure(error)) this.#serverFailures += 1;
    else if (!isOutage(error)) throw error;
    const left = this.#since + this.#maxOutageMs - now;
    if (left <= 0 || this.#serverFailures >= this.#maxServerFailures)
      throw error;
    const delay = Math.min(
      firstDelay * 2 ** (this.#failures - 1),
      MAX_RETRY_DELAY_MS,
    );
    return Math.min(Math.max(delay, retryAfterOf(error)), left);
  }
}

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
  readonly #limit: CallLimit;
  #latest: TaskSnapshot | undefined;
  #following: Following | undefined;
  #result: object | undefined;
  #expiresAt = Number.POSITIVE_INFINITY;
  /** Keys of inputs that were answered, or are being answered. */
  readonly #answered = new Set<string>();
  /** Answers that the server may not have received, by key. They are not requested again. */
  readonly #unsent = new Map<string, unknown>();
  /** Why this side could not answer an input. */
  #inputFailure: { readonly error: unknown } | undefined;
  #updates = 0;

  /**
   * @internal
   * @param result - The result, if the server answered without a task.
   */
  constructor(
    watch: TaskWatch,
    id: string | undefined,
    options: TaskFollowOptions,
    limit: CallLimit,
    result?: object,
  ) {
    this.#watch = watch;
    this.id = id;
    this.#options = options;
    this.#limit = limit;
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
   * Waits for the result. The client's handlers answer the inputs that the task requests meanwhile. While the server
   * cannot be reached or is busy, requests are repeated.
   *
   * @throws RpcError if the task failed; {@link TaskCancelledError}; {@link TaskExpiredError}; TimeoutError after the
   *   `maxTimeout` of the call, and the task goes on; the signal's reason; any error of a request.
   */
  async result(options: TaskWaitOptions = {}): Promise<Result> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#result !== undefined) return this.#result as Result;
    this.#limit.throwIfOver();
    this.#following ??= this.#start();
    const running = this.#following;
    running.waiters += 1;
    try {
      return (await this.#limit.run(signal, () => running.outcome)) as Result;
    } finally {
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

  /**
   * @internal
   * @returns Whether waiting ended because of this side, so that the task may still run.
   */
  isAbandoned(error: unknown, signal: AbortSignal | undefined): boolean {
    return (
      signal?.aborted === true ||
      this.#limit.isOver ||
      error instanceof InvalidResultError ||
      this.#inputFailure?.error === error
    );
  }

  #start(): Following {
    const stop = new AbortController();
    const outcome = this.#follow(stop).then(
      (result) => (this.#result = result),
    );
    // Each waiter reports it.
    outcome.catch(() => undefined);
    return { outcome, stop, waiters: 0 };
  }

  /**
   * Polls until the task is done.
   *
   * @param stop - Ends it, and is aborted at its end, with all that it has started.
   */
  async #follow(stop: AbortController): Promise<object> {
    const { signal } = stop;
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
    let subscription: Promise<void> | undefined;
    let isSubscribed = false;
    let isAwaitingResult = false;
    let isDone = false;
    const polls = this.#retryPolicy();
    let failedResults = 0;
    const subscribe = async (): Promise<void> => {
      const opened = await this.#watch
        .listen(id, signal, (task) => {
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
      for (;;) {
        let task: ReceivedTask;
        if (news === undefined) {
          try {
            task = await this.#get({
              ...this.#requestOptions(),
              signal,
            });
            polls.reset();
          } catch (error) {
            signal.throwIfAborted();
            const pause = this.#pauseAfter(error, polls);
            await sleep(pause, signal, (resolve) => {
              wake = resolve;
            });
            if (failures.length > 0) throw failures[0];
            continue;
          }
        } else {
          task = news;
          news = undefined;
        }
        const { status } = this.#observe(task).snapshot;
        isDone = isTerminal(status);
        if (isDone) return await this.#outcomeOf(task, isCore, signal);
        if (status === "input_required") {
          if (!isCore)
            this.#answerInputs(task.inputRequests, signal).catch(fail);
          else if (!isAwaitingResult) {
            // MCP 2025-11-25, tasks: the inputs are requested while this call is open.
            isAwaitingResult = true;
            this.#payload(signal).then(
              (result) => {
                finished.push(result);
                wake();
              },
              (error: unknown) => {
                // The next poll requests it again.
                isAwaitingResult = false;
                if (isOutage(error)) return;
                failedResults += 1;
                if (
                  !isServerFailure(error) ||
                  failedResults >= MAX_SERVER_FAILURES
                )
                  fail(error);
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
    } catch (error) {
      if (!isDone && this.#isExpiry(error)) throw new TaskExpiredError(id);
      throw error;
    } finally {
      stop.abort(new Error("the task is done"));
    }
  }

  #interval(isSubscribed: boolean): number {
    const suggested =
      this.#latest?.pollIntervalMs ?? this.#watch.pollIntervalMs;
    const interval = Math.max(
      MIN_POLL_MS,
      isSubscribed ? Math.max(suggested, SUBSCRIBED_POLL_MS) : suggested,
    );
    // No notification says that a task has expired, and the next poll may be later than that.
    const untilExpiry = this.#expiresAt + AFTER_TTL_MS - Date.now();
    const untilEnd = this.#expiresAt + TTL_GRACE_MS + 1 - Date.now();
    return Math.min(
      interval,
      untilExpiry > 0
        ? untilExpiry
        : Math.max(MIN_POLL_MS, Math.min(RETRY_DELAY_MS, untilEnd)),
    );
  }

  /** Whether an error says that a task is unknown whose time is over by this side's clock. */
  #isExpiry(error: unknown): boolean {
    return (
      error instanceof RpcError &&
      error.code === STANDARD_ERROR_CODES.INVALID_PARAMS &&
      Date.now() >= this.#expiresAt - TTL_TOLERANCE_MS
    );
  }

  #retryPolicy(maxServerFailures = MAX_SERVER_FAILURES): RetryPolicy {
    return new RetryPolicy(this.#watch.maxOutageMs, maxServerFailures);
  }

  /** @throws The error, if the request should not be repeated. */
  #pauseAfter(error: unknown, policy: RetryPolicy): number {
    if (Date.now() > this.#expiresAt + TTL_GRACE_MS) throw error;
    return policy.delayAfter(
      error,
      Math.min(RETRY_DELAY_MS, this.#interval(false)),
    );
  }

  /** Repeats a request that has the same effect twice, while the server cannot be reached. */
  async #repeated(
    send: () => Promise<object>,
    policy: RetryPolicy,
    signal: AbortSignal,
  ): Promise<object> {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        signal.throwIfAborted();
        await sleep(this.#pauseAfter(error, policy), signal, () => undefined);
      }
    }
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
    // A listener's failure must not lose the task.
    notifyListener(this.#options.onUpdate, snapshot);
    const { statusMessage } = snapshot;
    if (
      statusMessage !== undefined &&
      statusMessage !== before?.statusMessage &&
      !isTerminal(snapshot.status)
    )
      notifyListener(this.#options.onProgress, {
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
    // Its errors are those of the task, except outages.
    if (isCore)
      return this.#repeated(
        () => this.#payload(signal),
        this.#retryPolicy(1),
        signal,
      );
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
      await this.#collect(
        fresh.filter(([key]) => !this.#unsent.has(key)),
        signal,
      );
      const inputResponses = Object.fromEntries(
        fresh.map(([key]) => [key, this.#unsent.get(key)]),
      );
      // Tasks extension, Task Update Requests: what the server has already received, it ignores.
      await this.#repeated(
        () =>
          this.#watch.port.send(
            "tasks/update",
            { taskId: this.id, inputResponses },
            { ...this.#requestOptions(), signal },
          ),
        this.#retryPolicy(),
        signal,
      );
      for (const [key] of fresh) this.#unsent.delete(key);
    } catch (error) {
      for (const [key] of fresh) {
        this.#answered.delete(key);
        // What the server refuses, it would refuse again.
        if (error instanceof RpcError && !isOutage(error))
          this.#unsent.delete(key);
      }
      if (signal.aborted) return;
      throw error;
    }
  }

  /** Has the client's handlers answer inputs, and keeps the answers. */
  async #collect(
    requests: readonly (readonly [string, EmbeddedRequest])[],
    signal: AbortSignal,
  ): Promise<void> {
    if (requests.length === 0) return;
    try {
      const responses = await this.#watch.port.collectInputs(
        Object.fromEntries(requests),
        signal,
      );
      for (const [key, response] of Object.entries(responses))
        this.#unsent.set(key, response);
    } catch (error) {
      this.#inputFailure = { error };
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
