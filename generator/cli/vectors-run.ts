import { Option, type Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { appendValue, failOnOption, revisionOption } from './shared.js';

/** Declares `mcpgen vectors run`. */
export function declareVectorsRun(vectors: Command): void {
  vectors
    .command('run')
    .argument('[command...]', 'the adapter, server or client, after --')
    .summary('test an implementation with vectors')
    .description(
      'Runs an adapter, a program in any language that reads one vector on each line and answers with what its implementation makes of it, and compares the answers. With --server or --client, plays conversations with a program that speaks MCP over its standard streams.',
    )
    .option('--vectors <folder>', 'a folder that mcpgen vectors has written (default: built-in vectors)')
    .addOption(revisionOption('a revision to test; repeatable (default: all)').argParser(appendValue))
    .option('--server', 'the command is a server; test it with the vectors of sessions')
    .option('--client', 'the command is a client that speaks over its own standard streams')
    .addOption(
      new Option('--kind <kind>', 'the only kind of vectors for an adapter').choices([
        'definition',
        'message',
        'framing',
      ]),
    )
    .addOption(
      new Option('--only <pattern>', 'the only names of vectors, * for any text; repeatable').argParser(appendValue),
    )
    .addOption(
      new Option('--ignore <pattern>', 'names of vectors to leave out, * for any text; repeatable').argParser(
        appendValue,
      ),
    )
    .option('--exact', 'also count failures that follow the official schema where errata correct it')
    .option('--timeout <seconds>', 'time limit for an answer', '10')
    .option('--baseline <file>', 'a file with known failures, which do not count')
    .option('--update-baseline', 'write all failures to the file of --baseline')
    .addOption(failOnOption())
    .option('--json', 'print the report as JSON')
    .option('--junit <file>', 'write JUnit XML; - for standard output')
    .option('--markdown <file>', 'write Markdown; - for standard output')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen vectors run --revision 2025-11-25 -- python3 adapter.py
  mcpgen vectors run --vectors vectors --kind definition -- ./adapter
  mcpgen vectors run --server -- node dist/index.js
  mcpgen vectors run --junit report.xml --baseline known.json -- ./adapter

Each failure has its vector and what is wrong with the answer:
  wrongly accepted     an invalid value is accepted
  wrongly rejected     a valid value is rejected
  other frames         bytes are read as other messages
  other conversation   a server or client answers something else
  no answer            nothing comes that can be read, or the program ends

Exit codes: 0 passed, 1 a vector failed, 2 wrong usage, or the program cannot
be run.`,
    )
    .action(async (command: readonly string[], options: RawOptions) => {
      const [{ vectorsRunCommand }, { parseVectorsRunOptions }] = await Promise.all([
        import('../commands/vectors/run.js'),
        import('../commands/vectors/run-options.js'),
      ]);
      process.exitCode = await vectorsRunCommand(parseVectorsRunOptions(command, options));
    });
}
