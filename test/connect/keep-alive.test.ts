import { describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../generated/2026-07-28/client.js';
import type { ClientOptions } from '../../generated/2026-07-28/client.js';
import { revision as older } from '../../generated/2025-11-25/revision.js';
import { revision as latest } from '../../generated/2026-07-28/revision.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import { keepAlive } from '../../generated/runtime/client.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import type { EndpointEvent } from '../../generated/runtime/jsonrpc/endpoint.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import {
  initializeResponse,
  rejectionOf,
  resultMessage,
  sendEvent,
  sendJson,
  startScriptedServer,
  startStream,
  TEXT,
  waitUntil,
} from '../http/client-peer.js';

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A client and a server in one process. `silence` stops the responses to `ping`. */
async function connectInMemory(options: Partial<ClientOptions>, revisions = [older]) {
  const state = { pings: 0, isSilent: false, pingError: undefined as object | undefined };
  const events: EndpointEvent[] = [];
  const server = createServer({
    info: { name: 'server', version: '1.0.0' },
    revisions: [older, latest],
    handlers: { 'tools/call': () => new Promise(() => undefined) },
  });
  const [serverSide, clientSide] = memoryPair();
  const send = clientSide.send.bind(clientSide);
  const transport: Transport = Object.assign(clientSide, {
    send: (message: { readonly method?: string; readonly id?: number }) => {
      if (message.method !== 'ping') return send(message);
      state.pings += 1;
      if (state.pingError !== undefined)
        setTimeout(() => clientSide.onmessage?.({ jsonrpc: '2.0', id: message.id, error: state.pingError }));
      else if (!state.isSilent) return send(message);
      return undefined;
    },
  });
  const client = createClient({
    info: { name: 'client', version: '1.0.0' },
    revisions,
    onEvent: (event) => void events.push(event),
    ...options,
  });
  await Promise.all([server.connect(serverSide), client.connect(transport)]);
  onTestFinished(() => client.close());
  return { client, state, events };
}

describe('pings', () => {
  test('are sent in intervals while the connection is open', async () => {
    const { client, state, events } = await connectInMemory({
      keepAlive: keepAlive({ intervalMs: 20, timeoutMs: 5000 }),
    });
    await waitUntil(() => state.pings >= 3);
    expect(events).toEqual([]);
    await client.close();
    const { pings } = state;
    await pause(80);
    expect(state.pings).toBe(pings);
  });

  test('are not sent by default', async () => {
    const { state } = await connectInMemory({});
    await pause(100);
    expect(state.pings).toBe(0);
  });

  test('are not sent in 2026-07-28, which has none', async () => {
    const { client, state, events } = await connectInMemory({ keepAlive: keepAlive({ intervalMs: 10 }) }, [latest]);
    await pause(100);
    expect(client.revision).toBe('2026-07-28');
    expect(state.pings).toBe(0);
    expect(events).toEqual([]);
  });

  test('without a response close the connection, so that pending calls fail', async () => {
    const { client, state, events } = await connectInMemory({
      keepAlive: keepAlive({ intervalMs: 20, timeoutMs: 30 }),
      ignoreCapabilities: true,
    });
    state.isSilent = true;
    const error = await rejectionOf(client.callTool({ name: 'slow' }));
    expect(error).toMatchObject({ name: 'ConnectionClosedError', mayHaveRun: true });
    await client.closed;
    expect(events).toEqual([
      { kind: 'pingFailed', error: expect.objectContaining({ name: 'TimeoutError', timeout: 30 }) as unknown },
    ]);
    expect(state.pings).toBe(1);
  });

  test('without a response are only reported with `report`', async () => {
    const { client, state, events } = await connectInMemory({
      keepAlive: keepAlive({ intervalMs: 20, timeoutMs: 20, onFailure: 'report' }),
    });
    state.isSilent = true;
    await waitUntil(() => events.length >= 2);
    state.isSilent = false;
    const { pings } = state;
    await waitUntil(() => state.pings >= pings + 2);
    expect(events.every(({ kind }) => kind === 'pingFailed')).toBe(true);
    expect(client.inFlight.outbound).toBeLessThanOrEqual(1);
  });

  test('close a connection that cannot be resumed with `reconnect`', async () => {
    const { client, state } = await connectInMemory({
      keepAlive: keepAlive({ intervalMs: 20, timeoutMs: 20, onFailure: 'reconnect' }),
    });
    state.isSilent = true;
    await client.closed;
  });

  test('that a server rejects show that it is alive', async () => {
    const { client, state, events } = await connectInMemory({
      keepAlive: keepAlive({ intervalMs: 10, timeoutMs: 5000 }),
    });
    state.pingError = { code: -32601, message: 'Method not found' };
    await waitUntil(() => state.pings >= 3);
    expect(events).toEqual([]);
    expect(client.inFlight.outbound).toBeLessThanOrEqual(1);
  });

  test.each([{ intervalMs: 0 }, { intervalMs: Number.NaN }, { timeoutMs: -1 }])('do not accept %j', (options) => {
    expect(() => keepAlive(options)).toThrow(RangeError);
  });

  test('with a huge interval do not start at once', async () => {
    const { state } = await connectInMemory({ keepAlive: keepAlive({ intervalMs: Number.POSITIVE_INFINITY }) });
    await pause(50);
    expect(state.pings).toBe(0);
  });
});

