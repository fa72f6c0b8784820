import { expect, test } from "vitest";
import { connect } from "../support.js";

const HOST = {
  capabilities: {
    extensions: {
      "io.modelcontextprotocol/ui": {
        mimeTypes: ["text/html;profile=mcp-app"],
      },
    },
  },
};

test("returns a text for the model, and the dice for the page", async () => {
  const client = await connect();
  const { content, structuredContent } = await client.callTool({
    name: "roll",
    arguments: { count: 3, sides: 2 },
  });
  const { rolls, total } = structuredContent as {
    rolls: number[];
    total: number;
  };
  expect(rolls).toHaveLength(3);
  expect(rolls.every((shown) => shown === 1 || shown === 2)).toBe(true);
  expect(rolls.reduce((sum, shown) => sum + shown, 0)).toBe(total);
  expect(content).toEqual([
    { type: "text", text: `Rolled ${rolls.join(", ")}: ${total} in total.` },
  ]);
});

test("its page is a resource of the server, and loads nothing", async () => {
  const client = await connect(HOST);
  const { tools } = await client.listTools();
  const uri = tools.find(({ name }) => name === "roll")?._meta?.ui?.resourceUri;
  const { contents } = await client.readResource({ uri: uri ?? "" });
  expect(contents).toMatchObject([
    { uri, mimeType: "text/html;profile=mcp-app" },
  ]);
  const [page] = contents;
  const html = page !== undefined && "text" in page ? page.text : "";
  expect(html).toContain("<title>Dice</title>");
  expect(html).not.toMatch(/<(?:script|link)[^>]* (?:src|href)=/);
});
