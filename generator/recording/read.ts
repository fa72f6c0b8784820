/** Reads recordings, and the logs of others, as entries. */
import { isUtf8 } from 'node:buffer';
import { McpgenError } from '../errors.js';
import { isObject, ownMember, type JsonObject, type JsonValue } from '../read/json/json.js';
import { ByteLineSplitter, type Line } from './byte-lines.js';
import {
  RECORDING_VERSION,
  type Content,
  type Entry,
  type HttpPart,
  type RecordingHeader,
  type Side,
} from './entry.js';
import { readClaudeDesktopLine } from './formats/claude-desktop.js';
import { DirectionGuess, isMessage } from './formats/direction.js';
import type { LogLine } from './formats/log-line.js';
import { readRecordLine } from './formats/records.js';
import { readVsCodeLine } from './formats/vs-code.js';

/** Longest line that is read, in bytes. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
/** Most servers of a log whose requests are remembered. */
const MAX_SERVERS = 1000;

/** What a file is, by its first lines that were understood. */
export type RecordingFormat =
  /** Our recordings. */
  | 'recording'
  /** A message on each line. Who sent it follows from the methods. */
  | 'messages'
  /** JSON objects with a message and who sent it. */
  | 'records'
  /** The log of a server by Claude Desktop. */
  | 'claude-desktop'
  /** The output of a server in Visual Studio Code, at the level trace. */
  | 'vs-code';

/** What each format is called in texts. */
export const FORMAT_NAMES: Readonly<Record<RecordingFormat, string>> = {
  recording: 'mcpgen recording',
  messages: 'JSON lines of messages',
  records: 'JSON lines with a message and a direction',
  'claude-desktop': 'log of Claude Desktop',
  'vs-code': 'MCP output of Visual Studio Code',
};

/** A part of a recording. `line` is its number in the file, from 1. */
export type RecordingPart =
  /** A conversation begins. */
  | { readonly kind: 'header'; readonly line: number; readonly header: RecordingHeader }
  /** An entry. A log may have the conversations of several servers; `server` is the name of this one. */
  | { readonly kind: 'entry'; readonly line: number; readonly server: string | undefined; readonly entry: Entry }
  /** A line that is not a part of a conversation, such as what a host logs about itself. */
  | { readonly kind: 'skipped'; readonly line: number };

/** Reads a recording or a log from its bytes, one line after the other. */
export class RecordingReader {
  /** The format, when it is known. */
  format: RecordingFormat | undefined;
  readonly #directions = new Map<string | undefined, DirectionGuess>();
  #firstTime: number | undefined;
  #lines = 0;

  /** Reads all of it. Memory is bounded by {@link MAX_LINE_BYTES}. */
  async *read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<RecordingPart> {
    let parts: RecordingPart[] = [];
    const splitter = new ByteLineSplitter(MAX_LINE_BYTES, (line) => {
      const part = this.#readLine(line);
      if (part !== undefined) parts.push(part);
    });
    for await (const chunk of chunks) {
      splitter.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      yield* parts;
      parts = [];
    }
    splitter.end();
    yield* parts;
  }

