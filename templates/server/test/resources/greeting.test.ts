import { expect, test } from "vitest";
import { connect } from "../support.js";

test("a resource of a template", async () => {
  const client = await connect();
  const { contents } = await client.readResource({ uri: "greeting://de" });
  expect(contents).toMatchObject([{ text: "Hallo!" }]);
});

test("an unknown resource", async () => {
  const client = await connect();
  const reading = client.readResource({ uri: "greeting://xx" });
  await expect(reading).rejects.toThrow("Resource not found");
});
// if: completion

test("suggests languages", async () => {
  const client = await connect();
  const { completion } = await client.complete({
    ref: { type: "ref/resource", uri: "greeting://{language}" },
    argument: { name: "language", value: "d" },
  });
  expect(completion.values).toEqual(["de"]);
});
// end
