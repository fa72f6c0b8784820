import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, constants } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { McpgenError } from '../errors.js';
import { proxyAgent, splitCredentials } from '../read/fetch.js';
import type { HttpHeaders } from '../recording/entry.js';
import type { Recorder } from '../recording/recorder.js';
import { displayUrl, withoutCredentials } from '../text.js';
import { endpointRewriter, withOrigin } from './endpoint-rewriter.js';
import { Exchange } from './http-exchange.js';

/** What to record, and where to listen. */
export interface HttpProxyOptions {
  /** The server; its user and password are sent to it if the client sends no authorization. */
  readonly url: URL;
  /** An address of this machine. */
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  readonly recorder: Recorder;
  /** Is called with each request that is rejected because a web page may have sent it. */
  readonly onRejected: (reason: string) => void;
}

/** Largest headers of requests and responses, in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Headers of one connection, which are not forwarded (RFC 9110, section 7.6.1). Node answers `expect` itself. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A proxy on this machine in front of a server over HTTP, which records what it forwards. */
export class HttpProxy {
  readonly #upstream: URL;
  readonly #authorization: string | undefined;
  readonly #recorder: Recorder;
  readonly #onRejected: (reason: string) => void;
  readonly #dispatcher: Dispatcher;
  readonly #server: Server;
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #exchanges = 0;

  private constructor({ url, recorder, onRejected }: HttpProxyOptions, dispatcher: Dispatcher) {
    const { url: upstream, headers } = splitCredentials(url);
    this.#upstream = upstream;
    this.#authorization = headers['authorization'];
    this.#recorder = recorder;
    this.#onRejected = onRejected;
    this.#dispatcher = dispatcher;
    // Streams and slow tools may last for hours: when to stop is for the client and the server to decide.
    this.#server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0 }, (request, response) => {
      const running = this.#handle(request, response).finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
  }

