import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as revision20250326 from '../../generated/2025-03-26/index.js';
import * as revision20251125 from '../../generated/2025-11-25/index.js';
import {
  collectBatchResponse,
  encodeText,
  errorResponse,
  parseMessage,
  resultResponse,
} from '../../templates/runtime/index.js';
import type { Parsed, ParseOptions } from '../../templates/runtime/index.js';
import { exceedsDepth, scanEnvelope } from '../../templates/runtime/jsonrpc/scan.js';
import {
  anyJson,
  anyMessage,
  asRead,
  bytesOf,
  CLASSIFY,
  classify,
  classifyWithBatches,
  utf8,
} from './codec-support.js';
import { parse } from './parse-support.js';

function parseBatch(input: string, options: Partial<ParseOptions> = {}): Parsed {
  return parse(input, { classify: classifyWithBatches, ...options });
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

describe('parseMessage', () => {
  test.each([
    ['request', PING],
    ['request', '{"jsonrpc":"2.0","id":"","method":"a","params":{"b":[1]}}'],
    ['notification', '{"jsonrpc":"2.0","method":"a"}'],
    ['result', '{"jsonrpc":"2.0","id":0,"result":{}}'],
    ['error', '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}'],
    ['error', '{"jsonrpc":"2.0","error":{"code":1,"message":"","data":null}}'],
  ] as const)('reads a %s: %s', (kind, text) => {
    const wanted = { kind, message: JSON.parse(text) as unknown };
    expect(parse(text)).toEqual(wanted);
    expect(parse(utf8(text))).toEqual(wanted);
    expect(parse(` \t\r\n${text}\r\n`)).toEqual(wanted);
  });

  test('is typed by the classify that it is given', () => {
    const parsed = parseMessage(PING, { classify: revision20251125.classify });
    expectTypeOf<Extract<typeof parsed, { kind: 'batch' }>>().toBeNever();
    const batches = parseMessage(`[${PING}]`, { classify: revision20250326.classify });
    expectTypeOf<Extract<typeof batches, { kind: 'batch' }>>().not.toBeNever();
    expect(batches.kind).toBe('batch');
    expect(parsed.kind === 'request' && revision20251125.hasMethod(parsed.message, 'ping')).toBe(true);
  });

  test('passes the options of a stricter classify on', () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"ping","trace":1}';
    const strict = (value: unknown): ReturnType<typeof classify> => classify(value, { strict: true });
    expect(parse(text).kind).toBe('request');
    expect(parse(text, { classify: strict })).toMatchObject({ kind: 'invalid', reason: 'an unknown member', id: 1 });
  });

  test.each(Object.keys(CLASSIFY) as (keyof typeof CLASSIFY)[])(
    'reads what the constructors of %s make',
    (revision) => {
      fc.assert(
        fc.property(anyMessage, (message) => {
          expect(parse(JSON.stringify(message), { classify: CLASSIFY[revision] })).toMatchObject({
            message: asRead(message),
          });
        }),
      );
    },
  );

  test('skips a byte order mark in bytes only', () => {
    const text = '{"jsonrpc":"2.0","id":"\uFEFF","method":"a"}';
    expect(parse(bytesOf([0xef, 0xbb, 0xbf].map((byte) => String.fromCharCode(byte)).join(''), text)).kind).toBe(
      'invalid',
    );
    expect(parse(bytesOf(new Uint8Array([0xef, 0xbb, 0xbf]), text))).toMatchObject({ message: { id: '\uFEFF' } });
    expect(parse(`\uFEFF${text}`)).toMatchObject({ kind: 'invalid', code: 'not-json' });
  });
});

