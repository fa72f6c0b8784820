import {
  serveHttp,
  type ListeningServer,
} from "./generated/runtime/http-node.js";
import {
  createHttpHandler,
  joinCluster, // if: redis
} from "./generated/runtime/http-server.js";
import { log } from "./log.js";
import { buildServer } from "./server.js";
import { settings } from "./settings.js"; // if: redis
import type { Store } from "./store.js"; // if: redis

/**
 * Serves HTTP to this machine. // if: !redis
 * Serves HTTP at the address in `HOST`; by default, to this machine only. // if: redis
 *
 * @param port - 0 chooses a free port.
 * @param store - What this instance shares with others; without it, sessions are kept in memory. // if: redis
 */
export async function listen(
  port: number,
  store?: Pick<Store, "cluster">, // if: redis
): Promise<ListeningServer> {
  const handler = createHttpHandler({
    // All sessions share one server, so that `notify` reaches all clients. Pass a function, `({ auth }) => ...`, if what
    // the server offers depends on who connects: each session then has a separate server, which notifies only its own
    // client.
    server: buildServer(),
    path: "/mcp",
    // Answers the checks of load balancers and orchestrators at /livez and /readyz.
    health: true,
    // if: redis
    cluster: store && joinCluster(store.cluster),
    allowedHosts: settings.allowedHosts,
    allowedOrigins: settings.allowedOrigins,
    clientKey: settings.clientKey,
    // Before you let other machines connect, set `authorize`.
    // end
    // Before you let other machines connect, by `hostname` below, set `authorize`, `allowedHosts` and `allowedOrigins`. // if: !redis
    onEvent: (event) => {
      if (event.kind === "refused")
        log(`rejected with ${event.status}: ${event.reason}`);
      if (event.kind === "failed") log(String(event.error));
      // if: redis
      if (event.kind === "storeFailed")
        log(`${event.operation}: ${String(event.error)}`);
      if (event.kind === "fenced")
        log("cut off from Redis for too long: others go on with our sessions");
      // end
    },
  });
  return serveHttp(handler, {
    port,
    // if: redis
    hostname: settings.hostname,
    // Longer than a load balancer keeps an idle connection, so that it never sends a request to one that just closed.
    keepAliveTimeout: 75_000,
    // end
  });
}
