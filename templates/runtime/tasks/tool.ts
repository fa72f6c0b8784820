/** Tools whose work may run as a task. */
import type { MaybePromise, DefinitionContext } from "../registry/types.js";
import type {
  RegisteredTool,
  ToolDefinition,
  Returned,
  ToolOutcome,
} from "../registry/tools.js";
import type { TaskContext } from "./context.js";
import { checkPositive } from "./types.js";

/**
 * Whether the work of a tool may run within the call: `optional` for a client without tasks, and if the server has no
 * room for a task; `required` if never, so that such a client gets an error.
 */
export type TaskSupport = "optional" | "required";

/**
 * A tool whose work may run as a task.
 *
 * @typeParam Args - Its arguments, without defaults.
 * @typeParam State - What `before` returns.
 */
export interface TaskToolDefinition<
  Args extends object = Record<string, unknown>,
  Context = DefinitionContext,
  Output extends object = object,
  Complete extends object = Args,
  Applied extends boolean = boolean,
  State = undefined,
> extends Omit<
  ToolDefinition<Args, Context, Output, Complete, Applied>,
  "run"
> {
  /** `optional` by default. */
  readonly taskSupport?: TaskSupport;
  /**
   * Whether to make a task of this call; by default of each one whose client supports tasks. In 2025-11-25, the client
   * decides instead.
   */
  readonly asTask?: (
    args: Applied extends true ? Complete : Args,
    context: Context,
  ) => MaybePromise<boolean>;
  /**
   * Runs within the call, before the task is made: may request input, or reject the call. What it returns is
   * `task.state`; it must be JSON.
   */
  readonly before?: (
    args: Applied extends true ? Complete : Args,
    context: Context,
  ) => MaybePromise<State>;
  /**
   * The work. Returns what the `run` of any other tool returns; throw a `ToolError` for a failure that the model should
   * read.
   */
  readonly run: (
    args: Applied extends true ? Complete : Args,
    task: TaskContext<NoInfer<State>, Context>,
  ) => MaybePromise<ToolOutcome<Returned<Output>>>;
  /**
   * Whether another process may run the work again from its start, after the one that ran it has stopped. Off by default:
   * such a task is reported as failed. Only for work that may be repeated; `task.save` keeps what is done.
   */
  readonly resumable?: boolean;
  /** Milliseconds that a task of this tool is kept; that of the server by default, `null` for no end. */
  readonly ttlMs?: number | null;
  /** Milliseconds between two polls of a client; those of the server by default. */
  readonly pollIntervalMs?: number;
}

/** A task tool in a list, without the types of its arguments. */
export type RegisteredTaskTool<Context = DefinitionContext> = Omit<
  RegisteredTool<Context>,
  "run"
> & {
  readonly isTaskTool: true;
  readonly taskSupport: TaskSupport;
  readonly asTask:
    ((args: never, context: Context) => MaybePromise<boolean>) | undefined;
  readonly before:
    ((args: never, context: Context) => MaybePromise<unknown>) | undefined;
  /** Its `run`; another name, so that the compiler tells both kinds of tools apart. */
  readonly work: (args: never, task: never) => MaybePromise<ToolOutcome>;
  readonly resumable: boolean;
  readonly ttlMs: number | null | undefined;
  readonly pollIntervalMs: number | undefined;
};

/**
 * Defines a tool whose work may run as a task. `input` determines the type of its arguments, `output` that of its
 * structured content, `before` that of `task.state`.
 *
 *     const render = defineTaskTool({
 *       name: "render",
 *       run: async (args, task) => {
 *         task.report("rendering");
 *         await renderAll(args, task.signal);
 *         return "done";
 *       },
 *     });
 *
 * Serve it with `toolHandlers` of the server's `createTasks`.
 *
 * @throws RangeError if `ttlMs` or `pollIntervalMs` is not a positive integer.
 */
export function defineTaskTool<
  Args extends object = Record<string, unknown>,
  Context = DefinitionContext,
  const Output extends object = object,
  Complete extends object = Args,
  const Applied extends boolean = false,
  State = undefined,
>(
  tool: TaskToolDefinition<Args, Context, Output, Complete, Applied, State>,
): RegisteredTaskTool<Context> {
  const {
    taskSupport = "optional",
    resumable = false,
    asTask,
    before,
    run: work,
    ttlMs,
    pollIntervalMs,
    ...described
  } = tool;
  checkPositive("ttlMs", ttlMs);
  checkPositive("pollIntervalMs", pollIntervalMs);
  return {
    ...described,
    isTaskTool: true,
    taskSupport,
    resumable,
    asTask,
    before,
    work,
    ttlMs,
    pollIntervalMs,
  };
}

export function isTaskTool<Context>(
  tool: RegisteredTool<Context> | RegisteredTaskTool<Context>,
): tool is RegisteredTaskTool<Context> {
  return (tool as { readonly isTaskTool?: unknown }).isTaskTool === true;
}
