import type { EventSink, HeaderFields, HttpCall } from "../call.js";
import type { Caller } from "../callers.js";
import { hasStalled, READING_GAP_MS, SLICE_BYTES } from "../stalls.js";
import type { UnreadBudget, UnreadResponse } from "../unread-budget.js";
import type { AnswerMessage, CallerMessage } from "./wire.js";
import { WINDOW_CHARS } from "./forwarded-call.js";

/** How much the client has accepted before the owner learns of it. */
const READ_STEP = WINDOW_CHARS / 4;

/** What became of a call that was sent to the owner of its session. */
export type ForwardOutcome =
  /** The owner answers it, or it was answered with an error. */
  | "answered"
  /** Nothing was handled: the session is not there. */
  | "moved"
  /** Nothing was handled: there is no such process. */
  | "gone";

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
  /** The same limit as for responses of this process. */
  readonly stallTimeout: number;
  readonly send: (message: CallerMessage) => void;
  /** Answers the call when its outcome is not known: as a response, or as the end of the stream that it has. */
  readonly answerLost: (stream: BrokenStream | undefined) => void;
  /** Called when nothing more is expected of the owner. */
  readonly onOver: () => void;
  /** Called when the system has accepted the whole response, too, or the client is gone. */
  readonly onSettled: () => void;
}

/**
 * A call that the owner of its session answers: passes the response on to the client as fast as that reads. A client is
 * disconnected for the same reasons as one whose response is made here.
 *
 * The caller holds an open response until it is settled, and the characters that wait here or in a full sink.
 * `isSettled` implies `isOver`. `outcome` resolves once.
 */
export class RemoteCall implements UnreadResponse {
  readonly id: number;
  readonly owner: string;
  /** Resolves when it is known who answers the call. */
  readonly outcome: Promise<ForwardOutcome>;
  /** When it was sent, by a clock that does not stop. */
  readonly sentAt = performance.now();
  #isAccepted = false;
  readonly #init: RemoteCallInit;
  #resolve: (outcome: ForwardOutcome) => void = () => undefined;
  #nextIndex = 0;
  #isOver = false;
  #isSettled = false;
  #sink: EventSink | undefined;
  #isSinkFull = false;
  readonly #queue: string[] = [];
  /** In the queue, or in a sink that is full. */
  #unreadChars = 0;
  #handedOffChars = 0;
  #totalChars = 0;
  /** When the client last read something, or had nothing to read. */
  #lastDrainAt = Date.now();
  #hasRead = false;
  #hasEnded = false;
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
    init.call.onDisconnect = () => {
      this.#drop();
    };
  }

  /** Whether the owner is known to handle the call. */
  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /** Whether the client waits for messages of no request. */
  get isListening(): boolean {
    return this.#init.isListening;
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
    return this.#isSinkFull || this.#isOver ? this.#lastDrainAt : undefined;
  }

  /** Disconnects the client. */
  abort(): void {
    if (this.#isSettled) return;
    this.#init.call.abort();
    this.#drop();
  }

  /** Called every few seconds. */
  tick(now: number): void {
    const { blockedSince: since } = this;
    const { stallTimeout } = this.#init;
    if (
      since !== undefined &&
      hasStalled(now - since, stallTimeout, this.#totalChars)
    )
      this.abort();
  }

  receive(answer: AnswerMessage): void {
    if (this.#isOver) return;
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
        this.#end(
          call.respond(status, { ...answer.headers, ...headers }, body),
        );
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

  /** The rest of the response will not come, and it is not known what was done. */
  fail(): void {
    if (this.#isOver) return;
    this.#init.send({ kind: "gone", call: this.id });
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
    if (this.#isOver || sink === undefined || this.#lastEventId === undefined)
      return false;
    this.#init.send({ kind: "gone", call: this.id });
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
      this.#handleDrain();
    };
  }

  #write(text: string): void {
    if (this.#sink === undefined) return;
    for (let start = 0; start < text.length;) {
      const end = sliceEnd(text, start);
      this.#queue.push(text.slice(start, end));
      start = end;
    }
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
      this.#readChars += text.length;
      this.#totalChars += text.length;
      if (sink.write(text)) this.#count(-text.length);
      else {
        this.#isSinkFull = true;
        this.#lastDrainAt = Date.now();
        this.#handedOffChars = text.length;
      }
    }
    if (this.#isOver) return;
    if (this.#hasEnded && this.#queue.length === 0 && !this.#isSinkFull) {
      this.#end(sink.end());
      return;
    }
    if (this.#isSinkFull || this.#readChars < READ_STEP) return;
    this.#init.send({ kind: "read", call: this.id, chars: this.#readChars });
    this.#readChars = 0;
  }

  #handleDrain(): void {
    const now = Date.now();
    if (now - this.#lastDrainAt >= READING_GAP_MS) this.#hasRead = true;
    this.#lastDrainAt = now;
    this.#isSinkFull = false;
    this.#count(-this.#handedOffChars);
    this.#handedOffChars = 0;
    this.#pump();
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

  /** The client is gone, or has received the whole response. */
  #drop(): void {
    if (!this.#isOver) this.#init.send({ kind: "gone", call: this.id });
    this.#finish("answered");
  }

  /** The response is complete. While it is pending, its client still has to read. */
  #end(isPending: boolean): void {
    this.#lastDrainAt = Date.now();
    if (isPending) this.#setOver("answered");
    else this.#finish("answered");
  }

  #finish(outcome: ForwardOutcome): void {
    this.#setOver(outcome);
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { call, caller, onSettled } = this.#init;
    call.onDisconnect = undefined;
    this.#count(-this.#unreadChars);
    caller.openResponses.release();
    onSettled();
  }

  #setOver(outcome: ForwardOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#init.onOver();
    this.#resolve(outcome);
  }
}

/** Where a slice of a text ends that begins at a position: never within a character. */
function sliceEnd(text: string, start: number): number {
  const end = start + SLICE_BYTES;
  const isWithin = (text.codePointAt(end - 1) ?? 0) > 0xff_ff;
  return isWithin ? end - 1 : Math.min(end, text.length);
}

const ID_FIELD = "\nid: ";
/** More than any line with an event id has. */
const MAX_TAIL_CHARS = 1024;
