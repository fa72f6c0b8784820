import { RpcError, STANDARD_ERROR_CODES } from "./error-codes.js";
import { headerParamsOf } from "./http-headers.js";
import type { HeaderParam } from "./http-headers.js";
import type { ErrorObject } from "./message.js";
import { META } from "./revision.js";
import type { Revision } from "./revision.js";
import type { Server } from "./server.js";
import type { Authenticated, Transport } from "./transport.js";

/** Milliseconds for which what `tools/list` said is believed. */
const FRESH = 1_000;
/** Principals whose tools are remembered. */
const MAX_REMEMBERED = 1_000;
const MAX_PAGES = 1_000;

type Asked = Pick<Server, "connect">;
type ByTool = ReadonlyMap<string, readonly HeaderParam[]>;

/** A request, as far as it matters here. */
interface Calling {
  readonly method: string;
  readonly params?: object | undefined;
}

/**
 * Which arguments of a server's tools are repeated in headers (MCP 2026-07-28, Streamable HTTP, Server Behavior for Custom
 * Headers). The server itself is asked, by `tools/list`, on behalf of whoever calls the tool.
 */
export class ParamHeaders {
  readonly #known = new Map<
    string,
    { readonly until: number; readonly tools: ByTool | Promise<ByTool> }
  >();

  /**
   * Those of a request; none unless it calls a tool.
   *
   * @throws RpcError if the server cannot list its tools.
   */
  of(
    server: Asked,
    revision: Revision,
    request: Calling,
    extra: Authenticated,
  ): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    if (request.method !== "tools/call") return NONE;
    const { name } = (request.params ?? {}) as { readonly name?: unknown };
    if (typeof name !== "string") return NONE;
    const tools = this.#toolsFor(server, revision, extra);
    return tools instanceof Promise
      ? tools.then((known) => known.get(name) ?? NONE)
      : (tools.get(name) ?? NONE);
  }

  #toolsFor(
    server: Asked,
    revision: Revision,
    extra: Authenticated,
  ): ByTool | Promise<ByTool> {
    const key = `${revision.version} ${extra.principal ?? ""}`;
    const known = this.#known.get(key);
    const now = Date.now();
    if (known !== undefined && now < known.until) return known.tools;
    const asked = listTools(server, revision, extra);
    this.#remember(key, now, asked);
    asked.then(
      (tools) => {
        this.#remember(key, now, tools);
      },
      () => this.#known.delete(key),
    );
    return asked;
  }

  #remember(key: string, now: number, tools: ByTool | Promise<ByTool>): void {
    // The map keeps its order, so the first is the one that was asked for longest ago.
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= MAX_REMEMBERED)
      this.#known.delete(oldest);
    this.#known.set(key, { until: now + FRESH, tools });
  }
}

const NONE: readonly HeaderParam[] = [];

async function listTools(
  server: Asked,
  revision: Revision,
  extra: Authenticated,
): Promise<ByTool> {
  const tools = new Map<string, readonly HeaderParam[]>();
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const listed = await new Question(server, revision, extra).ask(
      "tools/list",
      cursor === undefined ? {} : { cursor },
    );
    for (const tool of Array.isArray(listed["tools"]) ? listed["tools"] : []) {
      const { name, inputSchema } = tool as {
        readonly name: string;
        readonly inputSchema?: unknown;
      };
      const params = headerParamsOf(inputSchema);
      // A tool with wrong annotations is none that a client may call.
      if (params.success && params.value.length > 0)
        tools.set(name, params.value);
    }
    cursor = listed["nextCursor"];
    if (typeof cursor !== "string") break;
  }
  return tools;
}

/** A request that is put to the server from inside. */
class Question implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  readonly #server: Asked;
  readonly #revision: Revision;
  readonly #extra: Authenticated;
  #request: object = {};
  #answer: (message: object) => void = () => undefined;

  constructor(server: Asked, revision: Revision, extra: Authenticated) {
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
      [META.VERSION]: this.#revision.version,
      [META.CLIENT_CAPABILITIES]: {},
    };
    this.#request = {
      jsonrpc: "2.0",
      id: 0,
      method,
      params: { ...params, _meta },
    };
    const answered = new Promise<object>((resolve) => {
      this.#answer = resolve;
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
    throw new RpcError(
      code,
      `${method} failed, and with it what depends on it`,
    );
  }

  start(): Promise<void> {
    this.onmessage?.(this.#request, this.#extra);
    return Promise.resolve();
  }

  send(message: object): void {
    if (!("method" in message)) this.#answer(message);
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }
}
