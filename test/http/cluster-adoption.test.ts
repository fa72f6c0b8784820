/** A process that ends, or is taken for dead: another one goes on with its sessions. */
import { describe, expect, test, vi } from 'vitest';
import { memoryCluster } from '../../generated/runtime/http-server.js';
import { fixtureServer, messagesOf, readEvents, request, type SseFields } from './server-support.js';
import { INITIALIZED, LEASE, openAt, SHORT_LEASE, startProcesses, type Process } from './cluster-support.js';

const ANSWER = { result: { content: [{ type: 'text', text: '{}' }] } };
const LOST = { error: { code: -32603, message: 'the process that handled this request has stopped; it may have run' } };
const withData = (events: readonly SseFields[]) => events.filter(({ data }) => (data as string | undefined) !== '');

/** Waits until what a process has appended is stored. */
const stored = () => new Promise((resolve) => setTimeout(resolve, 20));
const runs = (process: Process) =>
  vi.waitFor(() => {
    expect(process.handler.load.open).toBe(1);
  });

describe('a process that dies', () => {
  test('is noticed when its lease has run out: the call that it runs fails, and the session lives on', async () => {
    const [a, b, c] = startProcesses(SHORT_LEASE);
    const session = await openAt(a);
    const hanging = session.callAt(b, 1, 'hang');
    await runs(a);
    const diedAt = performance.now();
    a.link.isDead = true;
    expect(await (await hanging).json()).toMatchObject({ id: 1, ...LOST });
    // A quarter of a lease after it has run out, and what a busy machine needs.
    expect(performance.now() - diedAt).toBeLessThan(1.25 * LEASE + 3000);
    expect(await (await session.callAt(c, 2, 'echo')).json()).toMatchObject({ id: 2, ...ANSWER });
    expect([b, c].map(({ handler }) => handler.load.sessions)).toEqual([0, 1]);
    // Not run again anywhere.
    expect([...b.seen.aborted, ...c.seen.aborted]).toEqual([]);
  });

  test('leaves the log level of its client', async () => {
    const capabilities = { logging: {} };
    const [a, b, c] = startProcesses({
      ...SHORT_LEASE,
      servers: () =>
        fixtureServer(undefined, {
          capabilities,
          handlers: {
            'tools/call': (_params, context) => {
              context.log('info', 'quiet');
              context.log('error', 'loud');
              return { content: [] };
            },
          },
        }),
    });
    const session = await openAt(a);
    await session.postTo(a, INITIALIZED);
    expect((await session.postTo(b, request(1, 'logging/setLevel', { level: 'error' }))).status).toBe(200);
    await a.link.die();
    const messages = messagesOf(withData(await readEvents(await session.callAt(c, 2, 'log'))));
    expect(messages).toMatchObject([{ params: { data: 'loud' } }, { id: 2, result: { content: [] } }]);
  });

  test('leaves what its client has set: subscriptions, capabilities', async () => {
    const [a, b, c] = startProcesses(SHORT_LEASE);
    const session = await openAt(a, { capabilities: { elicitation: { form: {} } } });
    await session.postTo(a, INITIALIZED);
    await session.postTo(a, request(1, 'resources/subscribe', { uri: 'bed:1' }));
    await session.postTo(a, request(2, 'resources/subscribe', { uri: 'bed:2' }));
    await session.postTo(a, request(3, 'resources/unsubscribe', { uri: 'bed:2' }));
    await a.link.die();
    expect((await session.postTo(b, request(4, 'ping'))).status).toBe(200);
    const listening = await session.getFrom(c);
    b.server.notify('notifications/resources/updated', { uri: 'bed:2' });
    b.server.notify('notifications/resources/updated', { uri: 'bed:1' });
    b.server.notify('notifications/tools/list_changed');
    const received = messagesOf(withData(await readEvents(listening, 3)));
    expect(received).toMatchObject([
      { method: 'notifications/resources/updated', params: { uri: 'bed:1' } },
      { method: 'notifications/tools/list_changed' },
    ]);
    const asked = messagesOf(withData(await readEvents(await session.callAt(b, 5, 'ask'), 2)));
    expect(asked).toMatchObject([{ method: 'elicitation/create' }]);
  });

  test('leaves streams that are resumed, with nothing lost or twice', async () => {
    const [a, b, c] = startProcesses(SHORT_LEASE);
    const session = await openAt(a);
    const events = await readEvents(await session.callAt(a, 1, 'count'));
    await stored();
    await a.link.die();
    for (const [index, process] of [b, c, b, c].entries()) {
      const resumed = await session.getFrom(process, { 'last-event-id': events[index]?.id ?? '' });
      expect(await readEvents(resumed)).toEqual(events.slice(index + 1));
    }
  });

  test('leaves a stream whose request it ran: it ends with an error', async () => {
    const [a, b] = startProcesses(SHORT_LEASE);
    const session = await openAt(a);
    const [first] = await readEvents(await session.callAt(a, 1, 'leave'), 1);
    a.link.isDead = true;
    await a.link.die();
    const resumed = await session.getFrom(b, { 'last-event-id': first?.id ?? '' });
    expect(messagesOf(await readEvents(resumed))).toMatchObject([{ id: 1, ...LOST }]);
  });

  test('does not end the streams that go through another process', async () => {
    const [a, b, c] = startProcesses(SHORT_LEASE);
    const session = await openAt(a);
    await session.postTo(a, INITIALIZED);
    const listening = await session.getFrom(b);
    const reading = readEvents(listening, 3);
    const streaming = await session.callAt(c, 1, 'bulk', { bytes: 1, after: 60_000, announced: true });
    await stored();
    await a.link.die();
    const events = messagesOf(withData(await readEvents(streaming)));
    expect(events).toMatchObject([{ method: 'notifications/progress' }, { id: 1, ...LOST }]);
    await vi.waitFor(() => {
      expect([b, c].map(({ handler }) => handler.load.sessions).sort()).toEqual([0, 1]);
    });
    b.server.notify('notifications/tools/list_changed');
    expect(messagesOf(withData(await reading))).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
  });

  test('leaves a log that is no longer than what it keeps, and can be resumed', async () => {
    const shared = memoryCluster();
    const [a, b] = startProcesses({ shared, resumability: { maxEvents: 20 } });
    const session = await openAt(a);
    await session.postTo(a, INITIALIZED);
    a.server.notify('notifications/tools/list_changed');
    const first = await readEvents(await session.callAt(a, 1, 'count'));
    let last: SseFields[] = [];
    for (let index = 2; index < 250; index += 1) last = await readEvents(await session.callAt(a, index, 'count'));
    await stored();
    expect((await shared.events.read(session.id, undefined, 10_000)).length).toBeLessThan(700);
    await a.link.die();
    const resumed = await session.getFrom(b, { 'last-event-id': last[1]?.id ?? '' });
    expect(await readEvents(resumed)).toEqual(last.slice(2));
    // Its events are gone, so the client is answered at once instead of waiting for them.
    const dropped = await session.getFrom(b, { 'last-event-id': first[1]?.id ?? '' });
    expect(messagesOf(await readEvents(dropped))).toMatchObject([{ id: 1, ...LOST }]);
    const [, queued] = await readEvents(await session.getFrom(b), 2);
    expect(JSON.parse(queued?.data ?? '')).toMatchObject({ method: 'notifications/tools/list_changed' });
  });

  test('leaves the messages that wait for a client that does not listen', async () => {
    const [a, b] = startProcesses(SHORT_LEASE);
    const session = await openAt(a);
    await session.postTo(a, INITIALIZED);
    a.server.notify('notifications/tools/list_changed');
    await stored();
    await a.link.die();
    const [, queued] = await readEvents(await session.getFrom(b), 2);
    expect(JSON.parse(queued?.data ?? '')).toMatchObject({ method: 'notifications/tools/list_changed' });
  });

  test('a late answer to its request is not taken for one to the new owner', async () => {
    const [a, b] = startProcesses(SHORT_LEASE);
    const session = await openAt(a, { capabilities: { elicitation: { form: {} } } });
    const [, asked] = await readEvents(await session.callAt(a, 1, 'ask'), 2);
    const { id } = JSON.parse(asked?.data ?? '') as { id: number };
    await a.link.die();
    const stream = await session.callAt(b, 2, 'ask');
    const [, askedAgain] = await readEvents(stream, 2);
    const { id: newId } = JSON.parse(askedAgain?.data ?? '') as { id: number };
    expect(newId).not.toBe(id);
    await session.postTo(b, { jsonrpc: '2.0', id, result: { action: 'accept', content: {} } });
    await session.postTo(b, { jsonrpc: '2.0', id: newId, result: { action: 'decline' } });
    const resumed = await session.getFrom(b, { 'last-event-id': askedAgain?.id ?? '' });
    expect(messagesOf(await readEvents(resumed))).toMatchObject([
      { id: 2, result: { content: [{ text: 'decline' }] } },
    ]);
  });

  test('its session is taken over once, by one of those that are asked at the same time', async () => {
    const [a, b, c] = startProcesses(SHORT_LEASE);
    const session = await openAt(a);
    await a.link.die();
    const answers = await Promise.all([b, c, b, c].map((process, index) => session.callAt(process, index, 'echo')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(b.handler.load.sessions + c.handler.load.sessions).toBe(1);
  });

  test('ends with its sessions if they are deleted', async () => {
    const [a, b, c] = startProcesses(SHORT_LEASE);
    const session = await openAt(a);
    await a.link.die();
    expect((await session.deleteAt(b)).status).toBe(204);
    expect((await session.postTo(c, request(1, 'ping'))).status).toBe(404);
  });
});

describe('a process that was paused past its lease', () => {
  test('starts no handler, even if it does not know yet that others took over', async () => {
    const [a] = startProcesses({ clusterLimits: { lease: LEASE, timeout: 50 } });
    const session = await openAt(a);
    expect((await session.callAt(a, 1, 'echo')).status).toBe(200);
    a.link.before = () => new Promise(() => undefined);
    // Its own clock says so: nothing else tells it anything.
    const until = performance.now() + LEASE;
    while (performance.now() < until);
    const refused = await session.callAt(a, 2, 'echo');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(a.events.map(({ kind }) => kind)).toContain('fenced');
    a.link.before = () => undefined;
    expect(await (await session.callAt(a, 3, 'echo')).json()).toMatchObject({ id: 3, ...ANSWER });
  });

  test('is fenced off: it starts no handler, and its sessions go on elsewhere', async () => {
    const [a, b] = startProcesses(SHORT_LEASE);
    const session = await openAt(a);
    const hanging = session.callAt(a, 1, 'hang');
    await runs(a);
    // Its lease runs out while nothing of it runs: no timer, no renewal.
    a.link.before = () => new Promise(() => undefined);
    await a.link.expire();
    expect(await (await session.callAt(b, 2, 'echo')).json()).toMatchObject({ id: 2, ...ANSWER });
    a.link.before = () => undefined;
    expect(await (await hanging).json()).toMatchObject({ id: 1, ...LOST });
    expect(a.seen.aborted).toEqual(['hang']);
    expect(a.events.map(({ kind }) => kind)).toContain('fenced');
    await vi.waitFor(async () => {
      expect(await (await session.callAt(a, 3, 'echo')).json()).toMatchObject({ id: 3, ...ANSWER });
    });
    expect([a, b].map(({ handler }) => handler.load.sessions)).toEqual([0, 1]);
  });
});
