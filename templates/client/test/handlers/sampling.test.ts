import { expect, test } from "vitest";
import type { ServerContext } from "../../src/generated/2026-07-28/server.js";
import { defineTool } from "../../src/generated/runtime/registry.js";
import { connected } from "../support.js";

const ask = defineTool({
  name: "ask",
  run: async (_args, context: ServerContext) => {
    const { answer } = await context.requireInput({
      answer: {
        method: "sampling/createMessage",
        params: {
          maxTokens: 100,
          messages: [
            { role: "user", content: { type: "text", text: "Who are you?" } },
          ],
        },
      },
    });
    return JSON.stringify(answer.content);
  },
});

test("returns the text of the model", async () => {
  const client = await connected([ask]);
  const result = await client.callTool({ name: "ask" });
  expect(result).toMatchObject({
    content: [
      {
        type: "text",
        text: JSON.stringify({ type: "text", text: "You asked: Who are you?" }),
      },
    ],
  });
});
