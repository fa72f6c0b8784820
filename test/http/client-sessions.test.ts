import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server as HttpServer, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer as V2Server } from '@modelcontextprotocol/server';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isSessionLost } from '../../generated/runtime/http/client/lost-session.js';
import { HttpError } from '../../generated/runtime/http-client.js';
import {
  connectTestClient,
  initializeResponse,
  rejectionOf,
  resultMessage,
  sendEvent,
  sendJson,
  sessionScript,
  startScriptedServer,
  startStream,
  TEXT,
  waitUntil,
} from './client-peer.js';

const call = { name: 'count', arguments: {} };
const reconnect = { initialDelayMs: 20, maxDelayMs: 100 };

const jsonError = (code: number, message: string, id: unknown = null): string =>
  JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id });

describe('a rejection', () => {
  test.each([
    ['404 of any kind', 404, ''],
    ['the examples of the official SDK', 400, jsonError(-32000, 'Bad Request: No valid session ID provided')],
    ['a server on it', 400, jsonError(-32000, 'No valid session id; expected initialize')],
    ['the official SDK without a session', 400, jsonError(-32000, 'Bad Request: Server not initialized')],
    ['the official SDK, header', 400, jsonError(-32000, 'Bad Request: Mcp-Session-Id header is required')],
    ['the official SDK, other paths', 400, 'Invalid or missing session ID'],
    ['the Python SDK', 400, jsonError(-32600, 'Bad Request: Missing session ID', 'server-error')],
    ['the Python SDK, older', 400, 'Bad Request: No valid session ID provided'],
    ['a Go server', 400, 'Invalid session ID\n'],
    ['a Java server', 400, jsonError(-32600, 'Session ID required in mcp-session-id header')],
    ['not found', 400, jsonError(-32001, 'Session not found')],
    ['expired', 400, '{"error":"Session expired"}'],
  ])('says that the session is lost: %s', (_, status, text) => {
    expect(isSessionLost(status, text)).toBe(true);
  });

  test.each([
    ['other statuses', 500, 'Session not found'],
    ['unauthorized', 401, 'No valid session'],
    ['arguments of a tool', 400, jsonError(-32602, 'session_id is required', 4)],
    ['an unknown method', 400, jsonError(-32601, 'Method not found: session not found')],
    ['the revision', 400, jsonError(-32000, 'Bad Request: Unsupported protocol version: 2025-11-25')],
    ['the headers', 400, jsonError(-32000, 'Not Acceptable: Client must accept application/json')],
    ['the body', 400, jsonError(-32700, 'Parse error')],
    ['a message that is no text', 400, '{"error":{"code":-32000,"message":7}}'],
    ['nothing', 400, ''],
  ])('says something else: %s', (_, status, text) => {
    expect(isSessionLost(status, text)).toBe(false);
  });

  test('of any length is searched in little time', () => {
    const since = performance.now();
    expect(isSessionLost(400, 'session '.repeat(8192))).toBe(false);
    expect(isSessionLost(400, 'session id header has been '.repeat(4096))).toBe(false);
    expect(performance.now() - since).toBeLessThan(1000);
  });
});

/** A server at a fixed port; each start begins without memory. */
class ServerProcess {
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

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? undefined : JSON.parse(text);
};

type Count = () => number;

/** As the examples of the SDK do it: a map of transports, and 400 without an entry. */
function v1WithMap(count: Count): RequestListener {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  return (request, response) => {
    void (async () => {
      const body = await readJson(request);
      const id = request.headers['mcp-session-id'];
      let transport = typeof id === 'string' ? transports.get(id) : undefined;
      if (transport === undefined && id === undefined && isInitializeRequest(body)) {
        const created = new StreamableHTTPServerTransport({
          sessionIdGenerator: () => randomUUID(),
          onsessioninitialized: (session) => void transports.set(session, created),
        });
        transport = created;
        const server = new McpServer({ name: 'v1', version: '1.0.0' });
        server.registerTool('count', {}, () => ({ content: [{ type: 'text', text: String(count()) }] }));
        await server.connect(created);
      }
      if (transport === undefined)
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(jsonError(-32000, 'Bad Request: No valid session ID provided'));
      else await transport.handleRequest(request, response, body);
    })();
  };
}

