import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { serveHttp } from '../../generated/runtime/http-node.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import { HttpLoad } from '../support/http-load.js';
import { fixtureServer } from './server-support.js';

// A small one of what `npm run soak:http` does for longer.

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapAfter(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

test.each([
  { revision: '2025-11-25', isModern: false },
  { revision: '2026-07-28', isModern: true },
])('$revision: serves 2,000 calls over 50 connections', { timeout: 120_000 }, async ({ isModern }) => {
  const handler = createHttpHandler({
    server: () =>
      fixtureServer(undefined, {
        handlers: {
          'tools/call': ({ arguments: args }) => ({ content: [{ type: 'text', text: String(args?.['text']) }] }),
        },
      }),
  });
  const listening = await serveHttp(handler, { port: 0 });
  const round = async (): Promise<number> => {
    const load = new HttpLoad(listening.url, isModern, 50);
    await load.open();
    expect(handler.load.sessions).toBe(isModern ? 0 : 50);
    const times = await load.run(1_000);
    await load.close();
    return times.length;
  };
  try {
    const done = [await round()];
    const before = heapAfter();
    done.push(await round());
    expect(done).toEqual([1_000, 1_000]);
    expect(handler.load).toEqual({ sessions: 0, open: 0 });
    // 50 sessions or 1,000 calls that were held would be more, were it 2 KiB for each call.
    expect(heapAfter() - before).toBeLessThan(2 * 2 ** 20);
  } finally {
    await listening.close();
  }
});
