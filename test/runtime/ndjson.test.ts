import { Readable } from 'node:stream';
import fc from 'fast-check';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { encodeLine, MessageReader, readMessages, resultResponse } from '../../templates/runtime/index.js';
import type { ByteSource, Diagnostic, LineReaderOptions } from '../../templates/runtime/index.js';
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
import type { Event } from './codec-support.js';
import { RESULT, RUNS } from './ndjson-support.js';

const result = resultResponse(1, {});

function diagnosticsOf(events: readonly Event[]): readonly Diagnostic[] {
  return events.filter((event) => event.kind === 'diagnostic');
}

async function collect(source: ByteSource, options: Partial<LineReaderOptions> = {}): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of readMessages(source, { classify, ...options })) events.push(event);
  return events;
}

describe('messages', () => {
  test('are parsed between invalid lines', () => {
    const junk = fc
      .oneof(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.string({ minLength: 1 }).map(utf8))
      // What opens a bracket may have the lines after it for its continuation, which other tests are about.
      .map((bytes) =>
        bytesOf(
          '#',
          bytes.filter((byte) => byte !== 0x0a),
        ),
      );
    const line = fc.oneof(anyMessage, junk);
    fc.assert(
      fc.property(fc.array(line), anySizes, (lines, sizes) => {
        const parts = lines.map((item) => (item instanceof Uint8Array ? bytesOf(item, '\n') : encodeLine(item)));
        const wanted = lines.map((item, index) => (item instanceof Uint8Array ? index + 1 : asRead(item)));
        const events = readEvents(splitBytes(bytesOf(...parts), sizes));
        expect(
          events.map((event) => (event.kind === 'diagnostic' ? event.line : 'message' in event && event.message)),
        ).toEqual(wanted);
      }),
      { numRuns: RUNS / 2 },
    );
  });

  test('are split at newlines only', () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"t":"a\u2028b\u2029c\u0085d\u00a0e"}}';
    expect(messagesOf(readEvents([`${text}\n`]))).toEqual([JSON.parse(text)]);
    // A carriage return is white space to JSON, and no end of a line.
    expect(messagesOf(readEvents([`{"jsonrpc":"2.0",\r"id":1,"result":{}}\n`]))).toEqual([result]);
    expect(kindsOf(readEvents([`${RESULT}\r${RESULT}\n`]))).toEqual(['not-json']);
  });

  test('keep characters whole that are cut by chunks', () => {
    const text = 'ä€😀\u{10ffff}'.repeat(50);
    const line = encodeLine(resultResponse(1, { text }));
    for (const size of [1, 2, 3, 5]) {
      expect(messagesOf(readEvents(splitBytes(utf8(line), [size])))).toEqual([resultResponse(1, { text })]);
    }
  });

  test('may end in CRLF', () => {
    expect(kindsOf(readEvents([`\n\r\n  \n\t\n${RESULT}\r\n\r\n${RESULT}\n\n`]))).toEqual(['result', 'result']);
    expect(kindsOf(readEvents(splitBytes(utf8(`\r\n${RESULT}\r\n${RESULT}\r\n \r\n`), [1])))).toEqual([
      'result',
      'result',
    ]);
  });

  test('may be separated by blank lines', () => {
    expect(readEvents([])).toEqual([]);
    expect(readEvents(['\n \n  '])).toEqual([]);
    // Other white space is not JSON's.
    expect(kindsOf(readEvents(['\u00a0\n', '\f\n']))).toEqual(['not-json', 'not-json']);
  });

  test('may follow a byte order mark at the start of the stream only', () => {
    const mark = new Uint8Array([0xef, 0xbb, 0xbf]);
    for (const size of [1, 2, 3, 4, 100]) {
      expect(kindsOf(readEvents(splitBytes(bytesOf(mark, RESULT, '\n', RESULT, '\n'), [size])))).toEqual([
        'result',
        'result',
      ]);
      expect(
        kindsOf(readEvents(splitBytes(bytesOf(mark, '\n', mark, RESULT, '\n', mark, mark, RESULT), [size]))),
      ).toEqual(['not-json', 'not-json']);
      expect(kindsOf(readEvents(splitBytes(bytesOf(mark, mark, RESULT), [size])))).toEqual(['not-json']);
      expect(readEvents(splitBytes(mark, [size]))).toEqual([]);
    }
  });

  test('may end without a newline', () => {
    const reader = new MessageReader({ classify });
    expect(reader.push(utf8(RESULT))).toEqual([]);
    expect(reader.end()).toEqual([{ kind: 'result', message: result }]);
    expect(reader.end()).toEqual([]);
  });

  test('may be batches where the revision has them', () => {
    const text = `[${RESULT},${RESULT}]\n[]\n`;
    expect(kindsOf(readEvents([text], { classify: classifyWithBatches }))).toEqual(['batch', 'invalid']);
    expect(kindsOf(readEvents([text]))).toEqual(['invalid', 'invalid']);
  });

  test('are judged by the options of parseMessage', () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"a","params":null}\n';
    expect(kindsOf(readEvents([text]))).toEqual(['invalid']);
    expect(kindsOf(readEvents([text], { nullParamsAsAbsent: true }))).toEqual(['request']);
    expect(kindsOf(readEvents([text.replace('null', '{"a":{}}')], { maxDepth: 2 }))).toEqual(['invalid']);
  });
});

