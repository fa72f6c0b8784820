import type { CallerResumeBudget } from "./resume-budget.js";

/** Maximum of messages that wait until the client listens. */
const MAX_QUEUED_MESSAGES = 256;
/** Maximum of their characters, if there is more than one. */
const MAX_QUEUED_CHARS = 1024 * 1024;

/**
 * The messages of no request that wait until the client listens.
 *
 * The budget has reserved exactly `chars` for it.
 * A queued message is never dropped: one that does not fit is rejected when it is added.
 */
export class MessageQueue {
  readonly #budget: CallerResumeBudget;
  readonly #messages: string[] = [];
  #chars = 0;

  constructor(budget: CallerResumeBudget) {
    this.#budget = budget;
  }

  /** @throws Error if too much waits already. */
  add(data: string): void {
    if (this.#messages.length >= MAX_QUEUED_MESSAGES)
      throw new Error("the client does not listen");
    const isLarge = this.#chars + data.length > MAX_QUEUED_CHARS;
    if (
      (isLarge && this.#messages.length > 0) ||
      !this.#budget.reserve(data.length)
    )
      throw new Error("too much waits for clients that do not listen");
    this.#chars += data.length;
    this.#messages.push(data);
  }

  /** Empties the queue, and returns its messages. */
  takeAll(): readonly string[] {
    const messages = this.#messages.splice(0);
    this.#budget.release(this.#chars);
    this.#chars = 0;
    return messages;
  }
}
