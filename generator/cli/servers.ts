import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { McpgenError } from '../errors.js';
import { shellQuote } from '../text.js';
import {
  addConnectOptions,
  addMcpConfigOptions,
  appendValue,
  revisionOption,
  SERVER_ARGUMENT,
  wordsAfterDashes,
} from './shared.js';

/** Declares `mcpgen ls` and `mcpgen call`. */
export function declareServers(program: Command): void {
  const ls = program
    .command('ls')
    .argument('[server...]', SERVER_ARGUMENT)
    .summary("list a server's tools, resources and prompts")
    .description("Lists a server's tools with their arguments, its resources, resource templates and prompts.");
  addServerOptions(ls, '30')
    .option('--json', 'print the lists as JSON')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen ls "node dist/index.js"
  mcpgen ls -- node dist/index.js
  mcpgen ls https://example.com/mcp --bearer-env API_TOKEN
  mcpgen ls github --mcp-config .mcp.json`,
    )
    .action(async (server: readonly string[], options: RawOptions) => {
      const [{ lsCommand }, { parseLsOptions }] = await Promise.all([
        import('../commands/servers/ls.js'),
        import('../commands/servers/options.js'),
      ]);
      process.exitCode = await lsCommand(server, parseLsOptions(options));
    });

  const call = program
    .command('call')
    .usage('[options] <server> <tool>\n       mcpgen call [options] <tool> -- <command...>')
    .argument('[server]', SERVER_ARGUMENT)
    .argument('[tool]', 'name of the tool')
    .summary('call a tool of a server')
    .description('Calls a tool of a server and prints its result. Exits with 1 if the tool fails.')
    .option('--arg <argument>', 'an argument name=value, converted by its type; repeatable', appendValue)
    .option('--args <json>', 'all arguments as a JSON object; - for standard input')
    .option('-o, --out <dir>', 'folder for images, audio and files (default: a temporary one)');
  addServerOptions(call, '300')
    .option('--json', 'print the structured content as JSON, or else the result')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen call "node dist/index.js" greet --arg name=Ada
  mcpgen call greet --arg name=Ada -- node dist/index.js
  mcpgen call https://example.com/mcp search --args '{"limit": 5}' --json
  mcpgen call github get_issue --mcp-config .mcp.json --arg number=7

Arguments are checked by the tool's schema before anything is sent. Progress and
questions of the server go to standard error; outside a terminal, questions are
declined.`,
    )
    .action(async (_server: string | undefined, _tool: string | undefined, options: RawOptions, command: Command) => {
      const { server, tool } = splitCall(command.args, wordsAfterDashes(command));
      const [{ callCommand }, { parseCallOptions }] = await Promise.all([
        import('../commands/servers/call.js'),
        import('../commands/servers/options.js'),
      ]);
      process.exitCode = await callCommand(server, tool, parseCallOptions(options));
    });
}

/** The server and the tool of `mcpgen call`, whose server is before the tool, or after it and `--`. */
function splitCall(
  words: readonly string[],
  afterDashes: readonly string[] | undefined,
): { readonly server: readonly string[]; readonly tool: string } {
  const before = words.slice(0, words.length - (afterDashes?.length ?? 0));
  const [server, tool, extra] = afterDashes === undefined ? before : [undefined, ...before];
  if (extra !== undefined) {
    throw new McpgenError(`too many arguments: ${JSON.stringify(extra)}`, {
      remedy: `Did you mean --arg ${shellQuote(extra)}?`,
    });
  }
  if (tool === undefined) {
    const isServerMissing = afterDashes === undefined && server === undefined;
    throw new McpgenError(`the ${isServerMissing ? 'server and the tool are' : 'name of the tool is'} missing`, {
      remedy: 'Write mcpgen call "node dist/index.js" TOOL, or mcpgen call TOOL -- node dist/index.js.',
    });
  }
  return { server: afterDashes ?? (server === undefined ? [] : [server]), tool };
}

function addServerOptions(command: Command, timeout: string): Command {
  addMcpConfigOptions(command);
  return addConnectOptions(command)
    .addOption(revisionOption('a revision to try; repeatable (default: all released)').argParser(appendValue))
    .option('--timeout <seconds>', 'time limit for all of it', timeout);
}
