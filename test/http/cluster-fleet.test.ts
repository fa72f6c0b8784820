/** What processes share in addition to sessions: limits, notifications, a store that fails, and the end of each. */
import { describe, expect, test, vi } from 'vitest';
import { createServer } from '../../generated/2026-07-28/server.js';
import { memoryCluster } from '../../generated/runtime/http-server.js';
import {
  ALL_REVISIONS,
  fixtureServer,
  messagesOf,
  post,
  readEvents,
  request,
  sendStateless,
  type SseFields,
} from './server-support.js';
import { INITIALIZED, LEASE, openAt, SHORT_LEASE, startProcesses, type Process } from './cluster-support.js';

const ANSWER = { result: { content: [{ type: 'text', text: '{}' }] } };
const INITIALIZE = request(0, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'guest', version: '1' },
});
const withData = (events: readonly SseFields[]) => events.filter(({ data }) => (data as string | undefined) !== '');
const runs = (process: Process) =>
  vi.waitFor(() => {
    expect(process.handler.load.open).toBe(1);
  });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('limits', () => {
  test('of sessions hold for all processes together', async () => {
    const [a, b, c] = startProcesses({ sessions: { max: 3 } });
    for (const process of [a, b, c]) expect((await openAt(process)).opened.status).toBe(200);
    for (const process of [a, b, c]) {
      const { opened } = await openAt(process);
      expect([opened.status, opened.headers.get('retry-after')]).toEqual([503, '1']);
    }
  });

  test('of sessions are shared between principals', async () => {
    const [a, b, c] = startProcesses({
      sessions: { max: 10 },
      authorize: { verify: (token: string) => ({ principal: token }) },
    });
    const open = (process: Process, name: string) => openAt(process, { headers: { authorization: `Bearer ${name}` } });
    const statuses: number[] = [];
    for (const process of [a, b, c, a, b, c, a, b, c, a]) statuses.push((await open(process, 'rose')).opened.status);
    expect(statuses).toEqual([...Array<number>(8).fill(200), 503, 503]);
    expect((await open(c, 'thorn')).opened.status).toBe(200);
  });

  test('do not count a session that was deleted elsewhere', async () => {
    const [a, b] = startProcesses({ sessions: { max: 1 } });
    const session = await openAt(a);
    await session.deleteAt(b);
    expect((await openAt(b)).opened.status).toBe(200);
  });

  test('of handlers are divided by the processes that are alive', async () => {
    const shared = memoryCluster();
    const [a] = startProcesses({
      shared,
      ...SHORT_LEASE,
      servers: (seen) => fixtureServer(seen, { maxConcurrentRequests: 6 }),
    });
    await vi.waitFor(async () => {
      expect(await shared.mailbox.list()).toHaveLength(3);
    });
    await pause(LEASE / 2);
    const { callAt } = await openAt(a);
    for (const id of [1, 2]) void callAt(a, id, 'hang');
    await pause(20);
    expect(await (await callAt(a, 3, 'echo')).json()).toMatchObject({ id: 3, error: { message: 'Server busy' } });
  });

  test('of open requests are divided by the processes that are alive', async () => {
    const shared = memoryCluster();
    const [a] = startProcesses({ shared, maxOpen: 6, ...SHORT_LEASE });
    // As soon as it knows the others.
    await vi.waitFor(async () => {
      expect(await shared.mailbox.list()).toHaveLength(3);
    });
    await pause(LEASE / 2);
    const { callAt } = await openAt(a);
    // The handling of the first request has ended by then.
    await pause(5);
    for (const id of [1, 2]) void callAt(a, id, 'hang');
    await vi.waitFor(() => {
      expect(a.handler.load.open).toBe(2);
    });
    expect((await callAt(a, 3, 'echo')).status).toBe(503);
  });
});