describe('what is no JSON', () => {
  test.each([
    '',
    ' ',
    'hello',
    '{',
    '{"jsonrpc":"2.0","id":1,"method":"ping"',
    `${PING}${PING}`,
    "{'a':1}",
    'NaN',
    '\u0000',
  ])('gets -32700 with id null: %j', (text) => {
    const answer = errorResponse(null, { code: -32700, message: 'Parse error: the text is not JSON' });
    const wanted = { kind: 'invalid', code: 'not-json', messageKind: 'unknown', id: null, errorResponse: answer };
    expect(parse(text)).toMatchObject(wanted);
    expect(parse(utf8(text))).toMatchObject(wanted);
  });

  test.each([
    ['a lone continuation byte', [0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['Latin-1', [0xe9]],
    ['a byte that UTF-8 does not have', [0xff]],
  ])('gets -32700 for bytes that are not UTF-8: %s', (_, bytes) => {
    const input = bytesOf('{"jsonrpc":"2.0","id":1,"method":"', new Uint8Array(bytes), '"}');
    expect(parse(input)).toEqual({
      kind: 'invalid',
      code: 'not-utf8',
      reason: 'the bytes are not UTF-8',
      messageKind: 'unknown',
      id: null,
      errorResponse: {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32700, message: 'Parse error: the bytes are not UTF-8' },
      },
    });
  });

  test('is answered without an id where the revision has it so', () => {
    expect(parse('{', { unreadableId: 'absent' })).toMatchObject({ id: null });
    const parsed = parse('{', { unreadableId: 'absent' });
    expect(parsed.kind === 'invalid' && parsed.errorResponse !== undefined && 'id' in parsed.errorResponse).toBe(false);
    // An id that was read is given in any case.
    expect(parse('{"id":0}', { unreadableId: 'absent' })).toMatchObject({ errorResponse: { id: 0 } });
  });
});

describe('what is no message', () => {
  test.each([
    ['null', null],
    ['true', null],
    ['false', null],
    ['1', null],
    ['-1', null],
    ['\t\r\n -0.5', null],
    [' []', null],
    ['"a"', null],
    ['{}', null],
    ['{"id":1}', 1],
    ['{"id":"a"}', 'a'],
    ['{"id":0}', 0],
    ['{"id":""}', ''],
    ['{"id":null}', null],
    ['{"id":1.5}', null],
    ['{"id":true}', null],
    ['{"id":[1]}', null],
    ['{"id":{"id":1}}', null],
    ['{"id":9007199254740993}', null],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 1],
    ['{"jsonrpc":2.0,"id":1,"method":"ping"}', 1],
    ['{"id":1,"method":"ping"}', 1],
    ['{"jsonrpc":"2.0","id":1,"method":2}', 1],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
    ['{"jsonrpc":"2.0","method":2}', null],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', 1],
    ['{"method":"a"}', null],
  ])('gets -32600 with the id, or null where none can be read: %s', (text, id) => {
    const parsed = parse(text);
    expect(parsed).toMatchObject({
      kind: 'invalid',
      id,
      errorResponse: { jsonrpc: '2.0', id, error: { code: -32600 } },
    });
  });

  test.each([
    ['{"jsonrpc":"2.0","id":1,"result":1}', 1],
    ['{"jsonrpc":"2.0","id":1,"result":null}', 1],
    ['{"jsonrpc":"2.0","id":"1","error":{"code":"E","message":"x"}}', '1'],
    ['{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}', 1],
    ['{"jsonrpc":"2.0","id":null,"result":{}}', null],
    ['{"id":2,"result":{}}', 2],
    ['{"jsonrpc":"2.0","id":9007199254740993,"result":{}}', null],
    ['{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":1,"message":""}}', null],
    ['[{"jsonrpc":"2.0","id":1,"result":{}}]', null],
  ])('is reported with the id of the call if it is a response: %s', (text, id) => {
    expect(parse(text)).toMatchObject({ kind: 'invalid', messageKind: 'response', id, errorResponse: undefined });
  });

  test('is not answered if it is a notification beyond doubt', () => {
    expect(parse('{"jsonrpc":"2.0","method":"a","params":[]}')).toMatchObject({
      kind: 'invalid',
      code: 'params',
      messageKind: 'notification',
      errorResponse: undefined,
    });
  });

  test('gets -32602 if only its params are wrong', () => {
    for (const params of ['[]', 'null', '1', '"a"', 'false']) {
      expect(parse(`{"jsonrpc":"2.0","id":"a","method":"x","params":${params}}`)).toMatchObject({
        kind: 'invalid',
        code: 'params',
        messageKind: 'request',
        errorResponse: { id: 'a', error: { code: -32602, message: 'Invalid params: params is not an object' } },
      });
    }
    // What else is wrong comes first.
    expect(parse('{"id":"a","method":"x","params":[]}')).toMatchObject({ errorResponse: { error: { code: -32600 } } });
    expect(parse('{"jsonrpc":"2.0","id":9007199254740993,"method":"x","params":[]}')).toMatchObject({ id: null });
  });

  test('may have null params by option', () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"x","params":null}';
    const option = { nullParamsAsAbsent: true };
    expect(parse(text, option)).toStrictEqual({ kind: 'request', message: { jsonrpc: '2.0', id: 1, method: 'x' } });
    expect(parse(text.replace('"id":1,', ''), option)).toMatchObject({ kind: 'notification' });
    expect(parse(text.replace('null', '[]'), option)).toMatchObject({ code: 'params' });
    expect(parse(text.replace(':1,', ':1e300,'), option)).toMatchObject({ code: 'unsafe-id' });
    expect(parseBatch(`[${text}]`, option)).toMatchObject({ kind: 'batch', members: [{ kind: 'request' }] });
  });

  test('is described without a word of the sender', () => {
    const parsed = parse('{"jsonrpc":"evil","id":1,"method":"evil","params":"evil"}');
    expect(parsed.kind === 'invalid' && parsed.reason + JSON.stringify(parsed.errorResponse)).not.toContain('evil');
  });
});

