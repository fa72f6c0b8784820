import type { Auth } from "./http/server/auth.js";
import { HttpRequestHandler } from "./http/server/handler.js";
import type { HttpHandler, HttpHandlerOptions } from "./http/server/types.js";
import { toFetchHandler } from "./http/server/web.js";

export { memoryCluster } from "./cluster/memory.js";
export type { MemoryClusterOptions } from "./cluster/memory.js";
export { joinCluster } from "./http/server/cluster/cluster-node.js";
export type {
  Cluster,
  EventLog,
  EventPosition,
  LoggedEvent,
  Mailbox,
  MailReceiver,
  SessionRecord,
  SessionStore,
  SessionUsage,
} from "./cluster/types.js";
export { HttpExtra } from "./http/server/extra.js";
export type {
  AnyServer,
  ClusterLimits,
  ClusterMember,
  DrainOptions,
  HealthOptions,
  HttpEvent,
  HttpHandler,
  HttpHandlerOptions,
  LegacySseOptions,
  ResumabilityOptions,
  SessionOptions,
  SessionRequest,
} from "./http/server/types.js";

/**
 * Creates the server's side of the Streamable HTTP transport at one endpoint: with sessions for revisions up to
 * 2025-11-25, without them for 2026-07-28 (MCP, Transports). It needs only Web standards; in Node, `serveHttp` of
 * `http-node` serves it on a port.
 *
 * @throws TypeError if an option is invalid.
 */
export function createHttpHandler<A extends Auth = Auth>(
  options: HttpHandlerOptions<A>,
): HttpHandler {
  const handler = new HttpRequestHandler<A>(options);
  return {
    fetch: toFetchHandler((call) => {
      handler.handle(call);
    }),
    handle: (call) => {
      handler.handle(call);
    },
    get load() {
      return handler.load;
    },
    drain: (drainOptions) => handler.drain(drainOptions),
    close: () => handler.close(),
  };
}
