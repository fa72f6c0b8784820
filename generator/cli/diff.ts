import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { addExtensionOptions, refuseExtraArguments } from './shared.js';

/** Declares `mcpgen diff`. */
export function declareDiff(program: Command): void {
  const command = refuseExtraArguments(
    program.command('diff'),
    2,
    (word) => `to compare two at a time, the second with ${word} after that`,
  )
    .argument('[old]', 'a built-in revision, a schema file, or a file in git: HEAD~1:schema/x.json')
    .argument('[new]', 'the same')
    .summary('print what changed between two revisions, and whom it breaks')
    .description(
      'Prints what changed between two revisions: methods, error codes, definitions and their members. Each change is rated for a program that still sends the old revision, and for one that still receives it.',
    )
    .option('--old-catalog <file>', 'the method catalog of <old> (default: built in, or derived from the schema)')
    .option('--new-catalog <file>', 'the method catalog of <new>');
  addExtensionOptions(command)
    .option('--breaking', 'only breaking changes')
    .option('--side <side>', 'only changes that break a client, or a server')
    .option('--code <folder>', 'the lines of your sources that no longer compile, by change')
    .option('--json', 'print JSON')
    .option('--markdown', 'print Markdown, for a pull request')
    .option('--html <file>', 'write one self-contained page; - for standard output')
    .option('--exit-code', 'exit 1 if there are breaking changes')
    .option('--no-errata', 'read the schemas as they are, without corrections')
    .option('--rules', 'print the rules by which changes are rated and exit')
    .addHelpText(
      'after',
      `
Examples:
  # Print what changed
  mcpgen diff 2025-11-25 2026-07-28

  # Write a page with the types side by side
  mcpgen diff 2025-11-25 2026-07-28 --html diff.html

  # In CI, fail if a change is breaking
  mcpgen diff HEAD~1:schema/my.json schema/my.json --exit-code

  # Print the lines of your sources that the new revision affects
  mcpgen diff 2025-11-25 2026-07-28 --code src

  # Print Markdown for a pull request
  mcpgen diff 2026-07-28 draft.json --markdown

  # Print what an extension adds to a revision
  mcpgen diff 2026-07-28 --extension io.modelcontextprotocol/tasks

  # Print what counts as breaking, and why
  mcpgen diff --rules`,
    )
    .action(async (from: string | undefined, to: string | undefined, options: RawOptions) => {
      const { diffCommand, parseDiffOptions } = await import('../commands/diff/command.js');
      process.exitCode = await diffCommand(from, to, parseDiffOptions(options));
    });
}
