import type { HttpExtra } from "./extra.js";
import type { ResponseWriter } from "./reply.js";
import { dropKeyOf } from "./unread-budget.js";
import { responseIdOf } from "../../jsonrpc/envelope.js";
import { emitClose } from "../../jsonrpc/transport-events.js";
import { HTTP_NETWORK } from "../../jsonrpc/transport.js";
import type {
  SendOptions,
  Transport,
  TransportNetwork,
} from "../../jsonrpc/transport.js";
import { encodeLine } from "../../jsonrpc/write.js";

/**
 * A connection for the messages of one POST: for stateless revisions, and for others without sessions.
 *
 * It closes with its only response, or with the HTTP connection, whichever comes first.
 * After that nothing is written, and `onClosed` has been called once.
 */
export class SingleRequestTransport implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];

  readonly #writer: ResponseWriter;
  readonly #posted: unknown;
  readonly #extra: HttpExtra;
  readonly #statusOf: (code: number) => number;
  /** Whether a response will be sent: one, or one array of them. */
  readonly #expectsResponse: boolean;
  readonly #onClosed: () => void;
  #isClosed = false;

  constructor(
    writer: ResponseWriter,
    posted: unknown,
    extra: HttpExtra,
    expectsResponse: boolean,
    statusOf: (code: number) => number,
    onClosed: () => void,
  ) {
    this.#writer = writer;
    this.#posted = posted;
    this.#extra = extra;
    this.#expectsResponse = expectsResponse;
    this.#statusOf = statusOf;
    this.#onClosed = onClosed;
    // MCP 2026-07-28, Streamable HTTP, Cancellation: closing the connection cancels the request.
    writer.onDisconnect = () => {
      this.#teardown();
    };
  }

  get network(): TransportNetwork {
    return SINGLE_MESSAGE_NETWORK;
  }

  start(): Promise<void> {
    try {
      this.onmessage?.(this.#posted, this.#extra);
    } catch (error) {
      this.onerror?.(error as Error);
    }
    if (!this.#expectsResponse) {
      this.#writer.sendEmpty(202);
      this.#teardown();
    }
    return RESOLVED;
  }

  send(message: object, _options?: SendOptions): void {
    if (this.#isClosed) throw new Error("the connection is closed");
    if (responseIdOf(message) === undefined && !Array.isArray(message)) {
      if ("id" in message)
        throw new Error(
          "without a session, the client cannot receive requests",
        );
      this.#writer.writeEvent(
        `data: ${encodeLine(message as never)}\n`,
        dropKeyOf(message),
      );
      return;
    }
    const line = encodeLine(message as never);
    if (this.#writer.isStream) {
      this.#writer.writeEvent(`data: ${line}\n`);
      this.#writer.end();
    } else {
      const { error } = message as {
        readonly error?: { readonly code: number };
      };
      this.#writer.sendJson(
        error === undefined ? 200 : this.#statusOf(error.code),
        line,
      );
    }
    this.#teardown();
  }

  endUnanswered(): void {
    if (this.#isClosed) return;
    if (this.#writer.isStream) this.#writer.end();
    else this.#writer.sendEmpty(202);
    this.#teardown();
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      if (this.#writer.isStream) this.#writer.end();
      else this.#writer.sendEmpty(503);
      this.#teardown();
    }
    return RESOLVED;
  }

  #teardown(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClosed();
    emitClose(this);
  }
}

const SINGLE_MESSAGE_NETWORK: TransportNetwork = Object.freeze({
  ...HTTP_NETWORK,
  isSingleMessage: true,
});

const RESOLVED = Promise.resolve();
