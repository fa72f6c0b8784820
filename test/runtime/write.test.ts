import { spawn } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  encodeLine,
  encodeText,
  readMessages,
  request,
  resultResponse,
  RpcError,
  errorResponse,
  writeLine,
  writeText,
} from '../../templates/runtime/index.js';
import type { Message, WebSink } from '../../templates/runtime/index.js';
import { anyMessage, asRead, classify, messagesOf, readEvents } from './codec-support.js';

const message = resultResponse(1, {});
const line = '{"jsonrpc":"2.0","id":1,"result":{}}\n';

/** Lets everything that is ready run. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function stateOf(promise: Promise<unknown>): Promise<string> {
  await nextTurn();
  return Promise.race([
    promise.then(
      () => 'resolved',
      (error: unknown) => String(error),
    ),
    nextTurn().then(() => 'pending'),
  ]);
}

describe('encodeLine', () => {
  test('writes one line with one newline', () => {
    expect(encodeLine(message)).toBe(line);
    expect(encodeLine([message, message])).toBe(`[${line.trim()},${line.trim()}]\n`);
    fc.assert(
      fc.property(anyMessage, (any) => {
        const text = encodeLine(any);
        expect(text.match(/[\r\n\u2028\u2029]/g)).toEqual(['\n']);
        expect(text.endsWith('\n')).toBe(true);
        expect(messagesOf(readEvents([text]))).toEqual([asRead(any)]);
      }),
    );
  });

  test('escapes what other readers take for the end of a line', () => {
    const text = encodeLine(resultResponse(1, { 't\u2028': 'a\u2028b\u2029c\nd\r\u0085' }));
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{"t\\u2028":"a\\u2028b\\u2029c\\nd\\r\u0085"}}\n');
  });

  test('leaves undefined members out', () => {
    expect(encodeLine({ jsonrpc: '2.0', id: 1, result: { a: undefined, b: null } })).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"b":null}}\n',
    );
  });

  test('writes half characters so that they stay what they are', () => {
    expect(encodeLine(request('\ud800', 'a'))).toContain('"\\ud800"');
  });

  test('writes an error without its stack', () => {
    const error = new RpcError(1, 'a', { b: 1 }, { cause: 'secret' });
    expect(encodeLine(errorResponse(1, error))).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a","data":{"b":1}}}\n',
    );
    expect(encodeLine({ jsonrpc: '2.0', id: 1, error })).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a","data":{"b":1}}}\n',
    );
  });

  test('reports where a value is that JSON cannot represent', () => {
    const cycle: { a?: unknown } = {};
    cycle.a = [cycle];
    const deep: unknown = Array.from({ length: 200_000 }).reduce<unknown>((inner) => [inner], 1);
    const failing = {
      toJSON: () => {
        throw new Error('no');
      },
    };
    const shared = {};
    const failures: readonly [unknown, string][] = [
      [undefined, 'it is undefined'],
      [() => 1, 'it is function'],
      [Symbol('a'), 'it is symbol'],
      [1n, 'a BigInt at the top'],
      [resultResponse(1, { 'a/b~': [0, { c: 1n }] }), 'a BigInt at /result/a~1b~0/1/c'],
      [resultResponse(1, cycle), 'a cycle at /result/a/0'],
      [resultResponse(1, { shared, again: [shared], c: 1n }), 'a BigInt at /result/c'],
      [resultResponse(1, { deep }), 'it is nested too deeply'],
      [resultResponse(1, { failing }), 'no'],
    ];
    for (const [value, reason] of failures) {
      expect(() => encodeLine(value as Message)).toThrow(new TypeError(`a message cannot be written: ${reason}`));
    }
    expect(encodeLine(resultResponse(1, { shared, again: shared }))).toContain('again');
  });
});

describe('encodeText', () => {
  test('accepts serialized JSON on one line', () => {
    expect(encodeText(line.trim())).toBe(line);
    expect(encodeText('{"a":"\u2028"}')).toBe('{"a":"\\u2028"}\n');
  });

  test.each([line, `\n${line}`, JSON.stringify(message, null, 1), '{\r}', '{}\r\n', '\n'])(
    'refuses line breaks: %j',
    (text) => {
      expect(() => encodeText(text)).toThrow(/^a message must be one line, but this text has a line break at \d+/);
    },
  );

  test.each(['', ' '])('refuses blank text: %j', (text) => {
    expect(() => encodeText(text)).toThrow('a message cannot be blank');
  });
});

describe('writing to a Node stream', () => {
  /** A sink that is full after each write, until `take()` drains it. */
  function slow(highWaterMark = 1): { sink: Writable; written: string[]; take: () => void } {
    const written: string[] = [];
    const waiting: (() => void)[] = [];
    const sink = new Writable({
      highWaterMark,
      write: (chunk: Buffer, _encoding, done) => {
        written.push(chunk.toString());
        waiting.push(done);
      },
    });
    return { sink, written, take: () => waiting.shift()?.() };
  }

  test('goes on at once as long as there is room', async () => {
    const { sink, written } = slow(1000);
    await writeLine(sink, message);
    await writeText(sink, line.trim());
    expect([written, sink.writableLength, sink.listenerCount('drain')]).toEqual([[line], 2 * line.length, 0]);
  });

  test('waits for drain when the sink is full', async () => {
    const { sink, take } = slow();
    const first = writeLine(sink, message);
    expect(await stateOf(first)).toBe('pending');
    take();
    expect(await stateOf(first)).toBe('resolved');
    expect(['drain', 'error', 'close'].map((event) => sink.listenerCount(event))).toEqual([0, 0, 0]);
  });

  test('never fills more than one message if each is awaited', async () => {
    const lengths: number[] = [];
    const sink: Writable = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        lengths.push(sink.writableLength);
        setImmediate(done);
      },
    });
    for (let count = 0; count < 50; count += 1) await writeLine(sink, message);
    expect(Math.max(...lengths)).toBe(line.length);
    expect(lengths).toHaveLength(50);
  });

  test('adds one listener for all pending writes', async () => {
    const { sink, written, take } = slow();
    const warnings: unknown[] = [];
    const onWarning = (warning: unknown): unknown => warnings.push(warning);
    process.on('warning', onWarning);
    const all = Promise.all(Array.from({ length: 50 }, (_, id) => writeLine(sink, resultResponse(id, {}))));
    expect(sink.listenerCount('drain')).toBe(1);
    for (let count = 0; count < 50; count += 1) {
      take();
      await nextTurn();
    }
    await all;
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
    expect(written.map((text) => (JSON.parse(text) as { id: number }).id)).toEqual(
      Array.from({ length: 50 }, (_, id) => id),
    );
    // And again, after it has drained.
    const next = writeLine(sink, message);
    expect(await stateOf(next)).toBe('pending');
    take();
    expect(await stateOf(next)).toBe('resolved');
  });

  test('rejects all pending writes when the stream fails', async () => {
    const { sink } = slow();
    const waiting = [writeLine(sink, message), writeLine(sink, message)];
    sink.destroy(new Error('broken pipe'));
    for (const wait of waiting) await expect(wait).rejects.toThrow('broken pipe');
    expect(['drain', 'error', 'close'].map((event) => sink.listenerCount(event))).toEqual([0, 0, 0]);
  });

  test('fails if the stream closes without an error', async () => {
    const { sink } = slow();
    const waiting = writeLine(sink, message);
    sink.destroy();
    await expect(waiting).rejects.toThrow('the stream closed before the message was written');
  });

  test('rejects at once if the stream has ended or is destroyed', async () => {
    const ended = new PassThrough();
    ended.end();
    await expect(writeLine(ended, message)).rejects.toThrow('the stream is closed');
    const destroyed = new PassThrough();
    destroyed.destroy();
    await expect(writeLine(destroyed, message)).rejects.toThrow('the stream is closed');
  });

  test('fails before anything is written if the message cannot be', async () => {
    const { sink, written } = slow();
    await expect(writeLine(sink, resultResponse(1, { a: 1n }))).rejects.toThrow('a BigInt at /result/a');
    await expect(writeText(sink, '{}\n{}')).rejects.toThrow('a line break at 2');
    expect(written).toEqual([]);
  });

  test('carries messages through a real pipe', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.pipe(process.stdout)'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const sent = Array.from({ length: 200 }, (_, id) => resultResponse(id, { t: 'ü\u2028'.repeat(id * 50) }));
    const received: unknown[] = [];
    const reading = (async () => {
      for await (const event of readMessages(child.stdout, { classify }))
        received.push('message' in event && event.message);
    })();
    for (const item of sent) await writeLine(child.stdin, item);
    child.stdin.end();
    await reading;
    expect(received).toEqual(sent);
  });
});

