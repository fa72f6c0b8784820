import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { ADDABLE, type Addable } from '../scaffold/edit/addition.js';
import { addProjectOptions } from './shared.js';

/** Declares `mcpgen remove tool`, `remove resource` and `remove prompt`. */
export function declareRemove(program: Command): void {
  const remove = program
    .command('remove')
    .summary('remove tools, resources or prompts from a project')
    .description(
      'Removes tools, resources or prompts from a project that `mcpgen init server` wrote: undoes `mcpgen add`.',
    )
    .addHelpText('after', '\nExamples:\n  mcpgen remove tool greet\n  mcpgen remove resource about greeting');
  for (const kind of ADDABLE) declareRemoveKind(remove, kind);
}

function declareRemoveKind(remove: Command, kind: Addable): void {
  const files = kind === 'tool' ? 'its test, its schemas and their generated types' : 'and its test';
  const command = remove
    .command(kind)
    .argument('<names...>', `names of ${kind}s, as clients see them`)
    .summary(`remove ${kind}s`)
    .description(
      `Deletes the file of each ${kind}, ${files}, and takes it out of the list in src/${kind}s/index.ts. Warns of other files that import it.`,
    );
  addProjectOptions(command, 'delete nothing; print what would be deleted')
    .addHelpText(
      'after',
      `
${kind === 'prompt' ? 'Example' : 'Examples'}:
${REMOVE_EXAMPLES[kind]}`,
    )
    .action(async (names: string[], options: RawOptions) => {
      const [{ removeCommand }, { parseAddOptions }] = await Promise.all([
        import('../commands/remove/command.js'),
        import('../commands/add/options.js'),
      ]);
      process.exitCode = await removeCommand(kind, names, parseAddOptions(options));
    });
}

const REMOVE_EXAMPLES: Readonly<Record<Addable, string>> = {
  tool: '  # The example of a new server\n  mcpgen remove tool greet\n\n  # Look first at what would be deleted\n  mcpgen remove tool count shout --dry-run',
  resource: '  # The examples of a new server\n  mcpgen remove resource about greeting',
  prompt: '  # The example of a new server\n  mcpgen remove prompt introduce',
};
