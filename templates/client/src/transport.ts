import { stdioClientTransport } from "./generated/runtime/stdio-client.js";
import type { Transport } from "./generated/runtime/transport.js";

/** The way to a server: a program to run. */
export function transportTo([command, ...args]: readonly [
  string,
  ...string[],
]): Transport {
  return stdioClientTransport({ command, args });
}
