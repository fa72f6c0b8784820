import process from "node:process";
import type { Readable, Writable } from "node:stream";
import type { Message, Notification } from "./message.js";
import { DEFAULT_MAX_MESSAGE_BYTES, MessageReader } from "./ndjson.js";
import type { StreamEvent } from "./ndjson.js";
import { DEFAULT_MAX_DEPTH } from "./parse.js";
import { receive, receiveInvalid } from "./receive.js";
import type { Transport } from "./transport.js";
import { encodeLine } from "./write.js";

/** How lines are read, on either side of stdio. */
export interface LineOptions {
  /** How many bytes a line may have; 16 MiB by default. A longer one is skipped and reported to `oninvalid`. */
  readonly maxMessageBytes?: number;
  /** How many arrays and objects may be inside one another; 256 by default. */
  readonly maxDepth?: number;
  /**
   * How many characters of messages may wait until the other side reads; 128 Mi by default. Whoever reads nothing and yet
   * has more written to it counts as gone: the connection ends with an error. So does whoever leaves more than 10,000
   * answers to its own requests unread.
   */
  readonly maxUnread?: number;
}

/** Writes text, as a writable stream does. */
export type Write = (
  text: string,
  encoding: "utf8",
  done: (error?: Error | null) => void,
) => boolean;

/** What a side does with its lines. */
export interface LineUser {
  /** Whose `onmessage`, `oninvalid` and `onerror` are told. */
  readonly transport: Transport;
  readonly input: Readable;
  readonly output: Writable;
  /** Writes to the output, where its own `write` does something else. */
  readonly write?: Write | undefined;
  /** How many characters may wait for a full output. */
  readonly maxUnread?: number | undefined;
  /**
   * Whether nothing is read while the output is full. One side of a connection may do so, not both: each would wait for
   * the other to read.
   */
  readonly holdsInput: boolean;
  /** The input has ended, and all that was read is handed on. */
  onEnd(): void;
  /** Input or output failed, or the output was closed (no error). */
  onBroken(error: Error | undefined): void;
}

/** Every JSON value counts as a message here: which are some, the endpoint judges by its revision. */
type Unjudged = {
  readonly kind: "notification";
  readonly message: Notification;
};

const classify = (value: unknown): Unjudged => ({
  kind: "notification",
  message: value as Notification,
});

/** A reader that takes every JSON value for a message. */
export type LineReader = MessageReader<Unjudged>;

/**
 * Makes the reader of one stream.
 *
 * @throws RangeError if a limit is none.
 */
export function lineReader(options: LineOptions): LineReader {
  const {
    maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES,
    maxDepth = DEFAULT_MAX_DEPTH,
  } = options;
  return new MessageReader({ classify, maxMessageBytes, maxDepth });
}

const DEFAULT_MAX_UNREAD = 128 * 1024 * 1024;

/**
 * Answers that may wait for a full output. Only the other side makes us answer, and many short answers take several times
 * the memory of their characters.
 */
const MAX_UNREAD_ANSWERS = 10_000;

/** Characters that are written at once; beyond them it is no gain to wait for more. */
const BATCH = 64 * 1024;

/** Reads and writes messages as lines; what the two sides of stdio have in common. */
export class Lines {
  readonly #user: LineUser;
  readonly #reader: LineReader;
  /** What was read and not handed on, since the output is full. */
  #held: StreamEvent<Unjudged>[] = [];
  #isReading = false;
  #isPaused = false;
  #hasEnded = false;

  /** Lines that are not written yet: full batches, which only wait in a full output, and the one that is begun. */
  #batches: { readonly text: string; readonly answers: number }[] = [];
  #batch = "";
  /** Answers in the batch that is begun. */
  #answers = 0;
  /** Characters of the full batches. */
  #unread = 0;
  readonly #maxUnread: number;
  /** Answers in the full batches. */
  #unreadAnswers = 0;
  #isScheduled = false;
  #isOpen = true;
  #isReleased = false;
  /** The output takes nothing any more. */
  #isBroken = false;
  /** Writes that the output has not finished. */
  #writes = 0;
  #isFull = false;
  /** Those who wait until the output takes more. */
  #room: Deferred | undefined;
  /** Those who wait until the output has taken everything. */
  #idle: Deferred | undefined;

