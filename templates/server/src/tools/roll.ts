import { randomInt } from "node:crypto";
import { defineTool } from "../generated/runtime/registry.js";
import { rollInput, rollOutput } from "../generated/tools/roll.js";
import { rollPage } from "../resources/roll-page.js";

/** Shows its result in a page, where the host can do that. */
export const roll = defineTool({
  name: "roll",
  title: "Roll dice",
  description: "Rolls dice and shows them to the user.",
  input: rollInput,
  output: rollOutput,
  annotations: { readOnlyHint: true },
  _meta: { ui: { resourceUri: rollPage.uri } },
  run: ({ count = 2, sides = 6 }) => {
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
