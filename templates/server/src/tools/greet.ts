import { defineTool } from "../generated/runtime/registry.js";
import { greetInput } from "../generated/tools/greet.js";

const GREETINGS = { en: "Hello", de: "Hallo", fr: "Bonjour" };

export const greet = defineTool({
  name: "greet",
  title: "Greet somebody",
  description: "Greets somebody by name, in one of several languages.",
  input: greetInput,
  annotations: { readOnlyHint: true },
  run: ({ name, language = "en" }) => `${GREETINGS[language]}, ${name}!`,
});
