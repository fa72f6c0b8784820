import { defineTool, ToolError } from "../generated/runtime/registry.js";
import { canListRoots } from "../generated/runtime/server.js";
import type { ServerContext } from "../protocol.js";

/** Asks the client where the user works. */
export const folders = defineTool({
  name: "folders",
  title: "Folders",
  description: "Lists the folders that the user has opened to this server.",
  annotations: { readOnlyHint: true },
  run: async (_args, context: ServerContext) => {
    if (!canListRoots(context))
      throw new ToolError("This client cannot list folders.");
    const { answer } = await context.requireInput({
      answer: { method: "roots/list" },
    });
    if (answer.roots.length === 0) return "No folder is open.";
    return answer.roots.map(({ uri, name }) => name ?? uri).join("\n");
  },
});
