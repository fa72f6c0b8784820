/** What happens between two steps of a process: its client leaves, it closes, its store fails for a moment. */
import { expect, test, vi } from 'vitest';
import type { EventSink, HttpCall } from '../../generated/runtime/http/server/call.js';
import { Callers } from '../../generated/runtime/http/server/callers.js';
import { Outbox } from '../../generated/runtime/http/server/cluster/outbox.js';
import { RemoteCall } from '../../generated/runtime/http/server/cluster/remote-call.js';
import type { AnswerBody, CallerMessage } from '../../generated/runtime/http/server/cluster/wire.js';
import { UnreadBudget } from '../../generated/runtime/http/server/unread-budget.js';
import { INITIALIZED, openAt, SHORT_LEASE, startProcesses, type Process } from './cluster-support.js';

const ANSWER = { result: { content: [{ type: 'text', text: '{}' }] } };

/** Stops one operation of a process until it is released. */
function holdOnce({ link }: Process, operation: string) {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isReached = false;
  link.before = (name) => {
    if (name !== operation || isReached) return undefined;
    isReached = true;
    return held;
  };
  return {
    release,
    reached: () =>
      vi.waitFor(() => {
        expect(isReached).toBe(true);
      }),
  };
}

test('a client that leaves while its session is looked up leaves nothing behind at the owner', async () => {
  const [a, b] = startProcesses();
  const session = await openAt(a);
  const lookup = holdOnce(b, 'sessions.get');
  const client = new AbortController();
  const listening = b.handler.fetch(
    new Request('http://localhost/mcp', {
      headers: { accept: 'text/event-stream', ...session.headers },
      signal: client.signal,
    }),
  );
  await lookup.reached();
  client.abort();
  lookup.release();
  await listening;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(a.handler.load.open).toBe(0);
});

test('a process that closes while it looks a session up forwards nothing: its client was answered', async () => {
  const [a, b] = startProcesses();
  const session = await openAt(a);
  const lookups = [Promise.resolve()];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isSending = false;
  b.link.before = (operation) => {
    if (operation === 'mailbox.send') {
      isSending = true;
      return held;
    }
    return operation === 'sessions.get' ? lookups.shift() : undefined;
  };
  const first = session.callAt(b, 1, 'echo');
  await vi.waitFor(() => {
    expect(isSending).toBe(true);
  });
  let found: () => void = () => undefined;
  lookups.push(
    new Promise<void>((resolve) => {
      found = resolve;
    }),
  );
  const second = session.callAt(b, 2, 'hang');
  await vi.waitFor(() => {
    expect(lookups).toEqual([]);
  });
  const closing = b.handler.close();
  expect((await second).status).toBe(503);
  expect(await (await first).json()).toMatchObject({ id: 1, error: { code: -32603 } });
  found();
  await new Promise((resolve) => setTimeout(resolve, 20));
  release();
  await closing;
  await new Promise((resolve) => setTimeout(resolve, 20));
  // Sent to the owner before the client of it was given up.
  expect(a.handler.load.open).toBe(0);
});

test('a session that a process failed to take over is taken over later, wherever its client asks', async () => {
  const [a, b, c] = startProcesses(SHORT_LEASE);
  const session = await openAt(a);
  await a.link.die();
  b.link.before = (operation) => {
    if (operation === 'events.append' || operation === 'sessions.replace')
      if (failures.push(operation) > 1) throw new Error('the store is gone');
  };
  const failures: string[] = [];
  expect((await session.callAt(b, 1, 'echo')).status).toBe(503);
  b.link.before = () => undefined;
  expect(await (await session.callAt(c, 2, 'echo')).json()).toMatchObject({ id: 2, ...ANSWER });
});

