import { resolveTarget, refuseConnectOptions, type ConnectOptions, type ServerTarget } from '../../connect/target.js';
import { McpgenError } from '../../errors.js';
import { isUrl } from '../../read/fetch.js';
import { createPatternCheck } from '../../read/patterns.js';
import { parseMatchers, type Matchers } from '../../replay/matchers.js';
import { booleanOption, pathsOption, stringOption, type RawOptions } from '../shared/options.js';
import { parseConnectOptions } from '../shared/server-tools.js';
import { commandOf, serverText } from '../shared/server-words.js';

/** What `mcpgen replay` does. */
export type ReplayAction =
  /** Plays the client's side against a server. */
  | {
      readonly kind: 'play';
      readonly target: ServerTarget;
      readonly json: boolean;
      /** Whether the recording is rewritten with what is different. */
      readonly update: boolean;
    }
  /** Is the server; over stdio without a port. */
  | { readonly kind: 'serve'; readonly port: number | undefined }
  /** Writes a test. */
  | {
      readonly kind: 'test';
      readonly folder: string;
      /** The folder with the generated client; undefined for the one of the config. */
      readonly generated: string | undefined;
      readonly server: string;
      readonly command: readonly string[];
    };

/** The options of `mcpgen replay`. */
export interface ReplayOptions {
  readonly file: string;
  readonly matchers: Matchers;
  readonly action: ReplayAction;
}

/**
 * Reads the command line of `mcpgen replay`.
 *
 * @param words - The command of the server, or its URL.
 * @throws {@link McpgenError} if options are invalid or do not belong together.
 */
export function parseReplayOptions(file: string, words: readonly string[], raw: RawOptions): ReplayOptions {
  const matchers = parseMatchers(
    {
      exact: booleanOption(raw, 'exact'),
      ignore: pathsOption(raw, 'ignore') ?? [],
      match: pathsOption(raw, 'match') ?? [],
    },
    createPatternCheck(),
  );
  return { file, matchers, action: parseAction(words, raw) };
}

function parseAction(words: readonly string[], raw: RawOptions): ReplayAction {
  const connect = parseConnectOptions(raw);
  const folder = stringOption(raw, 'asTest');
  const generated = stringOption(raw, 'generated');
  const port = stringOption(raw, 'port');
  const update = booleanOption(raw, 'update');
  if (booleanOption(raw, 'asServer')) {
    refuse(update, '--as-server', '--update');
    refuse(folder !== undefined, '--as-test', '--as-server');
    refuse(words.length > 0 || raw['http'] !== undefined, 'a server', '--as-server');
    refuse(generated !== undefined, '--generated', '--as-server');
    refuseConnectOptions(connect, 'a replay against a server');
    return { kind: 'serve', port: port === undefined ? undefined : parsePort(port) };
  }
  if (port !== undefined) throw new McpgenError('only applies to --as-server', { place: '--port', remedy: 'Omit it.' });
  const server = serverOf(words, stringOption(raw, 'http'));
  if (folder !== undefined) {
    refuse(booleanOption(raw, 'json'), '--json', '--as-test');
    refuse(update, '--as-test', '--update');
    refuseConnectOptions(connect, 'a replay against a server');
    return { kind: 'test', folder, generated, server, command: commandOf(words) };
  }
  if (generated !== undefined)
    throw new McpgenError('only applies to --as-test', { place: '--generated', remedy: 'Omit it.' });
  return { kind: 'play', target: playTarget(server, connect), json: booleanOption(raw, 'json'), update };
}

function playTarget(server: string, connect: ConnectOptions): ServerTarget {
  return resolveTarget(server, connect, server);
}

/** The server as one text: a command line or a URL. */
function serverOf(words: readonly string[], http: string | undefined): string {
  if (http !== undefined) {
    refuse(words.length > 0, 'a command', '--http');
    if (isUrl(http)) return http;
    throw new McpgenError('not a URL', {
      place: `--http ${http}`,
      remedy: 'Pass the full URL, such as https://example.com/mcp.',
    });
  }
  if (words.length > 0) return serverText(words);
  throw new McpgenError('the server is missing', {
    remedy: 'Write its command in quotes, or after --, or pass its URL; --as-server answers as the recorded server.',
  });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new McpgenError('not a port', {
    place: `--port ${text}`,
    remedy: 'Pass a number up to 65535; 0 picks a free port.',
  });
}

function refuse(isGiven: boolean, what: string, flag: string): void {
  if (!isGiven) return;
  throw new McpgenError(`cannot be combined with ${what}`, { place: flag, remedy: 'Use one of them.' });
}
