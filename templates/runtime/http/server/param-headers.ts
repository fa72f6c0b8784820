import { RpcError, STANDARD_ERROR_CODES } from "../../jsonrpc/error-codes.js";
import { headerParamsOf } from "../headers.js";
import type { HeaderParam } from "../headers.js";
import type { ErrorObject } from "../../jsonrpc/message.js";
import { META_KEYS } from "../../protocol/revision.js";
import type { Revision } from "../../protocol/revision.js";
import type { Server } from "../../server.js";
import type { PrincipalInfo, Transport } from "../../jsonrpc/transport.js";

/** Milliseconds for which a listing of tools is cached. */
const CACHE_TTL_MS = 1_000;
/** Maximum of principals whose tools are cached. */
const MAX_CACHED_PRINCIPALS = 1_000;
const MAX_SERVER_TOOL_PAGES = 1_000;

type ConnectableServer = Pick<Server, "connect">;
type HeaderParamsByTool = ReadonlyMap<string, readonly HeaderParam[]>;

/** The used part of a request. */
interface RequestBody {
  readonly method: string;
  readonly params?: object | undefined;
}

/**
 * Which arguments of a server's tools are repeated in headers (MCP 2026-07-28, Streamable HTTP, Server Behavior for Custom
 * Headers). The server itself answers, through `tools/list` on behalf of the caller of the tool.
 *
 * The cache has at most MAX_CACHED_PRINCIPALS entries, the oldest first, each valid for CACHE_TTL_MS.
 * A failed listing is not cached.
 */
export class ParamHeaders {
  readonly #cache = new Map<
    string,
    {
      readonly until: number;
      readonly tools: HeaderParamsByTool | Promise<HeaderParamsByTool>;
    }
  >();

  /**
   * The header parameters of a request; empty unless it calls a tool.
   *
   * @throws RpcError if the server cannot list its tools.
   */
  forRequest(
    server: ConnectableServer,
    revision: Revision,
    request: RequestBody,
    extra: PrincipalInfo,
  ): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    if (request.method !== "tools/call") return NO_HEADER_PARAMS;
    const { name } = (request.params ?? {}) as { readonly name?: unknown };
    if (typeof name !== "string") return NO_HEADER_PARAMS;
    const tools = this.#toolsFor(server, revision, extra);
    return tools instanceof Promise
      ? tools.then((known) => known.get(name) ?? NO_HEADER_PARAMS)
      : (tools.get(name) ?? NO_HEADER_PARAMS);
  }

  #toolsFor(
    server: ConnectableServer,
    revision: Revision,
    extra: PrincipalInfo,
  ): HeaderParamsByTool | Promise<HeaderParamsByTool> {
    const key = `${revision.version} ${extra.principal ?? ""}`;
    const cached = this.#cache.get(key);
    const now = Date.now();
    if (cached !== undefined && now < cached.until) return cached.tools;
    const listing = listTools(server, revision, extra);
    this.#cacheTools(key, now, listing);
    listing.then(
      (tools) => {
        this.#cacheTools(key, now, tools);
      },
      () => this.#cache.delete(key),
    );
    return listing;
  }

  #cacheTools(
    key: string,
    now: number,
    tools: HeaderParamsByTool | Promise<HeaderParamsByTool>,
  ): void {
    // A map keeps its order, so the first entry is the oldest.
    this.#cache.delete(key);
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined && this.#cache.size >= MAX_CACHED_PRINCIPALS)
      this.#cache.delete(oldest);
    this.#cache.set(key, { until: now + CACHE_TTL_MS, tools });
  }
}

const NO_HEADER_PARAMS: readonly HeaderParam[] = [];

async function listTools(
  server: ConnectableServer,
  revision: Revision,
  extra: PrincipalInfo,
): Promise<HeaderParamsByTool> {
  const tools = new Map<string, readonly HeaderParam[]>();
  let cursor: unknown;
  for (let page = 0; page < MAX_SERVER_TOOL_PAGES; page += 1) {
    const listed = await new InternalRequest(server, revision, extra).ask(
      "tools/list",
      cursor === undefined ? {} : { cursor },
    );
    for (const tool of Array.isArray(listed["tools"]) ? listed["tools"] : []) {
      const { name, inputSchema } = tool as {
        readonly name: string;
        readonly inputSchema?: unknown;
      };
      const params = headerParamsOf(inputSchema);
      // A tool with invalid annotations must not be called by clients.
      if (params.success && params.value.length > 0)
        tools.set(name, params.value);
    }
    cursor = listed["nextCursor"];
    if (typeof cursor !== "string") break;
  }
  return tools;
}

/**
 * A request to the server from inside the process, over an in-process transport.
 *
 * It carries one request; the first response resolves it, and then it closes.
 */
class InternalRequest implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  readonly #server: ConnectableServer;
  readonly #revision: Revision;
  readonly #extra: PrincipalInfo;
  #request: object = {};
  #resolveResponse: (message: object) => void = () => undefined;

  constructor(
    server: ConnectableServer,
    revision: Revision,
    extra: PrincipalInfo,
  ) {
    this.#server = server;
    this.#revision = revision;
    this.#extra = extra;
  }

  /** The result; empty if the server does not offer the method. */
  async ask(
    method: string,
    params: object,
  ): Promise<Readonly<Record<string, unknown>>> {
    const _meta = {
      [META_KEYS.VERSION]: this.#revision.version,
      [META_KEYS.CLIENT_CAPABILITIES]: {},
    };
    this.#request = {
      jsonrpc: "2.0",
      id: 0,
      method,
      params: { ...params, _meta },
    };
    const answered = new Promise<object>((resolve) => {
      this.#resolveResponse = resolve;
    });
    await this.#server.connect(this, this.#revision.version);
    const answer = (await answered) as {
      readonly result?: Readonly<Record<string, unknown>>;
      readonly error?: ErrorObject;
    };
    this.onclose?.();
    if (answer.result !== undefined) return answer.result;
    const code = answer.error?.code ?? STANDARD_ERROR_CODES.INTERNAL_ERROR;
    if (code === STANDARD_ERROR_CODES.METHOD_NOT_FOUND) return {};
    throw new RpcError(code, `${method} failed, which this request depends on`);
  }

  start(): Promise<void> {
    this.onmessage?.(this.#request, this.#extra);
    return Promise.resolve();
  }

  send(message: object): void {
    if (!("method" in message)) this.#resolveResponse(message);
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }
}
