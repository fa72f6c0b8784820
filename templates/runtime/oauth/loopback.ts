import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import type { OAuthRedirect } from "./options.js";

/** How to receive the redirect back. */
export interface LoopbackOptions {
  /** By default a free port, which authorization servers have to allow (RFC 8252, section 7.3). */
  readonly port?: number | undefined;
  /**
   * Opens a browser. The URL comes from the authorization server: never pass it to a shell. If it returns false, throws
   * or is missing, `print` is called instead.
   */
  readonly open?: ((authorizationUrl: URL) => unknown) | undefined;
  /** Asks the user to open a URL; on the standard error stream by default. */
  readonly print?: ((authorizationUrl: URL) => void) | undefined;
  /** Milliseconds that the user has; 300,000 by default. */
  readonly timeout?: number | undefined;
}

const HOST = "127.0.0.1";
const PATH = "/callback";
const DEFAULT_TIMEOUT_MS = 300_000;
/** Milliseconds within which a request must have arrived. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 16;

const DONE_PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Done</title><p>The program has received the answer. You can close this page.</p></html>\n';
const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close",
};

/**
 * Receives the redirect of a native app at a port of this machine (RFC 8252, section 7.3). It listens on 127.0.0.1 only
 * while a user authorizes, and accepts one request: with the right host, path and `state`. Others get 404.
 *
 * @returns The option `redirect` of `oauthProvider`.
 */
export function loopbackRedirect(
  options: LoopbackOptions = {},
): () => Promise<OAuthRedirect> {
  return async () => {
    const listener = new Listener(options);
    await listener.listen();
    return listener;
  };
}

class Listener implements OAuthRedirect {
  readonly #options: LoopbackOptions;
  readonly #server: Server;
  /** Kept, since a browser may send a request after `close`, when the server has no address. */
  #port = 0;
  #state: string | undefined;
  #resolve: ((answer: URLSearchParams) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor(options: LoopbackOptions) {
    this.#options = options;
    this.#server = createServer(
      {
        headersTimeout: REQUEST_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: REQUEST_TIMEOUT_MS,
      },
      (request, response) => {
        this.#handle(request, response);
      },
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  get url(): string {
    return `http://${this.#host}${PATH}`;
  }

  get #host(): string {
    return `${HOST}:${this.#port}`;
  }

  listen(): Promise<void> {
    const { port = 0 } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error: NodeJS.ErrnoException) => {
        reject(
          new Error(
            `cannot listen on port ${port} of ${HOST} (${error.code ?? error.message}); choose another port`,
          ),
        );
      });
      this.#server.listen(port, HOST, () => {
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  async open(authorizationUrl: URL): Promise<URLSearchParams> {
    const { timeout = DEFAULT_TIMEOUT_MS } = this.#options;
    this.#state = authorizationUrl.searchParams.get("state") ?? undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const answer = new Promise<URLSearchParams>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      timer = setTimeout(() => {
        reject(
          new Error(`nobody authorized the client within ${timeout / 1000} s`),
        );
      }, timeout);
    });
    // It may be rejected while the browser is being opened.
    answer.catch(() => undefined);
    try {
      await this.#show(authorizationUrl);
      return await answer;
    } finally {
      clearTimeout(timer);
      this.#state = undefined;
    }
  }

  async close(): Promise<void> {
    this.#reject?.(new Error("the redirect was closed"));
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      this.#server.closeIdleConnections();
      // The browser may still be reading the page.
      setTimeout(() => {
        this.#server.closeAllConnections();
      }, 500).unref();
    });
  }

  async #show(url: URL): Promise<void> {
    const { open, print = printUrl } = this.#options;
    try {
      if (open !== undefined && (await open(url)) !== false) return;
    } catch {
      // As if there were no browser.
    }
    print(url);
  }

  /** Answers with nothing that the request contains. */
  #handle(request: IncomingMessage, response: ServerResponse): void {
    const answer = this.#read(request);
    response.writeHead(answer === undefined ? 404 : 200, PAGE_HEADERS);
    if (answer === undefined) {
      response.end();
      return;
    }
    this.#state = undefined;
    response.end(DONE_PAGE, () => {
      this.#resolve?.(answer);
    });
  }

  /** The parameters of the redirect; undefined if the request is another one, such as one of a hostile page. */
  #read({
    method,
    url = "",
    headers,
  }: IncomingMessage): URLSearchParams | undefined {
    // A name of an attacker may resolve to this machine (DNS rebinding).
    if (method !== "GET" || headers.host !== this.#host) return undefined;
    const [path = ""] = url.split("?", 1);
    const parameters = new URLSearchParams(url.slice(path.length));
    const states = parameters.getAll("state");
    return path === PATH &&
      this.#state !== undefined &&
      states.length === 1 &&
      states[0] === this.#state
      ? parameters
      : undefined;
  }
}

function printUrl(url: URL): void {
  process.stderr.write(`Open this page to authorize:\n${url.href}\n`);
}
