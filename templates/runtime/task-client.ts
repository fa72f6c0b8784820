/**
 * Tasks of a client: tool calls whose work goes on after the server has answered, in 2026-07-28 (extension
 * `io.modelcontextprotocol/tasks`) and 2025-11-25.
 */
import type { ToolClient } from "./client/tool-calls.js";
import type { TaskFollower } from "./client/types.js";
import type { CallOptions } from "./jsonrpc/endpoint.js";
import { ClientTasks } from "./tasks/client.js";
import type { ClientTasksOptions, TaskCallOptions } from "./tasks/client.js";
import type { ToolTask } from "./tasks/tool-task.js";
export type { ClientTasksOptions, TaskCallOptions } from "./tasks/client.js";
export { TaskCancelledError, TaskExpiredError } from "./tasks/client-errors.js";
export type {
  TaskSnapshot,
  TaskWaitOptions,
  ToolTask,
} from "./tasks/tool-task.js";

/**
 * Has a client follow tasks. Use the value for one client only.
 *
 *     const client = createClient({ info, tasks: clientTasks() });
 *     await client.connect(transport);
 *     const result = await client.callTool({ name: "render" }); // waits for the task, if the server makes one
 */
export function clientTasks(options: ClientTasksOptions = {}): TaskFollower {
  return new ClientTasks(options);
}

/** A client that {@link callToolAsTask} and {@link resumeTask} accept: a generated one with the option `tasks`. */
export type TaskClient<Result extends object> = ToolClient<
  CallOptions,
  Result
> & {
  readonly tasks: TaskFollower | undefined;
};

/** The final result of a tool, without the results that only name a task. */
export type FinalResult<Result> = Exclude<
  Result,
  { readonly task: unknown } | { readonly taskId: string }
>;

/**
 * Calls a tool, and returns its task instead of waiting for the result. In 2025-11-25, the call requests a task if the
 * tool supports it. A server may answer at once; then {@link ToolTask.id} is undefined.
 *
 *     const task = await callToolAsTask(client, { name: "render" });
 *     save(task.id);
 *     const { content } = await task.result();
 *
 * @throws TypeError if the client was created without the option `tasks`; any error of the call.
 */
export async function callToolAsTask<Result extends object>(
  client: TaskClient<Result>,
  params: Parameters<ToolClient<CallOptions, Result>["callTool"]>[0],
  options: TaskCallOptions = {},
): Promise<ToolTask<FinalResult<Result>>> {
  const task = await tasksOf(client).start(params, options, true);
  return task as unknown as ToolTask<FinalResult<Result>>;
}

/**
 * A task that was made before, by this process or an earlier one. Nothing is sent until its result or state is requested.
 *
 *     const { content } = await resumeTask(client, savedId).result();
 *
 * @throws TypeError if the client was created without the option `tasks`.
 */
export function resumeTask<Result extends object>(
  client: TaskClient<Result>,
  id: string,
  options: TaskCallOptions = {},
): ToolTask<FinalResult<Result>> {
  return tasksOf(client).resume(id, options) as unknown as ToolTask<
    FinalResult<Result>
  >;
}

function tasksOf(client: {
  readonly tasks: TaskFollower | undefined;
}): ClientTasks {
  if (client.tasks instanceof ClientTasks) return client.tasks;
  throw new TypeError(
    "create the client with `tasks: clientTasks()` of runtime/task-client",
  );
}
