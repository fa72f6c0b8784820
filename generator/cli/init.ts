import { Option, type Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import {
  PROJECT_KINDS,
  FEATURES,
  PACKAGE_MANAGERS,
  SCHEMA_NOTATIONS,
  STORE_NAMES,
  TRANSPORT_NAMES,
  type ProjectKind,
} from '../scaffold/project/selection.js';
import {
  addConnectOptions,
  appendValue,
  nullableOption,
  refuseExtraArguments,
  revisionOption,
  trustPatternsOption,
} from './shared.js';

/** Declares `mcpgen init server` and `mcpgen init client`. */
export function declareInit(program: Command): void {
  const init = program
    .command('init')
    .summary('write a starter project: a server or a client')
    .description('Writes a starter project with examples, tests, lint and CI, and installs it.')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen init server demo
  mcpgen init client demo --yes --from-server "node ../server/dist/index.js"`,
    );
  for (const kind of PROJECT_KINDS) declareInitKind(init, kind);
}

function declareInitKind(init: Command, kind: ProjectKind): void {
  const names = FEATURES[kind].map(({ name }) => name);
  const command = refuseExtraArguments(init.command(kind), 1, (word) => `--dir ${word}`)
    .argument('[name]', 'name of the package, as npm has it: demo or @scope/demo')
    .summary(`write a ${kind} project`)
    .description(
      kind === 'server'
        ? 'Writes a server project: tools, resources and prompts, one file each.'
        : 'Writes a client project: a program that runs a server, lists its tools and calls one.',
    )
    .option('--dir <dir>', 'folder to write to (default: one with the name of the package)')
    .addOption(revisionOption('a revision to speak; repeatable (default: all released)').argParser(appendValue))
    .addOption(
      new Option('--features <features>', `comma-separated examples to start with: ${names.join(', ')}; or none`),
    );
  if (kind === 'server') {
    command
      .addOption(
        new Option('--schemas <notation>', 'how to write schemas: in JSON files, or next to each tool with a library')
          .choices(SCHEMA_NOTATIONS)
          .default('json'),
      )
      .addOption(
        new Option('--store <store>', 'sessions over HTTP: in memory, or in Redis for several instances').choices(
          STORE_NAMES,
        ),
      );
  }
  command
    .option('--transport <transports>', `transports to use: ${TRANSPORT_NAMES.join(',')}`)
    .option(
      '--runtime <runtime>',
      'none: only generated code; sdk: the transports of the official SDK 2.x below it; sdk-v1: those of 1.x',
    )
    .addOption(new Option('--package-manager <name>', 'package manager to use').choices(PACKAGE_MANAGERS))
    .option('--mcpgen <spec>', 'what the project depends on as mcpgen (default: where this one came from)')
    .option('-y, --yes', 'use defaults without prompting')
    .option('--no-install', 'install nothing')
    .option('--no-git', 'make no Git repository')
    .option('--force', 'write into a non-empty folder; existing files are kept')
    .option('--dry-run', 'write nothing; print what would be written')
    .option('--json', 'print the result as JSON');
  if (kind === 'client') {
    command
      .option(
        '--from-server <command>',
        'the server to call: its command with arguments, or its URL; each tool becomes a method',
      )
      .option('--tools <file>', 'the same from a `tools/list` response in a file')
      .option('--timeout <seconds>', 'with --from-server: time limit for listing the tools', '30');
    addConnectOptions(command, 'with --from-server: ').addOption(trustPatternsOption()).addOption(nullableOption());
  }
  command
    .addHelpText(
      'after',
      `
Examples:
  # Ask for the options
  mcpgen init ${kind} demo

  # Use the defaults
  mcpgen init ${kind} demo --yes

  # Choose some of them
  mcpgen init ${kind} demo --yes --features ${names.slice(0, 2).join(',')} --transport stdio
  mcpgen init ${kind} @acme/demo --yes --dir packages/demo --package-manager pnpm${
    kind === 'server'
      ? `

  # Write schemas next to the tools, with a library
  mcpgen init server demo --yes --schemas zod

  # Run several instances behind a load balancer, with Docker or Kubernetes
  mcpgen init server demo --yes --transport http --store redis`
      : `

  # Generate a method for each tool of a server
  mcpgen init client demo --yes --from-server "node ../server/dist/index.js"
  mcpgen init client demo --yes --from-server https://example.com/mcp`
  }

Outside a terminal, pass all options or --yes.`,
    )
    .action(async (name: string | undefined, options: RawOptions) => {
      const { initCommand, parseInitOptions } = await import('../commands/init/command.js');
      process.exitCode = await initCommand(kind, name, parseInitOptions(options));
    });
}
