import { defineTool, ToolError } from "../generated/runtime/registry.js";
import { canElicit } from "../generated/runtime/server.js";
import { bookInput } from "../generated/tools/book.js";
import type { ServerContext } from "../protocol.js";

/** Asks the user for information that the model cannot know. */
export const book = defineTool({
  name: "book",
  title: "Book a table",
  description: "Books a table, and asks the user how many guests will come.",
  input: bookInput,
  run: async ({ day }, context: ServerContext) => {
    if (!canElicit(context))
      throw new ToolError("This client cannot ask its user.");
    // In 2026-07-28 the tool runs again from its start with the answer: ask first, act afterwards.
    const { guests } = await context.requireInput({
      guests: {
        method: "elicitation/create",
        params: {
          message: `A table on ${day}: for how many?`,
          requestedSchema: {
            type: "object",
            properties: {
              count: { type: "integer", title: "Guests", minimum: 1 },
            },
            required: ["count"],
          },
        },
      },
    });
    if (guests.action !== "accept") return "No table was booked.";
    return `Booked a table on ${day} for ${guests.content.count}.`;
  },
});
