import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { addConnectOptions, addMcpConfigOptions, appendValue, refuseExtraArguments, revisionOption } from './shared.js';

/** Declares `mcpgen ls` and `mcpgen call`. */
export function declareServers(program: Command): void {
  const ls = refuseExtraArguments(program.command('ls'), 1, (word) => `mcpgen ls ${word}`)
    .argument('<server>', 'the command of a server with arguments, its URL, or with --mcp-config its name')
    .summary("list a server's tools, resources and prompts")
    .description("Lists a server's tools with their arguments, its resources, resource templates and prompts.");
  addServerOptions(ls, '30')
    .option('--json', 'print the lists as JSON')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen ls "node dist/index.js"
  mcpgen ls https://example.com/mcp --bearer-env API_TOKEN
  mcpgen ls github --mcp-config .mcp.json`,
    )
    .action(async (server: string, options: RawOptions) => {
      const [{ lsCommand }, { parseLsOptions }] = await Promise.all([
        import('../commands/servers/ls.js'),
        import('../commands/servers/options.js'),
      ]);
      process.exitCode = await lsCommand(server, parseLsOptions(options));
    });

  const call = refuseExtraArguments(program.command('call'), 2, (word) => `--arg ${word}`)
    .argument('<server>', 'the command of a server with arguments, its URL, or with --mcp-config its name')
    .argument('<tool>', 'the name of the tool')
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
  mcpgen call https://example.com/mcp search --args '{"query": "weather", "limit": 5}' --json
  mcpgen call github get_issue --mcp-config .mcp.json --arg number=7

Arguments are checked by the tool's schema before anything is sent. Progress and
questions of the server go to standard error; outside a terminal, questions are
declined.`,
    )
    .action(async (server: string, tool: string, options: RawOptions) => {
      const [{ callCommand }, { parseCallOptions }] = await Promise.all([
        import('../commands/servers/call.js'),
        import('../commands/servers/options.js'),
      ]);
      process.exitCode = await callCommand(server, tool, parseCallOptions(options));
    });
}

function addServerOptions(command: Command, timeout: string): Command {
  addMcpConfigOptions(command);
  return addConnectOptions(command)
    .addOption(revisionOption('a revision to try; repeatable (default: all released)').argParser(appendValue))
    .option('--timeout <seconds>', 'time limit for all of it', timeout);
}
