import { STANDARD_ERROR_CODES } from "./error-codes.js";
import type { ErrorResponse, RequestId } from "./message.js";
import {
  classifyMessage,
  errorResponseFor,
  invalidUtf8,
  readJson,
} from "./parse.js";
import type {
  Classification,
  Invalid,
  JsonOptions,
  Parsed,
  ParseOptions,
} from "./parse.js";
import { endOfString, scanEnvelope } from "./scan.js";
import type { JsonValue, MessageKind } from "./scan.js";

/** What can be wrong with a line. */
export type DiagnosticCode =
  /** The line is not JSON, such as a banner or a log line. */
  | "not-json"
  /** The line is not UTF-8. */
  | "not-utf8"
  /** The line is longer than the limit. */
  | "too-long"
  /** A message written over several lines; reported at its first line. */
  | "embedded-newline"
  /** The framing of the Language Server Protocol, where a line per message is expected. */
  | "content-length"
  /** The stream ended in the middle of a message. */
  | "unfinished";

/** A line that was skipped; each is reported once, and reading continues. */
export interface Diagnostic {
  readonly kind: "diagnostic";
  readonly code: DiagnosticCode;
  /** Number of the line, from 1. */
  readonly line: number;
  /** An explanation for people; together with {@link excerpt}, it can be logged as it is. */
  readonly reason: string;
  /** The beginning of the line, quoted, with control characters escaped so that it cannot control a terminal. */
  readonly excerpt: string;
  /**
   * The kind of message that the line seems to be; a `response` with an id is the lost response to one of our calls.
   */
  readonly messageKind: MessageKind;
  /** The id, if it can be read. */
  readonly id: RequestId | null;
  /**
   * The response that JSON-RPC requires. A server may send it; a client should not, since a server's other output is
   * usually meant for people.
   */
  readonly errorResponse: ErrorResponse | undefined;
}

/** What a stream yields: messages, batches, JSON that is neither, lines that are not JSON. */
export type LineEvent<C extends Classification = Classification> =
  Parsed<C> | Diagnostic;

/** What a stream of JSON lines yields: values, lines that are nested too deeply, lines that are not JSON. */
export type JsonLineEvent = JsonValue | Invalid | Diagnostic;

/** How a stream of JSON lines is read. */
export interface JsonLineOptions extends JsonOptions {
  /** Maximum size of a line in bytes, without its newline; 16 MiB by default. */
  readonly maxMessageBytes?: number;
}

/** How a stream is read. */
export interface LineReaderOptions<
  C extends Classification = Classification,
> extends ParseOptions<C> {
  /** Maximum size of a line in bytes, without its newline; 16 MiB by default. */
  readonly maxMessageBytes?: number;
}

/** Default maximum of bytes in a line. */
export const DEFAULT_MAX_MESSAGE_BYTES: number = 16 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Bytes that are decoded at once, since a call for each line costs more than everything else. */
const DECODE_WINDOW_BYTES = 64 * 1024;

/** A larger buffer is released after its message. */
const MAX_RETAINED_BYTES = 1024 * 1024;

/** Bytes of an overlong line that are searched for its id. */
const ENVELOPE_SCAN_BYTES = 1024;

const EXCERPT_CHARS = 100;

const EMPTY_EVENTS: readonly never[] = Object.freeze([]);

/**
 * Splits a byte stream into JSON values, one on each line, regardless of how the bytes are split into chunks. Keeps at
 * most one unfinished line, and never a chunk.
 */
