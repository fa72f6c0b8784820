import { expect, test } from 'vitest';
import { serveHttp } from '../../generated/runtime/http-node.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import { emit, runReaders, type ReadersPlan } from '../support/http-readers.js';
import { fetchWire, socketWire } from '../support/http-wire.js';
import { fixtureServer } from './server-support.js';

// A small one of what `npm run soak:http:readers` does for longer.

const STREAM_AFTER = 100;
const PLAN: ReadersPlan = {
  seed: 1,
  duration: 500,
  minCalls: 4,
  pause: 20,
  slowTime: 400,
  streamAfter: STREAM_AFTER,
  patience: 60_000,
  stallEvery: 300,
  stallTime: 0,
  maxSize: 3_000_000,
  readers: ['fast', 'slow', 'slow, large', 'stalled', 'dropped'],
};

test.each(['node', 'fetch'] as const)(
  '%s: clients that read are served next to clients that do not',
  async (binding) => {
    const handler = createHttpHandler({
      server: () =>
        fixtureServer(undefined, {
          handlers: {
            'tools/call': ({ arguments: args }, context) =>
              emit(args, (done, total, message) => {
                context.progress(done, total, message);
              }),
          },
        }),
      authorize: { verify: (token) => ({ principal: token }) },
      sse: true,
      streamAfter: STREAM_AFTER,
    });
    const listening = binding === 'node' ? await serveHttp(handler, { port: 0 }) : undefined;
    try {
      const wire = listening === undefined ? () => fetchWire(handler) : () => socketWire(listening.url);
      const tallies = await runReaders(wire, PLAN);
      const reading = tallies.filter(({ reader }) => reader !== 'stalled');
      const lost = reading.flatMap(({ lane, reader, lost }) => lost.map((reason) => `${lane}, ${reader}: ${reason}`));
      expect(lost).toEqual([]);
      for (const { calls, results, left } of reading) expect(results + left).toBe(calls);
      expect(reading.reduce((total, { resumed }) => total + resumed, 0)).toBeGreaterThan(0);
      // The server sees a little later that a client went away.
      await expect.poll(() => handler.load, { timeout: 10_000 }).toEqual({ sessions: 0, open: 0 });
    } finally {
      await listening?.close();
      await handler.close();
    }
  },
);
