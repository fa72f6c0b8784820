import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { defineTool } from "../generated/runtime/registry.js";
import { inputSchema } from "../generated/runtime/standard-schema.js";

/** Long work: it reports its progress, and stops when the client cancels it. */
export const count = defineTool({
  name: "count",
  title: "Count",
  description: "Counts slowly from one up to a number.",
  input: inputSchema(
    z.object({
      to: z.int().min(1).max(20).describe("How far to count"),
      pauseMs: z
        .int()
        .min(0)
        .max(5000)
        .default(500)
        .describe("Milliseconds between two numbers"),
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
