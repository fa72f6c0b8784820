import { LOG_DROP_KEY } from "./unread-budget.js";
import type { UnreadResponse, UnreadBudget } from "./unread-budget.js";
import type { RetainedBody } from "./bodies.js";
import { NO_HEADERS } from "./call.js";
import type { EventSink, HeaderFields, HttpCall } from "./call.js";
import type { Caller } from "./callers.js";

/** How responses are written. */
export interface StreamLimits {
  /** Bytes that may wait for a client before progress and log messages to it are dropped. */
  readonly maxBacklog: number;
  /** Milliseconds within which a client must read something that waits for it. */
  readonly stallTimeout: number;
  /** Milliseconds without an event after which a comment is sent. */
  readonly keepAlive: number;
  /** Milliseconds after which the response to a pending request becomes a stream. */
  readonly streamAfter: number;
}

/** A serialized event (HTML, server-sent events); JSON contains no line breaks. */
export function encodeSseEvent(
  data: string,
  fields: {
    readonly id?: string | undefined;
    readonly event?: string;
    readonly retry?: number;
  } = {},
): string {
  let text = "";
  if (fields.event !== undefined) text += `event: ${fields.event}\n`;
  if (fields.id !== undefined) text += `id: ${fields.id}\n`;
  if (fields.retry !== undefined) text += `retry: ${fields.retry}\n`;
  return `${text}data: ${data}\n\n`;
}

const STREAM_HEADERS: HeaderFields = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Makes nginx and similar proxies pass on events at once.
  "x-accel-buffering": "no",
};

const JSON_HEADERS: HeaderFields = { "content-type": "application/json" };

/** A comment without meaning, which keeps a connection from looking idle. */
const SSE_COMMENT = ":\n\n";

/** Bytes written at once. What the system accepts shows that a client reads, even within a message. */
export const SLICE_BYTES: number = 64 * 1024;
/** Milliseconds after which accepted bytes prove that a client reads: by then the system's buffers are full. */
export const READING_GAP_MS = 500;
/** Bytes that the system may accept although the client has read none. */
const MAX_SOCKET_BUFFER_BYTES = 2 * 1024 * 1024;
/**
 * The system accepts more only after a large part of its buffers is read: each of these many bytes adds one stall time.
 */
const SOCKET_BYTES_PER_STALL = 256 * 1024;

/**
 * Milliseconds for which a client may appear to read nothing.
 *
 * @param written - Bytes that were passed to the system for it.
 */
export function allowedStall(stallTimeout: number, written: number): number {
  const invisible = Math.min(written, MAX_SOCKET_BUFFER_BYTES);
  return stallTimeout * (1 + invisible / SOCKET_BYTES_PER_STALL);
}

const encoder = new TextEncoder();
const EMPTY = new Uint8Array();
/** Never modified: most responses need no separate list. */
const EMPTY_LIST: never[] = [];

/** Whether a message still waits to be delivered. */
export interface DeliveryReceipt {
  /** Set to false when the system has accepted all of it. */
  isUndelivered: boolean;
}

/** Maximum of replaced messages in the queue before they are removed. */
const MAX_REPLACED = 256;

/** A message that waits for a client. */
interface QueuedMessage {
  bytes: Uint8Array;
  /** The number of bytes written so far. */
  written: number;
  dropKey: string | undefined;
  readonly receipt: DeliveryReceipt | undefined;
}

/**
 * The response to one HTTP request: one JSON value, or a stream of events. It becomes a stream with the first message
 * that is not the last.
 *
 * Nothing is written beyond what the client's connection accepts; the rest waits here. A client is disconnected if it
 * reads nothing for some time, not because of how much waits for it.
 *
 * It is in `openWriters` from construction until it is settled; `isSettled` implies `isFinished`.
 * `unreadBytes`, and the counts of budget and caller, include each byte that waits here or in a full sink.
 */
