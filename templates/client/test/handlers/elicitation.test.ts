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

const FIELDS: Readonly<Record<string, object>> = {
  count: { type: "integer", minimum: 1 },
  sure: { type: "boolean" },
  size: { type: "string", enum: ["s", "m"] },
  // if: lists
  color: { type: "string", oneOf: [{ const: "r", title: "Red" }] },
  days: { type: "array", items: { type: "string", enum: ["Mon", "Tue"] } },
  // end
};

test.each([
  { field: "count", answers: ["abc", "1.5", "0", "2"], value: 2 },
  { field: "sure", answers: ["maybe", "no"], value: false },
  { field: "size", answers: ["xl", "m"], value: "m" },
  // if: lists
  { field: "color", answers: ["Green", "Red"], value: "r" },
  { field: "days", answers: ["Mon, Sun", "Mon, Tue"], value: ["Mon", "Tue"] },
  // end
] as const)(
  "asks for $field until the answer is valid",
  async ({ field, answers, value }) => {
    const asked: string[] = [];
    const handler = elicitationBy((question) => {
      asked.push(question);
      return Promise.resolve(answers[asked.length - 1] ?? "");
    });
    const result = await handler(
      {
        mode: "form", // if: lists
        message: "Please",
        requestedSchema: {
          type: "object",
          properties: { [field]: FIELDS[field] } as never,
        },
      },
      { signal: new AbortController().signal } as never,
    );
    expect(result).toEqual({ action: "accept", content: { [field]: value } });
    expect(asked).toHaveLength(answers.length);
  },
);

test("shows the choices", async () => {
  let asked = "";
  const handler = elicitationBy((question) => {
    asked = question;
    return Promise.resolve("");
  });
  await handler(
    {
      mode: "form", // if: lists
      message: "Please",
      requestedSchema: {
        type: "object",
        properties: { size: FIELDS["size"] } as never,
      },
    },
    { signal: new AbortController().signal } as never,
  );
  expect(asked).toBe("Please\nsize (s, m): ");
});
