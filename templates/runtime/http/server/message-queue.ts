import type { CallerResumeBudget } from "./resume-budget.js";

/** Maximum of messages that wait until the client listens. */
const MAX_QUEUED_MESSAGES = 256;
/** Maximum of their characters, if there is more than one. */
const MAX_QUEUED_CHARS = 1024 * 1024;

/** A message that waits. */
interface QueuedData {
  readonly number: number;
  readonly data: string;
}

/**
 * The messages of no request that wait until the client listens.
 *
 * The budget has reserved exactly `chars` for it.
 * A queued message is never dropped: one that does not fit is rejected when it is added.
 * Numbers grow; all messages up to `lastSent` were taken.
 */
export class MessageQueue {
  readonly #budget: CallerResumeBudget;
  readonly #messages: QueuedData[] = [];
  #chars = 0;
  #lastNumber = 0;
  #lastSent = 0;

  constructor(budget: CallerResumeBudget) {
    this.#budget = budget;
  }

  /** The messages that wait, in order. */
  get messages(): readonly QueuedData[] {
    return this.#messages;
  }

  /** The number of the last message that was taken. */
  get lastSent(): number {
    return this.#lastSent;
  }

  /**
   * Adds a message, and returns its number.
   *
   * @throws Error if too much waits already.
   */
  add(data: string): number {
    if (this.#messages.length >= MAX_QUEUED_MESSAGES)
      throw new Error("the client does not listen");
    const isLarge = this.#chars + data.length > MAX_QUEUED_CHARS;
    if (
      (isLarge && this.#messages.length > 0) ||
      !this.#budget.reserve(data.length)
    )
      throw new Error("too much waits for clients that do not listen");
    this.#chars += data.length;
    this.#lastNumber += 1;
    this.#messages.push({ number: this.#lastNumber, data });
    return this.#lastNumber;
  }

  /** Takes over the messages of another process, and the number of its last one. */
  restore(messages: readonly QueuedData[], lastNumber: number): void {
    for (const message of messages) {
      if (!this.#budget.reserve(message.data.length)) break;
      this.#chars += message.data.length;
      this.#messages.push(message);
    }
    this.#lastNumber = lastNumber;
    this.#lastSent = (messages[0]?.number ?? lastNumber + 1) - 1;
  }

  /** Empties the queue, and returns its messages. */
  takeAll(): readonly string[] {
    const messages = this.#messages.splice(0);
    this.#budget.release(this.#chars);
    this.#chars = 0;
    this.#lastSent = this.#lastNumber;
    return messages.map(({ data }) => data);
  }
}
