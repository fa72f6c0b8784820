/** Splits bytes into lines. */

/** Longest line that is kept, in bytes. */
export const MAX_LINE_BYTES = 128 * 1024 * 1024;
/** Characters that are kept of a longer line. */
const START_LENGTH = 1000;
const NEWLINE = 0x0a;

/** A line; numbers begin at 1. */
export type Line = { readonly number: number } & (
  | { readonly kind: 'text'; readonly text: string }
  /** It is not UTF-8. */
  | { readonly kind: 'bytes'; readonly base64: string }
  /** It is longer than the limit. */
  | { readonly kind: 'long'; readonly bytes: number; readonly start: string }
);

/**
 * Splits a stream of bytes into lines, without their ends. Keeps at most one line.
 *
 * @param maxBytes - Longest line that is kept.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<Line> {
  const splitter = new LineSplitter(maxBytes);
  for await (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.end();
}

/** The same for chunks that are pushed. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #number = 0;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that a chunk completes. */
  *push(chunk: Uint8Array): Generator<Line> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.slice(start));
  }

  /** The last line, if it has no end. */
  *end(): Generator<Line> {
    if (this.#bytes > 0) yield this.#take();
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.length;
    // Of a line that is too long, the beginning is enough.
    if (this.#bytes <= this.#maxBytes || this.#pieces.length === 0) this.#pieces.push(piece);
  }

  #take(): Line {
    this.#number += 1;
    const number = this.#number;
    const bytes = this.#bytes;
    const pieces = this.#pieces;
    this.#bytes = 0;
    this.#pieces = [];
    if (bytes > this.#maxBytes) {
      const start = new TextDecoder().decode(pieces[0]?.subarray(0, START_LENGTH * 4)).slice(0, START_LENGTH);
      return { kind: 'long', number, bytes, start };
    }
    const whole = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
    try {
      return { kind: 'text', number, text: this.#decoder.decode(whole) };
    } catch {
      return { kind: 'bytes', number, base64: Buffer.from(whole).toString('base64') };
    }
  }
}
