/** Several servers in one program. */
import type { ToolClient } from "./client/tool-calls.js";
import type { ServerConfig } from "./clients/config.js";
import { expandVariables } from "./clients/variables.js";
import { flatPrefix, flatToolName } from "./clients/tool-names.js";
import { abortable } from "./jsonrpc/abort.js";
import type { CallOptions } from "./jsonrpc/endpoint.js";
import { ConnectionClosedError } from "./jsonrpc/call-errors.js";
import { CallError } from "./jsonrpc/error-codes.js";
import type { Transport } from "./jsonrpc/transport.js";

export type {
  CustomServerConfig,
  HttpServerConfig,
  ServerConfig,
  StdioServerConfig,
} from "./clients/config.js";

/** A client as {@link ServerClients} uses it; the generated `Client` is one. */
export interface ManagedClient extends ToolClient<CallOptions, object> {
  readonly server: { readonly capabilities: object };
  readonly closed: Promise<void>;
  connect(transport: Transport): Promise<void>;
  listAllTools(
    params?: object,
    options?: CallOptions,
  ): AsyncIterable<FlatTool["tool"]>;
  close(): Promise<void>;
}

/** How to reach the servers. */
export interface ClientsOptions<Config extends object> {
  /** How to reach each server, by its name; a server without an entry cannot be used. */
  readonly config: Config;
  /**
   * Values of `${NAME}`, `${NAME:-default}` and `${env:NAME}` in the config, such as `process.env`. Without them the
   * config is used as it is.
   */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
}

/** What is generated for a server. */
export interface ServerDefinition {
  /** Its tools as methods. */
  readonly tools: (client: ToolClient<CallOptions, never>) => object;
  /** Undefined for a config of another kind. */
  readonly connect: (config: ServerConfig) => Transport | undefined;
}

/** A tool in a flat list of the tools of several servers, in the form that model APIs accept. */
export interface FlatTool {
  /** Unique in the list: `server__tool`, at most 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly name: string;
  readonly description: string | undefined;
  /** The JSON Schema of the arguments. */
  readonly inputSchema: object;
  /** The server, by its name in the config. */
  readonly server: string;
  /** The tool as the server lists it. */
  readonly tool: {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: object;
  };
}

/** The tools of all servers that responded. */
export interface FlatToolList {
  readonly tools: readonly FlatTool[];
  /** Why a server has no tools in the list, by its name. */
  readonly errors: ReadonlyMap<string, unknown>;
}

/** A name that is not in the flat list, such as one that a model invented. Nothing was sent. */
export class UnknownToolError extends CallError {
  override readonly name = "UnknownToolError";
  readonly mayHaveRun = false;
  readonly tool: string;

  constructor(tool: string) {
    super(`no server has a tool ${JSON.stringify(tool.slice(0, 100))}`);
    this.tool = tool;
  }
}

/** A client with its connection. */
interface OpenConnection<Client> {
  readonly client: Client;
  readonly connected: Promise<void>;
}

/**
 * Clients of several servers. Each connects when it is first used, and again when it is used after its connection has
 * ended.
 *
 * A server has at most one connection at a time, and none after {@link close}.
 */
export class ServerClients<
  Tools extends object,
  Client extends ManagedClient,
  Result extends object = Awaited<ReturnType<Client["callTool"]>>,
