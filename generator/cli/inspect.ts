import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { addExtensionOptions, failOnOption, ignoreRuleOption, refuseExtraArguments, revisionOption } from './shared.js';

/** Declares `mcpgen inspect`. */
export function declareInspect(program: Command): void {
  const command = refuseExtraArguments(program.command('inspect'), 1, () => 'one file at a time')
    .argument('[file]', 'a recording or a log; - for standard input')
    .summary('find what breaks the protocol in a recording or a log')
    .description(
      'Checks each message of a recorded conversation against the negotiated revision, and prints what breaks the protocol, latencies, errors and unanswered requests. Exits with 1 if there are violations.',
    )
    .option('--json', 'print JSON')
    .option('--markdown', 'print Markdown')
    .option('--sarif <file>', 'write SARIF, for code scanning; - for standard output')
    .option('--html <file>', 'write a page with the sequence of messages; - for standard output')
    .option('--follow', 'read the file as it grows, until Ctrl+C')
    .option('--all', 'print all findings, not the first of each rule')
    .option('--frame <number>', 'print one entry')
    .addOption(ignoreRuleOption())
    .addOption(revisionOption('the revision, if no message names one'))
    .addOption(failOnOption())
    .option('--rules', 'print all rules and exit');
  addExtensionOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  # Record a server, and see what was wrong
  mcpgen record --out session.ndjson -- node dist/index.js
  mcpgen inspect session.ndjson

  # A log of Claude Desktop, as a page
  mcpgen inspect ~/Library/Logs/Claude/mcp-server-demo.log --html demo.html

  # Watch a conversation
  mcpgen inspect session.ndjson --follow

It reads recordings of mcpgen record, JSON lines with messages, and logs of
Claude Desktop and Visual Studio Code.`,
    )
    .action(async (file: string | undefined, options: RawOptions) => {
      const [{ inspectCommand }, { parseInspectOptions }] = await Promise.all([
        import('../commands/inspect/command.js'),
        import('../commands/inspect/options.js'),
      ]);
      process.exitCode = await inspectCommand(file, parseInspectOptions(options));
    });
}
