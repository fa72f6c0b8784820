import { describe, expect, test } from 'vitest';
import {
  postMessageTransport,
  type PostMessageOptions,
  type ReceivingWindow,
  type WindowMessage,
} from '../../templates/runtime/post-message.js';
import type { Invalid } from '../../templates/runtime/jsonrpc/parse.js';

/** Two windows, as a page and the frame in it, with what each of them was sent. */
function windows() {
  const listeners = new Set<(event: WindowMessage) => void>();
  const sent: { message: unknown; target: string }[] = [];
  const other = {
    postMessage: (message: unknown, target: string) => {
      sent.push({ message: structuredClone(message), target });
    },
  };
  const receiver: ReceivingWindow = {
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
  };
  /** The other window, or one with another identity or origin, sends a message. */
  const receive = (data: unknown, event: Partial<WindowMessage> = {}): void => {
    for (const listener of listeners)
      listener({ data: structuredClone(data), source: other, origin: 'https://host.example', ...event });
  };
  return { other, receiver, receive, sent, listeners };
}

async function started(options: PostMessageOptions = {}) {
  const pair = windows();
  const transport = postMessageTransport(pair.other, { receiver: pair.receiver, ...options });
  const received: unknown[] = [];
  const invalid: Invalid[] = [];
  transport.onmessage = (message) => received.push(message);
  transport.oninvalid = (found) => invalid.push(found as Invalid);
  await transport.start();
  return { ...pair, transport, received, invalid };
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('messages of others', () => {
  test('of another window are ignored', async () => {
    const { receive, received } = await started();
    receive(PING, { source: {} });
    receive(PING, { source: null });
    expect(received).toEqual([]);
    receive(PING);
    expect(received).toEqual([PING]);
  });

  test('of another origin are ignored', async () => {
    const { receive, received } = await started({ origin: 'https://host.example' });
    receive(PING, { origin: 'https://evil.example' });
    expect(received).toEqual([]);
    receive(PING);
    expect(received).toEqual([PING]);
  });

  test('of another origin than the first message are ignored', async () => {
    const { receive, received } = await started();
    receive(PING);
    receive({ ...PING, id: 2 }, { origin: 'https://evil.example' });
    expect(received).toEqual([PING]);
  });

  test.each([['text'], [null], [undefined], [7], [[PING]], [{ source: 'developer-tools' }], [{ jsonrpc: '1.0' }]])(
    'that are not messages are ignored: %j',
    async (data) => {
      const { receive, received, invalid, transport, sent } = await started();
      receive(data);
      void transport.send(PING);
      expect([received, invalid]).toEqual([[], []]);
      // What is not a message does not decide the origin either.
      expect(sent[0]?.target).toBe('*');
    },
  );

  test('whose members throw are reported', async () => {
    const { transport, listeners } = await started();
    const errors: unknown[] = [];
    transport.onerror = (error) => errors.push(error.message);
    const event = {
      get source(): never {
        throw new Error('a trap');
      },
    };
    for (const listener of listeners) listener(event as never);
    expect(errors).toEqual(['a trap']);
  });
});

describe('sends', () => {
  test('to any origin until the first message, and then to its origin', async () => {
    const { transport, receive, sent } = await started();
    void transport.send(PING);
    receive(PING);
    void transport.send(PING);
    expect(sent.map(({ target }) => target)).toEqual(['*', 'https://host.example']);
  });

  test('to the given origin only', async () => {
    const { transport, sent } = await started({ origin: 'https://host.example' });
    void transport.send(PING);
    expect(sent).toEqual([{ message: PING, target: 'https://host.example' }]);
  });

  test('to a frame without an origin', async () => {
    const { transport, receive, sent, received } = await started();
    receive(PING, { origin: 'null' });
    void transport.send(PING);
    receive({ ...PING, id: 2 });
    expect([sent[0]?.target, received.length]).toEqual(['*', 1]);
  });

  test('what JSON would', async () => {
    const { transport, sent } = await started();
    void transport.send({ ...PING, params: { at: new Date(0), none: undefined } });
    expect(sent[0]?.message).toEqual({ ...PING, params: { at: '1970-01-01T00:00:00.000Z' } });
    expect(Object.keys((sent[0]?.message as typeof PING & { params: object }).params)).toEqual(['at']);
  });
});

describe('copies', () => {
  test('without members that are undefined, and with any names', async () => {
    const { receive, received } = await started();
    const params = JSON.parse('{ "__proto__": { "polluted": true }, "list": [null, true, "", 1.5] }') as object;
    receive({ ...PING, params: { ...params, none: undefined } });
    const [message] = received as { params: object }[];
    expect(Object.keys(message?.params ?? {})).toEqual(['__proto__', 'list']);
    expect(JSON.stringify(message)).toBe(JSON.stringify({ ...PING, params }));
    expect({}).not.toHaveProperty('polluted');
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const bomb = Array.from({ length: 60 }).reduce<unknown>((inner) => [inner, inner], 'x');
  const deep = Array.from({ length: 300 }).reduce<unknown>((inner) => [inner], 0);
  test.each([
    ['a cycle', cyclic, 'too-deep'],
    ['one object many times', bomb, 'too-large'],
    ['many levels', deep, 'too-deep'],
    ['a list with a length only', new Array(2 ** 32 - 1), 'too-large'],
    ['a list with a missing item', new Array(1), 'not-json'],
    ['a long text', 'x'.repeat(1001), 'too-large'],
    ['a long name', { ['x'.repeat(1001)]: 1 }, 'too-large'],
    ['a date', new Date(), 'not-json'],
    ['a map', new Map(), 'not-json'],
    ['bytes', new Uint8Array(2), 'not-json'],
    ['a big integer', 1n, 'not-json'],
    ['no number', Number.NaN, 'not-json'],
  ])('rejects %s', async (_, value, code) => {
    const maxMessageSize = code === 'too-deep' ? 100_000 : 1000;
    const { receive, received, invalid } = await started({ maxMessageSize });
    receive({ ...PING, params: { value } });
    expect(received).toEqual([]);
    expect(invalid).toMatchObject([{ code, messageKind: 'request', id: 1, errorResponse: { id: 1 } }]);
    receive(PING);
    expect(received).toEqual([PING]);
  });

  test.each([
    [{ jsonrpc: '2.0', id: 1, result: { at: new Date(0) } }, 'response', 1],
    [{ jsonrpc: '2.0', id: {}, result: { at: new Date(0) } }, 'notification', null],
    [{ jsonrpc: '2.0', method: 'a', params: { at: new Date(0) } }, 'notification', null],
  ])('whoever waits for an invalid message learns of it: %j', async (message, messageKind, id) => {
    const { receive, invalid } = await started();
    receive(message);
    expect(invalid).toMatchObject([{ messageKind, id, errorResponse: undefined }]);
  });

  test('accepts what is as large as the limit', async () => {
    const { receive, received, invalid } = await started({ maxMessageSize: 100 });
    // Four values, of which three have names: 4 * 8 characters, and 7 + 2 + 6 for the names, 3 for the version.
    receive({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(100 - 4 * 8 - 15 - 3) });
    receive({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(101 - 4 * 8 - 15 - 3) });
    expect([received.length, invalid.length]).toEqual([1, 1]);
  });
});

describe('a connection', () => {
  test('ends once, with its listener', async () => {
    const { transport, receive, received, listeners } = await started();
    let closes = 0;
    transport.onclose = () => (closes += 1);
    await transport.close();
    await transport.close();
    receive(PING);
    expect([closes, received, listeners.size]).toEqual([1, [], 0]);
    expect(() => transport.send(PING)).toThrow('the connection is closed');
    await expect(transport.start()).rejects.toThrow('has been started already');
  });

  test('cannot be made outside of a frame', async () => {
    const { receiver } = windows();
    const top = { ...receiver, postMessage: () => undefined };
    await expect(postMessageTransport(top, { receiver: top }).start()).rejects.toThrow('the page is not in a frame');
  });

  test('cannot be made without a window', async () => {
    const { other } = windows();
    const receiver = {} as ReceivingWindow;
    await expect(postMessageTransport(other, { receiver }).start()).rejects.toThrow('has no window');
  });
});
