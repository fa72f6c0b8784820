import { type } from "arktype";
import { definePrompt } from "../generated/runtime/registry.js";
import { argumentsSchema } from "../generated/runtime/standard-schema.js";

const TONES = ["formal", "friendly", "funny"]; // if: completion

export const introduce = definePrompt({
  name: "introduce",
  title: "Introduce somebody",
  description: "Asks the model to write an introduction of a person.",
  arguments: argumentsSchema(
    type({
      name: type("string").describe("the name of whom to introduce"),
      tone: type("string")
        .describe("the tone; friendly by default")
        .default("friendly"),
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
