/** What hostile or careless clients do to processes that share sessions. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { openAt, startProcesses } from './cluster-support.js';
import { request } from './server-support.js';

const bodyOf = ({ body }: Response) => (body as ReadableStream<Uint8Array>).getReader();

describe('a client that does not read what another process answers', () => {
  test('is disconnected after the stall timeout, even if the owner has sent everything', async () => {
    const [a, b] = startProcesses({ stallTimeout: 100 });
    const session = await openAt(a);
    const response = await session.callAt(b, 1, 'bulk', { bytes: 200_000, announced: true });
    const reader = bodyOf(response);
    await reader.read();
    await vi.waitFor(() => {
      expect(a.handler.load.open).toBe(0);
    });
    await delay(600);
    const rest = async () => {
      for (;;) if ((await reader.read()).done) return 'complete';
    };
    await expect(rest()).rejects.toThrow();
  });

  test('does not keep others out: it is disconnected when memory is short', async () => {
    const [a, b] = startProcesses({ maxUnreadBytes: 400_000 });
    const session = await openAt(a);
    const unread: Response[] = [];
    for (let call = 1; call <= 3; call += 1)
      unread.push(await session.callAt(b, call, 'bulk', { bytes: 200_000, announced: true }));
    await delay(50);
    expect((await session.postTo(b, request(8, 'ping'))).status).toBe(503);
    await vi.waitFor(
      async () => {
        expect((await session.postTo(b, request(9, 'ping'))).status).toBe(200);
      },
      { timeout: 4000, interval: 100 },
    );
    expect(unread).toHaveLength(3);
  });
});
