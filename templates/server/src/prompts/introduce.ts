import { definePrompt } from "../generated/runtime/registry.js";

const TONES = ["formal", "friendly", "funny"]; // if: completion

export const introduce = definePrompt({
  name: "introduce",
  title: "Introduce somebody",
  description: "Asks the model to write an introduction of a person.",
  arguments: [
    { name: "name", description: "Whom to introduce", required: true },
    { name: "tone", description: "The tone; friendly by default" },
  ],
  // if: completion
  complete: {
    tone: (typed) => TONES.filter((tone) => tone.startsWith(typed)),
  },
  // end
  render: ({ name, tone = "friendly" }) =>
    `Write an introduction of ${name}, in a ${tone} tone and three sentences.`,
});
