/** Calls of tools that may become tasks, and what a client knows about the tools of its server. */
import type { CallOptions } from "../jsonrpc/endpoint.js";
import { notifyListener } from "../jsonrpc/transport-events.js";
import type { Subscription, TaskFollower, TaskPort } from "../client/types.js";
import { MAX_LIST_PAGES, allPages } from "../client/pages.js";
import { maySend } from "../protocol/revision.js";
import type { Revision } from "../protocol/revision.js";
import { TASKS_EXTENSION, hasCoreTasks } from "../protocol/version-rules.js";
import { CallLimit, ToolTask } from "./tool-task.js";
import type {
  TaskFollowOptions,
  TaskSnapshot,
  TaskWatch,
} from "./tool-task.js";

/** Options of a client's tasks. */
export interface ClientTasksOptions {
  /** Receives each new state of each task, such as to save the id of a task that a restart must not lose. */
  readonly onTask?: ((task: TaskSnapshot) => void) | undefined;
  /** Milliseconds between two polls if the server suggests none; 1000 by default. */
  readonly pollIntervalMs?: number | undefined;
  /**
   * Maximum of tasks that are followed by notifications at the same time; others are polled. 8 by default, 0 for polls
   * only.
   */
  readonly maxSubscriptions?: number | undefined;
  /**
   * Milliseconds for which a task is followed further while its server cannot be reached or is busy; 300,000 by default.
   * The task goes on meanwhile, and is not cancelled when the time is over.
   */
  readonly maxOutageMs?: number | undefined;
  /** Requests a task also of tools to which 2025-11-25 leaves the choice. Off by default. */
  readonly preferTasks?: boolean | undefined;
}

/**
 * How to call a tool as a task. `timeout` is that of each request, `maxTimeout` that of the whole, from the call to the
 * result.
 */
export interface TaskCallOptions extends TaskFollowOptions {
  /** Milliseconds for which a server of 2025-11-25 should keep the task; up to the server by default. */
  readonly ttlMs?: number | undefined;
}

const DEFAULT_MAX_OUTAGE_MS = 300_000;

type ToolSupport = ReadonlyMap<string, string>;

/** The tasks of one client. */
export class ClientTasks implements TaskFollower {
  readonly #options: ClientTasksOptions;
  #port: TaskPort | undefined;
  #subscriptions = 0;
  /** `execution.taskSupport` of the tools, in 2025-11-25. */
  #support: Promise<ToolSupport> | undefined;

  constructor(options: ClientTasksOptions) {
    this.#options = options;
  }

