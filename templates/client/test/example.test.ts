import { expect, test, vi } from "vitest";
import { example } from "../src/example.js";
import { defineTool } from "../src/generated/runtime/registry.js";
import { connected } from "./support.js";

test("the example calls a tool and prints its result", async () => {
  const run = vi.fn(() => ({ structuredContent: { sum: 1 } }));
  const client = await connected([defineTool({ name: "add", run })]);
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await example(client);
  expect(run).toHaveBeenCalledWith({ a: 1, b: 1 }, expect.anything());
  expect(JSON.parse(String(log.mock.lastCall?.[0]))).toEqual({ sum: 1 });
  log.mockRestore();
});