/** One transport for all requests, which knows no session until the first `initialize`. */
function v1WithOneTransport(count: Count): RequestListener {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  const server = new McpServer({ name: 'v1', version: '1.0.0' });
  server.registerTool('count', {}, () => ({ content: [{ type: 'text', text: String(count()) }] }));
  const connected = server.connect(transport);
  return (request, response) => void connected.then(() => transport.handleRequest(request, response));
}

function v2WithOneTransport(count: Count): RequestListener {
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  const server = new V2Server({ name: 'v2', version: '1.0.0' });
  server.registerTool('count', {}, () => ({ content: [{ type: 'text', text: String(count()) }] }));
  const connected = server.connect(transport);
  return (request, response) => void connected.then(() => transport.handleRequest(request, response));
}

test.each([
  ['v1, one transport for each session', v1WithMap],
  ['v1, one transport', v1WithOneTransport],
  ['v2, one transport', v2WithOneTransport],
])('an official server (%s) that restarts gets one new session, and runs each call once', async (_, create) => {
  let runs = 0;
  const server = new ServerProcess(() =>
    create(() => {
      runs += 1;
      return runs;
    }),
  );
  await server.start();
  onTestFinished(() => server.stop());
  const { client, transport, events } = await connectTestClient(['2025-11-25'], { url: server.url, reconnect });
  await client.callTool(call);
  const before = transport.sessionId;
  await server.stop();
  // A call on a connection that closes just then may have run, so it would fail.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const calls = Promise.all([client.callTool(call), client.callTool(call), client.callTool(call)]);
  await new Promise((resolve) => setTimeout(resolve, 60));
  await server.start();
  const texts = (await calls).map(({ content }) => (content[0] as { readonly text: string }).text);
  expect([...texts].sort()).toEqual(['2', '3', '4']);
  expect(runs).toBe(4);
  expect(transport.sessionId).not.toBe(before);
  const renewals = events.filter((event) => event.kind === 'sessionRenewed');
  expect(renewals).toEqual([{ kind: 'sessionRenewed', sessionId: transport.sessionId }]);
});

/** A server whose sessions a test ends; it answers `initialize` when the test says. */
async function startForgetfulServer(status = 404) {
  const state = {
    url: '',
    session: 0,
    initializes: 0,
    /** Requests with a wrong session, or without one. */
    stray: [] as unknown[],
    mayInitialize: Promise.resolve(),
    /** Whether sessions are lost at once. */
    isBroken: false,
    openStreams: [] as ServerResponse[],
  };
  const { url } = await startScriptedServer(async ({ verb, message, headers }, response) => {
    if (message.method === 'initialize') {
      state.initializes += 1;
      await state.mayInitialize;
      state.session += 1;
      sendJson(response, initializeResponse(message.id), 200, { 'mcp-session-id': `session-${state.session}` });
    } else if (headers['mcp-session-id'] !== `session-${state.session}` || state.isBroken) {
      state.stray.push(headers['mcp-session-id']);
      if (status === 404) sendJson(response, { error: 'gone' }, 404);
      else response.writeHead(400).end(jsonError(-32000, 'Bad Request: No valid session ID provided'));
    } else if (verb === 'GET') {
      state.openStreams.push(response);
      startStream(response);
    } else if (message.id === undefined) response.writeHead(202).end();
    else sendJson(response, resultMessage(message.id, message.method === 'ping' ? {} : TEXT));
  });
  state.url = url;
  return state;
}

