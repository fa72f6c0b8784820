/** The handlers of tasks, in both generations of the protocol, and their notifications. */
import type {
  EmbeddedRequest,
  ServerExtension,
  InputValidator,
  HandlerContext,
  ListenSource,
  RequestHandler,
} from "../server/types.js";
import { SERVER_BUSY } from "../jsonrpc/endpoint-options.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import { isObject } from "../jsonrpc/envelope.js";
import { SharedSlots } from "../jsonrpc/fair-share.js";
import { principalOf } from "../jsonrpc/transport.js";
import { truncate } from "../protocol/revision.js";
import type { Revision } from "../protocol/revision.js";
import { TASKS_EXTENSION, hasCoreTasks } from "../protocol/version-rules.js";
import type { TaskManager } from "./manager.js";
import { requireTasksExtension } from "./tool-calls.js";
import { isExpired, outstandingInputs } from "./types.js";
import type { TaskAnswer, TaskRecord } from "./types.js";
import { coreTask, detailedTask, isDone, relatedTaskMeta } from "./wire.js";

/** Tasks in one page of `tasks/list`. */
const PAGE_SIZE = 100;

/** Maximum of `tasks/result` that wait at the same time, in all connections. */
const MAX_WAITING = 10_000;

/** Maximum of tasks that one subscription may name. */
const MAX_SUBSCRIBED_TASKS = 1000;

type Context = HandlerContext & InputValidator;

interface TaskParams {
  readonly taskId: string;
}

/** The methods of tasks as an extension of a server. */
export function tasksExtension(manager: TaskManager): ServerExtension {
  const inputs = new AskedInputs(manager);
  const waiting = new WaitingCalls();
  const handlers: Record<string, RequestHandler> = {
    "tasks/get": async ({ taskId }: TaskParams, context: Context) => {
      const record = await findFor(manager, taskId, context);
      if (!hasCoreTasks(context.revision)) return detailedTask(record);
      // Not every client calls `tasks/result` for the inputs, as MCP 2025-11-25 asks it to. Over HTTP, there may be no
      // stream for requests after this response.
      if (record.status === "input_required" && !isHttp(context.extra))
        inputs.ask(record, context, new Set());
      return coreTask(record);
    },
    "tasks/cancel": async ({ taskId }: TaskParams, context: Context) => {
      checkClient(context);
      const { record, hasCancelled } = await manager.cancel(
        taskId,
        principalOf(context.extra) ?? "",
      );
      if (!hasCoreTasks(context.revision)) return {};
      if (!hasCancelled)
        throw new RpcError(
          STANDARD_ERROR_CODES.INVALID_PARAMS,
          `Cannot cancel the task: it is ${record.status} already`,
        );
      return coreTask(record);
    },
    "tasks/update": (
      params: TaskParams & { readonly inputResponses: object },
      context: Context,
    ) => update(manager, params, context),
    "tasks/result": ({ taskId }: TaskParams, context: Context) =>
      waiting.run(principalOf(context.extra) ?? "", () =>
        awaitResult(manager, taskId, context, inputs),
      ),
  };
  if (manager.options.list === true)
    handlers["tasks/list"] = (
      { cursor }: { readonly cursor?: string },
      context: Context,
    ) => list(manager, cursor, context);
  return {
    handlers,
    // Otherwise, clients that wait for results could not even cancel their tasks.
    waitingMethods: ["tasks/result"],
    // Answers to what is not outstanding are ignored, so they may have any form.
    validatedParams: (method, params) =>
      method === "tasks/update" &&
      isObject((params as { readonly inputResponses?: unknown }).inputResponses)
        ? { ...params, inputResponses: {} }
        : params,
    capabilities: (revision) =>
      capabilitiesIn(revision, manager.options.list === true),
    listen: listenSource(manager),
  };
}

function capabilitiesIn(revision: Revision, canList: boolean): object {
  if (!Object.hasOwn(revision.methods, "tasks/get")) return {};
  if (!hasCoreTasks(revision.version))
    return { extensions: { [TASKS_EXTENSION]: {} } };
  return {
    tasks: {
      cancel: {},
      ...(canList ? { list: {} } : {}),
      requests: { tools: { call: {} } },
    },
  };
}

function checkClient(context: Context): void {
  if (!hasCoreTasks(context.revision)) requireTasksExtension(context);
}

async function findFor(
  manager: TaskManager,
  id: string,
  context: Context,
): Promise<TaskRecord> {
  checkClient(context);
  return manager.find(id, principalOf(context.extra) ?? "");
}

