import { introduce } from "./introduce.js";

/** The prompts that the server offers. */
export const prompts = [introduce];
