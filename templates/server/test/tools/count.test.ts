import { expect, test } from "vitest";
import { connect } from "../support.js";

test("reports its progress", async () => {
  const client = await connect();
  const steps: number[] = [];
  await client.callTool(
    { name: "count", arguments: { to: 3, pauseMs: 0 } },
    { onProgress: ({ progress }) => steps.push(progress) },
  );
  expect(steps).toEqual([1, 2, 3]);
});

test("stops when it is cancelled", async () => {
  const client = await connect();
  const cancelling = new AbortController();
  const call = client.callTool(
    { name: "count", arguments: { to: 20, pauseMs: 5000 } },
    { signal: cancelling.signal },
  );
  cancelling.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
});
