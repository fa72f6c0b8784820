import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../generated/runtime/registry.js";
import { inputSchema } from "../generated/runtime/standard-schema.js";

const GREETINGS = { en: "Hello", de: "Hallo", fr: "Bonjour" };

export const greet = defineTool({
  name: "greet",
  title: "Greet somebody",
  description: "Greets somebody by name, in one of several languages.",
  input: inputSchema(
    toStandardJsonSchema(
      v.object({
        name: v.pipe(
          v.string(),
          v.minLength(1),
          v.description("Whom to greet"),
        ),
        language: v.optional(
          v.pipe(
            v.picklist(["en", "de", "fr"]),
            v.description("In which language"),
          ),
          "en",
        ),
      }),
    ),
  ),
  annotations: { readOnlyHint: true },
  run: ({ name, language }) => `${GREETINGS[language]}, ${name}!`,
});
