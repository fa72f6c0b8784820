import { expect, test } from "vitest";
import { connect } from "../support.js";

test("asks the user for how many", async () => {
  const client = await connect({
    handlers: {
      "elicitation/create": () => ({ action: "accept", content: { count: 4 } }),
    },
  });
  const result = await client.callTool({
    name: "book",
    arguments: { day: "Friday" },
  });
  expect(result).toMatchObject({
    content: [{ type: "text", text: "Booked a table on Friday for 4." }],
  });
});

test("books nothing if the user declines", async () => {
  const client = await connect({
    handlers: {
      "elicitation/create": () => ({ action: "decline" }),
    },
  });
  const result = await client.callTool({
    name: "book",
    arguments: { day: "Friday" },
  });
  expect(result).toMatchObject({
    content: [{ type: "text", text: "No table was booked." }],
  });
});

test("says what a client without the capability lacks", async () => {
  const client = await connect();
  const result = await client.callTool({
    name: "book",
    arguments: { day: "Friday" },
  });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: "This client cannot ask its user." }],
  });
});
