import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { addExtensionOptions, refuseExtraArguments, revisionOption, parseRevisionOr } from './shared.js';

/** Declares `mcpgen explain`. */
export function declareExplain(program: Command): void {
  const command = refuseExtraArguments(
    program.command('explain'),
    1,
    parseRevisionOr((word) => `to run mcpgen explain ${word} by itself`),
  )
    .argument('<name>', 'a method or a definition')
    .summary('show one method or definition')
    .description('Shows one method or definition: its docs, its members as TypeScript, and an example.')
    .addOption(revisionOption('as of this revision (default: the newest that has it)'));
  addExtensionOptions(command)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen explain tools/call
  mcpgen explain CallToolResult --revision 2025-06-18
  mcpgen explain tasks/update --extension io.modelcontextprotocol/tasks
  mcpgen explain ui/initialize --extension io.modelcontextprotocol/ui`,
    )
    .action(async (name: string, options: RawOptions) => {
      const { explainCommand, parseExplainOptions } = await import('../commands/explain.js');
      process.exitCode = await explainCommand(name, parseExplainOptions(options));
    });
}
