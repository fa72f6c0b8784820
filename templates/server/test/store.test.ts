import { afterAll, beforeAll, expect, test } from "vitest";
import { memoryCluster } from "../src/generated/runtime/http-server.js";
import { listen } from "../src/listen.js";
import { connectStore } from "../src/store.js";

type Instance = Awaited<ReturnType<typeof listen>>;

// In memory, what two instances share needs no Redis.
const cluster = memoryCluster();
let first: Instance;
let second: Instance;
beforeAll(async () => {
  first = await listen(0, { cluster });
  second = await listen(0, { cluster });
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await cluster.close();
});
// if: stateful

test("an instance serves the session of another one", async () => {
  const post = (to: Instance, message: object, headers = {}) =>
    fetch(to.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const begun = await post(first, {
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1.0.0" },
    },
  });
  const session = {
    "mcp-protocol-version": "2025-11-25",
    "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
  };
  const initialized = { method: "notifications/initialized" };
  expect((await post(first, initialized, session)).status).toBe(202);
  const answered = await post(second, { id: 2, method: "ping" }, session);
  expect(answered.status).toBe(200);
  expect(await answered.text()).toContain('"result":{}');
});
// end

test("each instance is ready", async () => {
  for (const { url } of [first, second])
    expect((await fetch(new URL("/readyz", url))).status).toBe(200);
});

test("without a URL there is nothing to connect to", async () => {
  expect(await connectStore("")).toBeUndefined();
});

test("says which Redis cannot be reached, and not its password", async () => {
  const connecting = connectStore("redis://user:hidden@127.0.0.1:1");
  await expect(connecting).rejects.toThrow(
    "cannot connect to Redis at 127.0.0.1:1 (REDIS_URL): connect ECONNREFUSED",
  );
  await expect(connecting).rejects.not.toThrow("hidden");
});

test("rejects what is no URL of Redis", async () => {
  await expect(connectStore("localhost:6379")).rejects.toThrow(
    "REDIS_URL is not a URL",
  );
});
