import { Option, type Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { DEFAULT_PARTS, EMITTABLE } from '../emit/parts.js';
import {
  addExtensionOptions,
  additionalSchemaOption,
  allowOutsideOption,
  appendValue,
  importExtensionOption,
  targetOption,
  tsNocheckOption,
  nullableOption,
  refuseExtraArguments,
  revisionOption,
  trustPatternsOption,
  parseRevisionOr,
} from './shared.js';

const OPT_IN_PARTS = EMITTABLE.filter((part) => !DEFAULT_PARTS.includes(part));

/** A list as lines of at most 79 characters, indented by two. */
function wrapList(words: readonly string[]): string {
  const lines = [' '];
  for (const [index, word] of words.entries()) {
    const item = index === words.length - 1 ? ` ${word}` : ` ${word},`;
    const last = lines.at(-1) ?? '';
    if (last.length + item.length > 79) lines.push(` ${item}`);
    else lines[lines.length - 1] = last + item;
  }
  return lines.join('\n');
}

/** Declares `mcpgen generate`. */
export function declareGenerate(program: Command): void {
  const command = refuseExtraArguments(
    program.command('generate'),
    0,
    parseRevisionOr((word) => (word.endsWith('.json') ? `--schema ${word}` : `--out ${word}`)),
  )
    .summary('write types, validators, clients and servers of the protocol')
    .description(
      'Writes typings, method constants, message unions, guards, validators and error codes, a folder for each revision.',
    )
    .addOption(
      revisionOption('a built-in revision, or the revision of --schema; repeatable (default: all released)').argParser(
        appendValue,
      ),
    )
    .option('--schema <file>', 'a schema that is not built in, of either dialect; - for standard input')
    .option('--catalog <file>', 'the method catalog of --schema');
  addExtensionOptions(command)
    .addOption(
      new Option('--plugin <file>', 'a plugin that writes more files: a file or a package; repeatable').argParser(
        appendValue,
      ),
    )
    .option('-o, --out <dir>', 'output folder; - for standard output (default: generated, or - with --schema -)')
    .addOption(new Option('--emit <parts>', 'parts to write, with their dependencies; listed below'))
    .option('--methods <methods>', 'with --emit stubs: the requests to write handlers for (default: all that need one)')
    .addOption(importExtensionOption())
    .addOption(targetOption())
    .addOption(tsNocheckOption())
    .option('--config <file>', 'the config to use (default: the nearest mcpgen.config.json, .js or .ts, upwards)')
    .addOption(allowOutsideOption())
    .option('--check', 'write nothing; exit 1 if a file is stale, missing or orphaned')
    .option('--dry-run', 'write nothing; print what would be written')
    .option('--watch', 'generate again whenever an input changes, until Ctrl-C')
    .option('--strict', 'treat warnings as errors')
    .addOption(trustPatternsOption())
    .addOption(additionalSchemaOption())
    .addOption(nullableOption())
    .option('--no-errata', 'read the schema as it is, without corrections')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  # Write all released revisions into ./generated
  mcpgen generate

  # Write two of them into another folder
  mcpgen generate -r 2025-06-18 -r 2025-11-25 -o src/mcp

  # In CI, fail if a file is out of date
  mcpgen generate -r 2025-06-18 -r 2025-11-25 -o src/mcp --check

  # Print only the types
  mcpgen generate --emit types -r 2025-11-25 -o -

  # Write a handlers.ts to fill in, which is never overwritten
  mcpgen generate -r 2025-11-25 -o src/mcp --emit stubs --methods tools/call

  # Add an extension to the revision that it extends
  mcpgen generate -r 2026-07-28 --extension io.modelcontextprotocol/tasks

  # Write an OpenRPC document of each revision as well
  mcpgen generate --plugin mcpgen/plugins/openrpc

  # Write JavaScript with declarations, which tsc does not check again
  mcpgen generate --target js -o mcp

  # Read a schema that is not built in
  mcpgen generate --schema my.json --catalog my-catalog.json -o src/mine

Parts for --emit. Without it, and as "default" in its list:
  ${DEFAULT_PARTS.join(', ')}
Opt-in parts. They need a package or Node's typings, belong to you, keep names
of earlier revisions as deprecated aliases, or are a part of the default ones:
"pipe" is what a gateway needs, without client and server; "json-schema"
validates by schemas that are met at run time.
${wrapList(OPT_IN_PARTS)}

Put recurring options in mcpgen.config.json (.js, .ts, or the key "mcpgen"
of package.json), for instance
  { "$schema": "./node_modules/mcpgen/schema/config.schema.json",
    "out": "src/mcp", "revisions": ["2025-11-25", "2026-07-28"] }
It is searched for from the current folder upwards. Options override it.

A revision is the name of its folder and the PROTOCOL_VERSION in it. A schema
does not contain its version: pass --revision, or set it in the catalog. An
official file, known by its SHA-256, keeps its PROTOCOL_VERSION under any name.`,
    )
    .action(async (options: RawOptions) => {
      const { generateCommand, parseGenerateOptions } = await import('../commands/generate/command.js');
      process.exitCode = await generateCommand(parseGenerateOptions(options));
    });
}
