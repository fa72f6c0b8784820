/** Streams that their owner had not written down when it ended. */
import { expect, test } from 'vitest';
import { parseRequestTag, requestTag } from '../../generated/runtime/http/server/cluster/request-tag.js';
import { messagesOf, readEvents, request } from './server-support.js';
import { openAt, SHORT_LEASE, startProcesses } from './cluster-support.js';

const LOST = { error: { code: -32603, message: 'the process that handled this request has stopped; it may have run' } };

/** Opens a stream at the first process, which ends before it has stored any of it. */
async function openUnstored(id: unknown, version = '2025-11-25') {
  const [a, b, c] = startProcesses(SHORT_LEASE);
  const session = await openAt(a, { version });
  a.link.before = (operation) =>
    operation === 'events.append' && !a.link.isDead ? Promise.reject(new Error('slow')) : undefined;
  const call = request(id as number, 'tools/call', {
    name: 'bulk',
    arguments: { bytes: 1, after: 60_000, announced: true },
    _meta: { progressToken: 1 },
  });
  const batch = version === '2025-03-26';
  const events = await readEvents(await session.postTo(a, batch ? [call] : call), batch ? 1 : 2);
  await a.link.die();
  const resume = (lastEventId: string) => session.getFrom(b, { 'last-event-id': lastEventId });
  return { lastEventId: events[0]?.id ?? '', resume, session, other: c };
}

test.each([1, 'one', 'ä"\n', 'x'.repeat(90)])('its client is answered when it resumes: request %j', async (id) => {
  const { lastEventId, resume, session, other } = await openUnstored(id);
  for (let times = 0; times < 2; times += 1)
    expect(messagesOf(await readEvents(await resume(lastEventId)))).toMatchObject([{ id, ...LOST }]);
  expect((await session.callAt(other, 2, 'echo')).status).toBe(200);
});

test('its client is answered with a batch if it has sent one', async () => {
  const { lastEventId, resume } = await openUnstored(1, '2025-03-26');
  expect(messagesOf(await readEvents(await resume(lastEventId)))).toMatchObject([[{ id: 1, ...LOST }]]);
});

test('an id that is too long to be repeated is rejected as unknown', async () => {
  const { lastEventId, resume } = await openUnstored('x'.repeat(200));
  expect(lastEventId).toMatch(/^\d+-\d+$/u);
  expect((await resume(lastEventId)).status).toBe(400);
});

test('made-up event ids are rejected as unknown', async () => {
  const { lastEventId, resume } = await openUnstored(1);
  const [key = '', sequence = ''] = lastEventId.split('-');
  const hex = (text: string): string => Buffer.from(text).toString('hex');
  for (const tag of ['', '00', 'ff', 'f', hex('{}'), hex('[]'), hex('[{}]'), hex('1.5'), hex('null'), '1'.repeat(2000)])
    expect((await resume(`${key}-${sequence}-${tag}`)).status).toBe(400);
  // A stream of the new owner.
  expect((await resume(`9999999-0-${hex('1')}`)).status).toBe(400);
  expect((await resume(`g${key}-0-${hex('1')}`)).status).toBe(200);
});

test.each([
  { ids: [1], isBatch: false },
  { ids: ['a', -2], isBatch: true },
])('the requests %j are read back', (requests) => {
  expect(parseRequestTag(requestTag(requests) ?? '')).toEqual(requests);
});
