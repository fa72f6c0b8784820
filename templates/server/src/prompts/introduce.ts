import { definePrompt } from "../generated/runtime/registry.js";

const TONES = ["formal", "friendly", "funny"]; // if: completion

export const introduce = definePrompt({
  name: "introduce",
  title: "Introduce somebody",
  description: "Has the model write an introduction of somebody.",
  arguments: [
    { name: "name", description: "Whom to introduce", required: true },
    { name: "tone", description: "In which tone; friendly by default" },
  ],
  // if: completion
  complete: {
    tone: (typed) => TONES.filter((tone) => tone.startsWith(typed)),
  },
  // end
  render: ({ name, tone = "friendly" }) =>
    `Write an introduction of ${name}, in a ${tone} tone and three sentences.`,
});
