import { ByteCollector, ByteLineSplitter, CUT_LINE_BYTES, type Line } from '../recording/byte-lines.js';

/** An event of a `text/event-stream`, as the stream has it. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  /** Milliseconds. */
  readonly retry: number | undefined;
  /** Undefined if it has no data, or empty data. */
  readonly data: Line | undefined;
}

/** Longest id, type or reconnection time that is kept, in bytes. */
const MAX_FIELD_BYTES = 4000;

/**
 * Splits an event stream (WHATWG HTML, server-sent events) into events, with bounded memory. Unlike a client it also
 * reports events without data, and continues after an event over the limit. An incomplete event at the end is ignored.
 */
export class EventSplitter {
  readonly #maxBytes: number;
  readonly #onEvent: (event: StreamEvent) => void;
  readonly #lines: ByteLineSplitter;
  #isFirstLine = true;
  readonly #data = new ByteCollector();
  /** Bytes of the data, with those that are not kept; -1 if there is no data. */
  #size = -1;
  #id: string | undefined;
  #event: string | undefined;
  #retry: number | undefined;

  constructor(maxBytes: number, onEvent: (event: StreamEvent) => void) {
    this.#maxBytes = maxBytes;
    this.#onEvent = onEvent;
    // The name of the field is not data.
    this.#lines = new ByteLineSplitter(maxBytes + 6, (line) => {
      this.#addLine(line);
    });
  }

  add(chunk: Buffer): void {
    this.#lines.add(chunk);
  }

  #addLine(line: Line): void {
    let bytes = line.kind === 'whole' ? line.bytes : line.start;
    let size = line.kind === 'whole' ? bytes.length : line.size;
    if (this.#isFirstLine && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) {
      bytes = bytes.subarray(3);
      size -= 3;
    }
    this.#isFirstLine = false;
    if (line.kind === 'cut') {
      this.#addField(bytes, size);
      return;
    }
    if (bytes.at(-1) === CARRIAGE_RETURN) bytes = bytes.subarray(0, -1);
    // A carriage return ends a line, too, though hardly any stream uses it.
    for (let start = 0; ;) {
      const end = bytes.indexOf(CARRIAGE_RETURN, start);
      const part = bytes.subarray(start, end === -1 ? undefined : end);
      this.#addField(part, part.length);
      if (end === -1) break;
      start = end + 1;
    }
  }

  /** @param size - Of the line, of which only the beginning may be there. */
  #addField(line: Buffer, size: number): void {
    if (size === 0) {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(COLON);
    const name = line.toString('latin1', 0, colon === -1 ? line.length : colon);
    let start = colon === -1 ? line.length : colon + 1;
    if (line[start] === SPACE) start += 1;
    if (name === 'data') this.#addData(line.subarray(start), size - start);
    const value = line.toString('utf8', start, start + MAX_FIELD_BYTES);
    if (name === 'event' && value !== '') this.#event = value;
    if (name === 'id' && !value.includes('\0')) this.#id = value;
    if (name === 'retry' && /^\d{1,15}$/.test(value)) this.#retry = Number(value);
  }

  #addData(value: Buffer, size: number): void {
    const wasCut = this.#size > this.#maxBytes;
    if (this.#size >= 0 && !wasCut) this.#data.add(NEWLINE);
    this.#size += size + 1;
    if (wasCut) return;
    this.#data.add(value);
    if (this.#size > this.#maxBytes) this.#data.truncate(CUT_LINE_BYTES);
  }

  #dispatch(): void {
    const size = this.#size;
    const event = { id: this.#id, event: this.#event, retry: this.#retry };
    const bytes = this.#data.take();
    this.#size = -1;
    this.#id = this.#event = this.#retry = undefined;
    const isEmpty = size === -1 && Object.values(event).every((value) => value === undefined);
    if (isEmpty) return;
    const data: Line = size > this.#maxBytes ? { kind: 'cut', start: bytes, size } : { kind: 'whole', bytes };
    this.#onEvent({ ...event, data: size <= 0 ? undefined : data });
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NEWLINE = Buffer.from('\n');
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
