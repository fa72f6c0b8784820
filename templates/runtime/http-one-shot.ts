import { answeredBy } from "./http-call.js";
import type { HttpExtra, Reply } from "./http-call.js";
import { droppableName } from "./http-unread.js";
import { receiveClose } from "./receive.js";
import type { SendOptions, Transport } from "./transport.js";
import { encodeLine } from "./write.js";

/**
 * A connection for the messages of one POST, and nothing after them: how a stateless revision is spoken, and others where
 * no sessions are kept.
 */
export class OneShot implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];

  readonly #reply: Reply;
  readonly #value: unknown;
  readonly #extra: HttpExtra;
  readonly #statusOf: (code: number) => number;
  /** Whether an answer comes: one, or one array of them. */
  readonly #isAnswered: boolean;
  readonly #onEnd: () => void;
  #isClosed = false;

  constructor(
    reply: Reply,
    value: unknown,
    extra: HttpExtra,
    isAnswered: boolean,
    statusOf: (code: number) => number,
    onEnd: () => void,
  ) {
    this.#reply = reply;
    this.#value = value;
    this.#extra = extra;
    this.#isAnswered = isAnswered;
    this.#statusOf = statusOf;
    this.#onEnd = onEnd;
    // MCP 2026-07-28, Streamable HTTP, Cancellation: who closes the connection cancels the request.
    reply.onGone = () => {
      this.#end();
    };
  }

  start(): Promise<void> {
    try {
      this.onmessage?.(this.#value, this.#extra);
    } catch (error) {
      this.onerror?.(error as Error);
    }
    if (!this.#isAnswered) {
      this.#reply.empty(202);
      this.#end();
    }
    return STARTED;
  }

  send(message: object, _options?: SendOptions): void {
    if (this.#isClosed) throw new Error("the connection is closed");
    if (answeredBy(message) === undefined && !Array.isArray(message)) {
      if ("id" in message)
        throw new Error(
          "without a session, nothing can be asked of the client",
        );
      this.#reply.write(
        `data: ${encodeLine(message as never)}\n`,
        droppableName(message),
      );
      return;
    }
    const line = encodeLine(message as never);
    if (this.#reply.isStream) {
      this.#reply.write(`data: ${line}\n`);
      this.#reply.end();
    } else {
      const { error } = message as {
        readonly error?: { readonly code: number };
      };
      this.#reply.json(
        error === undefined ? 200 : this.#statusOf(error.code),
        line,
      );
    }
    this.#end();
  }

  endUnanswered(): void {
    if (this.#isClosed) return;
    if (this.#reply.isStream) this.#reply.end();
    else this.#reply.empty(202);
    this.#end();
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      if (this.#reply.isStream) this.#reply.end();
      else this.#reply.empty(503);
      this.#end();
    }
    return STARTED;
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onEnd();
    receiveClose(this);
  }
}

const STARTED = Promise.resolve();
