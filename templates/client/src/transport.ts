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
    return httpClientTransport({ url: first, ...credentialsFor(first) });
  return stdioClientTransport({ command: first, args });
}

/** A URL with a user takes precedence, and nothing is sent unencrypted to another machine. */
function credentialsFor(url: string) {
  const token = process.env["MCP_TOKEN"];
  const { protocol, hostname, username } = new URL(url);
  const isSafe =
    protocol === "https:" ||
    ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (token === undefined || token === "" || username !== "" || !isSafe)
    return {};
  return { authProvider: { token: () => token } };
}
