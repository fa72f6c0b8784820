import type { DeliveryReceipt, ResponseWriter } from "./reply.js";
import type { CallerResumeBudget, EventStore } from "./resume-budget.js";
import type { SessionStream } from "./session-stream.js";

/** How much a session keeps of what its streams carried, so that a client can come back for what it missed. */
export interface ResumeLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** Milliseconds after which a client should come back when a stream's connection was closed on purpose. */
  readonly retry: number;
}

/** An event that was sent and can be sent again. */
export interface BufferedEvent extends DeliveryReceipt {
  readonly stream: SessionStream;
  readonly sequence: number;
  readonly text: string;
  /** Whether it was said of a request and is no more than a notification: the next one stands for it as well. */
  readonly isDroppable: boolean;
  /** An answer, or a question, that no connection has carried to its end yet. */
  isUndelivered: boolean;
}

/**
 * The events that a session can send again.
 *
 * The budget counts exactly `bufferedChars` for it: every change of `events` adjusts both.
 * Delivered events are dropped before undelivered ones; the stream, or `newestLostListenKey`, remembers what was dropped.
 */
export class EventBuffer implements EventStore {
  bufferedChars = 0;
  heapIndex = -1;
  readonly #limits: ResumeLimits;
  readonly #budget: CallerResumeBudget;
  #events: BufferedEvent[] = [];
  /** The newest of the streams that listened and of which an event is not kept any more. */
  #newestLostListenKey = 0;

  constructor(limits: ResumeLimits, budget: CallerResumeBudget) {
    this.#limits = limits;
    this.#budget = budget;
  }

  /** A stream of which an event is kept. */
  findStream(key: number): SessionStream | undefined {
    return this.#events.find(({ stream }) => stream.key === key)?.stream;
  }

  get newestLostListenKey(): number {
    return this.#newestLostListenKey;
  }

  /** Writes the events of a stream that come after a sequence number. */
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

  /** Connections may have carried events that were undelivered. */
  handleDrained(): void {
    if (this.#events.length === 0) return;
    this.#budget.markDelivered(this);
    this.#trim();
  }

  /** Keeps an event; the oldest ones are dropped if that makes too many. */
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

  /** Drops events by the limits of one session: undelivered ones only where there are too many. */
  #trim(): void {
    const { maxEvents, maxBytes } = this.#limits;
    while (this.#events.length > maxEvents)
      if (!this.dropDelivered()) this.dropUndelivered();
    // A client may be about to lose the connection that carries the newest one.
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
