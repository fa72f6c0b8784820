import { createServer as createHttpServer } from 'node:http';
import type { RequestListener, Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server at a fixed port; each start begins without memory. */
export class ServerProcess {
  #server: HttpServer | undefined;
  #port = 0;
  readonly #create: () => RequestListener;

  constructor(create: () => RequestListener) {
    this.#create = create;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  async start(): Promise<void> {
    const server = createHttpServer(this.#create());
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }
}
