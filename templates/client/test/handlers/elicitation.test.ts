import { expect, test } from "vitest";
import type { ServerContext } from "../../src/generated/2026-07-28/server.js";
import { defineTool } from "../../src/generated/runtime/registry.js";
import { elicitationBy } from "../../src/handlers/elicitation.js";
import { createClient, revisions, type Client } from "../../src/protocol.js";
import { connected } from "../support.js";

const ask = defineTool({
  name: "ask",
  run: async (_args, context: ServerContext) => {
    const { answer } = await context.requireInput({
      answer: {
        method: "elicitation/create",
        params: {
          message: "Who are you?",
          requestedSchema: {
            type: "object",
            properties: {
              name: { type: "string", title: "Name" },
              age: { type: "integer" },
            },
            required: ["name"],
          },
        },
      },
    });
    return JSON.stringify([answer.action, answer.content]);
  },
});

/** A client whose user gives these answers, one after the other. */
function answering(...answers: readonly string[]): Client {
  const left = [...answers];
  return createClient({
    info: { name: "test", version: "1.0.0" },
    revisions,
    handlers: {
      "elicitation/create": elicitationBy(() =>
        Promise.resolve(left.shift() ?? ""),
      ),
    },
  });
}

test("asks for each field of a form", async () => {
  const client = await connected([ask], answering("Ann", "41"));
  const result = await client.callTool({ name: "ask" });
  expect(result).toMatchObject({
    content: [{ text: '["accept",{"name":"Ann","age":41}]' }],
  });
});

test("declines if a required field is left empty", async () => {
  const client = await connected([ask], answering(""));
  const result = await client.callTool({ name: "ask" });
  expect(result).toMatchObject({ content: [{ text: '["decline",null]' }] });
});
