import { about } from "./about.js";
import { greeting } from "./greeting.js";
import { rollPage } from "./roll-page.js"; // if: app

/** The resources that the server offers. */
export const resources = [
  about,
  greeting,
  rollPage, // if: app
];
