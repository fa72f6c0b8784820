import type { EventSink, HeaderFields, HttpCall } from "../call.js";
import type { Caller } from "../callers.js";
import type { UnreadBudget } from "../unread-budget.js";
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
  readonly send: (message: CallerMessage) => void;
  /** Answers the call when its outcome is not known: as a response, or as the end of the stream that it has. */
  readonly answerLost: (stream: BrokenStream | undefined) => void;
  /** Called when nothing more is expected. */
  readonly onOver: () => void;
}

/**
 * A call that the owner of its session answers: passes the response on to the client as fast as that reads.
 *
 * The caller holds an open response, and the bytes in `#queue`, until it is over. `outcome` resolves once.
 */
export class RemoteCall {
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
  #sink: EventSink | undefined;
  #isSinkFull = false;
  readonly #queue: string[] = [];
  #queuedChars = 0;
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
      init.send({ kind: "gone", call: init.id });
      this.#finish("answered");
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
      case "respond":
        this.#finish("answered");
        call.respond(
          answer.status,
          { ...answer.headers, ...headers },
          answer.body,
        );
        return;
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
      this.#isSinkFull = false;
      this.#pump();
    };
  }

  #write(text: string): void {
    if (this.#sink === undefined) return;
    this.#queue.push(text);
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
      this.#count(-text.length);
      this.#isSinkFull = !sink.write(text);
      this.#readChars += text.length;
    }
    if (this.#isOver) return;
    if (this.#hasEnded && this.#queue.length === 0 && !this.#isSinkFull) {
      this.#finish("answered");
      sink.end();
      return;
    }
    if (this.#isSinkFull || this.#readChars < READ_STEP) return;
    this.#init.send({ kind: "read", call: this.id, chars: this.#readChars });
    this.#readChars = 0;
  }

  /** Counts what waits for the client here. */
  #count(chars: number): void {
    const { caller, unread } = this.#init;
    this.#queuedChars += chars;
    if (chars > 0) {
      unread.add(chars);
      caller.unreadBytes.acquire(chars);
    } else {
      unread.release(-chars);
      caller.unreadBytes.release(-chars);
    }
  }

  #finish(outcome: ForwardOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { call, caller, onOver } = this.#init;
    call.onDisconnect = undefined;
    if (this.#queuedChars > 0) this.#count(-this.#queuedChars);
    caller.openResponses.release();
    onOver();
    this.#resolve(outcome);
  }
}

const ID_FIELD = "\nid: ";
/** More than any line with an event id has. */
const MAX_TAIL_CHARS = 1024;
