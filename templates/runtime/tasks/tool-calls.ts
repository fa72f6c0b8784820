/** `tools/list` and `tools/call` of a server with task tools. */
import { SERVER_BUSY } from "../jsonrpc/endpoint-options.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import { principalOf } from "../jsonrpc/transport.js";
import { missingCapabilitiesError } from "../protocol/missing-capability.js";
import { truncate } from "../protocol/revision.js";
import {
  TASKS_EXTENSION,
  hasCoreTasks,
  isStatelessVersion,
} from "../protocol/version-rules.js";
import {
  indexBy,
  invalidArgumentError,
  singlePage,
} from "../registry/lists.js";
import type { ListParams } from "../registry/lists.js";
import {
  appTools,
  checkedArguments,
  listedTool,
  runTool,
  toolHandlers,
} from "../registry/tools.js";
import type {
  RegisteredTool,
  ToolCallResult,
  ToolHandlers,
} from "../registry/tools.js";
import type { DefinitionContext } from "../registry/types.js";
import { APP_TOOLS } from "../server/apps.js";
import type { InputValidator } from "../server/types.js";
import type { TaskContext } from "./context.js";
import type { TaskManager } from "./manager.js";
import type { RunningTask } from "./running.js";
import { isTaskTool } from "./tool.js";
import type { RegisteredTaskTool } from "./tool.js";
import { coreTask, taskSummary } from "./wire.js";

/** Params of `tools/call`; `task` only in 2025-11-25. */
interface CallParams {
  readonly name: string;
  readonly arguments?: object;
  readonly task?: { readonly ttl?: number };
}

/** What each context is at run time. */
type CallContext = DefinitionContext & Partial<InputValidator>;

/**
 * @throws RpcError if a client of a stateless revision has not declared the extension (Tasks extension, Capability
 *   Negotiation).
 */
export function requireTasksExtension(context: {
  readonly client: { readonly capabilities: unknown };
}): void {
  if (!declaresTasks(context.client.capabilities))
    throw missingExtensionError();
}

function missingExtensionError(): RpcError {
  return missingCapabilitiesError(TASKS_EXTENSION, {
    extensions: { [TASKS_EXTENSION]: {} },
  });
}

/** Whether the revision of a call was generated with the extension. */
function hasExtension(context: CallContext): boolean {
  return (
    isStatelessVersion(context.revision) &&
    context.hasRequest?.("tasks/get") !== false
  );
}

function declaresTasks(capabilities: unknown): boolean {
  const { extensions } = (capabilities ?? {}) as {
    readonly extensions?: object;
  };
  if (
    typeof extensions !== "object" ||
    !Object.hasOwn(extensions, TASKS_EXTENSION)
  )
    return false;
  const declared = (extensions as Readonly<Record<string, unknown>>)[
    TASKS_EXTENSION
  ];
  return typeof declared === "object" && declared !== null;
}

/** Handlers of tools, of which some may run as tasks. */
export function taskToolHandlers<Context>(
  manager: TaskManager,
  tools: readonly (RegisteredTool<Context> | RegisteredTaskTool<Context>)[],
): ToolHandlers<Context> {
  indexBy(tools, "tool", ({ name }) => name);
  const taskTools = new Map<string, RegisteredTaskTool<Context>>();
  const plain = tools.filter(
    (tool): tool is RegisteredTool<Context> => !isTaskTool(tool),
  );
  for (const tool of tools) {
    if (!isTaskTool(tool)) continue;
    taskTools.set(tool.name, tool);
    manager.addWork(tool.name, {
      isResumable: tool.resumable,
      run: (args, task, isFirst) => runWork(tool, args, task, isFirst),
    });
  }
  const plainNames = new Set(plain.map(({ name }) => name));
  const handlers = toolHandlers(plain);
  const listed = tools.map((tool) => listedTool(tool));
  // `execution` exists in 2025-11-25 only.
  const listedWithSupport = tools.map((tool) =>
    isTaskTool(tool)
      ? { ...listedTool(tool), execution: { taskSupport: tool.taskSupport } }
      : listedTool(tool),
  );
  const list = (
    params: ListParams,
    context?: Pick<DefinitionContext, "revision">,
  ) => ({
    tools: singlePage(
      params,
      hasCoreTasks(context?.revision ?? "") ? listedWithSupport : listed,
    ),
  });
  return {
    [APP_TOOLS]: appTools(tools),
    "tools/list": list,
    "tools/call": (params: CallParams, context) => {
      const tool = taskTools.get(params.name);
      const call = context as CallContext;
      if (tool !== undefined)
        return callTaskTool(manager, tool as RegisteredTaskTool, params, call);
      // MCP 2025-11-25, tasks, Tool-Level Negotiation. Later revisions ignore the member.
      if (
        hasCoreTasks(call.revision) &&
        params.task !== undefined &&
        plainNames.has(params.name)
      )
        return Promise.reject(
          methodNotFound(`${truncate(params.name)} cannot run as a task`),
        );
      return handlers["tools/call"](params, context);
    },
  };
}