export class JsonLineReader {
  readonly #options: JsonOptions;
  readonly #maxMessageBytes: number;
  readonly #decoder = new TextDecoder("utf-8", {
    fatal: true,
    ignoreBOM: true,
  });
  readonly #multiline = new MultilineMessage();
  /** The beginning of a line that is not complete. */
  #buffer = new Uint8Array(0);
  #bufferedBytes = 0;
  /** Lines read so far; also the number of the current line. */
  #lineNumber = 0;
  /** The current line is too long and was reported; the rest of it is skipped. */
  #isSkipping = false;
  #hasEnded = false;

  constructor(options: JsonLineOptions) {
    const { maxMessageBytes: limit = DEFAULT_MAX_MESSAGE_BYTES } = options;
    for (const [name, value] of [
      ["maxMessageBytes", limit],
      ["maxDepth", options.maxDepth ?? 1],
    ] as const) {
      if (!(value >= 1))
        throw new RangeError(`${name} must be at least 1, not ${value}`);
    }
    this.#options = options;
    this.#maxMessageBytes = limit;
  }

  /**
   * Reads the next bytes. Never throws because of their contents, and does not keep the array.
   *
   * @returns What these bytes completed, in order.
   * @throws TypeError if the argument is not bytes, or comes after {@link end}.
   */
  push(chunk: Uint8Array): readonly JsonLineEvent[] {
    if (!isUint8Array(chunk))
      throw new TypeError(
        "a stream of messages consists of bytes (Uint8Array)",
      );
    if (this.#hasEnded)
      throw new TypeError("bytes after the end of the stream");
    const end = chunk.length;
    let start = 0;
    const events: JsonLineEvent[] = [];
    if (this.#bufferedBytes > 0 || this.#isSkipping) {
      const newline = chunk.indexOf(NEWLINE);
      if (newline < 0) {
        this.#appendPartial(chunk, events);
        return events.length === 0 ? EMPTY_EVENTS : events;
      }
      this.#appendPartial(chunk.subarray(0, newline), events);
      this.#completeLine(events);
      start = newline + 1;
    }
    while (start < end) {
      const windowEnd = Math.min(start + DECODE_WINDOW_BYTES, end);
      let newline = chunk.lastIndexOf(NEWLINE, windowEnd - 1);
      if (newline >= start)
        this.#readLines(chunk.subarray(start, newline), events);
      else {
        newline = chunk.indexOf(NEWLINE, windowEnd);
        if (newline < 0) break;
        this.#readLine(chunk.subarray(start, newline), events);
      }
      start = newline + 1;
    }
    if (start < end) this.#appendPartial(chunk.subarray(start), events);
    return events.length === 0 ? EMPTY_EVENTS : events;
  }

  /** Ends the stream. A last line without a newline counts as a line. */
  end(): readonly JsonLineEvent[] {
    const events: JsonLineEvent[] = [];
    if (!this.#hasEnded && this.#bufferedBytes > 0)
      this.#completeLine(events, true);
    this.#hasEnded = true;
    this.#buffer = new Uint8Array(0);
    return events;
  }

  /** Adds bytes to the unfinished line. */
  #appendPartial(bytes: Uint8Array, events: JsonLineEvent[]): void {
    if (this.#isSkipping) return;
    const length = this.#bufferedBytes + bytes.length;
    if (length > this.#maxMessageBytes) {
      const head = new Uint8Array(
        Math.min(ENVELOPE_SCAN_BYTES, this.#maxMessageBytes),
      );
      const kept = this.#buffer.subarray(
        0,
        Math.min(this.#bufferedBytes, head.length),
      );
      head.set(kept);
      head.set(bytes.subarray(0, head.length - kept.length), kept.length);
      this.#bufferedBytes = 0;
      this.#buffer = new Uint8Array(0);
      this.#isSkipping = true;
      this.#reportTooLong(head, events);
      return;
    }
    if (length > this.#buffer.length) {
      // Doubled, so that many small chunks are not copied repeatedly.
      const grown = new Uint8Array(
        Math.min(
          Math.max(length, this.#buffer.length * 2, 1024),
          this.#maxMessageBytes,
        ),
      );
      grown.set(this.#buffer.subarray(0, this.#bufferedBytes));
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.#bufferedBytes);
    this.#bufferedBytes = length;
  }

  /** The unfinished line is complete. */
  #completeLine(events: JsonLineEvent[], isTail = false): void {
    if (this.#isSkipping) {
      this.#isSkipping = false;
      return;
    }
    const line = this.#buffer.subarray(0, this.#bufferedBytes);
    this.#bufferedBytes = 0;
    if (this.#buffer.length > MAX_RETAINED_BYTES)
      this.#buffer = new Uint8Array(0);
    this.#readLine(line, events, isTail);
  }

  /** Reads several lines at once, without the last newline. */
  #readLines(bytes: Uint8Array, events: JsonLineEvent[]): void {
    const text =
      bytes.length <= this.#maxMessageBytes ? this.#decode(bytes) : undefined;
    if (text === undefined) {
      // One of them is not UTF-8, or may be too long: find out which.
      for (let start = 0; start <= bytes.length;) {
        const newline = bytes.indexOf(NEWLINE, start);
        const end = newline < 0 ? bytes.length : newline;
        this.#readLine(bytes.subarray(start, end), events);
        start = end + 1;
      }
      return;
    }
    for (let start = 0; start <= text.length;) {
      const newline = text.indexOf("\n", start);
      const end = newline < 0 ? text.length : newline;
      this.#readText(text.slice(start, end), events, false);
      start = end + 1;
    }
  }

  #readLine(bytes: Uint8Array, events: JsonLineEvent[], isTail = false): void {
    if (bytes.length > this.#maxMessageBytes) {
      this.#reportTooLong(
        bytes.subarray(0, Math.min(ENVELOPE_SCAN_BYTES, this.#maxMessageBytes)),
        events,
      );
      return;
    }
    const text = this.#decode(bytes);
    if (text !== undefined) {
      this.#readText(text, events, isTail);
      return;
    }
    this.#lineNumber += 1;
    this.#multiline.reset();
    const invalid = invalidUtf8(this.#options);
    events.push(
      this.#createDiagnostic(
        "not-utf8",
        invalid.reason,
        excerptFrom(bytes),
        invalid,
      ),
    );
  }

  #decode(bytes: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }

  #readText(line: string, events: JsonLineEvent[], isTail: boolean): void {
    this.#lineNumber += 1;
    const text =
      this.#lineNumber === 1 && line.startsWith("\uFEFF")
        ? line.slice(1)
        : line;
    if (isBlank(text)) return;
    const read = readJson(text, this.#options);
    if (read.kind === "invalid" && read.code === "not-json") {
      this.#reportNotJson(text, events, isTail);
      return;
    }
    // A line of a message over several lines may be valid JSON, such as `{}` or `1`.
    if (
      this.#multiline.isOpen &&
      !text.includes('"jsonrpc"') &&
      this.#multiline.continues(text)
    )
      return;
    this.#multiline.reset();
    events.push(read);
  }

  #reportNotJson(text: string, events: JsonLineEvent[], isTail: boolean): void {
    if (this.#multiline.continues(text)) return;
    const [code, reason] = this.#diagnoseNotJson(text, isTail);
    const answer = errorResponseFor(
      "unknown",
      null,
      STANDARD_ERROR_CODES.PARSE_ERROR,
      `Parse error: ${reason}`,
      this.#options,
    );
    events.push(
      this.#createDiagnostic(code, reason, quoteExcerpt(text), {
        messageKind: "unknown",
        id: null,
        errorResponse: answer,
      }),
    );
  }

  #diagnoseNotJson(
    text: string,
    isTail: boolean,
  ): readonly [DiagnosticCode, string] {
    // Such a body has no newline, so the header of the next message follows directly.
    if (
      /^Content-(?:Length|Type):/i.test(text) ||
      /\}Content-Length: *\d+\s*$/i.test(text.slice(-100))
    ) {
      return [
        "content-length",
        "Content-Length framing; each message must be one line of JSON",
      ];
    }
    if (!this.#multiline.begins(text))
      return ["not-json", "the line is not JSON"];
    if (isTail)
      return ["unfinished", "the stream ended in the middle of a message"];
    return [
      "embedded-newline",
      "a message over several lines, such as pretty-printed JSON; it must be one line",
    ];
  }

  #reportTooLong(head: Uint8Array, events: JsonLineEvent[]): void {
    this.#lineNumber += 1;
    this.#multiline.reset();
    const { messageKind, id } = scanEnvelope(
      new TextDecoder().decode(head),
      false,
    );
    const reason = `the message is longer than ${this.#maxMessageBytes} bytes`;
    const code = STANDARD_ERROR_CODES.INVALID_REQUEST;
    const answer = errorResponseFor(
      messageKind,
      id,
      code,
      `Invalid Request: ${reason}`,
      this.#options,
    );
    events.push(
      this.#createDiagnostic("too-long", reason, excerptFrom(head), {
        messageKind,
        id,
        errorResponse: answer,
      }),
    );
  }

  #createDiagnostic(
    code: DiagnosticCode,
    reason: string,
    excerpt: string,
    {
      messageKind,
      id,
      errorResponse: answer,
    }: Pick<Diagnostic, "messageKind" | "id" | "errorResponse">,
  ): Diagnostic {
    return {
      kind: "diagnostic",
      code,
      line: this.#lineNumber,
      reason,
      excerpt,
      messageKind,
      id,
      errorResponse: answer,
    };
  }
}

