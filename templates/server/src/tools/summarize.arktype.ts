import { type } from "arktype";
import { defineTool, ToolError } from "../generated/runtime/registry.js";
import { canSample } from "../generated/runtime/server.js";
import { inputSchema } from "../generated/runtime/standard-schema.js";
import type { ServerContext } from "../protocol.js";

/** Uses the client's own language model. */
export const summarize = defineTool({
  name: "summarize",
  title: "Summarize",
  description: "Shortens a text to one sentence.",
  input: inputSchema(
    type({ text: type("string > 0").describe("a text to shorten") }),
  ),
  annotations: { readOnlyHint: true },
  run: async ({ text }, context: ServerContext) => {
    if (!canSample(context))
      throw new ToolError("This client cannot ask its language model.");
    const { answer } = await context.requireInput({
      answer: {
        method: "sampling/createMessage",
        params: {
          maxTokens: 200,
          systemPrompt: "Answer with one sentence and nothing else.",
          messages: [
            {
              role: "user",
              content: { type: "text", text: `Sum up: ${text}` },
            },
          ],
        },
      },
    });
    const blocks = [answer.content].flat();
    const sentence = blocks.find((block) => block.type === "text");
    if (sentence === undefined)
      throw new ToolError("The model returned no text.");
    return sentence.text;
  },
});
