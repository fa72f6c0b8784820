import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteLineSplitter, type Line } from '../../generator/recording/byte-lines.js';
import { RedactedPlaces, Redactor } from '../../generator/recording/redact.js';
import { EventSplitter, type StreamEvent } from '../../generator/record/event-splitter.js';
import { processorTimeOf } from '../support/processor-time.js';

function redactJson(
  value: unknown,
  patterns: readonly string[] = [],
): { text: string; places: readonly string[]; counts: unknown } {
  const redactor = new Redactor(patterns);
  const places = new RedactedPlaces();
  const text = redactor.json(typeof value === 'string' ? value : JSON.stringify(value), places);
  return { text, places: places.list ?? [], counts: Object.fromEntries(redactor.counts) };
}

function redactText(text: string): string {
  return new Redactor().text(text, new RedactedPlaces(), '/text');
}

describe('members', () => {
  test.each([
    'authorization',
    'Authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'apiKey',
    'api_key',
    'API KEY',
    'token',
    'accessToken',
    'access_token',
    'x-auth-token',
    'secret',
    'client_secret',
    'password',
    'dbPassword',
    'passphrase',
    'credentials',
    'private_key',
    'jwt',
    'auth',
  ])('named %s are replaced at any depth', (name) => {
    const { text, places, counts } = redactJson({ params: { arguments: [{ [name]: 'abc' }] } });
    expect(JSON.parse(text)).toEqual({ params: { arguments: [{ [name]: '[redacted]' }] } });
    expect(places).toEqual([`/frame/params/arguments/0/${name}`]);
    expect(counts).toEqual({ [name]: 1 });
  });

  test.each<[string, unknown]>([
    ['progress tokens', { _meta: { progressToken: 'abc' }, progressToken: 'x' }],
    ['numbers of tokens', { maxTokens: 100, usage: { totalTokens: 2.5e3, tokens: [1, { input: 2 }] } }],
    ['cursors', { nextCursor: 'abc', cursor: 'abc' }],
    ['true, false, null and empty strings', { secret: true, token: null, password: '', hasPassword: false }],
    [
      'schemas of secrets',
      {
        inputSchema: {
          properties: { token: { type: 'string' }, password: { properties: { secret: { const: 'x' } } } },
          required: ['token'],
        },
      },
    ],
    ['other members', { key: 'k', author: 'a', text: 'a token: x', uri: 'file:///token', keyboard: 'x' }],
  ])('that are %s are kept', (_, value) => {
    expect(redactJson(value)).toEqual({ text: JSON.stringify(value), places: [], counts: {} });
  });

  test('with objects, arrays and numbers are replaced as a whole', () => {
    const value = {
      credentials: { user: 'ada', pin: 1234, more: [{ x: 'y' }, 5] },
      password: -1.5e3,
      tokens: ['a', 7],
    };
    const { text, places, counts } = redactJson(value);
    expect(JSON.parse(text)).toEqual({
      credentials: { user: '[redacted]', pin: 0, more: [{ x: '[redacted]' }, 0] },
      password: 0,
      tokens: ['[redacted]', 7],
    });
    expect(places).toEqual(['/frame/credentials', '/frame/password', '/frame/tokens']);
    expect(counts).toEqual({ credentials: 1, password: 1, tokens: 1 });
  });

  test('leave all other text as it is: numbers, order, spaces, escapes', () => {
    const text = '{ "id":1.0, "n":12345678901234567890,\t"a":"\\u0041\\"}", "token" : "x\\"y" ,"z":[-1e-5]}';
    expect(redactJson(text).text).toBe(text.replace('"x\\"y"', '"[redacted]"'));
  });

  test('that are repeated, or whose names are escaped, are replaced, too', () => {
    const { text } = redactJson('{"token":"first","token":5,"\\u0074oken":"second","a":{"secret":"third"},"a":1}');
    expect(text).not.toMatch(/first|second|third/);
  });

  test('value next to a secret name is replaced', () => {
    const value = {
      headers: [
        { name: 'Authorization', value: 'abc' },
        { value: 'def', name: 'API_KEY' },
        { name: 'accept', value: 'x' },
      ],
    };
    const { text, places } = redactJson(value);
    expect(JSON.parse(text)).toEqual({
      headers: [
        { name: 'Authorization', value: '[redacted]' },
        { value: '[redacted]', name: 'API_KEY' },
        { name: 'accept', value: 'x' },
      ],
    });
    expect(places).toEqual(['/frame/headers/0/value', '/frame/headers/1/value']);
  });

  test('in JSON inside a string are replaced, as results of tools contain it', () => {
    const value = { content: [{ type: 'text', text: JSON.stringify({ inner: JSON.stringify([{ token: 'abc' }]) }) }] };
    const { text, places } = redactJson(value);
    expect(text).not.toContain('abc');
    expect(
      JSON.parse((JSON.parse((JSON.parse(text) as typeof value).content[0]?.text ?? '') as { inner: string }).inner),
    ).toEqual([{ token: '[redacted]' }]);
    expect(places).toEqual(['/frame/content/0/text']);
  });

  test('that match a pattern are replaced, also if they would be kept', () => {
    expect(
      JSON.parse(redactJson({ Account: 'a', accountId: 7, progressToken: 'p' }, ['^account', '^progress']).text),
    ).toEqual({
      Account: '[redacted]',
      accountId: 0,
      progressToken: '[redacted]',
    });
  });

  test('of any JSON are found without changing what is not secret', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(redactJson(text, ['^(?!x)x']).text).toBe(text);
        const wrapped = `{"deep":[{"a":${text}}],"token":"abcabc"}`;
        expect(redactJson(wrapped).text).toBe(wrapped.replace('"abcabc"', '"[redacted]"'));
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  test('that are nested deeply, or have long names, take little time and memory', () => {
    const deep = `${'[{"a":'.repeat(100_000)}{"token":"abc"}${'}]'.repeat(100_000)}`;
    const start = performance.now();
    expect(redactJson(deep).text).not.toContain('abc');
    const wide = redactJson(`{"${'k'.repeat(1e5)}":[${'{"token":"abc"},'.repeat(1e4)}0]}`);
    expect(wide.text).not.toContain('abc');
    expect(wide.places).toEqual([]);
    expect(redactJson(`[${'{"token":"abc"},'.repeat(1e4)}0]`).places).toHaveLength(100);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

describe('text', () => {
  test.each([
    ['https://ada:lovelace@example.com/a?b=c', 'https://[redacted]@example.com/a?b=c'],
    [
      'see https://example.com/?a=b&access_token=abc&x=y#id_token=def.',
      'see https://example.com/?a=b&access_token=[redacted]&x=y#id_token=[redacted]',
    ],
    ['postgres://ada:lovelace@db/x and ftp://host', 'postgres://[redacted]@db/x and ftp://host'],
    ['used Bearer abcdefghijklmnopqrstuvwx.', 'used Bearer [redacted]'],
    ['a bearer of news, https://example.com/@ada', 'a bearer of news, https://example.com/@ada'],
  ])('in JSON: %s', (text, want) => {
    expect(JSON.parse(redactJson({ text }).text)).toEqual({ text: want });
    // Also with slashes escaped, as some serializers do.
    expect(JSON.parse(redactJson(JSON.stringify({ text }).replaceAll('/', '\\/')).text)).toEqual({ text: want });
  });

  test.each([
    ['Authorization: Bearer abc\r\nAccept: x', 'Authorization:[redacted]\r\nAccept: x'],
    ['client_secret=abc&grant_type=x', 'client_secret=[redacted]&grant_type=x'],
    ['API_KEY="a b" next=1', 'API_KEY=[redacted] next=1'],
    ['{"id":1,"token":"abc","n', '{"id":1,"token":[redacted]'],
    ['listening on http://localhost:1', 'listening on http://localhost:1'],
    ['progressToken: 1', 'progressToken: 1'],
  ])('that is not JSON: %s', (text, want) => {
    expect(redactText(text)).toBe(want);
  });

  test('takes time in proportion to its length', () => {
    const took = processorTimeOf(() => {
      for (const part of ['a.', 'a:', 'token', '=', ' ', 'a://', '?a=', 'Bearer ', '"', '{', '@'])
        redactText(part.repeat(1_000_000));
      for (const part of ['a.', 'token', '?a=', 'Bearer ']) redactJson({ text: `https://${part.repeat(500_000)}` });
    });
    expect(took).toBeLessThan(15_000);
  });
});

describe('lines', () => {
  test('of any chunks are those of the text, and memory is bounded', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 30 }), { maxLength: 20 }),
        fc.array(fc.nat(40), { minLength: 1 }),
        fc.nat(20),
        (parts, sizes, max) => {
          const bytes = Buffer.from(parts.join('\n'));
          const lines: Line[] = [];
          const splitter = new ByteLineSplitter(max, (line) => lines.push(line));
          for (let start = 0, index = 0; start < bytes.length; index += 1) {
            const size = 1 + (sizes[index % sizes.length] ?? 0);
            splitter.add(bytes.subarray(start, start + size));
            start += size;
          }
          splitter.end();
          const want = bytes.toString().split('\n');
          if (want.at(-1) === '') want.pop();
          expect(
            lines.map((line) => (line.kind === 'whole' ? line.bytes.toString() : [line.size, line.start.toString()])),
          ).toEqual(want.map((line) => (Buffer.byteLength(line) <= max ? line : [Buffer.byteLength(line), line])));
        },
      ),
      { seed: 5, numRuns: 500 },
    );
  });
});

