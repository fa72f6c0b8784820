import { expect, test } from 'vitest';
import { memoryPair } from '../../templates/runtime/memory.js';
import type { Transport } from '../../templates/runtime/jsonrpc/transport.js';
import { recordEvents } from './stdio-support.js';

const call = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });

async function started(): Promise<{ one: Transport; other: Transport }> {
  const [one, other] = memoryPair();
  await Promise.all([one.start(), other.start()]);
  return { one, other };
}

test('messages arrive in order, after send has returned', async () => {
  const { one, other } = await started();
  const [atOne, atOther] = [recordEvents(one), recordEvents(other)];
  const batch = [call(3), call(4)];
  void one.send(call(1));
  void one.send(call(2));
  void other.send(call(9));
  void one.send(batch);
  expect(atOther.messages).toEqual([]);
  await Promise.resolve();
  expect(atOther.messages).toEqual([call(1), call(2), batch]);
  expect(atOne.messages).toEqual([call(9)]);
});

test('a message is passed by reference', async () => {
  const { one, other } = await started();
  const { messages } = recordEvents(other);
  const message = call(1);
  void one.send(message);
  await Promise.resolve();
  expect(messages[0]).toBe(message);
});

test('an answer that is sent while messages are handed on comes after them', async () => {
  const { one, other } = await started();
  const order: string[] = [];
  other.onmessage = (value) => {
    order.push(`asked ${String(value)}`);
    void other.send(value as object);
  };
  one.onmessage = (value) => order.push(`answered ${String(value)}`);
  for (const name of ['a', 'b']) void one.send(Object.assign([], { toString: () => name }));
  await new Promise(setImmediate);
  expect(order).toEqual(['asked a', 'asked b', 'answered a', 'answered b']);
});

test('a paused end receives nothing until it is resumed, and the sender waits', async () => {
  const { one, other } = await started();
  const { messages } = recordEvents(other);
  other.pause?.();
  const sent = one.send(call(1));
  await new Promise(setImmediate);
  expect([sent instanceof Promise, messages]).toEqual([true, []]);
  other.resume?.();
  await sent;
  await new Promise(setImmediate);
  expect(messages).toEqual([call(1)]);
});

test('a close reaches a paused end, after what was sent before', async () => {
  const { one, other } = await started();
  const { messages, closed } = recordEvents(other);
  other.pause?.();
  void one.send(call(1));
  await one.close();
  await closed;
  expect(messages).toEqual([call(1)]);
});

test('a half-close is reported after the messages, and the other end can still send', async () => {
  const { one, other } = await started();
  const [atOne, atOther] = [recordEvents(one), recordEvents(other)];
  let ended: unknown[] | undefined;
  other.onend = () => (ended = [...atOther.messages]);
  void one.send(call(1));
  void one.end?.();
  await new Promise(setImmediate);
  expect(ended).toEqual([call(1)]);
  expect(() => one.send(call(2))).toThrow('this end has ended its output');
  void other.send(call(3));
  await other.close();
  await atOne.closed;
  expect(atOne.messages).toEqual([call(3)]);
});

test('a half-close closes an end that has no onend', async () => {
  const { one, other } = await started();
  const { closed } = recordEvents(other);
  void one.end?.();
  await closed;
});

test('messages wait for the start of the other end', async () => {
  const [one, other] = memoryPair();
  const { messages } = recordEvents(other);
  await one.start();
  void one.send(call(1));
  void one.send(call(2));
  await new Promise(setImmediate);
  expect(messages).toEqual([]);
  await other.start();
  expect(messages).toEqual([call(1), call(2)]);
});

test('starting twice is refused', async () => {
  const { one } = await started();
  await expect(one.start()).rejects.toThrow('started already');
});

test('a receiver that throws does not stop later messages', async () => {
  const { one, other } = await started();
  const { messages, errors } = recordEvents(other);
  const record = other.onmessage;
  other.onmessage = (value) => {
    record?.(value);
    if (messages.length === 1) throw new Error('no');
    // Not everything that is thrown is an Error.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (messages.length === 2) throw 'text';
  };
  for (const id of [1, 2, 3]) void one.send(call(id));
  await Promise.resolve();
  expect(messages).toHaveLength(3);
  expect(errors.map((error) => error.message)).toEqual(['no', 'text']);
});

test('a listener of errors that throws stops nothing', async () => {
  const { one, other } = await started();
  let count = 0;
  other.onmessage = () => {
    count += 1;
    throw new Error('no');
  };
  other.onerror = () => {
    throw new Error('no either');
  };
  void one.send(call(1));
  void one.send(call(2));
  await Promise.resolve();
  expect(count).toBe(2);
});

test.each(['one', 'other'] as const)('closing the end "%s" is reported once to both ends', async (name) => {
  const ends = await started();
  const [atOne, atOther] = [recordEvents(ends.one), recordEvents(ends.other)];
  await ends[name].close();
  await ends.one.close();
  await ends.other.close();
  await new Promise(setImmediate);
  expect([atOne.closes(), atOther.closes()]).toEqual([1, 1]);
  expect(() => ends.one.send(call(1))).toThrow('the connection is closed');
  expect(() => ends.other.send(call(1))).toThrow('the connection is closed');
});

test('a close delivers what was sent before it', async () => {
  const { one, other } = await started();
  const [atOne, atOther] = [recordEvents(one), recordEvents(other)];
  const order: string[] = [];
  other.onmessage = () => order.push('message');
  other.onclose = () => order.push('close');
  void one.send(call(1));
  void other.send(call(2));
  await one.close();
  expect(order).toEqual(['message', 'close']);
  expect(atOne.messages).toEqual([]);
  expect(atOther.messages).toEqual([]);
});

test('closing in the middle of what came ends it', async () => {
  const { one, other } = await started();
  const { messages, closes } = recordEvents(other);
  const record = other.onmessage;
  other.onmessage = (value) => {
    record?.(value);
    void other.close();
  };
  void one.send(call(1));
  void one.send(call(2));
  await new Promise(setImmediate);
  expect(messages).toEqual([call(1)]);
  expect(closes()).toBe(1);
});

test('an end that was not started is closed too', async () => {
  const [one, other] = memoryPair();
  const [atOne, atOther] = [recordEvents(one), recordEvents(other)];
  await one.close();
  expect([atOne.closes(), atOther.closes()]).toEqual([1, 1]);
  await expect(other.start()).rejects.toThrow('the connection is closed');
  await expect(one.start()).rejects.toThrow('the connection is closed');
});

test('an end for which messages wait is closed when it has got them', async () => {
  const [one, other] = memoryPair();
  const { messages, closes } = recordEvents(other);
  await one.start();
  void one.send(call(1));
  await one.close();
  expect([messages.length, closes()]).toEqual([0, 0]);
  await other.start();
  await new Promise(setImmediate);
  expect([messages.length, closes()]).toEqual([1, 1]);
});

test('100,000 round trips are fast', async () => {
  const { one, other } = await started();
  const count = 100_000;
  let back = 0;
  other.onmessage = (value) => void other.send(value as object);
  const begin = performance.now();
  await new Promise<void>((resolve) => {
    one.onmessage = () => {
      back += 1;
      if (back === count) resolve();
    };
    for (let id = 0; id < count; id += 1) void one.send({ id });
  });
  // Far above what it takes, far below what a timer for each would take.
  expect(performance.now() - begin).toBeLessThan(5000);
});
