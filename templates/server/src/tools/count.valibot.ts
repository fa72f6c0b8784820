import { setTimeout as delay } from "node:timers/promises";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../generated/runtime/registry.js";
import { inputSchema } from "../generated/runtime/standard-schema.js";

/** Long work: it reports its progress, and stops when the client cancels it. */
export const count = defineTool({
  name: "count",
  title: "Count",
  description: "Counts slowly from one up to a number.",
  input: inputSchema(
    toStandardJsonSchema(
      v.object({
        to: v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(20),
          v.description("How far to count"),
        ),
        pauseMs: v.optional(
          v.pipe(
            v.number(),
            v.integer(),
            v.minValue(0),
            v.maxValue(5000),
            v.description("Milliseconds between two numbers"),
          ),
          500,
        ),
      }),
    ),
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
