import { createServer as createHttpServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ClientConnectionEvent } from '../../generated/runtime/jsonrpc/connection-events.js';
import { isConnectionLost, isNotSent } from '../../generated/runtime/http/client/failures.js';
import { HttpError, httpClientTransport } from '../../generated/runtime/http-client.js';
import { retryAfterMs } from '../../generated/runtime/http/retry-after.js';
import {
  connectTestClient,
  createTestClient,
  discoverResponse,
  rejectionOf,
  sendEvent,
  sendJson,
  startScriptedServer,
  startStream,
  statelessScript,
  unusedUrl,
  waitUntil,
} from './client-peer.js';
import type { ReceivedMessage } from './client-peer.js';
import { reconnect, call, kindsOf, answerTo, startRestartingServer } from './client-retry-support.js';

/** Connects, and waits for the request of a session's own stream. */
async function connectTo(
  revision: '2025-11-25' | '2026-07-28',
  server: { readonly url: string; readonly received: string[] },
  options: object = {},
): ReturnType<typeof connectTestClient> {
  const connected = await connectTestClient([revision], { url: server.url, ...options });
  await waitUntil(() => revision !== '2025-11-25' || server.received.includes('GET'));
  return connected;
}

/**
 * A server that answers, except that it reads a request on a connection that it has used before and closes that without
 * a response, as if it had timed out just then.
 */
async function startClosingServer(): Promise<{
  readonly url: string;
  readonly received: string[];
  /** Closes this many connections. */
  closes: number;
}> {
  const state = { url: '', received: [] as string[], closes: 0 };
  const server = createHttpServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const message = (body === '' ? {} : JSON.parse(body)) as ReceivedMessage;
      const { name } = message.params ?? {};
      state.received.push(typeof name === 'string' ? name : (message.method ?? request.method ?? ''));
      if (state.closes > 0) {
        state.closes -= 1;
        request.socket.destroy();
      } else if (request.method === 'GET') response.writeHead(405).end();
      else if (message.id === undefined) response.writeHead(202).end();
      else sendJson(response, answerTo(message));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return state;
}

describe.each(['2025-11-25', '2026-07-28'] as const)(
  'a connection of %s that is lost before the response',
  (revision) => {
    test.each([
      ['tools/list', (client) => client.listTools()],
      ['prompts/list', (client) => client.listPrompts()],
      ['resources/list', (client) => client.listResources()],
      ['resources/templates/list', (client) => client.listResourceTemplates()],
      ['resources/read', (client) => client.readResource({ uri: 'a:b' })],
      ['p', (client) => client.getPrompt({ name: 'p' })],
      [
        'completion/complete',
        (client) => client.complete({ ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }),
      ],
    ] satisfies [string, (client: Awaited<ReturnType<typeof connectTestClient>>['client']) => Promise<object>][])(
      'repeats %s once',
      async (name, send) => {
        const server = await startClosingServer();
        const { client, events } = await connectTo(revision, server);
        server.received.length = 0;
        server.closes = 1;
        await send(client);
        expect(server.received.filter((one) => one === name)).toHaveLength(2);
        expect(events).toEqual([
          {
            kind: 'requestRetried',
            method: name === 'p' ? 'prompts/get' : name,
            reason: 'connectionLost',
            delayMs: 0,
          },
        ]);
        server.closes = 2;
        const error = await rejectionOf(send(client), HttpError);
        expect(error).toMatchObject({ status: undefined, mayHaveRun: true });
        expect(server.received.filter((one) => one === name)).toHaveLength(4);
      },
    );

    test('repeats calls of tools that are listed with a hint, and no others', async () => {
      const server = await startClosingServer();
      const { client } = await connectTestClient([revision], { url: server.url });
      const runsOf = async (name: string): Promise<number> => {
        server.received.length = 0;
        server.closes = 1;
        await client.callTool({ name, arguments: {} }).catch(() => undefined);
        server.closes = 0;
        return server.received.filter((one) => one === name).length;
      };
      expect(await runsOf('reads')).toBe(1);
      await client.listTools();
      expect(await runsOf('reads')).toBe(2);
      expect(await runsOf('repeats')).toBe(2);
      expect(await runsOf('plain')).toBe(1);
      expect(await runsOf('destroys')).toBe(1);
      expect(await runsOf('unlisted')).toBe(1);
    });

    test('fails the request if retriesRequests is false', async () => {
      const server = await startClosingServer();
      const { client } = await connectTo(revision, server, { retriesRequests: false });
      server.closes = 1;
      expect((await rejectionOf(client.listTools(), HttpError)).message).toContain('no response');
      expect(server.closes).toBe(0);
    });
  },
);