describe('a line that is no JSON', () => {
  test('is skipped with one report', () => {
    const [first, second, ...rest] = readEvents(['Server started\n', '[INFO] ready\n', `${RESULT}\n`]);
    expect(first).toEqual({
      kind: 'diagnostic',
      code: 'not-json',
      line: 1,
      reason: 'the line is not JSON',
      excerpt: '"Server started"',
      messageKind: 'unknown',
      id: null,
      errorResponse: {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32700, message: 'Parse error: the line is not JSON' },
      },
    });
    expect(second).toMatchObject({ code: 'not-json', line: 2, excerpt: '"[INFO] ready"' });
    expect(rest).toEqual([{ kind: 'result', message: result }]);
  });

  test('is truncated and escaped in the report', () => {
    const [short] = diagnosticsOf(readEvents(['\u001b[31m\u009b2J\u202eevil\u200b\ufeff"\\\u2066\u007f\r\n']));
    expect(short?.excerpt).toBe('"\\u001b[31m\\u009b2J\\u202eevil\\u200b\\ufeff\\"\\\\\\u2066\\u007f\\r"');
    const [long] = diagnosticsOf(readEvents([`${'x'.repeat(1e6)}\n`]));
    expect(long?.excerpt).toBe(`"${'x'.repeat(100)}..."`);
    // Half a character is no reason to fail.
    const [half] = diagnosticsOf(readEvents([`${'x'.repeat(99)}😀 and more\n`]));
    expect(half?.excerpt).toBe(`"${'x'.repeat(99)}\\ud83d..."`);
  });

  test('is reported as such if it is not UTF-8', () => {
    const bytes = bytesOf(RESULT, '\n{"jsonrpc":"2.0","id":2,"method":"', new Uint8Array([0xff]), '"}\n', RESULT, '\n');
    const events = readEvents([bytes]);
    expect(kindsOf(events)).toEqual(['result', 'not-utf8', 'result']);
    expect(events[1]).toMatchObject({ line: 2, errorResponse: { id: null, error: { code: -32700 } } });
    expect((events[1] as Diagnostic).excerpt).toBe('"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":2,\\"method\\":\\"\ufffd\\"}"');
    expect(kindsOf(readEvents([bytesOf(new Uint8Array([0xe2, 0x82]))]))).toEqual(['not-utf8']);
  });

  test('is answered without an id where the revision has it so', () => {
    const [event] = diagnosticsOf(readEvents(['a\n'], { unreadableId: 'absent' }));
    expect(event?.errorResponse).toStrictEqual({
      jsonrpc: '2.0',
      error: { code: -32700, message: 'Parse error: the line is not JSON' },
    });
  });

  test('is distinguished from an invalid message', () => {
    expect(
      readEvents(['{"hello":"world"}\n', '1\n', '[1]\n']).map(
        (event) => 'errorResponse' in event && event.errorResponse?.error.code,
      ),
    ).toEqual([-32600, -32600, -32600]);
  });
});

