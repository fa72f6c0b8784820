import type { RequestId } from "./message.js";
import type { Caller } from "./http-callers.js";
import type { Authenticated, Counted, RequestCounter } from "./transport.js";

/** One HTTP request, as a binding hands it to the handler. It is answered once, by {@link respond} or {@link stream}. */
export interface HttpCall {
  readonly method: string;
  /** The path, with the query. */
  readonly target: string;
  /** What the runtime has for it: a `Request`, or an `IncomingMessage` in Node. */
  readonly raw: unknown;
  /** The address of the client, or of the proxy before it; undefined if the runtime does not know it. */
  readonly remoteAddress?: string | undefined;
  /** A header that may be there only once and came twice, where the runtime shows that; such a request is refused. */
  readonly repeatedHeader?: string | undefined;
  /**
   * Called once if the client goes away before the answer is complete. Set by the handler, and not called during a call of
   * one of the methods here.
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
  respond(status: number, headers: HeaderFields, body?: string): void;
  /** Answers 200 with a body that is written bit by bit. */
  stream(headers: HeaderFields): EventSink;
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

/** Where the events of a stream go. */
export interface EventSink {
  /** Bytes that were written and that the client has not taken yet. */
  readonly backlog: number;
  write(text: string): void;
  end(): void;
  /** Breaks the connection off. */
  abort(): void;
}

/** How streams are kept. */
export interface StreamRules {
  /** Bytes that may wait for a client that does not read; beyond them it is cut off. */
  readonly maxBacklog: number;
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

/**
 * What goes back for one HTTP request: one JSON value, or a stream of events. It becomes a stream with the first message
 * that is not the last.
 */
export class Reply {
  /** Set to be told when the client goes away, or is cut off, before the end. */
  onGone: (() => void) | undefined;
  /** Set to be told when it has become a stream, before anything is on it. */
  onOpen: (() => void) | undefined;
  /** Whether the client accepts JSON and nothing else: it never becomes a stream, and what would go there is dropped. */
  readonly isJsonOnly: boolean;
  readonly #call: HttpCall;
  readonly #headers: HeaderFields;
  readonly #open: Set<Reply>;
  readonly #rules: StreamRules;
  readonly #caller: Caller;
  #sink: EventSink | undefined;
  #isOver = false;
  #since: number;
  /** Of the tick before, to see whether the client reads at all. */
  #backlog = 0;
  #readAt: number;

  /** @param headers - Those that every answer bears. @param open - Where open replies are listed, to be ticked. */
  constructor(
    call: HttpCall,
    headers: HeaderFields,
    rules: StreamRules,
    open: Set<Reply>,
    caller: Caller,
    isJsonOnly = false,
  ) {
    this.#call = call;
    this.#headers = headers;
    this.#rules = rules;
    this.#open = open;
    this.#caller = caller;
    this.isJsonOnly = isJsonOnly;
    this.#since = Date.now();
    this.#readAt = this.#since;
    open.add(this);
    caller.take("open");
    call.onGone = () => {
      this.#gone();
    };
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it is a stream already. */
  get isStream(): boolean {
    return this.#sink !== undefined;
  }

  /** Begins the stream, if it has not begun. */
  open(): void {
    if (this.#isOver || this.#sink !== undefined || this.isJsonOnly) return;
    this.#sink = this.#call.stream(
      this.#headers === NO_HEADERS
        ? STREAM_HEADERS
        : { ...STREAM_HEADERS, ...this.#headers },
    );
    this.onOpen?.();
  }

  /** Sends an event. */
  write(text: string): void {
    if (this.#isOver || this.isJsonOnly) return;
    this.open();
    this.#since = Date.now();
    this.#sink?.write(text);
    if ((this.#sink?.backlog ?? 0) > this.#rules.maxBacklog) this.abort();
  }

  /** Answers with a JSON text, which is all there is. It must not be a stream. */
  json(status: number, text: string, headers: HeaderFields = NO_HEADERS): void {
    if (this.#isOver) return;
    this.#finish();
    const isPlain = this.#headers === NO_HEADERS && headers === NO_HEADERS;
    this.#call.respond(
      status,
      isPlain
        ? JSON_HEADERS
        : { ...JSON_HEADERS, ...this.#headers, ...headers },
      text,
    );
  }

  /** Answers without a body. It must not be a stream. */
  empty(status: number, headers: HeaderFields = NO_HEADERS): void {
    if (this.#isOver) return;
    this.#finish();
    this.#call.respond(status, { ...this.#headers, ...headers });
  }

  /** Ends the stream. One that has not begun ends without an event. */
  end(): void {
    if (this.#isOver) return;
    if (this.isJsonOnly) {
      this.empty(202);
      return;
    }
    this.open();
    this.#finish();
    this.#sink?.end();
  }

  /** Cuts the client off. */
  abort(): void {
    if (this.#isOver) return;
    this.open();
    this.#sink?.abort();
    this.#gone();
  }

  /** Called every few seconds. */
  tick(now: number): void {
    const { keepAlive, streamAfter } = this.#rules;
    const backlog = this.#sink?.backlog ?? 0;
    if (backlog === 0 || backlog < this.#backlog) this.#readAt = now;
    this.#backlog = backlog;
    const quiet = now - this.#since;
    if (this.#sink === undefined) {
      if (quiet > streamAfter) this.write(COMMENT);
    } else if (backlog > 0) {
      // Who has not taken anything in all that time will not take more.
      if (now - this.#readAt > 2 * keepAlive) this.abort();
    } else if (quiet > keepAlive) this.write(COMMENT);
  }

  #gone(): void {
    if (this.#isOver) return;
    this.#finish();
    this.onGone?.();
  }

  #finish(): void {
    this.#isOver = true;
    this.#open.delete(this);
    this.#caller.give("open");
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
