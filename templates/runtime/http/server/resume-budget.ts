/** A session that keeps events for a client that may come back. */
export interface EventStore {
  /** Characters of the events that it keeps. */
  readonly bufferedChars: number;
  /** Its place in the heap of the budget, which alone sets it; -1 while it is not there. */
  heapIndex: number;
  /** Forgets the oldest event that a connection has carried; false if it has none. */
  dropDelivered(): boolean;
  /** Forgets the oldest event that no connection has carried; false if it has none. */
  dropUndelivered(): boolean;
}

/** Messages that wait for clients that do not listen may take one part in so many of the limit. */
const QUEUED_FRACTION = 4;

/**
 * The characters that all sessions together keep. When they are too many, the session that keeps the most loses its oldest
 * delivered event; if it has none, another one's delivered event goes; and an undelivered event only if there is no other,
 * again of the session that keeps the most. So a session that keeps little never pays for one that keeps much.
 *
 * `used` is what all holders keep, plus `reserved`. A holder is in the heap, at its `heapIndex`, while it keeps anything.
 * `delivered` includes every holder that has a delivered event, and perhaps others.
 */
export class ResumeBudget {
  readonly max: number;
  #used = 0;
  #reserved = 0;
  /** A binary heap, the holder of the most first. */
  readonly #heap: EventStore[] = [];
  /** Holders that may have a delivered event. */
  readonly #delivered = new Set<EventStore>();

  constructor(max: number) {
    this.max = max;
  }

  get used(): number {
    return this.#used;
  }

  /** Says that a holder keeps so many characters more, or less, than before. */
  adjust(holder: EventStore, characters: number): void {
    this.#used += characters;
    if (holder.bufferedChars === 0) this.#remove(holder);
    else this.#place(holder);
  }

  /** Says that a holder has an event that was delivered. */
  markDelivered(holder: EventStore): void {
    this.#delivered.add(holder);
  }

  /**
   * Makes room for messages that wait, of which nobody has had any: only delivered events give way to them. They are never
   * forgotten themselves, so they get a part of the limit and no more.
   */
  reserve(characters: number): boolean {
    if (this.#reserved + characters > this.max / QUEUED_FRACTION) return false;
    while (this.#used + characters > this.max)
      if (!this.dropDelivered()) return false;
    this.#used += characters;
    this.#reserved += characters;
    return true;
  }

  release(characters: number): void {
    this.#used -= characters;
    this.#reserved -= characters;
  }

  /** Forgets events until no more are kept than may be. */
  trim(): void {
    while (this.#used > this.max)
      if (!this.dropDelivered() && !this.dropUndelivered()) return;
  }

  /** @internal */
  dropUndelivered(): boolean {
    return this.#heap[0]?.dropUndelivered() === true;
  }

  /** @internal */
  dropDelivered(): boolean {
    const [largest] = this.#heap;
    if (largest !== undefined && this.#dropDeliveredOf(largest)) return true;
    for (const holder of this.#delivered)
      if (this.#dropDeliveredOf(holder)) return true;
    return false;
  }

  #dropDeliveredOf(holder: EventStore): boolean {
    if (!this.#delivered.has(holder)) return false;
    if (holder.dropDelivered()) return true;
    this.#delivered.delete(holder);
    return false;
  }

  #place(holder: EventStore): void {
    const heap = this.#heap;
    let index = holder.heapIndex < 0 ? heap.length : holder.heapIndex;
    const length = holder.bufferedChars;
    for (let above = (index - 1) >> 1; index > 0; above = (index - 1) >> 1) {
      const parent = heap[above];
      if (parent === undefined || parent.bufferedChars >= length) break;
      this.#put(parent, index);
      index = above;
    }
    for (;;) {
      let below = 2 * index + 1;
      const right = heap[below + 1];
      if (
        right !== undefined &&
        right.bufferedChars > (heap[below]?.bufferedChars ?? 0)
      )
        below += 1;
      const child = heap[below];
      if (child === undefined || child.bufferedChars <= length) break;
      this.#put(child, index);
      index = below;
    }
    this.#put(holder, index);
  }

  #put(holder: EventStore, index: number): void {
    this.#heap[index] = holder;
    holder.heapIndex = index;
  }

  #remove(holder: EventStore): void {
    this.#delivered.delete(holder);
    const { heapIndex: index } = holder;
    if (index < 0) return;
    holder.heapIndex = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === holder) return;
    last.heapIndex = index;
    this.#heap[index] = last;
    this.#place(last);
  }
}

/**
 * The events that the sessions of one caller keep: one holder in the shared budget, so that the sum of its sessions counts.
 *
 * The shared budget includes `bufferedChars`, the sum over this caller's sessions, exactly once.
 * Reservations go to the shared budget directly, and are not part of `bufferedChars`.
 */
export class CallerResumeBudget implements EventStore {
  heapIndex = -1;
  readonly #all: ResumeBudget;
  readonly #ofCaller = new ResumeBudget(Number.POSITIVE_INFINITY);

  constructor(all: ResumeBudget) {
    this.#all = all;
  }

  get max(): number {
    return this.#all.max;
  }

  get bufferedChars(): number {
    return this.#ofCaller.used;
  }

  adjust(holder: EventStore, characters: number): void {
    this.#ofCaller.adjust(holder, characters);
    this.#all.adjust(this, characters);
  }

  markDelivered(holder: EventStore): void {
    this.#ofCaller.markDelivered(holder);
    this.#all.markDelivered(this);
  }

  reserve(characters: number): boolean {
    return this.#all.reserve(characters);
  }

  release(characters: number): void {
    this.#all.release(characters);
  }

  trim(): void {
    this.#all.trim();
  }

  dropDelivered(): boolean {
    return this.#ofCaller.dropDelivered();
  }

  dropUndelivered(): boolean {
    return this.#ofCaller.dropUndelivered();
  }
}
