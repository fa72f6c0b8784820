import { LOG_MESSAGE } from "./http-unread.js";
import type { UnreadAnswer, UnreadBudget } from "./http-unread.js";
import type { RequestId } from "./message.js";
import type { RequestBytes } from "./http-bodies.js";
import type { Caller } from "./http-callers.js";
import type { Authenticated, Counted, RequestCounter } from "./transport.js";

/** One HTTP request, as a binding hands it to the handler. It is answered once, by {@link respond} or {@link stream}. */
export interface HttpCall {
  readonly method: string;
  /** The path, with the query. */
  readonly target: string;
  /** What the runtime has for it: a `Request`, or an `IncomingMessage` in Node. */
  readonly raw: unknown;
  /** Whether the client went away before the answer was complete. */
  readonly isGone: boolean;
  /** The address of the client, or of the proxy before it; undefined if the runtime does not know it. */
  readonly remoteAddress?: string | undefined;
  /** A header that may be there only once and came twice, where the runtime shows that; such a request is refused. */
  readonly repeatedHeader?: string | undefined;
  /**
   * Called once if the client goes away before the answer is complete, or when the system has taken all of an answer that
   * was still pending. Set by the handler, and not called during a call of one of the methods here.
   */
  onGone: (() => void) | undefined;
  /** The value of a header; the name is in lower case. */
  header(name: string): string | undefined;
  /**
   * The whole body, or undefined if it has more than so many bytes or was stopped. Rejects if it breaks off.
   *
   * @param progress - Is told how much has come, and can stop it.
   */
  body(
    maxBytes: number,
    progress?: BodyProgress,
  ): Promise<string | Uint8Array | undefined>;
  /**
   * Answers at once.
   *
   * @returns Whether the answer is pending: `onGone` is called when that is over.
   */
  respond(status: number, headers: HeaderFields, body?: string): boolean;
  /** Answers with a body that is written bit by bit. @param length - Its bytes, where they are known. */
  stream(status: number, headers: HeaderFields, length?: number): EventSink;
  /** Breaks the connection off. */
  abort(): void;
}

/** Watches a body while it arrives. */
export interface BodyProgress {
  /** Called by the binding with the number of bytes of each chunk, after it has taken the chunk. */
  received(bytes: number): void;
  /** Set by the binding: no more of the body is wanted. */
  stop: (() => void) | undefined;
}

/** Headers by name, in lower case. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Where a body goes that is written bit by bit. */
export interface EventSink {
  /** Called when everything was taken, after `write` returned false. Set by whoever writes. */
  onDrain: (() => void) | undefined;
  /** Writes what is a small part of a body. False if nothing more should come before `onDrain` is called. */
  write(chunk: string | Uint8Array): boolean;
  /** Ends the body, when nothing waits for `onDrain`. Returns whether it is pending, as `respond` does. */
  end(): boolean;
}

/** How answers are written. */
export interface StreamRules {
  /** Bytes that may wait for a client before progress and log messages to it are dropped. */
  readonly maxBacklog: number;
  /** Milliseconds in which a client must take something of what waits for it. */
  readonly stallTimeout: number;
  /** Milliseconds without an event after which a comment is sent. */
  readonly keepAlive: number;
  /** Milliseconds after which a request that is still being handled is answered by a stream. */
  readonly streamAfter: number;
}

/** An event as it goes over the wire (HTML, server-sent events); JSON has no line breaks of its own. */
export function eventText(
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
  // So that nginx and its like pass events on as they come.
  "x-accel-buffering": "no",
};

const JSON_HEADERS: HeaderFields = { "content-type": "application/json" };

/** A comment, which keeps a connection from looking idle and means nothing. */
const COMMENT = ":\n\n";

/** Bytes that are written at once. What the system takes shows that a client reads, even in the middle of a message. */
const SLICE_BYTES = 64 * 1024;
/** A client that reads again after so many milliseconds shows that it reads: buffers of the system are full by then. */
const READING_GAP_MS = 500;
/** Bytes that the system may have taken without the client having read any of them. */
const MAX_SYSTEM_BYTES = 2 * 1024 * 1024;
/** The system takes no more before a large part of its buffers is read: each so many bytes allow for a stall time. */
const SYSTEM_BYTES_PER_STALL = 256 * 1024;

const encoder = new TextEncoder();
const EMPTY = new Uint8Array();
/** Nothing is ever added to it: most answers need no list of their own. */
const NONE: never[] = [];

