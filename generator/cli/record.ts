import { Option, type Command } from 'commander';
import type { RawOptions } from '../commands/shared/options.js';
import { appendValue, extensionOption } from './shared.js';

/** Declares `mcpgen record`. */
export function declareRecord(program: Command): void {
  // Commander keeps both options under one name, so the last one would win.
  let redacts = true;
  program
    .command('record')
    .on('option:no-redact', () => {
      redacts = false;
    })
    .argument('[server...]', 'its command in quotes or after --, or its URL')
    .summary('record a conversation between a client and a server')
    .description(
      'Records what a client and a server send each other, and forwards it unchanged: as the command of a server over stdio, or as a local proxy of one over HTTP.',
    )
    .requiredOption('-o, --out <file>', 'the recording, NDJSON; an existing file is kept, a folder gets a new one')
    .option('--http <url>', 'the URL of a server over Streamable HTTP or HTTP+SSE, like [server]')
    .option('--port <port>', 'with --http: the port to listen on (default: a free one)')
    .option('--host <address>', 'with --http: the address to listen on (default: 127.0.0.1)')
    .addOption(
      new Option('--redact <pattern>', 'a regular expression of names with secret values; repeatable').argParser(
        (value, previous: readonly string[] | false | undefined) =>
          appendValue(value, previous === false ? undefined : previous),
      ),
    )
    .option('--no-redact', 'record secrets, such as authorization headers')
    .option('--inspect', 'print what breaks the protocol to standard error, at once')
    .addOption(extensionOption('with --inspect: a built-in extension that is assumed; repeatable'))
    .addOption(
      new Option('--extend <file>', 'with --inspect: the catalog of another extension; repeatable').argParser(
        appendValue,
      ),
    )
    .option('--max-frame-bytes <bytes>', 'omit longer messages from the recording (default: 64 MiB)')
    .addHelpText(
      'after',
      `
Examples:
  mcpgen record --out calls.ndjson -- node dist/index.js
  mcpgen record --out recordings/ "npx -y some-server --verbose"
  mcpgen record --out calls.ndjson --redact '^account' -- uvx some-server
  mcpgen record --out calls.ndjson --http https://example.com/mcp --port 8080

In the configuration of a host, put it in front of the server's command:
  { "command": "npx",
    "args": ["mcpgen", "record", "--out", "/path/of/recordings/",
             "--", "node", "/path/of/server.js"] }

Values of headers, members and query parameters named like authorization,
cookie, token, secret, password or api key are replaced; standard error names
them at the end. The exit code is that of the server.`,
    )
    .action(async (command: readonly string[], options: RawOptions) => {
      const [{ recordCommand }, { parseRecordOptions }] = await Promise.all([
        import('../commands/record/command.js'),
        import('../commands/record/options.js'),
      ]);
      process.exitCode = await recordCommand(
        parseRecordOptions(command, { ...options, redacts, redactPatterns: options['redact'] }),
      );
    });
}
