import { readMcpConfig, requireServer, targetOf } from '../../connect/mcp-config.js';
import { resolveTarget, type ServerTarget } from '../../connect/target.js';
import { McpgenError } from '../../errors.js';
import { requireRevision } from '../../read/builtin/revisions.js';
import { booleanOption, pathsOption, stringOption, type RawOptions } from '../shared/options.js';
import {
  parseConnectOptions,
  parseMcpConfigOptions,
  refuseMcpConfigOptions,
  type McpConfigOptions,
} from '../shared/server-tools.js';
import { serverText } from '../shared/server-words.js';

/** The options of `mcpgen ls`. */
export interface LsOptions extends McpConfigOptions {
  readonly json: boolean;
}

export function parseLsOptions(raw: RawOptions): LsOptions {
  return { ...parseConnectOptions(raw), ...parseMcpConfigOptions(raw), json: booleanOption(raw, 'json') };
}

/** The options of `mcpgen call`. */
export interface CallCommandOptions extends LsOptions {
  /** The arguments as JSON; `-` for standard input. */
  readonly args: string | undefined;
  /** Single arguments, each as `name=value`. */
  readonly arg: readonly string[] | undefined;
  /** The folder for images, audio and files. */
  readonly out: string | undefined;
}

export function parseCallOptions(raw: RawOptions): CallCommandOptions {
  return {
    ...parseLsOptions(raw),
    args: stringOption(raw, 'args'),
    arg: pathsOption(raw, 'arg'),
    out: stringOption(raw, 'out'),
  };
}

/**
 * The server that a command line names: a command, a URL, or with `--mcp-config` a name.
 *
 * @throws {@link McpgenError} if there is no such server, or an option is invalid.
 */
export async function findTarget(words: readonly string[], options: McpConfigOptions): Promise<ServerTarget> {
  for (const name of options.revisions ?? []) requireRevision(name);
  refuseMcpConfigOptions(options);
  if (options.mcpConfig === undefined) {
    const server = serverText(words);
    return resolveTarget(server, options, server);
  }
  const [name, extra] = words;
  if (name === undefined || extra !== undefined) {
    throw new McpgenError(extra === undefined ? 'the name of the server is missing' : 'more than one name', {
      place: `--mcp-config ${options.mcpConfig}`,
      remedy: 'Pass the name of one server of that file.',
    });
  }
  const config = await readMcpConfig(options.mcpConfig);
  return targetOf(config, requireServer(config, name), options);
}
