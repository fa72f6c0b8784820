import { afterAll, beforeAll, expect, test } from "vitest";
import { info } from "../src/info.js"; // if: stateful
import { listen } from "../src/listen.js";
import { tools } from "../src/tools/index.js"; // if: tools

let listening: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  listening = await listen(0);
});
afterAll(() => listening.close());

/** Headers of every request. If `authorize` in src/listen.ts requires a token, add it here. */
const HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  // authorization: "Bearer TOKEN",
};

/** Posts a message. The result is in the body of the response, or in an event. */
async function post(
  message: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; session: string | null; answer: unknown }> {
  const response = await fetch(listening.url, {
    method: "POST",
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  const body = await response.text();
  const data = /^data: (\{.*)$/m.exec(body)?.[1] ?? body;
  return {
    status: response.status,
    session: response.headers.get("mcp-session-id"),
    answer: data.startsWith("{") ? JSON.parse(data) : undefined,
  };
}
// if: stateful

test("a session over HTTP", async () => {
  const begun = await post({
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1.0.0" },
    },
  });
  expect(begun).toMatchObject({
    status: 200,
    answer: { id: 1, result: { serverInfo: info } },
  });
  const headers = {
    "mcp-protocol-version": "2025-11-25",
    "mcp-session-id": begun.session ?? "",
  };
  const told = await post({ method: "notifications/initialized" }, headers);
  expect(told.status).toBe(202);
  // if: tools
  const listed = await post({ id: 2, method: "tools/list" }, headers);
  expect(listed.answer).toMatchObject({
    id: 2,
    result: { tools: tools.map(({ name }) => ({ name })) },
  });
  const unknown = { name: "no-such-tool" };
  const called = await post(
    { id: 3, method: "tools/call", params: unknown },
    headers,
  );
  expect(called.answer).toMatchObject({ id: 3, error: { code: -32602 } });
  // end
  const lost = await post(
    { id: 4, method: "ping" },
    { ...headers, "mcp-session-id": "lost" },
  );
  expect(lost.status).toBe(404);
});
// end
// if: stateless&own

test("self-contained requests over HTTP", async () => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const ask = (id: number, method: string, params: { name?: string } = {}) =>
    post(
      { id, method, params: { ...params, _meta } },
      {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(params.name === undefined ? {} : { "mcp-name": params.name }),
      },
    );
  expect(await ask(1, "server/discover")).toMatchObject({
    status: 200,
    session: null,
    answer: { id: 1, result: { supportedVersions: ["2026-07-28"] } },
  });
  // if: tools
  expect((await ask(2, "tools/list")).answer).toMatchObject({
    id: 2,
    result: { tools: tools.map(({ name }) => ({ name })) },
  });
  const unknown = { name: "no-such-tool" };
  expect((await ask(3, "tools/call", unknown)).answer).toMatchObject({
    id: 3,
    error: { code: -32602 },
  });
  // end
});
// end

test("rejects pages of other sites", async () => {
  const message = { id: 1, method: "ping" };
  const { status } = await post(message, { origin: "https://example.com" });
  expect(status).toBe(403);
});
