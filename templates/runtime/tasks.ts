/**
 * Tasks of a server: tools whose work goes on after the call has been answered, in 2026-07-28 (extension
 * `io.modelcontextprotocol/tasks`) and 2025-11-25.
 */
import type { RegisteredTool, ToolHandlers } from "./registry/tools.js";
import type { DefinitionContext } from "./registry/types.js";
import type { ServerExtension } from "./server/types.js";
import { tasksExtension } from "./tasks/handlers.js";
import { TaskManager } from "./tasks/manager.js";
import type { TasksOptions } from "./tasks/manager.js";
import { taskToolHandlers } from "./tasks/tool-calls.js";
import type { RegisteredTaskTool } from "./tasks/tool.js";
export { defineTaskTool } from "./tasks/tool.js";
export type {
  RegisteredTaskTool,
  TaskSupport,
  TaskToolDefinition,
} from "./tasks/tool.js";
export type { TaskContext } from "./tasks/context.js";
export { memoryTaskStore } from "./tasks/memory-store.js";
export type { MemoryTaskStoreOptions } from "./tasks/memory-store.js";
export { TaskStoreFullError } from "./tasks/store.js";
export type { TaskChanges, TaskStore, TaskStoreLimits } from "./tasks/store.js";
export { TASKS_EXTENSION } from "./protocol/version-rules.js";
export type { TaskInput, TaskRecord, TaskStatus } from "./tasks/types.js";
export type { TaskEvent, TasksOptions } from "./tasks/manager.js";

/** The tasks of a server. Pass it to the server as one of its `extensions`. */
export interface ServerTasks extends ServerExtension {
  /** Handlers of `tools/list` and `tools/call` for task tools and others. Call it once. */
  toolHandlers<Context = DefinitionContext>(
    tools: readonly (RegisteredTool<Context> | RegisteredTaskTool<Context>)[],
  ): ToolHandlers<Context>;
  /**
   * Starts to look for the tasks of processes that have stopped. Otherwise the first request does. Call it after
   * {@link toolHandlers}.
   */
  start(): void;
  /** The number of tasks whose work runs in this process. */
  readonly running: number;
  /**
   * Stops all work: tasks of resumable tools are left to the next process, others are reported as failed. The store stays
   * open.
   */
  close(): Promise<void>;
}

/**
 * Creates the tasks of a server:
 *
 *     const tasks = createTasks({ store: memoryTaskStore() });
 *     const server = createServer({
 *       info,
 *       revisions,
 *       handlers: tasks.toolHandlers([greet, render]),
 *       extensions: [tasks],
 *     });
 *
 * @throws RangeError if a number is out of range.
 */
export function createTasks(options: TasksOptions = {}): ServerTasks {
  const manager = new TaskManager(options);
  return {
    ...tasksExtension(manager),
    toolHandlers: (tools) => taskToolHandlers(manager, tools),
    start: () => {
      manager.start();
    },
    get running() {
      return manager.running;
    },
    close: () => manager.close(),
  };
}
