import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { ServerContext } from "../../src/generated/2026-07-28/server.js";
import { defineTool } from "../../src/generated/runtime/registry.js";
import { connected } from "../support.js";

const ask = defineTool({
  name: "ask",
  run: async (_args, context: ServerContext) => {
    const { answer } = await context.requireInput({
      answer: { method: "roots/list" },
    });
    return answer.roots.map(({ uri }) => uri).join();
  },
});

test("returns the current folder", async () => {
  const client = await connected([ask]);
  const result = await client.callTool({ name: "ask" });
  expect(result).toMatchObject({
    content: [{ type: "text", text: pathToFileURL(process.cwd()).href }],
  });
});
