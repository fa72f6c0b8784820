/** An HTTP endpoint with the headers of a session. */
import { createParser } from 'eventsource-parser';
import { errors, request, type Dispatcher } from 'undici';
import type { HttpTarget } from '../../connect/target.js';
import type { Content, HttpHeaders } from '../../recording/entry.js';
import { messagesOfEntry } from '../../recording/message.js';
import { answerTo, type Connection, type HeaderChanges, type SendOptions, type Sent } from './connection.js';
import { contentOf, Log, MAX_FRAME_BYTES, omitted } from './log.js';

/** The state of one exchange. */
interface HttpExchange {
  readonly controller: AbortController;
  isOver: boolean;
  /** Whether the response has a status of failure. */
  hasFailed: boolean;
}

/** Headers of every message, unless they are replaced. */
const USUAL_HEADERS: HttpHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** A connection over HTTP: each message is a request. */
export class HttpConnection implements Connection {
  readonly kind = 'http';
  readonly log = new Log();
  readonly end = undefined;
  readonly #target: HttpTarget;
  readonly #dispatcher: Dispatcher | undefined;
  readonly #exchanges: HttpExchange[] = [];
  #headers: HeaderChanges = {};
  #isClosed = false;
  /** With HTTP+SSE, where messages are sent, and the exchange of the stream on which the server answers. */
  #stream: { readonly endpoint: URL; readonly exchange: number } | undefined;

  constructor(target: HttpTarget, dispatcher: Dispatcher | undefined) {
    this.#target = target;
    this.#dispatcher = dispatcher;
    this.log.onFlood = () => {
      void this.close();
    };
  }

  /** Whether the connection is HTTP+SSE of 2024-11-05. */
  get isSse(): boolean {
    return this.#stream !== undefined;
  }

  /**
   * Opens the stream of HTTP+SSE (2024-11-05, transports, HTTP with SSE), whose first event says where to send messages.
   *
   * @returns Whether the server has that transport.
   */
  async openStream(timeoutMs: number): Promise<boolean> {
    const sent = await this.send('', { method: 'GET', headers: { accept: 'text/event-stream' } });
    const { exchange } = sent;
    if (exchange === undefined) return false;
    const place = await this.log.wait(() => {
      const event = this.log.entries.find(({ http }) => http?.kind === 'event' && http.exchange === exchange);
      if (event === undefined) return this.isOver(sent) ? '' : undefined;
      return event.http?.kind === 'event' && event.http.event === 'endpoint' && event.content.kind === 'text'
        ? event.content.text
        : '';
    }, timeoutMs);
    const { url } = this.#target;
    if (place === undefined || place === '' || !URL.canParse(place, url.href)) return false;
    const endpoint = new URL(place, url);
    // Credentials are for this server only.
    if (endpoint.origin !== url.origin) return false;
    this.#stream = { endpoint, exchange };
    return true;
  }

