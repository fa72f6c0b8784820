import type { HttpClientOptions } from "../http/client/options.js";
import type { Transport } from "../jsonrpc/transport.js";

/** A server that is a program, as the files of hosts describe it. */
export interface StdioServerConfig {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** A server at a URL, as the files of hosts describe it. */
export interface HttpServerConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Provides tokens for a server that needs a login. */
  readonly authProvider?: HttpClientOptions["authProvider"];
}

/** A server that is reached in a way of the program's. */
export interface CustomServerConfig {
  /** Called for each connection. */
  readonly transport: () => Transport;
}

/** How to reach a server. */
export type ServerConfig =
  StdioServerConfig | HttpServerConfig | CustomServerConfig;