describe('a message over several lines', () => {
  const pretty = JSON.stringify(
    {
      jsonrpc: '2.0',
      id: 1,
      result: { tools: [{ name: '} "{[', deep: [1, -2.5e3, true, null, 'x', [], {}, [[{}], 3]] }] },
    },
    null,
    2,
  );

  test.each([
    ['indented by two', pretty],
    ['indented by tabs', pretty.replace(/ {2}/g, '\t')],
    ['with CRLF', pretty.replaceAll('\n', '\r\n')],
    ['not indented', pretty.replace(/\n +/g, '\n')],
    ['with blank lines', pretty.replaceAll('\n', '\n\n')],
    ['an array', `[\n${pretty}\n]`],
  ])('is reported once, with a hint: %s', (_, text) => {
    const events = readEvents([`${RESULT}\n${text}\n${RESULT}\nbanner\n`]);
    expect(kindsOf(events)).toEqual(['result', 'embedded-newline', 'result', 'not-json']);
    expect(events[1]).toMatchObject({
      line: 2,
      reason: 'a message over several lines, such as pretty-printed JSON; it must be one line',
      errorResponse: { id: null, error: { code: -32700 } },
    });
  });

  test('is reported once each time', () => {
    expect(kindsOf(readEvents([`${pretty}\n${pretty}\n{\n}\n[\n1\n]\n`]))).toEqual(Array(4).fill('embedded-newline'));
  });

  test('hides no later message, even if it never ends', () => {
    expect(kindsOf(readEvents([`{\n"a": {\n${RESULT}\n"b": 1\n1\n`]))).toEqual([
      'embedded-newline',
      'result',
      'not-json',
      'invalid',
    ]);
    // Nor one that is invalid but was meant to be one.
    expect(kindsOf(readEvents([`{\n{"jsonrpc":"2.0","id":1}\n`]))).toEqual(['embedded-newline', 'invalid']);
  });

  test('hides no other line after it', () => {
    expect(kindsOf(readEvents(['{"jsonrpc":"2.0",\nServer crashed\n"a"\n']))).toEqual([
      'embedded-newline',
      'not-json',
      'invalid',
    ]);
    expect(kindsOf(readEvents(['{"a":\n', bytesOf(new Uint8Array([0xff, 0x0a])), '1\n']))).toEqual([
      'embedded-newline',
      'not-utf8',
      'invalid',
    ]);
    const long = `{"a":\n"${'x'.repeat(100)}"\n1\n`;
    expect(kindsOf(readEvents([long], { maxMessageBytes: 50 }))).toEqual(['embedded-newline', 'too-long', 'invalid']);
  });

  test('may be cut inside a string', () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"t":"a\nb"}}\n1\n';
    expect(kindsOf(readEvents([text]))).toEqual(['embedded-newline', 'not-json', 'invalid']);
    expect(kindsOf(readEvents([text.replace('b"}}', '2')]))).toEqual(['embedded-newline', 'invalid', 'invalid']);
  });

  test('is not seen in what only begins with a bracket', () => {
    for (const line of ['[INFO] {', '{x', '[12:00] up', '{}{', '[run] {', '{"a":1', '[', '{ "a": nulls, [']) {
      const [first, ...rest] = kindsOf(readEvents([`${line}\n`, '42\n']));
      const isOpen = line === '{"a":1' || line === '[' || line === '{}{';
      expect([line, first, ...rest]).toEqual([line, ...(isOpen ? ['embedded-newline'] : ['not-json', 'invalid'])]);
    }
  });

  test('is reported as unfinished at the end of the stream', () => {
    expect(kindsOf(readEvents(['{"jsonrpc":"2.0","id":1,"resu']))).toEqual(['unfinished']);
    expect(kindsOf(readEvents(['{"jsonrpc":"2.0","id":1,']))).toEqual(['unfinished']);
    expect(kindsOf(readEvents(['bye']))).toEqual(['not-json']);
    expect(kindsOf(readEvents(['{\n"a":']))).toEqual(['embedded-newline']);
  });
});

