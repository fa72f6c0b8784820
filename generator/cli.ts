#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { EMITTABLE } from './emit/index.js';
import { McpgenError } from './errors.js';
import { packageFile, readText } from './read/files.js';
import { note, noteColour, progress } from './terminal.js';
import { shellQuoted } from './text.js';

const DONE = 0;
const WRONG_INPUT = 2;
const OWN_FAULT = 70;

const collect = (value: string, earlier: readonly string[] | undefined): string[] => [...(earlier ?? []), value];

function version(): string {
  return (JSON.parse(readText(packageFile())) as { version: string }).version;
}

function revisionOption(text: string): Option {
  return new Option('-r, --revision <revision>', text);
}

/**
 * Lets a command that takes fewer words say which option a word was probably meant for.
 *
 * @param takes - How many words the command does take.
 * @param hint - What to write instead of a word.
 */
function refuseWords(command: Command, takes: number, hint: (word: string) => string): Command {
  return command.hook('preAction', (_, { args }) => {
    const word = args[takes];
    if (word === undefined) return;
    throw new McpgenError(`too many arguments: ${JSON.stringify(word)}`, {
      remedy: `Did you mean ${hint(shellQuoted(word))}?`,
    });
  });
}

const revisionOr =
  (otherwise: (word: string) => string) =>
  (word: string): string =>
    /^\d{4}-\d{2}-\d{2}$/.test(word) ? `--revision ${word}` : otherwise(word);

