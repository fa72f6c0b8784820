import { existsSync } from 'node:fs';
import path from 'node:path';
import { exampleCall } from '../emit/tool-example.js';
import { nameTools } from '../emit/tools.js';
import { McpgenError } from '../errors.js';
import { readTool } from '../model/tools.js';
import { isUrl } from '../read/fetch.js';
import { readBytes } from '../read/files.js';
import { isObject, type JsonValue } from '../read/json.js';
import { NO_DOCS } from '../read/docs.js';
import { rawToolsOf, toolsOf, type ToolSource } from '../read/tools.js';
import { newestOf, type ListedServer, type Selection, type TransportName } from '../scaffold/selection.js';
import { note } from '../terminal.js';
import { commandWords, shownUrl, withoutCredentials } from '../text.js';
import { askServer } from './ask-server.js';
import { text } from './options.js';

/** The file of a project that keeps its server's tools. */
export const TOOL_LIST = 'tools.json';

/** The first revision with structured content. */
const STRUCTURED = '2025-06-18';

/** Where the tools of a client's server come from. */
export interface ToolOrigin {
  /** The flag that says so, with its value, for messages. */
  readonly place: string;
  /** The server to ask, and its words as the project keeps them, without passwords of URLs; undefined for a file. */
  readonly server?: { readonly text: string; readonly words: readonly string[]; readonly transport: TransportName };
  readonly file?: string;
}

/**
 * What `--from-server` and `--tools` say together.
 *
 * @throws {@link McpgenError} if both are given, or no command is in the first.
 */
export function toolOrigin(flags: Record<string, unknown>): ToolOrigin | undefined {
  const server = text(flags, 'fromServer');
  const file = text(flags, 'tools');
  if (server === undefined) return file === undefined ? undefined : { place: `--tools ${file}`, file };
  const place = `--from-server ${server}`;
  if (file !== undefined) {
    throw new McpgenError('a server and a file are given', { place, remedy: 'Give one of --from-server and --tools.' });
  }
  if (isUrl(server)) return { place, server: { text: server, words: [shownUrl(server)], transport: 'http' } };
  if (/^\S+\.json$/i.test(server) || existsSync(server)) return { place, file: server };
  return {
    place,
    server: { text: server, words: (commandWords(server) ?? []).map(withoutCredentials), transport: 'stdio' },
  };
}

/** A server that a client is for, and its tools. */
export interface ReadServer {
  readonly listed: ListedServer;
  readonly tools: readonly ToolSource[];
}

/**
 * Reads the tools of a client's server.
 *
 * @param folder - That of the project.
 * @throws {@link McpgenError} if there is none, or the server does not give them.
 */
export async function readServer(
  origin: ToolOrigin,
  selection: Selection,
  folder: string,
  flags: Record<string, unknown>,
): Promise<ReadServer> {
  const { place, server, file = '' } = origin;
  if (existsSync(path.join(folder, TOOL_LIST))) {
    throw new McpgenError('the project has a list of tools already', {
      place: path.join(folder, TOOL_LIST),
      remedy: `Remove it, or bring it up to date in the project: mcpgen types tools --from-server COMMAND --save ${TOOL_LIST}.`,
    });
  }
  const revisions = selection.revisions.map(({ revision }) => revision);
  const raw = server === undefined ? rawToolsOf(readBytes(file), file) : await askServer(server.text, flags, revisions);
  if (raw.length === 0) {
    throw new McpgenError('the server has no tools', {
      place,
      remedy: 'Leave it out: the client lists tools and calls them without knowing them.',
    });
  }
  const list = newestOf(selection).revision < STRUCTURED ? withoutOutput(raw) : raw;
  // What is wrong with the list is named where it was read.
  toolsOf({ tools: list }, file === '' ? 'list of the server' : file);
  const tools = toolsOf({ tools: list }, TOOL_LIST);
  if (server !== undefined && withoutCredentials(server.text) !== server.text) {
    note('the project names the server without its password or token: give those in src/transport.ts');
  }
  return {
    tools,
    listed: {
      target: server?.words.map((word, index) => seenFrom(folder, word, index === 0)) ?? [],
      toolList: `${JSON.stringify({ tools: list }, undefined, 2)}\n`,
      example: exampleCall(nameTools(tools.map((tool) => readTool(tool, NO_DOCS)))),
    },
  };
}

/** Older revisions have no structured content that an output schema could be of. */
function withoutOutput(list: readonly JsonValue[]): readonly JsonValue[] {
  const older = list.map((tool) => {
    if (!isObject(tool)) return tool;
    return Object.fromEntries(Object.entries(tool).filter(([key]) => key !== 'outputSchema'));
  });
  if (JSON.stringify(older) !== JSON.stringify(list)) {
    note(`output schemas are left out: structured content came with ${STRUCTURED}, and no revision chosen has it`);
  }
  return older;
}

/** A word of a command: a path that is relative to here is made one that is relative to the project. */
function seenFrom(folder: string, word: string, isProgram: boolean): string {
  const isPath = isProgram ? /[/\\]/.test(word) : !word.startsWith('-');
  if (!isPath || path.isAbsolute(word) || /^\w+:\/\//.test(word) || !existsSync(word)) return word;
  const relative = path.relative(folder, path.resolve(word)).split(path.sep).join('/') || '.';
  return relative.startsWith('.') || path.isAbsolute(relative) ? relative : `./${relative}`;
}