  /** Reads one line; undefined if it is empty. */
  #readLine(line: Line): RecordingPart | undefined {
    this.#lines += 1;
    const number = this.#lines;
    if (line.kind === 'cut')
      return this.#readUnclear(number, {
        kind: 'omitted',
        bytes: line.size,
        start: line.start.toString().slice(0, 1000),
      });
    if (!isUtf8(line.bytes)) return this.#readUnclear(number, { kind: 'bytes', base64: line.bytes.toString('base64') });
    const text = withoutBom(line.bytes.toString()).trim();
    if (text === '') return undefined;
    const value = text.startsWith('{') || text.startsWith('[') ? parse(text) : undefined;
    if (value === undefined) return this.#readLogLine(number, text);
    if (isObject(value) && Object.hasOwn(value, 'recording')) {
      this.format ??= 'recording';
      return { kind: 'header', line: number, header: readHeader(ownMember(value, 'recording'), number) };
    }
    const own = isObject(value) ? readOwnEntry(value) : undefined;
    if (own !== undefined) {
      this.format ??= 'recording';
      return { kind: 'entry', line: number, server: undefined, entry: own };
    }
    const record = isObject(value) && !isMessage(value) ? readRecordLine(value) : undefined;
    if (record !== undefined) {
      this.format ??= 'records';
      const { from, server } = record;
      const time = this.#sinceFirst(record.time);
      return this.#entry(number, server, {
        from: from ?? this.#guess(record.frame, server),
        time,
        content: frameOf(record.frame),
      });
    }
    if (this.format === 'recording') return { kind: 'skipped', line: number };
    // In a file of messages, other JSON is a fault of whoever sent it.
    if (!isMessage(value) && this.format !== 'messages') return { kind: 'skipped', line: number };
    this.format ??= 'messages';
    return this.#entry(number, undefined, { from: this.#guess(value, undefined), content: frameOf(value) });
  }

  #readLogLine(line: number, text: string): RecordingPart {
    for (const [format, read] of LOGS) {
      const found = read(text);
      if (found === undefined) continue;
      this.format ??= format;
      const value = parse(found.text);
      const content: Content = value === undefined ? { kind: 'text', text: found.text } : frameOf(value);
      return this.#entry(line, found.server, { from: found.from, time: this.#sinceFirst(found.time), content });
    }
    return this.#readUnclear(line, { kind: 'text', text });
  }

  /** In a file of messages, any line belongs to the conversation. In a log, other lines belong to the host. */
  #readUnclear(line: number, content: Content): RecordingPart {
    if (this.format !== 'messages') return { kind: 'skipped', line };
    // Only the output of a server is likely to have anything else.
    return this.#entry(line, undefined, { from: 'server', content });
  }

  #entry(line: number, server: string | undefined, entry: Entry): RecordingPart {
    return { kind: 'entry', line, server, entry };
  }

  #guess(frame: JsonValue, server: string | undefined): Side {
    const guess = this.#directions.get(server) ?? new DirectionGuess();
    this.#directions.set(server, guess);
    const [oldest] = this.#directions.keys();
    if (this.#directions.size > MAX_SERVERS) this.#directions.delete(oldest);
    return guess.senderOf(frame);
  }

  #sinceFirst(time: number | undefined): number | undefined {
    if (time === undefined || Number.isNaN(time)) return undefined;
    this.#firstTime ??= time;
    return time - this.#firstTime;
  }
}

