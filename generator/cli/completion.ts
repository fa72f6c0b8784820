import { Argument, type Command, type Option } from 'commander';
import { printLine } from '../terminal.js';
import { completionScript, SHELLS, type Shell } from './completion-scripts.js';

/**
 * Declares `mcpgen completion`, which prints a script for a shell, and the hidden `mcpgen complete`, which that script
 * calls when the Tab key is pressed.
 */
export function declareCompletion(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell that the script is for').choices(SHELLS))
    .summary('print a script that completes commands in a shell')
    .description('Prints a shell script. With it, the Tab key completes commands, options and their values.')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen completion bash >> ~/.bashrc

  # Below the line that runs compinit
  mcpgen completion zsh >> ~/.zshrc

  mcpgen completion fish > ~/.config/fish/completions/mcpgen.fish`,
    )
    .action((shell: Shell) => {
      printLine(completionScript(program.name(), shell));
    });
  program
    .command('complete', { hidden: true })
    .usage('-- [words...]')
    .argument('[words...]')
    .action(async (words: string[]) => {
      for (const { value, description } of await completeWords(program, words)) {
        printLine(description === '' ? value : `${value}\t${description}`);
      }
    });
}

/** A word that can continue a command line. */
interface Completion {
  readonly value: string;
  /** One line; may be empty. */
  readonly description: string;
}

/**
 * The completions of the last word of a command line. Empty where any text is valid, such as a file name.
 *
 * @param words - The words after the program's name; the last one is being typed and may be empty.
 */
async function completeWords(program: Command, words: readonly string[]): Promise<readonly Completion[]> {
  // Bash splits `--revision=2025-11-25` at the equals sign, which becomes a separate word.
  const typed = words.at(-1) === '=' ? [...words.slice(0, -1), ''] : words;
  const current = typed.at(-1) ?? '';
  let command = program;
  let pending: Option | undefined;
  let operands = 0;
  for (const word of typed.slice(0, -1)) {
    if (word === '=') continue;
    if (pending !== undefined) pending = undefined;
    else if (word.startsWith('-')) pending = findValueOption(command, word);
    else {
      const child = operands === 0 ? command.commands.find((item) => item.name() === word) : undefined;
      if (child === undefined) operands += 1;
      else command = child;
    }
  }
  const candidates = await candidatesFor(command, { current, pending, operands });
  return candidates.filter(({ value }) => value.startsWith(current));
}

/** The option that `word` names, if the next word is its value. */
function findValueOption(command: Command, word: string): Option | undefined {
  const option = command.options.find(({ long, short }) => long === word || short === word);
  return option !== undefined && !option.isBoolean() ? option : undefined;
}

interface Position {
  readonly current: string;
  /** The option whose value is being typed. */
  readonly pending: Option | undefined;
  /** Number of arguments before the word that is being typed. */
  readonly operands: number;
}

async function candidatesFor(command: Command, position: Position): Promise<readonly Completion[]> {
  const { current, pending, operands } = position;
  if (pending !== undefined) {
    return pending.long === '--revision' ? revisionNames() : (pending.argChoices ?? []).map(withoutDescription);
  }
  const help = command.createHelp();
  if (current.startsWith('-')) {
    return help
      .visibleOptions(command)
      .map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));
  }
  if (command.commands.length > 0) {
    if (operands > 0) return [];
    return help
      .visibleCommands(command)
      .map((child) => ({ value: child.name(), description: child.summary() || child.description() }));
  }
  const declared = command.registeredArguments;
  const argument = declared[operands] ?? declared.find((item) => item.variadic);
  if (argument === undefined) return [];
  const source = ARGUMENT_VALUES[`${command.name()} ${argument.name()}`];
  return source === undefined ? (argument.argChoices ?? []).map(withoutDescription) : source();
}

const withoutDescription = (value: string): Completion => ({ value, description: '' });

/** Values of arguments that are known only to the built-in schemas, by command and argument. */
const ARGUMENT_VALUES: Readonly<Record<string, () => Promise<readonly Completion[]>>> = {
  'diff old': revisionNames,
  'diff new': revisionNames,
  'revision revision': revisionNames,
  'explain name': methodNames,
  'handler methods': methodNames,
};

async function revisionNames(): Promise<readonly Completion[]> {
  const { builtinRevisions } = await import('../read/builtin/revisions.js');
  return builtinRevisions().map(({ revision, status }) => ({ value: revision, description: status }));
}

async function methodNames(): Promise<readonly Completion[]> {
  const { builtinCatalogs } = await import('../read/builtin/revisions.js');
  const names = new Set(builtinCatalogs().flatMap(({ methods }) => methods.map(({ method }) => method)));
  return [...names].sort().map(withoutDescription);
}
