import { defineResourceTemplate } from "../generated/runtime/registry.js";

const GREETINGS = new Map([
  ["en", "Hello!"],
  ["de", "Hallo!"],
  ["fr", "Bonjour!"],
]);

/** A resource template: one resource for each value of the variable. */
export const greeting = defineResourceTemplate({
  uriTemplate: "greeting://{language}",
  name: "greeting",
  title: "Greeting",
  description: "A greeting in the language with this code.",
  mimeType: "text/plain",
  // if: completion
  complete: {
    language: (typed) =>
      [...GREETINGS.keys()].filter((code) => code.startsWith(typed)),
  },
  // end
  // Undefined means that the resource does not exist.
  read: ({ language }) => GREETINGS.get(language),
});
