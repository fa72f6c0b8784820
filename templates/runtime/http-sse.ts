import { eventText } from "./http-call.js";
import type { RequestBytes } from "./http-bodies.js";
import type { HttpExtra, Reply } from "./http-call.js";
import { droppableName } from "./http-unread.js";
import { receiveClose } from "./receive.js";
import type { Transport } from "./transport.js";
import { encodeLine } from "./write.js";

/**
 * A session over HTTP with SSE (MCP 2024-11-05, Transports): all that the server sends goes over one stream, which is the
 * connection; the client posts to another path.
 */
export class LegacyStream implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];

  readonly reply: Reply;
  readonly principal: string | undefined;
  readonly #onEnd: () => void;
  /** The message that began the session, whose contents it keeps; if it is large. */
  opening: RequestBytes | undefined;
  #isClosed = false;

  constructor(reply: Reply, principal: string | undefined, onEnd: () => void) {
    this.reply = reply;
    this.principal = principal;
    this.#onEnd = onEnd;
    reply.onGone = () => {
      this.#end();
    };
  }

  /** Tells the client where to post. */
  begin(path: string): void {
    this.reply.write(eventText(path, { event: "endpoint" }));
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Takes what was posted. */
  take(value: unknown, extra: HttpExtra): void {
    try {
      this.onmessage?.(value, extra);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  send(message: object): void {
    if (this.#isClosed) throw new Error("the connection is closed");
    this.reply.write(
      `event: message\ndata: ${encodeLine(message as never)}\n`,
      droppableName(message),
    );
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.reply.end();
      this.#end();
    }
    return Promise.resolve();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.opening?.release();
    this.#onEnd();
    receiveClose(this);
  }
}
