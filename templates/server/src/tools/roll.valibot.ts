import { randomInt } from "node:crypto";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
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
    toStandardJsonSchema(
      v.object({
        count: v.optional(
          v.pipe(
            v.number(),
            v.integer(),
            v.minValue(1),
            v.maxValue(20),
            v.description("How many dice"),
          ),
          2,
        ),
        sides: v.optional(
          v.pipe(
            v.number(),
            v.integer(),
            v.minValue(2),
            v.maxValue(100),
            v.description("How many sides each of them has"),
          ),
          6,
        ),
      }),
    ),
  ),
  output: outputSchema(
    toStandardJsonSchema(
      v.object({
        rolls: v.pipe(
          v.array(v.pipe(v.number(), v.integer())),
          v.description("What each of the dice shows"),
        ),
        total: v.pipe(v.number(), v.integer()),
      }),
    ),
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
