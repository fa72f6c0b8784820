import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { definePrompt } from "../generated/runtime/registry.js";
import { argumentsSchema } from "../generated/runtime/standard-schema.js";

const TONES = ["formal", "friendly", "funny"]; // if: completion

export const introduce = definePrompt({
  name: "introduce",
  title: "Introduce somebody",
  description: "Asks the model to write an introduction of a person.",
  arguments: argumentsSchema(
    toStandardJsonSchema(
      v.object({
        name: v.pipe(v.string(), v.description("Whom to introduce")),
        tone: v.optional(
          v.pipe(v.string(), v.description("The tone; friendly by default")),
          "friendly",
        ),
      }),
    ),
  ),
  // if: completion
  complete: {
    tone: (typed) => TONES.filter((tone) => tone.startsWith(typed)),
  },
  // end
  render: ({ name, tone }) =>
    `Write an introduction of ${name}, in a ${tone} tone and three sentences.`,
});