> {
  /** The tools of each server as methods, by the server's name in the config. */
  readonly servers: Tools;
  readonly #config: Readonly<Record<string, ServerConfig | undefined>>;
  readonly #variables: ClientsOptions<object>["variables"];
  readonly #definitions: Readonly<Record<string, ServerDefinition>>;
  readonly #createClient: () => Client;
  readonly #connections = new Map<string, OpenConnection<Client>>();
  /** The tools of the newest list, by their flat names. */
  #flat: ReadonlyMap<string, FlatTool> | undefined;
  #isClosed = false;

  /**
   * @param definitions - What is generated for each server.
   * @param createClient - Creates a client, for one connection.
   * @throws TypeError if the config is not an object, such as a missing member of a file.
   */
  constructor(
    { config, variables }: ClientsOptions<object>,
    definitions: Readonly<Record<string, ServerDefinition>>,
    createClient: () => Client,
  ) {
    if (!isObject(config)) throw new TypeError("config is not an object");
    this.#config = config as Readonly<Record<string, ServerConfig | undefined>>;
    this.#variables = variables;
    this.#definitions = definitions;
    this.#createClient = createClient;
    this.servers = Object.fromEntries(
      Object.entries(definitions).map(([name, { tools }]) => [
        name,
        tools(this.#lazyClient(name)),
      ]),
    ) as Tools;
  }

  /**
   * The connected client of a server, for everything but its tools: resources, prompts, subscriptions.
   *
   * @throws TypeError if the config has no such server, or a variable is not set; any error of connecting.
   */
  async client(name: keyof Tools & string): Promise<Client> {
    if (this.#isClosed)
      throw new ConnectionClosedError("the clients are closed", {
        mayHaveRun: false,
      });
    let connection = this.#connections.get(name);
    if (connection === undefined) {
      connection = this.#open(name);
      this.#connections.set(name, connection);
      const { client, connected } = connection;
      const forget = (): void => {
        if (this.#connections.get(name)?.client === client)
          this.#connections.delete(name);
      };
      connected.then(() => client.closed.then(forget), forget);
    }
    await connection.connected;
    return connection.client;
  }

  /**
   * The tools of all servers in the config, in one list with prefixed names. A server that does not respond is in
   * `errors`, and the others are listed.
   */
  async listTools(options?: CallOptions): Promise<FlatToolList> {
    const names = Object.keys(this.#definitions).filter(
      (name) => ownMember(this.#config, name) !== undefined,
    );
    const lists = await Promise.allSettled(
      names.map((name) => this.#toolsOf(name, options)),
    );
    const flat = new Map<string, FlatTool>();
    const errors = new Map<string, unknown>();
    for (const [index, server] of names.entries()) {
      const list = lists[index];
      if (list?.status === "rejected") errors.set(server, list.reason);
      if (list?.status !== "fulfilled") continue;
      for (const tool of list.value) {
        const name = flatToolName(server, tool.name, (other) =>
          flat.has(other),
        );
        const { description, inputSchema } = tool;
        flat.set(name, { name, description, inputSchema, server, tool });
      }
    }
    this.#flat = flat;
    return { tools: [...flat.values()], errors };
  }

  /**
   * Calls a tool by its name in the flat list. The server validates the arguments.
   *
   * @throws {@link UnknownToolError}; any error of connecting, listing and of the client.
   */
  async callTool(
    name: string,
    args: Record<string, unknown> = {},
    options?: CallOptions,
  ): Promise<Result> {
    let found = this.#flat?.get(name);
    if (found === undefined) {
      const { errors } = await this.listTools(options);
      found = this.#flat?.get(name);
      if (found === undefined) {
        for (const [server, error] of errors)
          if (name.startsWith(flatPrefix(server))) throw error;
        throw new UnknownToolError(name);
      }
    }
    return this.#lazyClient(found.server).callTool(
      { name: found.tool.name, arguments: args },
      options,
    );
  }

  /** Closes all connections. Pending calls are rejected with a `ConnectionClosedError`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connections = [...this.#connections.values()];
    this.#connections.clear();
    await Promise.allSettled(connections.map(({ client }) => client.close()));
  }

  #open(name: string): OpenConnection<Client> {
    const config = ownMember(this.#config, name);
    const definition = ownMember(this.#definitions, name);
    if (config === undefined || definition === undefined)
      throw new TypeError(`the config has no server ${JSON.stringify(name)}`);
    if (!isObject(config))
      throw new TypeError(
        `the config of ${JSON.stringify(name)} is not an object`,
      );
    const expanded =
      "transport" in config || this.#variables === undefined
        ? config
        : expandVariables(config, name, this.#variables);
    const transport =
      "transport" in expanded
        ? expanded.transport()
        : definition.connect(expanded);
    if (transport === undefined)
      throw new TypeError(
        `the config of ${JSON.stringify(name)} is of another kind than when its types were generated; use { transport: () => ... }, or generate them again`,
      );
    const client = this.#createClient();
    return { client, connected: client.connect(transport) };
  }

  /** A client that connects when it is first used. */
  #lazyClient(name: string): ToolClient<CallOptions, never> {
    return {
      callTool: async (params, options) => {
        const client = await abortable(
          this.client(name as keyof Tools & string),
          options?.signal,
        );
        return (await client.callTool(params, options)) as never;
      },
    };
  }

  async #toolsOf(
    name: string,
    options: CallOptions | undefined,
  ): Promise<readonly FlatTool["tool"][]> {
    const client = await abortable(
      this.client(name as keyof Tools & string),
      options?.signal,
    );
    if (!("tools" in client.server.capabilities)) return [];
    const tools: FlatTool["tool"][] = [];
    // Other options are for the call that needs the list.
    const { signal, timeout, maxTimeout } = options ?? {};
    const own = { signal, timeout, maxTimeout };
    for await (const tool of client.listAllTools({}, own)) tools.push(tool);
    return tools;
  }
}

/** Configs are read from files, so types do not say what they are. */
function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** A member of an object, but not one that it inherits: the names of servers are not ours. */
function ownMember<Value>(
  object: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