describe('Content-Length framing', () => {
  const frame = (header: string): string => `${header}\r\n\r\n${RESULT}`;

  test.each([
    'Content-Length: 36',
    'content-length:36',
    'Content-Length: 36\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8',
  ])('is named: %s', (header) => {
    const events = readEvents([frame(header)]);
    const headers = header.split('\n').map(() => 'content-length');
    expect(kindsOf(events)).toEqual([...headers, 'result']);
    expect(events[0]).toMatchObject({
      line: 1,
      reason: 'Content-Length framing; each message must be one line of JSON',
    });
  });

  test('is named where the next header stands right behind a message', () => {
    const header = 'Content-Length: 36';
    expect(kindsOf(readEvents([frame(header), frame(header), frame(header)]))).toEqual([
      ...Array<string>(3).fill('content-length'),
      'result',
    ]);
  });

  test('is not seen in what only mentions it', () => {
    expect(kindsOf(readEvents(['see Content-Length: 5\n', 'Content-Lengthy: 5\n']))).toEqual(['not-json', 'not-json']);
  });
});

describe('a line that is too long', () => {
  /** A line of a length in bytes. */
  const lineOf = (length: number, start = '{"jsonrpc":"2.0","id":7,"result":{"t":"'): string =>
    `${start}${'x'.repeat(length - start.length - 3)}"}}`;

  test('is measured in bytes without its newline', () => {
    const line = '{"jsonrpc":"2.0","id":1,"method":"ä€😀"}';
    const length = utf8(line).length;
    expect(length).toBeGreaterThan(line.length);
    for (const sizes of [[1], [3], [1000]]) {
      expect(kindsOf(readEvents(splitBytes(utf8(`${line}\n`), sizes), { maxMessageBytes: length }))).toEqual([
        'request',
      ]);
      expect(kindsOf(readEvents(splitBytes(utf8(`${line}\n`), sizes), { maxMessageBytes: length - 1 }))).toEqual([
        'too-long',
      ]);
    }
  });

  test('is reported once, as soon as it exceeds the limit', () => {
    const reader = new MessageReader({ classify, maxMessageBytes: 100 });
    expect(reader.push(utf8('{"jsonrpc":"2.0","id":"x","method":"a","params":{"t":"'))).toEqual([]);
    const reason = 'the message is longer than 100 bytes';
    expect(reader.push(utf8('x'.repeat(100)))).toEqual([
      {
        kind: 'diagnostic',
        code: 'too-long',
        line: 1,
        reason,
        excerpt: `"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":\\"x\\",\\"method\\":\\"a\\",\\"params\\":{\\"t\\":\\"${'x'.repeat(46)}"`,
        messageKind: 'request',
        id: 'x',
        errorResponse: { jsonrpc: '2.0', id: 'x', error: { code: -32600, message: `Invalid Request: ${reason}` } },
      },
    ]);
    for (let count = 0; count < 100; count += 1) expect(reader.push(utf8('x'.repeat(1000)))).toEqual([]);
    expect(reader.push(utf8(`\n${RESULT}\noops\n`))).toMatchObject([{ kind: 'result' }, { line: 3 }]);
  });

  test('is answered unless it is a response', () => {
    const at = (start: string): unknown => readEvents([`${lineOf(5000, start)}\n`], { maxMessageBytes: 4000 })[0];
    expect(at('{"jsonrpc":"2.0","id":7,"result":{"t":"')).toMatchObject({
      messageKind: 'response',
      id: 7,
      errorResponse: undefined,
    });
    // A notification, or a request whose id comes last: the null id serves the second.
    expect(at('{"jsonrpc":"2.0","method":"a","params":{"t":"')).toMatchObject({
      messageKind: 'unknown',
      errorResponse: { id: null },
    });
    expect(at('hello')).toMatchObject({ messageKind: 'unknown', errorResponse: { id: null } });
  });

  test('ends a stream without more ado', () => {
    expect(kindsOf(readEvents(['x'.repeat(20), 'y'], { maxMessageBytes: 10 }))).toEqual(['too-long']);
  });

  test.each([0, -1, NaN])('cannot have the limit %s', (limit) => {
    expect(() => new MessageReader({ classify, maxMessageBytes: limit })).toThrow(RangeError);
    expect(() => new MessageReader({ classify, maxDepth: limit })).toThrow(/^maxDepth must be at least 1/);
  });

  test('is unlimited by option', () => {
    expect(
      kindsOf(readEvents(splitBytes(utf8(lineOf(20_000_000)), [5_000_000]), { maxMessageBytes: Infinity })),
    ).toEqual(['result']);
  });
});