test('a request that changes something is not repeated', async () => {
  const server = await startClosingServer();
  const { client } = await connectTo('2025-11-25', server);
  server.received.length = 0;
  server.closes = 1;
  await rejectionOf(client.request('logging/setLevel', { level: 'info' }), HttpError);
  server.closes = 1;
  await rejectionOf(client.request('resources/subscribe', { uri: 'file:///a' }), HttpError);
  server.closes = 0;
  expect(server.received).toEqual(['logging/setLevel', 'resources/subscribe']);
});

test('a call of a tool with answers of the user is not repeated', async () => {
  const server = await startClosingServer();
  const { client } = await connectTestClient(['2026-07-28'], { url: server.url });
  await client.listTools();
  server.received.length = 0;
  server.closes = 1;
  await rejectionOf(client.request('tools/call', { name: 'reads', requestState: 'signed' }), HttpError);
  server.closes = 1;
  await rejectionOf(client.request('tools/call', { name: 'reads', inputResponses: {} }), HttpError);
  expect(server.received).toEqual(['reads', 'reads']);
});

test('hints of tools count until the list changes', async () => {
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
  let stream: ServerResponse | undefined;
  let isClosing = false;
  let runs = 0;
  const { url } = await startScriptedServer(({ verb, message }, response) => {
    if (verb === 'GET') {
      startStream(response);
      stream = response;
    } else if (message.id === undefined) response.writeHead(202).end();
    else if (message.method === 'tools/call' && isClosing) {
      runs += 1;
      response.socket?.destroy();
    } else sendJson(response, answerTo(message));
  });
  const changes: string[] = [];
  const { client } = await connectTestClient(
    ['2025-11-25'],
    { url },
    { notifications: { 'notifications/tools/list_changed': () => void changes.push('changed') } },
  );
  await waitUntil(() => stream !== undefined);
  await client.listTools();
  isClosing = true;
  await rejectionOf(client.callTool({ name: 'reads' }));
  expect(runs).toBe(2);
  if (stream !== undefined) sendEvent(stream, changed);
  await waitUntil(() => changes.length > 0);
  await rejectionOf(client.callTool({ name: 'reads' }));
  expect(runs).toBe(3);
});

describe('a server that restarts', () => {
  test.each(['2025-11-25', '2026-07-28'] as const)(
    'runs each call of %s once, which waits for it',
    async (revision) => {
      const server = await startRestartingServer();
      const { client, events } = await connectTestClient([revision], { url: server.url, reconnect });
      await client.callTool(call);
      await server.stop();
      // What the socket of the former server notices must not count as part of the next request.
      await new Promise((resolve) => setTimeout(resolve, 300));
      const calls = Promise.all([client.callTool(call), client.callTool(call), client.listTools()]);
      await waitUntil(() => events.filter(({ kind }) => kind === 'reconnecting').length >= 3);
      await server.start();
      await calls;
      expect(server.received.filter(({ method }) => method === 'tools/call')).toHaveLength(3);
      expect(events.every(({ kind }) => kind === 'reconnecting')).toBe(true);
      expect(events[0]).toMatchObject({ attempt: 1, reason: expect.stringContaining('ECONNREFUSED') as string });
    },
  );

  test.each([
    ['retriesRequests is false', { retriesRequests: false, reconnect: { initialDelayMs: 20_000 } }],
    ['maxAttempts is 0', { reconnect: { maxAttempts: 0 } }],
  ])('fails its calls at once if %s', async (_, options) => {
    const server = await startRestartingServer();
    const { client } = await connectTestClient(['2026-07-28'], { url: server.url, ...options });
    await server.stop();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const since = performance.now();
    await rejectionOf(client.callTool(call), HttpError);
    expect(performance.now() - since).toBeLessThan(5000);
  });

  test('is not awaited before the first connection', async () => {
    const { client, transport } = createTestClient(['2026-07-28'], {
      url: await unusedUrl(),
      reconnect: { initialDelayMs: 20_000 },
    });
    const since = performance.now();
    await rejectionOf(client.connect(transport), HttpError);
    expect(performance.now() - since).toBeLessThan(9000);
  });
});

