/** One HTTP request, as a binding hands it to the handler. It is answered once, by {@link respond} or {@link stream}. */
export interface HttpCall {
  readonly method: string;
  /** The path, with the query. */
  readonly target: string;
  /** What the runtime has for it: a `Request`, or an `IncomingMessage` in Node. */
  readonly raw: unknown;
  /** Whether the client went away before the answer was complete. */
  readonly isDisconnected: boolean;
  /** The address of the client, or of the proxy before it; undefined if the runtime does not know it. */
  readonly remoteAddress?: string | undefined;
  /** A header that may be there only once and came twice, where the runtime shows that; such a request is refused. */
  readonly repeatedHeader?: string | undefined;
  /**
   * Called once if the client goes away before the answer is complete, or when the system has taken all of an answer that
   * was still pending. Set by the handler, and not called during a call of one of the methods here.
   */
  onDisconnect: (() => void) | undefined;
  /** The value of a header; the name is in lower case. */
  header(name: string): string | undefined;
  /**
   * The whole body, or undefined if it has more than so many bytes or was stopped. Rejects if it breaks off.
   *
   * @param progress - Is told how much has come, and can stop it.
   */
  body(
    maxBytes: number,
    progress?: BodyProgress,
  ): Promise<string | Uint8Array | undefined>;
  /**
   * Answers at once.
   *
   * @returns Whether the answer is pending: `onGone` is called when that is over.
   */
  respond(status: number, headers: HeaderFields, body?: string): boolean;
  /** Answers with a body that is written bit by bit. @param length - Its bytes, where they are known. */
  stream(status: number, headers: HeaderFields, length?: number): EventSink;
  /** Breaks the connection off. */
  abort(): void;
}

/** Watches a body while it arrives. */
export interface BodyProgress {
  /** Called by the binding with the number of bytes of each chunk, after it has taken the chunk. */
  received(bytes: number): void;
  /** Set by the binding: no more of the body is wanted. */
  stop: (() => void) | undefined;
}

/** Headers by name, in lower case. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Where a body goes that is written bit by bit. */
export interface EventSink {
  /** Called when everything was taken, after `write` returned false. Set by whoever writes. */
  onDrain: (() => void) | undefined;
  /** Writes what is a small part of a body. False if nothing more should come before `onDrain` is called. */
  write(chunk: string | Uint8Array): boolean;
  /** Ends the body, when nothing waits for `onDrain`. Returns whether it is pending, as `respond` does. */
  end(): boolean;
}

/** The object that says that there are none, so that the common case can be told by looking. */
export const NO_HEADERS: HeaderFields = Object.freeze({});
