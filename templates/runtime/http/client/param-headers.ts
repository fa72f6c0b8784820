import { isObject, metaOf } from "../../jsonrpc/envelope.js";
import type { UnknownObject } from "../../jsonrpc/envelope.js";
import { headerParamsOf, mirroredHeaders } from "../headers.js";
import type { HeaderParam } from "../headers.js";
import type { InternalRequests } from "./internal-requests.js";
import { calledTool } from "./messages.js";
import type { SentRequest } from "./messages.js";
import { POST_HEADERS } from "./requester.js";

/** Tools whose header parameters are kept. */
const MAX_TOOLS = 10_000;
const MAX_CLIENT_TOOL_PAGES = 100;

const NO_META: UnknownObject = {};

/**
 * Which arguments of tools are repeated in headers (MCP 2026-07-28, Streamable HTTP, Schema Extension).
 *
 * Contains only tools with such arguments, at most `MAX_TOOLS`; a listed page replaces the entries of its tools.
 */
export class ToolHeaderCache {
  readonly #headerParamsByTool = new Map<string, readonly HeaderParam[]>();
  readonly #internalRequests: InternalRequests;
  readonly #onError: (error: Error) => void;

  /** @param onError - Receives an error for each tool that is omitted. */
  constructor(
    internalRequests: InternalRequests,
    onError: (error: Error) => void,
  ) {
    this.#internalRequests = internalRequests;
    this.#onError = onError;
  }

  /** The arguments that go into headers when a request calls a tool; undefined if it has none. */
  headerParamsFor(request: SentRequest): readonly HeaderParam[] | undefined {
    const tool = calledTool(request);
    return tool === undefined ? undefined : this.#headerParamsByTool.get(tool);
  }

  /** Reads the response to `tools/list`, and returns it without the tools that must not be used. */
  learn(response: unknown): unknown {
    if (!isObject(response)) return response;
    const { result } = response;
    if (!isObject(result)) return response;
    const { tools } = result;
    if (!Array.isArray(tools)) return response;
    const kept = (tools as readonly unknown[]).filter((tool) =>
      this.#learnTool(tool),
    );
    return { ...response, result: { ...result, tools: kept } };
  }

  /** @returns Whether the tool may be used. */
  #learnTool(tool: unknown): boolean {
    if (!isObject(tool)) return true;
    const { name, inputSchema } = tool;
    if (typeof name !== "string") return true;
    const params = headerParamsOf(inputSchema);
    this.#headerParamsByTool.delete(name);
    if (!params.success) {
      this.#onError(
        new Error(
          `the tool ${JSON.stringify(name.slice(0, 60))} is omitted: ${params.reason}`,
        ),
      );
      return false;
    }
    if (params.value.length > 0 && this.#headerParamsByTool.size < MAX_TOOLS)
      this.#headerParamsByTool.set(name, params.value);
    return true;
  }

  /**
   * Lists the tools again, until the called one is listed.
   *
   * @returns Whether its header parameters have changed, so that the call may be sent again.
   */
  async refresh(call: SentRequest, signal: AbortSignal): Promise<boolean> {
    const before = JSON.stringify(this.headerParamsFor(call));
    await this.#listTools(call, signal);
    return before !== JSON.stringify(this.headerParamsFor(call));
  }

  async #listTools(call: SentRequest, signal: AbortSignal): Promise<void> {
    const { progressToken: _, ...meta } = metaOf(call) ?? NO_META;
    let cursor: unknown;
    for (let page = 1; page <= MAX_CLIENT_TOOL_PAGES; page += 1) {
      const last = cursor;
      const request = {
        jsonrpc: "2.0",
        id: `tools-${page}`,
        method: "tools/list",
        params: {
          _meta: meta,
          ...(typeof cursor === "string" ? { cursor } : {}),
        },
      } as const;
      const response = await this.#internalRequests.send({
        request,
        headers: [...POST_HEADERS, ...mirroredHeaders(request)],
        signal,
      });
      this.learn(response);
      const { result } = response;
      if (!isObject(result)) return;
      const { tools, nextCursor } = result;
      cursor = nextCursor;
      const isListed =
        Array.isArray(tools) &&
        (tools as readonly unknown[]).some(
          (tool) => isObject(tool) && tool["name"] === calledTool(call),
        );
      // Since 2026-07-28 an empty cursor has no special meaning; a repeated one ends the list (MCP, pagination).
      if (isListed || typeof cursor !== "string" || cursor === last) return;
    }
  }
}