describe('any bytes', () => {
  test('are not kept: what is in a chunk may change afterwards', () => {
    const reader = new MessageReader({ classify });
    const chunk = utf8(RESULT);
    reader.push(chunk);
    chunk.fill(0);
    expect(reader.push(utf8('\n'))).toEqual([{ kind: 'result', message: result }]);
  });

  test('must be a Uint8Array', () => {
    const reader = new MessageReader({ classify });
    expect(() => reader.push(RESULT as unknown as Uint8Array)).toThrow(
      'a stream of messages consists of bytes (Uint8Array)',
    );
    expect(() => reader.push(new Uint16Array(1) as unknown as Uint8Array)).toThrow(TypeError);
    expect(reader.push(runInNewContext('new Uint8Array([0x31, 0x0a])') as Uint8Array)).toMatchObject([
      { kind: 'invalid' },
    ]);
    expect(reader.push(Buffer.from(`${RESULT}\n`))).toHaveLength(1);
  });

  test('must come before the end', () => {
    const reader = new MessageReader({ classify });
    reader.end();
    expect(() => reader.push(utf8('\n'))).toThrow('bytes after the end of the stream');
  });
});

describe('readMessages', () => {
  const chunks = [utf8(`${RESULT}\n{"jsonrpc`), utf8(`":"2.0","id":1,"result":{}}\nbanner\n${RESULT}`)];
  const wanted = ['result', 'result', 'not-json', 'result'];

  test('reads whatever yields bytes', async () => {
    expect(kindsOf(await collect(Readable.from(chunks)))).toEqual(wanted);
    expect(kindsOf(await collect(ReadableStream.from(chunks) as ByteSource))).toEqual(wanted);
    async function* generate(): AsyncGenerator<Uint8Array> {
      await Promise.resolve();
      yield* chunks;
    }
    expect(kindsOf(await collect(generate()))).toEqual(wanted);
  });

  test('is typed by the classify that it is given', async () => {
    for await (const event of readMessages(Readable.from(chunks), { classify })) {
      // @ts-expect-error no batches in this revision
      expect(event.kind === 'batch').toBe(false);
    }
  });

  test('asks for a chunk only when the one before is used up', async () => {
    let asked = 0;
    async function* generate(): AsyncGenerator<Uint8Array> {
      for (;;) {
        asked += 1;
        await Promise.resolve();
        yield utf8(`${RESULT}\n${RESULT}\n`);
      }
    }
    const asking: number[] = [];
    for await (const _ of readMessages(generate(), { classify })) {
      asking.push(asked);
      if (asking.length === 6) break;
    }
    expect(asking).toEqual([1, 1, 2, 2, 3, 3]);
  });

  test('hands out a large chunk bit by bit', async () => {
    let count = 0;
    for await (const event of readMessages(Readable.from([utf8('x\n'.repeat(100_000))]), { classify })) {
      if (event.kind === 'diagnostic' && event.code === 'not-json') count += 1;
    }
    expect(count).toBe(100_000);
  });

  test('cancels the stream if the loop is left', async () => {
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(chunks[0] ?? new Uint8Array());
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    for await (const event of readMessages(stream as ByteSource, { classify })) {
      expect(event.kind).toBe('result');
      break;
    }
    expect([isCancelled, stream.locked]).toEqual([true, false]);
    const readable = Readable.from(chunks);
    for await (const _ of readMessages(readable, { classify })) break;
    expect(readable.destroyed).toBe(true);
  });

  test('throws the error of the stream after earlier messages', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield utf8(`${RESULT}\n{"half`);
      await Promise.resolve();
      throw new Error('reset');
    }
    for (const source of [broken(), ReadableStream.from(broken()) as ByteSource]) {
      const events: string[] = [];
      const run = async (): Promise<void> => {
        for await (const event of readMessages(source, { classify })) events.push(event.kind);
      };
      await expect(run()).rejects.toThrow('reset');
      expect(events).toEqual(['result']);
    }
  });

  test('refuses a stream of text', async () => {
    const text = Readable.from([RESULT]) as AsyncIterable<Uint8Array>;
    await expect(collect(text)).rejects.toThrow('a stream of messages consists of bytes (Uint8Array)');
  });
});