describe('Retry-After', () => {
  /** A server that rejects `rejections` requests. */
  const startBusyServer = async (status: number, retryAfter: () => string, rejections: number) => {
    const times: number[] = [];
    const { url } = await startScriptedServer(
      statelessScript(({ message }, response) => {
        times.push(performance.now());
        if (times.length <= rejections) sendJson(response, { error: 'busy' }, status, { 'retry-after': retryAfter() });
        else sendJson(response, answerTo(message));
      }),
    );
    return { url, times };
  };

  test('with status 503 delays only a request that reads', async () => {
    const { url, times } = await startBusyServer(503, () => '0', 2);
    const { client } = await connectTestClient(['2026-07-28'], { url });
    expect(await rejectionOf(client.callTool(call), HttpError)).toMatchObject({ status: 503, retryAfterMs: 0 });
    expect(times).toHaveLength(1);
    await client.listTools();
    expect(times).toHaveLength(3);
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThan(95);
  });

  test.each(['1e9', '999999999999', '-1', 'soon', '31', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'of "%s" fails the call at once',
    async (value) => {
      const { url, times } = await startBusyServer(429, () => value, 1);
      const { client } = await connectTestClient(['2026-07-28'], { url });
      const since = performance.now();
      expect((await rejectionOf(client.callTool(call), HttpError)).status).toBe(429);
      expect(performance.now() - since).toBeLessThan(5000);
      expect(times).toHaveLength(1);
    },
  );

  test('ends when the call does', async () => {
    const { url } = await startBusyServer(429, () => '20', 100);
    const { client } = await connectTestClient(['2026-07-28'], { url });
    expect((await rejectionOf(client.listTools({}, { timeout: 100 }))).name).toBe('TimeoutError');
  });

  test('is ignored if retriesRequests is false', async () => {
    const { url, times } = await startBusyServer(429, () => '0', 1);
    const { client } = await connectTestClient(['2026-07-28'], { url, retriesRequests: false });
    expect(await rejectionOf(client.listTools(), HttpError)).toMatchObject({ status: 429, retryAfterMs: 0 });
    expect(times).toHaveLength(1);
  });

  test.each([
    ['120', 120_000],
    [' 7 ', 7000],
    ['', undefined],
    ['1.5', undefined],
    ['1e9', undefined],
    ['Thu, 01 Jan 1970 00:00:10 GMT', 9000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Thursday', undefined],
  ])('of %j is read', (value, expected) => {
    expect(retryAfterMs({ headers: new Headers({ 'retry-after': value }) }, 1000)).toBe(expected);
  });
});

describe('errors of other platforms', () => {
  const failure = (cause: unknown): HttpError => new HttpError('x', { method: 'POST', url: 'http://a/' }, { cause });
  const withCode = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code, ...more });

  test.each([
    ['Node', new TypeError('fetch failed', { cause: withCode('ECONNREFUSED', { syscall: 'connect' }) })],
    ['Node, unknown host', new TypeError('fetch failed', { cause: withCode('ENOTFOUND', { syscall: 'getaddrinfo' }) })],
    [
      'Node, several addresses',
      new TypeError('fetch failed', {
        cause: Object.assign(withCode('ECONNREFUSED'), {
          errors: [withCode('ECONNREFUSED', { syscall: 'connect' }), withCode('EHOSTUNREACH', { syscall: 'connect' })],
        }),
      }),
    ],
    ['undici', new TypeError('fetch failed', { cause: withCode('UND_ERR_CONNECT_TIMEOUT') })],
    ['Bun', withCode('ConnectionRefused')],
    ['Deno', new TypeError('error sending request for url (http://a/): client error (Connect): tcp connect error')],
  ])('%s: a request that was not sent', (_, cause) => {
    expect(isNotSent(failure(cause))).toBe(true);
    expect(isConnectionLost(failure(cause))).toBe(false);
  });

  test.each([
    ['Node', new TypeError('fetch failed', { cause: withCode('ECONNRESET', { syscall: 'read' }) })],
    ['undici', new TypeError('fetch failed', { cause: withCode('UND_ERR_SOCKET') })],
    ['Bun', withCode('ECONNRESET')],
    ['a browser', new TypeError('Failed to fetch')],
    ['Workers', new Error('Network connection lost.')],
    ['Node, unreachable while it waits', withCode('ECONNRESET', { errors: [] })],
  ])('%s: a connection that was lost', (_, cause) => {
    expect(isNotSent(failure(cause))).toBe(false);
    expect(isConnectionLost(failure(cause))).toBe(true);
  });

  test.each([
    ['a wrong certificate', failure(new TypeError('fetch failed', { cause: withCode('CERT_HAS_EXPIRED') }))],
    ['no HTTP', failure(new TypeError('fetch failed', { cause: withCode('HPE_INVALID_CONSTANT') }))],
    ['a response', new HttpError('x', { method: 'POST', url: 'http://a/', status: 500 }, { cause: withCode('EPIPE') })],
    ['a mistake', new TypeError('x is not a function')],
    ['no error', undefined],
  ])('%s is neither', (_, error) => {
    expect([isNotSent(error), isConnectionLost(error)]).toEqual([false, false]);
  });

  test('a chain of causes without an end is followed only so far', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(isNotSent(failure(error))).toBe(false);
  });
});

