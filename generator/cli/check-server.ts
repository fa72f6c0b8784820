import { Option, type Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import {
  addConnectOptions,
  addExtensionOptions,
  addMcpConfigOptions,
  appendValue,
  failOnOption,
  ignoreRuleOption,
  revisionOption,
  SERVER_ARGUMENT,
} from './shared.js';

/** Declares `mcpgen check-server`. */
export function declareCheckServer(program: Command): void {
  const command = program
    .command('check-server')
    .argument('[server...]', SERVER_ARGUMENT)
    .summary('check that a server does what the specification requires')
    .description(
      'Sends a server, in any language, what clients and attackers send, and reports where it breaks the protocol: handshakes, lists, errors, malformed input. Exits with 1 if it finds a violation.',
    )
    .option('--call', 'also call tools with readOnlyHint, read resources and get prompts')
    .addOption(new Option('--call-tool <name>', 'also call this tool; repeatable').argParser(appendValue))
    .addOption(new Option('--only <rule>', 'the only rule that is reported; repeatable').argParser(appendValue))
    .addOption(ignoreRuleOption())
    .option('--baseline <file>', 'a file with known findings, which do not count')
    .option('--update-baseline', 'write all findings to the file of --baseline')
    .addOption(failOnOption());
  addExtensionOptions(command);
  addMcpConfigOptions(command);
  addConnectOptions(command)
    .addOption(revisionOption('a revision to check; repeatable (default: all that it speaks)').argParser(appendValue))
    .option('--timeout <seconds>', 'time limit for the handshake', '30')
    .option('--json', 'print the report as JSON')
    .option('--markdown', 'print the report as Markdown')
    .option('--sarif <file>', 'write SARIF for code scanning; - for standard output')
    .option('--junit <file>', 'write JUnit XML; - for standard output')
    .option('--html <file>', 'write a page with every exchange; - for standard output')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen check-server "node dist/index.js"
  mcpgen check-server --call --html report.html -- node dist/index.js
  mcpgen check-server https://example.com/mcp --bearer-env API_TOKEN
  mcpgen check-server github --mcp-config .mcp.json --baseline known.json

No tool of the server is called without --call or --call-tool.`,
    )
    .action(async (server: readonly string[], options: RawOptions) => {
      const [{ checkServerCommand }, { parseCheckServerOptions }] = await Promise.all([
        import('../commands/check-server/command.js'),
        import('../commands/check-server/options.js'),
      ]);
      process.exitCode = await checkServerCommand(server, parseCheckServerOptions(options));
    });
}
