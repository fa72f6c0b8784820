import type { EventSink, HeaderFields, HttpCall } from "../call.js";
import type { AnswerBody, CallMessage } from "./wire.js";

/** Characters of a response that may be on their way to the process that the client is connected to. */
export const WINDOW_CHARS: number = 256 * 1024;

/** Milliseconds before the sender learns that a call is handled: most are answered earlier. */
const ACCEPT_DELAY_MS = 50;

/**
 * A call that another process received for a session of this one. The response goes to that process, which passes it on
 * to the client.
 *
 * Answers are numbered without a gap. After `end`, a complete response or a disconnect, nothing is sent, and `onOver`
 * was called once.
 */
export class ForwardedCall implements HttpCall {
  onDisconnect: (() => void) | undefined;
  isDisconnected = false;
  /** The request itself is in another process. */
  readonly raw = undefined;
  readonly method: string;
  readonly target: string;
  readonly remoteAddress: string | undefined;
  readonly #message: CallMessage;
  readonly #send: (index: number, answer: AnswerBody) => Promise<boolean>;
  readonly #onOver: () => void;
  #index = 0;
  #isOver = false;
  #acceptTimer: ReturnType<typeof setTimeout> | undefined;
  #sink: ForwardedSink | undefined;

  /**
   * @param send - Sends an answer; resolves to false, or rejects, if it does not arrive.
   * @param onOver - Called when nothing more will be sent.
   */
  constructor(
    message: CallMessage,
    send: (index: number, answer: AnswerBody) => Promise<boolean>,
    onOver: () => void,
  ) {
    this.#message = message;
    this.method = message.method;
    this.target = message.target;
    this.remoteAddress = message.remoteAddress;
    this.#send = send;
    this.#onOver = onOver;
  }

  header(name: string): string | undefined {
    return Object.hasOwn(this.#message.headers, name)
      ? this.#message.headers[name]
      : undefined;
  }

  /** The body came with the call, and was read before it was forwarded. */
  body(): Promise<string | undefined> {
    return Promise.resolve(this.#message.body);
  }

  /** Tells the sender that the call is handled, unless it is answered at once. */
  accept(): void {
    this.#acceptTimer = setTimeout(() => {
      this.#answer({ kind: "accepted" });
    }, ACCEPT_DELAY_MS);
  }

  /** Tells the sender that the call was not handled, since the session is not here. */
  move(): void {
    this.#answer({ kind: "moved" });
    this.#finish();
  }

  respond(status: number, headers: HeaderFields, body?: string): boolean {
    if (this.#sink !== undefined) return false;
    this.#answer({ kind: "respond", status, headers, body });
    this.#finish();
    return false;
  }

  stream(status: number, headers: HeaderFields, length?: number): EventSink {
    this.#answer({ kind: "stream", status, headers, length });
    this.#sink = new ForwardedSink(
      (text) => {
        this.#answer({ kind: "chunk", text });
      },
      () => {
        this.#answer({ kind: "end" });
        this.#finish();
      },
    );
    return this.#sink;
  }

  abort(): void {
    this.#answer({ kind: "abort" });
    this.#finish();
  }

  /** The client has accepted characters of the response. */
  handleRead(chars: number): void {
    this.#sink?.handleRead(chars);
  }

  /** The client, or the process that it is connected to, is gone. */
  disconnect(): void {
    if (this.#isOver) return;
    this.isDisconnected = true;
    this.#finish();
    this.onDisconnect?.();
  }

  #answer(answer: AnswerBody): void {
    if (this.#isOver) return;
    clearTimeout(this.#acceptTimer);
    const index = this.#index;
    this.#index += 1;
    this.#send(index, answer).then(
      (isSent) => {
        if (!isSent) this.disconnect();
      },
      // The gap is noticed there, if the process is still alive.
      () => {
        this.disconnect();
      },
    );
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#acceptTimer);
    this.#onOver();
  }
}

/**
 * Writes a body in messages, each with what was written in one turn.
 *
 * `#free` is what the window leaves; it may be exceeded by one write. `onDrain` is called only after a write that
 * returned false.
 */
class ForwardedSink implements EventSink {
  onDrain: (() => void) | undefined;
  readonly #sendText: (text: string) => void;
  readonly #sendEnd: () => void;
  /** A chunk may end within a character. */
  readonly #decoder = new TextDecoder();
  #free = WINDOW_CHARS;
  #pending = "";
  #isScheduled = false;
  #isFull = false;

  constructor(sendText: (text: string) => void, sendEnd: () => void) {
    this.#sendText = sendText;
    this.#sendEnd = sendEnd;
  }

  write(chunk: string | Uint8Array): boolean {
    const text =
      typeof chunk === "string"
        ? chunk
        : this.#decoder.decode(chunk, { stream: true });
    this.#pending += text;
    this.#free -= text.length;
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      queueMicrotask(() => {
        this.#flush();
      });
    }
    this.#isFull = this.#free <= 0;
    return !this.#isFull;
  }

  end(): boolean {
    this.#flush();
    this.#sendEnd();
    return false;
  }

  handleRead(chars: number): void {
    this.#free = Math.min(WINDOW_CHARS, this.#free + chars);
    if (!this.#isFull || this.#free <= 0) return;
    this.#isFull = false;
    this.onDrain?.();
  }

  #flush(): void {
    this.#isScheduled = false;
    const text = this.#pending;
    if (text === "") return;
    this.#pending = "";
    this.#sendText(text);
  }
}
