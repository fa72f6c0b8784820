import { isObject, methodOf, paramsOf } from "../../jsonrpc/envelope.js";
import type { UnknownObject } from "../../jsonrpc/envelope.js";
import { calledTool } from "./messages.js";
import type { SentRequest } from "./messages.js";

/** Maximum of tools that are remembered. */
const MAX_TOOLS = 10_000;

/** Requests that only read. */
const READS: ReadonlySet<string> = new Set([
  "ping",
  "server/discover",
  "tools/list",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "completion/complete",
]);

/**
 * Which requests may be sent twice: those that only read, and calls of tools whose listed annotations say so (MCP,
 * tools, `readOnlyHint` and `idempotentHint`). A server that misuses the hints harms only itself.
 *
 * Contains the names of listed tools with such a hint, at most `MAX_TOOLS`; empty after the list has changed.
 */
export class RepeatableRequests {
  readonly #tools = new Set<string>();

  /** Reads the response to `tools/list`. */
  learn(request: SentRequest, response: unknown): void {
    if (paramsOf(request)["cursor"] === undefined) this.clear();
    const result: unknown = isObject(response) ? response["result"] : undefined;
    const tools: unknown = isObject(result) ? result["tools"] : undefined;
    if (!Array.isArray(tools)) return;
    for (const tool of tools as readonly unknown[])
      if (isObject(tool)) this.#learnTool(tool);
  }

  #learnTool({ name, annotations }: UnknownObject): void {
    if (typeof name !== "string") return;
    this.#tools.delete(name);
    if (
      isObject(annotations) &&
      (annotations["readOnlyHint"] === true ||
        annotations["idempotentHint"] === true) &&
      this.#tools.size < MAX_TOOLS
    )
      this.#tools.add(name);
  }

  /** Forgets the tools if a message says that they have changed. */
  handleMessage(message: unknown): void {
    if (methodOf(message) === "notifications/tools/list_changed") this.clear();
  }

  clear(): void {
    this.#tools.clear();
  }

  /** Whether the request may be sent twice. */
  has(request: SentRequest): boolean {
    const { requestState, inputResponses, task } = paramsOf(request);
    // Answers of a user may count only once, and a task would be created twice.
    if (
      requestState !== undefined ||
      inputResponses !== undefined ||
      task !== undefined
    )
      return false;
    const tool = calledTool(request);
    return tool === undefined
      ? READS.has(request.method)
      : this.#tools.has(tool);
  }
}
