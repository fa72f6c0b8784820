import { Command, Help } from 'commander';
import { packageVersion } from '../read/files.js';
import type { Diagnostic } from '../errors.js';
import { printError } from '../terminal.js';
import { closestMatch } from '../text.js';
import { declareAdd } from './add.js';
import { declareRemove } from './remove.js';
import { declareCatalog } from './catalog.js';
import { declareCheckServer } from './check-server.js';
import { declareCompletion } from './completion.js';
import { declareDiff } from './diff.js';
import { declareDrift } from './drift.js';
import { declareErrata } from './errata.js';
import { declareExplain } from './explain.js';
import { declareGenerate } from './generate.js';
import { declareInit } from './init.js';
import { declareInspect } from './inspect.js';
import { declareMethods } from './methods.js';
import { declareRecord } from './record.js';
import { declareReplay } from './replay.js';
import { declareServers } from './servers.js';
import { declareSync } from './sync.js';
import { declareTypes } from './types.js';
import { declareVectors } from './vectors.js';

/** Declares each command, in the order in which `--help` lists them. */
const COMMANDS: readonly ((program: Command) => void)[] = [
  declareInit,
  declareAdd,
  declareRemove,
  declareGenerate,
  declareTypes,
  declareServers,
  declareRecord,
  declareCheckServer,
  declareInspect,
  declareReplay,
  declareMethods,
  declareExplain,
  declareErrata,
  declareDiff,
  declareDrift,
  declareVectors,
  declareSync,
  declareCatalog,
];

/** A description of commander, without quotes in its last parentheses. */
function withoutQuotes(description: string): string {
  return description.replace(/\((?:choices|default): .*\)$/, (notes) => notes.replaceAll('"', ''));
}

/** How commander words what is wrong with the value of an option; the first group is its flags. */
const MISSING_VALUE = /^option '(.*)' argument missing$/;
const MISSING_OPTION = /^required option '(.*)' not specified$/;
const INVALID_VALUE = /^option '(.*?)' argument '([^]*)' is invalid\. Allowed choices are (.*)\.$/;

/** An error of commander in the form of all others, with one hint. */
function usageError(text: string, command: string): Diagnostic {
  // Commander writes `error: MESSAGE` and then `(Did you mean WORD?)`.
  const [, message = '', suggestion] = /^error: ([^]*?)(?:\n\((.*)\))?\n*$/.exec(text) ?? [undefined, text];
  // Of `-o, --out <dir>`, the long form.
  const longForm = (flags: string): string => flags.replace(/^-\w, /, '');
  const [, missing] = MISSING_VALUE.exec(message) ?? MISSING_OPTION.exec(message) ?? [];
  if (missing !== undefined) {
    const flag = longForm(missing);
    return {
      place: flag.split(' ')[0],
      message: MISSING_OPTION.test(message) ? 'the option is required' : 'its value is missing',
      remedy: `Pass ${flag}.`,
    };
  }
  const [, flags, value = '', choices = ''] = INVALID_VALUE.exec(message) ?? [];
  if (flags !== undefined) {
    const near = closestMatch(value, choices.split(', '));
    return {
      place: longForm(flags).split(' ')[0],
      message: `there is no choice ${JSON.stringify(value)}`,
      remedy: `${near === undefined ? '' : `Did you mean ${near}? `}Allowed choices are ${choices}.`,
    };
  }
  return { message, remedy: suggestion ?? `Run ${command} --help for usage.` };
}

/** Has a command print its errors, with its own name in the hint. */
function printUsageErrors(command: Command, words: string): void {
  command.configureOutput({
    outputError: (text) => {
      printError(usageError(text, words));
    },
  });
}

/** The whole command line. */
export function buildProgram(): Command {
  const program = new Command('mcpgen')
    .description("Generates TypeScript from the Model Context Protocol's JSON Schema, and tests what speaks it.")
    .version(packageVersion(), '-v, --version', 'print the version')
    // `vectors` and `vectors run` both have --revision.
    .enablePositionalOptions()
    .exitOverride()
    // Commander quotes choices and defaults, which are typed without quotes.
    .configureHelp({
      optionDescription: (option) => withoutQuotes(new Help().optionDescription(option)),
      argumentDescription: (argument) => withoutQuotes(new Help().argumentDescription(argument)),
    })
    // Each command rejects them itself, with a better hint.
    .allowExcessArguments()
    .addHelpText(
      'after',
      `
Examples:
  # Create a server with tests
  mcpgen init server demo

  # Generate one revision; in CI, fail if a file is out of date
  mcpgen generate --revision 2025-11-25 --out src/mcp
  mcpgen generate --revision 2025-11-25 --out src/mcp --check

  # Print who sends what, and one method with an example
  mcpgen methods --revision 2026-07-28
  mcpgen explain tools/call

  # Print what a new revision breaks
  mcpgen diff 2025-11-25 2026-07-28 --breaking

Exit codes: 0 done, 1 the check failed, 2 wrong usage or input.`,
    );
  for (const declare of COMMANDS) declare(program);
  declareCompletion(program);

  // Commander copies settings only to commands that are declared later.
  const inherit = (command: Command, words: string): void => {
    for (const child of command.commands) {
      const own = `${words} ${child.name()}`;
      child.copyInheritedSettings(command);
      printUsageErrors(child, own);
      inherit(child, own);
    }
  };
  printUsageErrors(program, program.name());
  inherit(program, program.name());
  return program;
}