describe.each([404, 400])('a session that is lost with status %i', (status) => {
  test('is renewed once, and later requests wait for the new one', async () => {
    const server = await startForgetfulServer(status);
    const { client } = await connectTestClient(['2025-11-25'], { url: server.url, reconnect });
    await client.callTool(call);
    let allow: () => void = () => undefined;
    server.mayInitialize = new Promise((resolve) => {
      allow = resolve;
    });
    server.session += 1;
    const first = client.callTool(call);
    await waitUntil(() => server.initializes === 2);
    const later = [client.callTool(call), client.callTool(call)];
    client.notify('notifications/roots/list_changed' as never);
    await new Promise((resolve) => setTimeout(resolve, 50));
    allow();
    await Promise.all([first, ...later]);
    expect(server.initializes).toBe(2);
    // Only the first request had the lost session, and none had no session.
    expect(server.stray).toEqual(['session-1']);
  });

  test('again and again is not renewed without limit', async () => {
    const server = await startForgetfulServer(status);
    const { client, events } = await connectTestClient(['2025-11-25'], { url: server.url, reconnect });
    await client.callTool(call);
    server.isBroken = true;
    for (let index = 0; index < 20; index += 1)
      expect((await rejectionOf(client.callTool(call), HttpError)).status).toBe(status);
    expect(server.initializes).toBe(1 + 3);
    const kinds = events.map(({ kind }) => kind).filter((kind) => kind !== 'transportFailed');
    expect(kinds).toEqual(['sessionRenewed', 'sessionRenewed', 'sessionRenewed', 'gaveUp']);
  });

  test('now and then is renewed each time', async () => {
    const server = await startForgetfulServer(status);
    const { client } = await connectTestClient(['2025-11-25'], { url: server.url, reconnect });
    for (let index = 1; index <= 8; index += 1) {
      await client.callTool(call);
      server.session += 1;
    }
    expect(server.initializes).toBe(8);
  });
});

test('a server whose own stream ends at once in each new session causes no endless renewals', async () => {
  let initializes = 0;
  let streams = 0;
  const { url } = await startScriptedServer(({ verb, message }, response) => {
    if (message.method === 'initialize') {
      initializes += 1;
      sendJson(response, initializeResponse(message.id), 200, { 'mcp-session-id': `s${initializes}` });
    } else if (verb === 'GET') {
      streams += 1;
      // Works once, and is unknown when it is resumed.
      if (streams % 2 === 1) {
        startStream(response);
        sendEvent(response, '', `e${streams}`);
        response.end();
      } else response.writeHead(404).end();
    } else response.writeHead(202).end();
  });
  const { events } = await connectTestClient(['2025-11-25'], { url, reconnect });
  await waitUntil(() => events.some(({ kind }) => kind === 'transportFailed'));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(initializes).toBe(1 + 3);
});

test('a client sets its log level again in a new session', async () => {
  let session = 1;
  const levels: unknown[] = [];
  const { url } = await startScriptedServer(({ verb, message: { method, id, params }, headers }, response) => {
    if (method === 'initialize') sendJson(response, initializeResponse(id), 200, { 'mcp-session-id': `s${session}` });
    else if (headers['mcp-session-id'] !== `s${session}`) sendJson(response, {}, 404);
    else if (verb === 'GET') response.writeHead(405).end();
    else if (id === undefined) response.writeHead(202).end();
    else {
      if (method === 'logging/setLevel') levels.push([headers['mcp-session-id'], params?.['level']]);
      sendJson(response, resultMessage(id, TEXT));
    }
  });
  const { client } = await connectTestClient(['2025-11-25'], { url, reconnect }, { logLevel: 'notice' });
  session = 2;
  await client.callTool(call);
  await waitUntil(() => levels.length >= 2);
  expect(levels).toEqual([
    ['s1', 'notice'],
    ['s2', 'notice'],
  ]);
});

test('a renewal that the server never answers fails its calls by their timeout', async () => {
  const server = await startForgetfulServer();
  const { client } = await connectTestClient(['2025-11-25'], { url: server.url });
  await client.callTool(call);
  server.mayInitialize = new Promise(() => undefined);
  server.session += 1;
  const errors = await Promise.all([
    rejectionOf(client.callTool(call, { timeout: 100 })),
    rejectionOf(client.callTool(call, { timeout: 100 })),
  ]);
  expect(errors.map(({ name }) => name)).toEqual(['TimeoutError', 'TimeoutError']);
  const since = performance.now();
  await client.close();
  expect(performance.now() - since).toBeLessThan(10_000);
});

