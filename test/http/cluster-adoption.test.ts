/** A process that ends: another one goes on with its sessions. */
import { describe, expect, test, vi } from 'vitest';
import { messagesOf, readEvents, request } from './server-support.js';
import { INITIALIZED, LEASE, openAt, startProcesses } from './cluster-support.js';

const ANSWER = { result: { content: [{ type: 'text', text: '{}' }] } };
const LOST = { error: { code: -32603, message: 'the process that handled this request has stopped; it may have run' } };

describe('a process that dies', () => {
  test('leaves its sessions to the next process that is asked', async () => {
    const [a, b, c] = startProcesses(3);
    const session = await openAt(a!);
    await session.postTo(a!, INITIALIZED);
    a!.link.isDead = true;
    await vi.waitFor(async () => {
      expect(await (await session.callAt(b!, 1, 'echo')).json()).toMatchObject({ id: 1, ...ANSWER });
    }, 3 * LEASE);
    expect(b!.handler.load.sessions).toBe(1);
    expect(await (await session.callAt(c!, 2, 'echo')).json()).toMatchObject({ id: 2, ...ANSWER });
  });

  test('its running call is answered with an error, and not run again', async () => {
    const [a, b, c] = startProcesses(3);
    const session = await openAt(a!);
    const started = performance.now();
    const hanging = session.callAt(b!, 1, 'hang');
    await vi.waitFor(() => {
      expect(a!.handler.load.open).toBe(1);
    });
    a!.link.isDead = true;
    const answered = await hanging;
    expect(performance.now() - started).toBeLessThan(2 * LEASE);
    expect(await answered.json()).toMatchObject({ id: 1, ...LOST });
    expect(await (await session.callAt(c!, 2, 'echo')).json()).toMatchObject({ id: 2, ...ANSWER });
  });

  test('its streams are resumed elsewhere, without a loss', async () => {
    const [a, b] = startProcesses(2);
    const session = await openAt(a!);
    const events = await readEvents(await session.callAt(a!, 1, 'count'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    a!.link.isDead = true;
    const first = events[1]?.id ?? '';
    await vi.waitFor(async () => {
      const resumed = await readEvents(await session.getFrom(b!, { 'last-event-id': first }));
      expect(resumed.filter(({ data }) => data !== undefined && data !== '')).toEqual(events.slice(2));
    }, 3 * LEASE);
    expect(messagesOf(events).at(-1)).toMatchObject({ id: 1 });
    expect((await session.postTo(b!, request(9, 'ping'))).status).toBe(200);
  });
});