/** Whether a request came over HTTP, whose handler passes streams. */
function isHttp(extra: unknown): boolean {
  return (
    typeof (extra as { readonly openStream?: unknown } | null | undefined)
      ?.openStream === "function"
  );
}

/** Tasks extension, Task Update Requests: answers to what is not outstanding are ignored. */
async function update(
  manager: TaskManager,
  { taskId, inputResponses }: TaskParams & { readonly inputResponses: object },
  context: Context,
): Promise<object> {
  const record = await findFor(manager, taskId, context);
  const outstanding = outstandingInputs(record);
  const answers: [string, TaskAnswer][] = [];
  for (const [key, response] of Object.entries(inputResponses)) {
    const request = Object.hasOwn(outstanding, key)
      ? outstanding[key]
      : undefined;
    if (request === undefined) continue;
    await context.validInput(key, request, response);
    answers.push([key, { response: response as object }]);
  }
  if (answers.length > 0)
    await manager.answer(taskId, Object.fromEntries(answers));
  return {};
}

/**
 * MCP 2025-11-25, tasks, Result Retrieval: waits for the end of the task, and has the client answer what the task
 * requests meanwhile.
 *
 * @throws RpcError if the task is gone, or what the call would have thrown.
 */
async function awaitResult(
  manager: TaskManager,
  id: string,
  context: Context,
  inputs: AskedInputs,
): Promise<object> {
  const found = await findFor(manager, id, context);
  const latest: { record: TaskRecord | undefined } = { record: found };
  let wake: (() => void) | undefined;
  const onChange = (): void => wake?.();
  const unwatch = manager.watch(found, (changed) => {
    latest.record = changed;
    if (changed !== undefined && !isDone(changed))
      context.notify("notifications/tasks/status", coreTask(changed));
    wake?.();
  });
  const asked = new Set<string>();
  const unfollow = inputs.onReleased(id, onChange);
  context.signal.addEventListener("abort", onChange, { once: true });
  try {
    // It may have changed between the look-up and the start of the watch.
    await manager.refresh(id);
    for (;;) {
      context.signal.throwIfAborted();
      const { record } = latest;
      if (record === undefined || isExpired(record))
        throw new RpcError(
          STANDARD_ERROR_CODES.INVALID_PARAMS,
          "The task has expired",
        );
      if (isDone(record)) return resultOf(record);
      inputs.ask(record, context, asked);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    unwatch();
    unfollow();
    context.signal.removeEventListener("abort", onChange);
  }
}

/**
 * Requests the inputs of tasks from clients of 2025-11-25.
 *
 * Of several sessions, one receives the request for an input. If it goes away without an answer, another one is.
 */
class AskedInputs {
  readonly #manager: TaskManager;
  /** Those that a session is to answer. */
  readonly #pending = new Set<string>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(manager: TaskManager) {
    this.#manager = manager;
  }

  /** Calls a listener when a session has not answered an input of a task. Returns a function that ends this. */
  onReleased(id: string, listener: () => void): () => void {
    const listeners = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#waiting.delete(id);
    };
  }

  /**
   * Requests the outstanding inputs of a task that no session is to answer.
   *
   * @param asked - The keys that this call has requested already. It requests each once, and new ones are added.
   */
  ask(record: TaskRecord, context: Context, asked: Set<string>): void {
    const { id } = record;
    for (const [key, request] of Object.entries(outstandingInputs(record))) {
      const label = `${id} ${key}`;
      if (this.#pending.has(label) || asked.has(key)) continue;
      this.#pending.add(label);
      asked.add(key);
      void this.#answerOf(request, id, context)
        .then((answer) => this.#store(record, key, answer))
        // Nobody has answered, such as a session that was closed.
        .catch(() => undefined)
        .finally(() => {
          this.#pending.delete(label);
          for (const wake of [...(this.#waiting.get(id) ?? [])]) wake();
        });
    }
  }

  async #answerOf(
    { method, params }: EmbeddedRequest,
    id: string,
    context: Context,
  ): Promise<TaskAnswer> {
    const meta = (params as { readonly _meta?: object } | undefined)?._meta;
    const sent = { ...params, _meta: { ...meta, ...relatedTaskMeta(id) } };
    try {
      // The user may take long; the task's own ttl is the limit.
      const response = await context.request(method, sent, {
        timeout: Number.POSITIVE_INFINITY,
      });
      return { response };
    } catch (error) {
      // An error is an answer too, which the work receives as within a call.
      if (error instanceof RpcError) return { error: error.toJSON() };
      throw error;
    }
  }

  /** The user is not asked again because a store was busy. */
  async #store(
    record: TaskRecord,
    key: string,
    answer: TaskAnswer,
  ): Promise<void> {
    const { id } = record;
    const isOver = (): boolean => isExpired(record);
    try {
      await this.#manager.persist(
        () => this.#manager.answer(id, { [key]: answer }),
        isOver,
      );
    } catch (failure) {
      const error = (failure as RpcError).toJSON();
      await this.#manager.persist(() => this.#manager.fail(id, error), isOver);
    }
  }
}

/** The calls that wait for results: they are not counted as other requests are, so they have their own limit. */
class WaitingCalls {
  readonly #slots = new SharedSlots();

  /** @throws RpcError if too many calls wait. */
  async run(principal: string, call: () => Promise<object>): Promise<object> {
    if (!this.#slots.hasRoom(principal, MAX_WAITING))
      throw new RpcError(SERVER_BUSY, "Too many calls wait for results");
    this.#slots.take(principal);
    try {
      return await call();
    } finally {
      this.#slots.free(principal);
    }
  }
}

/** What the call would have returned (MCP 2025-11-25, tasks, Result Retrieval). */
function resultOf({ id, status, result, error }: TaskRecord): object {
  if (error !== undefined) throw RpcError.from(error);
  if (result === undefined)
    throw new RpcError(
      STANDARD_ERROR_CODES.INVALID_PARAMS,
      `The task has no result: it is ${status}`,
    );
  const { _meta } = result as { readonly _meta?: object };
  return { ...result, _meta: { ..._meta, ...relatedTaskMeta(id) } };
}

async function list(
  manager: TaskManager,
  cursor: string | undefined,
  context: Context,
): Promise<object> {
  manager.start();
  const tasks = await manager.store.list(
    principalOf(context.extra) ?? "",
    positionOf(cursor),
    PAGE_SIZE + 1,
  );
  const page = tasks.slice(0, PAGE_SIZE);
  const last = page.at(-1);
  return {
    // Expired ones stay in the store until the next sweep.
    tasks: page.filter((task) => !isExpired(task)).map(coreTask),
    ...(tasks.length > PAGE_SIZE && last !== undefined
      ? { nextCursor: `${last.createdAt} ${last.id}` }
      : {}),
  };
}

function positionOf(
  cursor: string | undefined,
): Pick<TaskRecord, "createdAt" | "id"> | undefined {
  if (cursor === undefined) return undefined;
  const [, time, id] = /^(\d{1,16}) (\S{1,200})$/.exec(cursor) ?? [];
  if (time === undefined || id === undefined)
    throw new RpcError(
      STANDARD_ERROR_CODES.INVALID_PARAMS,
      `Unknown cursor: ${truncate(cursor)}`,
    );
  return { createdAt: Number(time), id };
}

/** Tasks extension, Task Status Notifications. */
function listenSource(manager: TaskManager): ListenSource {
  return {
    agree: async (filter, context) => {
      const { taskIds } = filter;
      if (!Array.isArray(taskIds)) return {};
      requireTasksExtension(context);
      if (taskIds.length > MAX_SUBSCRIBED_TASKS)
        throw new RpcError(
          STANDARD_ERROR_CODES.INVALID_PARAMS,
          `taskIds has ${taskIds.length} items, more than ${MAX_SUBSCRIBED_TASKS}`,
        );
      const principal = principalOf(context.extra) ?? "";
      const found: string[] = [];
      for (const id of new Set(taskIds as readonly unknown[])) {
        const record =
          typeof id === "string"
            ? await manager.lookUp(id, principal)
            : undefined;
        if (record !== undefined) found.push(record.id);
      }
      return { taskIds: found };
    },
    open: (agreed, send) => {
      const ids = (agreed["taskIds"] ?? []) as readonly string[];
      const ends = ids.map((id) =>
        manager.watch({ id, version: 0, expiresAt: null }, (record) => {
          if (record !== undefined)
            send("notifications/tasks", detailedTask(record));
        }),
      );
      let isOpen = true;
      const sendAll = async (): Promise<void> => {
        for (const id of ids) {
          if (!isOpen) return;
          await manager.refresh(id);
        }
      };
      // Without a store, clients learn it when they poll.
      void sendAll().catch(() => undefined);
      return () => {
        isOpen = false;
        for (const end of ends) end();
      };
    },
  };
}
