/** Complete responses of the server to requests about its streams; the texts are in the folder `responses`. */
import { afterEach, expect, test } from 'vitest';
import { closeHandlers, Transcript } from './responses-support.js';
import { ACCEPT_BOTH, openSession, readEvents, request, send, type Headers } from './server-support.js';

afterEach(closeHandlers);

const JSON_BOTH: Headers = { 'content-type': 'application/json', accept: ACCEPT_BOTH };
const ping = (): object => request(1, 'ping');

test('without resumption, events of sessions have no ids and cannot be resumed', async () => {
  const seen = new Transcript();
  for (const [resumability, name] of [
    [false, 'off'],
    [undefined, 'on'],
    [{ retry: 50 }, 'with its own retry'],
  ] as const) {
    const handler = seen.handler({ resumability });
    const session = await openSession(handler);
    const events = await readEvents(await session.call(1, 'count'));
    seen.lines.push(`# ${name}`);
    for (const { id, event, retry, data } of events)
      seen.lines.push([id === undefined ? 'no id' : 'an id', event, retry, data].join(' | '));
    seen.events.length = 0;
    await seen.add(`${name}: resumed`, session.get({ 'last-event-id': events[0]?.id ?? '1' }));
  }
  await seen.compare('resumption');
});

test('over HTTP+SSE', async () => {
  const seen = new Transcript();
  const handler = seen.handler({ sse: { path: '/events', messages: '/post' }, clientKey: () => 'guest' });
  const stream = await send(handler, 'GET', { accept: 'text/event-stream' }, undefined, '/events');
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  const text = new TextDecoder().decode(value);
  expect(text).toMatch(/^event: endpoint\ndata: \/post\?sessionId=[0-9a-f]{32}\n\n$/);
  const path = /\/post\S*/.exec(text)?.[0] ?? '';
  const say = (body: unknown, to = path): Promise<Response> => send(handler, 'POST', JSON_BOTH, body, to);
  const opening = request(0, 'initialize', {
    ...{ protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  });
  await seen.add('a message without a session', say(ping(), '/post'));
  await seen.add('a message of an unknown session', say(ping(), '/post?sessionId=x'));
  await seen.add('initialize', say(opening));
  await seen.add('initialize again', say(opening));
  // A large body counts as long as the session lasts.
  const large = JSON.stringify(opening).padEnd(100_000);
  await seen.add('a large initialize', say(large));
  await seen.add('another large initialize', say(large));
  await seen.add('ping', say(ping()));
  await seen.add('no JSON', say('{'));
  await seen.add('GET for messages', send(handler, 'GET', { accept: 'text/event-stream' }, undefined, '/post'));
  await seen.add('POST for events', say(ping(), '/events'));
  await seen.add('GET of JSON', send(handler, 'GET', { accept: 'application/json' }, undefined, '/events'));
  await seen.add('DELETE', send(handler, 'DELETE', {}, undefined, '/post'));
  let received = '';
  while (!received.includes('"id":1,')) received += new TextDecoder().decode((await reader.read()).value);
  seen.lines.push('# the stream', received);
  await reader.cancel();
  await seen.add('after the stream', say(ping()));
  await seen.compare('http-sse');
});