/**
 * Splits a byte stream into messages, one on each line: a {@link JsonLineReader} that also classifies each value by the
 * rules of a revision.
 */
export class MessageReader<C extends Classification = Classification> {
  readonly #lines: JsonLineReader;
  readonly #options: ParseOptions<C>;

  /** @throws RangeError if a limit is below 1. */
  constructor(options: LineReaderOptions<C>) {
    this.#lines = new JsonLineReader(options);
    this.#options = options;
  }

  /** Reads the next bytes; see {@link JsonLineReader.push}. */
  push(chunk: Uint8Array): readonly LineEvent<C>[] {
    return this.#classify(this.#lines.push(chunk));
  }

  /** Ends the stream; see {@link JsonLineReader.end}. */
  end(): readonly LineEvent<C>[] {
    return this.#classify(this.#lines.end());
  }

  #classify(events: readonly JsonLineEvent[]): readonly LineEvent<C>[] {
    if (events.length === 0) return EMPTY_EVENTS;
    return events.map((event) =>
      event.kind === "value"
        ? classifyMessage(event.value, this.#options)
        : event,
    );
  }
}

/**
 * Reads a byte stream to its end. Leaving the loop early cancels the stream; if the stream fails, the error is thrown.
 *
 * @param source - A web `ReadableStream`, or any iterable of bytes, such as Node's readable streams.
 */
