import { handlers } from "./handlers/index.js"; // if: handlers
import { info } from "./info.js";
import { createClient, revisions, type Client } from "./protocol.js";

/** The client, without a connection: `await buildClient().connect(transport)`. */
export function buildClient(): Client {
  return createClient({
    info,
    revisions,
    handlers, // if: handlers
  });
}
