import { expect, test } from "vitest";
import { connect } from "../support.js";

test("says whom to introduce, and how", async () => {
  const client = await connect();
  const { messages } = await client.getPrompt({
    name: "introduce",
    arguments: { name: "Ann", tone: "funny" },
  });
  expect(messages).toEqual([
    {
      role: "user",
      content: {
        type: "text",
        text: "Write an introduction of Ann, in a funny tone and three sentences.",
      },
    },
  ]);
});
// if: completion

test("suggests tones", async () => {
  const client = await connect();
  const { completion } = await client.complete({
    ref: { type: "ref/prompt", name: "introduce" },
    argument: { name: "tone", value: "f" },
  });
  expect(completion.values).toEqual(["formal", "friendly", "funny"]);
});
// end
