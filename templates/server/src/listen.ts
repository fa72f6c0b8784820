import {
  serveHttp,
  type ListeningServer,
} from "./generated/runtime/http-node.js";
import { createHttpHandler } from "./generated/runtime/http-server.js";
import { log } from "./log.js";
import { buildServer } from "./server.js";

/**
 * Serves HTTP to this machine.
 *
 * @param port - 0 takes a free one.
 */
export async function listen(port: number): Promise<ListeningServer> {
  const handler = createHttpHandler({
    // Each session has a server of its own.
    server: buildServer,
    path: "/mcp",
    // Before others than this machine may connect: `authorize`, `allowedHosts` and `allowedOrigins`.
    onEvent: (event) => {
      if (event.kind === "refused")
        log(`refused with ${event.status}: ${event.reason}`);
      if (event.kind === "failed") log(String(event.error));
    },
  });
  return serveHttp(handler, { port, hostname: "127.0.0.1" });
}
