import { existsSync } from 'node:fs';
import path from 'node:path';
import { bestToolExample } from '../../emit/tools/example.js';
import { nameTools } from '../../emit/tools/tools.js';
import { CONNECT_FLAGS, refuseConnectOptions, resolveTarget } from '../../connect/target.js';
import { McpgenError } from '../../errors.js';
import { parseTool } from '../../model/tools.js';
import { isUrl } from '../../read/fetch.js';
import { readBytes } from '../../read/files.js';
import { isObject, type JsonValue } from '../../read/json/json.js';
import { NO_DOCS } from '../../read/builtin/docs.js';
import { createPatternCheck } from '../../read/patterns.js';
import { readRawTools, parseTools, type ToolSource } from '../../read/tools.js';
import {
  newestRevision,
  type ListedServer,
  type Selection,
  type TransportName,
} from '../../scaffold/project/selection.js';
import { printWarning } from '../../terminal.js';
import { splitCommand, displayUrl, withoutCredentials } from '../../text.js';
import { listServerTools } from '../shared/server-tools.js';
import type { InitOptions } from './options.js';

/** The file of a project that keeps its server's tools. */
export const TOOL_LIST_FILE = 'tools.json';

/** The first revision with structured content. */
const STRUCTURED_OUTPUT_SINCE = '2025-06-18';

/** Where the tools of a client's server come from. */
export interface ToolListSource {
  /** The option with its value, for messages. */
  readonly place: string;
  /** The server, and its command as the project stores it, without passwords of URLs; undefined for a file. */
  readonly server?: { readonly text: string; readonly words: readonly string[]; readonly transport: TransportName };
  readonly file?: string;
}

/**
 * The source that `--from-server` or `--tools` names.
 *
 * @throws {@link McpgenError} if both are given, or no command is in the first.
 */
export function toolListSource({ fromServer: server, tools: file, connect }: InitOptions): ToolListSource | undefined {
  if (server === undefined) refuseConnectOptions(connect, '--from-server');
  if (server === undefined) return file === undefined ? undefined : { place: `--tools ${file}`, file };
  const place = `--from-server ${server}`;
  if (file !== undefined) {
    throw new McpgenError('a server and a file cannot be combined', {
      place,
      remedy: 'Use one of --from-server and --tools.',
    });
  }
  if (isUrl(server)) return { place, server: { text: server, words: [displayUrl(server)], transport: 'http' } };
  if (/^\S+\.json$/i.test(server) || existsSync(server)) return { place, file: server };
  return {
    place,
    server: { text: server, words: (splitCommand(server) ?? []).map(withoutCredentials), transport: 'stdio' },
  };
}

/** The server that a client calls, and its tools. */
export interface ListedToolSource {
  readonly listed: ListedServer;
  readonly tools: readonly ToolSource[];
}

/**
 * Reads the tools of a client's server.
 *
 * @param folder - The folder of the project.
 * @throws {@link McpgenError} if it has none, or does not return them.
 */
export async function readToolListSource(
  origin: ToolListSource,
  selection: Selection,
  folder: string,
  { connect, trustPatterns, nullable }: Pick<InitOptions, 'connect' | 'trustPatterns' | 'nullable'>,
): Promise<ListedToolSource> {
  const { place, server, file = '' } = origin;
  if (existsSync(path.join(folder, TOOL_LIST_FILE))) {
    throw new McpgenError('the project already has a list of tools', {
      place: path.join(folder, TOOL_LIST_FILE),
      remedy: `Remove it, or update it in the project: mcpgen types tools --from-server COMMAND --save ${TOOL_LIST_FILE}.`,
    });
  }
  const revisions = selection.revisions.map(({ revision }) => revision);
  const raw =
    server === undefined
      ? readRawTools(readBytes(file), file)
      : await listServerTools(resolveTarget(server.text, { ...connect, revisions }, place));
  if (raw.length === 0) {
    throw new McpgenError('the server has no tools', {
      place,
      remedy: 'Omit the option: the client can list and call tools without it.',
    });
  }
  const list = newestRevision(selection).revision < STRUCTURED_OUTPUT_SINCE ? withoutOutputSchemas(raw) : raw;
  // Errors in the list name the file that it was read from.
  parseTools({ tools: list }, file === '' ? 'list of the server' : file);
  const tools = parseTools({ tools: list }, TOOL_LIST_FILE);
  const checkPattern = trustPatterns ? undefined : createPatternCheck();
  if (server !== undefined && withoutCredentials(server.text) !== server.text) {
    printWarning({
      place,
      message: 'the project contains the URL of the server without its password or token',
      remedy: 'Add them in src/transport.ts.',
    });
  }
  const given = ['headers', 'bearerEnv', 'env', 'envFile'] as const;
  const left = given.filter((name) => connect[name] !== undefined).map((name) => CONNECT_FLAGS[name]);
  if (left.length > 0) {
    printWarning({
      place: left.join(', '),
      message: 'the project does not contain these values, since they may be secret',
      remedy: 'Add them in src/transport.ts, from environment variables.',
    });
  }
  if (connect.login !== undefined) {
    printWarning({
      place: CONNECT_FLAGS.login,
      message: 'the project does not log in by itself',
      remedy:
        'Add an authProvider in src/transport.ts: oauthProvider of runtime/oauth-client.ts (--emit oauth-client).',
    });
  }
  return {
    tools,
    listed: {
      target: server?.words.map((word, index) => relativeToProject(folder, word, index === 0)) ?? [],
      toolList: `${JSON.stringify({ tools: list }, undefined, 2)}\n`,
      trustPatterns,
      nullable,
      example: bestToolExample(nameTools(tools.map((tool) => parseTool(tool, NO_DOCS, { checkPattern, nullable })))),
    },
  };
}

/** Older revisions have no structured content, so output schemas do not apply. */
function withoutOutputSchemas(list: readonly JsonValue[]): readonly JsonValue[] {
  const older = list.map((tool) => {
    if (!isObject(tool)) return tool;
    return Object.fromEntries(Object.entries(tool).filter(([key]) => key !== 'outputSchema'));
  });
  if (JSON.stringify(older) !== JSON.stringify(list)) {
    printWarning({
      message: `output schemas are ignored: structured content exists since ${STRUCTURED_OUTPUT_SINCE}, and no chosen revision has it`,
    });
  }
  return older;
}

/** A word of a command; if it is a path relative to the current folder, relative to the project instead. */
function relativeToProject(folder: string, word: string, isProgram: boolean): string {
  const isPath = isProgram ? /[/\\]/.test(word) : !word.startsWith('-');
  if (!isPath || path.isAbsolute(word) || /^\w+:\/\//.test(word) || !existsSync(word)) return word;
  const relative = path.relative(folder, path.resolve(word)).split(path.sep).join('/') || '.';
  return relative.startsWith('.') || path.isAbsolute(relative) ? relative : `./${relative}`;
}
