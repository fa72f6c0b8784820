import { expect, test } from "vitest";
import { connect } from "../support.js";

test("returns the text of the client's model", async () => {
  const client = await connect({
    handlers: {
      "sampling/createMessage": () => ({
        model: "test",
        role: "assistant",
        content: { type: "text", text: "It is short." },
      }),
    },
  });
  const result = await client.callTool({
    name: "summarize",
    arguments: { text: "A long story." },
  });
  expect(result).toMatchObject({
    content: [{ type: "text", text: "It is short." }],
  });
});

test("says what a client without the capability lacks", async () => {
  const client = await connect();
  const result = await client.callTool({
    name: "summarize",
    arguments: { text: "A long text." },
  });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: "This client cannot ask its language model." }],
  });
});
