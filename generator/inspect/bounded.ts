/** Collections with a limit, since a conversation may be of any length. */
import { isObject, type JsonValue } from '../read/json/json.js';

/** What a value takes in memory, in bytes, about. It is walked without recursion, since it may be nested deeply. */
export function sizeOf(value: JsonValue): number {
  let bytes = 0;
  const rest: JsonValue[] = [value];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    bytes += BYTES_OF_VALUE;
    if (typeof next === 'string') bytes += 2 * next.length;
    else if (Array.isArray(next)) for (const item of next as readonly JsonValue[]) rest.push(item);
    else if (isObject(next)) {
      for (const [key, member] of Object.entries(next)) {
        bytes += 2 * key.length;
        rest.push(member);
      }
    }
  }
  return bytes;
}

const BYTES_OF_VALUE = 32;

/** A map that forgets its oldest entries when it has more than a number of entries, or of bytes. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #limit: number;
  readonly #maxBytes: number;
  /** The sizes of the entries that have one. */
  readonly #sizes = new Map<K, number>();
  #bytes = 0;
  /** Stays at the oldest entry: a new iterator would pass the places of all that were deleted. */
  readonly #oldest: Iterator<K> = this.keys();
  /** Whether an entry was forgotten. */
  hasForgotten = false;

  constructor(limit: number, maxBytes = Infinity) {
    super();
    this.#limit = limit;
    this.#maxBytes = maxBytes;
  }

  /** @param bytes - What the value takes, about. */
  override set(key: K, value: V, bytes = 0): this {
    this.#forgetSize(key);
    super.set(key, value);
    if (bytes > 0) {
      this.#sizes.set(key, bytes);
      this.#bytes += bytes;
    }
    while (this.size > this.#limit || this.#bytes > this.#maxBytes) {
      const oldest = this.#oldest.next();
      if (oldest.done === true) break;
      this.hasForgotten = true;
      this.delete(oldest.value);
    }
    return this;
  }

  override delete(key: K): boolean {
    this.#forgetSize(key);
    return super.delete(key);
  }

  #forgetSize(key: K): void {
    const bytes = this.#sizes.get(key);
    if (bytes === undefined) return;
    this.#bytes -= bytes;
    this.#sizes.delete(key);
  }
}

/** A set that forgets its oldest value when it has more than a number of values. */
export class BoundedSet<T> extends Set<T> {
  readonly #limit: number;
  /** Stays at the oldest value: a new iterator would pass the places of all that were deleted. */
  readonly #oldest: Iterator<T> = this.values();
  /** Whether a value was forgotten. */
  hasForgotten = false;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override add(value: T): this {
    super.add(value);
    if (this.size > this.#limit) {
      this.hasForgotten = true;
      const oldest = this.#oldest.next();
      if (oldest.done !== true) this.delete(oldest.value);
    }
    return this;
  }
}
