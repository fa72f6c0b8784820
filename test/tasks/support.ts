/** A server with tasks and a client that follows them, in one process. */
import { createClient, type Client, type ClientOptions } from '../../generated/2026-07-28/client.js';
import { revision as core } from '../../generated/2025-11-25/revision.js';
import { revision as plain } from '../../generated/2026-07-28/revision.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import type { Revision } from '../../generated/runtime/protocol/revision.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import type { RegisteredTool } from '../../generated/runtime/registry.js';
import { createTasks, type RegisteredTaskTool, type ServerTasks, type TasksOptions } from '../../generated/runtime/tasks.js';
import { clientTasks, type ClientTasksOptions } from '../../generated/runtime/task-client.js';

const method = {
  kind: 'request',
  direction: 'clientToServer',
  capabilities: [],
  deprecated: false,
} as const;

export const latest: Revision = {
  ...plain,
  methods: {
    ...plain.methods,
    'tasks/get': method,
    'tasks/update': method,
    'tasks/cancel': method,
    'notifications/tasks': { ...method, kind: 'notification', direction: 'serverToClient' },
  },
  validateParams: (name, params) =>
    name.includes('tasks') ? { success: true, value: params } : plain.validateParams(name, params),
  validateResult: (name, result, options) =>
    name.includes('tasks') || (result as { resultType?: unknown }).resultType === 'task'
      ? { success: true, value: result }
      : plain.validateResult(name, result, options),
};
export const older: Revision = core;

export interface Pair {
  readonly client: Client;
  readonly tasks: ServerTasks;
  close(): Promise<void>;
}

type Tools = readonly (RegisteredTool | RegisteredTaskTool)[];

export interface PairOptions {
  readonly revision?: Revision;
  readonly tasks?: TasksOptions;
  /** False: the client does not declare the extension. */
  readonly follow?: ClientTasksOptions | false;
  readonly client?: Partial<ClientOptions>;
}

const info = { name: 'test', version: '1' };

/** A server, to which any number of clients connect. */
export function taskServer(tools: Tools, options: TasksOptions = {}) {
  const tasks = createTasks({ pollIntervalMs: 30, ...options });
  const server = createServer({
    info,
    revisions: [latest, older],
    handlers: tasks.toolHandlers(tools),
    extensions: [tasks],
  });
  return { tasks, server };
}

/** Connects a client to a server. */
export async function connectTo(
  server: ReturnType<typeof taskServer>['server'],
  { revision = latest, follow = {}, client: clientOptions = {} }: PairOptions = {},
): Promise<Client> {
  const [clientSide, serverSide] = memoryPair();
  await server.connect(serverSide);
  const client = createClient({
    info,
    revisions: [revision],
    ...(follow === false ? {} : { tasks: clientTasks(follow) }),
    ...clientOptions,
  });
  await client.connect(clientSide);
  return client;
}

export async function pair(tools: Tools, options: PairOptions = {}): Promise<Pair> {
  const { tasks, server } = taskServer(tools, options.tasks);
  const client = await connectTo(server, options);
  return {
    client,
    tasks,
    close: async () => {
      await client.close();
      await tasks.close();
      await server.close();
    },
  };
}

export const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