  bind(port: TaskPort): void {
    if (this.#port !== undefined)
      throw new TypeError(
        "a value of `clientTasks()` serves one client; create another one",
      );
    this.#port = port;
  }

  capabilities(revision: Revision): object {
    return revision.isStateless &&
      maySend(revision, "client", "request", "tasks/get")
      ? { extensions: { [TASKS_EXTENSION]: {} } }
      : {};
  }

  forgetTools(): void {
    this.#support = undefined;
  }

  /** Calls a tool and waits for its final result. */
  async callTool(params: object, options: CallOptions = {}): Promise<object> {
    const { signal } = options;
    const task = await this.start(
      params,
      options,
      this.#options.preferTasks === true,
    );
    if (task.id === undefined) return task.result();
    try {
      return await task.result({ signal });
    } catch (error) {
      // The caller does not know the task, so nobody would read its result.
      if (task.isAbandoned(error, signal)) task.cancel().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Calls a tool.
   *
   * @param prefersTask - Whether to request a task where 2025-11-25 leaves the choice to the client.
   */
  async start(
    params: object,
    options: TaskCallOptions,
    prefersTask: boolean,
  ): Promise<ToolTask> {
    const port = this.#boundPort();
    const { onUpdate: _, ttlMs, ...callOptions } = options;
    const limit = new CallLimit(options.maxTimeout);
    const isCore = hasCoreTasks(port.revision.version);
    const [asTask, result] = await limit.run(options.signal, async (signal) => {
      const wanted =
        isCore && (await this.#wantsTask(port, params, prefersTask, options));
      signal?.throwIfAborted();
      const sent = wanted
        ? { ...params, task: ttlMs === undefined ? {} : { ttl: ttlMs } }
        : params;
      return [
        wanted,
        await port.send("tools/call", sent, { ...callOptions, signal }),
      ] as const;
    });
    const created = asTask
      ? (result as { readonly task?: object }).task
      : (result as { readonly resultType?: unknown }).resultType === "task"
        ? result
        : undefined;
    if (created === undefined)
      return new ToolTask(this.#watch(port), undefined, options, limit, result);
    const { taskId } = created as { readonly taskId?: unknown };
    const task = new ToolTask(
      this.#watch(port),
      String(taskId),
      options,
      limit,
    );
    task.seed(created);
    return task;
  }

  resume(id: string, options: TaskCallOptions): ToolTask {
    return new ToolTask(
      this.#watch(this.#boundPort()),
      id,
      options,
      new CallLimit(options.maxTimeout),
    );
  }

  #boundPort(): TaskPort {
    if (this.#port === undefined)
      throw new TypeError(
        "pass the value of `clientTasks()` to a client as its `tasks`",
      );
    return this.#port;
  }

  #watch(port: TaskPort): TaskWatch {
    return {
      port,
      pollIntervalMs: this.#options.pollIntervalMs ?? 1000,
      maxOutageMs: this.#options.maxOutageMs ?? DEFAULT_MAX_OUTAGE_MS,
      onTask: (task) => {
        notifyListener(this.#options.onTask, task);
      },
      listen: (id, signal, onTask) => this.#listen(port, id, signal, onTask),
    };
  }

  async #listen(
    port: TaskPort,
    id: string,
    signal: AbortSignal,
    onTask: (task: object) => void,
  ): Promise<Subscription | undefined> {
    if (
      this.#subscriptions >= (this.#options.maxSubscriptions ?? 8) ||
      !maySend(port.revision, "client", "request", "subscriptions/listen")
    )
      return undefined;
    this.#subscriptions += 1;
    let isOpen = false;
    try {
      const subscription = await port.listen(
        { taskIds: [id] },
        {
          signal,
          onNotification: (method, params) => {
            if (
              method === "notifications/tasks" &&
              (params as { readonly taskId?: unknown }).taskId === id
            )
              onTask(params);
          },
        },
      );
      const { taskIds } = subscription.filter as { readonly taskIds?: unknown };
      // A server need not send notifications of tasks.
      if (!Array.isArray(taskIds) || !taskIds.includes(id)) {
        subscription.close();
        return undefined;
      }
      isOpen = true;
      subscription.ended
        .catch(() => undefined)
        .finally(() => {
          this.#subscriptions -= 1;
        });
      return subscription;
    } finally {
      if (!isOpen) this.#subscriptions -= 1;
    }
  }

  /** MCP 2025-11-25, tasks, Tool-Level Negotiation. */
  async #wantsTask(
    port: TaskPort,
    params: object,
    prefersTask: boolean,
    { timeout }: CallOptions,
  ): Promise<boolean> {
    const { tasks } = port.serverCapabilities as {
      readonly tasks?: {
        readonly requests?: { readonly tools?: { readonly call?: object } };
      };
    };
    if (tasks?.requests?.tools?.call === undefined) return false;
    const support = (this.#support ??= this.#listSupport(port));
    // All calls share the list, each with its timeout.
    const limit = new CallLimit(timeout, "tools/list");
    let tools: ToolSupport;
    try {
      tools = await limit.run(undefined, () => support);
    } catch (error) {
      if (limit.isOver) throw error;
      // The call itself reports what is wrong.
      if (this.#support === support) this.#support = undefined;
      return false;
    }
    const declared = tools.get(
      String((params as { readonly name?: unknown }).name),
    );
    return declared === "required" || (declared === "optional" && prefersTask);
  }

  async #listSupport(port: TaskPort): Promise<ToolSupport> {
    const support = new Map<string, string>();
    const tools = allPages(
      (cursor) =>
        port.send(
          "tools/list",
          cursor === undefined ? {} : { cursor },
        ) as Promise<ToolPage>,
      (page) => page.tools,
      MAX_LIST_PAGES,
      () => true,
    );
    for await (const { name, execution } of tools) {
      if (execution?.taskSupport !== undefined)
        support.set(name, execution.taskSupport);
    }
    return support;
  }
}

interface ToolPage {
  readonly nextCursor?: string;
  readonly tools: readonly {
    readonly name: string;
    readonly execution?: { readonly taskSupport?: string };
  }[];
}
