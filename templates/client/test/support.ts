import { buildClient } from "../src/client.js";
import {
  createServer,
  type ServerContext,
} from "../src/generated/2026-07-28/server.js";
import { memoryPair } from "../src/generated/runtime/memory.js";
import {
  toolHandlers,
  type RegisteredTool,
} from "../src/generated/runtime/registry.js";
import type { Client } from "../src/protocol.js";

/** The client, connected to a server in this process that has some tools. */
export async function connected(
  tools: readonly RegisteredTool<ServerContext>[],
  client: Client = buildClient(),
): Promise<Client> {
  const [ours, theirs] = memoryPair();
  const server = createServer({
    info: { name: "test", version: "1.0.0" },
    handlers: toolHandlers(tools),
  });
  await server.connect(theirs);
  await client.connect(ours);
  return client;
}
