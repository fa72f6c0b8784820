import type { EventSink, HeaderFields, HttpCall } from "../call.js";
import type { Caller } from "../callers.js";
import { allowedStall, READING_GAP_MS, SLICE_BYTES } from "../reply.js";
import type { UnreadBudget, UnreadResponse } from "../unread-budget.js";
import type { AnswerMessage, CallerMessage } from "./wire.js";
import { WINDOW_CHARS } from "./forwarded-call.js";

/** How much the client has accepted before the owner learns of it. */
const READ_STEP = WINDOW_CHARS / 4;

/** What became of a call that was sent to the owner of its session. */
export type RemoteOutcome =
  /** The owner answers it, or it was answered with an error. */
  | "answered"
  /** Nothing was handled: the session is not there. */
  | "moved"
  /** Nothing was handled: there is no such process. */
  | "gone"
  /** Nothing was handled: the owner has no room for the call. */
  | "unsent";

/** The stream of a response that broke off. */
export interface BrokenStream {
  readonly sink: EventSink;
  /** Whether a complete event, and no part of another one, was received last. */
  readonly isBetweenEvents: boolean;
  /** The last id that was received. */
  readonly lastEventId: string | undefined;
}

/** What a {@link RemoteCall} needs. */
export interface RemoteCallInit {
  readonly id: number;
  /** The address of the owner. */
  readonly owner: string;
  readonly call: HttpCall;
  /** Whether the client waits for messages of no request. */
  readonly isListening: boolean;
  /** Headers of every response. */
  readonly headers: HeaderFields;
  readonly caller: Caller;
  readonly unread: UnreadBudget;
  readonly send: (message: CallerMessage) => void;
  /** Answers the call when its outcome is not known: as a response, or as the end of the stream that it has. */
  readonly answerLost: (stream: BrokenStream | undefined) => void;
  /** Called when nothing more is expected. */
  readonly onOver: () => void;
}

/**
 * A call that the owner of its session answers: passes the response on to the client as fast as that reads.
 *
 * The caller holds an open response until it is over, and `unreadBytes`: what is in `#queue`, or in a full sink.
 * `outcome` resolves once. After `#isComplete` only the client is awaited, which still reads the end.
 */
export class RemoteCall implements UnreadResponse {
  readonly id: number;
  readonly owner: string;
  /** Resolves when it is known who answers the call. */
  readonly outcome: Promise<RemoteOutcome>;
  /** When it was sent, by a clock that does not stop. */
  readonly sentAt: number = performance.now();
  #isAccepted = false;
  readonly #init: RemoteCallInit;
  #resolve: (outcome: RemoteOutcome) => void = () => undefined;
  #nextIndex = 0;
  #isOver = false;
  #sink: EventSink | undefined;
  #isSinkFull = false;
  readonly #queue: string[] = [];
  #unreadChars = 0;
  /** Those that the sink has, while it is full. */
  #handedOffChars = 0;
  /** Passed to the sink in total. */
  #writtenChars = 0;
  #blockedSince: number | undefined;
  #hasRead = false;
  #hasEnded = false;
  #isComplete = false;
  /** Accepted by the client, and not reported yet. */
  #readChars = 0;
  #isEventStream = false;
  /** The end of what was received. */
  #tail = "\n\n";
  #lastEventId: string | undefined;

  constructor(init: RemoteCallInit) {
    this.#init = init;
    this.id = init.id;
    this.owner = init.owner;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (init.isListening) this.#lastEventId = init.call.header("last-event-id");
    init.caller.openResponses.acquire();
    init.unread.watch(this);
    init.call.onDisconnect = () => {
      this.#leaveOwner();
      this.#finish("answered");
    };
    // The client disconnected before the callback was set.
    if (init.call.isDisconnected)
      queueMicrotask(() => {
        init.call.onDisconnect?.();
      });
  }

  /** Whether the owner is known to handle the call. */
  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /** Whether the client waits for messages of no request. */
  get isListening(): boolean {
    return this.#init.isListening;
  }

