import { Option, type Command } from 'commander';
import { McpgenError } from '../errors.js';
import { shellQuoted } from '../text.js';

/** For a repeatable option: all its values. */
export const collect = (value: string, earlier: readonly string[] | undefined): string[] => [...(earlier ?? []), value];

/** The option `--revision`, the same in every command. */
export function revisionOption(text: string): Option {
  return new Option('-r, --revision <revision>', text);
}

/** The option `--import-extension`, the same in every command. */
export function importExtensionOption(): Option {
  return new Option(
    '--import-extension <extension>',
    'what stands behind the name of an imported file (default: js)',
  ).choices(['js', 'ts', 'none']);
}

/** The option `--allow-outside`, the same in every command that writes to the output folder of a config. */
export function allowOutsideOption(): Option {
  return new Option('--allow-outside', 'write to the output folder of the config even if it is outside its folder');
}

/**
 * Lets a command that takes fewer words say which option a word was probably meant for.
 *
 * @param takes - How many words the command does take.
 * @param hint - What to write instead of a word.
 */
export function refuseWords(command: Command, takes: number, hint: (word: string) => string): Command {
  return command.hook('preAction', (_, { args }) => {
    const word = args[takes];
    if (word === undefined) return;
    throw new McpgenError(`too many arguments: ${JSON.stringify(word)}`, {
      remedy: `Did you mean ${hint(shellQuoted(word))}?`,
    });
  });
}

/** The hint for {@link refuseWords}: a word that looks like a revision was meant for `--revision`. */
export const revisionOr =
  (otherwise: (word: string) => string) =>
  (word: string): string =>
    /^\d{4}-\d{2}-\d{2}$/.test(word) ? `--revision ${word}` : otherwise(word);