  /** @throws {@link McpgenError} if the port is not free. */
  static async start(options: HttpProxyOptions): Promise<HttpProxy> {
    // Imported on demand.
    const { Agent } = await import('undici');
    const dispatcher = (await proxyAgent()) ?? new Agent({ maxHeaderSize: MAX_HEADER_BYTES });
    const proxy = new HttpProxy(options, dispatcher);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('listening', resolve).once('error', (error: NodeJS.ErrnoException) => {
        const reason =
          error.code === 'EADDRINUSE' ? 'the port is in use' : `cannot listen there (${error.code ?? error.message})`;
        const place = `${options.host}:${options.port}`;
        reject(new McpgenError(reason, { place, remedy: 'Pass another --port, or 0 for a free one.', cause: error }));
      });
      proxy.#server.listen(options.port, options.host);
    });
    return proxy;
  }

  /** Where clients reach the server. */
  get url(): string {
    const { address, port, family } = this.#server.address() as AddressInfo;
    return withOrigin(this.#upstream.href, `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`);
  }

  /** How many requests there were. */
  get exchanges(): number {
    return this.#exchanges;
  }

  /** Ends all connections, and is fulfilled once everything is recorded. */
  async close(): Promise<void> {
    this.#server.close();
    this.#stop.abort();
    await Promise.all(this.#running);
    this.#server.closeAllConnections();
    await this.#dispatcher.destroy();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/' } = request;
    // Failures of a connection are seen where it is read and written.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    response.sendDate = false;
    const rejection = rejectionOf(request);
    if (rejection !== undefined) {
      this.#onRejected(rejection);
      respondWithText(response, 403, rejection);
      return;
    }
    if (!path.startsWith('/')) {
      respondWithText(response, 400, 'the path of the request must begin with a slash');
      return;
    }
    this.#exchanges += 1;
    const headers = joinHeaders(request.rawHeaders);
    const exchange = new Exchange(this.#recorder, this.#exchanges, { method, path, headers });
    const abort = new AbortController();
    response.once('close', () => {
      if (response.writableFinished) return;
      // If nobody did before, the client closed it.
      exchange.brokenBy ??= this.#stop.signal.aborted ? 'server' : 'client';
      abort.abort();
    });
    const stop = (): void => {
      abort.abort();
    };
    this.#stop.signal.addEventListener('abort', stop);
    try {
      await this.#forward(request, response, exchange, abort.signal);
    } catch (error) {
      if (exchange.brokenBy === undefined && !response.headersSent && !abort.signal.aborted) {
        this.#respondBadGateway(response, exchange, error);
      } else {
        exchange.brokenBy ??= 'server';
        response.destroy();
      }
    } finally {
      exchange.end();
      this.#stop.signal.removeEventListener('abort', stop);
    }
  }

  async #forward(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    signal: AbortSignal,
  ): Promise<void> {
    const { method = 'GET', url: path = '/' } = request;
    const isGet = method === 'GET' || method === 'HEAD';
    const acceptsEvents = method === 'GET' && /text\/event-stream/i.test(request.headers.accept ?? '');
    const hasBody =
      request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
    const own = `http://${request.headers.host ?? ''}`;
    if (!hasBody) exchange.endRequest();
    // As bytes: undici decodes them as UTF-8, which headers need not be.
    let raw: readonly string[] = [];
    const { DecoratorHandler } = await import('undici');
    const dispatcher = this.#dispatcher.compose((dispatch) => (options, handler) => {
      const onHeaders: Dispatcher.DispatchHandlers['onHeaders'] = (status, headers, resume, text) => {
        raw = (headers as readonly (Buffer | string)[]).map((part) =>
          typeof part === 'string' ? part : part.toString('latin1'),
        );
        return handler.onHeaders?.(status, headers, resume, text) ?? true;
      };
      const own: Dispatcher.DispatchHandlers = Object.assign(new DecoratorHandler(handler), { onHeaders });
      return dispatch(options, own);
    });
    const upstream = await dispatcher.request({
      origin: this.#upstream.origin,
      path,
      method: method as Dispatcher.HttpMethod,
      headers: this.#requestHeaders(request, own, acceptsEvents),
      body: hasBody ? this.#requestBody(request, exchange) : isGet ? null : '',
      signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const headers = joinHeaders(raw);
    exchange.respond(upstream.statusCode, headers);
    upstream.body.once('error', () => {
      exchange.brokenBy ??= 'server';
    });
    response.writeHead(upstream.statusCode, this.#responseHeaders(raw, own));
    // Sends the headers at once; flushHeaders() would encode them as UTF-8.
    response.write(Buffer.alloc(0));
    const decoder = new BodyDecoder(headers['content-encoding'], (chunk) => {
      exchange.addToResponse(chunk);
    });
    const tap = this.#tap((chunk) => decoder.add(chunk));
    const isPlain = headers['content-encoding'] === undefined;
    const rewriters = acceptsEvents && isPlain ? [endpointRewriter(this.#upstream.origin, own)] : [];
    try {
      await pipeline([upstream.body, tap, ...rewriters, response], { signal });
    } finally {
      await decoder.end();
    }
  }

  /** The body of a request, which is recorded on its way. */
  #requestBody(request: IncomingMessage, exchange: Exchange): Readable {
    const tap = this.#tap((chunk) => {
      exchange.addToRequest(chunk);
    });
    tap.once('end', () => {
      exchange.endRequest();
    });
    // Whoever reads the other stream sees the failure.
    pipeline(request, tap).catch(() => undefined);
    return tap;
  }

  /** Forwards chunks as they are, not faster than they are recorded. */
  #tap(onChunk: (chunk: Buffer) => void | Promise<void>): Transform {
    const recorder = this.#recorder;
    return new Transform({
      transform(chunk: Buffer, _encoding, done) {
        this.push(chunk);
        void Promise.resolve(onChunk(chunk))
          .then(() => (recorder.isFull ? recorder.drained() : undefined))
          .then(() => {
            done();
          });
      },
    });
  }

  #requestHeaders(request: IncomingMessage, own: string, acceptsEvents: boolean): string[] {
    const headers = forwardedHeaders(request.rawHeaders).flatMap(([name, value]) => {
      const lower = name.toLowerCase();
      if (lower === 'host') return [name, this.#upstream.host];
      if (lower === 'origin' && value === own) return [name, this.#upstream.origin];
      // So that the URL in the first event can be replaced.
      if (lower === 'accept-encoding' && acceptsEvents) return [name, 'identity'];
      return [name, value];
    });
    const credentials = request.headers.authorization === undefined ? this.#authorization : undefined;
    return credentials === undefined ? headers : [...headers, 'authorization', credentials];
  }

  #responseHeaders(raw: readonly string[], own: string): string[] {
    return forwardedHeaders(raw).flatMap(([name, value]) => {
      const isOurs =
        name.toLowerCase() === 'location' && URL.canParse(value) && new URL(value).origin === this.#upstream.origin;
      return [name, isOurs ? withOrigin(value, own) : value];
    });
  }

  /** The server cannot be reached, or its response is not HTTP. */
  #respondBadGateway(response: ServerResponse, exchange: Exchange, error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = withoutCredentials(code ?? message);
    const text = `mcpgen record: no response from ${displayUrl(this.#upstream.origin)} (${reason})`;
    const headers = respondWithText(response, 502, text);
    exchange.respond(502, headers);
    exchange.addToResponse(Buffer.from(text));
  }
}

