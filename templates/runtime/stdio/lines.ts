import process from "node:process";
import type { Readable, Writable } from "node:stream";
import type { Message } from "../jsonrpc/message.js";
import {
  DEFAULT_MAX_MESSAGE_BYTES,
  JsonLineReader,
} from "../jsonrpc/ndjson.js";
import type { JsonLineEvent } from "../jsonrpc/ndjson.js";
import { DEFAULT_MAX_DEPTH } from "../jsonrpc/scan.js";
import { emitMessage, emitInvalid } from "../jsonrpc/transport-events.js";
import type { Transport } from "../jsonrpc/transport.js";
import { encodeLine } from "../jsonrpc/write.js";

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
export type WriteFunction = (
  text: string,
  encoding: "utf8",
  done: (error?: Error | null) => void,
) => boolean;

/** What a side does with its lines. */
export interface LineChannelOptions {
  /** Whose `onmessage`, `oninvalid` and `onerror` are told. */
  readonly transport: Transport;
  readonly input: Readable;
  readonly output: Writable;
  /** Writes to the output, where its own `write` does something else. */
  readonly write?: WriteFunction | undefined;
  /** How many characters may wait for a full output. */
  readonly maxUnread?: number | undefined;
  /**
   * Whether nothing is read while the output is full. One side of a connection may do so, not both: each would wait for
   * the other to read.
   */
  readonly pauseWhenFull: boolean;
  /** The input has ended, and all that was read is handed on. */
  onEnd(): void;
  /** Input or output failed, or the output was closed (no error). */
  onFailure(error: Error | undefined): void;
}

/**
 * Makes the reader of one stream.
 *
 * @throws RangeError if a limit is none.
 */
export function createLineReader(options: LineOptions): JsonLineReader {
  const {
    maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES,
    maxDepth = DEFAULT_MAX_DEPTH,
  } = options;
  return new JsonLineReader({ maxMessageBytes, maxDepth });
}

const DEFAULT_MAX_UNREAD_CHARS = 128 * 1024 * 1024;

/**
 * Answers that may wait for a full output. Only the other side makes us answer, and many short answers take several times
 * the memory of their characters.
 */
const MAX_UNREAD_RESPONSES = 10_000;

/** Characters that are written at once; beyond them it is no gain to wait for more. */
const WRITE_BATCH_CHARS = 64 * 1024;

/** Reads and writes messages as lines; what the two sides of stdio have in common. */
export class LineChannel {
  readonly #options: LineChannelOptions;
  readonly #reader: JsonLineReader;
  /** What was read and not handed on, since the output is full. */
  #queuedEvents: JsonLineEvent[] = [];
  #isReading = false;
  #isPaused = false;
  #hasEnded = false;

  /** Lines that are not written yet: full batches, which only wait in a full output, and the one that is begun. */
  #batches: { readonly text: string; readonly answers: number }[] = [];
  #batch = "";
  /** Answers in the batch that is begun. */
  #queuedResponses = 0;
  /** Characters of the full batches. */
  #queuedChars = 0;
  readonly #maxUnreadChars: number;
  /** Answers in the full batches. */
  #unreadResponses = 0;
  #isScheduled = false;
  #isOpen = true;
  #isOutputReleased = false;
  /** The output takes nothing any more. */
  #hasOutputFailed = false;
  /** Writes that the output has not finished. */
  #pendingWrites = 0;
  #isOutputFull = false;
  /** Those who wait until the output takes more. */
  #drained: Deferred | undefined;
  /** Those who wait until the output has taken everything. */
  #flushed: Deferred | undefined;

