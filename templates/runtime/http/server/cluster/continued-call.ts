import type { EventSink, HeaderFields, HttpCall } from "../call.js";
import type { BrokenStream } from "./remote-call.js";

/**
 * A client's open stream of events, as a call that resumes it: what the client would send if its connection broke, over
 * the connection that it still has.
 *
 * The stream is ended once: by whoever resumes it, or with `lastEvent` if that fails.
 */
export class ContinuedCall implements HttpCall {
  readonly method = "GET";
  readonly #call: HttpCall;
  readonly #stream: BrokenStream;
  readonly #lastEvent: string | undefined;

  /** @param lastEvent - Ends the stream if it cannot be resumed. */
  constructor(
    call: HttpCall,
    stream: BrokenStream,
    lastEvent: string | undefined,
  ) {
    this.#call = call;
    this.#stream = stream;
    this.#lastEvent = lastEvent;
  }

  get target(): string {
    return this.#call.target;
  }

  get raw(): unknown {
    return this.#call.raw;
  }

  get isDisconnected(): boolean {
    return this.#call.isDisconnected;
  }

  get remoteAddress(): string | undefined {
    return this.#call.remoteAddress;
  }

  get onDisconnect(): (() => void) | undefined {
    return this.#call.onDisconnect;
  }

  set onDisconnect(listener: (() => void) | undefined) {
    this.#call.onDisconnect = listener;
  }

  *headerNames(): Iterable<string> {
    yield "last-event-id";
    yield* (
      this.#call.headerNames?.() ?? [
        "accept",
        "mcp-session-id",
        "mcp-protocol-version",
      ]
    );
  }

  header(name: string): string | undefined {
    return name === "last-event-id"
      ? this.#stream.lastEventId
      : this.#call.header(name);
  }

  body(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** The stream cannot be resumed. */
  respond(): boolean {
    const { sink } = this.#stream;
    if (this.#lastEvent !== undefined) sink.write(this.#lastEvent);
    sink.end();
    return false;
  }

  stream(_status: number, _headers: HeaderFields): EventSink {
    return this.#stream.sink;
  }

  abort(): void {
    this.#call.abort();
  }
}