describe('ids', () => {
  test.each([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['0.0', 0],
    ['1e3', 1000],
    ['-7', -7],
    ['"9007199254740993"', '9007199254740993'],
    ['"1"', '1'],
    ['1', 1],
  ])('%s is read exactly', (literal, id) => {
    const parsed = parse(`{"jsonrpc":"2.0","id":${literal},"method":"a"}`);
    expect(parsed).toEqual({ kind: 'request', message: { jsonrpc: '2.0', id, method: 'a' } });
  });

  test.each(['9007199254740992', '9007199254740993', '-9007199254740992', '1e300', '12345678901234567890'])(
    '%s is refused: it would be echoed as another number',
    (literal) => {
      const parsed = parse(`{"jsonrpc":"2.0","id":${literal},"method":"a"}`);
      expect(parsed).toMatchObject({ kind: 'invalid', code: 'unsafe-id', messageKind: 'request', id: null });
      expect(parsed).toMatchObject({ errorResponse: { id: null, error: { code: -32600 } } });
      expect(parse(`{"jsonrpc":"2.0","id":${literal},"result":{}}`)).toMatchObject({
        messageKind: 'response',
        errorResponse: undefined,
      });
    },
  );

  test('no integer that JSON.parse rounds passes', () => {
    const literal = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
    fc.assert(
      fc.property(literal, (id) => {
        const parsed = parse(`{"jsonrpc":"2.0","id":${id},"method":"a"}`);
        expect(parsed.kind === 'request' ? BigInt(parsed.message.id) : undefined).toBe(
          BigInt(Number.MIN_SAFE_INTEGER) <= id && id <= BigInt(Number.MAX_SAFE_INTEGER) ? id : undefined,
        );
      }),
      { numRuns: 1000, examples: [[2n ** 53n], [2n ** 53n - 1n], [2n ** 53n + 1n], [-(2n ** 53n)], [0n]] },
    );
  });
});

