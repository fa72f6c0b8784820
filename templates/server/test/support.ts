import {
  createClient,
  type Client,
  type ClientHandlers,
} from "../src/generated/2026-07-28/client.js";
import { memoryPair } from "../src/generated/runtime/memory.js";
import { buildServer } from "../src/server.js";

/**
 * A client of the server in this process.
 *
 * @param handlers - Handlers of the server's requests.
 */
export async function connect(handlers: ClientHandlers = {}): Promise<Client> {
  const [ours, theirs] = memoryPair();
  await buildServer().connect(theirs);
  const client = createClient({
    info: { name: "test", version: "1.0.0" },
    handlers,
  });
  await client.connect(ours);
  return client;
}
