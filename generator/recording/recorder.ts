import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../read/json/json.js';
import { writeEntry, writeHeader } from './entry.js';
import type { Content, EndOfSide, Entry, HttpPart, RecordingHeader, Side } from './entry.js';
import type { Line } from './byte-lines.js';
import { RedactedPlaces } from './redact.js';
import type { Redactor } from './redact.js';
import type { RecordingFile } from './write-file.js';

/** How much of an omitted frame is recorded, in UTF-16 code units. */
const OMITTED_START_LENGTH = 1000;

/** Where and how a conversation is recorded. */
export interface RecorderOptions {
  readonly file: RecordingFile;
  /** Undefined if secrets are recorded. */
  readonly redactor: Redactor | undefined;
  /** Frames of more bytes are recorded as omitted. */
  readonly maxFrameBytes: number;
  /** Receives each entry as it is recorded, without secrets. */
  readonly onEntry?: ((entry: Entry) => void) | undefined;
}

/** What belongs to an entry in addition to its content. */
export interface EntryParts {
  readonly http?: HttpPart;
  readonly end?: EndOfSide;
}

/** Makes the entries of a conversation, and writes them. */
export class Recorder {
  readonly maxFrameBytes: number;
  readonly #file: RecordingFile;
  readonly #redactor: Redactor | undefined;
  readonly #onEntry: ((entry: Entry) => void) | undefined;
  readonly #start = performance.now();

  constructor({ file, redactor, maxFrameBytes, onEntry }: RecorderOptions, header: RecordingHeader) {
    this.maxFrameBytes = maxFrameBytes;
    this.#file = file;
    this.#redactor = redactor;
    this.#onEntry = onEntry;
    file.add(writeHeader(header));
  }

  /** Whether whoever records should wait for {@link drained}: the file is slower than the conversation. */
  get isFull(): boolean {
    return this.#file.isFull;
  }

  drained(): Promise<void> {
    return this.#file.drained();
  }

  /**
   * Records what a side sent.
   *
   * @param body - A line, a body over HTTP or the data of an event; undefined if there is nothing.
   */
  add(from: Side, body: Line | undefined, parts: EntryParts = {}): void {
    // After the file failed, only who inspects the conversation needs it.
    if (this.#file.failure !== undefined && this.#onEntry === undefined) return;
    try {
      this.#add(from, body, parts);
    } catch (error) {
      // The conversation goes on, whatever is in it.
      this.#file.fail(error as Error);
    }
  }

  #add(from: Side, body: Line | undefined, { http, end }: EntryParts): void {
    const time = performance.now() - this.#start;
    const places = new RedactedPlaces();
    const { content, text } = this.#contentOf(body, places);
    const entry: Entry = {
      from,
      time,
      content,
      http: http === undefined ? undefined : this.#redactHttp(http, places),
      end,
      redacted: places.list,
    };
    this.#file.add(writeEntry(entry, text));
    this.#onEntry?.(entry);
  }

  /** The content of an entry; for a frame, also its text in one line. */
  #contentOf(body: Line | undefined, places: RedactedPlaces): { readonly content: Content; readonly text?: string } {
    if (body === undefined) return { content: { kind: 'none' } };
    const redactor = this.#redactor;
    if (body.kind === 'cut') {
      const beginning = body.start.toString('utf8');
      // Redacted before it is cut, since names would not be found otherwise.
      const start = redactor?.text(beginning, places, '/omitted/start') ?? beginning;
      return { content: { kind: 'omitted', bytes: body.size, start: start.slice(0, OMITTED_START_LENGTH) } };
    }
    if (!isUtf8(body.bytes)) {
      const bytes = redactor?.bytes(body.bytes, places, '/base64') ?? body.bytes;
      return { content: { kind: 'bytes', base64: bytes.toString('base64') } };
    }
    const source = body.bytes.toString('utf8');
    let frame: JsonValue;
    try {
      frame = JSON.parse(source) as JsonValue;
    } catch {
      return { content: { kind: 'text', text: redactor?.text(source, places, '/text') ?? source } };
    }
    const redacted = redactor?.json(source, places) ?? source;
    if (redacted !== source) frame = JSON.parse(redacted) as JsonValue;
    // In valid JSON, line breaks are only between values.
    return { content: { kind: 'frame', frame }, text: redacted.trim().replaceAll(/[\r\n]+/g, ' ') };
  }

  #redactHttp(http: HttpPart, places: RedactedPlaces): HttpPart {
    const redactor = this.#redactor;
    if (redactor === undefined) return http;
    if (http.kind === 'request') {
      return { ...http, path: redactor.path(http.path, places), headers: redactor.headers(http.headers, places) };
    }
    return http.kind === 'response' ? { ...http, headers: redactor.headers(http.headers, places) } : http;
  }
}
