import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
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
import { call } from './client-limits-support.js';

const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });

/** A server that pings so often on its own stream, and accepts each answer after a while. */
async function flooding(pings: number, acceptAfter: number | undefined) {
  const counts = { answers: 0, open: 0, most: 0 };
  const { url } = await startScriptedServer(
    sessionScript(({ verb }, response) => {
      if (verb === 'GET') {
        startStream(response);
        for (let id = 1; id <= pings; id += 1) sendEvent(response, ping(id));
        return;
      }
      counts.answers += 1;
      counts.open += 1;
      counts.most = Math.max(counts.most, counts.open);
      response.on('close', () => (counts.open -= 1));
      if (acceptAfter !== undefined) setTimeout(() => response.writeHead(202).end(), acceptAfter);
    }),
  );
  return { url, counts };
}

describe('a server that asks for much at once', () => {
  test('receives all answers over a bounded number of connections', async () => {
    const { url, counts } = await flooding(300, 30);
    const { events } = await connectTestClient(['2025-11-25'], { url });
    await waitUntil(() => counts.answers === 300);
    expect(counts.most).toBeLessThanOrEqual(32);
    expect(events).toEqual([]);
  });

  test('and accepts no answer ends the connection with a reason', async () => {
    const { url, counts } = await flooding(6000, undefined);
    const { client, events } = await connectTestClient(['2025-11-25'], { url });
    await client.closed;
    expect(counts.most).toBeLessThanOrEqual(32);
    const reasons = events.map((one) => (one.kind === 'transportFailed' ? String(one.error) : one.kind));
    expect(new Set(reasons)).toEqual(
      new Set([
        `HttpError: POST ${url}: the server sends requests faster than it accepts responses: 4096 messages wait to be sent`,
      ]),
    );
    expect(reasons.length).toBeLessThan(3);
  });
});

describe('calls beyond maxConcurrentCalls', () => {
  test('are queued', async () => {
    let asked = 0;
    let open = 0;
    let most = 0;
    const waiting = new Map<number, { readonly id: unknown; readonly response: ServerResponse }>();
    const { url } = await startScriptedServer(
      sessionScript(({ verb, message: came }, response) => {
        if (verb === 'GET') response.writeHead(405).end();
        else if (came.method === 'tools/call') {
          most = Math.max(most, (open += 1));
          // Each call waits for the answer to a request of the server.
          asked += 1;
          waiting.set(asked, { id: came.id, response });
          startStream(response);
          sendEvent(response, {
            jsonrpc: '2.0',
            id: asked,
            method: 'elicitation/create',
            params: { message: 'who', requestedSchema: { type: 'object', properties: {} } },
          });
        } else {
          response.writeHead(202).end();
          const one = waiting.get(came.id as number);
          if (one === undefined) return;
          open -= 1;
          sendEvent(one.response, resultMessage(one.id as number, TEXT));
          one.response.end();
        }
      }),
    );
    const { client } = await connectTestClient(
      ['2025-11-25'],
      { url, maxConcurrentCalls: 2 },
      { handlers: { 'elicitation/create': () => ({ action: 'decline' }) } },
    );
    const answers = await Promise.all(Array.from({ length: 9 }, () => client.callTool(call)));
    expect(answers).toHaveLength(9);
    expect(most).toBe(2);
  });

  test('are not sent if they are cancelled before', async () => {
    const held: { readonly id: unknown; readonly response: ServerResponse }[] = [];
    const { url, seen } = await startScriptedServer(
      sessionScript(({ verb, message: came }, response) => {
        if (verb === 'GET') response.writeHead(405).end();
        else if (came.method === 'tools/call') held.push({ id: came.id, response });
        else response.writeHead(202).end();
      }),
    );
    const { client } = await connectTestClient(['2025-11-25'], { url, maxConcurrentCalls: 1 });
    const first = client.callTool(call);
    await waitUntil(() => held.length === 1);
    const controller = new AbortController();
    const second = client.callTool(call, { signal: controller.signal });
    const third = client.callTool(call);
    controller.abort(new Error('not wanted'));
    expect((await rejectionOf(second)).message).toBe('not wanted');
    const answer = (index: number): void => {
      const one = held[index];
      if (one !== undefined) sendJson(one.response, resultMessage(one.id as number, TEXT));
    };
    answer(0);
    await waitUntil(() => held.length === 2);
    answer(1);
    await Promise.all([first, third]);
    const sent = seen.map(({ message: { method } }) => method);
    expect(sent.filter((method) => method === 'tools/call')).toHaveLength(2);
    // What was never sent is not cancelled either.
    expect(sent).not.toContain('notifications/cancelled');
  });

  test('reject an invalid limit', () => {
    expect(() => httpClientTransport({ url: 'http://127.0.0.1:1', maxConcurrentCalls: 0 })).toThrow(
      'maxConcurrentCalls must be at least 1, not 0',
    );
  });
});
