#!/usr/bin/env node
import { serveHttp } from "./generated/runtime/http-node.js";
import { createHttpHandler } from "./generated/runtime/http-server.js";
import { log } from "./log.js";
import { buildServer } from "./server.js";

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

const { url, close } = await serveHttp(handler, {
  port: Number(process.env["PORT"] ?? 3000),
  hostname: "127.0.0.1",
});
log(`ready at ${url.href}`);

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void close());
