/** Pages of MCP Apps: what the lists of tools and of resources know about them together. */
import type { RequestHandler } from "./types.js";

/** The identifier of the extension that clients and servers declare (MCP Apps 2026-01-26, extension identifier). */
export const APPS_EXTENSION = "io.modelcontextprotocol/ui";

/** The media type of a page (MCP Apps 2026-01-26, UI resource format). */
export const APP_MIME_TYPE = "text/html;profile=mcp-app";

// Each list has its part under a separate key, so that spreading one list's handlers after another's keeps both.
export const APP_TOOLS: unique symbol = Symbol("tools with pages");
export const APP_PAGES: unique symbol = Symbol("pages of tools");

/** A tool whose metadata is about pages. */
export interface AppTool {
  readonly name: string;
  /** The URI of its page, if it has one. */
  readonly page: string | undefined;
}

/** How a list of resources finds mistakes of pages. */
export interface AppPages {
  /** The handler that reads the resources of the list. */
  readonly read: RequestHandler;
  /** A sentence for each mistake of the tool's page. */
  readonly check: (tool: AppTool) => readonly string[];
}

type Handlers = Readonly<Record<string, RequestHandler | undefined>> & {
  readonly [APP_TOOLS]?: readonly AppTool[];
  readonly [APP_PAGES]?: AppPages;
};

/** What tools with pages mean for a server: what it declares in addition, and mistakes that hosts show as an empty frame. */
export function appsOf(handlers: Handlers): {
  readonly capabilities: object;
  readonly warnings: readonly string[];
} {
  const { [APP_TOOLS]: tools = [], [APP_PAGES]: pages } = handlers;
  if (tools.length === 0) return { capabilities: {}, warnings: [] };
  const read = handlers["resources/read"];
  const check =
    read === undefined
      ? missingPage
      : pages?.read === read
        ? pages.check
        : undefined;
  return {
    capabilities: { extensions: { [APPS_EXTENSION]: {} } },
    // Where another handler reads resources, nothing is known about them.
    warnings: check === undefined ? [] : tools.flatMap(check),
  };
}

function missingPage({ name, page }: AppTool): readonly string[] {
  return page === undefined
    ? []
    : [`tool ${name}: the server has no resources, and so no page ${page}`];
}

/** What the context of a handler knows about its client. */
interface RequestOfClient {
  readonly client: {
    readonly capabilities: {
      readonly extensions?: Readonly<Record<string, object>> | undefined;
    };
  };
}

/**
 * Whether the client of a request shows pages of tools, so that a tool can return a longer text to others. Some hosts show
 * them without declaring it.
 */
export function canShowPages({ client }: RequestOfClient): boolean {
  const declared = client.capabilities.extensions?.[APPS_EXTENSION] as
    { readonly mimeTypes?: unknown } | undefined;
  const types = declared?.mimeTypes;
  return Array.isArray(types) && types.includes(APP_MIME_TYPE);
}
