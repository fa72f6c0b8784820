import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { McpServer as V2Server } from '@modelcontextprotocol/server';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  connectTestClient,
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
import { ServerProcess } from './server-process.js';
import { call, reconnect, jsonError } from './client-sessions-support.js';

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