describe('writing to a web stream', () => {
  const decode = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

  function open(): {
    stream: WritableStream<Uint8Array>;
    written: string[];
    take: () => void;
    fail: (error: Error) => void;
  } {
    const written: string[] = [];
    const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
    const stream = new WritableStream<Uint8Array>({
      write: (bytes) => {
        written.push(decode(bytes));
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
      },
    });
    return { stream, written, take: () => waiting.shift()?.resolve(), fail: (error) => waiting.shift()?.reject(error) };
  }

  test('waits until the message is written', async () => {
    const { stream, written, take } = open();
    const writing = writeLine(stream, message);
    expect(await stateOf(writing)).toBe('pending');
    expect(stream.locked).toBe(true);
    take();
    expect(await stateOf(writing)).toBe('resolved');
    expect([written, stream.locked]).toEqual([[line], false]);
  });

  test('writes several messages in order', async () => {
    const { stream, written, take } = open();
    const all = [1, 2, 3].map((id) => writeLine(stream, resultResponse(id, {})));
    for (let count = 0; count < 3; count += 1) {
      await nextTurn();
      take();
    }
    await Promise.all(all);
    expect(written.map((text) => (JSON.parse(text) as { id: number }).id)).toEqual([1, 2, 3]);
    expect(stream.locked).toBe(false);
  });

  test('fails with the stream', async () => {
    const { stream, fail } = open();
    const waiting = [writeLine(stream, message), writeLine(stream, message)];
    await nextTurn();
    fail(new Error('gone'));
    for (const wait of waiting) await expect(wait).rejects.toThrow('gone');
    expect(stream.locked).toBe(false);
    await expect(writeLine(stream, message)).rejects.toThrow('gone');
  });

  test('rejects if the stream is closed or locked', async () => {
    const { stream } = open();
    await stream.close();
    await expect(writeLine(stream, message)).rejects.toThrow();
    const locked: WebSink = open().stream;
    locked.getWriter();
    await expect(writeLine(locked, message)).rejects.toThrow(/lock/i);
  });

  test('takes the writer from who holds the lock', async () => {
    const { stream, written, take } = open();
    const writer = stream.getWriter();
    const writing = writeLine(writer, message);
    await nextTurn();
    take();
    await writing;
    expect([written, stream.locked]).toEqual([[line], true]);
  });
});
