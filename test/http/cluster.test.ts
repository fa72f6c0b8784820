/** Any process serves any session: what one process received, the owner of the session answers. */
import { describe, expect, test, vi } from 'vitest';
import { memoryCluster } from '../../generated/runtime/http-server.js';
import { messagesOf, post, readEvents, request, send } from './server-support.js';
import { INITIALIZED, LEASE, openAt, SHORT_LEASE, startProcesses, withMailboxMethod } from './cluster-support.js';

const ANSWER = { result: { content: [{ type: 'text', text: '{}' }] } };
const cancelled = (requestId: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

describe('a call at a process that does not own the session', () => {
  test('is answered by the owner', async () => {
    const [a, b, c] = startProcesses();
    const session = await openAt(a);
    expect((await session.postTo(b, INITIALIZED)).status).toBe(202);
    for (const [index, process] of [c, a, b, c].entries())
      expect(await (await session.callAt(process, index, 'echo')).json()).toMatchObject({ id: index, ...ANSWER });
    expect([a, b, c].map(({ handler }) => handler.load.sessions)).toEqual([1, 0, 0]);
  });

  test('gets progress and result as a stream', async () => {
    const [a, b] = startProcesses();
    const session = await openAt(a);
    const stream = await session.callAt(b, 1, 'count');
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    const messages = messagesOf(await readEvents(stream));
    expect(messages.map(({ method, id }) => method ?? id)).toEqual([
      'notifications/progress',
      'notifications/progress',
      'notifications/progress',
      1,
    ]);
  });

  test('may take longer than a lease', async () => {
    const [a, b] = startProcesses(SHORT_LEASE);
    const session = await openAt(a);
    const options = { bytes: 5, after: 2.5 * LEASE };
    const plain = session.callAt(b, 1, 'bulk', options);
    const streamed = await session.callAt(b, 2, 'bulk', { ...options, announced: true });
    expect(messagesOf(await readEvents(streamed)).at(-1)).toMatchObject({
      id: 2,
      result: { content: [{ text: 'xxxxx' }] },
    });
    expect(await (await plain).json()).toMatchObject({ id: 1, result: { content: [{ text: 'xxxxx' }] } });
  });

  test('gets a large response, as fast as its client reads', async () => {
    const [a, b] = startProcesses();
    const session = await openAt(a);
    const bytes = 3_000_000;
    const { result } = (await (await session.callAt(b, 1, 'bulk', { bytes })).json()) as {
      result: { content: { text: string }[] };
    };
    expect(result.content[0]?.text.length).toBe(bytes);
    const streamed = await session.callAt(b, 2, 'bulk', { bytes, announced: true });
    await vi.waitFor(() => {
      expect(a.handler.load.open).toBe(1);
    });
    const [, last] = messagesOf(await readEvents(streamed)) as { result: { content: { text: string }[] } }[];
    expect(last?.result.content[0]?.text.length).toBe(bytes);
  });

  test('may answer a request of the server, which the owner waits for', async () => {
    const [a, b, c] = startProcesses();
    const session = await openAt(a, { capabilities: { elicitation: { form: {} } } });
    const reader = ((await session.callAt(b, 1, 'ask')).body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    let text = '';
    const readUntil = async (wanted: RegExp) => {
      while (!wanted.test(text)) {
        const { done, value } = await reader.read();
        if (done) break;
        text += value;
      }
      return wanted.exec(text)?.[1] ?? '';
    };
    const id = Number(await readUntil(/"id":(\d+),"method":"elicitation\/create"/));
    expect((await session.postTo(c, { jsonrpc: '2.0', id, result: { action: 'decline' } })).status).toBe(202);
    expect(await readUntil(/"text":"(\w+)"/)).toBe('decline');
  });

  test('may cancel a request that runs at the owner', async () => {
    const [a, b, c] = startProcesses();
    const session = await openAt(a);
    void session.callAt(b, 1, 'hang');
    await vi.waitFor(() => {
      expect(a.handler.load.open).toBe(1);
    });
    expect((await session.postTo(c, cancelled(1))).status).toBe(202);
    await vi.waitFor(() => {
      expect(a.seen.aborted).toEqual(['hang']);
    });
  });

  test('has the checks of the owner: ids that are in use, and revisions', async () => {
    const [a, b, c] = startProcesses();
    const session = await openAt(a);
    void session.callAt(b, 1, 'hang');
    await vi.waitFor(() => {
      expect(a.handler.load.open).toBe(1);
    });
    expect((await session.callAt(c, 1, 'echo')).status).toBe(400);
    const unknown = await session.postTo(c, request(2, 'ping'), { 'mcp-protocol-version': '2020-01-01' });
    expect(unknown.status).toBe(400);
  });

  test('ends the session by DELETE', async () => {
    const [a, b, c] = startProcesses();
    const session = await openAt(a);
    expect((await session.deleteAt(b)).status).toBe(204);
    expect(a.handler.load.sessions).toBe(0);
    for (const process of [a, b, c]) expect((await session.postTo(process, request(1, 'ping'))).status).toBe(404);
  });

  test('does not stop the handler if its client disconnects, and the response waits', async () => {
    const [a, b, c] = startProcesses();
    const session = await openAt(a);
    const stream = await session.callAt(b, 1, 'leave');
    const [first] = await readEvents(stream, 1);
    const resumed = await session.getFrom(c, { 'last-event-id': first?.id ?? '' });
    expect(messagesOf(await readEvents(resumed))).toMatchObject([{ id: 1, ...ANSWER }]);
    expect(a.seen.aborted).toEqual([]);
  });
});

describe('streams', () => {
  test('a listening stream at another process receives notifications, and what waited', async () => {
    const [a, b] = startProcesses();
    const session = await openAt(a);
    await session.postTo(b, INITIALIZED);
    a.server.notify('notifications/tools/list_changed');
    const listening = await session.getFrom(b);
    a.server.notify('notifications/tools/list_changed');
    const messages = messagesOf(await readEvents(listening, 3));
    expect(messages.map(({ method }) => method)).toEqual(
      Array.from({ length: 2 }, () => 'notifications/tools/list_changed'),
    );
  });

  test.each([0, 1, 2, 3])('is resumed at another process after event %i, with nothing lost or twice', async (index) => {
    const [a, b, c] = startProcesses();
    const session = await openAt(a);
    const all = await readEvents(await session.callAt(b, 1, 'count'));
    const resumed = await readEvents(await session.getFrom(c, { 'last-event-id': all[index]?.id ?? '' }));
    expect(resumed).toEqual(all.slice(index + 1));
  });
});

describe('the principal of a session', () => {
  const users = { authorize: { verify: (token: string) => ({ principal: token }) } };
  const as = (name: string) => ({ authorization: `Bearer ${name}` });

  test('is checked by every process, for every method', async () => {
    const [a, b, c] = startProcesses(users);
    const session = await openAt(a, { headers: as('rose') });
    const { postTo, getFrom } = session;
    expect((await postTo(b, request(1, 'ping'))).status).toBe(200);
    for (const process of [a, b, c]) {
      expect((await postTo(process, request(2, 'ping'), as('thorn'))).status).toBe(404);
      expect((await getFrom(process, as('thorn'))).status).toBe(404);
      expect((await send(process.handler, 'DELETE', { ...session.headers, ...as('thorn') })).status).toBe(404);
    }
    expect((await postTo(c, request(3, 'ping'))).status).toBe(200);
  });

  test('is checked before a session is taken over', async () => {
    const [a, b] = startProcesses(users);
    const { postTo } = await openAt(a, { headers: as('rose') });
    await a.link.die();
    expect((await postTo(b, request(1, 'ping'), as('thorn'))).status).toBe(404);
    expect(b.handler.load.sessions).toBe(0);
    expect((await postTo(b, request(1, 'ping'))).status).toBe(200);
  });
});

test('headers that hold a secret stay in the process that received them', async () => {
  const mails: string[] = [];
  const shared = withMailboxMethod(memoryCluster(), 'send', (send) => (address, mail) => {
    mails.push(mail);
    return send(address, mail);
  });
  const [a, b] = startProcesses({ shared });
  const session = await openAt(a);
  const secrets = ['authorization', 'x-api-key', 'x-auth-token', 'cookie', 'cf-access-jwt-assertion', 'x_secret'];
  const headers = Object.fromEntries(secrets.map((name) => [name, 'thorn']));
  await session.callAt(b, 1, 'echo', {}, { ...headers, 'x-tenant': 'rose', 'idempotency-key': 'rose-1' });
  expect(mails.join()).toContain('"x-tenant":"rose"');
  expect(mails.join()).toContain('"idempotency-key":"rose-1"');
  expect(mails.join()).not.toContain('thorn');
});

describe('without a cluster', () => {
  test('processes know only their own sessions', async () => {
    const [a, b] = startProcesses({ cluster: undefined });
    const session = await openAt(a);
    expect((await session.postTo(a, request(1, 'ping'))).status).toBe(200);
    expect((await session.postTo(b, request(1, 'ping'))).status).toBe(404);
    expect((await post(b.handler, request(1, 'ping'))).status).toBe(400);
  });

  test('a cluster that no process joins is an error that names the function', () => {
    const cluster = memoryCluster() as never;
    expect(() => startProcesses({ cluster })).toThrow(new TypeError('pass the cluster to joinCluster'));
  });
});
