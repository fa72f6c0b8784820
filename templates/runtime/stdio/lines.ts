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

/** How to read and write lines, on either side of stdio. */
export interface LineOptions {
  /** Maximum size of a line in bytes; 16 MiB by default. A longer one is skipped and reported to `oninvalid`. */
  readonly maxMessageBytes?: number;
  /** Maximum nesting depth of arrays and objects; 256 by default. */
  readonly maxDepth?: number;
  /**
   * Maximum of characters that may wait until the other side reads; 128 Mi by default. If the other side stops reading
   * and more is written, the connection ends with an error. The same applies to more than 10,000 unread responses.
   */
  readonly maxUnread?: number;
}

/** Writes text, as a writable stream does. */
export type WriteFunction = (
  text: string,
  encoding: "utf8",
  done: (error?: Error | null) => void,
) => boolean;

/** What a side of stdio does with its lines. */
export interface LineChannelOptions {
  /** The transport whose `onmessage`, `oninvalid` and `onerror` are called. */
  readonly transport: Transport;
  readonly input: Readable;
  readonly output: Writable;
  /** Writes to the output, if its `write` was replaced. */
  readonly write?: WriteFunction | undefined;
  /** Maximum of characters that may wait for a full output. */
  readonly maxUnread?: number | undefined;
  /**
   * Whether reading pauses while the output is full. Only one side of a connection may do so: two would wait for each
   * other.
   */
  readonly pauseWhenFull: boolean;
  /** Called when the input has ended, and everything read was delivered. */
  onEnd(): void;
  /** Called when input or output failed, or the output was closed (no error). */
  onFailure(error: Error | undefined): void;
}

/**
 * Creates the reader of one stream.
 *
 * @throws RangeError if a limit is invalid.
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
 * Maximum of responses that may wait for a full output. Only the other side causes responses, and many short ones need
 * several times the memory of their characters.
 */
const MAX_UNREAD_RESPONSES = 10_000;

/**
 * Characters written at once, at most. With larger batches the two processes take turns: one waits while the other one
 * works through all that was sent. With smaller ones the system calls cost more than that.
 */
const WRITE_BATCH_CHARS = 2048;

const RESOLVED = Promise.resolve();

/** Reads and writes messages as lines; shared by both sides of stdio. */
export class LineChannel {
  readonly #options: LineChannelOptions;
  readonly #reader: JsonLineReader;
  /** Messages read but not delivered, since the output is full. */
  #queuedEvents: JsonLineEvent[] = [];
  #isReading = false;
  #isPaused = false;
  /** The user of the transport wants no messages for now. */
  #isHeld = false;
  #hasEnded = false;

  /** Lines not written yet: full batches, which wait only for a full output, and the current batch. */
  #batches: { readonly text: string; readonly answers: number }[] = [];
  #batch = "";
  /** Responses in the current batch. */
  #queuedResponses = 0;
  /** Characters of the full batches. */
  #queuedChars = 0;
  readonly #maxUnreadChars: number;
  /** Responses in the full batches. */
  #unreadResponses = 0;
  #isScheduled = false;
  #isOpen = true;
  #isOutputReleased = false;
  /** The output accepts nothing any more. */
  #hasOutputFailed = false;
  /** Writes that the output has not completed. */
  #pendingWrites = 0;
  #isOutputFull = false;
  /** Callers that wait until the output accepts more. */
  #drained: Deferred | undefined;
  /** Callers that wait until the output has accepted everything. */
  #flushed: Deferred | undefined;