  /** @throws RangeError if the limit is none. */
  constructor(user: LineUser, reader: LineReader) {
    this.#user = user;
    this.#reader = reader;
    this.#maxUnread = user.maxUnread ?? DEFAULT_MAX_UNREAD;
    if (!(this.#maxUnread >= 1))
      throw new RangeError(
        `maxUnread must be at least 1, not ${this.#maxUnread}`,
      );
  }

  /** Begins to read. */
  open(): void {
    const { input, output } = this.#user;
    this.#isReading = true;
    output.on("drain", this.#onDrain);
    output.on("error", this.#onOutputError);
    output.on("close", this.#onOutputClose);
    input.on("end", this.#onEnd);
    input.on("close", this.#onEnd);
    input.on("error", this.#onInputError);
    input.on("data", this.#onData);
    // Such a stream says nothing more.
    if (input.readableEnded || input.destroyed) process.nextTick(this.#onEnd);
  }

  /**
   * Writes a message, together with all that is sent until the work at hand (with its promises) is done.
   *
   * @returns A promise if the output is full: it resolves when it takes more.
   * @throws Error if the connection is closed, TypeError if JSON cannot hold the message.
   */
  send(message: object): Promise<void> | undefined {
    if (!this.#isOpen) throw new Error("the connection is closed");
    const line = encodeLine(message as Message);
    if (this.#isFull) this.#checkUnread();
    if ("result" in message || "error" in message) this.#answers += 1;
    this.#batch = this.#batch === "" ? line : this.#batch + line;
    if (this.#batch.length >= BATCH) {
      this.#batches.push({ text: this.#batch, answers: this.#answers });
      this.#unread += this.#batch.length;
      this.#unreadAnswers += this.#answers;
      this.#batch = "";
      this.#answers = 0;
      if (!this.#isFull) this.#writeBatches();
    } else if (!this.#isFull && !this.#isScheduled) {
      this.#isScheduled = true;
      queueMicrotask(this.#defer);
    }
    if (!this.#isFull) return undefined;
    this.#room ??= new Deferred();
    return this.#room.promise;
  }

  /** @throws Error if the other side leaves too much unread; the connection is over then. */
  #checkUnread(): void {
    const excess =
      this.#unread > this.#maxUnread
        ? `${this.#maxUnread} characters`
        : this.#unreadAnswers > MAX_UNREAD_ANSWERS
          ? `${MAX_UNREAD_ANSWERS} answers to its requests`
          : undefined;
    if (excess === undefined) return;
    // What else it asks for is not answered.
    this.mute();
    this.#break(
      new Error(
        `the other side does not read: more than ${excess} wait for it`,
      ),
    );
    throw new Error("the connection is closed");
  }

  /** Reads on, so that the other side is not stopped in the middle of a write, but hands nothing on. */
  mute(): void {
    this.#isReading = false;
    this.#held = [];
    this.#resume();
  }

  /** Lets go of the input. It keeps no process alive unless others read it too. */
  stopReading(): void {
    const { input } = this.#user;
    this.#isReading = false;
    this.#held = [];
    input.off("data", this.#onData);
    input.off("end", this.#onEnd);
    input.off("close", this.#onEnd);
    input.off("error", this.#onInputError);
    this.#resume();
    // Not at once: a stream that is paused while it hands on data reads on (Node), and that keeps the process alive.
    setImmediate(() => {
      if (input.listenerCount("data") + input.listenerCount("readable") === 0)
        input.pause();
    });
  }

  /**
   * Writes what is left, full or not; nothing can be sent from here on.
   *
   * @returns Resolves when the output has taken it or has failed, or after `patience` milliseconds.
   */
  async stopWriting(patience: number): Promise<void> {
    if (this.#isOpen) {
      this.#isOpen = false;
      const texts = this.#batches.map(({ text }) => text);
      if (this.#batch !== "") texts.push(this.#batch);
      this.#batch = "";
      this.#batches = [];
      for (const text of texts) this.#write(text);
      this.#release();
    }
    if (this.#writes === 0 || this.#isBroken) return;
    this.#idle ??= new Deferred();
    const timer = setTimeout(this.#idle.resolve, patience);
    timer.unref();
    await this.#idle.promise;
    clearTimeout(timer);
  }

  /** Lets go of the output as soon as nothing of ours is on its way, since what fails there must not go unheard. */
  releaseOutput(): void {
    const { output } = this.#user;
    this.#isReleased = true;
    output.off("drain", this.#onDrain);
    output.off("close", this.#onOutputClose);
    if (this.#writes === 0) output.off("error", this.#onOutputError);
  }

  /** After all promises at hand: their answers go out in the same write. */
  readonly #defer = (): void => {
    process.nextTick(this.#flush);
  };

  readonly #flush = (): void => {
    this.#isScheduled = false;
    if (this.#batch === "" || this.#isFull || !this.#isOpen) return;
    const batch = this.#batch;
    this.#batch = "";
    this.#answers = 0;
    this.#write(batch);
  };

  #writeBatches(): void {
    let at = 0;
    while (at < this.#batches.length && !this.#isFull) {
      const batch = this.#batches[at++];
      if (batch === undefined) break;
      this.#unread -= batch.text.length;
      this.#unreadAnswers -= batch.answers;
      this.#write(batch.text);
    }
    this.#batches = this.#batches.slice(at);
  }

  #write(text: string): void {
    const { output, write } = this.#user;
    this.#writes += 1;
    const hasRoom =
      write === undefined
        ? output.write(text, "utf8", this.#onWritten)
        : write(text, "utf8", this.#onWritten);
    if (!hasRoom) this.#isFull = this.#isOpen;
  }

  readonly #onWritten = (error?: Error | null): void => {
    this.#writes -= 1;
    if (this.#writes > 0) return;
    this.#idle?.resolve();
    // A failure is told to the callback first, and then to the listener.
    if (this.#isReleased && (error === undefined || error === null))
      this.#user.output.off("error", this.#onOutputError);
  };

  #hasRoom(): boolean {
    return !this.#isFull;
  }

  readonly #onDrain = (): void => {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#writeBatches();
    this.#flush();
    if (!this.#hasRoom()) return;
    this.#room?.resolve();
    this.#room = undefined;
    this.#handOn();
  };

  /** Those who wait for room wait in vain. */
  #release(): void {
    this.#isFull = false;
    this.#room?.reject(
      new Error("the connection closed before it took the message"),
    );
    this.#room = undefined;
  }

  #break(error: Error | undefined): void {
    this.#isBroken = true;
    this.#idle?.resolve();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#batch = "";
    this.#batches = [];
    this.#release();
    this.#user.onBroken(error);
    this.#handOn();
  }

  readonly #onOutputError = (error: Error): void => {
    this.#break(error);
  };

  readonly #onOutputClose = (): void => {
    this.#break(undefined);
  };

  readonly #onInputError = (error: Error): void => {
    this.#user.onBroken(error);
  };

  readonly #onData = (chunk: Uint8Array | string): void => {
    if (!this.#isReading) return;
    // A stream that others have told to decode gives strings.
    const events = this.#reader.push(
      typeof chunk === "string" ? Buffer.from(chunk) : chunk,
    );
    // Not spread into a push: a large chunk can hold more messages than a call can have arguments.
    if (this.#held.length > 0) this.#held = this.#held.concat(events);
    else this.#hand(events);
  };

  readonly #onEnd = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#isReading) this.#held.push(...this.#reader.end());
    this.#handOn();
  };

  /** Goes on with what was held, then with reading. */
  #handOn(): void {
    const held = this.#held;
    this.#held = [];
    this.#hand(held);
    if (this.#held.length > 0 || this.#isHolding()) return;
    if (this.#hasEnded) this.#user.onEnd();
    else this.#resume();
  }

  #hand(events: readonly StreamEvent<Unjudged>[]): void {
    const { transport } = this.#user;
    for (let at = 0; at < events.length && this.#isReading; at += 1) {
      if (this.#isHolding()) {
        this.#held = events.slice(at);
        break;
      }
      const event = events[at];
      if (event === undefined) continue;
      if (event.kind === "notification") receive(transport, event.message);
      else receiveInvalid(transport, event);
    }
    if (this.#isReading && this.#isHolding() && !this.#isPaused) {
      this.#isPaused = true;
      this.#user.input.pause();
    }
  }

  #isHolding(): boolean {
    return this.#user.holdsInput && this.#isFull;
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#user.input.resume();
  }
}

/** A promise and who settles it. A rejection that nobody waits for is none. */
class Deferred {
  readonly promise: Promise<void>;
  resolve!: () => void;
  reject!: (error: Error) => void;

  constructor() {
    this.promise = new Promise<void>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.promise.catch(() => undefined);
  }
}
