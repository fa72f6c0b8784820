import type { ListedServer, Selection } from './selection.js';
import { newestRevision } from './selection.js';

/** What a client has of the tools of its server: the list, the way to it, and an example of a call. */
export function toolFiles(selection: Selection): ReadonlyMap<string, string> {
  const { listed } = selection;
  if (listed === undefined) return new Map();
  return new Map([
    ['tools.json', listed.toolList],
    ['src/target.ts', targetFile(listed)],
    ['src/example.ts', exampleFile(listed)],
    ...(listed.example.isValid ? [['test/example.test.ts', exampleTest(selection, listed)] as const] : []),
  ]);
}

function targetFile({ target }: ListedServer): string {
  return `/** The server that is used if none is named: a URL, or a program with its arguments. */
export const defaultTarget: readonly string[] = ${JSON.stringify(target)};
`;
}

function exampleFile({ example }: ListedServer): string {
  const { method, args, output, isValid } = example;
  const call = `await server.${method}(${args ?? ''})`;
  const note = isValid ? '' : '\n  // What the server takes is for you to fill in: no value could be made up.';
  const shown =
    output === undefined
      ? `  const { content } = ${call};
  console.log(JSON.stringify(content, undefined, 2));`
      : `  const { isError, content, structuredContent } = ${call};
  console.log(JSON.stringify(isError === true ? content : structuredContent, undefined, 2));`;
  return `import { tools } from "./generated/tools/index.js";
import type { Client } from "./protocol.js";

/** Calls a tool of the server. The other tools are methods too, just as typed and validated. */
export async function example(client: Client): Promise<void> {
  const server = tools(client);${note}
${shown}
}
`;
}

function exampleTest(selection: Selection, { example }: ListedServer): string {
  const { name, args, output } = example;
  const outcome = output === undefined ? '"done"' : `{ structuredContent: ${output} }`;
  const type = output === undefined ? 'string' : '{ structuredContent: Record<string, unknown> }';
  const shown = output ?? '[{ type: "text", text: "done" }]';
  // Without a revision that has structured content there is no output schema.
  return `import { expect, test, vi } from "vitest";
import { example } from "../src/example.js";
import type { ServerContext } from "../src/generated/${newestRevision(selection).revision}/server.js";
import { defineTool } from "../src/generated/runtime/registry.js";
import { connected } from "./support.js";

test("the example calls a tool and shows what it gives", async () => {
  const run = vi.fn<(args: object, context: ServerContext) => ${type}>(() => (${outcome}));
  const client = await connected([defineTool({ name: ${JSON.stringify(name)}, run })]);
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await example(client);
  expect(run.mock.calls[0]?.[0]).toEqual(${args ?? '{}'});
  expect(JSON.parse(String(log.mock.lastCall?.[0]))).toEqual(${shown});
  log.mockRestore();
});
`;
}
