import type {
  BodyProgress,
  EventSink,
  HeaderFields,
  HttpCall,
} from "./http-call.js";

/** Makes a function that answers requests as `fetch` does, from one that takes calls. */
export function webFetch(
  handle: (call: HttpCall) => void,
): (request: Request) => Promise<Response> {
  return (request) =>
    new Promise((resolve) => {
      handle(new WebCall(request, resolve));
    });
}

class WebCall implements HttpCall {
  onGone: (() => void) | undefined;
  readonly raw: Request;
  readonly method: string;
  readonly #url: URL;
  readonly #answer: (response: Response) => void;

  constructor(request: Request, answer: (response: Response) => void) {
    this.raw = request;
    this.method = request.method;
    this.#url = new URL(request.url);
    this.#answer = answer;
  }

  get target(): string {
    return this.#url.pathname + this.#url.search;
  }

  /** Headers of one name have been joined; no host has a comma in it. */
  get repeatedHeader(): string | undefined {
    return this.raw.headers.get("host")?.includes(",") === true
      ? "Host"
      : undefined;
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
    let chunks: Uint8Array[] = [];
    let length = 0;
    let isStopped = false as boolean;
    const stop = (): void => {
      isStopped = true;
      chunks = [];
      // Ends the read that waits, too. Who sends may break off before it does.
      reader.cancel().catch(() => undefined);
    };
    if (progress !== undefined) progress.stop = stop;
    for (;;) {
      const { done, value } = await reader.read();
      if (isStopped) return undefined;
      if (done) break;
      length += value.byteLength;
      if (length > maxBytes) {
        stop();
        return undefined;
      }
      chunks.push(value);
      progress?.received(value.byteLength);
    }
    if (chunks.length === 1) return chunks[0];
    const whole = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.byteLength;
    }
    return whole;
  }

  respond(status: number, headers: HeaderFields, body?: string): void {
    this.#answer(new Response(body ?? null, { status, headers }));
  }

  stream(headers: HeaderFields): EventSink {
    const sink = new WebSink(() => this.onGone?.());
    this.raw.signal.addEventListener(
      "abort",
      () => {
        sink.drop();
        this.onGone?.();
      },
      { once: true },
    );
    this.#answer(new Response(sink.readable, { status: 200, headers }));
    return sink;
  }
}

const encoder = new TextEncoder();

class WebSink implements EventSink {
  readonly readable: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(onGone: () => void) {
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.#controller = undefined;
          onGone();
        },
      },
      { highWaterMark: 0, size: (chunk) => chunk.byteLength },
    );
  }

  get backlog(): number {
    return -(this.#controller?.desiredSize ?? 0);
  }

  write(text: string): void {
    this.#controller?.enqueue(encoder.encode(text));
  }

  end(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }

  /** The client is gone: nobody reads any more, and nobody is to be told. */
  drop(): void {
    this.#controller = undefined;
  }

  abort(): void {
    this.#controller?.error(new Error("the connection was cut off"));
    this.#controller = undefined;
  }
}
