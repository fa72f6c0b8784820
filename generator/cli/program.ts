import { Command } from 'commander';
import { packageVersion } from '../read/files.js';
import { printError, stderrColors } from '../terminal.js';
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

/** The line after each error of commander. */
function usageHint(command: string): string {
  return `${stderrColors.cyan('hint')}: Run ${command} --help for usage.`;
}

/** The whole command line. */
export function buildProgram(): Command {
  const program = new Command('mcpgen')
    .description("Generates TypeScript from the Model Context Protocol's JSON Schema, and tests what speaks it.")
    .version(packageVersion(), '-v, --version', 'print the version')
    .showHelpAfterError(usageHint('mcpgen'))
    // `vectors` and `vectors run` both have --revision.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      // Commander writes `error: MESSAGE` and then `(Did you mean WORD?)`.
      outputError: (text) => {
        const [, message = '', suggestion] = /^error: ([^]*?)(?:\n\((.*)\))?\n*$/.exec(text) ?? [undefined, text];
        printError({ message, remedy: suggestion });
      },
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
      child.copyInheritedSettings(command).showHelpAfterError(usageHint(own));
      inherit(child, own);
    }
  };
  inherit(program, program.name());
  return program;
}