function respondWithText(response: ServerResponse, status: number, text: string): HttpHeaders {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(Buffer.byteLength(text)) };
  response.writeHead(status, { ...headers, connection: 'close' }).end(text);
  return headers;
}

/** Why a request may be from a web page that was opened on this machine (DNS rebinding); undefined if it is not. */
function rejectionOf({ headers }: IncomingMessage): string | undefined {
  const { host = '', origin } = headers;
  if (!isLoopbackOrigin(`http://${host}`)) return 'the header host does not name this machine';
  if (origin !== undefined && !isLoopbackOrigin(origin)) return 'the header origin does not name this machine';
  return undefined;
}

function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return /^https?:$/.test(protocol) && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Pairs of raw headers, without those of one connection. */
function forwardedHeaders(raw: readonly string[]): readonly (readonly [string, string])[] {
  const pairs = pairsOf(raw);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()));
  return pairs.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()) && !named.includes(name.toLowerCase()));
}

function pairsOf(raw: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? '']);
}

function joinHeaders(raw: readonly string[]): HttpHeaders {
  const headers = new Map<string, string>();
  for (const [name, value] of pairsOf(raw)) {
    const lower = name.toLowerCase();
    const before = headers.get(lower);
    const text = readable(value);
    headers.set(lower, before === undefined ? text : `${before}, ${text}`);
  }
  return Object.fromEntries(headers);
}

/** The bytes of a header as text: UTF-8 where they are, as browsers and most servers write them, and otherwise Latin-1. */
function readable(bytes: string): string {
  const buffer = Buffer.from(bytes, 'latin1');
  return isUtf8(buffer) ? buffer.toString('utf8') : bytes;
}

/** Decompresses a copy of a body, for the recording. What cannot be decompressed is left out. */
class BodyDecoder {
  readonly #onChunk: (chunk: Buffer) => void;
  readonly #stream: Transform | undefined;

  constructor(encoding: string | undefined, onChunk: (chunk: Buffer) => void) {
    this.#onChunk = onChunk;
    this.#stream = decompressor(encoding);
    this.#stream?.on('data', onChunk).on('error', () => undefined);
  }

  /** Is fulfilled once the chunk is decompressed, so that a body that grows a lot is not kept in memory. */
  add(chunk: Buffer): void | Promise<void> {
    const stream = this.#stream;
    if (stream === undefined) this.#onChunk(chunk);
    else if (stream.writable)
      return new Promise((resolve) => {
        stream.write(chunk, () => {
          resolve();
        });
      });
  }

  async end(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined || stream.closed) return;
    await new Promise<void>((resolve) => {
      stream.once('close', resolve);
      stream.end();
    });
  }
}

function decompressor(encoding: string | undefined): Transform | undefined {
  // Each chunk at once, since a stream may be silent after it.
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(flush);
    case 'deflate':
      return createInflate(flush);
    case 'br':
      return createBrotliDecompress({
        flush: constants.BROTLI_OPERATION_FLUSH,
        finishFlush: constants.BROTLI_OPERATION_FLUSH,
      });
    default:
      return undefined;
  }
}
