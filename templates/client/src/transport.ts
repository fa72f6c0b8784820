import { httpClientTransport } from "./generated/runtime/http-client.js";
import { stdioClientTransport } from "./generated/runtime/stdio-client.js";
import type { Transport } from "./generated/runtime/index.js";

/**
 * The transport to a server: a URL, or a program to run.
 *
 * `MCP_TOKEN` is the bearer token of a server over HTTP that requires one.
 */
export function transportTo([first, ...args]: readonly [
  string,
  ...string[],
]): Transport {
  if (/^https?:/.test(first))
    return httpClientTransport({
      url: first,
      authProvider: { token: () => process.env["MCP_TOKEN"] },
    });
  return stdioClientTransport({ command: first, args });
}
