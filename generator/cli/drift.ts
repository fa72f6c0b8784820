import type { Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { appendValue, refuseExtraArguments, revisionOption, parseRevisionOr } from './shared.js';

/** Declares `mcpgen drift`. */
export function declareDrift(program: Command): void {
  refuseExtraArguments(
    program.command('drift'),
    0,
    parseRevisionOr((word) => `--sdk ${word}`),
  )
    .summary("compare a package's types with a revision")
    .description(
      "Compares the types that a TypeScript package exports with those of a revision, using TypeScript's type checker.",
    )
    .option('--sdk <package>', 'a package, a subpath of one, or the path of a .ts or .d.ts file or of a folder')
    .option('--zod <module>', 'a module whose schemas are compared by test vectors: Zod or any Standard Schema')
    .addOption(revisionOption("the revision to compare with (default: the package's LATEST_PROTOCOL_VERSION)"))
    .option('--name <ours=theirs>', "their name of a definition; repeatable, '*=Mcp*' for all", appendValue)
    .option('--ignore <pattern>', 'a definition or path to leave out, * for any text; repeatable', appendValue)
    .option('--exact', 'report every difference, including those that errata explain')
    .option('--json', 'print JSON')
    .option('--markdown', 'print Markdown, for an issue or the summary of a CI run')
    .option('--config <file>', 'the config to use (default: the nearest mcpgen.config.json, .js or .ts, upwards)')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen drift --sdk @modelcontextprotocol/sdk/types.js --revision 2025-11-25
  mcpgen drift --zod @modelcontextprotocol/sdk/types.js -r 2025-11-25
  mcpgen drift --sdk ./src/protocol.ts -r 2025-06-18 --ignore 'Task*'
  mcpgen drift --sdk my-sdk --name CallToolResult=ToolResult --name '*=Mcp*'

Each finding has its place, their type and ours:
  narrower    theirs rejects what the protocol allows
  wider       theirs allows what the protocol does not
  different   neither type includes the other
  missing     the protocol has it, theirs does not
  extra       theirs has it, the protocol does not
  any         their type is any, so nothing is checked there

Put recurring names and patterns in the config:
  { "drift": {
      "names": { "CallToolResult": "ToolResult" },
      "ignore": ["Task*", "Tool.inputSchema"] } }

Exit codes: 0 no drift, 1 drift, 2 wrong usage, or the package is not installed.`,
    )
    .action(async (options: RawOptions) => {
      const { driftCommand, parseDriftOptions } = await import('../commands/drift.js');
      process.exitCode = await driftCommand(parseDriftOptions(options));
    });
}
