import { connect, type Socket } from 'node:net';

/** An answer, as far as a load generator looks at it. */
export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * A connection that sends one request after the other over a bare socket, so that the client costs as little as it can
 * and the same for every server.
 */
export class LoadConnection {
  readonly #socket: Socket;
  readonly #host: string;
  #got = '';
  #resolve: ((answer: Answer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor(url: URL) {
    this.#host = url.host;
    this.#socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true });
    // One character for each byte, so that lengths are bytes.
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (chunk: string) => {
      this.#got += chunk;
      this.#take();
    });
    const fail = (error?: Error): void => {
      this.#reject?.(error ?? new Error('the connection was closed'));
    };
    this.#socket.on('error', fail);
    this.#socket.on('close', () => {
      fail();
    });
  }

  send(method: string, headers: string, body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(
        `${method} /mcp HTTP/1.1\r\nHost: ${this.#host}\r\nAccept: application/json, text/event-stream\r\n` +
          `Content-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
  }

  close(): void {
    this.#reject = undefined;
    this.#socket.destroy();
  }

  #take(): void {
    const end = this.#got.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#got.slice(0, end);
    const status = Number(head.slice(9, 12));
    const start = end + 4;
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    let body: string;
    if (length !== undefined || status === 202 || status === 204) {
      const bytes = Number(length ?? 0);
      if (this.#got.length < start + bytes) return;
      body = this.#got.slice(start, start + bytes);
      this.#got = this.#got.slice(start + bytes);
    } else {
      const last = this.#got.indexOf('0\r\n\r\n', start);
      if (last < 0) return;
      body = this.#got.slice(start, last);
      this.#got = this.#got.slice(last + 5);
    }
    this.#resolve?.({ status, head, body });
  }
}

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A client that calls the tool `echo`; stateful ones open a session first. */
export class LoadClient {
  readonly #connection: LoadConnection;
  readonly #isModern: boolean;
  #headers = '';
  #nextId = 1;

  constructor(url: URL, isModern: boolean) {
    this.#connection = new LoadConnection(url);
    this.#isModern = isModern;
    if (isModern) this.#headers = 'MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n';
  }

  async open(): Promise<void> {
    if (this.#isModern) return;
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'load', version: '1' } };
    const opened = await this.#connection.send(
      'POST',
      '',
      JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
    );
    const id = /^mcp-session-id: *(\S+)/im.exec(opened.head)?.[1];
    if (id === undefined) throw new Error(`no session: ${opened.head} ${opened.body}`);
    this.#headers = `Mcp-Session-Id: ${id}\r\nMCP-Protocol-Version: 2025-11-25\r\n`;
    await this.#connection.send(
      'POST',
      this.#headers,
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    );
  }

  async call(): Promise<void> {
    const id = this.#nextId;
    this.#nextId += 1;
    const params = {
      name: 'echo',
      arguments: { text: 'hello world' },
      ...(this.#isModern ? { _meta: MODERN_META } : {}),
    };
    const { status, body } = await this.#connection.send(
      'POST',
      this.#headers,
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
    );
    if (status !== 200 || !body.includes('"text":"hello world"') || !body.includes(`"id":${id}`))
      throw new Error(`a call failed: ${status} ${body}`);
  }

  /** Leaves without a word; sessions end with the server's process. */
  end(): void {
    this.#connection.close();
  }
}
