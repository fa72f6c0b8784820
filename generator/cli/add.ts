import type { Command } from 'commander';
import { ADDABLE, type Addable } from '../scaffold/addition.js';
import { refuseWords } from './shared.js';

/** Declares `mcpgen add tool`, `add resource` and `add prompt`. */
export function declareAdd(program: Command): void {
  const add = program
    .command('add')
    .summary('add a tool, resource or prompt to the project of a server')
    .description('Adds a tool, resource or prompt to a project that `mcpgen init server` wrote.');
  for (const kind of ADDABLE) declareKind(add, kind);
}

function declareKind(add: Command, kind: Addable): void {
  const command = refuseWords(add.command(kind), 1, (word) => `mcpgen add ${kind} ${word}`)
    .argument('<name>', `name of the ${kind}, as clients see it`)
    .summary(`add a ${kind}`)
    .description(
      `Writes the file of a ${kind} and its test, and adds it to the list in src/${kind}s/index.ts, where all else stays as it is.`,
    );
  if (kind === 'tool') {
    command.option('--input <file>', 'JSON Schema of its arguments; it is copied to src/tools/<name>.input.json');
  }
  if (kind === 'resource') {
    command.option('--uri <uri>', 'its address, or a template of addresses: notes://{id} (default: from its name)');
  }
  command
    .option('--config <file>', 'the config of the project (default: the nearest one, upwards)')
    .option('--dry-run', 'write nothing; say what would be written')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
${kind === 'tool' ? 'Examples' : 'Example'}:
  mcpgen add ${kind} ${kind === 'resource' ? 'notes --uri notes://{id}' : kind === 'prompt' ? 'review' : 'get-weather'}${
    kind === 'tool' ? '\n  mcpgen add tool get-weather --input weather.schema.json' : ''
  }

Run again it finds what is there and changes nothing.`,
    )
    .action(async (name: string, options: Record<string, unknown>) => {
      const { addCommand } = await import('../commands/add.js');
      process.exitCode = await addCommand(kind, name, options);
    });
}
