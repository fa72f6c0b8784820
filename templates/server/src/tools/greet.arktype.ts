import { type } from "arktype";
import { defineTool } from "../generated/runtime/registry.js";
import { inputSchema } from "../generated/runtime/standard-schema.js";

const GREETINGS = { en: "Hello", de: "Hallo", fr: "Bonjour" };

export const greet = defineTool({
  name: "greet",
  title: "Greet somebody",
  description: "Greets somebody by name, in one of several languages.",
  input: inputSchema(
    type({
      name: type("string > 0").describe("the name of whom to greet"),
      language: "'en' | 'de' | 'fr' = 'en'",
    }),
  ),
  annotations: { readOnlyHint: true },
  run: ({ name, language }) => `${GREETINGS[language]}, ${name}!`,
});
