/** A line of a stream of bytes, without its newline. */
export type Line =
  | {
      readonly kind: 'whole';
      /** May share memory with the chunk that it came in. */
      readonly bytes: Buffer;
    }
  /** A line of more bytes than the limit, of which the beginning was kept. */
  | { readonly kind: 'cut'; readonly start: Buffer; readonly size: number };

/** How much of a line over the limit is kept, in bytes. */
export const CUT_LINE_BYTES = 4000;

/** Collects bytes that arrive in parts. However small the parts are, it takes at most twice their size. */
export class ByteCollector {
  #buffer: Buffer = EMPTY;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds a copy of the bytes. */
  add(part: Buffer): void {
    const length = this.#length + part.length;
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.#length, MIN_BUFFER_BYTES));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    part.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  /** Forgets all but the first bytes. */
  truncate(length: number): void {
    if (this.#length > length) this.#set(Buffer.from(this.#buffer.subarray(0, length)));
  }

  /** Returns the bytes, and begins anew. */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#set(EMPTY);
    return bytes;
  }

  #set(buffer: Buffer): void {
    this.#buffer = buffer;
    this.#length = buffer.length;
  }
}

const EMPTY = Buffer.alloc(0);
const MIN_BUFFER_BYTES = 1024;

/** Splits a stream of bytes into lines, with bounded memory. */
export class ByteLineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: Line) => void;
  /** The parts of the line that is not complete yet; of a line over the limit, its beginning. */
  readonly #kept = new ByteCollector();
  #size = 0;

  /**
   * @param maxBytes - The longest line that is kept whole, without its newline.
   * @param onLine - Is called with each line; only then may it use the bytes.
   */
  constructor(maxBytes: number, onLine: (line: Line) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  add(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      if (end === -1) break;
      const last = chunk.subarray(start, end);
      if (this.#size === 0 && last.length <= this.#maxBytes) this.#onLine({ kind: 'whole', bytes: last });
      else {
        this.#keep(last);
        this.#finishLine();
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** Hands over the last line, if it has no newline. */
  end(): void {
    if (this.#size > 0) this.#finishLine();
  }

  #keep(part: Buffer): void {
    const wasCut = this.#size > this.#maxBytes;
    this.#size += part.length;
    if (wasCut && this.#kept.length >= CUT_LINE_BYTES) return;
    this.#kept.add(part);
    if (this.#size > this.#maxBytes) this.#kept.truncate(CUT_LINE_BYTES);
  }

  #finishLine(): void {
    const whole = this.#kept.take();
    const size = this.#size;
    this.#size = 0;
    this.#onLine(size > this.#maxBytes ? { kind: 'cut', start: whole, size } : { kind: 'whole', bytes: whole });
  }
}
