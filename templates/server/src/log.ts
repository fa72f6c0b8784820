import { info } from "./info.js";

/** Writes a line to standard error: standard output carries protocol messages and nothing else. */
export function log(message: string): void {
  console.error(`[${info.name}] ${message}`);
}
