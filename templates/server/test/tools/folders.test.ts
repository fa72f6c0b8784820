import { expect, test } from "vitest";
import { connect } from "../support.js";

test("lists the client's folders", async () => {
  const client = await connect({
    handlers: {
      "roots/list": () => ({
        roots: [{ uri: "file:///project", name: "project" }],
      }),
    },
  });
  const result = await client.callTool({ name: "folders" });
  expect(result).toMatchObject({
    content: [{ type: "text", text: "project" }],
  });
});

test("says what a client without the capability lacks", async () => {
  const client = await connect();
  const result = await client.callTool({ name: "folders" });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: "This client cannot list folders." }],
  });
});
