/**
 * One HTTP request, as a binding passes it to the handler. It is answered once, by {@link respond} or {@link stream}.
 */
export interface HttpCall {
  readonly method: string;
  /** The path with the query. */
  readonly target: string;
  /** The runtime's own request: a `Request`, or an `IncomingMessage` in Node. */
  readonly raw: unknown;
  /** Whether the client disconnected before the response was complete. */
  readonly isDisconnected: boolean;
  /** The address of the client, or of the proxy before it; undefined if the runtime does not know it. */
  readonly remoteAddress?: string | undefined;
  /** The name of a single-valued header that was sent twice, if the runtime shows that; such a request is rejected. */
  readonly repeatedHeader?: string | undefined;
  /**
   * Called once if the client disconnects before the response is complete, or when the system has accepted all of a
   * pending response. Set by the handler, and not called during a call of one of the methods here.
   */
  onDisconnect: (() => void) | undefined;
  /** The names of all headers, in lower case; bindings that cannot list them leave it out. */
  headerNames?(): Iterable<string>;
  /** The value of a header; the name is in lower case. */
  header(name: string): string | undefined;
  /**
   * The whole body, or undefined if it has more than `maxBytes` or was stopped. Rejects if it breaks off.
   *
   * @param progress - Receives the size of each chunk, and can stop the body.
   */
  body(
    maxBytes: number,
    progress?: BodyProgress,
  ): Promise<string | Uint8Array | undefined>;
  /**
   * Sends a complete response.
   *
   * @returns Whether it is pending: `onDisconnect` is called when it no longer is.
   */
  respond(status: number, headers: HeaderFields, body?: string): boolean;
  /**
   * Responds with a body that is written in chunks.
   * @param length - Its bytes, if known.
   */
  stream(status: number, headers: HeaderFields, length?: number): EventSink;
  /** Closes the connection without completing the response. */
  abort(): void;
}

/** Watches a body while it arrives. */
export interface BodyProgress {
  /** Called by the binding with the number of bytes of each chunk, after it has taken the chunk. */
  received(bytes: number): void;
  /** Set by the binding: stops reading the body. */
  stop: (() => void) | undefined;
}

/** Headers by name, in lower case. */
export type HeaderFields = Readonly<Record<string, string>>;

/** A body that is written in chunks. */
export interface EventSink {
  /** Called when everything was accepted, after `write` returned false. Set by the writer. */
  onDrain: (() => void) | undefined;
  /** Writes a small part of a body. Returns false if the writer should wait for `onDrain`. */
  write(chunk: string | Uint8Array): boolean;
  /** Ends the body, when nothing waits for `onDrain`. Returns whether it is pending, as `respond` does. */
  end(): boolean;
}

/** The shared empty object, so that the common case can be recognized by identity. */
export const NO_HEADERS: HeaderFields = Object.freeze({});
