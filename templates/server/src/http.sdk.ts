#!/usr/bin/env node
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
} from "@modelcontextprotocol/node";
import { log } from "./log.js";
import { buildServer } from "./server.js";

const PORT = Number(process.env["PORT"] ?? 3000);

const server = buildServer();
/** The transport of each session; a new session gets one of its own. */
const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

async function newSession(): Promise<NodeStreamableHTTPServerTransport> {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => {
      sessions.set(id, transport);
    },
    onsessionclosed: (id) => {
      sessions.delete(id);
    },
  });
  await server.connect(transport);
  return transport;
}

// Pages of other sites must not reach a server of this machine.
const isOurHost = localhostHostValidation();
const isOurOrigin = localhostOriginValidation();

const listener = createServer((request, response) => {
  if (!isOurHost(request, response) || !isOurOrigin(request, response)) return;
  if (new URL(request.url ?? "/", "http://localhost").pathname !== "/mcp") {
    response.writeHead(404).end();
    return;
  }
  const id = request.headers["mcp-session-id"];
  const known = typeof id === "string" ? sessions.get(id) : undefined;
  if (id !== undefined && known === undefined) {
    // As the specification has it, so that the client begins a new session.
    response.writeHead(404).end();
    return;
  }
  Promise.resolve(known ?? newSession())
    .then((transport) => transport.handleRequest(request, response))
    .catch((error: unknown) => {
      log(String(error));
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
});
listener.listen(PORT, "127.0.0.1", () => {
  log(`ready at http://127.0.0.1:${PORT}/mcp`);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    listener.close();
    void server.close().then(() => {
      listener.closeAllConnections();
    });
  });
}