/** Whether a message still waits for a connection to carry it. */
export interface Receipt {
  /** Set to false when the system has taken all of it. */
  isOwed: boolean;
}

/** So many messages that gave way to newer ones may be in the queue before they are taken out. */
const MAX_REPLACED = 256;

/** A message that waits for a client. */
interface Waiting {
  bytes: Uint8Array;
  /** How many of the bytes are written. */
  written: number;
  name: string | undefined;
  readonly receipt: Receipt | undefined;
}

/**
 * What goes back for one HTTP request: one JSON value, or a stream of events. It becomes a stream with the first message
 * that is not the last.
 *
 * Nothing is written beyond what the client's connection takes; the rest waits here. A client is cut off if it takes
 * nothing at all for some time, and not for how much waits for it.
 */
export class Reply implements UnreadAnswer {
  /** Set to be told when the client goes away, or is cut off, before the answer is given. */
  onGone: (() => void) | undefined;
  /** Set to be told when it has become a stream, before anything is on it. */
  onOpen: (() => void) | undefined;
  /** Set to be told when messages that waited were taken. */
  onTaken: (() => void) | undefined;
  /** Whether the client accepts JSON and nothing else: it never becomes a stream, and what would go there is dropped. */
  readonly isJsonOnly: boolean;
  readonly #call: HttpCall;
  readonly #headers: HeaderFields;
  readonly #open: Set<Reply>;
  readonly #budget: UnreadBudget;
  readonly #rules: StreamRules;
  readonly #caller: Caller;
  readonly #request: RequestBytes | undefined;
  #sink: EventSink | undefined;
  /** Whether the answer is given: nothing can be added. */
  #isOver = false;
  /** Whether the system has all of it, or nobody is there to take it. */
  #isDone = false;
  #since: number;
  #queue: Waiting[] = NONE;
  /** Messages at the start of the queue that are written. */
  #head = 0;
  /** The waiting ones that a newer one may replace. */
  #named: Map<string, Waiting> | undefined;
  /** Messages in the queue that gave way to a newer one, at least. */
  #replaced = 0;
  #unread = 0;
  /** Of the unread bytes, those that the sink has in full; with what becomes true when it has passed them on. */
  #handed = 0;
  #receipts: Receipt[] = NONE;
  /** Bytes that the sink was given in all. */
  #total = 0;
  /** Whether the sink takes no more now. */
  #isFull = false;
  /** When the client has last taken something, or had nothing to take. */
  #takenAt = 0;
  #isReader = false;