function buildProgram(): Command {
  const program = new Command('mcpgen')
    .description("Generates TypeScript from the Model Context Protocol's JSON Schema and a method catalog.")
    .version(version(), '-v, --version', 'print the version')
    .showHelpAfterError('(mcpgen --help shows what there is)')
    .exitOverride()
    // Refused by each command, which can say more than that there are too many.
    .allowExcessArguments()
    .addHelpText(
      'after',
      `
Examples:
  mcpgen generate --out src/generated                      all released revisions
  mcpgen generate --revision 2025-11-25 --out src/mcp      one of them
  mcpgen generate --revision 2025-11-25 --out src/mcp --check    in CI: exit 1 if a file is out of date
  mcpgen methods --revision 2026-07-28                     who sends what
  mcpgen explain tools/call                                one method, with an example

Exit codes: 0 done, 1 the check failed, 2 wrong usage or input.`,
    );

  refuseWords(
    program.command('generate'),
    0,
    revisionOr((word) => (word.endsWith('.json') ? `--schema ${word}` : `--out ${word}`)),
  )
    .summary('write typings, method constants, message unions, guards and validators')
    .description(
      'Writes typings, method constants, message unions, guards, validators and error codes, a folder for each revision.',
    )
    .addOption(
      revisionOption(
        'a built-in revision, or the one that --schema is of; repeatable (default: all released)',
      ).argParser(collect),
    )
    .option('--schema <file>', 'a schema that is not built in, of either dialect; - for standard input')
    .option('--catalog <file>', 'the method catalog of --schema')
    .option('-o, --out <dir>', 'output folder; - for standard output (default: generated, or - with --schema -)')
    .addOption(
      new Option(
        '--emit <parts>',
        `what to write, with what it needs: ${EMITTABLE.join(',')} (default: all but stdio, which needs the types of Node, stubs and zod; default,stdio adds to it)`,
      ),
    )
    .option('--methods <methods>', 'with --emit stubs: the requests to write a handler of (default: all that need one)')
    .addOption(
      new Option('--import-extension <extension>', 'what stands behind the name of an imported file')
        .choices(['js', 'ts', 'none'])
        .default('js'),
    )
    .option('--check', 'write nothing; exit 1 if a file is stale, missing or left over')
    .option('--dry-run', 'write nothing; say what would be written')
    .option('--strict', 'make an error of every warning')
    .option('--no-errata', 'read the schema as it is, without corrections')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen generate                                          all released revisions into ./generated
  mcpgen generate -r 2025-06-18 -r 2025-11-25 -o src/mcp   two of them
  mcpgen generate --emit types -r 2025-11-25 -o -          only types, to standard output
  mcpgen generate -r 2025-11-25 -o src/mcp --emit stubs --methods tools/list,tools/call
                                                           a handlers.ts to fill in, never overwritten
  mcpgen generate --schema my.json --catalog my-catalog.json -o src/mine
  mcpgen generate --check -o src/mcp                       in CI

A revision names its folder and is the PROTOCOL_VERSION in it. A schema does not
hold its version: give it by --revision, or in the catalog. An official file that
is known by its SHA-256 keeps its own PROTOCOL_VERSION under any name.`,
    )
    .action(async (options: Record<string, unknown>) => {
      const { generateCommand } = await import('./commands/generate.js');
      process.exitCode = await generateCommand(options);
    });

  refuseWords(
    program.command('methods'),
    0,
    revisionOr((word) => `mcpgen explain ${word}`),
  )
    .summary('print the method catalog')
    .description('Prints every method: who sends it, what it carries, what it needs, and in which revisions it exists.')
    .addOption(revisionOption('only the methods of this revision (default: of all)'))
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
  mcpgen methods --kind notification --markdown`,
    )
    .action(async (options: Record<string, unknown>) => {
      const { methodsCommand } = await import('./commands/methods.js');
      process.exitCode = methodsCommand(options);
    });

  refuseWords(
    program.command('explain'),
    1,
    revisionOr((word) => `to run mcpgen explain ${word} by itself`),
  )
    .argument('<name>', 'a method or a definition')
    .summary('show one method or definition')
    .description('Shows one method or definition: its docs, its members as TypeScript, and an example.')
    .addOption(revisionOption('as of this revision (default: the newest that has it)'))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen explain tools/call
  mcpgen explain CallToolResult --revision 2025-06-18`,
    )
    .action(async (name: string, options: Record<string, unknown>) => {
      const { explainCommand } = await import('./commands/explain.js');
      process.exitCode = await explainCommand(name, options);
    });

  refuseWords(program.command('errata'), 0, (word) => `--revision ${word}`)
    .summary('list the corrections of the official schemas')
    .description('Lists what is corrected in the official schemas, where, and why.')
    .addOption(revisionOption('only those of this revision'))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  mcpgen errata --revision 2026-07-28')
    .action(async (options: Record<string, unknown>) => {
      const { errataCommand } = await import('./commands/errata.js');
      process.exitCode = errataCommand(options);
    });

  const catalog = program
    .command('catalog')
    .summary('work with method catalogs')
    .description('Works with method catalogs.');
  refuseWords(catalog.command('derive'), 0, (word) => `--schema ${word}`)
    .summary('derive a first catalog from a schema')
    .description(
      'Prints a first catalog for a schema. What the schema does not say is marked in each row under `undecided`.',
    )
    .requiredOption('--schema <file>', 'the schema; - for standard input')
    .addOption(revisionOption('the revision to put into the catalog'))
    .option('--protocol <name>', 'the name of the protocol to put into the catalog')
    .addHelpText(
      'after',
      '\nExample:\n  mcpgen catalog derive --schema draft.json --revision draft > draft-catalog.json',
    )
    .action(async (options: Record<string, unknown>) => {
      const { deriveCommand } = await import('./commands/catalog.js');
      process.exitCode = deriveCommand(options);
    });

  // Settings of the program do not reach subcommands by themselves once they exist.
  const inherit = (command: Command, words: string): void => {
    for (const child of command.commands) {
      const own = `${words} ${child.name()}`;
      child.copyInheritedSettings(command).showHelpAfterError(`(${own} --help shows what there is)`);
      inherit(child, own);
    }
  };
  inherit(program, program.name());
  return program;
}

async function main(): Promise<void> {
  // A reader that has seen enough, such as `head`, closes the pipe: that is no fault.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? DONE);
      // The stream itself is what failed, so it cannot say so.
      if (stream === process.stdout) {
        writeSync(2, `error: standard output: cannot be written (${error.code ?? error.message})\n`);
      }
      process.exit(WRONG_INPUT);
    });
  }
  try {
    await buildProgram().parseAsync();
  } catch (error) {
    progress('');
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? DONE : WRONG_INPUT;
      return;
    }
    if (error instanceof McpgenError) {
      note(`${noteColour.red('error')}: ${error.format()}`);
      process.exitCode = WRONG_INPUT;
      return;
    }
    // Not 1, which says that a check failed.
    note(`${noteColour.red('error')}: this is a fault of mcpgen itself; please report it`);
    note(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = OWN_FAULT;
  }
}

await main();
