import { Option, type Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { addExtensionOptions, refuseExtraArguments, revisionOption, parseRevisionOr } from './shared.js';

/** Declares `mcpgen methods`. */
export function declareMethods(program: Command): void {
  const command = refuseExtraArguments(
    program.command('methods'),
    0,
    parseRevisionOr((word) => `mcpgen explain ${word}`),
  )
    .summary('print the method catalog')
    .description('Prints every method: who sends it, what it carries, what it needs, and in which revisions it exists.')
    .addOption(revisionOption('only the methods of this revision (default: of all)'));
  addExtensionOptions(command)
    .addOption(
      new Option('--direction <direction>', 'only this direction').choices([
        'clientToServer',
        'serverToClient',
        'both',
        'embedded',
      ]),
    )
    .addOption(new Option('--kind <kind>', 'only this kind').choices(['request', 'notification']))
    .option('--json', 'print JSON')
    .option('--markdown', 'print a Markdown table')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen methods
  mcpgen methods --revision 2025-11-25 --direction serverToClient
  mcpgen methods --kind notification --markdown
  mcpgen methods --extension io.modelcontextprotocol/tasks
  mcpgen methods --revision ui --extension io.modelcontextprotocol/ui`,
    )
    .action(async (options: RawOptions) => {
      const { methodsCommand, parseMethodsOptions } = await import('../commands/methods.js');
      process.exitCode = await methodsCommand(parseMethodsOptions(options));
    });
}