test('over stdio, a server that hangs is ended', async () => {
  // Answers `initialize`, and nothing else.
  const script = `let text = '';
    process.stdin.on('data', (chunk) => {
      text += chunk;
      const match = /"id":(\\d+),"method":"initialize"/.exec(text);
      if (match === null) return;
      text = '';
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: Number(match[1]), result: {
        protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'hangs', version: '1' } } }) + '\\n');
    });
    process.on('SIGTERM', () => process.exit(0));
    setInterval(() => undefined, 1000);`;
  const transport = stdioClientTransport({
    command: process.execPath,
    args: ['-e', script],
    shutdown: { graceMs: 100, killMs: 500 },
  });
  const events: EndpointEvent[] = [];
  const client = createClient({
    info: { name: 'client', version: '1.0.0' },
    revisions: [older],
    keepAlive: keepAlive({ intervalMs: 50, timeoutMs: 100 }),
    onEvent: (event) => void events.push(event),
  });
  await client.connect(transport);
  await client.closed;
  await transport.exit;
  expect(events[0]?.kind).toBe('pingFailed');
});

describe('over HTTP', () => {
  /** A server that keeps calls of tools open, and answers pings while `isAlive`. */
  const startServer = async () => {
    const state = { url: '', isAlive: true, pings: 0, streams: [] as (string | undefined)[] };
    const { url } = await startScriptedServer(({ verb, headers, message }, response) => {
      if (verb === 'GET') {
        state.streams.push(headers['last-event-id'] as string | undefined);
        startStream(response);
        sendEvent(response, '', `e${state.streams.length}`);
      } else if (message.method === 'initialize') sendJson(response, initializeResponse(message.id));
      else if (message.method === 'ping') {
        state.pings += 1;
        if (state.isAlive) sendJson(response, resultMessage(message.id));
      } else if (message.id === undefined) response.writeHead(202).end();
      else if (message.method === 'tools/list') sendJson(response, resultMessage(message.id, { tools: [], ...TEXT }));
    });
    state.url = url;
    return state;
  };

  test('the stream of the server is resumed after a ping without a response', async () => {
    const server = await startServer();
    const events: EndpointEvent[] = [];
    const client = createClient({
      info: { name: 'client', version: '1.0.0' },
      revisions: [older],
      keepAlive: keepAlive({ intervalMs: 50, timeoutMs: 500, onFailure: 'reconnect' }),
      onEvent: (event) => void events.push(event),
    });
    onTestFinished(() => client.close());
    await client.connect(httpClientTransport({ url: server.url, reconnect: { initialDelayMs: 20 } }));
    await waitUntil(() => server.pings >= 1);
    server.isAlive = false;
    await waitUntil(() => events.some(({ kind }) => kind === 'streamResumed'));
    server.isAlive = true;
    expect([...new Set(events.map(({ kind }) => kind))]).toEqual(['pingFailed', 'reconnecting', 'streamResumed']);
    expect(server.streams.slice(0, 2)).toEqual([undefined, 'e1']);
    await client.request('ping');
  });

  test('calls that fill all places do not delay pings', async () => {
    const server = await startServer();
    const events: EndpointEvent[] = [];
    const client = createClient({
      info: { name: 'client', version: '1.0.0' },
      revisions: [older],
      keepAlive: keepAlive({ intervalMs: 20, timeoutMs: 5000 }),
      ignoreCapabilities: true,
      onEvent: (event) => void events.push(event),
    });
    await client.connect(httpClientTransport({ url: server.url, maxConcurrentCalls: 2 }));
    const calls = [1, 2, 3, 4].map(() => rejectionOf(client.callTool({ name: 'slow' })));
    const { pings } = server;
    await waitUntil(() => server.pings >= pings + 3);
    expect(events).toEqual([]);
    await client.close();
    await Promise.all(calls);
  });
});
