import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import process from 'node:process';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpError } from '../../generated/runtime/http-client.js';
import { connectTestClient, rejectionOf, resultMessage, startStream, createTestClient } from './client-peer.js';
import { call, unhandled, note, flood, serveAnswer } from './client-hostile-support.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => {
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

describe('answers without end', () => {
  test.each([
    ['nothing at all', ''],
    ['comments', ': still here\n\n'],
    ['events that say nothing', 'data:\n\n'],
    [
      'notifications',
      'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\n\n',
    ],
    ['what is no JSON', 'data: {"jsonrpc":\n\n'],
    ['what is no message', 'data: [1,2]\n\ndata: 5\n\ndata: {"jsonrpc":"1.0"}\n\n'],
    ['answers to others', 'data: {"jsonrpc":"2.0","id":77,"result":{}}\n\n'],
  ])('%s: the call times out without a leak', async (_, chunk) => {
    const { url } = await serveAnswer((response) => {
      startStream(response);
      if (chunk !== '') void flood(response, chunk.repeat(20));
    });
    const { client } = await connectTestClient(['2026-07-28'], { url }, { onEvent: () => undefined });
    const before = process.memoryUsage().heapUsed;
    expect((await rejectionOf(client.callTool(call, { timeout: 500 }))).name).toBe('TimeoutError');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(128 * 1024 * 1024);
  });
});

describe('answers that are invalid', () => {
  test('10,000 of them leave nothing behind', { timeout: 240_000 }, async () => {
    const bodies = fc.sample(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.json(),
        fc.json().map((text) => `data: ${text}\n\n`),
        fc.json().map((text) => `id: 1\r\ndata: ${text}\rretry: 1\n\n`),
        fc.string().map((text) => `event: ${text}\ndata: ${text}\n\n`),
        fc.constantFrom('data: {"jsonrpc":"2.0","id":null,"result":{}}\n\n', '\ufeff', '\n\n\n', 'data\n\n'),
      ),
      10_000,
    );
    let at = 0;
    const { client, transport } = createTestClient(['2026-07-28'], {
      url: 'http://localhost/',
      // No sockets: what comes is what matters.
      fetch: (_, init) => {
        const { method, id } = JSON.parse(init?.body as string) as { method: string; id: number };
        if (method === 'server/discover')
          return Promise.resolve(
            Response.json(
              resultMessage(id, {
                resultType: 'complete',
                supportedVersions: ['2026-07-28'],
                capabilities: {},
                ttlMs: 0,
                cacheScope: 'private',
              }),
            ),
          );
        const body = bodies[at] ?? '';
        at += 1;
        const type = at % 2 === 0 ? 'application/json' : 'text/event-stream';
        return Promise.resolve(new Response(body, { headers: { 'content-type': type } }));
      },
    });
    await client.connect(transport);
    const measured: number[] = [];
    for (let round = 0; round < 100; round += 1) {
      const errors = await Promise.all(bodies.slice(0, 100).map(() => rejectionOf(client.callTool(call))));
      expect(errors.every((error) => error instanceof HttpError)).toBe(true);
      if (round % 10 === 9) {
        collectGarbage();
        measured.push(process.memoryUsage().heapUsed);
      }
    }
    expect(at).toBe(10_000);
    expect(client.inFlight).toEqual({ inbound: 0, outbound: 0 });
    // 9,000 answers that were held would be far more, at 1 KiB for each.
    expect((measured.at(-1) ?? 0) - (measured[0] ?? 0)).toBeLessThan(4 * 1024 * 1024);
  });
});
