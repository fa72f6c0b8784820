import { setTimeout as delay } from "node:timers/promises";
import { defineTool } from "../generated/runtime/registry.js";
import { countInput } from "../generated/tools/count.js";

/** Long work: it reports its progress, and stops when the client cancels it. */
export const count = defineTool({
  name: "count",
  title: "Count",
  description: "Counts slowly from one up to a number.",
  input: countInput,
  annotations: { readOnlyHint: true },
  run: async ({ to, pauseMs = 500 }, context) => {
    for (let number = 1; number <= to; number += 1) {
      await delay(pauseMs, undefined, { signal: context.signal });
      context.progress(number, to, `${number} of ${to}`);
    }
    return `Counted to ${to}.`;
  },
});