describe("the server's own stream", () => {
  /** A server whose streams end at once, with a `retry`. */
  const startEndingServer = async (retry: string, rejection?: { status: number; retryAfter: string }) => {
    const times: number[] = [];
    const { url } = await startScriptedServer(
      sessionScript(({ verb, message }, response) => {
        if (verb !== 'GET') {
          if (message.id === undefined) response.writeHead(202).end();
          else sendJson(response, resultMessage(message.id, TEXT));
          return;
        }
        times.push(performance.now());
        if (times.length === 2 && rejection !== undefined) {
          response.writeHead(rejection.status, { 'retry-after': rejection.retryAfter }).end();
          return;
        }
        startStream(response);
        response.write(`${retry}\n`);
        sendEvent(response, '', 'e1');
        sendEvent(response, '', 'e2');
        if (times.length < 4) response.end();
      }),
    );
    return { url, times };
  };
  const gap = (times: readonly number[], index: number): number => (times[index] ?? 0) - (times[index - 1] ?? 0);

  test('is resumed when `retry` says', async () => {
    const { url, times } = await startEndingServer('retry: 400');
    await connectTestClient(['2025-11-25'], { url, reconnect });
    await waitUntil(() => times.length === 3);
    expect(gap(times, 1)).toBeGreaterThan(390);
    expect(gap(times, 2)).toBeGreaterThan(390);
  });

  test.each(['retry: 0', 'retry: 1'])('is resumed after 100 ms at the earliest with %s', async (retry) => {
    const { url, times } = await startEndingServer(retry);
    await connectTestClient(['2025-11-25'], { url, reconnect });
    await waitUntil(() => times.length === 3);
    expect(gap(times, 1)).toBeGreaterThan(95);
  });

  test.each(['retry: -5', 'retry: soon', 'retry: 1e9'])('ignores %s', async (retry) => {
    const { url, times } = await startEndingServer(retry);
    await connectTestClient(['2025-11-25'], { url, reconnect });
    await waitUntil(() => times.length === 3);
    expect(gap(times, 1)).toBeLessThan(5000);
  });

  test('waits with a huge `retry`, while calls work and the client can close', async () => {
    const { url, times } = await startEndingServer('retry: 99999999999999999999');
    const { client } = await connectTestClient(['2025-11-25'], { url, reconnect });
    await waitUntil(() => times.length === 1);
    await client.callTool(call);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(times).toHaveLength(1);
    const since = performance.now();
    await client.close();
    expect(performance.now() - since).toBeLessThan(5000);
  });

  test('that ends at once again and again causes few events', async () => {
    const { url } = await startScriptedServer(
      sessionScript(({ verb, message }, response) => {
        if (verb === 'POST' && message.id === undefined) response.writeHead(202).end();
        else {
          // The response to the call, and the server's own stream.
          startStream(response);
          response.write('retry: 0\n');
          sendEvent(response, '', 'e1');
          sendEvent(response, '', 'e2');
          response.end();
        }
      }),
    );
    const { client, events } = await connectTestClient(['2025-11-25'], { url, reconnect });
    expect((await rejectionOf(client.callTool(call, { timeout: 1000 }))).name).toBe('TimeoutError');
    // Two streams, each with two events of ours every 100 ms or more.
    expect(events.length).toBeGreaterThan(4);
    expect(events.length).toBeLessThan(100);
  });

  test.each([
    ['honors', '1', 990, 5000],
    ['ignores', '1e9', 20, 1900],
    ['limits', '999999', 1990, 10_000],
  ])('%s Retry-After: %s', async (_, retryAfter, atLeast, atMost) => {
    const { url, times } = await startEndingServer(': no retry', { status: 503, retryAfter });
    await connectTestClient(['2025-11-25'], { url, reconnect: { initialDelayMs: 20, maxDelayMs: 2000 } });
    await waitUntil(() => times.length === 3);
    expect(gap(times, 2)).toBeGreaterThan(atLeast);
    expect(gap(times, 2)).toBeLessThan(atMost);
  });
});