  /** @throws RangeError if the limit is none. */
  constructor(options: LineChannelOptions, reader: JsonLineReader) {
    this.#options = options;
    this.#reader = reader;
    this.#maxUnreadChars = options.maxUnread ?? DEFAULT_MAX_UNREAD_CHARS;
    if (!(this.#maxUnreadChars >= 1))
      throw new RangeError(
        `maxUnread must be at least 1, not ${this.#maxUnreadChars}`,
      );
  }

  /** Begins to read. */
  open(): void {
    const { input, output } = this.#options;
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
    if (this.#isOutputFull) this.#checkUnread();
    if ("result" in message || "error" in message) this.#queuedResponses += 1;
    this.#batch = this.#batch === "" ? line : this.#batch + line;
    if (this.#batch.length >= WRITE_BATCH_CHARS) {
      this.#batches.push({ text: this.#batch, answers: this.#queuedResponses });
      this.#queuedChars += this.#batch.length;
      this.#unreadResponses += this.#queuedResponses;
      this.#batch = "";
      this.#queuedResponses = 0;
      if (!this.#isOutputFull) this.#writeBatches();
    } else if (!this.#isOutputFull && !this.#isScheduled) {
      this.#isScheduled = true;
      queueMicrotask(this.#scheduleFlush);
    }
    if (!this.#isOutputFull) return undefined;
    this.#drained ??= new Deferred();
    return this.#drained.promise;
  }

  /** @throws Error if the other side leaves too much unread; the connection is over then. */
  #checkUnread(): void {
    const excess =
      this.#queuedChars > this.#maxUnreadChars
        ? `${this.#maxUnreadChars} characters`
        : this.#unreadResponses > MAX_UNREAD_RESPONSES
          ? `${MAX_UNREAD_RESPONSES} answers to its requests`
          : undefined;
    if (excess === undefined) return;
    // What else it asks for is not answered.
    this.discardInput();
    this.#failOutput(
      new Error(
        `the other side does not read: more than ${excess} wait for it`,
      ),
    );
    throw new Error("the connection is closed");
  }

  /** Reads on, so that the other side is not stopped in the middle of a write, but hands nothing on. */
  discardInput(): void {
    this.#isReading = false;
    this.#queuedEvents = [];
    this.#resume();
  }

  /** Lets go of the input. It keeps no process alive unless others read it too. */
  stopReading(): void {
    const { input } = this.#options;
    this.#isReading = false;
    this.#queuedEvents = [];
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
  async stopWriting(timeoutMs: number): Promise<void> {
    if (this.#isOpen) {
      this.#isOpen = false;
      const texts = this.#batches.map(({ text }) => text);
      if (this.#batch !== "") texts.push(this.#batch);
      this.#batch = "";
      this.#batches = [];
      for (const text of texts) this.#write(text);
      this.#rejectWaitingWriters();
    }
    if (this.#pendingWrites === 0 || this.#hasOutputFailed) return;
    this.#flushed ??= new Deferred();
    const timer = setTimeout(this.#flushed.resolve, timeoutMs);
    timer.unref();
    await this.#flushed.promise;
    clearTimeout(timer);
  }

  /** Lets go of the output as soon as nothing of ours is on its way, since what fails there must not go unheard. */
  releaseOutput(): void {
    const { output } = this.#options;
    this.#isOutputReleased = true;
    output.off("drain", this.#onDrain);
    output.off("close", this.#onOutputClose);
    if (this.#pendingWrites === 0) output.off("error", this.#onOutputError);
  }

  /** After all promises at hand: their answers go out in the same write. */
  readonly #scheduleFlush = (): void => {
    process.nextTick(this.#flush);
  };

  readonly #flush = (): void => {
    this.#isScheduled = false;
    if (this.#batch === "" || this.#isOutputFull || !this.#isOpen) return;
    const batch = this.#batch;
    this.#batch = "";
    this.#queuedResponses = 0;
    this.#write(batch);
  };

  #writeBatches(): void {
    let index = 0;
    while (index < this.#batches.length && !this.#isOutputFull) {
      const batch = this.#batches[index++];
      if (batch === undefined) break;
      this.#queuedChars -= batch.text.length;
      this.#unreadResponses -= batch.answers;
      this.#write(batch.text);
    }
    this.#batches = this.#batches.slice(index);
  }

  #write(text: string): void {
    const { output, write } = this.#options;
    this.#pendingWrites += 1;
    const hasRoom =
      write === undefined
        ? output.write(text, "utf8", this.#onWritten)
        : write(text, "utf8", this.#onWritten);
    if (!hasRoom) this.#isOutputFull = this.#isOpen;
  }

  readonly #onWritten = (error?: Error | null): void => {
    this.#pendingWrites -= 1;
    if (this.#pendingWrites > 0) return;
    this.#flushed?.resolve();
    // A failure is told to the callback first, and then to the listener.
    if (this.#isOutputReleased && (error === undefined || error === null))
      this.#options.output.off("error", this.#onOutputError);
  };

  #canWrite(): boolean {
    return !this.#isOutputFull;
  }

  readonly #onDrain = (): void => {
    if (!this.#isOutputFull) return;
    this.#isOutputFull = false;
    this.#writeBatches();
    this.#flush();
    if (!this.#canWrite()) return;
    this.#drained?.resolve();
    this.#drained = undefined;
    this.#deliverQueued();
  };

  /** Those who wait for room wait in vain. */
  #rejectWaitingWriters(): void {
    this.#isOutputFull = false;
    this.#drained?.reject(
      new Error("the connection closed before it took the message"),
    );
    this.#drained = undefined;
  }

  #failOutput(error: Error | undefined): void {
    this.#hasOutputFailed = true;
    this.#flushed?.resolve();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#batch = "";
    this.#batches = [];
    this.#rejectWaitingWriters();
    this.#options.onFailure(error);
    this.#deliverQueued();
  }

  readonly #onOutputError = (error: Error): void => {
    this.#failOutput(error);
  };

  readonly #onOutputClose = (): void => {
    this.#failOutput(undefined);
  };

  readonly #onInputError = (error: Error): void => {
    this.#options.onFailure(error);
  };

  readonly #onData = (chunk: Uint8Array | string): void => {
    if (!this.#isReading) return;
    // A stream that others have told to decode gives strings.
    const events = this.#reader.push(
      typeof chunk === "string" ? Buffer.from(chunk) : chunk,
    );
    // Not spread into a push: a large chunk can hold more messages than a call can have arguments.
    if (this.#queuedEvents.length > 0)
      this.#queuedEvents = this.#queuedEvents.concat(events);
    else this.#deliver(events);
  };

  readonly #onEnd = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#isReading) this.#queuedEvents.push(...this.#reader.end());
    this.#deliverQueued();
  };

  /** Goes on with what was held, then with reading. */
  #deliverQueued(): void {
    const queued = this.#queuedEvents;
    this.#queuedEvents = [];
    this.#deliver(queued);
    if (this.#queuedEvents.length > 0 || this.#isInputPaused()) return;
    if (this.#hasEnded) this.#options.onEnd();
    else this.#resume();
  }

  #deliver(events: readonly JsonLineEvent[]): void {
    const { transport } = this.#options;
    for (let index = 0; index < events.length && this.#isReading; index += 1) {
      if (this.#isInputPaused()) {
        this.#queuedEvents = events.slice(index);
        break;
      }
      const event = events[index];
      if (event === undefined) continue;
      if (event.kind === "value") emitMessage(transport, event.value);
      else emitInvalid(transport, event);
    }
    if (this.#isReading && this.#isInputPaused() && !this.#isPaused) {
      this.#isPaused = true;
      this.#options.input.pause();
    }
  }

  #isInputPaused(): boolean {
    return this.#options.pauseWhenFull && this.#isOutputFull;
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#options.input.resume();
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