async function callTaskTool(
  manager: TaskManager,
  tool: RegisteredTaskTool,
  params: CallParams,
  context: CallContext,
): Promise<ToolCallResult> {
  const isCore = hasCoreTasks(context.revision);
  const mayBeTask = isCore
    ? params.task !== undefined
    : hasExtension(context) && declaresTasks(context.client.capabilities);
  if (!mayBeTask && tool.taskSupport === "required")
    throw unavailable(tool, context);
  const given = params.arguments ?? {};
  const checked = await checkedArguments(tool, given);
  if (!checked.success) return checked.result;
  const args = checked.value as never;
  const state = await tool.before?.(args, context);
  const asTask =
    mayBeTask && (isCore || (await tool.asTask?.(args, context)) !== false);
  if (!asTask) return runWithinCall(tool, args, state, context);
  context.signal.throwIfAborted();
  const principal = principalOf(context.extra) ?? "";
  const isOptional = tool.taskSupport === "optional" && !isCore;
  if (isOptional && !manager.canRun(principal))
    return runWithinCall(tool, args, state, context);
  try {
    const record = await manager.create({
      tool: tool.name,
      arguments: given,
      checked: checked.value,
      state,
      principal,
      revision: context.revision,
      client: context.client,
      // Later revisions ignore the member, and do not validate it.
      ttlMs:
        (isCore ? manager.ttlFor(params.task?.ttl) : undefined) ?? tool.ttlMs,
      pollIntervalMs: tool.pollIntervalMs,
    });
    // The response with its id is not sent, so nobody else can end it.
    if (context.signal.aborted) await manager.cancel(record.id, principal);
    const result = isCore
      ? { task: coreTask(record) }
      : { resultType: "task", ...taskSummary(record) };
    // Its type differs in each revision, and not every one has it.
    return result as never;
  } catch (error) {
    if (isOptional && error instanceof RpcError && error.code === SERVER_BUSY)
      return runWithinCall(tool, args, state, context);
    throw error;
  }
}

/** Runs the work as that of any other tool. */
function runWithinCall(
  tool: RegisteredTaskTool,
  args: object,
  state: unknown,
  context: DefinitionContext,
): Promise<ToolCallResult> {
  let steps = 0;
  const task: TaskContext = {
    id: undefined,
    attempt: 1,
    state,
    signal: context.signal,
    revision: context.revision,
    client: context.client,
    report: (message) => {
      context.progress((steps += 1), undefined, message);
    },
    requireInput: (requests) => context.requireInput(requests),
    save: () => Promise.resolve(),
  };
  return runTool<TaskContext>(runnable(tool), args, task);
}

/** A task tool as one that runs with the context of its work. */
function runnable<Context>({
  work,
  ...tool
}: RegisteredTaskTool<Context>): Pick<
  RegisteredTool<TaskContext>,
  "name" | "output" | "run"
> {
  return { ...tool, run: work as RegisteredTool<TaskContext>["run"] };
}

/** Runs the work of a task. */
async function runWork<Context>(
  tool: RegisteredTaskTool<Context>,
  args: object,
  task: RunningTask,
  isFirst: boolean,
): Promise<object> {
  // A later attempt has the arguments as the client sent them.
  const checked = isFirst
    ? { success: true as const, value: args }
    : await checkedArguments(tool, args);
  return checked.success
    ? runTool<TaskContext>(runnable(tool), checked.value, task)
    : checked.result;
}

/** The error for a client that cannot have the task that a tool requires. */
function unavailable(tool: RegisteredTaskTool, context: CallContext): RpcError {
  if (hasExtension(context)) return missingExtensionError();
  // MCP 2025-11-25, tasks, Tool-Level Negotiation.
  return hasCoreTasks(context.revision)
    ? methodNotFound(`${tool.name} must run as a task`)
    : invalidArgumentError(
        `${tool.name} needs tasks, which revision ${context.revision} does not have`,
      );
}

function methodNotFound(message: string): RpcError {
  return new RpcError(STANDARD_ERROR_CODES.METHOD_NOT_FOUND, message);
}