export class ResponseWriter implements UnreadResponse {
  /** Called when the client disconnects, or is disconnected, before the response is complete. */
  onDisconnect: (() => void) | undefined;
  /** Called when the response becomes a stream, before anything is written. */
  onStreamStart: (() => void) | undefined;
  /** Called when waiting messages were accepted. */
  onDrained: (() => void) | undefined;
  /**
   * Whether the client accepts only JSON: the response never becomes a stream, and messages for a stream are dropped.
   */
  readonly isJsonOnly: boolean;
  readonly #call: HttpCall;
  readonly #headers: HeaderFields;
  readonly #openWriters: Set<ResponseWriter>;
  readonly #budget: UnreadBudget;
  readonly #limits: StreamLimits;
  readonly #caller: Caller;
  readonly #retainedBody: RetainedBody | undefined;
  #sink: EventSink | undefined;
  /** Whether the response is complete: nothing can be added. */
  #isFinished = false;
  /** Whether the system has accepted all of it, or the client is gone. */
  #isSettled = false;
  #lastWriteAt: number;
  #queue: QueuedMessage[] = EMPTY_LIST;
  /** Number of messages at the start of the queue that are written. */
  #head = 0;
  /** The waiting messages that a newer one may replace. */
  #droppableMessages: Map<string, QueuedMessage> | undefined;
  /** Minimum number of messages in the queue that were replaced. */
  #replacedCount = 0;
  #unreadBytes = 0;
  /** Unread bytes that the sink has completely, and what becomes true when it has passed them on. */
  #handedOffBytes = 0;
  #receipts: DeliveryReceipt[] = EMPTY_LIST;
  /** Bytes passed to the sink in total. */
  #totalBytes = 0;
  /** Whether the sink is full now. */
  #isSinkFull = false;
  /** When the client last read something, or had nothing to read. */
  #lastDrainAt = 0;
  #hasRead = false;

