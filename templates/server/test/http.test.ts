import { expect, test } from "vitest";
import { serveHttp } from "../src/generated/runtime/http-node.js";
import { createHttpHandler } from "../src/generated/runtime/http-server.js";
import { info } from "../src/info.js"; // if: stateful
import { buildServer } from "../src/server.js";

test("answers over HTTP", async () => {
  const handler = createHttpHandler({ server: buildServer, path: "/mcp" });
  const listening = await serveHttp(handler, { port: 0 });
  try {
    // if: stateful
    const response = await fetch(listening.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "test", version: "1.0.0" },
        },
      }),
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(info.name);
    // end
    // Another site's page in a browser of this machine.
    const foreign = await fetch(listening.url, {
      method: "POST",
      headers: { origin: "https://example.com" },
      body: "{}",
    });
    expect(foreign.status).toBe(403);
  } finally {
    await listening.close();
  }
});
