import type { ClientHandlers } from "../protocol.js";

/**
 * Generates the message that a server requests. Call your model here; this one repeats the question.
 *
 * Show the question and the answer to the user before passing either on: the server chose the words.
 */
export const sampling: NonNullable<
  ClientHandlers["sampling/createMessage"]
> = ({ messages }) => {
  const blocks = messages.flatMap(({ content }) => content);
  const question = blocks.filter((block) => block.type === "text").at(-1);
  return {
    model: "echo",
    role: "assistant",
    content: {
      type: "text",
      text: `You asked: ${question?.text ?? "nothing"}`,
    },
    stopReason: "endTurn",
  };
};
