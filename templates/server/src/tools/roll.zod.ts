import { randomInt } from "node:crypto";
import { z } from "zod";
import { defineTool } from "../generated/runtime/registry.js";
import {
  inputSchema,
  outputSchema,
} from "../generated/runtime/standard-schema.js";
import { rollPage } from "../resources/roll-page.js";

/** Shows its result in a page, where the host can do that. */
export const roll = defineTool({
  name: "roll",
  title: "Roll dice",
  description: "Rolls dice and shows them to the user.",
  input: inputSchema(
    z.object({
      count: z.int().min(1).max(20).default(2).describe("How many dice"),
      sides: z
        .int()
        .min(2)
        .max(100)
        .default(6)
        .describe("How many sides each of them has"),
    }),
  ),
  output: outputSchema(
    z.object({
      rolls: z.array(z.int()).describe("What each of the dice shows"),
      total: z.int(),
    }),
  ),
  annotations: { readOnlyHint: true },
  _meta: { ui: { resourceUri: rollPage.uri } },
  run: ({ count, sides }) => {
    const rolls = Array.from({ length: count }, () => randomInt(1, sides + 1));
    const total = rolls.reduce((sum, shown) => sum + shown, 0);
    return {
      // For the model, and for hosts that show no pages.
      content: [
        {
          type: "text",
          text: `Rolled ${rolls.join(", ")}: ${total} in total.`,
        },
      ],
      // For the page.
      structuredContent: { rolls, total },
    };
  },
});
