import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpError } from '../../generated/runtime/http-client.js';
import { connectTestClient, rejectionOf, sendJson, startScriptedServer, statelessScript } from './client-peer.js';
import type { ReceivedMessage } from './client-peer.js';
import { reconnect, call, kindsOf, answerTo, startRestartingServer } from './client-retry-support.js';

test('a server that closes idle connections after a second loses no request', async () => {
  const received: string[] = [];
  const server = createHttpServer({ keepAliveTimeout: 1000 }, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const message = JSON.parse(body) as ReceivedMessage;
      received.push(message.method ?? '');
      sendJson(response, answerTo(message), 200, { 'keep-alive': 'timeout=600' });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { client } = await connectTestClient(['2026-07-28'], { url });
  for (const pauseMs of [990, 1000, 1010]) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    // Blocks, so that the end of the connection is noticed only after the request is written.
    const end = performance.now() + 30;
    while (performance.now() < end);
    await Promise.all([client.listTools(), client.listPrompts()]);
  }
  expect(received.filter((method) => method === 'tools/list').length).toBeGreaterThanOrEqual(3);
});

describe('a server that restarts', () => {
  test('fails its calls after some attempts, and the client connects again later', async () => {
    const server = await startRestartingServer();
    const { client, events } = await connectTestClient(['2026-07-28'], {
      url: server.url,
      reconnect: { ...reconnect, maxAttempts: 3 },
    });
    await client.callTool(call);
    await server.stop();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const error = await rejectionOf(client.callTool(call), HttpError);
    expect(error.message).toContain('ECONNREFUSED');
    expect(kindsOf(events)).toEqual(['reconnecting', 'reconnecting', 'reconnecting', 'gaveUp']);
    const delays = events.map((one) => (one.kind === 'reconnecting' ? one.delayMs : 0));
    expect(delays[2]).toBeGreaterThanOrEqual(40);
    expect(delays[2]).toBeLessThanOrEqual(80);
    await server.start();
    await client.callTool(call);
  });

  test('does not keep a call that is aborted, times out or whose client closes', async () => {
    const server = await startRestartingServer();
    const { client } = await connectTestClient(['2026-07-28'], {
      url: server.url,
      reconnect: { initialDelayMs: 20_000 },
    });
    await client.callTool(call);
    await server.stop();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const since = performance.now();
    const reason = new Error('enough');
    await expect(client.callTool(call, { signal: abortedSoon(reason) })).rejects.toBe(reason);
    expect((await rejectionOf(client.callTool(call, { timeout: 50 }))).name).toBe('TimeoutError');
    const closed = rejectionOf(client.callTool(call));
    setTimeout(() => void client.close(), 50);
    expect((await closed).name).toBe('ConnectionClosedError');
    expect(performance.now() - since).toBeLessThan(9000);
  });
});

function abortedSoon(reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => {
    controller.abort(reason);
  }, 50);
  return controller.signal;
}

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

  test.each([
    ['seconds', 1, () => '1'],
    ['a date', 0.5, () => new Date(Date.now() + 2000).toUTCString()],
  ])('as %s delays a call with status 429', async (_, seconds, retryAfter) => {
    const { url, times } = await startBusyServer(429, retryAfter, 1);
    const { client, events } = await connectTestClient(['2026-07-28'], { url });
    await client.callTool(call);
    expect(times).toHaveLength(2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(seconds * 1000 - 5);
    expect(events).toEqual([
      { kind: 'requestRetried', method: 'tools/call', reason: 'serverBusy', delayMs: expect.any(Number) as number },
    ]);
  });

  test('is honored as often as maxAttempts, with growing delays', async () => {
    const { url, times } = await startBusyServer(429, () => '0', 100);
    const { client } = await connectTestClient(['2026-07-28'], { url, reconnect: { maxAttempts: 3 } });
    expect((await rejectionOf(client.listTools(), HttpError)).status).toBe(429);
    expect(times).toHaveLength(4);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps[0]).toBeGreaterThan(95);
    expect(gaps[1]).toBeGreaterThan(195);
    expect(gaps[2]).toBeGreaterThan(395);
  });
});
