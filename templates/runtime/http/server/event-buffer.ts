import type { DeliveryReceipt, ResponseWriter } from "./reply.js";
import type { CallerResumeBudget, EventStore } from "./resume-budget.js";
import type { SessionStream } from "./session-stream.js";

/** How many events a session keeps, so that a client can reconnect and receive those that it missed. */
export interface ResumeLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** Milliseconds after which a client should reconnect if a stream's connection was closed on purpose. */
  readonly retry: number;
}

/** An event that was sent and can be resent. */
export interface BufferedEvent extends DeliveryReceipt {
  readonly stream: SessionStream;
  readonly sequence: number;
  readonly text: string;
  /** Whether it is a notification of a request: the next one may replace it. */
  readonly isDroppable: boolean;
  /** A response or a request that no connection has delivered completely. */
  isUndelivered: boolean;
}

/**
 * The events that a session can resend.
 *
 * The budget counts exactly `bufferedChars` for it: every change of `events` adjusts both.
 * Delivered events are dropped before undelivered ones; the stream, or `newestLostListenKey`, remembers what was
 * dropped.
 */
export class EventBuffer implements EventStore {
  bufferedChars = 0;
  heapIndex = -1;
  readonly #limits: ResumeLimits;
  readonly #budget: CallerResumeBudget;
  #events: BufferedEvent[] = [];
  /** The newest listening stream of which an event was dropped. */
  #newestLostListenKey = 0;

  constructor(limits: ResumeLimits, budget: CallerResumeBudget) {
    this.#limits = limits;
    this.#budget = budget;
  }

  /** A stream with a buffered event. */
  findStream(key: number): SessionStream | undefined {
    return this.#events.find(({ stream }) => stream.key === key)?.stream;
  }

  /** What can be resent, the oldest first. */
  get kept(): readonly BufferedEvent[] {
    return this.#events;
  }

  /** Takes over the events of another process, the newest of them if there are too many. */
  restore(events: readonly BufferedEvent[]): void {
    const surplus = Math.max(0, events.length - this.#limits.maxEvents);
    for (const event of events.slice(0, surplus)) this.#recordLost(event);
    for (const event of events.slice(surplus)) this.add(event);
  }

  /** Takes over what another process knows about dropped events. */
  restoreLost(newestLostListenKey: number): void {
    this.#newestLostListenKey = newestLostListenKey;
  }

  get newestLostListenKey(): number {
    return this.#newestLostListenKey;
  }

  /** Writes the events of a stream after a sequence number. */
  replay(
    stream: SessionStream,
    sequence: number,
    writer: ResponseWriter,
  ): void {
    for (const event of this.#events) {
      if (event.stream === stream && event.sequence > sequence)
        writer.writeEvent(
          event.text,
          undefined,
          event.isDroppable ? undefined : event,
        );
    }
    this.handleDrained();
  }

  /** Marks undelivered events as delivered where a connection may have delivered them. */
  handleDrained(): void {
    if (this.#events.length === 0) return;
    this.#budget.markDelivered(this);
    this.#trim();
  }

  /** Keeps an event, and drops the oldest ones past the limit. */
  add(event: BufferedEvent): void {
    const budget = this.#budget;
    if (event.text.length > budget.max) {
      this.#recordLost(event);
      return;
    }
    this.#events.push(event);
    this.#adjustBuffered(event.text.length);
    if (!event.isUndelivered) budget.markDelivered(this);
    this.#trim();
    budget.trim();
  }

  /** Drops events past the limits of one session: undelivered ones only if there are too many. */
  #trim(): void {
    const { maxEvents, maxBytes } = this.#limits;
    while (this.#events.length > maxEvents)
      if (!this.dropDelivered()) this.dropUndelivered();
    // The newest event is kept, since the connection that carries it may break.
    while (this.bufferedChars > maxBytes) {
      const index = this.#events.findIndex(
        ({ isUndelivered }) => !isUndelivered,
      );
      if (index < 0 || index === this.#events.length - 1) return;
      this.#dropEvent(index);
    }
  }

  /** @internal */
  dropDelivered(): boolean {
    return this.#dropEvent(
      this.#events.findIndex(({ isUndelivered }) => !isUndelivered),
    );
  }

  /** @internal */
  dropUndelivered(): boolean {
    return this.#dropEvent(
      this.#events.findIndex(({ isUndelivered }) => isUndelivered),
    );
  }

  #dropEvent(index: number): boolean {
    const [dropped] = index < 0 ? [] : this.#events.splice(index, 1);
    if (dropped === undefined) return false;
    this.#adjustBuffered(-dropped.text.length);
    this.#recordLost(dropped);
    return true;
  }

  #recordLost({ stream, sequence, isDroppable }: BufferedEvent): void {
    if (stream.isListenStream)
      this.#newestLostListenKey = Math.max(
        this.#newestLostListenKey,
        stream.key,
      );
    if (!isDroppable)
      stream.lastLostSequence = Math.max(stream.lastLostSequence, sequence);
  }

  #adjustBuffered(characters: number): void {
    this.bufferedChars += characters;
    this.#budget.adjust(this, characters);
  }

  clear(): void {
    this.#events = [];
    this.#adjustBuffered(-this.bufferedChars);
  }
}
