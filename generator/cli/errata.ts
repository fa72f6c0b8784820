import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { extensionOption, refuseExtraArguments, revisionOption } from './shared.js';

/** Declares `mcpgen errata`. */
export function declareErrata(program: Command): void {
  refuseExtraArguments(program.command('errata'), 0, (word) => `--revision ${word}`)
    .summary('list the corrections of the official schemas')
    .description('Lists what is corrected in the official schemas, where, and why.')
    .addOption(revisionOption('only those of this revision'))
    .addOption(extensionOption('those of a built-in extension too; repeatable'))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  mcpgen errata --revision 2026-07-28')
    .action(async (options: RawOptions) => {
      const { errataCommand, parseErrataOptions } = await import('../commands/errata.js');
      process.exitCode = errataCommand(parseErrataOptions(options));
    });
}
