/** What two sides wrote on one connection, bounded in entries and bytes. */
import { sizeOf } from '../../inspect/bounded.js';
import type { Content, Entry } from '../../recording/entry.js';

/** Most bytes of one line or body that are kept. */
export const MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** Most bytes that a server may send on one connection, as text or as values. */
export const MAX_CONNECTION_BYTES = 16 * 1024 * 1024;
/** Most entries of one connection. */
export const MAX_ENTRIES = 10_000;
/** Entries that are kept of a connection that is flooded. */
const KEPT_OF_FLOOD = 20;
/** Deepest nesting of a frame that is parsed, in levels. */
const MAX_DEPTH = 512;
/** Characters that are kept of a frame that is too large or too deep. */
const START_LENGTH = 200;

/** The entries of a connection. Numbers of entries begin with 1, as in findings. */
export class Log {
  readonly entries: Entry[] = [];
  /** Whether the server sent more than a connection may carry. */
  isFlooded = false;
  /** Called once when the connection is flooded. */
  onFlood: () => void = () => undefined;
  #bytes = 0;
  readonly #started = performance.now();
  readonly #waiting = new Set<() => void>();

  /** Adds an entry with the present time. Returns its number. */
  add(entry: Omit<Entry, 'time'>, bytes = 0): number {
    if (!this.isFlooded) this.entries.push({ ...entry, time: performance.now() - this.#started });
    // Parsed values can take much more than their text.
    if (entry.from === 'server')
      this.#bytes += Math.max(bytes, entry.content.kind === 'frame' ? sizeOf(entry.content.frame) : 0);
    if (!this.isFlooded && (this.#bytes > MAX_CONNECTION_BYTES || this.entries.length >= MAX_ENTRIES)) {
      this.isFlooded = true;
      this.#release();
      this.onFlood();
    }
    this.wake();
    return this.entries.length;
  }

  /** Drops what nobody reads of a flood: its beginning shows what it is. */
  #release(): void {
    for (let index = KEPT_OF_FLOOD; index < this.entries.length; index += 1) {
      const entry = this.entries[index];
      if (entry?.from === 'server')
        this.entries[index] = { ...entry, content: { kind: 'omitted', bytes: 0, start: '' } };
    }
  }

  /** Milliseconds since an entry was added. */
  ageOf(frame: number): number {
    return performance.now() - this.#started - (this.entries[frame - 1]?.time ?? 0);
  }

  /** Has all waiting callers look again. */
  wake(): void {
    for (const check of [...this.#waiting]) check();
  }

  /** The first value that a search finds, now or after a later entry; undefined at the time limit. */
  async wait<T>(find: () => T | undefined, timeoutMs: number): Promise<T | undefined> {
    const found = find();
    if (found !== undefined) return found;
    return new Promise((resolve) => {
      const finish = (value: T | undefined): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve(value);
      };
      const check = (): void => {
        const value = find();
        if (value !== undefined) finish(value);
      };
      const timer = setTimeout(() => {
        finish(undefined);
      }, timeoutMs);
      this.#waiting.add(check);
    });
  }
}

/** The content of a line or a body. */
export function contentOf(bytes: Uint8Array): Content {
  if (bytes.length === 0) return { kind: 'none' };
  if (bytes.length > MAX_FRAME_BYTES) return omitted(bytes.length, bytes);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { kind: 'bytes', base64: Buffer.from(bytes).toString('base64') };
  }
  if (isDeep(text)) return omitted(bytes.length, bytes);
  try {
    return { kind: 'frame', frame: JSON.parse(text) as never };
  } catch {
    return { kind: 'text', text };
  }
}

/** The content of a frame of which only the start was kept. */
export function omitted(bytes: number, start: Uint8Array): Content {
  return { kind: 'omitted', bytes, start: new TextDecoder().decode(start.subarray(0, START_LENGTH)) };
}

/** Whether a text is nested so deeply that a value could overflow the stack; found without recursion. */
function isDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 92) at += 1;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === 93 || code === 125) depth -= 1;
  }
  return false;
}