  /** @param headers - Those that every answer bears. @param open - Where open replies are listed, to be ticked. */
  constructor(
    call: HttpCall,
    headers: HeaderFields,
    rules: StreamRules,
    open: Set<Reply>,
    budget: UnreadBudget,
    caller: Caller,
    isJsonOnly = false,
    request?: RequestBytes,
  ) {
    this.#call = call;
    this.#headers = headers;
    this.#rules = rules;
    this.#open = open;
    this.#budget = budget;
    this.#caller = caller;
    this.isJsonOnly = isJsonOnly;
    this.#request = request;
    request?.retain();
    this.#since = Date.now();
    open.add(this);
    caller.open.take();
    call.onGone = () => {
      this.#gone();
    };
    // It went away before anybody could be told.
    if (call.isGone)
      queueMicrotask(() => {
        this.#gone();
      });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it is a stream already. */
  get isStream(): boolean {
    return this.#sink !== undefined;
  }

  get unread(): number {
    return this.#unread;
  }

  get unreadOfCaller(): number {
    return this.#caller.unreadBytes.held;
  }

  get isReader(): boolean {
    return this.#isReader;
  }

  get blockedSince(): number | undefined {
    return this.#isFull || this.#isOver ? this.#takenAt : undefined;
  }

  /** Begins the stream, if it has not begun. */
  open(): void {
    if (this.#isOver || this.#sink !== undefined || this.isJsonOnly) return;
    this.#begin(
      200,
      this.#headers === NO_HEADERS
        ? STREAM_HEADERS
        : { ...STREAM_HEADERS, ...this.#headers },
    );
    this.onOpen?.();
  }

  /**
   * Sends an event.
   *
   * @param name - What makes it droppable, by `droppableName`. @param receipt - Told when the system has taken it.
   */
  write(text: string, name?: string, receipt?: Receipt): void {
    if (this.#isOver || this.isJsonOnly) return;
    this.open();
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#since = Date.now();
    if (this.#isFull || text.length > SLICE_BYTES) {
      this.#enqueue(text, name, receipt);
      this.#pump(sink);
      return;
    }
    this.#total += text.length;
    if (sink.write(text)) {
      if (receipt !== undefined) receipt.isOwed = false;
      return;
    }
    this.#isFull = true;
    this.#takenAt = this.#since;
    this.#handed = text.length;
    if (receipt !== undefined) this.#await(receipt);
    this.#count(text.length);
  }

  /** Answers with a JSON text, which is all there is. It must not be a stream. */
  json(status: number, text: string, headers: HeaderFields = NO_HEADERS): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const isPlain = this.#headers === NO_HEADERS && headers === NO_HEADERS;
    const all = isPlain
      ? JSON_HEADERS
      : { ...JSON_HEADERS, ...this.#headers, ...headers };
    this.#takenAt = Date.now();
    if (text.length > SLICE_BYTES) {
      const { length } = this.#enqueue(text);
      this.#pump(this.#begin(status, all, length));
    } else if (this.#call.respond(status, all, text)) this.#count(text.length);
    else this.#finish();
  }

  /** Answers without a body. It must not be a stream. */
  empty(status: number, headers: HeaderFields = NO_HEADERS): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#takenAt = Date.now();
    if (!this.#call.respond(status, { ...this.#headers, ...headers }))
      this.#finish();
  }

  /** Ends the stream, after what waits. One that has not begun ends without an event. */
  end(): void {
    if (this.#isOver) return;
    if (this.isJsonOnly) {
      this.empty(202);
      return;
    }
    this.open();
    this.#isOver = true;
    // What is full has been waiting since before.
    if (!this.#isFull) this.#takenAt = Date.now();
    if (this.#sink !== undefined) this.#pump(this.#sink);
  }

  /** Cuts the client off. */
  abort(): void {
    if (this.#isDone) return;
    this.#call.abort();
    this.#gone();
  }

  /** Called every few seconds. */
  tick(now: number): void {
    const { keepAlive, stallTimeout, streamAfter } = this.#rules;
    const since = this.blockedSince;
    if (since !== undefined) {
      const invisible = Math.min(this.#total, MAX_SYSTEM_BYTES);
      const allowed = stallTimeout * (1 + invisible / SYSTEM_BYTES_PER_STALL);
      if (now - since > allowed) this.abort();
      return;
    }
    const quiet = now - this.#since;
    if (quiet > (this.#sink === undefined ? streamAfter : keepAlive))
      this.write(COMMENT);
  }

  #begin(status: number, headers: HeaderFields, length?: number): EventSink {
    const sink = this.#call.stream(status, headers, length);
    this.#sink = sink;
    sink.onDrain = () => {
      this.#drained(sink);
    };
    return sink;
  }

  #enqueue(text: string, name?: string, receipt?: Receipt): Uint8Array {
    if (name !== undefined && this.#unread > this.#rules.maxBacklog) {
      if (name === LOG_MESSAGE) return EMPTY;
      const older = this.#named?.get(name);
      if (older !== undefined) {
        this.#count(-older.bytes.length);
        older.bytes = EMPTY;
        older.name = undefined;
        this.#replaced += 1;
        if (this.#replaced > MAX_REPLACED) this.#removeReplaced();
      }
    }
    const bytes = encoder.encode(text);
    const waiting: Waiting = { bytes, written: 0, name, receipt };
    if (this.#queue === NONE) this.#queue = [waiting];
    else this.#queue.push(waiting);
    if (name !== undefined && name !== LOG_MESSAGE)
      (this.#named ??= new Map()).set(name, waiting);
    this.#count(bytes.length);
    return bytes;
  }

  /** Writes as much as the sink takes. */
  #pump(sink: EventSink): void {
    while (!this.#isFull && !this.#isDone) {
      const waiting = this.#queue[this.#head];
      if (waiting === undefined) {
        this.#queue = NONE;
        this.#head = 0;
        if (this.#isOver && !sink.end()) this.#finish();
        return;
      }
      const { bytes, written, name, receipt } = waiting;
      if (name !== undefined && this.#named?.get(name) === waiting)
        this.#named.delete(name);
      const end = Math.min(written + SLICE_BYTES, bytes.length);
      waiting.written = end;
      if (end === bytes.length) {
        this.#handed += bytes.length;
        waiting.bytes = EMPTY;
        if (receipt !== undefined) this.#await(receipt);
        this.#skip();
      }
      // One that a newer one has replaced is empty.
      if (end === written) continue;
      this.#total += end - written;
      if (sink.write(bytes.subarray(written, end))) this.#settle();
      else {
        this.#isFull = true;
        this.#takenAt = Date.now();
      }
    }
  }

  /** Takes out what gave way to newer messages: a queue of it would grow for as long as the client does not read. */
  #removeReplaced(): void {
    this.#queue = this.#queue
      .slice(this.#head)
      .filter(({ bytes }, index) => index === 0 || bytes !== EMPTY);
    this.#head = 0;
    this.#replaced = 0;
  }

  #drained(sink: EventSink): void {
    if (this.#isDone) return;
    const now = Date.now();
    if (now - this.#takenAt >= READING_GAP_MS) this.#isReader = true;
    this.#takenAt = now;
    this.#isFull = false;
    this.#settle();
    this.#pump(sink);
    this.onTaken?.();
  }

  /** What was handed on whole is off our hands. */
  #settle(): void {
    if (this.#handed > 0) this.#count(-this.#handed);
    this.#handed = 0;
    if (this.#receipts.length === 0) return;
    for (const receipt of this.#receipts) receipt.isOwed = false;
    this.#receipts = NONE;
  }

  #await(receipt: Receipt): void {
    if (this.#receipts === NONE) this.#receipts = [receipt];
    else this.#receipts.push(receipt);
  }

  #skip(): void {
    this.#head += 1;
    // The memory of what is written is given back long before the queue is empty.
    if (this.#head < 1024 || this.#head * 2 < this.#queue.length) return;
    this.#queue.splice(0, this.#head);
    this.#head = 0;
  }

  #count(bytes: number): void {
    this.#unread += bytes;
    if (bytes < 0) {
      this.#budget.release(-bytes);
      this.#caller.unreadBytes.give(-bytes);
    } else {
      this.#budget.add(bytes);
      this.#caller.unreadBytes.take(bytes);
    }
  }

  /** The client is gone, or has all of the answer. */
  #gone(): void {
    if (this.#isDone) return;
    const wasGiven = this.#isOver;
    this.#finish();
    if (!wasGiven) this.onGone?.();
  }

  #finish(): void {
    this.#isOver = true;
    this.#isDone = true;
    this.#open.delete(this);
    this.#call.onGone = undefined;
    if (this.#unread > 0) this.#count(-this.#unread);
    this.#queue = NONE;
    this.#receipts = NONE;
    this.#named = undefined;
    this.#caller.open.give();
    this.#request?.release();
  }
}

/** The object that says that there are none, so that the common case can be told by looking. */
export const NO_HEADERS: HeaderFields = Object.freeze({});

/** The id of the request that a message answers; undefined if it answers none. */
export function answeredBy(message: object): RequestId | null | undefined {
  if ("method" in message) return undefined;
  const { id = null } = message as { readonly id?: RequestId | null };
  return id;
}

/** What a handler finds as `context.extra` when its request came over HTTP. */
export class HttpExtra<Auth = unknown> implements Authenticated, Counted {
  /** What the authorization hook found out; undefined if there is none. */
  readonly auth: Auth | undefined;
  readonly principal: string | undefined;
  /** @internal */
  readonly counter: RequestCounter | undefined;
  readonly #call: HttpCall;
  readonly #reply: Reply;
  readonly #part: (() => boolean) | undefined;

  /** @internal */
  constructor(
    call: HttpCall,
    reply: Reply,
    auth: Auth | undefined,
    principal: string | undefined,
    counter: RequestCounter | undefined,
    part?: () => boolean,
  ) {
    this.#call = call;
    this.#reply = reply;
    this.auth = auth;
    this.principal = principal;
    this.counter = counter;
    this.#part = part;
  }

  /** The runtime's own request: a `Request`, or an `IncomingMessage` in Node. */
  get raw(): unknown {
    return this.#call.raw;
  }

  /** A header of the HTTP request. */
  header(name: string): string | undefined {
    return this.#call.header(name.toLowerCase());
  }

  /** Answers with a stream of events from now on, even if nothing is sent before the result. */
  openStream(): void {
    this.#reply.open();
  }

  /**
   * Closes the connection and not the stream: the client comes back for the rest (MCP 2025-11-25, Streamable HTTP, Sending
   * Messages to the Server). For what takes long, so that no connection is held all that time.
   *
   * @returns False, with nothing done, if the client could not come back: older revisions and 2026-07-28 do not have
   *   this, and `resumability` must be on.
   */
  closeStream(): boolean {
    return this.#part?.() ?? false;
  }
}