describe('notifications for all clients', () => {
  test('reach sessions of every process, once', async () => {
    const processes = startProcesses();
    const streams: Response[] = [];
    for (const process of processes) {
      const session = await openAt(process);
      await session.postTo(process, INITIALIZED);
      streams.push(await session.getFrom(process));
    }
    processes[1].server.notify('notifications/tools/list_changed');
    await pause(50);
    for (const process of processes) process.server.notify('notifications/tools/list_changed');
    for (const stream of streams) {
      const messages = messagesOf(withData(await readEvents(stream, 5)));
      expect(messages.map(({ method }) => method)).toEqual(Array(4).fill('notifications/tools/list_changed'));
    }
  });

  test('reach subscriptions of 2026-07-28 at every process', async () => {
    const processes = startProcesses();
    const streams = await Promise.all(
      processes.map(({ handler }, index) =>
        sendStateless(handler, index, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
      ),
    );
    processes[2].server.notify('notifications/tools/list_changed');
    for (const stream of streams) {
      const messages = messagesOf(await readEvents(stream, 2));
      expect(messages.map(({ method }) => method)).toEqual([
        'notifications/subscriptions/acknowledged',
        'notifications/tools/list_changed',
      ]);
    }
  });

  test('are not passed on twice between handlers of one server', async () => {
    const server = fixtureServer();
    const [a, b] = startProcesses({ servers: () => server });
    const listening = await sendStateless(a.handler, 1, 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    const reading = readEvents(listening);
    b.server.notify('notifications/tools/list_changed');
    await pause(50);
    await a.handler.close();
    const changes = messagesOf(await reading).filter(({ method }) => method === 'notifications/tools/list_changed');
    expect(changes).toHaveLength(1);
  });
});

describe('a store that does not answer', () => {
  const fails = [
    ['fails', () => Promise.reject(new Error('the store is gone'))],
    ['hangs', () => new Promise<void>(() => undefined)],
  ] as const;

  test.each(fails)('and %s: what needs it is answered with 503, and local sessions go on', async (_how, before) => {
    const [a, b] = startProcesses({ clusterLimits: { lease: 20 * LEASE, timeout: 50 } });
    const session = await openAt(a);
    await session.postTo(a, INITIALIZED);
    for (const { link } of [a, b]) link.before = before;
    const refused = await session.callAt(b, 1, 'echo');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ error: { message: 'the session store is not available' } });
    const opened = await post(b.handler, INITIALIZE);
    expect([opened.status, opened.headers.get('retry-after')]).toEqual([503, '1']);
    const level = await session.postTo(a, request(2, 'resources/subscribe', { uri: 'bed:1' }));
    expect([level.status, level.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await level.json()).toMatchObject({ id: 2, error: { message: 'the session store is not available' } });
    // The session of this process needs no store.
    expect(await (await session.callAt(a, 3, 'echo')).json()).toMatchObject({ id: 3, ...ANSWER });
    const counted = messagesOf(await readEvents(await session.callAt(a, 4, 'count')));
    expect(counted.at(-1)).toMatchObject({ id: 4 });
    expect(b.events.filter(({ kind }) => kind === 'storeFailed').length).toBeGreaterThan(0);
    // Recovers by itself, with what could not be stored.
    for (const { link } of [a, b]) link.before = () => undefined;
    await vi.waitFor(async () => {
      expect(await (await session.callAt(b, 5, 'echo')).json()).toMatchObject({ id: 5, ...ANSWER });
    });
    await pause(700);
    await a.link.die();
    expect((await session.callAt(b, 6, 'echo')).status).toBe(200);
    const [, event] = await readEvents(
      await (async () => {
        const listening = await session.getFrom(b);
        b.server.notify('notifications/resources/updated', { uri: 'bed:1' });
        return listening;
      })(),
      2,
    );
    expect(event?.data).toContain('notifications/resources/updated');
  });

  test('an unknown outcome of a forwarded call is an error, not a second try', async () => {
    const [a, b] = startProcesses();
    const session = await openAt(a);
    expect((await session.callAt(b, 1, 'echo')).status).toBe(200);
    b.link.before = (operation) => {
      if (operation === 'mailbox.send') throw new Error('the store is gone');
    };
    expect(await (await session.callAt(b, 2, 'echo')).json()).toMatchObject({ id: 2, error: { code: -32603 } });
  });

  test('broken mail is ignored', async () => {
    const shared = memoryCluster();
    const [a] = startProcesses({ shared });
    const session = await openAt(a);
    const [address = ''] = await shared.mailbox.list();
    const broken = [
      'no JSON',
      'null',
      '{"from":1,"messages":[]}',
      '{"from":"x","messages":[null,{},{"kind":"call"},{"kind":"call","call":1,"session":"s","method":"POST"}]}',
      '{"from":"x","messages":[{"kind":"ping","calls":["x"]},{"kind":"read","call":1,"chars":-1},{"kind":"notify"}]}',
      JSON.stringify({
        from: 'x',
        messages: [
          { kind: 'call', call: 1, session: session.id, method: 'POST', target: '/mcp', headers: {}, body: '{' },
        ],
      }),
    ];
    for (const mail of broken) for (const to of await shared.mailbox.list()) await shared.mailbox.send(to, mail);
    expect(address).not.toBe('');
    expect(await (await session.callAt(a, 1, 'echo')).json()).toMatchObject(ANSWER);
  });
});

describe('draining', () => {
  test('hands sessions over without an error', async () => {
    const [a, b, c] = startProcesses({ resumability: { retry: 250 } });
    const sessions = await Promise.all([a, a, a].map((process) => openAt(process)));
    for (const session of sessions) await session.postTo(a, INITIALIZED);
    const [first, second, third] = sessions as [(typeof sessions)[0], (typeof sessions)[0], (typeof sessions)[0]];
    const listening = await second.getFrom(b);
    const slow = first.callAt(a, 1, 'slow');
    await runs(a).catch(() => undefined);
    const drained = a.handler.drain();
    expect((await readEvents(listening)).at(-1)?.retry).toBe('250');
    // The request that runs is answered where it began; later ones go to another process.
    expect(await (await first.callAt(c, 2, 'echo')).json()).toMatchObject({ id: 2, ...ANSWER });
    expect(await (await second.callAt(a, 3, 'echo')).json()).toMatchObject({ id: 3, ...ANSWER });
    expect(await (await third.callAt(b, 4, 'echo')).json()).toMatchObject({ id: 4, ...ANSWER });
    expect(await (await slow).json()).toMatchObject({ id: 1, ...ANSWER });
    await drained;
    for (const [index, session] of sessions.entries())
      for (const process of [b, c])
        expect(await (await session.callAt(process, index + 10, 'echo')).json()).toMatchObject(ANSWER);
    expect(a.seen.aborted).toEqual([]);
    expect(b.handler.load.sessions + c.handler.load.sessions).toBe(3);
  });

  test('hands over streams and what waits for the client', async () => {
    const [a, b] = startProcesses();
    const session = await openAt(a);
    await session.postTo(a, INITIALIZED);
    const events = await readEvents(await session.callAt(a, 1, 'count'));
    a.server.notify('notifications/tools/list_changed');
    await a.handler.drain();
    const resumed = await session.getFrom(b, { 'last-event-id': events[0]?.id ?? '' });
    expect(await readEvents(resumed)).toEqual(events.slice(1));
    const waiting = messagesOf(withData(await readEvents(await session.getFrom(b), 2)));
    expect(waiting).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
  });

  test('waits for calls that it has forwarded', async () => {
    const [a, b] = startProcesses();
    const session = await openAt(a);
    const slow = session.callAt(b, 1, 'slow');
    await runs(a);
    await b.handler.drain();
    expect(await (await slow).json()).toMatchObject({ id: 1, ...ANSWER });
  });
});

describe('expiry', () => {
  test('sessions live while they are used, and end in the store too', async () => {
    const shared = memoryCluster();
    const [a, b] = startProcesses({
      shared,
      sessions: { idleTimeout: 400 },
      keepAlive: 100,
      ...SHORT_LEASE,
    });
    const session = await openAt(a);
    await session.postTo(b, INITIALIZED);
    // Longer than its record would live if that were not extended.
    for (let index = 0; index < 13; index += 1) {
      await pause(150);
      expect((await session.postTo(b, request(index, 'ping'))).status).toBe(200);
    }
    await vi.waitFor(async () => {
      expect(await shared.sessions.usage('')).toEqual({ total: 0, held: 0 });
    }, 3000);
    expect((await session.postTo(b, request(9, 'ping'))).status).toBe(404);
  });
});

test('a session of a revision that the next process does not have begins again', async () => {
  const shared = memoryCluster();
  const [a] = startProcesses({ shared });
  const [b] = startProcesses({
    shared,
    servers: () =>
      createServer({
        info: { name: 'garden', version: '2.0.0' },
        revisions: ALL_REVISIONS.filter(({ version }) => version !== '2025-06-18'),
        handlers: {},
      }),
  });
  const session = await openAt(a, { version: '2025-06-18' });
  await a.link.die();
  expect((await session.postTo(b, request(1, 'ping'), { 'mcp-protocol-version': '2025-06-18' })).status).toBe(404);
});
