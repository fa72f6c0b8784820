/** Any process serves any session: what one process received, the owner of the session answers. */
import { describe, expect, test } from 'vitest';
import { messagesOf, readEvents, request } from './server-support.js';
import { INITIALIZED, openAt, startProcesses } from './cluster-support.js';

const ANSWER = { result: { content: [{ type: 'text', text: '{}' }] } };

describe('a call at a process that does not own the session', () => {
  test('is answered by the owner', async () => {
    const [a, b, c] = startProcesses(3);
    const session = await openAt(a!);
    expect((await session.postTo(b!, INITIALIZED)).status).toBe(202);
    expect(await (await session.callAt(c!, 1, 'echo')).json()).toMatchObject({ id: 1, ...ANSWER });
    expect(a!.handler.load.sessions).toBe(1);
    expect(b!.handler.load.sessions + c!.handler.load.sessions).toBe(0);
  });

  test('gets progress and result as a stream', async () => {
    const [a, b] = startProcesses(2);
    const session = await openAt(a!);
    const messages = messagesOf(await readEvents(await session.callAt(b!, 1, 'count')));
    expect(messages.map(({ method, id }) => method ?? id)).toEqual([
      'notifications/progress',
      'notifications/progress',
      'notifications/progress',
      1,
    ]);
  });

  test('ends the session by DELETE', async () => {
    const [a, b] = startProcesses(2);
    const session = await openAt(a!);
    expect((await session.deleteAt(b!)).status).toBe(204);
    expect(a!.handler.load.sessions).toBe(0);
    expect((await session.postTo(b!, request(1, 'ping'))).status).toBe(404);
  });
});
