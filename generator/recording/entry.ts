/** The entries of a recorded conversation, as `docs/recordings.md` describes them. */
import type { JsonObject, JsonValue } from '../read/json/json.js';

/** A side of a conversation. */
export type Side = 'client' | 'server';

/** The version of the form that {@link RecordingHeader.version} names. */
export const RECORDING_VERSION = 1;

/** The first line of a recording, as the member `recording`. Everything but the version is optional. */
export interface RecordingHeader {
  readonly version: typeof RECORDING_VERSION;
  /** What carried the messages; `sse` is HTTP+SSE of 2024-11-05. */
  readonly transport?: 'stdio' | 'http' | 'sse';
  /** When the recording began, ISO 8601. */
  readonly started?: string;
  /** The command of the server, or its URL without credentials. */
  readonly server?: string;
  /** The program that the client is, if it is known. */
  readonly client?: string;
  /** The revision, if whoever recorded it knew it; without it, the handshake or `_meta` says. */
  readonly revision?: string;
  readonly note?: string;
  /** What was redacted: names by these patterns in addition to the usual ones, or nothing. */
  readonly redact?: false | readonly string[];
  /** Rules that the conversation breaks on purpose; `inspect` does not report them. */
  readonly ignore?: readonly string[];
}

/** What an entry carries: at most one of these. */
export type Content =
  | { readonly kind: 'none' }
  /** A JSON value: a message, a batch, or something invalid. */
  | { readonly kind: 'frame'; readonly frame: JsonValue }
  /** A line, or a body over HTTP, that is not JSON. */
  | { readonly kind: 'text'; readonly text: string }
  /** Bytes that are not UTF-8. */
  | { readonly kind: 'bytes'; readonly base64: string }
  /** A frame of more bytes than the recorder keeps; `start` is its beginning. */
  | { readonly kind: 'omitted'; readonly bytes: number; readonly start: string };

/** What HTTP says about an entry. `exchange` numbers the requests of a recording, from 1. */
export type HttpPart = { readonly exchange: number } & (
  | { readonly kind: 'request'; readonly method: string; readonly path: string; readonly headers: HttpHeaders }
  | { readonly kind: 'response'; readonly status: number; readonly headers: HttpHeaders }
  /** An event of a `text/event-stream`; `event` is its type where it has one. */
  | {
      readonly kind: 'event';
      readonly id?: string | undefined;
      readonly event?: string | undefined;
      readonly retry?: number | undefined;
    }
  /** The end of a response; `isComplete` is false if its connection broke. */
  | { readonly kind: 'end'; readonly isComplete: boolean }
);

/** Headers by their names in lower case; several with one name are joined by `, `. */
export type HttpHeaders = Readonly<Record<string, string>>;

/** How a side of a conversation over stdio ended. A client ends by closing the server's input. */
export interface EndOfSide {
  /** The exit code of the server. */
  readonly code?: number | undefined;
  /** The signal that ended the server. */
  readonly signal?: string | undefined;
}

/** One entry of a recorded conversation. */
export interface Entry {
  /** The side that sent it. */
  readonly from: Side;
  /** Milliseconds since the beginning of the conversation, if they were recorded. */
  readonly time?: number | undefined;
  readonly content: Content;
  readonly http?: HttpPart | undefined;
  /** The side has ended. */
  readonly end?: EndOfSide | undefined;
  /**
   * What was replaced because it may be secret: JSON pointers into the line, such as `/frame/params/arguments/token`,
   * `/http/headers/authorization` or `/text`. At most 100 are listed.
   */
  readonly redacted?: readonly string[] | undefined;
}

/** The first line of a recording, without its newline. */
export function writeHeader(header: RecordingHeader): string {
  return JSON.stringify({ recording: header });
}

/**
 * A line of a recording, without its newline.
 *
 * @param frameText - The text of the frame in one line, which is written as it is; by default the frame is serialized.
 */
export function writeEntry(entry: Entry, frameText?: string): string {
  const { from, time, content, http, end, redacted } = entry;
  const members: Record<string, unknown> = {
    ...(time === undefined ? {} : { time: Math.round(time * 1000) / 1000 }),
    from,
    ...(http === undefined ? {} : { http: httpMembers(http) }),
    ...(end === undefined ? {} : { end }),
    ...(redacted === undefined ? {} : { redacted }),
  };
  if (content.kind === 'frame' && frameText !== undefined)
    return `${JSON.stringify(members).slice(0, -1)},"frame":${frameText}}`;
  if (content.kind === 'frame') members['frame'] = content.frame;
  if (content.kind === 'text') members['text'] = content.text;
  if (content.kind === 'bytes') members['base64'] = content.base64;
  if (content.kind === 'omitted') members['omitted'] = { bytes: content.bytes, start: content.start };
  return JSON.stringify(members);
}

/** The kind is left out: another member tells it apart. */
function httpMembers(part: HttpPart): object {
  if (part.kind === 'end') return { exchange: part.exchange, end: part.isComplete ? 'complete' : 'broken' };
  if (part.kind === 'event') {
    const { id, event, retry } = part;
    return { exchange: part.exchange, event: { id, event, retry } };
  }
  const { kind: _, ...members } = part;
  return members;
}

/** A JSON value that is a header line of a recording. */
export function isHeaderLine(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'recording');
}
