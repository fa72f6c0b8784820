import { Option, type Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { addExtensionOptions, appendValue, parseRevisionOr, refuseExtraArguments, revisionOption } from './shared.js';
import { declareVectorsRun } from './vectors-run.js';

/** Declares `mcpgen vectors` and `mcpgen vectors run`. */
export function declareVectors(program: Command): void {
  const vectors = refuseExtraArguments(
    program.command('vectors'),
    0,
    parseRevisionOr((word) => `--out ${word}`),
  )
    .summary('write test vectors for an SDK in any language')
    .description(
      'Writes JSON files with which an SDK in any language can test itself: valid and invalid values of each definition, messages of each method, bytes of streams, and conversations.',
    )
    .addOption(revisionOption('a revision; repeatable (default: all released)').argParser(appendValue));
  addExtensionOptions(vectors)
    .addOption(new Option('--schema <file>', 'a schema that is not built in; needs --catalog'))
    .addOption(new Option('--catalog <file>', 'the catalog of the schema'))
    .option('-o, --out <dir>', 'output folder; each revision has a folder below it (default: vectors)')
    .option('--check', 'write nothing; exit 1 if a file is stale, missing or orphaned')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  # Write the vectors of a revision into vectors/2025-11-25/
  mcpgen vectors --revision 2025-11-25

  # In CI, fail if they are out of date
  mcpgen vectors --revision 2025-11-25 --check

  # Write those of two revisions
  mcpgen vectors -r 2025-11-25 -r 2026-07-28 --out test/vectors

  # Include the messages of an extension
  mcpgen vectors -r 2026-07-28 --extension io.modelcontextprotocol/tasks

Exit codes: 0 done, 1 the check failed, 2 wrong usage or input.`,
    )
    .action(async (options: RawOptions) => {
      const [{ vectorsCommand }, { parseVectorsOptions }] = await Promise.all([
        import('../commands/vectors/command.js'),
        import('../commands/vectors/options.js'),
      ]);
      process.exitCode = await vectorsCommand(parseVectorsOptions(options));
    });
  declareVectorsRun(vectors);
}
