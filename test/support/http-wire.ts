/** HTTP as a test client sees it: a body that is read as slowly as wanted, over a socket or from `fetch()` of a handler. */
import { Agent, request } from 'node:http';
import type { HttpHandler } from '../../generated/runtime/http-server.js';

/** The answer to one request. Nothing of its body is read but by {@link read}. */
export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  /** The next bytes of the body, at most so many; undefined at its end. Rejects if the connection breaks off. */
  read(maxBytes: number): Promise<Uint8Array | undefined>;
  /** Goes away in the middle. */
  drop(): void;
}

export type WireHeaders = Readonly<Record<string, string>>;

/** Sends a request; resolves with the headers of the answer. */
export type Wire = (method: string, path: string, headers: WireHeaders, body?: string) => Promise<Answer>;

/** Requests over sockets, each client over separate connections. */
export function socketWire(url: URL): Wire {
  // An idle connection is given up before the server does it, so that no request meets a closing one.
  const agent = new Agent({ keepAlive: true, timeout: 1_000 });
  return (method, path, headers, body) =>
    new Promise((resolve, reject) => {
      const posted = request(new URL(path, url), { method, headers, agent });
      posted.on('error', reject);
      posted.on('response', (response) => {
        let wake: () => void = () => undefined;
        for (const event of ['readable', 'end', 'error', 'close']) {
          response.on(event, () => {
            wake();
          });
        }
        resolve({
          status: response.statusCode ?? 0,
          header: (name) => response.headers[name] as string | undefined,
          read: async (maxBytes) => {
            for (;;) {
              const { readableLength } = response;
              const chunk = response.read(
                readableLength === 0 ? undefined : Math.min(maxBytes, readableLength),
              ) as Buffer | null;
              if (chunk !== null) return chunk;
              if (response.readableEnded) return undefined;
              if (response.destroyed) throw new Error('the connection broke off');
              await new Promise<void>((done) => {
                wake = done;
              });
            }
          },
          drop: () => {
            posted.destroy();
          },
        });
      });
      posted.end(body);
    });
}

/** Requests to the `fetch()` of a handler in this process. */
export function fetchWire(handler: Pick<HttpHandler, 'fetch'>): Wire {
  let drops = 0;
  return async (method, path, headers, body) => {
    const controller = new AbortController();
    const response = await handler.fetch(
      new Request(`http://localhost:3000${path}`, {
        method,
        headers,
        signal: controller.signal,
        ...(body === undefined ? {} : { body }),
      }),
    );
    const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
    let rest: Uint8Array = new Uint8Array();
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      read: async (maxBytes) => {
        if (rest.byteLength === 0) {
          const next = await reader?.read();
          if (next?.value === undefined) return undefined;
          rest = next.value;
        }
        const chunk = rest.subarray(0, maxBytes);
        rest = rest.subarray(maxBytes);
        return chunk;
      },
      drop: () => {
        // Some runtimes abort the signal, some cancel the body, and some do both.
        drops += 1;
        if (drops % 3 !== 0) controller.abort();
        if (drops % 3 !== 1) reader?.cancel().catch(() => undefined);
      },
    };
  };
}

/** An event of a stream, with its id if it has one. */
export interface WireEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** Splits a stream into events; linear in the length of an event, however it is cut. */
export class EventSplitter {
  #chunks: Uint8Array[] = [];
  #endsLine = false;

  *push(chunk: Uint8Array): Generator<WireEvent> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    if (this.#endsLine && bytes[0] === 0x0a) {
      start = 1;
      yield* this.#take(bytes.subarray(0, 1));
    }
    for (let end = bytes.indexOf('\n\n', start); end >= 0; end = bytes.indexOf('\n\n', start)) {
      yield* this.#take(bytes.subarray(start, end));
      start = end + 2;
    }
    const rest = bytes.subarray(start);
    if (rest.length > 0) this.#chunks.push(rest);
    this.#endsLine = rest.length > 0 && rest.at(-1) === 0x0a;
  }

  *#take(last: Uint8Array): Generator<WireEvent> {
    const text = Buffer.concat([...this.#chunks, last]).toString('utf8');
    this.#chunks = [];
    this.#endsLine = false;
    let id: string | undefined;
    let data: string | undefined;
    for (const line of text.split('\n')) {
      if (line.startsWith('id: ')) id = line.slice(4);
      else if (line.startsWith('data: ')) data = line.slice(6);
      else if (line === 'data:') data = '';
    }
    if (id !== undefined || data !== undefined) yield { id, data: data ?? '' };
  }
}
