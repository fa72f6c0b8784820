/** How a server grows with its sessions and its tools, measured in a fresh process for each size. */
import process from 'node:process';
import type * as OurClient from '../../generated/2025-11-25/client.js';
import type * as OurServer from '../../generated/2025-11-25/server.js';
import type * as OurHttp from '../../generated/runtime/http-server.js';
import type * as OurMemory from '../../generated/runtime/memory.js';
import type * as OurRegistry from '../../generated/runtime/registry.js';
import { syntheticTools } from '../support/synthetic-protocol.js';
import { built, INFO } from './pairs.js';
import { median } from './suite.js';

const REVISION = '2025-11-25';
const CALLS = 2000;
const MIB = 2 ** 20;

/** Milliseconds of processor time. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function heap(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

/** Sessions of one server over HTTP, without sockets. */
class Sessions {
  readonly #handler: OurHttp.HttpHandler;
  readonly #ids: string[] = [];

  constructor(handler: OurHttp.HttpHandler) {
    this.#handler = handler;
  }

  static async create(max: number): Promise<Sessions> {
    const { createServer } = (await import(built(`${REVISION}/server`))) as typeof OurServer;
    const { createHttpHandler } = (await import(built('runtime/http-server'))) as typeof OurHttp;
    const answer = { content: [{ type: 'text' as const, text: 'hello world' }] };
    const server = createServer({ info: INFO, handlers: { 'tools/call': () => answer } });
    return new Sessions(createHttpHandler({ server, sessions: { max } }));
  }

  async #post(message: object, id?: string): Promise<Response> {
    const response = await this.#handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(id === undefined ? {} : { 'mcp-session-id': id, 'mcp-protocol-version': REVISION }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      }),
    );
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status}: ${text}`);
    return response;
  }

  async open(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: INFO };
      const { headers } = await this.#post({ id: 0, method: 'initialize', params });
      const id = headers.get('mcp-session-id') ?? '';
      await this.#post({ method: 'notifications/initialized' }, id);
      this.#ids.push(id);
    }
  }

  async call(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      // Prime, so that all sessions are called, not only those next to each other.
      const id = this.#ids[(index * 7919) % this.#ids.length];
      await this.#post({ id: index + 1, method: 'tools/call', params: { name: 'echo' } }, id);
    }
  }

  close(): Promise<void> {
    return this.#handler.close();
  }
}

/** Milliseconds to open all sessions, MiB of the heap then, and microseconds of a call in any of them. */
export async function measureSessions(size: number): Promise<readonly number[]> {
  // All code is compiled before anything is measured.
  const warm = await Sessions.create(1000);
  await warm.open(300);
  await warm.call(3000);
  await warm.close();
  const sessions = await Sessions.create(size * 2);
  const opened = await timeOf(() => sessions.open(size));
  const kept = heap();
  const called = await timeOf(() => sessions.call(CALLS));
  await sessions.close();
  return [opened, kept, (called * 1000) / CALLS];
}

/** Milliseconds to define all tools and connect, and to list all of them; microseconds to call any of them. */
export async function measureRegistry(size: number): Promise<readonly number[]> {
  const { createServer } = (await import(built(`${REVISION}/server`))) as typeof OurServer;
  const { createClient } = (await import(built(`${REVISION}/client`))) as typeof OurClient;
  const { memoryPair } = (await import(built('runtime/memory'))) as typeof OurMemory;
  const { defineTool, toolHandlers } = (await import(built('runtime/registry'))) as typeof OurRegistry;
  const run = async (count: number): Promise<readonly number[]> => {
    const client = createClient({ info: INFO });
    const defined = await timeOf(async () => {
      const tools = syntheticTools(count).map(({ name, title, description, inputSchema }) =>
        defineTool({ name, title, description, inputSchema, run: () => 'done' } as Parameters<typeof defineTool>[0]),
      );
      const server = createServer({ info: INFO, handlers: toolHandlers(tools) });
      const [near, far] = memoryPair();
      await Promise.all([server.connect(near), client.connect(far)]);
    });
    let listed = 0;
    const listing = await timeOf(async () => {
      let cursor: string | undefined;
      do {
        const page = await client.listTools(cursor === undefined ? {} : { cursor });
        listed += page.tools.length;
        cursor = page.nextCursor;
      } while (cursor !== undefined);
    });
    if (listed !== count) throw new Error(`${listed} tools of ${count}`);
    const calling = await timeOf(async () => {
      for (let index = 0; index < CALLS; index += 1) {
        const name = `find_items_${(index * 7919) % count}`;
        await client.callTool({ name, arguments: { query: 'x', filter: { equals: 1 } } });
      }
    });
    await client.close();
    return [defined, listing, (calling * 1000) / CALLS];
  };
  for (let round = 0; round < 3; round += 1) await run(50);
  const runs: (readonly number[])[] = [];
  for (let round = 0; round < 5; round += 1) runs.push(await run(size));
  return [0, 1, 2].map((column) => median(runs.map((all) => all[column] ?? Number.NaN)));
}