  /**
   * @param headers - Headers of every response.
   * @param openWriters - The set of open writers, which are ticked.
   */
  constructor(
    call: HttpCall,
    headers: HeaderFields,
    limits: StreamLimits,
    openWriters: Set<ResponseWriter>,
    budget: UnreadBudget,
    caller: Caller,
    isJsonOnly = false,
    retainedBody?: RetainedBody,
  ) {
    this.#call = call;
    this.#headers = headers;
    this.#limits = limits;
    this.#openWriters = openWriters;
    this.#budget = budget;
    this.#caller = caller;
    this.isJsonOnly = isJsonOnly;
    this.#retainedBody = retainedBody;
    retainedBody?.retain();
    this.#lastWriteAt = Date.now();
    openWriters.add(this);
    caller.openResponses.acquire();
    call.onDisconnect = () => {
      this.#handleDisconnect();
    };
    // The client disconnected before the callback was set.
    if (call.isDisconnected)
      queueMicrotask(() => {
        this.#handleDisconnect();
      });
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Whether it has become a stream. */
  get isStream(): boolean {
    return this.#sink !== undefined;
  }

  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  get unreadByCaller(): number {
    return this.#caller.unreadBytes.held;
  }

  get hasRead(): boolean {
    return this.#hasRead;
  }

  get blockedSince(): number | undefined {
    return this.#isSinkFull || this.#isFinished ? this.#lastDrainAt : undefined;
  }

  /** Starts the stream, unless it has started. */
  startStream(): void {
    if (this.#isFinished || this.#sink !== undefined || this.isJsonOnly) return;
    this.#openSink(
      200,
      this.#headers === NO_HEADERS
        ? STREAM_HEADERS
        : { ...STREAM_HEADERS, ...this.#headers },
    );
    this.onStreamStart?.();
  }

  /**
   * Sends an event.
   *
   * @param name - Makes it droppable, see `droppableName`.
   * @param receipt - Updated when the system has accepted it.
   */
  writeEvent(text: string, name?: string, receipt?: DeliveryReceipt): void {
    if (this.#isFinished || this.isJsonOnly) return;
    this.startStream();
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#lastWriteAt = Date.now();
    if (this.#isSinkFull || text.length > SLICE_BYTES) {
      this.#enqueue(text, name, receipt);
      this.#pump(sink);
      return;
    }
    this.#totalBytes += text.length;
    if (sink.write(text)) {
      if (receipt !== undefined) receipt.isUndelivered = false;
      return;
    }
    this.#isSinkFull = true;
    this.#lastDrainAt = this.#lastWriteAt;
    this.#handedOffBytes = text.length;
    if (receipt !== undefined) this.#addReceipt(receipt);
    this.#addUnread(text.length);
  }

  /** Responds with a complete JSON text. It must not be a stream. */
  sendJson(
    status: number,
    text: string,
    headers: HeaderFields = NO_HEADERS,
  ): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const isPlain = this.#headers === NO_HEADERS && headers === NO_HEADERS;
    const all = isPlain
      ? JSON_HEADERS
      : { ...JSON_HEADERS, ...this.#headers, ...headers };
    this.#lastDrainAt = Date.now();
    if (text.length > SLICE_BYTES) {
      const { length } = this.#enqueue(text);
      this.#pump(this.#openSink(status, all, length));
    } else if (this.#call.respond(status, all, text))
      this.#addUnread(text.length);
    else this.#markFinished();
  }

  /** Responds without a body. It must not be a stream. */
  sendEmpty(status: number, headers: HeaderFields = NO_HEADERS): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#lastDrainAt = Date.now();
    if (!this.#call.respond(status, { ...this.#headers, ...headers }))
      this.#markFinished();
  }

  /** Ends the stream after the waiting messages. A stream that has not started ends without an event. */
  end(): void {
    if (this.#isFinished) return;
    if (this.isJsonOnly) {
      this.sendEmpty(202);
      return;
    }
    this.startStream();
    this.#isFinished = true;
    // A full sink has been waiting since earlier.
    if (!this.#isSinkFull) this.#lastDrainAt = Date.now();
    if (this.#sink !== undefined) this.#pump(this.#sink);
  }

  /** Disconnects the client. */
  abort(): void {
    if (this.#isSettled) return;
    this.#call.abort();
    this.#handleDisconnect();
  }

  /** Called every few seconds. */
  tick(now: number): void {
    const { keepAlive, stallTimeout, streamAfter } = this.#limits;
    const since = this.blockedSince;
    if (since !== undefined) {
      if (now - since > allowedStall(stallTimeout, this.#totalBytes))
        this.abort();
      return;
    }
    const quiet = now - this.#lastWriteAt;
    if (quiet > (this.#sink === undefined ? streamAfter : keepAlive))
      this.writeEvent(SSE_COMMENT);
  }

  #openSink(status: number, headers: HeaderFields, length?: number): EventSink {
    const sink = this.#call.stream(status, headers, length);
    this.#sink = sink;
    sink.onDrain = () => {
      this.#handleDrain(sink);
    };
    return sink;
  }

  #enqueue(text: string, name?: string, receipt?: DeliveryReceipt): Uint8Array {
    if (name !== undefined && this.#unreadBytes > this.#limits.maxBacklog) {
      if (name === LOG_DROP_KEY) return EMPTY;
      const older = this.#droppableMessages?.get(name);
      if (older !== undefined) {
        this.#addUnread(-older.bytes.length);
        older.bytes = EMPTY;
        older.dropKey = undefined;
        this.#replacedCount += 1;
        if (this.#replacedCount > MAX_REPLACED) this.#removeReplaced();
      }
    }
    const bytes = encoder.encode(text);
    const waiting: QueuedMessage = {
      bytes,
      written: 0,
      dropKey: name,
      receipt,
    };
    if (this.#queue === EMPTY_LIST) this.#queue = [waiting];
    else this.#queue.push(waiting);
    if (name !== undefined && name !== LOG_DROP_KEY)
      (this.#droppableMessages ??= new Map()).set(name, waiting);
    this.#addUnread(bytes.length);
    return bytes;
  }

  /** Writes as much as the sink accepts. */
  #pump(sink: EventSink): void {
    while (!this.#isSinkFull && !this.#isSettled) {
      const waiting = this.#queue[this.#head];
      if (waiting === undefined) {
        this.#queue = EMPTY_LIST;
        this.#head = 0;
        if (this.#isFinished && !sink.end()) this.#markFinished();
        return;
      }
      const { bytes, written, dropKey: name, receipt } = waiting;
      if (name !== undefined && this.#droppableMessages?.get(name) === waiting)
        this.#droppableMessages.delete(name);
      const end = Math.min(written + SLICE_BYTES, bytes.length);
      waiting.written = end;
      if (end === bytes.length) {
        this.#handedOffBytes += bytes.length;
        waiting.bytes = EMPTY;
        if (receipt !== undefined) this.#addReceipt(receipt);
        this.#advance();
      }
      // A message that was replaced is empty.
      if (end === written) continue;
      this.#totalBytes += end - written;
      if (sink.write(bytes.subarray(written, end))) this.#releaseHandedOff();
      else {
        this.#isSinkFull = true;
        this.#lastDrainAt = Date.now();
      }
    }
  }

  /** Removes replaced messages: otherwise the queue would grow for as long as the client does not read. */
  #removeReplaced(): void {
    this.#queue = this.#queue
      .slice(this.#head)
      .filter(({ bytes }, index) => index === 0 || bytes !== EMPTY);
    this.#head = 0;
    this.#replacedCount = 0;
  }

  #handleDrain(sink: EventSink): void {
    if (this.#isSettled) return;
    const now = Date.now();
    if (now - this.#lastDrainAt >= READING_GAP_MS) this.#hasRead = true;
    this.#lastDrainAt = now;
    this.#isSinkFull = false;
    this.#releaseHandedOff();
    this.#pump(sink);
    this.onDrained?.();
  }

  /** Messages passed to the sink completely no longer count here. */
  #releaseHandedOff(): void {
    if (this.#handedOffBytes > 0) this.#addUnread(-this.#handedOffBytes);
    this.#handedOffBytes = 0;
    if (this.#receipts.length === 0) return;
    for (const receipt of this.#receipts) receipt.isUndelivered = false;
    this.#receipts = EMPTY_LIST;
  }

  #addReceipt(receipt: DeliveryReceipt): void {
    if (this.#receipts === EMPTY_LIST) this.#receipts = [receipt];
    else this.#receipts.push(receipt);
  }

  #advance(): void {
    this.#head += 1;
    // Releases the memory of written messages long before the queue is empty.
    if (this.#head < 1024 || this.#head * 2 < this.#queue.length) return;
    this.#queue.splice(0, this.#head);
    this.#head = 0;
  }

  #addUnread(bytes: number): void {
    this.#unreadBytes += bytes;
    if (bytes < 0) {
      this.#budget.release(-bytes);
      this.#caller.unreadBytes.release(-bytes);
    } else {
      this.#budget.add(bytes);
      this.#caller.unreadBytes.acquire(bytes);
    }
  }

  /** The client is gone, or has received the whole response. */
  #handleDisconnect(): void {
    if (this.#isSettled) return;
    const wasGiven = this.#isFinished;
    this.#markFinished();
    if (!wasGiven) this.onDisconnect?.();
  }

  #markFinished(): void {
    this.#isFinished = true;
    this.#isSettled = true;
    this.#openWriters.delete(this);
    this.#call.onDisconnect = undefined;
    if (this.#unreadBytes > 0) this.#addUnread(-this.#unreadBytes);
    this.#queue = EMPTY_LIST;
    this.#receipts = EMPTY_LIST;
    this.#droppableMessages = undefined;
    this.#caller.openResponses.release();
    this.#retainedBody?.release();
  }
}
