import { Option, type Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { addConnectOptions, appendValue } from './shared.js';

/** Declares `mcpgen replay`. */
export function declareReplay(program: Command): void {
  const replay = program
    .command('replay')
    .argument('<file>', 'a recording of mcpgen record, or another log of a conversation')
    .argument('[server...]', 'its command in quotes or after --, or its URL')
    .summary('replay a recording against a server, or as a server')
    .description(
      'Sends what the recorded client sent to a server, and compares the answers with the recorded ones. Exits with 1 if they differ.',
    )
    .option('--http <url>', 'the URL of a server over Streamable HTTP, like [server]')
    .addOption(
      new Option(
        '--ignore <pointer>',
        'values not to compare: /result/content/*/text, or tools/call:/result; repeatable',
      ).argParser(appendValue),
    )
    .addOption(
      new Option(
        '--match <pattern>',
        'POINTER=REGEX: a value that has to match instead of being equal; repeatable',
      ).argParser(appendValue),
    )
    .option('--exact', 'compare cursors, times, tokens and the version of the server too')
    .option('--update', 'rewrite the recording with the answers received now')
    .option('--as-server', 'answer as the recorded server, over stdio')
    .option('--port <port>', 'with --as-server: over HTTP at this port; 0 picks a free one')
    .option('--as-test <dir>', 'write a test for Vitest that makes the recorded calls')
    .option('--generated <dir>', 'with --as-test: the folder with the generated client');
  addConnectOptions(replay)
    .option('--timeout <seconds>', 'time limit for an answer, and for all that are missing', '30')
    .option('--json', 'print the differences as JSON')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen replay calls.ndjson "node dist/index.js"
  mcpgen replay calls.ndjson -- node dist/index.js
  mcpgen replay calls.ndjson --http https://example.com/mcp --bearer-env TOKEN
  mcpgen replay calls.ndjson --ignore 'tools/list:/result/tools/*/description' \\
    --match 'tools/call:/result/content/0/text=^Found \\d+' -- node server.js
  mcpgen replay calls.ndjson --as-server
  mcpgen replay calls.ndjson --as-test test -- node dist/index.js

Ids, cursors, times, tokens and the version of the server may differ, and are
sent back as the server chooses them now; the last line says how many did.

Exit codes: 0 no difference, 1 some differ, 2 wrong usage or input.`,
    )
    .action(async (file: string, server: readonly string[], options: RawOptions) => {
      const [{ replayCommand }, { parseReplayOptions }] = await Promise.all([
        import('../commands/replay/command.js'),
        import('../commands/replay/options.js'),
      ]);
      process.exitCode = await replayCommand(parseReplayOptions(file, server, options));
    });
}
