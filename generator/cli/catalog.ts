import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { refuseExtraArguments, revisionOption } from './shared.js';

/** Declares `mcpgen catalog`. */
export function declareCatalog(program: Command): void {
  const catalog = program
    .command('catalog')
    .summary('work with method catalogs')
    .description('Works with method catalogs.')
    .addHelpText('after', '\nExample:\n  mcpgen catalog derive --schema draft.json > catalog.json');
  refuseExtraArguments(catalog.command('derive'), 0, (word) => `--schema ${word}`)
    .summary('derive a first catalog from a schema')
    .description(
      'Prints a first catalog for a schema. Each row lists under `undecided` what the schema does not define.',
    )
    .requiredOption('--schema <file>', 'the schema; - for standard input')
    .addOption(revisionOption('the revision to put into the catalog'))
    .option('--protocol <name>', 'the name of the protocol to put into the catalog')
    .addHelpText('after', '\nExample:\n  mcpgen catalog derive --schema draft.json --revision draft > catalog.json')
    .action(async (options: RawOptions) => {
      const { catalogDeriveCommand, parseCatalogDeriveOptions } = await import('../commands/catalog.js');
      process.exitCode = catalogDeriveCommand(parseCatalogDeriveOptions(options));
    });
}
