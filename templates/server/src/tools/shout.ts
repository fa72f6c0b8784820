import { defineTool } from "../generated/runtime/registry.js";
import { shoutInput } from "../generated/tools/shout.js";

export const shout = defineTool({
  name: "shout",
  title: "Shout",
  description: "Gives a text back in capital letters.",
  input: shoutInput,
  annotations: { readOnlyHint: true },
  run: ({ text }, context) => {
    // Goes to the client, if it wants messages of this level. What only you are to see goes to `log.ts`.
    context.log("info", { characters: text.length }, "shout");
    return text.toUpperCase();
  },
});
