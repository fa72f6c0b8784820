import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../generated/runtime/registry.js";
import { inputSchema } from "../generated/runtime/standard-schema.js";

export const shout = defineTool({
  name: "shout",
  title: "Shout",
  description: "Returns a text in capital letters.",
  input: inputSchema(
    toStandardJsonSchema(
      v.object({ text: v.pipe(v.string(), v.description("What to shout")) }),
    ),
  ),
  annotations: { readOnlyHint: true },
  run: ({ text }, context) => {
    // Sent to the client, if it wants messages of this level. For your own log, use `log.ts`.
    context.log("info", { characters: text.length }, "shout");
    return text.toUpperCase();
  },
});
