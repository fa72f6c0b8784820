import { about } from "./about.js";
import { greeting } from "./greeting.js";

/** The resources that the server offers. */
export const resources = [about, greeting];
