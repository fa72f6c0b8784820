import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { HttpError } from '../../generated/runtime/http-client.js';
import {
  connectTestClient,
  sendEvent,
  rejectionOf,
  sessionScript,
  sendJson,
  resultMessage,
  startScriptedServer,
  startStream,
  TEXT,
  waitUntil,
} from './client-peer.js';

const call = { name: 'a', arguments: {} };
const reconnect = { initialDelayMs: 20, maxDelayMs: 50 };
const message = (data: string): object => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data },
});

/** A client that records the notifications that it receives. */
async function listener(url: string, heard: string[], options = {}) {
  return connectTestClient(
    ['2025-11-25'],
    { url, reconnect, ...options },
    { notifications: { 'notifications/message': ({ data }) => void heard.push(data as string) } },
  );
}

describe('the stream of an answer', () => {
  test('is resumed after the last event', async () => {
    const { url, seen } = await startScriptedServer(
      sessionScript(({ verb, headers, message: asked }, response) => {
        if (verb === 'POST') {
          startStream(response);
          id = asked.id;
          sendEvent(response, '', 'e0');
          sendEvent(response, message('one'), 'e1');
          // The end of the second is lost on the way.
          response.write(`id: e2\ndata: ${JSON.stringify(message('two'))}\n`);
          setTimeout(() => response.destroy(), 50);
        } else if (headers['last-event-id'] === 'e1') {
          startStream(response);
          sendEvent(response, message('two'), 'e2');
          setTimeout(() => response.destroy(), 50);
        } else if (headers['last-event-id'] === 'e2') {
          startStream(response);
          sendEvent(response, message('three'), 'e3');
          sendEvent(response, resultMessage(id, TEXT), 'e4');
          response.end();
        } else response.writeHead(405).end();
      }),
    );
    let id: number | string | undefined;
    const heard: string[] = [];
    const { client } = await listener(url, heard);
    await client.callTool(call);
    expect(heard).toEqual(['one', 'two', 'three']);
    const resumed = seen.filter(({ headers }) => headers['last-event-id'] !== undefined);
    expect(resumed.map(({ headers }) => headers['mcp-session-id'])).toEqual(['session-1', 'session-1']);
  });

  test('is requested again when the server says', async () => {
    let closedAt = 0;
    let askedAt = 0;
    let id: number | string | undefined;
    const { url } = await startScriptedServer(
      sessionScript(({ verb, headers, message: asked }, response) => {
        if (verb === 'POST') {
          id = asked.id;
          startStream(response);
          response.write('retry: 400\n');
          sendEvent(response, '', 'e0');
          setTimeout(() => {
            closedAt = performance.now();
            response.end();
          }, 20);
        } else if (headers['last-event-id'] === 'e0') {
          askedAt = performance.now();
          startStream(response);
          sendEvent(response, resultMessage(id, TEXT), 'e1');
          response.end();
        } else response.writeHead(405).end();
      }),
    );
    const { client } = await listener(url, []);
    await client.callTool(call);
    expect(askedAt - closedAt).toBeGreaterThan(390);
  });

  test('fails the call if it cannot be resumed', async () => {
    let withId = false;
    let status = 404;
    const { url, seen } = await startScriptedServer(
      sessionScript(({ verb, headers }, response) => {
        if (verb === 'POST') {
          startStream(response);
          sendEvent(response, message('one'), withId ? 'e0' : undefined);
          setTimeout(() => response.destroy(), 20);
        } else response.writeHead(headers['last-event-id'] === undefined ? 405 : status).end('no');
      }),
    );
    const { client } = await listener(url, []);
    expect((await rejectionOf(client.callTool(call))).message).toContain('the stream ended before the response');
    withId = true;
    const error = await rejectionOf(client.callTool(call), HttpError);
    expect(error.message).toContain('404, the stream broke off, and the server does not resume it: no');
    status = 503;
    expect((await rejectionOf(client.callTool(call))).message).toContain(
      'gave up after 5 failed attempts to resume it',
    );
    expect(seen.filter(({ headers }) => headers['last-event-id'] === 'e0')).toHaveLength(6);
  });

  test('is let go of when nobody waits any more', async () => {
    const { url, seen } = await startScriptedServer(
      sessionScript(({ verb, headers, message: { method } }, response) => {
        if (method === 'tools/call' || headers['last-event-id'] !== undefined) {
          startStream(response);
          sendEvent(response, '', 'e0');
          response.end();
        } else response.writeHead(verb === 'GET' ? 405 : 202).end();
      }),
    );
    const { client } = await listener(url, []);
    await rejectionOf(client.callTool(call, { timeout: 300 }));
    const resumed = (): number => seen.filter(({ headers }) => headers['last-event-id'] !== undefined).length;
    expect(resumed()).toBeGreaterThan(1);
    await waitUntil(() => seen.some(({ message: { method } }) => method === 'notifications/cancelled'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const after = resumed();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(resumed()).toBe(after);
  });
});

describe("the server's own stream", () => {
  test('is resumed', async () => {
    const heard: string[] = [];
    const { url, seen } = await startScriptedServer(
      sessionScript(({ verb, headers }, response) => {
        if (verb !== 'GET') {
          response.writeHead(202).end();
          return;
        }
        startStream(response);
        const at = Number((headers['last-event-id'] as string | undefined)?.slice(1) ?? 0);
        sendEvent(response, message(`n${at + 1}`), `e${at + 1}`);
        if (at < 3) setTimeout(() => (at === 1 ? response.end() : response.destroy()), 20);
      }),
    );
    await listener(url, heard);
    await waitUntil(() => heard.length === 4);
    expect(heard).toEqual(['n1', 'n2', 'n3', 'n4']);
    expect(seen.filter(({ verb }) => verb === 'GET')).toHaveLength(4);
  });

  test('ends with an error after some failed attempts', async () => {
    const { url, seen } = await startScriptedServer(
      sessionScript(({ verb }, response) => {
        if (verb !== 'GET') response.writeHead(202).end();
        else {
          startStream(response);
          response.end();
        }
      }),
    );
    const { events } = await listener(url, []);
    await waitUntil(() => events.some(({ kind }) => kind === 'transportFailed'));
    const attempt = ['reconnecting', 'streamResumed'];
    expect(events.map((one) => (one.kind === 'transportFailed' ? String(one.error) : one.kind))).toEqual([
      ...[attempt, attempt, attempt, attempt, attempt].flat(),
      'gaveUp',
      expect.stringContaining("gave up the server's own stream after 5 failed attempts"),
    ]);
    expect(seen.filter(({ verb }) => verb === 'GET')).toHaveLength(6);
  });

  test('begins anew with a new session', async () => {
    let session = 1;
    const streams: ServerResponse[] = [];
    const heard: string[] = [];
    const { url } = await startScriptedServer((seen, response) => {
      const current = `session-${session}`;
      if (seen.message.method !== 'initialize' && seen.headers['mcp-session-id'] !== current)
        response.writeHead(404).end();
      else
        void sessionScript(({ verb, message: asked }, to) => {
          if (verb === 'GET') {
            startStream(to);
            streams.push(to);
            sendEvent(to, message(current), `${current}-1`);
          } else sendJson(to, resultMessage(asked.id, TEXT));
        }, current)(seen, response);
    });
    const { client, transport } = await listener(url, heard);
    await waitUntil(() => heard.length === 1);
    session = 2;
    // The stream of the old session ends, and asking for its rest shows that there is no such session.
    streams[0]?.end();
    await waitUntil(() => heard.length === 2);
    expect([heard, transport.sessionId]).toEqual([['session-1', 'session-2'], 'session-2']);
    await client.callTool(call);
  });
});
