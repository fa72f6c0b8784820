import { createServer as createHttpServer } from 'node:http';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { Server as V1Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../generated/2025-11-25/server.js';
import { serveHttp } from '../../generated/runtime/http-node.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import { connectTestClient, waitUntil } from './client-peer.js';

const STEPS = 600;
const NOTIFICATIONS = 150;
const CUTS = 25;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

/** Keeps events in the order in which they came; that of the SDK's example sorts those of one millisecond as it likes. */
class InMemoryEvents implements EventStore {
  readonly #all: { readonly id: string; readonly stream: string; readonly message: never }[] = [];

  storeEvent(stream: string, message: unknown): Promise<string> {
    const id = `${stream}/${this.#all.length}`;
    this.#all.push({ id, stream, message: message as never });
    return Promise.resolve(id);
  }

  getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#all.find((one) => one.id === id)?.stream);
  }

  async replayEventsAfter(
    last: string,
    { send }: { readonly send: (id: string, message: never) => Promise<void> },
  ): Promise<string> {
    const at = this.#all.findIndex(({ id }) => id === last);
    const stream = this.#all[at]?.stream ?? '';
    // What comes meanwhile is among it.
    for (let next = at + 1; next < this.#all.length; next += 1) {
      const one = this.#all[next];
      if (one?.stream === stream) await send(one.id, one.message);
    }
    return stream;
  }
}

/** The official v1 server: counts by progress on the call's stream, and by log messages on its own. */
async function startSdkServer(): Promise<URL> {
  let transport: StreamableHTTPServerTransport | undefined;
  const http = createHttpServer((request, response) => {
    void (async () => {
      if (transport === undefined) {
        transport = new StreamableHTTPServerTransport({
          sessionIdGenerator: () => randomUUID(),
          eventStore: new InMemoryEvents(),
          retryInterval: 20,
        });
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- As above.
        const server = new V1Server(
          { name: 'counter', version: '1.0.0' },
          { capabilities: { tools: {}, logging: {} } },
        );
        server.setRequestHandler(CallToolRequestSchema, async (_, extra) => {
          for (let step = 1; step <= STEPS; step += 1) {
            const progressToken = extra._meta?.progressToken ?? 0;
            await extra.sendNotification({
              method: 'notifications/progress',
              params: { progressToken, progress: step },
            });
            if (step <= NOTIFICATIONS) await server.sendLoggingMessage({ level: 'info', data: step });
            await pause();
          }
          return { content: [] };
        });
        await server.connect(transport);
      }
      await transport.handleRequest(request, response);
    })();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
}

/** Our server, which does the same. */
async function startOurServer(): Promise<URL> {
  const server = createServer({
    info: { name: 'counter', version: '1.0.0' },
    capabilities: { tools: {}, logging: {} },
    handlers: {
      'tools/call': async (_, context) => {
        for (let step = 1; step <= STEPS; step += 1) {
          context.progress(step);
          if (step <= NOTIFICATIONS) server.notify('notifications/message', { level: 'info', data: step });
          await pause();
        }
        return { content: [] };
      },
    },
  });
  const handler = createHttpHandler({ server, resumability: { maxEvents: 1000, retry: 20 } });
  const listening = await serveHttp(handler, { port: 0 });
  onTestFinished(() => listening.close());
  return listening.url;
}

interface CuttingProxy {
  readonly url: string;
  readonly cuts: () => number;
  /** Whether the server has opened its own stream. */
  readonly isListening: () => boolean;
}

/** Passes bytes on, and cuts streams off in the middle of what the server says, now politely and now not. */
async function startCuttingProxy(target: URL): Promise<CuttingProxy> {
  let cuts = 0;
  let isListening = false;
  let turn = 0;
  const open = new Set<Socket>();
  const proxy = net.createServer((client) => {
    const server = net.connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    let asked = '';
    // Before the first event there is nothing to resume from.
    let start = '';
    client.on('data', (chunk) => {
      asked = chunk.toString('latin1');
      start = '';
    });
    client.pipe(server);
    let room = 300 + ((turn * 997) % 2500);
    turn += 1;
    server.on('data', (chunk) => {
      const isStream = /content-type: text\/event-stream[\s\S]*\r\n\r\n[\s\S]*id: [\s\S]*?\n\n/i.test(start);
      if (asked.startsWith('GET') && chunk.includes('200 OK')) isListening = true;
      if (!isStream) start = (start + chunk.toString('latin1')).slice(0, 4096);
      else room -= chunk.length;
      if (room > 0 || cuts >= CUTS) {
        client.write(chunk);
        return;
      }
      cuts += 1;
      // A reset takes along what was sent and not read, so who does not know an id yet could not come back.
      const isRude = cuts % 2 === 0 && /^last-event-id:/im.test(asked);
      client.write(chunk.subarray(0, Math.floor(chunk.length / 2)), () => {
        if (isRude) client.resetAndDestroy();
        else client.destroy();
      });
      server.destroy();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    proxy.close();
  });
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`,
    cuts: () => cuts,
    isListening: () => isListening,
  };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

describe.each([
  ['the official v1 server', startSdkServer],
  ['our server', startOurServer],
])('with a connection that is cut %s', (name, start) => {
  test(`${name} and our client exchange each message exactly once`, { timeout: 120_000 }, async () => {
    const { url, cuts, isListening } = await startCuttingProxy(await start());
    const noticed: unknown[] = [];
    const { client, events } = await connectTestClient(
      ['2025-11-25'],
      { url, reconnect: { initialDelayMs: 20, maxDelayMs: 20, maxAttempts: 20 } },
      { notifications: { 'notifications/message': ({ data }) => void noticed.push(data) } },
    );
    // The server's own stream has to be there, or what it says then is said to nobody.
    await waitUntil(isListening);
    const steps: number[] = [];
    await client.callTool(
      { name: 'count' },
      { onProgress: ({ progress }) => void steps.push(progress), timeout: 100_000 },
    );
    expect(steps).toEqual(numbers(STEPS));
    await waitUntil(() => noticed.length >= NOTIFICATIONS);
    expect(noticed).toEqual(numbers(NOTIFICATIONS));
    // Duplicate progress would be reported as such.
    expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(['reconnecting', 'streamResumed']));
    expect(cuts()).toBeGreaterThan(10);
  });
});
