import { z } from "zod";
import { defineTool } from "../generated/runtime/registry.js";
import { inputSchema } from "../generated/runtime/standard-schema.js";

export const shout = defineTool({
  name: "shout",
  title: "Shout",
  description: "Returns a text in capital letters.",
  input: inputSchema(z.object({ text: z.string().describe("What to shout") })),
  annotations: { readOnlyHint: true },
  run: ({ text }, context) => {
    // Sent to the client, if it wants messages of this level. For your own log, use `log.ts`.
    context.log("info", { characters: text.length }, "shout");
    return text.toUpperCase();
  },
});
