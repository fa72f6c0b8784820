import {
  createClient,
  type Client,
  type ClientOptions,
} from "../src/generated/2026-07-28/client.js";
import { memoryPair } from "../src/generated/runtime/memory.js";
import { buildServer } from "../src/server.js";

/**
 * A client of the server in this process.
 *
 * @param options - Such as `handlers` of the server's requests, `notifications`, and the `revisions` to speak; without
 *   them, the newest.
 */
export async function connect(
  options: Omit<ClientOptions, "info"> = {},
): Promise<Client> {
  const [ours, theirs] = memoryPair();
  await buildServer().connect(theirs);
  const client = createClient({
    info: { name: "test", version: "1.0.0" },
    ...options,
  });
  await client.connect(ours);
  return client;
}