test('a session outlives an owner that two requests find gone at once', async () => {
  const [a, b] = startProcesses(SHORT_LEASE);
  const session = await openAt(a);
  await session.callAt(b, 1, 'echo');
  a.link.isDead = true;
  // Sent to an owner that answers nothing any more; then requested with the same mail that has the second request.
  const lost = session.callAt(b, 2, 'echo');
  await new Promise((resolve) => setTimeout(resolve, 20));
  const ping = holdOnce(b, 'mailbox.send');
  await ping.reached();
  const second = session.callAt(b, 3, 'echo');
  await new Promise((resolve) => setTimeout(resolve, 300));
  const mail = holdOnce(b, 'mailbox.send');
  ping.release();
  await mail.reached();
  await a.link.expire();
  mail.release();
  expect(await (await second).json()).toMatchObject({ id: 3, ...ANSWER });
  expect(await (await lost).json()).toMatchObject({ id: 2, error: { code: -32603 } });
  expect(await (await session.callAt(b, 4, 'echo')).json()).toMatchObject({ id: 4, ...ANSWER });
});

test('an owner that did not learn that a client is gone learns it with the next event', async () => {
  const [a, b] = startProcesses();
  const session = await openAt(a);
  await session.postTo(a, INITIALIZED);
  const listening = await session.getFrom(b);
  await vi.waitFor(() => {
    expect(a.handler.load.open).toBe(1);
  });
  b.link.before = (operation) => {
    if (operation === 'mailbox.send') throw new Error('the store is gone');
  };
  await listening.body?.cancel();
  await new Promise((resolve) => setTimeout(resolve, 20));
  b.link.before = () => undefined;
  a.server.notify('notifications/tools/list_changed');
  await vi.waitFor(() => {
    expect(a.handler.load.open).toBe(0);
  });
});

test.each([
  [true, 503],
  [false, 200],
])('a call that was certainly not sent (%s) can be repeated, any other may have run', async (isUnsent, status) => {
  const [a, b] = startProcesses();
  const session = await openAt(a);
  b.link.before = (operation) => {
    if (operation === 'mailbox.send') throw Object.assign(new Error('no room'), { isUnsent });
  };
  const response = await session.callAt(b, 1, 'echo');
  expect(response.status).toBe(status);
  expect(response.headers.has('retry-after')).toBe(isUnsent);
  expect(await response.json()).toMatchObject({ error: { code: isUnsent ? 503 : -32603 } });
  expect(b.handler.load.open).toBe(0);
});

test('handing over leaves no timer', async () => {
  const [a] = startProcesses();
  const session = await openAt(a);
  const appending = holdOnce(a, 'events.append');
  await (await session.callAt(a, 1, 'count')).text();
  await appending.reached();
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const draining = a.handler.drain({ timeout: 60_000 });
  appending.release();
  await draining;
  const left = timers.mock.results.map(({ value }) => value as NodeJS.Timeout & { _destroyed: boolean });
  const delays = timers.mock.calls.map(([, ms]) => ms ?? 0);
  timers.mockRestore();
  expect(delays.filter((ms, index) => ms > 20_000 && left[index]?._destroyed === false)).toEqual([]);
});

test('messages say who sends them, even if this process got another address while others were on their way', async () => {
  const mails: string[] = [];
  let release: () => void = () => undefined;
  const outbox = new Outbox(async (_address, mail) => {
    mails.push(mail);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return true;
  });
  const sends = [outbox.send('old', 'to', { kind: 'gone', call: 1 })];
  await Promise.resolve();
  sends.push(outbox.send('old', 'to', { kind: 'gone', call: 2 }), outbox.send('new', 'to', { kind: 'gone', call: 3 }));
  for (let index = 0; index < 3; index += 1) {
    await vi.waitFor(() => {
      expect(mails).toHaveLength(index + 1);
    });
    release();
  }
  expect(await Promise.all(sends)).toEqual([true, true, true]);
  expect(mails.map((mail) => JSON.parse(mail) as object)).toMatchObject([
    { from: 'old', messages: [{ call: 1 }] },
    { from: 'old', messages: [{ call: 2 }] },
    { from: 'new', messages: [{ call: 3 }] },
  ]);
});

