/** A session that keeps events for a client that may reconnect. */
export interface EventStore {
  /** Characters of the events that it keeps. */
  readonly bufferedChars: number;
  /** Its index in the heap of the budget, which alone sets it; -1 if it is not in the heap. */
  heapIndex: number;
  /** Drops the oldest delivered event; false without one. */
  dropDelivered(): boolean;
  /** Drops the oldest undelivered event; false without one. */
  dropUndelivered(): boolean;
}

/** The fraction of the limit for messages that wait for clients that do not listen. */
const QUEUED_FRACTION = 4;

/**
 * The characters that all sessions keep together. Past the limit, the session that keeps the most loses its oldest
 * delivered event; if it has none, another session's delivered event is dropped; and an undelivered event only if no
 * other is left, again of the session that keeps the most. So a session that keeps little never loses events because of
 * one that keeps much.
 *
 * `used` is what all holders keep, plus `reserved`. A holder is in the heap, at its `heapIndex`, while it keeps
 * anything.
 * `delivered` includes every holder that has a delivered event, and perhaps others.
 */
export class ResumeBudget {
  readonly max: number;
  #used = 0;
  #reserved = 0;
  /** A binary heap; the first holder keeps the most. */
  readonly #heap: EventStore[] = [];
  /** Holders that may have a delivered event. */
  readonly #delivered = new Set<EventStore>();

  constructor(max: number) {
    this.max = max;
  }

  get used(): number {
    return this.#used;
  }

  /** Records a change of a holder's characters. */
  adjust(holder: EventStore, characters: number): void {
    this.#used += characters;
    if (holder.bufferedChars === 0) this.#remove(holder);
    else this.#place(holder);
  }

  /** Records that a holder has a delivered event. */
  markDelivered(holder: EventStore): void {
    this.#delivered.add(holder);
  }

  /**
   * Reserves room for messages that wait undelivered: only delivered events are dropped for them. They are never
   * dropped themselves, so they get only a fraction of the limit.
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

  /** Drops events until the limit is kept. */
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
