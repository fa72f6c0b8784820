import type { HttpHandlerOptions } from "./generated/runtime/http-server.js";

/** Settings of an instance, from environment variables. README.md describes them. */
export const settings = {
  /** The address to listen on: 0.0.0.0 in a container. */
  hostname: textOf("HOST") ?? "127.0.0.1",
  /** The names in the URLs of clients; those of this machine by default. */
  allowedHosts: listOf("ALLOWED_HOSTS"),
  /** The origins of pages that may connect; those on the allowed hosts by default. */
  allowedOrigins: listOf("ALLOWED_ORIGINS"),
  /** Tells clients apart behind a load balancer; the address of the connection by default. */
  clientKey: headerReader(textOf("CLIENT_ADDRESS_HEADER")),
  /** Sign the state of requests that wait for input: the first one signs, all of them verify. */ // if: stateless
  requestStateSecrets: listOf("REQUEST_STATE_SECRET"), // if: stateless
  redisUrl: textOf("REDIS_URL"),
  /** Encrypt what is stored: the first one encrypts, all of them decrypt. */
  encryptionKeys: listOf("STORE_ENCRYPTION_KEY"),
};

function textOf(name: string): string | undefined {
  const text = process.env[name]?.trim();
  return text === "" ? undefined : text;
}

function listOf(name: string): readonly string[] | undefined {
  const items = (textOf(name) ?? "").split(",").map((item) => item.trim());
  const named = items.filter((item) => item !== "");
  return named.length === 0 ? undefined : named;
}

/** Set it only behind a load balancer that replaces the header, since clients can send any. */
function headerReader(
  name: string | undefined,
): HttpHandlerOptions["clientKey"] {
  if (name === undefined) return undefined;
  const header = name.toLowerCase();
  return (call) => call.header(header);
}
