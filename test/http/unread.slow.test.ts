import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpCall } from '../../generated/runtime/http/server/call.js';
import { nodeListener, serveHttp } from '../../generated/runtime/http-node.js';
import { ResumeBudget, type EventStore } from '../../generated/runtime/http/server/resume-budget.js';
import type { HttpHandler, HttpHandlerOptions } from '../../generated/runtime/http-server.js';
import {
  ACCEPT_BOTH,
  readEvents,
  fixtureHandler,
  fixtureServer,
  messagesOf,
  sendStateless,
  STATELESS_REVISION,
  request,
  send,
  openSession,
  type SseFields,
} from './server-support.js';

// Clients that read at once, slowly, or not at all, and what of it the server has to hold.

const MB = 1_000_000;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A handler, and one that reaches it through a port and a client that reads at once. */
async function bindings(options: Partial<HttpHandlerOptions>, seen = { aborted: [] as string[] }) {
  const handler = fixtureHandler({ server: fixtureServer(seen), ...options });
  const listening = await serveHttp(handler, { port: 0 });
  closers.push(() => listening.close());
  const { url } = listening;
  const node: HttpHandler = {
    ...handler,
    load: handler.load,
    fetch: async (original) =>
      fetch(new URL(new URL(original.url).pathname, url), {
        method: original.method,
        headers: original.headers,
        signal: original.signal,
        ...(original.method === 'POST' ? { body: await original.text() } : {}),
      }),
  };
  return { handler, url, seen, of: { 'fetch()': handler, 'node:http': node } };
}

type Call = (name: string, args?: object) => Promise<Response>;

async function caller(handler: HttpHandler, version: string): Promise<Call> {
  if (version === STATELESS_REVISION)
    return (name, args = {}) =>
      sendStateless(handler, 1, 'tools/call', { name, arguments: { ...args }, _meta: { progressToken: 1 } });
  const { call } = await openSession(handler, version);
  return (name, args) => call(1, name, args);
}

const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25', STATELESS_REVISION];
const BINDINGS = ['fetch()', 'node:http'] as const;

function textLength(answer: { readonly result?: unknown } | undefined): number {
  return (answer?.result as { content: { text: string }[] } | undefined)?.content[0]?.text.length ?? 0;
}

/** Reads all events; `events` of the other tests is quadratic in the size of one. */
async function allEvents(response: Response): Promise<SseFields[]> {
  const text = await response.text();
  return text
    .split('\n\n')
    .map((event) => event.split('\n').filter((line) => line !== '' && !line.startsWith(':')))
    .filter((lines) => lines.length > 0)
    .map(
      (lines) =>
        Object.fromEntries(
          lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
        ) as unknown as SseFields,
    );
}

describe.each(VERSIONS)('%s', (version) => {
  describe.each(BINDINGS)('%s', (binding) => {
    test.each([1.1 * MB, 12 * MB])('an answer of %i bytes arrives after a progress message', async (bytes) => {
      const { of } = await bindings({});
      const call = await caller(of[binding], version);
      const all = messagesOf(await allEvents(await call('bulk', { bytes, announced: true })));
      expect(all.map(({ method, id }) => method ?? id)).toEqual(['notifications/progress', 1]);
      expect(textLength(all[1])).toBe(bytes);
    });

    test('an answer of 3 MB arrives after streamAfter', async () => {
      const { of } = await bindings({ streamAfter: 20 });
      const call = await caller(of[binding], version);
      const all = messagesOf(await allEvents(await call('bulk', { bytes: 3 * MB, after: 100 })));
      expect(textLength(all[0])).toBe(3 * MB);
    });

    test('a JSON answer of 12 MB arrives in full', async () => {
      const { of, handler } = await bindings({});
      const call = await caller(of[binding], version);
      const answer = await call('bulk', { bytes: 12 * MB });
      expect(handler.load.open).toBe(1);
      expect(textLength((await answer.json()) as object)).toBe(12 * MB);
      await expect.poll(() => handler.load.open).toBe(0);
    });

    test('the newest of 30 progress messages arrive before the answer', async () => {
      const { of } = await bindings({});
      const call = await caller(of[binding], version);
      const all = messagesOf(await allEvents(await call('burst')));
      expect(all.at(-1)?.id).toBe(1);
      expect(all.at(-2)).toMatchObject({ params: { progress: 29 } });
      // Some were dropped: 1.5 MB waited, and the limit is 1 MiB.
      expect(all.length).toBeLessThan(31);
      expect(all.length).toBeGreaterThan(20);
    });
  });
});