/** A call whose client reads nothing until `drain`. */
function unreadCall() {
  const sink: EventSink & { readonly chunks: string[] } = {
    onDrain: undefined,
    chunks: [],
    write: (chunk) => {
      sink.chunks.push(String(chunk));
      return false;
    },
    end: () => true,
  };
  let isAborted = false;
  const call: HttpCall = {
    method: 'POST',
    target: '/mcp',
    raw: undefined,
    isDisconnected: false,
    onDisconnect: undefined,
    header: () => undefined,
    body: () => Promise.resolve(undefined),
    respond: () => true,
    stream: () => sink,
    abort: () => {
      isAborted = true;
    },
  };
  const sent: CallerMessage[] = [];
  const unread = new UnreadBudget(1_000_000, []);
  const caller = new Callers(() => 1).of('guest');
  let isOver = false;
  const remote = new RemoteCall({
    id: 1,
    owner: 'owner',
    call,
    isListening: false,
    headers: {},
    caller,
    unread,
    send: (message) => sent.push(message),
    answerLost: () => undefined,
    onOver: () => {
      isOver = true;
    },
  });
  const receive = (...answers: AnswerBody[]) => {
    answers.forEach((answer, index) => {
      remote.receive({ call: 1, index, ...answer });
    });
  };
  return { remote, receive, sink, sent, unread, caller, isOver: () => isOver, isAborted: () => isAborted };
}

const STREAM: AnswerBody = { kind: 'stream', status: 200, headers: {}, length: undefined };

test.each<readonly [string, readonly AnswerBody[]]>([
  ['a stream', [STREAM, { kind: 'chunk', text: 'x'.repeat(100_000) }]],
  ['the end of a stream', [STREAM, { kind: 'chunk', text: 'x'.repeat(100_000) }, { kind: 'end' }]],
  ['a response', [{ kind: 'respond', status: 200, headers: {}, body: 'x'.repeat(60_000) }]],
])('a client that does not read %s of another process is counted, and disconnected', (_what, answers) => {
  const { remote, receive, unread, caller, isOver, isAborted } = unreadCall();
  receive(...answers);
  expect(unread.used).toBeGreaterThanOrEqual(60_000);
  expect(caller.openResponses.held).toBe(1);
  remote.abortIfStalled(Date.now() + 29_000, 30_000);
  expect([isOver(), isAborted()]).toEqual([false, false]);
  remote.abortIfStalled(Date.now() + 100_000, 30_000);
  expect([isOver(), isAborted(), unread.used, caller.openResponses.held]).toEqual([true, true, 0, 0]);
});

test('a client that reads a response of another process slowly receives it', () => {
  const { remote, receive, sink, unread, isOver, isAborted } = unreadCall();
  const text = `${'x'.repeat(64 * 1024 - 1)}\u{1f33b}${'y'.repeat(100_000)}`;
  receive(STREAM, { kind: 'chunk', text }, { kind: 'end' });
  for (let index = 0; index < 3; index += 1) sink.onDrain?.();
  expect(sink.chunks.join('')).toBe(text);
  expect(sink.chunks).toHaveLength(3);
  // Throws for half a character.
  for (const chunk of sink.chunks) expect(encodeURI(chunk)).not.toBe('');
  expect([unread.used, isOver(), isAborted()]).toEqual([0, false, false]);
  remote.abortIfStalled(Date.now() + 29_000, 30_000);
  expect(isAborted()).toBe(false);
});

test('a process under memory pressure disconnects clients that read nothing of what others answer', async () => {
  const { receive, unread, isAborted } = unreadCall();
  receive(STREAM, { kind: 'chunk', text: 'x'.repeat(700_000) });
  expect(unread.used).toBe(700_000);
  await vi.waitFor(() => {
    expect(isAborted()).toBe(true);
  }, 3000);
  expect(unread.used).toBe(0);
});
