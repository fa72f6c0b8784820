/** What hostile or careless clients do to processes that share sessions. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { openAt, SHORT_LEASE, startProcesses } from './cluster-support.js';
import { request } from './server-support.js';

const bodyOf = ({ body }: Response) => (body as ReadableStream<Uint8Array>).getReader();

describe('a client that does not read what another process answers', () => {
  test('is disconnected after the stall timeout, even if the owner has sent everything', async () => {
    const [a, b] = startProcesses({ stallTimeout: 100, ...SHORT_LEASE });
    const session = await openAt(a);
    const response = await session.callAt(b, 1, 'bulk', { bytes: 200_000, announced: true });
    const reader = bodyOf(response);
    await reader.read();
    await vi.waitFor(() => {
      expect(a.handler.load.open).toBe(0);
    });
    await delay(900);
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

describe('a session that its client ends', () => {
  test('is not taken up again by a call that arrives while it is removed', async () => {
    const [a, b] = startProcesses();
    const session = await openAt(a);
    a.link.before = (operation) => (operation === 'sessions.delete' ? delay(200) : undefined);
    const ended = session.deleteAt(a);
    await delay(20);
    const late = await Promise.all([a, b, a].map((process, id) => session.postTo(process, request(id, 'ping'))));
    expect((await ended).status).toBe(204);
    expect(late.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(a.handler.load.sessions).toBe(0);
  });

  test('has not ended while the store cannot remove it', async () => {
    const [a, b] = startProcesses();
    const session = await openAt(a);
    let fails = true;
    a.link.before = (operation) => {
      if (operation === 'sessions.delete' && fails) throw new Error('no connection');
    };
    expect((await session.deleteAt(a)).status).toBe(503);
    fails = false;
    expect((await session.deleteAt(a)).status).toBe(204);
    expect((await session.postTo(b, request(1, 'ping'))).status).toBe(404);
  });
});
