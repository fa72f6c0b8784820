import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { ADDABLE, type Addable } from '../scaffold/edit/addition.js';
import { addProjectOptions, refuseExtraArguments } from './shared.js';

/** Declares `mcpgen add tool`, `add resource` and `add prompt`. */
export function declareAdd(program: Command): void {
  const add = program
    .command('add')
    .summary('add a tool, resource, prompt, handler or revision to a project')
    .description(
      'Adds a tool, resource or prompt to a project that `mcpgen init server` wrote, or a handler or a revision to a server or client project.',
    )
    .addHelpText('after', '\nExamples:\n  mcpgen add tool get-weather\n  mcpgen add handler tasks/get');
  for (const kind of ADDABLE) declareAddKind(add, kind);
  declareHandler(add);
  declareRevision(add);
}

function declareHandler(add: Command): void {
  const command = add
    .command('handler')
    .argument('[methods...]', 'requests and notifications to handle')
    .summary('add a handler for a request or notification')
    .description(
      'Writes a file in src/handlers/ for each method, to be filled in, and registers it in src/server.ts, or in the handlers of src/client.ts. Nothing else there changes.',
    )
    .option('--to <side>', 'server or client, in a project that has both');
  addProjectOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  mcpgen add handler tasks/get tasks/result
  mcpgen add handler notifications/roots/list_changed

Without a method it lists those that have no handler yet. A handler may declare
a capability: a server with a handler of tasks/get declares tasks.`,
    )
    .action(async (methods: string[], options: RawOptions) => {
      const { addHandlerCommand, parseAddHandlerOptions } = await import('../commands/add/handler.js');
      process.exitCode = await addHandlerCommand(methods, parseAddHandlerOptions(options));
    });
}

function declareRevision(add: Command): void {
  const command = refuseExtraArguments(add.command('revision'), 1, (word) => `mcpgen add revision ${word}`)
    .argument('<revision>', 'a built-in revision')
    .summary('add a revision that a server or client speaks')
    .description(
      'Adds a revision to mcpgen.config.json, generates its code, and adds it to src/protocol.ts. If it is the newest, the project uses its types from then on. Your other files do not change.',
    );
  addProjectOptions(command)
    .addHelpText(
      'after',
      `
Example:
  mcpgen add revision 2026-07-28

It then lists the new requests and notifications of the revision.`,
    )
    .action(async (revision: string, options: RawOptions) => {
      const { addRevisionCommand, parseAddOptions } = await import('../commands/add/revision.js');
      process.exitCode = await addRevisionCommand(revision, parseAddOptions(options));
    });
}

function declareAddKind(add: Command, kind: Addable): void {
  const command = refuseExtraArguments(add.command(kind), 1, (word) => `mcpgen add ${kind} ${word}`)
    .argument('<name>', `name of the ${kind}, as clients see it`)
    .summary(`add a ${kind}`)
    .description(
      `Writes the file of a ${kind} and its test, and adds it to the list in src/${kind}s/index.ts. Nothing else there changes.`,
    );
  if (kind === 'tool') {
    command
      .option(
        '--input <file>',
        'JSON Schema of its arguments, copied to src/tools/<name>.input.json (default: a schema to fill in, with the library that the config names, or in JSON)',
      )
      .option('--output <file>', 'JSON Schema of its structured content, copied to src/tools/<name>.output.json');
  }
  if (kind === 'resource') {
    command.option('--uri <uri>', 'its URI, or a URI template: notes://{id} (default: from its name)');
  }
  addProjectOptions(command)
    .addHelpText(
      'after',
      `
${kind === 'tool' ? 'Examples' : 'Example'}:
  mcpgen add ${kind} ${kind === 'resource' ? 'notes --uri notes://{id}' : kind === 'prompt' ? 'review' : 'get-weather'}${
    kind === 'tool'
      ? '\n  mcpgen add tool get-weather --input weather.schema.json\n  mcpgen add tool forecast --input place.schema.json --output days.schema.json'
      : ''
  }

Running it again changes nothing.`,
    )
    .action(async (name: string, options: RawOptions) => {
      const { addCommand, parseAddItemOptions } = await import('../commands/add/command.js');
      process.exitCode = await addCommand(kind, name, parseAddItemOptions(options));
    });
}
