import { readFile } from "node:fs/promises";
import {
  APP_MIME_TYPE,
  defineResource,
} from "../generated/runtime/registry.js";

const file = new URL("../../dist/pages/roll.html", import.meta.url);

/** The page that shows the result of the tool `roll`: `build-pages.js` makes it of the files in `pages/`. */
export const rollPage = defineResource({
  uri: "ui://example-server/roll",
  name: "roll-page",
  title: "Dice",
  description: "Shows the dice that the tool `roll` rolled.",
  mimeType: APP_MIME_TYPE,
  _meta: { ui: { prefersBorder: true } },
  read: () => readFile(file, "utf8"),
});