describe('events', () => {
  function eventsOf(text: string, max = 1000, size = 3): readonly unknown[] {
    const events: StreamEvent[] = [];
    const splitter = new EventSplitter(max, (event) => events.push(event));
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += size) splitter.add(bytes.subarray(start, start + size));
    return events.map(({ data, ...rest }) => ({
      ...(JSON.parse(JSON.stringify(rest)) as object),
      ...(data === undefined ? {} : { data: data.kind === 'whole' ? data.bytes.toString() : data.size }),
    }));
  }

  test.each<[string, readonly unknown[]]>([
    ['data: a\n\n', [{ data: 'a' }]],
    ['\ufeffdata:a\r\ndata: b\r\n\r\n', [{ data: 'a\nb' }]],
    ['data: a\rdata: b\r\r\n\n', [{ data: 'a\nb' }]],
    ['data\n\ndata: \ndata:\n\n', [{}, { data: '\n' }]],
    [': c\n\nfoo: x\n\n', []],
    ['id: a\0b\nid:1\nevent: e\nretry: x\nretry: 5\n\n', [{ id: '1', event: 'e', retry: 5 }]],
    ['data: a', []],
  ])('%j', (text, want) => {
    for (const size of [1, 3, 100]) expect(eventsOf(text, 1000, size)).toEqual(want);
  });

  test('over the limit are cut, and the next one is not', () => {
    const long = `data: ${'x'.repeat(200)}\n\ndata: ${'y'.repeat(60)}\ndata: ${'y'.repeat(60)}\n\ndata: z\n\n`;
    expect(eventsOf(long, 100)).toEqual([{ data: 200 }, { data: 121 }, { data: 'z' }]);
  });
});
