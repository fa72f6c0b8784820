import { McpgenError } from '../../errors.js';
import { isUrl } from '../../read/fetch.js';
import { pathsOption, booleanOption, requiredOption, stringOption, type RawOptions } from '../shared/options.js';
import { hasExtensions, parseExtensionOptions, type ExtensionOptions } from '../shared/extensions.js';
import { commandOf } from '../shared/server-words.js';

/** Frames of more bytes are recorded as omitted, by default. */
const DEFAULT_MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** Text of JavaScript is limited, and an entry is one text. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

/** The options of `mcpgen record`. */
export interface RecordCommandOptions extends ExtensionOptions {
  readonly out: string;
  /** The command of the server with its arguments; empty with {@link http}. */
  readonly command: readonly string[];
  /** Where the server is, if it is one over HTTP. */
  readonly http: HttpOptions | undefined;
  readonly maxFrameBytes: number;
  /** Whether secrets are replaced. */
  readonly redacts: boolean;
  /** Patterns of names whose values are secrets. */
  readonly patterns: readonly string[];
  /** Whether findings are printed to standard error. */
  readonly inspect: boolean;
}

/** The options of a proxy for HTTP. */
export interface HttpOptions {
  readonly url: URL;
  /** An address of this machine. */
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}

/** @throws {@link McpgenError} if an option is invalid, or the server is missing. */
export function parseRecordOptions(words: readonly string[], raw: RawOptions): RecordCommandOptions {
  const [first = ''] = words;
  const isAtUrl = words.length === 1 && isUrl(first) && raw['http'] === undefined;
  const http = parseHttpOptions(isAtUrl ? { ...raw, http: first } : raw);
  const command = isAtUrl ? [] : commandOf(words);
  if (http === undefined && command.length === 0) {
    throw new McpgenError('the command of the server is missing', {
      remedy: 'Append it: mcpgen record --out FILE -- node server.js. For a server over HTTP, pass its URL.',
    });
  }
  if (http !== undefined && command.length > 0) {
    throw new McpgenError('cannot be combined with a command', { place: '--http', remedy: 'Omit one of them.' });
  }
  const patterns = pathsOption(raw, 'redactPatterns') ?? [];
  const redacts = booleanOption(raw, 'redacts');
  if (!redacts && patterns.length > 0) {
    throw new McpgenError('--redact and --no-redact cannot be combined', {
      place: '--no-redact',
      remedy: 'Use one of them.',
    });
  }
  return {
    ...parseInspectedExtensions(raw),
    out: requiredOption(raw, 'out'),
    command,
    http,
    maxFrameBytes: parseMaxFrameBytes(raw),
    redacts,
    patterns,
    inspect: booleanOption(raw, 'inspect'),
  };
}

/** Extensions only matter to what is inspected. */
function parseInspectedExtensions(raw: RawOptions): ExtensionOptions {
  const options = parseExtensionOptions(raw);
  if (!hasExtensions(options) || booleanOption(raw, 'inspect')) return options;
  throw new McpgenError('only applies to --inspect', {
    place: options.extensions.length > 0 ? '--extension' : '--extend',
    remedy: 'Add --inspect, or omit it: everything is recorded.',
  });
}

function parseHttpOptions(raw: RawOptions): HttpOptions | undefined {
  const text = stringOption(raw, 'http');
  if (text === undefined) {
    for (const name of ['port', 'host']) {
      if (stringOption(raw, name) === undefined) continue;
      throw new McpgenError('only applies to --http', { place: `--${name}`, remedy: 'Omit it.' });
    }
    return undefined;
  }
  if (!isUrl(text) || !URL.canParse(text)) {
    throw new McpgenError('not a valid URL', {
      place: `--http ${text}`,
      remedy: 'Pass the full URL, such as https://example.com/mcp.',
    });
  }
  const host = stringOption(raw, 'host') ?? '127.0.0.1';
  if (!/^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host)) {
    throw new McpgenError('not an address of this machine only', {
      place: `--host ${host}`,
      remedy: 'Pass 127.0.0.1, ::1 or localhost: whoever reaches the proxy could use what the client may.',
    });
  }
  const port = Number(stringOption(raw, 'port') ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new McpgenError('not a port', {
      place: `--port ${String(raw['port'])}`,
      remedy: 'Pass a number up to 65535, or 0 for a free port.',
    });
  }
  return { url: new URL(text), host, port };
}

function parseMaxFrameBytes(raw: RawOptions): number {
  const text = stringOption(raw, 'maxFrameBytes');
  const bytes = text === undefined ? DEFAULT_MAX_FRAME_BYTES : Number(text);
  if (Number.isInteger(bytes) && bytes > 0 && bytes <= MAX_FRAME_BYTES) return bytes;
  throw new McpgenError(`must be a number of bytes, up to ${MAX_FRAME_BYTES}`, {
    place: '--max-frame-bytes',
    remedy: `Omit it for ${DEFAULT_MAX_FRAME_BYTES}.`,
  });
}