test('a response that breaks off is a CallError that may have run', async () => {
  const { url } = await startScriptedServer(
    statelessScript((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"jsonrpc"');
      setTimeout(() => response.socket?.destroy(), 20);
    }),
  );
  const { client } = await connectTestClient(['2026-07-28'], { url });
  const error = await rejectionOf(client.listTools(), HttpError);
  expect(error.message).toContain('the connection was lost during the response');
  expect(error.mayHaveRun).toBe(true);
});

test('a rejection whose text breaks off is reported with its status', async () => {
  const { url } = await startScriptedServer(
    statelessScript((_, response) => {
      response.writeHead(403, { 'content-type': 'text/plain', 'content-length': '100' });
      response.write('no');
      setTimeout(() => response.socket?.destroy(), 20);
    }),
  );
  const { client } = await connectTestClient(['2026-07-28'], { url });
  expect(await rejectionOf(client.callTool(call), HttpError)).toMatchObject({ status: 403, mayHaveRun: false });
});

test('a transport without our client reports events to its own option', async () => {
  const server = await startClosingServer();
  const events: ClientConnectionEvent[] = [];
  const transport = httpClientTransport({
    url: server.url,
    onEvent: (event) => {
      events.push(event);
      throw new Error('the listener fails');
    },
  });
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  server.closes = 1;
  await transport.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  expect(kindsOf(events)).toEqual(['requestRetried']);
  await transport.close();
});

test.each([{ maxAttempts: Number.NaN }, { initialDelayMs: -1 }, { maxDelayMs: Number.NaN }])(
  'reconnect must not be %j',
  (options) => {
    expect(() => httpClientTransport({ url: 'http://a/', reconnect: options })).toThrow(RangeError);
  },
);

test('a connection that is closed while a request is written fails a call without a hint', async () => {
  let calls = 0;
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const text = chunk.toString();
      if (/^mcp-name: plain/im.test(text)) calls += 1;
      if (text.includes('"method":"server/discover"')) {
        const body = JSON.stringify(discoverResponse(1));
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
      } else socket.resetAndDestroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { client } = await connectTestClient(['2026-07-28'], { url });
  const error = await rejectionOf(
    client.callTool({ name: 'plain', arguments: { text: 'x'.repeat(1024 * 1024) } }),
    HttpError,
  );
  expect(error.mayHaveRun).toBe(true);
  expect(calls).toBe(1);
});