/** A text without the byte order mark that some editors write. */
function withoutBom(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

const LOGS: readonly (readonly [RecordingFormat, (text: string) => LogLine | undefined])[] = [
  ['claude-desktop', readClaudeDesktopLine],
  ['vs-code', readVsCodeLine],
];

function frameOf(frame: JsonValue): Content {
  return { kind: 'frame', frame };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function readHeader(value: JsonValue | undefined, line: number): RecordingHeader {
  const given = isObject(value) ? value : {};
  const version = ownMember(given, 'version');
  if (typeof version === 'number' && version > RECORDING_VERSION)
    throw new McpgenError(
      `recorded in version ${version} of the form, and this mcpgen reads version ${RECORDING_VERSION}`,
      {
        place: `line ${line}`,
        remedy: 'Update mcpgen.',
      },
    );
  const text = (name: string): string | undefined => {
    const member = ownMember(given, name);
    return typeof member === 'string' ? member : undefined;
  };
  const transport = text('transport');
  const ignore = ownMember(given, 'ignore');
  const redact = readRedact(given);
  return {
    version: RECORDING_VERSION,
    ...(transport === 'stdio' || transport === 'http' || transport === 'sse' ? { transport } : {}),
    ...definedTexts({
      started: text('started'),
      server: text('server'),
      client: text('client'),
      revision: text('revision'),
      note: text('note'),
    }),
    ...(redact === undefined ? {} : { redact }),
    ...(Array.isArray(ignore) ? { ignore: ignore.filter((rule) => typeof rule === 'string') } : {}),
  };
}

/** What the recorder was asked to redact: false if nothing, or the patterns; undefined for the usual names. */
export function readRedact(header: JsonObject): false | readonly string[] | undefined {
  const redact = ownMember(header, 'redact');
  if (redact === false) return false;
  return Array.isArray(redact) ? redact.filter((pattern) => typeof pattern === 'string') : undefined;
}

function definedTexts(members: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** An entry of a recording of mcpgen; undefined if it is something else. */
function readOwnEntry(value: JsonObject): Entry | undefined {
  const from = ownMember(value, 'from');
  if (from !== 'client' && from !== 'server') return undefined;
  const content = readContent(value);
  const http = ownMember(value, 'http');
  const end = ownMember(value, 'end');
  const part = isObject(http) ? readHttp(http) : undefined;
  if (content.kind === 'none' && part === undefined && !isObject(end)) return undefined;
  const time = ownMember(value, 'time');
  const redacted = ownMember(value, 'redacted');
  const code = isObject(end) ? ownMember(end, 'code') : undefined;
  const signal = isObject(end) ? ownMember(end, 'signal') : undefined;
  return {
    from,
    time: typeof time === 'number' ? time : undefined,
    content,
    ...(part === undefined ? {} : { http: part }),
    ...(Array.isArray(redacted) ? { redacted: redacted.filter((pointer) => typeof pointer === 'string') } : {}),
    ...(isObject(end)
      ? {
          end: {
            ...(typeof code === 'number' ? { code } : {}),
            ...(typeof signal === 'string' ? { signal } : {}),
          },
        }
      : {}),
  };
}

function readContent(value: JsonObject): Content {
  const frame = ownMember(value, 'frame');
  if (frame !== undefined) return frameOf(frame);
  const text = ownMember(value, 'text');
  if (typeof text === 'string') return { kind: 'text', text };
  const base64 = ownMember(value, 'base64');
  if (typeof base64 === 'string') return { kind: 'bytes', base64 };
  const omitted = ownMember(value, 'omitted');
  if (!isObject(omitted)) return { kind: 'none' };
  const bytes = ownMember(omitted, 'bytes');
  const start = ownMember(omitted, 'start');
  return {
    kind: 'omitted',
    bytes: typeof bytes === 'number' ? bytes : 0,
    start: typeof start === 'string' ? start : '',
  };
}

function readHttp(value: JsonObject): HttpPart | undefined {
  const exchange = ownMember(value, 'exchange');
  if (typeof exchange !== 'number') return undefined;
  const method = ownMember(value, 'method');
  const path = ownMember(value, 'path');
  const status = ownMember(value, 'status');
  const event = ownMember(value, 'event');
  const end = ownMember(value, 'end');
  const headers = readHeaders(ownMember(value, 'headers'));
  if (typeof method === 'string')
    return { kind: 'request', exchange, method, path: typeof path === 'string' ? path : '/', headers };
  if (typeof status === 'number') return { kind: 'response', exchange, status, headers };
  if (isObject(event)) {
    const id = ownMember(event, 'id');
    const type = ownMember(event, 'event');
    const retry = ownMember(event, 'retry');
    return {
      kind: 'event',
      exchange,
      id: typeof id === 'string' ? id : undefined,
      event: typeof type === 'string' ? type : undefined,
      retry: typeof retry === 'number' ? retry : undefined,
    };
  }
  return typeof end === 'string' ? { kind: 'end', exchange, isComplete: end === 'complete' } : undefined;
}

function readHeaders(value: JsonValue | undefined): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, text] of Object.entries(isObject(value) ? value : {})) {
    if (typeof text === 'string') headers[name.toLowerCase()] = text;
  }
  return headers;
}