export async function* readMessages<C extends Classification>(
  source: ByteSource,
  options: LineReaderOptions<C>,
): AsyncGenerator<LineEvent<C>, void, undefined> {
  const reader = new MessageReader(options);
  for await (const chunk of "getReader" in source
    ? readChunks(source)
    : source) {
    // In slices, so that few messages wait for the consumer however large a chunk is.
    for (let start = 0; start < chunk.length; start += DECODE_WINDOW_BYTES) {
      yield* reader.push(
        isUint8Array(chunk)
          ? chunk.subarray(start, start + DECODE_WINDOW_BYTES)
          : chunk,
      );
    }
  }
  yield* reader.end();
}

/** A source of bytes. */
export type ByteSource = AsyncIterable<Uint8Array> | WebByteStream;

/** The part of a web `ReadableStream` that is used, since not every engine can iterate over it. */
export interface WebByteStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
    releaseLock(): void;
  };
}

async function* readChunks(
  stream: WebByteStream,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isDone = done;
      if (done) return;
      if (value !== undefined) yield value;
    }
  } finally {
    // Cancelling a broken stream fails as well; the first failure is the one to report.
    if (!isDone) await reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

const JSON_SCALAR = /(?:-?\d[\d.eE+-]*|true|false|null)(?![\w.])/y;

/** Recognizes a message over several lines, so that it is reported once. */
class MultilineMessage {
  #depth = 0;

  /** Whether such a message has begun and not ended. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  reset(): void {
    this.#depth = 0;
  }

  /** Whether a line that is not JSON begins such a message. */
  begins(text: string): boolean {
    this.reset();
    return /^[ \t]*[[{]/.test(text) && this.#trackBrackets(text) === "part";
  }

  /** Whether a line belongs to such a message that has begun before. */
  continues(text: string): boolean {
    return this.#depth > 0 && this.#trackBrackets(text) !== "other";
  }

  /** Counts the brackets of a line if it consists of JSON tokens only; any other line ends the message. */
  #trackBrackets(text: string): "whole" | "part" | "other" {
    let depth = this.#depth;
    this.#depth = 0;
    for (let index = 0; index < text.length; index += 1) {
      const char = text.charAt(index);
      if (char === '"') {
        index = endOfString(text, index);
        // Cut off inside a string: the next line may not continue it, so it is read on its own.
        if (index === text.length) return "part";
      } else if (char === "{" || char === "[") depth += 1;
      else if (char === "}" || char === "]") depth -= 1;
      else if (!" \t\r,:".includes(char)) {
        JSON_SCALAR.lastIndex = index;
        if (!JSON_SCALAR.test(text)) return "other";
        index = JSON_SCALAR.lastIndex - 1;
      }
    }
    this.#depth = Math.max(depth, 0);
    return depth > 0 ? "part" : "whole";
  }
}

/** Not only `instanceof`, which fails for arrays of another realm, as in test runners and frames. */
function isUint8Array(value: unknown): value is Uint8Array {
  return (
    value instanceof Uint8Array ||
    Object.prototype.toString.call(value) === "[object Uint8Array]"
  );
}

function isBlank(text: string): boolean {
  return (
    text.length === 0 || (text.charCodeAt(0) <= 0x20 && /^[ \t\r]*$/.test(text))
  );
}

function excerptFrom(bytes: Uint8Array): string {
  return quoteExcerpt(
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      bytes.subarray(0, 4 * EXCERPT_CHARS),
    ),
  );
}

/** The start of a text as a JSON string, without characters that control a terminal or change the reading direction. */
function quoteExcerpt(text: string): string {
  const short =
    text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}...` : text;
  return JSON.stringify(short).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
