import { isUtf8 } from "node:buffer";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { BodyChunks } from "./http/server/bodies.js";
import type {
  BodyProgress,
  EventSink,
  HeaderFields,
  HttpCall,
} from "./http/server/call.js";
import { HTTP_HEADERS } from "./http/headers.js";
import type { DrainOptions, HttpHandler } from "./http-server.js";

/** Where a server listens, and how long it waits for clients. */
export interface ServeOptions {
  /** 3000 by default; 0 chooses a free port. */
  readonly port?: number | undefined;
  /** The address to listen on; 127.0.0.1 by default, which only this machine can reach. */
  readonly hostname?: string | undefined;
  /** The path of the returned URL; `/mcp` by default. The handler's own `path` decides which path is served. */
  readonly path?: string | undefined;
  /** Maximum of simultaneous connections; further ones are closed at once. 10,000 by default. */
  readonly maxConnections?: number | undefined;
  /** Maximum size of a request's headers in bytes; 16 KiB by default. */
  readonly maxHeaderSize?: number | undefined;
  /** Milliseconds within which a request's headers must arrive; 10 seconds by default. */
  readonly headersTimeout?: number | undefined;
  /** Milliseconds within which a whole request must arrive; 30 seconds by default. */
  readonly requestTimeout?: number | undefined;
  /** Milliseconds for which an idle connection stays open; 5 seconds by default. */
  readonly keepAliveTimeout?: number | undefined;
}

/** A server that listens. */
export interface ListeningServer {
  readonly url: URL;
  /**
   * Lets running requests finish, as `drain` of the handler does, and goes on accepting connections until then; closes
   * afterwards.
   */
  drain(options?: DrainOptions): Promise<void>;
  /** Ends sessions and streams, then all connections. */
  close(): Promise<void>;
}

/**
 * Serves a handler on a port of this machine.
 *
 * @throws Error if the port is not available.
 */
export async function serveHttp(
  handler: HttpHandler,
  options: ServeOptions = {},
): Promise<ListeningServer> {
  const { port = 3000, hostname = "127.0.0.1", path = "/mcp" } = options;
  const server = createServer(
    {
      maxHeaderSize: options.maxHeaderSize ?? 16 * 1024,
      headersTimeout: options.headersTimeout ?? 10_000,
      requestTimeout: options.requestTimeout ?? 30_000,
      keepAliveTimeout: options.keepAliveTimeout ?? 5_000,
      connectionsCheckingInterval: 1_000,
      noDelay: true,
    },
    nodeListener(handler),
  );
  server.maxConnections = options.maxConnections ?? 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port: bound } = server.address() as AddressInfo;
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  let closed: Promise<void> | undefined;
  const stopAccepting = (): Promise<void> =>
    (closed ??= new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
    }));
  const close = async (): Promise<void> => {
    const hasClosed = stopAccepting();
    await handler.close();
    server.closeIdleConnections();
    // The last responses are on their way; a client that has not read them by then has had its time.
    const closeTimer = setTimeout(() => {
      server.closeAllConnections();
    }, HTTP_CLOSE_TIMEOUT_MS);
    await hasClosed;
    clearTimeout(closeTimer);
  };
  return {
    url: new URL(`http://${host}:${bound}${path}`),
    drain: async (drainOptions) => {
      await handler.drain({
        ...drainOptions,
        beforeClose: () => {
          void drainOptions?.beforeClose?.();
          const waited = new Promise<void>((resolve) => {
            setTimeout(resolve, NEW_CONNECTION_TIMEOUT_MS).unref();
          });
          return Promise.race([stopAccepting(), waited]);
        },
      });
      await close();
    },
    close,
  };
}

/** Milliseconds for which a connection that was just accepted may bring its first request while the server drains. */
const NEW_CONNECTION_TIMEOUT_MS = 1_000;
/** Milliseconds that closing waits for clients to read their responses. */
const HTTP_CLOSE_TIMEOUT_MS = 2_000;

/**
 * How many requests of a connection may wait for the responses to earlier ones; then the connection is not read any
 * further. Requests that were already read may exceed this a little.
 */
const MAX_PIPELINED = 8;

