import { z } from "zod";
import { definePrompt } from "../generated/runtime/registry.js";
import { argumentsSchema } from "../generated/runtime/standard-schema.js";

const TONES = ["formal", "friendly", "funny"]; // if: completion

export const introduce = definePrompt({
  name: "introduce",
  title: "Introduce somebody",
  description: "Asks the model to write an introduction of a person.",
  arguments: argumentsSchema(
    z.object({
      name: z.string().describe("Whom to introduce"),
      tone: z
        .string()
        .default("friendly")
        .describe("The tone; friendly by default"),
    }),
  ),
  // if: completion
  complete: {
    tone: (typed) => TONES.filter((tone) => tone.startsWith(typed)),
  },
  // end
  render: ({ name, tone }) =>
    `Write an introduction of ${name}, in a ${tone} tone and three sentences.`,
});
