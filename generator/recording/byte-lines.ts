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

/** Splits a stream of bytes into lines, with bounded memory. */
export class ByteLineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: Line) => void;
  /** The parts of the line that is not complete yet; of a line over the limit, its beginning. */
  #parts: Buffer[] = [];
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
    if (wasCut && (this.#parts[0]?.length ?? 0) >= CUT_LINE_BYTES) return;
    this.#parts.push(part);
    // A copy, so that the chunks are not kept in memory.
    if (this.#size > this.#maxBytes) this.#parts = [Buffer.concat(this.#parts, Math.min(this.#size, CUT_LINE_BYTES))];
  }

  #finishLine(): void {
    const bytes = this.#parts.length === 1 ? this.#parts[0] : undefined;
    const whole = bytes ?? Buffer.concat(this.#parts);
    const size = this.#size;
    this.#parts = [];
    this.#size = 0;
    this.#onLine(size > this.#maxBytes ? { kind: 'cut', start: whole, size } : { kind: 'whole', bytes: whole });
  }
}
