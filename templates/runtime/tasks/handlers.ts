/** The handlers of tasks, in both generations of the protocol, and their notifications. */
import type {
  ServerExtension,
  InputValidator,
  HandlerContext,
  ListenSource,
  RequestHandler,
} from "../server/types.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import { isObject } from "../jsonrpc/envelope.js";
import { principalOf } from "../jsonrpc/transport.js";
import { truncate } from "../protocol/revision.js";
import type { Revision } from "../protocol/revision.js";
import { TASKS_EXTENSION, hasCoreTasks } from "../protocol/version-rules.js";
import type { TaskManager } from "./manager.js";
import { requireTasksExtension } from "./tool-calls.js";
import { outstandingInputs } from "./types.js";
import type { TaskRecord } from "./types.js";
import { coreTask, detailedTask, isDone, relatedTaskMeta } from "./wire.js";

/** Tasks in one page of `tasks/list`. */
const PAGE_SIZE = 100;

/** Maximum of tasks that one subscription may name. */
const MAX_SUBSCRIBED_TASKS = 1000;

type Context = HandlerContext & InputValidator;

interface TaskParams {
  readonly taskId: string;
}

/** The methods of tasks as an extension of a server. */
export function tasksExtension(manager: TaskManager): ServerExtension {
  const asking = new Set<string>();
  const handlers: Record<string, RequestHandler> = {
    "tasks/get": async ({ taskId }: TaskParams, context: Context) => {
      const record = await findFor(manager, taskId, context);
      if (!hasCoreTasks(context.revision)) return detailedTask(record);
      // Not every client calls `tasks/result` for the inputs, as MCP 2025-11-25 asks it to. Over HTTP, there may be no
      // stream for requests after this response.
      if (record.status === "input_required" && !isHttp(context.extra))
        askInputs(manager, record, context, asking, (error) => {
          if (error instanceof RpcError)
            void manager.fail(taskId, error.toJSON()).catch(() => undefined);
        });
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
      awaitResult(manager, taskId, context, asking),
  };
  if (manager.options.list === true)
    handlers["tasks/list"] = (
      { cursor }: { readonly cursor?: string },
      context: Context,
    ) => list(manager, cursor, context);
  return {
    handlers,
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
  const answers: [string, object][] = [];
  for (const [key, response] of Object.entries(inputResponses)) {
    const request = Object.hasOwn(outstanding, key)
      ? outstanding[key]
      : undefined;
    if (request === undefined) continue;
    await context.validInput(key, request, response);
    answers.push([key, response as object]);
  }
  if (answers.length > 0)
    await manager.answer(taskId, Object.fromEntries(answers));
  return {};
}

/**
 * MCP 2025-11-25, tasks, Result Retrieval: waits for the end of the task, and has the client answer what the task
 * requests meanwhile.
 *
 * @param asking - The inputs that are being requested, so that two calls do not request the same one.
 */
async function awaitResult(
  manager: TaskManager,
  id: string,
  context: Context,
  asking: Set<string>,
): Promise<object> {
  const found = await findFor(manager, id, context);
  const latest: { record: TaskRecord | undefined } = { record: found };
  let wake: (() => void) | undefined;
  const failures: unknown[] = [];
  const onAbort = (): void => wake?.();
  const unwatch = manager.watch(found, (changed) => {
    latest.record = changed;
    if (changed !== undefined && !isDone(changed))
      context.notify("notifications/tasks/status", coreTask(changed));
    wake?.();
  });
  context.signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      context.signal.throwIfAborted();
      if (failures.length > 0) throw failures[0];
      const { record } = latest;
      if (record === undefined)
        throw new RpcError(
          STANDARD_ERROR_CODES.INVALID_PARAMS,
          "The task has expired",
        );
      if (isDone(record)) return resultOf(record);
      askInputs(manager, record, context, asking, (error) => {
        failures.push(error);
        wake?.();
      });
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    unwatch();
    context.signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Requests the outstanding inputs of a task from a client of 2025-11-25.
 *
 * @param asking - The inputs that are being requested; they are not requested again.
 */
function askInputs(
  manager: TaskManager,
  record: TaskRecord,
  context: Context,
  asking: Set<string>,
  onFailure: (error: unknown) => void,
): void {
  const { id } = record;
  for (const [key, { method, params }] of Object.entries(
    outstandingInputs(record),
  )) {
    const label = `${id} ${key}`;
    if (asking.has(label)) continue;
    asking.add(label);
    const meta = (params as { readonly _meta?: object } | undefined)?._meta;
    const asked = { ...params, _meta: { ...meta, ...relatedTaskMeta(id) } };
    // The user may take long; the task's own ttl is the limit.
    context
      .request(method, asked, { timeout: Number.POSITIVE_INFINITY })
      .then((response) => manager.answer(id, { [key]: response }))
      .catch(onFailure)
      .finally(() => asking.delete(label));
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
    tasks: page.map(coreTask),
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
  // The records that were found, by what was agreed.
  const found = new WeakMap<object, readonly TaskRecord[]>();
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
      const records: TaskRecord[] = [];
      for (const id of new Set(taskIds as readonly unknown[])) {
        const record =
          typeof id === "string"
            ? await manager.lookUp(id, principal)
            : undefined;
        if (record !== undefined) records.push(record);
      }
      const agreed = { taskIds: records.map(({ id }) => id) };
      found.set(agreed, records);
      return agreed;
    },
    open: (agreed, send) => {
      const ends = (found.get(agreed) ?? []).map((record) => {
        const notify = (current: TaskRecord): void => {
          send("notifications/tasks", detailedTask(current));
        };
        notify(record);
        return manager.watch(record, (changed) => {
          if (changed !== undefined) notify(changed);
        });
      });
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
