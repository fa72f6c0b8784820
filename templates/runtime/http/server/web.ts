import { BodyChunks } from "./bodies.js";
import type {
  BodyProgress,
  EventSink,
  HeaderFields,
  HttpCall,
} from "./call.js";

/** Creates a function that answers requests as `fetch` does, from one that handles calls. */
export function toFetchHandler(
  handle: (call: HttpCall) => void,
): (request: Request) => Promise<Response> {
  return (request) =>
    new Promise((resolve) => {
      // The client is gone, and no event will report it.
      if (request.signal.aborted)
        resolve(new Response(null, { status: CLIENT_CLOSED_REQUEST }));
      else handle(new WebCall(request, resolve));
    });
}

/** The status for a client that has disconnected; nobody receives it. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * A request that came through `fetch`.
 *
 * The promise of `fetch` resolves once; `#resolve` is undefined from then on.
 * `onDisconnect` is called at most once, and only while the abort listener is registered or the stream is open.
 */
class WebCall implements HttpCall {
  onDisconnect: (() => void) | undefined;
  isDisconnected = false;
  readonly raw: Request;
  readonly method: string;
  readonly #url: URL;
  #resolve: ((response: Response) => void) | undefined;
  #sink: WebEventSink | undefined;
  /** Stops reading the body. */
  #stopBody: (() => void) | undefined;
  readonly #onAbort = (): void => {
    this.#disconnect();
  };

  constructor(request: Request, resolve: (response: Response) => void) {
    this.raw = request;
    this.method = request.method;
    this.#url = new URL(request.url);
    this.#resolve = resolve;
    request.signal.addEventListener("abort", this.#onAbort);
  }

  get target(): string {
    return this.#url.pathname + this.#url.search;
  }

  /** Headers with the same name are joined; no host contains a comma. */
  get repeatedHeader(): string | undefined {
    return this.raw.headers.get("host")?.includes(",") === true
      ? "Host"
      : undefined;
  }

  headerNames(): Iterable<string> {
    // Their iterators are in a library of types that projects may leave out.
    const names: string[] = [];
    this.raw.headers.forEach((_value, name) => names.push(name));
    return names;
  }

  header(name: string): string | undefined {
    const value = this.raw.headers.get(name);
    if (value !== null) return value;
    // Over HTTP/2 there is an authority, which is part of the URL.
    return name === "host" ? this.#url.host : undefined;
  }

  async body(
    maxBytes: number,
    progress?: BodyProgress,
  ): Promise<Uint8Array | undefined> {
    const { body } = this.raw;
    if (body === null) return new Uint8Array();
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const chunks = new BodyChunks();
    let isStopped = false as boolean;
    const stop = (): void => {
      isStopped = true;
      chunks.clear();
      // Also ends the pending read. The sender may break off before it does.
      reader.cancel().catch(() => undefined);
    };
    if (progress !== undefined) progress.stop = stop;
    this.#stopBody = stop;
    for (;;) {
      const { done, value } = await reader.read();
      if (isStopped) return undefined;
      if (done) break;
      // A stream may contain anything; a chunk without a length would disable every limit.
      if (!((value as unknown) instanceof Uint8Array)) {
        stop();
        throw new TypeError("a chunk of the body is not bytes");
      }
      if (chunks.length + value.byteLength > maxBytes) {
        stop();
        return undefined;
      }
      chunks.add(value);
      progress?.received(value.byteLength);
    }
    this.#stopBody = undefined;
    return chunks.concat();
  }

  respond(status: number, headers: HeaderFields, body?: string): boolean {
    this.#respond(new Response(body ?? null, { status, headers }));
    this.#removeAbortListener();
    return false;
  }

  /** The runtime sets the length, since it may send the body in another encoding. */
  stream(status: number, headers: HeaderFields): EventSink {
    const sink = new WebEventSink(
      () => {
        this.#disconnect();
      },
      () => {
        this.#removeAbortListener();
      },
    );
    this.#sink = sink;
    this.#respond(new Response(sink.readable, { status, headers }));
    return sink;
  }

  abort(): void {
    this.#removeAbortListener();
    this.#sink?.abort();
    this.#respond(new Response(null, { status: CLIENT_CLOSED_REQUEST }));
  }

  #respond(response: Response): void {
    this.#resolve?.(response);
    this.#resolve = undefined;
  }

  #disconnect(): void {
    if (this.isDisconnected) return;
    this.isDisconnected = true;
    this.#removeAbortListener();
    this.#stopBody?.();
    this.#sink?.detach();
    this.#respond(new Response(null, { status: CLIENT_CLOSED_REQUEST }));
    this.onDisconnect?.();
  }

  #removeAbortListener(): void {
    this.raw.signal.removeEventListener("abort", this.#onAbort);
  }
}

const encoder = new TextEncoder();

/** Bytes that the runtime may buffer before it must pass some on. */
const HIGH_WATER_MARK = 16 * 1024;

/**
 * Writes a stream to the body of a `Response`.
 *
 * `#controller` is defined exactly while the stream is open: not ended, cancelled, detached or aborted.
 * `onDrain` is called only after a write that returned false.
 */
class WebEventSink implements EventSink {
  onDrain: (() => void) | undefined;
  readonly readable: ReadableStream<Uint8Array>;
  readonly #onEnd: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isFull = false;

  constructor(onDisconnect: () => void, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          if (!this.#isFull) return;
          this.#isFull = false;
          this.onDrain?.();
        },
        cancel: () => {
          this.#controller = undefined;
          onDisconnect();
        },
      },
      { highWaterMark: HIGH_WATER_MARK, size: (chunk) => chunk.byteLength },
    );
  }

  write(chunk: string | Uint8Array): boolean {
    const controller = this.#controller;
    if (controller === undefined) return false;
    controller.enqueue(
      typeof chunk === "string" ? encoder.encode(chunk) : chunk,
    );
    this.#isFull = (controller.desiredSize ?? 0) <= 0;
    return !this.#isFull;
  }

  end(): boolean {
    this.#controller?.close();
    this.#controller = undefined;
    this.#onEnd();
    return false;
  }

  /** The client is gone: nobody reads any more, and nobody needs to be notified. */
  detach(): void {
    this.#controller = undefined;
  }

  abort(): void {
    this.#controller?.error(new Error("the connection was cut off"));
    this.#controller = undefined;
  }
}
