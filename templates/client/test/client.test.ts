import { expect, test } from "vitest";
import { defineTool } from "../src/generated/runtime/registry.js";
import { connected } from "./support.js";

const echo = defineTool({
  name: "echo",
  description: "Returns its arguments.",
  run: (args) => JSON.stringify(args),
});

test("lists the tools of a server", async () => {
  const client = await connected([echo]);
  const names: string[] = [];
  for await (const { name } of client.listAllTools()) names.push(name);
  expect(names).toEqual(["echo"]);
});

test("calls a tool", async () => {
  const client = await connected([echo]);
  const result = await client.callTool({
    name: "echo",
    arguments: { word: "hello" },
  });
  expect(result).toMatchObject({
    content: [{ type: "text", text: '{"word":"hello"}' }],
  });
});

test("an unknown tool is an error", async () => {
  const client = await connected([echo]);
  await expect(client.callTool({ name: "dance" })).rejects.toThrow(
    "Unknown tool: dance",
  );
});