describe('__proto__', () => {
  const spellings = [
    '"__proto__"',
    '"\\u005f_proto__"',
    '"\\u005F_proto__"',
    '"__pr\\u006fto__"',
    '"__pr\\u006Fto__"',
    '"__\\u0070roto__"',
    '"__p\\u0072oto__"',
    '"__pro\\u0074o__"',
    '"\\u005f\\u005f\\u0070\\u0072\\u006f\\u0074\\u006f\\u005f\\u005F"',
  ];

  test.each(spellings)('%s is dropped at any depth', (name) => {
    const evil = `${name}:{"admin":true,"id":666}`;
    const text = `{${evil},"jsonrpc":"2.0","id":1,"method":"a","params":{"b":[[{${evil},"c":{"d":1,${evil}}}]],${evil}}}`;
    const parsed = parse(text);
    if (parsed.kind !== 'request') throw new Error(parsed.kind);
    expect(parsed.message).toStrictEqual({ jsonrpc: '2.0', id: 1, method: 'a', params: { b: [[{ c: { d: 1 } }]] } });
    expect(JSON.stringify(parsed.message)).not.toContain('admin');
    const { params } = parsed.message as { params?: { b?: [[object]]; admin?: unknown } };
    const copy = Object.assign({}, params);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(copy.admin).toBeUndefined();
  });

  test('cannot replace members of the envelope', () => {
    expect(parse('{"__proto__":{"jsonrpc":"2.0","id":1,"method":"a"}}')).toMatchObject({ kind: 'invalid', id: null });
    expect(parseBatch(`[${PING},{"__proto__":{"jsonrpc":"2.0","id":2,"method":"a"}}]`)).toMatchObject({
      members: [{ kind: 'request' }, { kind: 'invalid', id: null }],
    });
  });

  test('is kept as a value and in similar names', () => {
    const params = { a: '__proto__', __proto: 1, proto__: 2, constructor: { prototype: 3 }, x__proto__: 4 };
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: '__proto__', params });
    expect(parse(text)).toEqual({ kind: 'request', message: JSON.parse(text) as unknown });
  });

  test('is dropped from any message, even if escaped', () => {
    const escaped = fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }).map((choices) =>
      Array.from('__proto__')
        .map((char, index) => {
          const hex = char.charCodeAt(0).toString(16).padStart(4, '0');
          return choices[index] === true ? `\\u${index % 2 === 0 ? hex.toUpperCase() : hex}` : char;
        })
        .join(''),
    );
    fc.assert(
      fc.property(escaped, anyJson, (name, value) => {
        const parsed = parse(
          `{"jsonrpc":"2.0","id":1,"result":{"${name}":${JSON.stringify(value)},"a":[{"${name}":1}]}}`,
        );
        expect(parsed).toStrictEqual({ kind: 'result', message: { jsonrpc: '2.0', id: 1, result: { a: [{}] } } });
      }),
    );
  });

  test('is dropped without recursion', () => {
    const depth = 200_000;
    const text = `{"jsonrpc":"2.0","id":1,"result":{"a":${'['.repeat(depth)}{"__proto__":1}${']'.repeat(depth)}}}`;
    expect(parse(text, { maxDepth: Infinity }).kind).toBe('result');
  });
});

