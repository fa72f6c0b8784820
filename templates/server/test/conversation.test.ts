import { expect, test } from "vitest";
import { memoryPair } from "../src/generated/runtime/memory.js";
import { info } from "../src/info.js"; // if: stateful
import { buildServer } from "../src/server.js";

/** Sends messages to the server, and returns the response to each. */
async function conversation(sent: readonly object[]): Promise<unknown[]> {
  const [client, server] = memoryPair();
  const answers: unknown[] = [];
  client.onmessage = (message) => answers.push(message);
  await buildServer().connect(server);
  await client.start();
  for (const message of sent) {
    const before = answers.length;
    await client.send(message);
    if ("id" in message)
      await expect.poll(() => answers.length).toBe(before + 1);
  }
  await client.close();
  return answers;
}
// if: stateful

test("a session, message by message", async () => {
  const answers = await conversation([
    {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1.0.0" },
      },
    },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "ping" },
    { jsonrpc: "2.0", id: 3, method: "tools/dance" },
  ]);
  expect(answers).toMatchObject([
    {
      jsonrpc: "2.0",
      id: 1,
      result: {
        protocolVersion: "2025-11-25",
        capabilities: {
          logging: {}, // if: logging
          tools: {}, // if: tools
          resources: {}, // if: resources
          prompts: {}, // if: prompts
        },
        serverInfo: info,
      },
    },
    { jsonrpc: "2.0", id: 2, result: {} },
    {
      jsonrpc: "2.0",
      id: 3,
      error: {
        code: -32601,
        message: "Method not found",
        data: { method: "tools/dance" },
      },
    },
  ]);
});
// end
// if: stateless

test("self-contained requests", async () => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const answers = await conversation([
    { jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta } },
    { jsonrpc: "2.0", id: 2, method: "tools/dance", params: { _meta } },
  ]);
  expect(answers).toMatchObject([
    {
      jsonrpc: "2.0",
      id: 1,
      result: {
        resultType: "complete",
        capabilities: {
          logging: {}, // if: logging
          tools: {}, // if: tools
          resources: {}, // if: resources
          prompts: {}, // if: prompts
        },
      },
    },
    {
      jsonrpc: "2.0",
      id: 2,
      error: {
        code: -32601,
        message: "Method not found",
        data: { method: "tools/dance" },
      },
    },
  ]);
});
// end
