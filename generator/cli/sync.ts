import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { appendValue, extensionOption, refuseExtraArguments, revisionOption, parseRevisionOr } from './shared.js';

/** Declares `mcpgen sync`. */
export function declareSync(program: Command): void {
  refuseExtraArguments(
    program.command('sync'),
    0,
    parseRevisionOr((word) => `--from ${word}`),
  )
    .summary('fetch the official schema of a revision or extension and report what changed')
    .description(
      'Fetches the official schema of a revision or an extension from a URL, a file, a checkout or a package on npm, verifies its SHA-256, converts it to canonical form, derives the catalog of a revision, and reports what changed. Writes everything or nothing.',
    )
    .addOption(
      revisionOption('the revision; repeatable (default: those of the key "sync" of the config)').argParser(
        appendValue,
      ),
    )
    .addOption(extensionOption('an extension; repeatable (default: those of the key "sync" of the config)'))
    .option(
      '--from <source>',
      'source of the schema: a URL, a file, a folder such as a checkout of the specification, or a file of a package on npm as npm:<package>/<path> (default: that of the config, or the official one)',
    )
    .option(
      '-o, --out <dir>',
      'folder of the schemas: <dir>/<revision> or <dir>/extensions/<id>, with schema.json and catalog.json',
      'schema',
    )
    .option('--prose <what>', 'keep or strip the descriptions of the schema', 'keep')
    .option('--check', 'write nothing; exit 1 if something would change or a SHA-256 does not match')
    .option('--update-pin', 'accept a new SHA-256, and write it into the config')
    .option('--timeout <seconds>', 'time limit for fetching a file', '30')
    .option('--config <file>', 'the config to use (default: the nearest mcpgen.config.json, .js or .ts, upwards)')
    .option('--json', 'print JSON')
    .option('--markdown', 'print Markdown, for a pull request')
    .addHelpText(
      'after',
      `
Examples:
  # Fetch the current draft
  mcpgen sync --revision draft

  # Read a revision from a checkout of the specification
  mcpgen sync -r 2025-11-25 --from ../specification

  # See what the current draft of an extension changes
  mcpgen sync --extension io.modelcontextprotocol/tasks --check

  # In CI, fail if a source of the config has changed
  mcpgen sync --check

  # Accept what the sources contain now
  mcpgen sync --update-pin

The SHA-256 of a revision is pinned in the config, or known if it is built in:
  { "sync": {
      "2026-07-28": { "source": "https://...", "sha256": "..." },
      "draft": { "source": "https://..." },
      "io.modelcontextprotocol/tasks": { "source": "https://..." } } }
A name that is not a date is a draft: without a pin it may change, and its
generated files are marked as a draft.
HTTPS_PROXY, HTTP_PROXY and NO_PROXY are respected.`,
    )
    .action(async (options: RawOptions) => {
      const { syncCommand, parseSyncOptions } = await import('../commands/sync/command.js');
      process.exitCode = await syncCommand(parseSyncOptions(options));
    });
}