  /** Whether the owner has nothing to add. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get unreadBytes(): number {
    return this.#unreadChars;
  }

  get unreadByCaller(): number {
    return this.#init.caller.unreadBytes.held;
  }

  get hasRead(): boolean {
    return this.#hasRead;
  }

  get blockedSince(): number | undefined {
    return this.#blockedSince;
  }

  /** Disconnects the client. */
  abort(): void {
    if (this.#isOver) return;
    this.#leaveOwner();
    this.#finish("answered");
    this.#init.call.abort();
  }

  /** Disconnects a client that has read nothing for too long. */
  abortIfStalled(now: number, stallTimeout: number): void {
    const since = this.#blockedSince;
    if (
      since !== undefined &&
      now - since > allowedStall(stallTimeout, this.#writtenChars)
    )
      this.abort();
  }

  receive(answer: AnswerMessage): void {
    if (this.#isOver || this.#isComplete) return;
    if (answer.index !== this.#nextIndex) {
      this.fail();
      return;
    }
    this.#nextIndex += 1;
    if (answer.kind === "moved") {
      this.#finish("moved");
      return;
    }
    this.#isAccepted = true;
    this.#resolve("answered");
    const { call, headers } = this.#init;
    switch (answer.kind) {
      case "accepted":
        return;
      case "respond": {
        const { status, body } = answer;
        const all = { ...answer.headers, ...headers };
        const isPending = call.respond(status, all, body);
        if (isPending) this.#count(body?.length ?? 0);
        this.#complete(isPending);
        return;
      }
      case "stream":
        this.#open(answer.status, answer.headers, answer.length);
        return;
      case "chunk":
        this.#write(answer.text);
        return;
      case "end":
        this.#hasEnded = true;
        this.#pump();
        return;
      case "abort":
        this.#finish("answered");
        call.abort();
    }
  }

  /** Nothing was handled, as there is no such process. */
  setGone(): void {
    this.#finish("gone");
  }

  /** Nothing was handled, as the call was not sent. */
  setUnsent(): void {
    this.#finish("unsent");
  }

  /** The rest of the response will not come, and it is not known what was done. */
  fail(): void {
    if (this.#isOver || this.#isComplete) return;
    this.#leaveOwner();
    const sink = this.#sink;
    const isBetweenEvents = this.#isBetweenEvents;
    this.#finish("answered");
    this.#init.answerLost(
      sink === undefined
        ? undefined
        : {
            sink,
            isBetweenEvents,
            lastEventId: this.#lastEventId,
          },
    );
  }

  /**
   * Ends a stream, so that its client resumes it elsewhere.
   *
   * @returns False, with nothing done, if it cannot.
   */
  endStream(lastEvent: string): boolean {
    const sink = this.#sink;
    if (
      this.#isOver ||
      this.#isComplete ||
      sink === undefined ||
      this.#lastEventId === undefined
    )
      return false;
    this.#leaveOwner();
    const isBetweenEvents = this.#isBetweenEvents;
    this.#finish("answered");
    if (!isBetweenEvents) this.#init.call.abort();
    else {
      if (lastEvent !== "") sink.write(lastEvent);
      sink.end();
    }
    return true;
  }

  /** Whether the client has received complete events, and no part of another one. */
  get #isBetweenEvents(): boolean {
    return (
      this.#isEventStream &&
      this.#queue.length === 0 &&
      !this.#isSinkFull &&
      this.#tail.endsWith("\n\n")
    );
  }

  #open(status: number, headers: HeaderFields, length?: number): void {
    const { call, headers: own } = this.#init;
    const sink = call.stream(status, { ...headers, ...own }, length);
    this.#sink = sink;
    this.#isEventStream = headers["content-type"] === "text/event-stream";
    sink.onDrain = () => {
      if (this.#isOver) return;
      const blockedFor = Date.now() - (this.#blockedSince ?? Date.now());
      if (blockedFor >= READING_GAP_MS) this.#hasRead = true;
      this.#blockedSince = undefined;
      this.#isSinkFull = false;
      this.#count(-this.#handedOffChars);
      this.#handedOffChars = 0;
      this.#pump();
    };
  }

  #write(text: string): void {
    if (this.#sink === undefined) return;
    this.#queue.push(...slicesOf(text));
    this.#count(text.length);
    if (this.#isEventStream) this.#readEventId(text);
    this.#pump();
  }

  /** Remembers the last event id. Data is JSON in one line, so only a field begins with a new line. */
  #readEventId(text: string): void {
    const seen = this.#tail + text;
    const start = seen.lastIndexOf(ID_FIELD);
    const end = start < 0 ? -1 : seen.indexOf("\n", start + 1);
    if (end >= 0) this.#lastEventId = seen.slice(start + ID_FIELD.length, end);
    this.#tail = seen.slice(-MAX_TAIL_CHARS);
  }

  #pump(): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    while (!this.#isSinkFull && !this.#isOver) {
      const text = this.#queue.shift();
      if (text === undefined) break;
      this.#writtenChars += text.length;
      this.#readChars += text.length;
      if (sink.write(text)) this.#count(-text.length);
      else {
        this.#isSinkFull = true;
        this.#blockedSince = Date.now();
        this.#handedOffChars = text.length;
      }
    }
    if (this.#isOver) return;
    if (this.#hasEnded && this.#queue.length === 0 && !this.#isSinkFull) {
      this.#complete(sink.end());
      return;
    }
    if (this.#isSinkFull || this.#readChars < READ_STEP) return;
    this.#init.send({ kind: "read", call: this.id, chars: this.#readChars });
    this.#readChars = 0;
  }

  /** Counts what waits for the client here. */
  #count(chars: number): void {
    const { caller, unread } = this.#init;
    this.#unreadChars += chars;
    if (chars > 0) {
      unread.add(chars);
      caller.unreadBytes.acquire(chars);
    } else {
      unread.release(-chars);
      caller.unreadBytes.release(-chars);
    }
  }

  /** Tells the owner that nobody waits any more. */
  #leaveOwner(): void {
    if (!this.#isOver && !this.#isComplete)
      this.#init.send({ kind: "gone", call: this.id });
  }

  /** @param isPending - Whether the client still reads: `onDisconnect` reports when it no longer does. */
  #complete(isPending: boolean): void {
    if (!isPending) {
      this.#finish("answered");
      return;
    }
    this.#isComplete = true;
    this.#blockedSince = Date.now();
  }

  #finish(outcome: RemoteOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { call, caller, unread, onOver } = this.#init;
    call.onDisconnect = undefined;
    if (this.#unreadChars > 0) this.#count(-this.#unreadChars);
    unread.unwatch(this);
    caller.openResponses.release();
    onOver();
    this.#resolve(outcome);
  }
}

/** Splits a text, but no character. */
function slicesOf(text: string): readonly string[] {
  if (text.length <= SLICE_BYTES) return [text];
  const slices: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = start + SLICE_BYTES;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    slices.push(text.slice(start, end));
    start = end;
  }
  return slices;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

const ID_FIELD = "\nid: ";
/** More than any line with an event id has. */
const MAX_TAIL_CHARS = 1024;
