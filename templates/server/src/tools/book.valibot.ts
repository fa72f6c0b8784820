import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool, ToolError } from "../generated/runtime/registry.js";
import { canElicit } from "../generated/runtime/server.js";
import {
  formSchema,
  inputSchema,
} from "../generated/runtime/standard-schema.js";
import type { ServerContext } from "../protocol.js";

const guestsForm = formSchema(
  toStandardJsonSchema(
    v.object({
      count: v.pipe(v.number(), v.integer(), v.minValue(1), v.title("Guests")),
    }),
  ),
);

/** Asks the user for information that the model cannot know. */
export const book = defineTool({
  name: "book",
  title: "Book a table",
  description: "Books a table, and asks the user how many guests will come.",
  input: inputSchema(
    toStandardJsonSchema(
      v.object({
        day: v.pipe(
          v.picklist(["Friday", "Saturday", "Sunday"]),
          v.description("When to come"),
        ),
      }),
    ),
  ),
  run: async ({ day }, context: ServerContext) => {
    if (!canElicit(context))
      throw new ToolError("This client cannot ask its user.");
    // In 2026-07-28 the tool runs again from its start with the answer: ask first, act afterwards.
    const { guests } = await context.requireInput({
      guests: {
        method: "elicitation/create",
        params: {
          message: `A table on ${day}: for how many?`,
          requestedSchema: guestsForm,
        },
      },
    });
    if (guests.action !== "accept") return "No table was booked.";
    return `Booked a table on ${day} for ${guests.content.count}.`;
  },
});