/** A listener for `node:http`, Express and others that pass on Node's own request and response. */
export function nodeListener(
  handler: Pick<HttpHandler, "handle">,
): (request: IncomingMessage, response: ServerResponse) => void {
  const pipelined = new WeakMap<Socket, number>();
  return (request, response) => {
    // A response gets the socket when the client's system has accepted all earlier ones (RFC 9112, Pipelining: only
    // safe methods may be handled at the same time).
    if (response.socket !== null || response.destroyed) {
      handler.handle(new NodeCall(request, response));
      return;
    }
    const { socket } = request;
    const waiting = (pipelined.get(socket) ?? 0) + 1;
    pipelined.set(socket, waiting);
    if (waiting === MAX_PIPELINED) {
      // Node continues reading at the end of each request.
      socket.on("resume", keepPaused);
      socket.pause();
    }
    response.once("socket", () => {
      const left = (pipelined.get(socket) ?? 1) - 1;
      pipelined.set(socket, left);
      if (left === MAX_PIPELINED - 1) {
        socket.off("resume", keepPaused);
        socket.resume();
      }
      handler.handle(new NodeCall(request, response));
    });
  };
}

function keepPaused(this: Socket): void {
  this.pause();
}

/** A bit for each header that a request may have only once. */
const SINGLE_HEADERS: ReadonlyMap<string, number> = new Map(
  [
    "Host",
    "Origin",
    "Authorization",
    "Content-Type",
    "Content-Length",
    HTTP_HEADERS.SESSION_ID,
    HTTP_HEADERS.PROTOCOL_VERSION,
    HTTP_HEADERS.LAST_EVENT_ID,
    HTTP_HEADERS.METHOD,
    HTTP_HEADERS.NAME,
  ].map((name, index) => [name.toLowerCase(), 1 << index]),
);
const PARAM_PREFIX = HTTP_HEADERS.PARAM_PREFIX.toLowerCase();

/**
 * A request that came through `node:http`.
 *
 * One response at most is written: `respond` does nothing once headers are sent.
 * `onDisconnect` is called when the response closes, or when the system has taken all of it.
 */
