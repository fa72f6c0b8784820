import { tools } from "./generated/tools/index.js";
import type { Client } from "./protocol.js";

/** Calls a tool of the server. The other tools are methods too, typed and validated. */
export async function example(client: Client): Promise<void> {
  const server = tools(client);
  const { isError, content, structuredContent } = await server.add({
    a: 1,
    b: 1,
  });
  console.log(
    JSON.stringify(
      isError === true ? content : structuredContent,
      undefined,
      2,
    ),
  );
}