  /** @throws RangeError if the limit is invalid. */
  constructor(options: LineChannelOptions, reader: JsonLineReader) {
    this.#options = options;
    this.#reader = reader;
    this.#maxUnreadChars = options.maxUnread ?? DEFAULT_MAX_UNREAD_CHARS;
    if (!(this.#maxUnreadChars >= 1))
      throw new RangeError(
        `maxUnread must be at least 1, not ${this.#maxUnreadChars}`,
      );
  }

  /** Starts reading. */
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
    // Such a stream emits nothing more.
    if (input.readableEnded || input.destroyed) process.nextTick(this.#onEnd);
  }

  /**
   * Writes a message, together with everything sent until the current work (with its promises) is done.
   *
   * @returns A promise if the output is full, which resolves when it accepts more.
   * @throws Error if the connection is closed, TypeError if the message cannot be serialized.
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
      void RESOLVED.then(this.#scheduleFlush);
    }
    if (!this.#isOutputFull) return undefined;
    this.#drained ??= new Deferred();
    return this.#drained.promise;
  }

  /** @throws Error if the other side leaves too much unread; then the connection ends. */
  #checkUnread(): void {
    const excess =
      this.#queuedChars > this.#maxUnreadChars
        ? `${this.#maxUnreadChars} characters`
        : this.#unreadResponses > MAX_UNREAD_RESPONSES
          ? `${MAX_UNREAD_RESPONSES} responses`
          : undefined;
    if (excess === undefined) return;
    // Its further requests are not answered.
    this.discardInput();
    this.#failOutput(
      new Error(
        `the other side does not read: more than ${excess} wait for it`,
      ),
    );
    throw new Error("the connection is closed");
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Delivers and reads nothing until {@link release}, so that the other side's writes wait. */
  hold(): void {
    this.#isHeld = true;
    this.#pause();
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#deliverQueued();
  }

  /** Continues reading, so that the other side is not blocked in a write, but delivers nothing. */
  discardInput(): void {
    this.#isHeld = false;
    this.#isReading = false;
    this.#queuedEvents = [];
    this.#resume();
  }

  /** Detaches the input, which then does not keep the process alive unless others read it too. */
  stopReading(): void {
    const { input } = this.#options;
    this.#isHeld = false;
    this.#isReading = false;
    this.#queuedEvents = [];
    input.off("data", this.#onData);
    input.off("end", this.#onEnd);
    input.off("close", this.#onEnd);
    input.off("error", this.#onInputError);
    this.#resume();
    // Not at once: Node continues reading a stream that is paused while it delivers data, which keeps the process
    // alive.
    setImmediate(() => {
      if (input.listenerCount("data") + input.listenerCount("readable") === 0)
        input.pause();
    });
  }

  /**
   * Writes what is left, whether or not the output is full; nothing can be sent afterwards.
   *
   * @returns Resolves when the output has accepted it or failed, or after `timeoutMs` milliseconds.
   */
  async stopWriting(timeoutMs: number): Promise<void> {
    if (this.#isOpen) {
      this.#writeLast();
      this.#rejectWaitingWriters();
    }
    if (this.#pendingWrites === 0 || this.#hasOutputFailed) return;
    this.#flushed ??= new Deferred();
    const timer = setTimeout(() => {
      this.#hasOutputFailed = true;
      this.#flushed?.resolve();
    }, timeoutMs);
    timer.unref();
    await this.#flushed.promise;
    clearTimeout(timer);
  }

  /** Like {@link stopWriting}, but callers that wait for room wait until all is written, or the output fails. */
  async finishWriting(): Promise<void> {
    if (!this.#isOpen) return;
    this.#writeLast();
    const waiting = this.#drained;
    this.#drained = undefined;
    if (this.#pendingWrites > 0 && !this.#hasOutputFailed) {
      this.#flushed ??= new Deferred();
      await this.#flushed.promise;
    }
    if (this.#hasOutputFailed) waiting?.reject(unwrittenError());
    else waiting?.resolve();
  }

  #writeLast(): void {
    this.#isOpen = false;
    const texts = this.#batches.map(({ text }) => text);
    if (this.#batch !== "") texts.push(this.#batch);
    this.#batch = "";
    this.#batches = [];
    for (const text of texts) this.#write(text);
  }

  /** Detaches the output once no write is pending, since a later failure needs a listener. */
  releaseOutput(): void {
    const { output } = this.#options;
    this.#isOutputReleased = true;
    output.off("drain", this.#onDrain);
    output.off("close", this.#onOutputClose);
    if (this.#pendingWrites === 0) output.off("error", this.#onOutputError);
  }

  /** After all pending promises: their messages go out in the same write. */
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
    const hasFailed = error !== undefined && error !== null;
    if (hasFailed) this.#hasOutputFailed = true;
    this.#pendingWrites -= 1;
    if (this.#pendingWrites > 0) return;
    this.#flushed?.resolve();
    // A failure is passed to the callback first, and then to the listener.
    if (this.#isOutputReleased && !hasFailed)
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

  /** Rejects the callers that wait for room. */
  #rejectWaitingWriters(): void {
    this.#isOutputFull = false;
    this.#drained?.reject(unwrittenError());
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
    // A stream with an encoding emits strings.
    const events = this.#reader.push(
      typeof chunk === "string" ? Buffer.from(chunk) : chunk,
    );
    // Not spread into `push`: a large chunk can contain more messages than a call can have arguments.
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

  /** Delivers the messages that waited, then continues reading. */
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
    if (this.#isInputPaused()) this.#pause();
  }

  #isInputPaused(): boolean {
    return this.#isHeld || (this.#options.pauseWhenFull && this.#isOutputFull);
  }

  #pause(): void {
    if (!this.#isReading || this.#isPaused) return;
    this.#isPaused = true;
    this.#options.input.pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#options.input.resume();
  }
}

/** A promise with its resolvers. Its rejection may stay unhandled. */
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

function unwrittenError(): Error {
  return new Error("the connection closed before the message was written");
}
