#!/usr/bin/env node
import { readArguments, USAGE, type Task } from "./arguments.js";
import { buildClient } from "./client.js";
import { example } from "./example.js"; // if: listed
import { transportTo } from "./transport.js";

async function main({
  target,
  tool,
  toolArguments,
  isExample, // if: listed
}: Task): Promise<void> {
  const client = buildClient();
  await client.connect(transportTo(target));
  try {
    // if: listed
    if (isExample) {
      await example(client);
      return;
    }
    // end
    if (tool === undefined) {
      for await (const { name, description } of client.listAllTools())
        console.log(
          description === undefined ? name : `${name}: ${description}`,
        );
      return;
    }
    const result = await client.callTool({
      name: tool,
      arguments: toolArguments,
    });
    console.log(JSON.stringify(result, undefined, 2));
    if (result.isError === true) process.exitCode = 1;
  } finally {
    await client.close();
  }
}

let task: Task | undefined;
try {
  task = readArguments(process.argv.slice(2));
  if (task === undefined) console.log(USAGE);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(`error: ${reason}\n\n${USAGE}`);
  process.exitCode = 2;
}
if (task !== undefined) {
  try {
    await main(task);
  } catch (error) {
    const text = String(error);
    console.error(text);
    // if: http
    if (/\b401\b|unauthorized/i.test(text))
      console.error("Set MCP_TOKEN to a bearer token that the server accepts.");
    // end
    process.exitCode = 1;
  }
}
