import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
} from "@modelcontextprotocol/node";
import { log } from "./log.js";
import { buildServer } from "./server.js";

/** Maximum of sessions. Past it, the least recently used one ends. */
const MAX_SESSIONS = 100;

// Pages of other sites must not reach a server on this machine. Before you let other machines connect, add their host names
// here, and authorization.
const isOurHost = localhostHostValidation();
const isOurOrigin = localhostOriginValidation();

/**
 * Serves HTTP to this machine.
 *
 * @param port - 0 chooses a free port.
 */
export async function listen(
  port: number,
): Promise<{ readonly url: URL; close(): Promise<void> }> {
  const server = buildServer();
  /** The transport of each session by its ID, the most recently used last. */
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

  async function begin(): Promise<NodeStreamableHTTPServerTransport> {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
        const [oldest] = sessions.values();
        if (sessions.size > MAX_SESSIONS) void oldest?.close();
      },
    });
    const { closed } = await server.connect(transport);
    void closed.then(() => sessions.delete(transport.sessionId ?? ""));
    return transport;
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (!isOurHost(request, response) || !isOurOrigin(request, response))
      return;
    const id = request.headers["mcp-session-id"]?.toString();
    const known = id === undefined ? undefined : sessions.get(id);
    const [path] = request.url?.split("?") ?? [];
    // A client whose session is not found starts a new one.
    if (path !== "/mcp" || (id !== undefined && known === undefined)) {
      response.writeHead(404).end();
      return;
    }
    if (id !== undefined && known !== undefined) {
      sessions.delete(id);
      sessions.set(id, known);
    }
    const transport = known ?? (await begin());
    try {
      await transport.handleRequest(request, response);
    } finally {
      // Without `initialize` no session has started, and the request was rejected.
      if (transport.sessionId === undefined) await transport.close();
    }
  }

  const listener = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log(String(error));
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  listener.listen(port, "127.0.0.1");
  await once(listener, "listening");
  const { port: taken } = listener.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${taken}/mcp`),
    close: async () => {
      listener.close();
      await server.close();
      listener.closeAllConnections();
    },
  };
}
