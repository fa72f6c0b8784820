import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectEqual, expectSame } from '../support/expect-often.js';
import { DEFAULT_MAX_MESSAGE_BYTES, encodeLine } from '../../templates/runtime/index.js';
import {
  anyMessage,
  anySizes,
  asRead,
  bytesOf,
  classify,
  classifyWithBatches,
  splitBytes,
  kindsOf,
  messagesOf,
  readEvents,
  utf8,
} from './codec-support.js';
import { RESULT, RUNS } from './ndjson-support.js';

describe('messages', () => {
  test('are parsed the same for any chunks', () => {
    fc.assert(
      fc.property(fc.array(anyMessage), anySizes, fc.boolean(), fc.boolean(), (messages, sizes, hasMark, isCrlf) => {
        const lines = messages.map(encodeLine).map((line) => (isCrlf ? line.replace('\n', '\r\n') : line));
        const events = readEvents(splitBytes(bytesOf(hasMark ? '\uFEFF' : '', ...lines), sizes));
        expectEqual(messagesOf(events), messages.map(asRead));
        expectSame(events.length, messages.length);
      }),
      { numRuns: RUNS / 2 },
    );
  });
});

describe('a line that is too long', () => {
  /** A line of a length in bytes. */
  const lineOf = (length: number, start = '{"jsonrpc":"2.0","id":7,"result":{"t":"'): string =>
    `${start}${'x'.repeat(length - start.length - 3)}"}}`;

  test('is one of more than 16 MiB by default', () => {
    expect(DEFAULT_MAX_MESSAGE_BYTES).toBe(16 * 1024 * 1024);
    const fits = lineOf(DEFAULT_MAX_MESSAGE_BYTES);
    const exceeds = `${fits} `;
    for (const sizes of [[Infinity], [1_000_003], [DEFAULT_MAX_MESSAGE_BYTES, 1]]) {
      const events = readEvents(splitBytes(utf8(`${fits}\n${exceeds}\n${RESULT}\n`), sizes));
      expect(kindsOf(events)).toEqual(['result', 'too-long', 'result']);
    }
    expect(kindsOf(readEvents([exceeds]))).toEqual(['too-long']);
    expect(kindsOf(readEvents([fits]))).toEqual(['result']);
  });
});

describe('any bytes', () => {
  const part = fc.oneof(
    fc.uint8Array({ maxLength: 50 }),
    anyMessage.map((message) => utf8(JSON.stringify(message))),
    anyMessage.map((message) => utf8(JSON.stringify(message, null, 1))),
    fc
      .constantFrom('\n', '\n', '\r\n', '\uFEFF', '{', '}', '[', ']', '"', 'Content-Length: 5', '1', '{}', ' ')
      .map(utf8),
  );
  const stream = fc.array(part, { maxLength: 30 }).map((parts) => bytesOf(...parts));
  const limit = fc.oneof(fc.integer({ min: 1, max: 80 }), fc.constant(DEFAULT_MAX_MESSAGE_BYTES));

  test('yield the same results for any chunks', () => {
    fc.assert(
      fc.property(
        stream,
        anySizes,
        limit,
        fc.constantFrom(classify, classifyWithBatches),
        (bytes, sizes, maxMessageBytes, rules) => {
          const options = { classify: rules, maxMessageBytes };
          const whole = readEvents([bytes], options);
          expectEqual(readEvents(splitBytes(bytes, sizes), options), whole);
          expectEqual(readEvents(splitBytes(bytes, [1]), options), whole);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('get the same verdict if many lines are read at once', () => {
    // Longer than what is decoded in one go, so that lines lie across its borders.
    fc.assert(
      fc.property(stream, fc.integer({ min: 65_400, max: 65_600 }), (bytes, length) => {
        const filler = bytesOf('{"jsonrpc":"2.0","id":1,"result":{"t":"', 'x'.repeat(length % 997), '"}}\n');
        const start = bytesOf(
          ...Array<Uint8Array>(Math.floor(length / filler.length)).fill(filler),
          ' '.repeat(length % filler.length),
        );
        const all = bytesOf(start, bytes, '\n', filler);
        expectEqual(readEvents([all]), readEvents(splitBytes(all, [1009])));
      }),
      { numRuns: RUNS / 10 },
    );
  });

  test('spoil nothing but the line in which they are changed', () => {
    fc.assert(
      fc.property(
        fc.array(anyMessage, { minLength: 1 }),
        fc.nat(),
        fc.integer({ min: 11, max: 255 }),
        anySizes,
        (messages, where, byte, sizes) => {
          const lines = messages.map((message) => utf8(encodeLine(message)));
          const line = lines[where % lines.length] ?? new Uint8Array();
          line[where % (line.length - 1)] = byte;
          const events = messagesOf(readEvents(splitBytes(bytesOf(...lines), sizes))).map((message) =>
            JSON.stringify(message),
          );
          const untouched = messages
            .filter((_, index) => index !== where % lines.length)
            .map((message) => JSON.stringify(asRead(message)));
          expect(untouched.filter((message) => !events.includes(message))).toEqual([]);
          expect(events.length - untouched.length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
