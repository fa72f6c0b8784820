/** A server with tasks and a client that follows them, in one process. */
import { createClient, type Client, type ClientOptions } from '../../generated/2026-07-28/client.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import type { Revision } from '../../generated/runtime/protocol/revision.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import type { RegisteredTool } from '../../generated/runtime/registry.js';
import {
  createTasks,
  type RegisteredTaskTool,
  type ServerTasks,
  type TasksOptions,
} from '../../generated/runtime/tasks.js';
import { latest, older } from './revisions.js';
import { clientTasks, type ClientTasksOptions } from '../../generated/runtime/task-client.js';

export { latest, older };

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
  /** Who the server takes the client for. */
  readonly principal?: string;
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
  { revision = latest, follow = {}, client: clientOptions = {}, principal }: PairOptions = {},
): Promise<Client> {
  const [clientSide, serverSide] = memoryPair();
  await server.connect(principal === undefined ? serverSide : identified(serverSide, principal));
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

/** A transport that says who sends. */
function identified(transport: Transport, principal: string): Transport {
  const wrapped: Transport = {
    start: async () => {
      transport.onmessage = (value) => wrapped.onmessage?.(value, { principal });
      transport.onclose = () => wrapped.onclose?.();
      await transport.start();
    },
    send: (message, options) => transport.send(message, options),
    close: () => transport.close(),
  };
  return wrapped;
}
