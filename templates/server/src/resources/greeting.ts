import { defineResourceTemplate } from "../generated/runtime/registry.js";

const GREETINGS = new Map([
  ["en", "Hello!"],
  ["de", "Hallo!"],
  ["fr", "Bonjour!"],
]);

/** A family of resources: one for each value of the variable. */
export const greeting = defineResourceTemplate({
  uriTemplate: "greeting://{language}",
  name: "greeting",
  title: "Greeting",
  description: "A greeting in a language, given by its code.",
  mimeType: "text/plain",
  // if: completion
  complete: {
    language: (typed) =>
      [...GREETINGS.keys()].filter((code) => code.startsWith(typed)),
  },
  // end
  // Undefined says that there is no such resource.
  read: ({ language }) => GREETINGS.get(language),
});