describe('depth', () => {
  /** A request of the given depth in all. */
  const nested = (depth: number, tail = ''): string =>
    `{"jsonrpc":"2.0","id":"x","method":"a","params":{"a":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}${tail}}`;

  test('is limited to 256 levels by default', () => {
    expect(parse(nested(256)).kind).toBe('request');
    const { reason, ...parsed } = parse(nested(257)) as Extract<Parsed, { kind: 'invalid' }>;
    expect(reason).toBe('nested deeper than 256 levels');
    const error = { code: -32600, message: `Invalid Request: ${reason}` };
    expect(parsed).toEqual({
      kind: 'invalid',
      code: 'too-deep',
      messageKind: 'request',
      id: 'x',
      errorResponse: { jsonrpc: '2.0', id: 'x', error },
    });
  });

  test('is by option what the option says', () => {
    expect(parse(nested(3), { maxDepth: 3 }).kind).toBe('request');
    expect(parse(nested(4), { maxDepth: 3 })).toMatchObject({ code: 'too-deep' });
    expect(parse(PING, { maxDepth: 1 }).kind).toBe('request');
    expect(parse(nested(5000), { maxDepth: Infinity }).kind).toBe('request');
    expect(parse(PING, { maxDepth: NaN })).toMatchObject({ code: 'too-deep' });
  });

  test('ignores brackets in strings and the width', () => {
    const text = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { a: `${'['.repeat(1000)}\\"{`, b: '{'.repeat(1000), c: '\\' },
    });
    expect(parse(text).kind).toBe('result');
    const wide = { jsonrpc: '2.0', id: 1, result: { a: Array.from({ length: 5000 }, () => ({ b: [{ c: ']' }] })) } };
    expect(parse(JSON.stringify(wide)).kind).toBe('result');
  });

  test('is reported exactly', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: fc.constantFrom('"', '\\', '[', '{', '}', ']', 'a'), maxDepth: 6 }),
        fc.integer({ min: 0, max: 6 }),
        (value, limit) => {
          expect(exceedsDepth(JSON.stringify(value), limit)).toBe(depthOf(value) > limit);
          expect(exceedsDepth(JSON.stringify(value, null, 1), limit)).toBe(depthOf(value) > limit);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('reports the kind and id of the rejected message', () => {
    const envelope = fc
      .tuple(anyMessage, fc.array(fc.nat()), fc.boolean())
      .map(([message, order, isSpaced]): [codec: object, text: string] => {
        const members = Object.entries({ ...message, deep: [[[[[[]]]]]], 'i"d': 'no', x: { id: 'no', method: 'no' } })
          .map((entry, index) => ({ entry, at: order[index] ?? index }))
          .sort((left, right) => left.at - right.at);
        return [message, JSON.stringify(Object.fromEntries(members.map(({ entry }) => entry)), null, isSpaced ? 1 : 0)];
      });
    fc.assert(
      fc.property(envelope, ([message, text]) => {
        const { kind } = classify(message);
        const messageKind = kind === 'result' || kind === 'error' ? 'response' : kind;
        const id = ('id' in message ? message.id : undefined) ?? null;
        expect(parse(text, { maxDepth: 5 })).toMatchObject({ kind: 'invalid', code: 'too-deep', messageKind, id });
      }),
      { numRuns: 500 },
    );
  });

  test('finds no invalid id', () => {
    const id = (literal: string): unknown => scanEnvelope(`{"method":"a","id":${literal},"b":1}`, true);
    for (const literal of ['1.5', '9007199254740993', 'true', 'null', '[1]', '{"id":1}', '01', '"\\x"', '1x', '-']) {
      expect(id(literal)).toEqual({ messageKind: 'request', id: null });
    }
    expect(id('-1e2')).toEqual({ messageKind: 'request', id: -100 });
    expect(scanEnvelope('{"id":1,"id":2,"method":"a"}', true).id).toBe(2);
    expect(scanEnvelope('["id",1]', true)).toEqual({ messageKind: 'unknown', id: null });
    // It may go on behind the end of the part.
    expect(scanEnvelope('{"method":"a","id":12', false)).toEqual({ messageKind: 'request', id: null });
    expect(scanEnvelope('{"method":"a","id":"12', false)).toEqual({ messageKind: 'request', id: null });
    expect(scanEnvelope('{"method":"a"', false)).toEqual({ messageKind: 'unknown', id: null });
  });
});

