import { expect, test } from "vitest";
import { connect } from "../support.js";

test("greets by name", async () => {
  const client = await connect();
  const result = await client.callTool({
    name: "greet",
    arguments: { name: "Ann" },
  });
  expect(result).toMatchObject({
    content: [{ type: "text", text: "Hello, Ann!" }],
  });
});

test("greets in another language", async () => {
  const client = await connect();
  const result = await client.callTool({
    name: "greet",
    arguments: { name: "Ann", language: "fr" },
  });
  expect(result).toMatchObject({
    content: [{ type: "text", text: "Bonjour, Ann!" }],
  });
});

test("reports the wrong argument to the model", async () => {
  const client = await connect();
  const result = await client.callTool({ name: "greet", arguments: {} });
  expect(result).toMatchObject({
    isError: true,
    content: [
      { type: "text", text: expect.stringContaining("/name") as string },
    ],
  });
});
