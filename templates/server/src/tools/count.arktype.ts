import { setTimeout as delay } from "node:timers/promises";
import { type } from "arktype";
import { defineTool } from "../generated/runtime/registry.js";
import { inputSchema } from "../generated/runtime/standard-schema.js";

/** Long work: it reports its progress, and stops when the client cancels it. */
export const count = defineTool({
  name: "count",
  title: "Count",
  description: "Counts slowly from one up to a number.",
  input: inputSchema(
    type({
      to: type("1 <= number.integer <= 20").describe("a number from 1 to 20"),
      pauseMs: type("0 <= number.integer <= 5000")
        .describe("at most 5000 milliseconds between two numbers")
        .default(500),
    }),
  ),
  annotations: { readOnlyHint: true },
  run: async ({ to, pauseMs }, context) => {
    for (let number = 1; number <= to; number += 1) {
      await delay(pauseMs, undefined, { signal: context.signal });
      context.progress(number, to, `${number} of ${to}`);
    }
    return `Counted to ${to}.`;
  },
});
