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
 * @param port - 0 chooses a free port.
 */
export async function listen(port: number): Promise<ListeningServer> {
  const handler = createHttpHandler({
    // All sessions share one server, so that `notify` reaches all clients. Pass a function, `({ auth }) => ...`, if what
    // the server offers depends on who connects: each session then has a separate server, which notifies only its own
    // client.
    server: buildServer(),
    path: "/mcp",
    // Before you let other machines connect, set `authorize`, `allowedHosts` and `allowedOrigins`.
    onEvent: (event) => {
      if (event.kind === "refused")
        log(`rejected with ${event.status}: ${event.reason}`);
      if (event.kind === "failed") log(String(event.error));
    },
  });
  return serveHttp(handler, { port, hostname: "127.0.0.1" });
}