  async send(text: string, { headers, method = 'POST' }: SendOptions = {}): Promise<Sent> {
    const given = { ...(method === 'POST' ? USUAL_HEADERS : {}), ...this.#headers, ...headers };
    const own: Record<string, string> = {};
    for (const [name, value] of Object.entries(given)) if (value !== undefined) own[name.toLowerCase()] = value;
    const exchange = this.#exchanges.length + 1;
    const state: HttpExchange = { controller: new AbortController(), isOver: false, hasFailed: false };
    this.#exchanges.push(state);
    const url = this.#urlFor(method);
    const frame = this.log.add({
      from: 'client',
      content: method === 'POST' ? contentOf(Buffer.from(text)) : { kind: 'none' },
      http: { kind: 'request', exchange, method, path: url.pathname + url.search, headers: own },
    });
    if (this.#isClosed) state.isOver = true;
    else void this.#run(exchange, state, method, text, own);
    await Promise.resolve();
    return { frame, exchange };
  }

  setHeaders(changes: HeaderChanges): void {
    this.#headers = { ...this.#headers, ...changes };
  }

  isOver({ exchange }: Sent): boolean {
    const state = exchange === undefined ? undefined : this.#exchanges[exchange - 1];
    if (this.#stream === undefined) return state === undefined || state.isOver;
    // The answer comes on the stream, unless the message was refused.
    return state?.hasFailed === true || this.#exchanges[this.#stream.exchange - 1]?.isOver === true;
  }

  /** Aborts one exchange, as a client that closes the stream does. */
  abort({ exchange }: Sent): void {
    if (exchange !== undefined) this.#exchanges[exchange - 1]?.controller.abort();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { controller } of this.#exchanges) controller.abort();
    await this.log.wait(() => (this.#exchanges.every(({ isOver }) => isOver) ? true : undefined), 1000);
  }

  #urlFor(method: string): URL {
    return method === 'POST' && this.#stream !== undefined ? this.#stream.endpoint : this.#target.url;
  }

  async #run(
    exchange: number,
    state: HttpExchange,
    method: 'GET' | 'POST' | 'DELETE',
    body: string,
    own: HttpHeaders,
  ): Promise<void> {
    let isComplete = false;
    try {
      const response = await request(this.#urlFor(method), {
        method,
        headers: { ...this.#target.headers, ...own },
        signal: state.controller.signal,
        headersTimeout: 0,
        bodyTimeout: 0,
        ...(method === 'POST' ? { body } : {}),
        ...(this.#dispatcher === undefined ? {} : { dispatcher: this.#dispatcher }),
      });
      const headers = headersOf(response.headers);
      state.hasFailed = response.statusCode >= 400;
      const status = { kind: 'response', exchange, status: response.statusCode, headers } as const;
      if (/^text\/event-stream\b/i.test(headers['content-type'] ?? '')) {
        this.log.add({ from: 'server', content: { kind: 'none' }, http: status });
        isComplete = await this.#readEvents(exchange, response.body);
      } else {
        const content = await readBody(response.body);
        const entry = { from: 'server', content, http: status } as const;
        isComplete = true;
        // The end of the exchange is known before anybody looks at its response.
        state.isOver = true;
        this.log.add(entry, content.kind === 'omitted' ? content.bytes : 0);
        this.#answer(messagesOfEntry(entry));
      }
    } catch (error) {
      if (!(error instanceof errors.RequestAbortedError) && !state.controller.signal.aborted) isComplete = false;
    }
    state.isOver = true;
    this.log.add({ from: 'server', content: { kind: 'none' }, http: { kind: 'end', exchange, isComplete } });
  }

  async #readEvents(exchange: number, body: AsyncIterable<Uint8Array>): Promise<boolean> {
    const decoder = new TextDecoder();
    let retry: number | undefined;
    let buffered = 0;
    const parser = createParser({
      onRetry: (value) => {
        retry = value;
      },
      onEvent: ({ id, event, data }) => {
        buffered = 0;
        const content: Content = contentOf(Buffer.from(data));
        const http = { kind: 'event', exchange, id, event, retry } as const;
        retry = undefined;
        const entry = { from: 'server', content, http } as const;
        this.log.add(entry, data.length);
        this.#answer(messagesOfEntry(entry));
      },
    });
    for await (const chunk of body) {
      buffered += chunk.length;
      if (buffered > MAX_FRAME_BYTES || this.log.isFlooded) return false;
      parser.feed(decoder.decode(chunk, { stream: true }));
    }
    return true;
  }

  #answer(messages: readonly Parameters<typeof answerTo>[0][]): void {
    for (const message of messages) {
      const answer = answerTo(message);
      if (answer !== undefined) void this.send(JSON.stringify(answer));
    }
  }
}

async function readBody(body: AsyncIterable<Uint8Array>): Promise<Content> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > MAX_FRAME_BYTES) return omitted(bytes, Buffer.concat(chunks.slice(0, 1)));
  }
  return contentOf(Buffer.concat(chunks));
}

function headersOf(headers: Readonly<Record<string, string | string[] | undefined>>): HttpHeaders {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) own[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  return own;
}
