import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import {
  addConnectOptions,
  addMcpConfigOptions,
  additionalSchemaOption,
  allowOutsideOption,
  appendValue,
  importExtensionOption,
  targetOption,
  tsNocheckOption,
  nullableOption,
  refuseExtraArguments,
  revisionOption,
  trustPatternsOption,
} from './shared.js';

/** Declares `mcpgen types tools`. */
export function declareTypes(program: Command): void {
  const types = program
    .command('types')
    .summary("write types of a server's tools")
    .description("Writes types of a server's tools.")
    .addHelpText(
      'after',
      `
Examples:
  mcpgen types tools tools.json --out src/generated
  mcpgen types tools --from-server "node dist/index.js" --save tools.json`,
    );
  const command = refuseExtraArguments(types.command('tools'), 1, (word) => `--out ${word}`)
    .argument('[file]', 'a `tools/list` response as JSON: the response, its result, or the list; - for standard input')
    .summary("write types and validators of a server's tools")
    .description(
      'Writes types, guards and validators of the arguments and the structured content of tools, a file for each.',
    )
    .option('--from-server <command>', 'ask a server instead: its command with arguments, or its URL')
    .option('--server <name>', 'with --mcp-config: only this server (default: all, a folder for each)')
    .addOption(
      revisionOption('with a server: a revision to try; repeatable (default: all released)').argParser(appendValue),
    )
    .option('--timeout <seconds>', 'time limit for listing the tools', '30');
  addConnectOptions(command, 'with --from-server: ');
  addMcpConfigOptions(command, 'ask the servers of a file of a host instead');
  command
    .option('--clients', 'with --mcp-config: write clients.ts too, with createClients for all servers')
    .option('--save <file>', 'keep the list in a file, to generate from it again; for several servers, a folder')
    .option('-o, --out <dir>', 'output folder; tools/ and runtime/ below it are written; - for standard output')
    .addOption(importExtensionOption())
    .addOption(targetOption())
    .addOption(tsNocheckOption())
    .option('--config <file>', 'the config to use for out and other options (default: the nearest one, upwards)')
    .addOption(allowOutsideOption())
    .option('--check', 'write nothing; exit 1 if a file is stale, missing or orphaned')
    .option('--live-check', 'with --mcp-config: write nothing; compare what the servers list with the saved lists')
    .option('--strict', 'treat warnings as errors')
    .addOption(trustPatternsOption())
    .addOption(additionalSchemaOption())
    .addOption(nullableOption())
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  # Read a saved list; in CI, fail if a file is out of date
  mcpgen types tools tools.json --out src/generated
  mcpgen types tools tools.json --out src/generated --check

  # Start a server, list its tools and save the list
  mcpgen types tools --from-server "node dist/index.js" --save tools.json

  # Print the types of a server's tools
  mcpgen types tools --from-server https://example.com/mcp --out -

  # Pass a token or a key from an environment variable
  mcpgen types tools --from-server https://x.example --bearer-env API_TOKEN
  mcpgen types tools --from-server https://x.example --header 'X-Key: \${KEY}'
  mcpgen types tools --from-server "node server.js" --env 'KEY=\${KEY}'

  # Ask a server that knows only revisions that begin with initialize
  mcpgen types tools --from-server "node old.js" -r 2025-11-25

  # Write a folder for each server that a host configures, and check them in CI
  mcpgen types tools --mcp-config .mcp.json --out mcp --save lists
  mcpgen types tools --mcp-config .mcp.json --out mcp --save lists --check
  mcpgen types tools --mcp-config .mcp.json --out mcp --save lists --live-check

  # The same with clients that connect to all of them
  mcpgen types tools --mcp-config .mcp.json --out mcp --clients

HTTPS_PROXY, HTTP_PROXY and NO_PROXY are respected for URLs.

Keywords that neither TypeScript nor plain code can check are ignored with a
warning: the type is wider there, and accepts all that the schema accepts.`,
    )
    .action(async (file: string | undefined, options: RawOptions) => {
      const { typesToolsCommand, parseTypesToolsOptions } = await import('../commands/types-tools.js');
      process.exitCode = await typesToolsCommand(file, parseTypesToolsOptions(options));
    });
}
