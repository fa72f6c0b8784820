import { randomInt } from "node:crypto";
import { type } from "arktype";
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
    type({
      count: type("1 <= number.integer <= 20")
        .describe("how many dice, from 1 to 20")
        .default(2),
      sides: type("2 <= number.integer <= 100")
        .describe("how many sides each of them has, from 2 to 100")
        .default(6),
    }),
  ),
  output: outputSchema(
    type({
      rolls: type("number.integer[]").describe("what each of the dice shows"),
      total: "number.integer",
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
