import { expect, test } from "vitest";
import { connect } from "../support.js";

test("returns capital letters", async () => {
  const client = await connect();
  const result = await client.callTool({
    name: "shout",
    arguments: { text: "hello" },
  });
  expect(result).toMatchObject({ content: [{ type: "text", text: "HELLO" }] });
});
