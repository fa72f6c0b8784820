import { info } from "./info.js";

/** Writes a line to standard error: standard output is reserved for protocol messages. */
export function log(message: string): void {
  console.error(`[${info.name}] ${message}`);
}
