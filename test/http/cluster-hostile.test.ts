/** What hostile or careless clients do to processes that share sessions. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryCluster } from '../../generated/runtime/http-server.js';
import { openAt, SHORT_LEASE, startProcesses, withMailboxMethod } from './cluster-support.js';
import { fixtureServer, request } from './server-support.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

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

test('an answer of another process that cannot be passed on is an error at once', async () => {
  const shared = withMailboxMethod(
    memoryCluster(),
    'send',
    (send) => (address, mail) =>
      send(address, mail.includes('"kind":"respond"') ? mail.replace('content-type', 'no header') : mail),
  );
  // The official SDK's server replaces it by one that checks headers later.
  vi.stubGlobal('Response', (await fetch('data:,')).constructor);
  // Otherwise it would be noticed with the next ping, a quarter of a lease later.
  const [a, b] = startProcesses({ shared, clusterLimits: { lease: 60_000 } });
  const session = await openAt(a);
  const answered = session.callAt(b, 1, 'echo').then((response) => response.json());
  expect(await Promise.race([answered, delay(10_000)])).toMatchObject({ id: 1, error: { code: -32603 } });
  expect(b.events).toContainEqual({ kind: 'failed', error: expect.any(TypeError) as unknown });
});

test('a session outlives a server that could not be created when it was taken over', async () => {
  let fails = false;
  const server = () => {
    if (fails) throw new RangeError('no connection left');
    return fixtureServer({ aborted: [] });
  };
  const [a, b, c] = startProcesses({ server, ...SHORT_LEASE });
  const session = await openAt(a);
  // Each process has a server that says which revisions there are.
  expect((await session.callAt(b, 0, 'echo')).status).toBe(200);
  await a.link.die();
  fails = true;
  expect((await session.callAt(b, 1, 'echo')).status).toBe(500);
  fails = false;
  expect(await (await session.callAt(c, 2, 'echo')).json()).toMatchObject({ id: 2, result: {} });
});
