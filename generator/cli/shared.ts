import { Option, type Command } from 'commander';
import { FAIL_ON } from '../commands/shared/fail-on.js';
import { McpgenError } from '../errors.js';
import { shellQuote } from '../text.js';

/** Collects the values of a repeatable option. */
export const appendValue = (value: string, previous: readonly string[] | undefined): string[] => [
  ...(previous ?? []),
  value,
];

/** What `[server...]` is, the same in every command that connects to a server. */
export const SERVER_ARGUMENT = 'its command in quotes or after --, its URL, or with --mcp-config its name';

/** The option `--ignore`, the same in every command that reports rules. */
export function ignoreRuleOption(): Option {
  return new Option('--ignore <rule>', 'a rule that is not reported; repeatable').argParser(appendValue);
}

/** The option `--fail-on`, the same in every command that reports rules. */
export function failOnOption(): Option {
  return new Option('--fail-on <severity>', 'least severity that exits with 1 (default: violation)').choices(FAIL_ON);
}

/**
 * The words of a command line after `--`; undefined without it. Commander hands over all words together.
 *
 * @param command - The command that was parsed.
 */
export function wordsAfterDashes(command: Command): readonly string[] | undefined {
  // In no type of commander, but since its version 5.
  const { rawArgs } = (command.parent ?? command) as unknown as { readonly rawArgs: readonly string[] };
  const at = rawArgs.indexOf('--');
  return at === -1 ? undefined : rawArgs.slice(at + 1);
}

/** The option `--revision`, the same in every command. */
export function revisionOption(text: string): Option {
  return new Option('-r, --revision <revision>', text);
}

/** The option `--extension`, the same in every command. */
export function extensionOption(text: string): Option {
  return new Option('--extension <id>', text).argParser(appendValue);
}

/** Adds the options `--extension` and `--extend`, the same in every command that reads revisions. */
export function addExtensionOptions(command: Command): Command {
  return command
    .addOption(extensionOption('a built-in extension, such as io.modelcontextprotocol/tasks; repeatable'))
    .addOption(
      new Option('--extend <file>', 'another extension: its catalog, next to its schema; repeatable').argParser(
        appendValue,
      ),
    );
}

/** The option `--import-extension`, the same in every command. */
export function importExtensionOption(): Option {
  return new Option('--import-extension <extension>', 'extension of imported files (default: js)').choices([
    'js',
    'ts',
    'none',
  ]);
}

/** The option `--target`, the same in every command that writes code. */
export function targetOption(): Option {
  return new Option('--target <target>', 'ts, or js for .js files with .d.ts (default: ts)').choices(['ts', 'js']);
}

/** The option `--ts-nocheck`, the same in every command that writes code. */
export function tsNocheckOption(): Option {
  return new Option('--ts-nocheck', 'have compilers use the types of the files without checking the files');
}

/** The option `--allow-outside`, the same in every command that writes to the output folder of a config. */
export function allowOutsideOption(): Option {
  return new Option('--allow-outside', 'write to the output folder of the config even if it is outside its folder');
}

/** The option `--trust-patterns`, the same in every command that reads schemas of others. */
export function trustPatternsOption(): Option {
  return new Option('--trust-patterns', 'use regular expressions of schemas without a check of their running time');
}

/** The option `--additional-schema`, the same in every command that reads files with schemas of tools. */
export function additionalSchemaOption(): Option {
  return new Option(
    '--additional-schema <file>',
    'a schema that those of tools refer to by its $id; repeatable (nothing is ever fetched)',
  ).argParser(appendValue);
}

/** The option `--nullable`, the same in every command that reads schemas of tools. */
export function nullableOption(): Option {
  return new Option('--nullable', 'allow null where a schema of a tool has nullable: true of OpenAPI 3.0');
}

/**
 * Adds the options of every command that connects to a server, except `--timeout` and `--revision`.
 *
 * @param condition - When they apply: `with --from-server: `.
 */
export function addConnectOptions(command: Command, condition = ''): Command {
  return command
    .addOption(
      new Option(
        '--header <header>',
        `${condition}a header 'Name: value' for a URL; \${NAME} is an environment variable; repeatable`,
      ).argParser(appendValue),
    )
    .option('--bearer-env <name>', `${condition}the environment variable with a bearer token for a URL`)
    .addOption(
      new Option('--env <variable>', `${condition}a variable NAME=value for a command; repeatable`).argParser(
        appendValue,
      ),
    )
    .option('--env-file <file>', `${condition}a file with variables for a command`)
    .option('--ca <file>', `${condition}a certificate authority to trust in addition, in PEM format`)
    .option('--login', `${condition}log in at a URL with OAuth, in a browser; the tokens are kept`)
    .option('--client-id <id>', 'with --login: the id of a client that is registered there')
    .option('--client-secret-env <name>', 'with --client-id: the environment variable with its secret');
}

/**
 * Adds the options of every command that reads servers from the file of a host, except the name of the server.
 *
 * @param purpose - What the file is for.
 */
export function addMcpConfigOptions(
  command: Command,
  purpose = 'the file in which a host configures the server',
): Command {
  return command
    .option('--mcp-config <file>', `${purpose}: .mcp.json, mcp.json, config.toml, ...`)
    .addOption(
      new Option('--input <value>', 'with --mcp-config: id=value for ${input:id}; repeatable').argParser(appendValue),
    );
}

/** Adds the options of every command that edits a project. */
export function addProjectOptions(command: Command, dryRun = 'write nothing; print what would be written'): Command {
  return command
    .option('--config <file>', 'the config of the project (default: the nearest one, upwards)')
    .addOption(allowOutsideOption())
    .option('--dry-run', dryRun)
    .option('--json', 'print the result as JSON');
}

/**
 * Rejects extra arguments, and suggests the option that each was probably meant for.
 *
 * @param maxArguments - How many arguments the command accepts.
 * @param hint - What to write instead of a word.
 */
export function refuseExtraArguments(command: Command, maxArguments: number, hint: (word: string) => string): Command {
  return command.hook('preAction', (own, action) => {
    const word = action.args[maxArguments];
    // The arguments of a command below it are checked by that command.
    if (word === undefined || action !== own) return;
    throw new McpgenError(`too many arguments: ${JSON.stringify(word)}`, {
      remedy: `Did you mean ${hint(shellQuote(word))}?`,
    });
  });
}

/** The hint for {@link refuseExtraArguments}: a word that looks like a revision was meant for `--revision`. */
export const parseRevisionOr =
  (otherwise: (word: string) => string) =>
  (word: string): string =>
    /^\d{4}-\d{2}-\d{2}$/.test(word) ? `--revision ${word}` : otherwise(word);
