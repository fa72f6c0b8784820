/** Collections with a limit, since a conversation may be of any length. */

/** A map that forgets its oldest entry when it has more than a number of entries. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #limit: number;
  /** Stays at the oldest entry: a new iterator would pass the places of all that were deleted. */
  readonly #oldest: Iterator<K> = this.keys();
  /** Whether an entry was forgotten. */
  hasForgotten = false;

  constructor(limit: number) {
    super();
    this.#limit = limit;
  }

  override set(key: K, value: V): this {
    super.set(key, value);
    if (this.size > this.#limit) {
      this.hasForgotten = true;
      const oldest = this.#oldest.next();
      if (oldest.done !== true) this.delete(oldest.value);
    }
    return this;
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