describe('batches', () => {
  const NOTE = '{"jsonrpc":"2.0","method":"a"}';
  const RESULT = '{"jsonrpc":"2.0","id":2,"result":{}}';
  const ERROR = '{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":""}}';
  const kinds = (parsed: Parsed): unknown => parsed.kind === 'batch' && parsed.members.map(({ kind }) => kind);

  test('are parsed member by member if the revision supports them', () => {
    expect(parseBatch(`[${PING},${NOTE},${PING}]`)).toEqual({
      kind: 'batch',
      members: [
        { kind: 'request', message: JSON.parse(PING) as unknown },
        { kind: 'notification', message: JSON.parse(NOTE) as unknown },
        { kind: 'request', message: JSON.parse(PING) as unknown },
      ],
    });
    expect(kinds(parseBatch(`[${RESULT},${ERROR}]`))).toEqual(['result', 'error']);
    for (const [revision, rules] of Object.entries(CLASSIFY)) {
      expect([revision, parse(`[${PING}]`, { classify: rules }).kind]).toEqual([
        revision,
        revision === '2025-03-26' ? 'batch' : 'invalid',
      ]);
    }
  });

  test('have their invalid members answered one by one', () => {
    const parsed = parseBatch(
      `[1,${PING},{"id":5},{"jsonrpc":"2.0","id":6,"method":"a","params":[]},[],[${PING}],null]`,
    );
    const answers =
      parsed.kind === 'batch' ? parsed.members.map((member) => 'errorResponse' in member && member.errorResponse) : [];
    expect(answers.map((answer) => answer !== false && [answer?.id, answer?.error.code])).toEqual([
      [null, -32600],
      false,
      [5, -32600],
      [6, -32602],
      [null, -32600],
      [null, -32600],
      [null, -32600],
    ]);
    expect(parsed).toMatchObject({ members: [{}, {}, {}, {}, {}, { reason: 'a batch inside a batch' }, {}] });
  });

  test('are refused as a whole if they mix responses with requests or notifications', () => {
    for (const text of [
      `[${PING},${RESULT}]`,
      `[${ERROR},${PING}]`,
      `[${NOTE},${RESULT}]`,
      `[{"id":1,"method":1},${RESULT}]`,
    ]) {
      expect(parseBatch(text)).toMatchObject({
        kind: 'invalid',
        code: 'batch',
        reason: 'responses in one batch with requests or notifications',
        errorResponse: { id: null, error: { code: -32600 } },
      });
    }
  });

  test('of responses are never answered', () => {
    const parsed = parseBatch(`[${RESULT},1,{"jsonrpc":"2.0","id":4,"result":5}]`);
    expect(parsed).toMatchObject({
      members: [
        { kind: 'result' },
        { kind: 'invalid', errorResponse: undefined },
        { messageKind: 'response', id: 4, errorResponse: undefined },
      ],
    });
    expect(parseBatch('[{"jsonrpc":"2.0","id":4,"result":5},1]')).toMatchObject({
      members: [{}, { errorResponse: undefined }],
    });
  });

  test('have a limit of members', () => {
    const pings = (count: number): string => `[${Array(count).fill(PING).join(',')}]`;
    expect(parseBatch(pings(1000)).kind).toBe('batch');
    expect(parseBatch(pings(1001))).toMatchObject({ code: 'batch', reason: 'a batch of more than 1000 messages' });
    expect(parseBatch(pings(3), { maxBatch: 2 })).toMatchObject({
      errorResponse: { id: null, error: { code: -32600 } },
    });
    expect(parseBatch(pings(2), { maxBatch: 2 }).kind).toBe('batch');
  });

  test('can be closed to a message by a rule of the endpoint', () => {
    const refuseInBatch: ParseOptions['refuseInBatch'] = ({ kind, message }) =>
      'method' in message && message.method !== 'ping' ? `a ${kind} that is no ping` : undefined;
    expect(parseBatch(`[${PING},${PING.replace('ping', 'x')},${NOTE}]`, { refuseInBatch })).toMatchObject({
      members: [
        { kind: 'request' },
        { kind: 'invalid', code: 'batch', reason: 'a request that is no ping', id: 1, errorResponse: { id: 1 } },
        { kind: 'invalid', messageKind: 'notification', errorResponse: undefined },
      ],
    });
    expect(parseBatch(PING.replace('ping', 'x'), { refuseInBatch }).kind).toBe('request');
  });

  test('are answered in one array', () => {
    const first = resultResponse(1, {});
    const second = errorResponse('2', { code: 1, message: '' });
    expect(collectBatchResponse([second, undefined, first])).toEqual([second, first]);
    expect(collectBatchResponse(new Set([undefined, first]))).toEqual([first]);
    expect(collectBatchResponse([undefined, undefined])).toBeUndefined();
    expect(collectBatchResponse([])).toBeUndefined();
  });

  test('come back as they were sent', () => {
    const calls = anyMessage.filter((message) => 'method' in message);
    const answers = anyMessage.filter((message) => !('method' in message));
    const batch = fc.oneof(fc.array(calls, { minLength: 1 }), fc.array(answers, { minLength: 1 }));
    fc.assert(
      fc.property(batch, (messages) => {
        const parsed = parseBatch(encodeText(JSON.stringify(messages)));
        const got =
          parsed.kind === 'batch' ? parsed.members.map((member) => 'message' in member && member.message) : parsed;
        expect(got).toEqual(messages.map(asRead));
      }),
    );
  });
});