test('HTTP+SSE of 2024-11-05: an answer of 12 MB arrives', async () => {
  const { handler } = await bindings({ sse: true });
  const stream = await send(handler, 'GET', { accept: 'text/event-stream' }, undefined, '/sse');
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  const path = /data: (\S+)/.exec(first)?.[1] ?? '';
  const say = (body: unknown) => send(handler, 'POST', { 'content-type': 'application/json' }, body, path);
  await say(
    request(0, 'initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    }),
  );
  await say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await say(request(1, 'tools/call', { name: 'bulk', arguments: { bytes: 12 * MB } }));
  let length = 0;
  while (length < 12 * MB) length += (await reader.read()).value?.length ?? Number.NaN;
  await reader.cancel();
  expect(length).toBeGreaterThan(12 * MB);
});

describe('clients on sockets', () => {
  function rawCall(name: string, args: object): string {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': STATELESS_REVISION,
      'io.modelcontextprotocol/clientCapabilities': {},
      progressToken: 1,
    };
    const body = JSON.stringify(request(1, 'tools/call', { name, arguments: args, _meta }));
    return (
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: ${ACCEPT_BOTH}\r\n` +
      `Mcp-Protocol-Version: ${STATELESS_REVISION}\r\nMcp-Method: tools/call\r\nMcp-Name: ${name}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    );
  }

  function open(url: URL, text: string): Socket {
    const socket = connect(Number(url.port), url.hostname);
    closers.push(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(text);
    return socket;
  }

  /** Reads at so many bytes a second, until there are enough or the other side closes. */
  async function read(socket: Socket, perSecond: number, bytes: number): Promise<number> {
    const start = Date.now();
    let got = 0;
    for await (const chunk of socket) {
      got += (chunk as Buffer).length;
      if (got >= bytes) break;
      await delay(Math.max(0, start + (got / perSecond) * 1000 - Date.now()));
    }
    return got;
  }

  test.each([true, false])('a slow reader gets all of its answer (stream: %s)', async (announced) => {
    const { url, handler } = await bindings({ stallTimeout: 100 });
    const socket = open(url, rawCall('bulk', { bytes: 12 * MB, announced }));
    // The time for it is far more than what may pass without progress.
    expect(await read(socket, 6 * MB, 12 * MB)).toBeGreaterThanOrEqual(12 * MB);
    await expect.poll(() => handler.load.open).toBe(0);
  });

  test('300 pipelined requests of a client that does not read end in a disconnect', async () => {
    let handled = 0;
    const server = fixtureServer(undefined, {
      handlers: {
        'tools/call': () => {
          handled += 1;
          return { content: [{ type: 'text', text: 'x'.repeat(1.1 * MB) }] };
        },
      },
    });
    const { url, handler } = await bindings({ server, stallTimeout: 100 });
    open(url, rawCall('bulk', {}).repeat(300));
    await expect.poll(() => handled).toBeGreaterThan(1);
    expect(handler.load.open).toBe(1);
    await expect.poll(() => handler.load.open, { timeout: 5_000 }).toBe(0);
    // What the buffers of the system take, 4 MB and more, is answered.
    expect(handled).toBeLessThan(20);
  });

  test('300 pipelined requests of a client that reads are answered in order', async () => {
    const { url } = await bindings({});
    const socket = open(url, Array.from({ length: 300 }, (_, at) => rawCall('echo', { at })).join(''));
    let text = '';
    for await (const chunk of socket) {
      text += String(chunk);
      if (text.includes('\\"at\\":299')) break;
    }
    expect([...text.matchAll(/\\"at\\":(\d+)/g)].map(([, at]) => Number(at))).toEqual([...Array(300).keys()]);
  });

  test('the handler of a pipelined request waits for the earlier answer to be taken', async () => {
    const handled: unknown[] = [];
    const server = fixtureServer(undefined, {
      handlers: {
        'tools/call': ({ name, arguments: args }) => {
          handled.push(name);
          return { content: [{ type: 'text', text: 'x'.repeat(Number(args?.['bytes'])) }] };
        },
      },
    });
    const { url } = await bindings({ server });
    const socket = open(url, rawCall('first', { bytes: 12 * MB }) + rawCall('second', { bytes: 1 }));
    await expect.poll(() => [...handled]).toEqual(['first']);
    await delay(100);
    expect(handled).toEqual(['first']);
    socket.resume();
    await expect.poll(() => [...handled]).toEqual(['first', 'second']);
  });

  test('no more is read from a connection on which requests wait', async () => {
    const calls: HttpCall[] = [];
    let received: Socket | undefined;
    const server = createServer(nodeListener({ handle: (call) => calls.push(call) }));
    server.on('connection', (socket) => (received = socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const socket = open(
      new URL(`http://127.0.0.1:${port}`),
      rawCall('echo', { text: 'x'.repeat(10_000) }).repeat(1_000),
    );
    await expect.poll(() => received?.bytesRead ?? 0).toBeGreaterThan(10_000);
    await delay(100);
    expect(received?.bytesRead).toBeLessThan(500_000);
    expect(calls).toHaveLength(1);
    socket.destroy();
    received?.destroy();
  });

  test('only clients that do not read are cut off past the total bound of unread bytes', async () => {
    const { url, handler } = await bindings({ maxUnreadBytes: 16 * MB });
    const reader = open(url, rawCall('bulk', { bytes: 9 * MB }));
    const reading = read(reader, 2.5 * MB, 9 * MB);
    await delay(700);
    // On a busy machine, it takes longer until the server has seen it read.
    await expect.poll(() => reader.bytesRead, { interval: 10 }).toBeGreaterThan(1.5 * MB);
    for (let at = 0; at < 20; at += 1) open(url, rawCall('bulk', { bytes: 9 * MB, after: 600 }));
    await expect.poll(() => handler.load.open, { timeout: 3_000, interval: 10 }).toBe(21);
    // No handler runs for what comes now.
    await expect
      .poll(async () => (await sendStateless(handler, 1, 'tools/list')).status, { timeout: 3_000, interval: 10 })
      .toBe(503);
    expect((await sendStateless(handler, 1, 'tools/list')).headers.get('retry-after')).toBe('1');
    await expect
      .poll(async () => (await sendStateless(handler, 1, 'tools/list')).status, { timeout: 30_000 })
      .toBe(200);
    expect(handler.load.open).toBeLessThan(6);
    expect(await reading).toBeGreaterThanOrEqual(9 * MB);
  });
});

describe('fetch()', () => {
  test('an answer that nobody reads is cut off', async () => {
    const { handler } = await bindings({ stallTimeout: 50 });
    const answer = await sendStateless(handler, 1, 'tools/call', { name: 'bulk', arguments: { bytes: 12 * MB } });
    expect(handler.load.open).toBe(1);
    await expect.poll(() => handler.load.open, { timeout: 3_000 }).toBe(0);
    await expect(answer.text()).rejects.toThrow('cut off');
  });

  function aborting(handler: HttpHandler, headers: Record<string, string>, body: unknown) {
    const controller = new AbortController();
    const made = new Request('http://localhost:3000/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: ACCEPT_BOTH, ...headers },
      body: JSON.stringify(body),
      signal: controller.signal,
    });
    return { controller, made, answer: handler.fetch(made) };
  }

  const hang = (_meta: object = {}) => request(1, 'tools/call', { name: 'hang', arguments: {}, _meta });
  const MODERN_HANG = hang({
    'io.modelcontextprotocol/protocolVersion': STATELESS_REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  });
  const MODERN_HEADERS = { 'mcp-protocol-version': STATELESS_REVISION, 'mcp-method': 'tools/call', 'mcp-name': 'hang' };

  test('a caller whose unread answers fill its share gets 503', async () => {
    const { handler } = await bindings({
      maxUnreadBytes: 10 * MB,
      clientKey: (call: HttpCall) => call.header('x-client'),
    });
    const call = (client: string, name: string, args: object) =>
      aborting(
        handler,
        {
          'mcp-protocol-version': STATELESS_REVISION,
          'mcp-method': 'tools/call',
          'mcp-name': name,
          'x-client': client,
        },
        request(1, 'tools/call', {
          name,
          arguments: args,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': STATELESS_REVISION,
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        }),
      ).answer;
    const unread = await call('greedy', 'bulk', { bytes: 9 * MB });
    expect(unread.status).toBe(200);
    expect((await call('greedy', 'bulk', { bytes: 1 })).status).toBe(503);
    expect((await call('modest', 'bulk', { bytes: 1 })).status).toBe(200);
    expect((await unread.text()).length).toBeGreaterThan(9 * MB);
    expect((await call('greedy', 'bulk', { bytes: 1 })).status).toBe(200);
  });

  test.each([0, 100])('an abort %i ms after the request cancels it (2026-07-28)', async (after) => {
    const { handler, seen } = await bindings(after === 0 ? {} : { streamAfter: 20 });
    const { controller, answer, made } = aborting(handler, MODERN_HEADERS, MODERN_HANG);
    await expect.poll(() => handler.load.open).toBe(1);
    await delay(after);
    controller.abort();
    expect(seen.aborted).toEqual(['hang']);
    expect(handler.load.open).toBe(0);
    expect(getEventListeners(made.signal, 'abort')).toHaveLength(0);
    // Nobody is there for it, but the runtime waits for an answer.
    expect(await answer.then(({ status }) => status)).toBe(after === 0 ? 499 : 200);
  });

  test('a client that aborts while it is being admitted cancels its request', async () => {
    const { handler, seen } = await bindings({
      authorize: { verify: () => delay(50, { principal: 'a', scopes: [] }), audience: false } as never,
    });
    const { controller, answer } = aborting(handler, { ...MODERN_HEADERS, authorization: 'Bearer x' }, MODERN_HANG);
    await delay(10);
    controller.abort();
    expect((await answer).status).toBe(499);
    await delay(150);
    expect(handler.load.open).toBe(0);
    expect(seen.aborted).toEqual(['hang']);
  });

  test.each(['2025-06-18', '2025-11-25'])('%s: a client that aborts does not cancel its request', async (version) => {
    const { handler, seen } = await bindings({});
    const { headers } = await openSession(handler, version);
    const { controller } = aborting(handler, headers, hang());
    await expect.poll(() => handler.load.open).toBe(1);
    controller.abort();
    expect(handler.load.open).toBe(0);
    expect(seen.aborted).toEqual([]);
  });

  test('nothing listens for an abort once the answer is complete', async () => {
    const { handler } = await bindings({});
    const { made, answer } = aborting(handler, MODERN_HEADERS, { ...MODERN_HANG, method: 'no/such' });
    await (await answer).text();
    expect(getEventListeners(made.signal, 'abort')).toHaveLength(0);
  });
});

describe('resumption in 2025-11-25', () => {
  test.each(BINDINGS)('%s: a large answer whose connection breaks in the middle is sent again', async (binding) => {
    const { of, handler } = await bindings({});
    const guest = await openSession(of[binding]);
    const answer = await guest.call(1, 'bulk', { bytes: 12 * MB, announced: true });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (text.length < 0.5 * MB) text += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    await expect.poll(() => handler.load.open).toBe(0);
    // Other streams carry events meanwhile.
    await allEvents(await guest.call(2, 'count'));
    const last = [...text.matchAll(/^id: (\S+)\ndata: [^\n]*\n\n/gm)].at(-1)?.[1] ?? '';
    const again = messagesOf(await allEvents(await guest.get({ 'last-event-id': last })));
    expect(textLength(again.at(-1))).toBe(12 * MB);
  });

  test('one session that fills the budget costs another neither its answer nor its events', async () => {
    const { handler } = await bindings({ resumability: { maxTotalBytes: 200_000 } });
    const modest = await openSession(handler);
    const greedy = await openSession(handler);
    const counted = await allEvents(await modest.call(1, 'count'));
    for (let id = 1; id <= 6; id += 1)
      await allEvents(await greedy.call(id, 'bulk', { bytes: 60_000, announced: true }));
    const [left] = await readEvents(await modest.call(2, 'leave', { pad: 'x'.repeat(50_000) }));
    await delay(150);
    for (let id = 7; id <= 12; id += 1)
      await allEvents(await greedy.call(id, 'bulk', { bytes: 60_000, announced: true }));
    const owed = await modest.get({ 'last-event-id': left?.id ?? '' });
    expect(owed.status).toBe(200);
    expect(messagesOf(await allEvents(owed))).toMatchObject([{ id: 2 }]);
    const again = await readEvents(await modest.get({ 'last-event-id': counted[1]?.id ?? '' }));
    expect(again).toEqual(counted.slice(2));
  });

  test('the budget drops undelivered events last', () => {
    const budget = new ResumeBudget(100);
    const lost: string[] = [];
    const holder = (name: string): EventStore & { add(length: number, isDelivered: boolean): void } => {
      const kept: { length: number; isDelivered: boolean }[] = [];
      const forget = (isDelivered: boolean): boolean => {
        const index = kept.findIndex((event) => event.isDelivered === isDelivered);
        const [event] = index < 0 ? [] : kept.splice(index, 1);
        if (event === undefined) return false;
        lost.push(`${name} ${event.length} ${isDelivered ? 'delivered' : 'owed'}`);
        self.bufferedChars -= event.length;
        budget.adjust(self, -event.length);
        return true;
      };
      const self = {
        bufferedChars: 0,
        heapIndex: -1,
        dropDelivered: () => forget(true),
        dropUndelivered: () => forget(false),
        add: (length: number, isDelivered: boolean) => {
          kept.push({ length, isDelivered });
          self.bufferedChars += length;
          budget.adjust(self, length);
          if (isDelivered) budget.markDelivered(self);
          budget.trim();
        },
      };
      return self;
    };
    const [a, b, c] = [holder('a'), holder('b'), holder('c')];
    a.add(10, false);
    b.add(5, true);
    b.add(30, true);
    b.add(31, true);
    c.add(20, true);
    expect(lost).toEqual([]);
    a.add(6, false);
    expect(lost.splice(0)).toEqual(['b 5 delivered']);
    c.add(70, false);
    // The largest has only one delivered event; those of others follow.
    expect(lost.splice(0)).toEqual(['c 20 delivered', 'b 30 delivered', 'b 31 delivered']);
    a.add(15, false);
    expect(lost.splice(0)).toEqual(['c 70 owed']);
    expect([a.bufferedChars, b.bufferedChars, c.bufferedChars, budget.used]).toEqual([31, 0, 0, 31]);
  });
});
