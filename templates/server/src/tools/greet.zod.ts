import { z } from "zod";
import { defineTool } from "../generated/runtime/registry.js";
import { inputSchema } from "../generated/runtime/standard-schema.js";

const GREETINGS = { en: "Hello", de: "Hallo", fr: "Bonjour" };

export const greet = defineTool({
  name: "greet",
  title: "Greet somebody",
  description: "Greets somebody by name, in one of several languages.",
  input: inputSchema(
    z.object({
      name: z.string().min(1).describe("Whom to greet"),
      language: z
        .enum(["en", "de", "fr"])
        .default("en")
        .describe("In which language"),
    }),
  ),
  annotations: { readOnlyHint: true },
  run: ({ name, language }) => `${GREETINGS[language]}, ${name}!`,
});
