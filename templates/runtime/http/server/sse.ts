import { encodeSseEvent } from "./reply.js";
import type { RetainedBody } from "./bodies.js";
import type { HttpExtra } from "./extra.js";
import type { ResponseWriter } from "./reply.js";
import type { AnyServer } from "./types.js";
import { dropKeyOf } from "./unread-budget.js";
import { emitClose } from "../../jsonrpc/transport-events.js";
import { HTTP_NETWORK } from "../../jsonrpc/transport.js";
import type { Transport, TransportNetwork } from "../../jsonrpc/transport.js";
import { encodeLine } from "../../jsonrpc/write.js";

/**
 * A session over HTTP with SSE (MCP 2024-11-05, Transports): the server sends everything over one stream, which is the
 * connection; the client posts to another path.
 *
 * It closes once, with the stream or by `close`; `onClosed` is called then.
 * After that `send` throws, and `initializeBody` has been released.
 */
export class SseTransport implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];

  readonly writer: ResponseWriter;
  readonly sessionId: string;
  readonly principal: string | undefined;
  readonly #onClosed: () => void;
  /** The body that began the session, if it is large, since the session keeps its contents. */
  initializeBody: RetainedBody | undefined;
  /** The server's side, once it is connected. */
  connection: Awaited<ReturnType<AnyServer["connect"]>> | undefined;
  #isClosed = false;

  constructor(
    writer: ResponseWriter,
    sessionId: string,
    principal: string | undefined,
    onClosed: () => void,
  ) {
    this.writer = writer;
    this.sessionId = sessionId;
    this.principal = principal;
    this.#onClosed = onClosed;
    writer.onDisconnect = () => {
      this.#teardown();
    };
  }

  get network(): TransportNetwork {
    return HTTP_NETWORK;
  }

  /** Whether no handler of a request runs. */
  get isIdle(): boolean {
    return (this.connection?.inFlight.inbound ?? 0) === 0;
  }

  /** Sends the client the URL to post to. */
  sendEndpoint(path: string): void {
    this.writer.writeEvent(encodeSseEvent(path, { event: "endpoint" }));
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Handles a posted message. */
  handlePosted(posted: unknown, extra: HttpExtra): void {
    try {
      this.onmessage?.(posted, extra);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  send(message: object): void {
    if (this.#isClosed) throw new Error("the connection is closed");
    this.writer.writeEvent(
      `event: message\ndata: ${encodeLine(message as never)}\n`,
      dropKeyOf(message),
    );
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.writer.end();
      this.#teardown();
    }
    return Promise.resolve();
  }

  #teardown(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.initializeBody?.release();
    this.#onClosed();
    emitClose(this);
  }
}
