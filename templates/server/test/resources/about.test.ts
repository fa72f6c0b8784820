import { expect, test } from "vitest";
import { connect } from "../support.js";

test("a resource with a fixed URI", async () => {
  const client = await connect();
  const { contents } = await client.readResource({ uri: "about://server" });
  expect(contents).toMatchObject([{ mimeType: "application/json" }]);
});