class NodeCall implements HttpCall {
  onDisconnect: (() => void) | undefined;
  readonly raw: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.raw = request;
    this.#response = response;
    response.on("close", () => this.onDisconnect?.());
    // A connection that breaks during a write is closed too, and `close` is enough.
    response.on("error", ignoreError);
  }

  get isDisconnected(): boolean {
    return this.#response.destroyed;
  }

  get method(): string {
    return this.raw.method ?? "GET";
  }

  get target(): string {
    const url = this.raw.url ?? "/";
    // RFC 9112, 3.2.2: a target in absolute form is served like its path.
    if (url.startsWith("/") || !URL.canParse(url)) return url;
    const { pathname, search } = new URL(url);
    return pathname + search;
  }

  get remoteAddress(): string | undefined {
    // Some hosts of functions imitate Node's request without a socket.
    const { socket } = this.raw as Partial<IncomingMessage>;
    return socket?.remoteAddress;
  }

  /** Node keeps the first of some headers and joins others, so only the raw headers show repetition (RFC 9112, 3.2). */
  get repeatedHeader(): string | undefined {
    const { headers = {}, rawHeaders = [] } = this
      .raw as Partial<IncomingMessage>;
    if (Object.keys(headers).length * 2 === rawHeaders.length) return undefined;
    let seen = 0;
    let params: Set<string> | undefined;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]?.toLowerCase() ?? "";
      const bit = SINGLE_HEADERS.get(name);
      if (bit !== undefined) {
        if ((seen & bit) !== 0) return rawHeaders[index];
        seen |= bit;
      } else if (name.startsWith(PARAM_PREFIX)) {
        params ??= new Set();
        if (params.has(name)) return rawHeaders[index];
        params.add(name);
      }
    }
    return undefined;
  }

  headerNames(): Iterable<string> {
    return Object.keys(this.raw.headers);
  }

  header(name: string): string | undefined {
    const value = this.raw.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  body(
    maxBytes: number,
    progress?: BodyProgress,
  ): Promise<string | Uint8Array | undefined> {
    const request = this.raw;
    // A framework may have read and parsed the body before us.
    const { body } = request as { readonly body?: unknown };
    if (body !== undefined && request.readableEnded) {
      return Promise.resolve(
        typeof body === "string" || body instanceof Uint8Array
          ? body
          : JSON.stringify(body),
      );
    }
    const announced = Number(request.headers["content-length"]);
    return new Promise((resolve, reject) => {
      let whole: Uint8Array = EMPTY;
      let chunks: BodyChunks | undefined;
      const onData = (chunk: Buffer): void => {
        // A body that arrives in one piece is complete before anything else happens.
        if (chunk.length === announced && announced <= maxBytes) {
          whole = chunk;
          return;
        }
        if (chunks === undefined) {
          chunks = new BodyChunks();
          if (progress !== undefined) progress.stop = stop;
        }
        if (chunks.length + chunk.length > maxBytes) {
          stop();
          return;
        }
        chunks.add(chunk);
        progress?.received(chunk.length);
      };
      // The rest is read and dropped, so that the client receives the response: it would not while it still writes.
      const stop = (): void => {
        chunks?.clear();
        request.off("data", onData);
        request.resume();
        resolve(undefined);
      };
      request.on("data", onData);
      request.on("end", () => {
        resolve(decodeUtf8(chunks?.concat() ?? whole));
      });
      request.on("error", reject);
      request.on("close", () => {
        reject(new Error("the request broke off"));
      });
    });
  }

  respond(status: number, headers: HeaderFields, body?: string): boolean {
    const response = this.#response;
    if (response.headersSent) return false;
    if (body === undefined) {
      // An explicit length of 0, so that it is not sent as an empty list of chunks.
      response.writeHead(
        status,
        status === 204 ? headers : { ...headers, "content-length": 0 },
      );
      response.end();
    } else {
      // Not spread: in Node 20, a member that is added to a spread copy costs twenty times as much.
      response.writeHead(
        status,
        Object.assign({ "content-length": Buffer.byteLength(body) }, headers),
      );
      response.end(body);
    }
    return this.#isPending();
  }

  stream(status: number, headers: HeaderFields, length?: number): EventSink {
    const response = this.#response;
    response.writeHead(
      status,
      length === undefined ? headers : { ...headers, "content-length": length },
    );
    const sink = new NodeEventSink(response, () => this.#isPending());
    // Headers go out with the first event if it is sent at once, which saves a packet, and otherwise alone.
    if (length === undefined) process.nextTick(flushHeaders, sink);
    return sink;
  }

  abort(): void {
    this.#response.destroy();
  }

  /**
   * Whether the system has yet to accept part of a response that has ended; then `onDisconnect` is called once it has.
   */
  #isPending(): boolean {
    const response = this.#response;
    // Ending a response writes the rest to the socket, and most responses fit.
    if (response.destroyed || response.socket?.writableLength === 0)
      return false;
    response.on("finish", () => this.onDisconnect?.());
    return true;
  }
}

const EMPTY = new Uint8Array();

function ignoreError(): void {
  // For failures that another event reports too.
}

/**
 * Writes a stream to a response of `node:http`.
 *
 * `#hasBegun` is set before the first write, so headers are flushed only ahead of it.
 * The response has at most one `drain` listener, added by the first write that fills the buffer.
 */
class NodeEventSink implements EventSink {
  onDrain: (() => void) | undefined;
  readonly #response: ServerResponse;
  readonly #isPending: () => boolean;
  #listens = false;
  #hasBegun = false;

  constructor(response: ServerResponse, isPending: () => boolean) {
    this.#response = response;
    this.#isPending = isPending;
  }

  write(chunk: string | Uint8Array): boolean {
    this.#hasBegun = true;
    const isTaken = this.#response.write(chunk);
    if (!isTaken && !this.#listens) {
      this.#listens = true;
      this.#response.on("drain", () => this.onDrain?.());
    }
    return isTaken;
  }

  end(): boolean {
    this.#hasBegun = true;
    this.#response.end();
    return this.#isPending();
  }

  flushHeaders(): void {
    if (!this.#hasBegun && !this.#response.destroyed)
      this.#response.flushHeaders();
  }
}

function flushHeaders(sink: NodeEventSink): void {
  sink.flushHeaders();
}

/** Text if the bytes are UTF-8; otherwise the bytes, so that the reader can report what is wrong. */
function decodeUtf8(bytes: Uint8Array): string | Uint8Array {
  const hasByteOrderMark =
    bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  if (hasByteOrderMark || !isUtf8(bytes)) return bytes;
  const buffer =
    bytes instanceof Buffer
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.toString("utf8");
}
