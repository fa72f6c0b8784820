import { Agent, request } from 'undici';

const MODERN = '2026-07-28';
const STATEFUL = '2025-11-25';
const ACCEPT = 'application/json, text/event-stream';

/** Clients that call the tool `echo` over connections that are kept, each in a separate session if the revision has sessions. */
export class HttpLoad {
  readonly #urls: readonly URL[];
  readonly #isModern: boolean;
  readonly #agent: Agent;
  readonly #sessions: (Readonly<Record<string, string>> | undefined)[];
  #nextId = 1;
  #turn = 0;

  /**
   * @param urls - The server, or several processes of it: each request goes to the next one.
   * @param clients - So many connections to each, and calls in flight.
   */
  constructor(urls: URL | readonly URL[], isModern: boolean, clients: number) {
    this.#urls = [urls].flat();
    this.#isModern = isModern;
    // The time limits are those of a busy machine.
    this.#agent = new Agent({ connections: clients, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
    this.#sessions = Array.from({ length: clients });
  }

  async open(): Promise<void> {
    await Promise.all(
      this.#sessions.map(async (_, at) => {
        this.#sessions[at] = this.#isModern
          ? { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'echo' }
          : await this.#openSession();
      }),
    );
  }

  /** Makes `count` calls and returns the milliseconds that each took. Rejects at the first failure. */
  async run(count: number): Promise<number[]> {
    const times: number[] = [];
    let left = count;
    await Promise.all(
      this.#sessions.map(async (headers = {}) => {
        while (left > 0) {
          left -= 1;
          const start = performance.now();
          await this.#call(headers);
          times.push(performance.now() - start);
        }
      }),
    );
    return times;
  }

  /** Ends the sessions, then the connections. */
  async close(): Promise<void> {
    if (!this.#isModern) {
      await Promise.all(
        this.#sessions.map(async (headers = {}) => {
          const { body } = await request(this.#nextUrl(), { method: 'DELETE', headers, dispatcher: this.#agent });
          await body.dump();
        }),
      );
    }
    await this.#agent.close();
  }

  async #openSession(): Promise<Readonly<Record<string, string>>> {
    const params = { protocolVersion: STATEFUL, capabilities: {}, clientInfo: { name: 'load', version: '1.0.0' } };
    const { headers, text } = await this.#post({}, { id: 0, method: 'initialize', params });
    const id = headers['mcp-session-id'];
    if (typeof id !== 'string') throw new Error(`no session was opened: ${text}`);
    const own = { 'mcp-session-id': id, 'mcp-protocol-version': STATEFUL };
    await this.#post(own, { method: 'notifications/initialized' });
    return own;
  }

  async #call(headers: Readonly<Record<string, string>>): Promise<void> {
    const id = this.#nextId;
    this.#nextId += 1;
    const meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = {
      name: 'echo',
      arguments: { text: 'hello world' },
      ...(this.#isModern ? { _meta: meta } : {}),
    };
    const { status, text } = await this.#post(headers, { id, method: 'tools/call', params });
    // Read as text by any server's way of answering: as JSON, or as an event.
    if (status !== 200 || !text.includes('"text":"hello world"') || !text.includes(`"id":${id}`))
      throw new Error(`a call was answered ${status}: ${text}`);
  }

  #nextUrl(): URL {
    const url = this.#urls[this.#turn % this.#urls.length];
    if (url === undefined) throw new Error('no server');
    this.#turn += 1;
    return url;
  }

  async #post(own: Readonly<Record<string, string>>, message: object) {
    const { statusCode, headers, body } = await request(this.#nextUrl(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: ACCEPT, ...own },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      dispatcher: this.#agent,
    });
    return { status: statusCode, headers, text: await body.text() };
  }
}
