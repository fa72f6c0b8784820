/** Vectors of framing: bytes of a stdio stream, and the messages that a reader finds in them. */
import { Buffer } from 'node:buffer';
import { ruleOf, sectionUrl, type RuleId, type Severity } from '../inspect/rules.js';
import type { JsonValue } from '../read/json/json.js';
import type { ExpectedFrame, Frame, FramingVector } from './form.js';

/** The only revision in which an array of messages is a message. */
const BATCH_REVISION = '2025-03-26';

/** Levels of a value that every reader has to survive. */
const VERY_DEEP = 5000;

const NOT_JSON: Frame = { error: 'not-json' };
const NOT_A_MESSAGE: Frame = { error: 'not-a-message' };
const UNSPECIFIED: ExpectedFrame = { unspecified: true };

const NOTE = { jsonrpc: '2.0', method: 'notifications/initialized' };
const FIRST = { jsonrpc: '2.0', id: 1, method: 'ping' };
const SECOND = { jsonrpc: '2.0', id: 2, method: 'ping' };

/** One case. Its bytes are a text or parts; each part is a chunk. */
interface Case {
  readonly name: string;
  readonly reason: string;
  readonly rule: RuleId;
  /** That of the rule by default. */
  readonly severity?: Severity;
  readonly bytes: string | readonly (string | Uint8Array)[];
  readonly frames: readonly ExpectedFrame[];
  readonly alternatives?: readonly (readonly ExpectedFrame[])[];
}

/** A message as a line. */
function line(message: JsonValue): string {
  return `${JSON.stringify(message)}\n`;
}

function found(...messages: readonly JsonValue[]): readonly Frame[] {
  return messages.map((message) => ({ message }));
}

/** A notification with a text, which may have any characters. */
function withText(text: string): JsonValue {
  return { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: text } };
}

/** Bytes of a text, cut at these places. */
function cut(text: string, ...places: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
}

/** How messages are separated, whatever the revision. */
function lineCases(): readonly Case[] {
  const flower = withText('🌱 ü 日本');
  const flowerBytes = Buffer.from(line(flower));
  const plant = flowerBytes.indexOf(Buffer.from('🌱'));
  return [
    {
      name: 'one-message',
      reason: 'A line is a message.',
      rule: 'joined-frames',
      bytes: line(FIRST),
      frames: found(FIRST),
    },
    {
      name: 'several-in-a-chunk',
      reason: 'Several lines may arrive together.',
      rule: 'joined-frames',
      bytes: line(FIRST) + line(NOTE) + line(SECOND),
      frames: found(FIRST, NOTE, SECOND),
    },
    {
      name: 'one-and-a-half-in-a-chunk',
      reason: 'A chunk may end in the middle of the next message.',
      rule: 'split-frame',
      bytes: cut(line(FIRST) + line(SECOND), line(FIRST).length + 9),
      frames: found(FIRST, SECOND),
    },
    {
      name: 'byte-by-byte',
      reason: 'A message may arrive in chunks of one byte.',
      rule: 'split-frame',
      bytes: [...flowerBytes].map((byte) => Uint8Array.of(byte)),
      frames: found(flower),
    },
    {
      name: 'split-inside-a-character',
      reason: 'A chunk may end inside a character of several bytes.',
      rule: 'split-frame',
      bytes: cut(line(flower), plant + 1, plant + 3),
      frames: found(flower),
    },
    {
      name: 'split-before-the-newline',
      reason: 'The newline may arrive by itself.',
      rule: 'split-frame',
      bytes: cut(line(FIRST), line(FIRST).length - 1),
      frames: found(FIRST),
    },
    {
      name: 'empty-chunk',
      reason: 'A chunk without bytes is not the end of the stream.',
      rule: 'split-frame',
      bytes: [line(FIRST), '', line(SECOND)],
      frames: found(FIRST, SECOND),
    },
    {
      name: 'crlf',
      reason: 'A carriage return before the newline is white space of JSON.',
      rule: 'joined-frames',
      bytes: `${JSON.stringify(FIRST)}\r\n${JSON.stringify(SECOND)}\r\n`,
      frames: found(FIRST, SECOND),
    },
    {
      name: 'white-space',
      reason: 'Spaces and tabs around and between the tokens of JSON mean nothing.',
      rule: 'joined-frames',
      bytes: ' \t{ "jsonrpc" : "2.0" ,\t"id" : 1 , "method" : "ping" } \n',
      frames: found(FIRST),
    },
    {
      name: 'empty-lines',
      reason: 'Lines without text are ignored or reported; the messages around them are read.',
      rule: 'joined-frames',
      bytes: `\n${line(FIRST)}\n  \n\r\n${line(SECOND)}`,
      frames: found(FIRST, SECOND),
      alternatives: [
        [NOT_JSON, ...found(FIRST), NOT_JSON, NOT_JSON, NOT_JSON, ...found(SECOND)],
        [NOT_JSON, ...found(FIRST), NOT_JSON, NOT_JSON, ...found(SECOND)],
      ],
    },
    {
      name: 'last-line-without-newline',
      reason: 'A message at the end of the stream without its newline is read, or is not complete.',
      rule: 'split-frame',
      bytes: line(FIRST) + JSON.stringify(SECOND),
      frames: found(FIRST, SECOND),
      alternatives: [found(FIRST), [...found(FIRST), NOT_JSON]],
    },
    {
      name: 'stream-ends-in-a-message',
      reason: 'A message that the end of the stream cuts is no message.',
      rule: 'not-json',
      bytes: `${line(FIRST)}{"jsonrpc":"2.0","id":2,"meth`,
      frames: [...found(FIRST), NOT_JSON],
      alternatives: [found(FIRST)],
    },
    {
      name: 'empty-stream',
      reason: 'A stream without bytes has no messages.',
      rule: 'not-json',
      bytes: [],
      frames: [],
    },
    {
      name: 'long-line',
      reason: 'A message of 256 KiB is a message like any other.',
      rule: 'large-frame',
      bytes: [...cut(line(withText('x'.repeat(256 * 1024))), 1000, 65_536, 131_072)],
      frames: found(withText('x'.repeat(256 * 1024))),
    },
    ...['\u2028', '\u2029', '\u0085'].map((separator): Case => {
      const code = separator.charCodeAt(0).toString(16).padStart(4, '0');
      return {
        name: `u+${code}-in-a-string`,
        reason: `U+${code.toUpperCase()} is an ordinary character of a string and does not end a line.`,
        rule: 'split-frame',
        bytes: line(withText(`a${separator}b`)) + line(FIRST),
        frames: found(withText(`a${separator}b`), FIRST),
      };
    }),
    {
      name: 'newline-escaped-in-a-string',
      reason: 'A newline in a string is escaped and does not end the line.',
      rule: 'split-frame',
      bytes: line(withText('a\nb\r\nc')),
      frames: found(withText('a\nb\r\nc')),
    },
  ];
}

/** Bytes that are not UTF-8, and text that is not JSON. */
function textCases(): readonly Case[] {
  const around = (bytes: string | Uint8Array): readonly (string | Uint8Array)[] => [line(FIRST), bytes, line(SECOND)];
  const between = (...frames: readonly ExpectedFrame[]): readonly ExpectedFrame[] => [
    ...found(FIRST),
    ...frames,
    ...found(SECOND),
  ];
  const invalid = (middle: readonly number[]): Uint8Array =>
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"'),
      Uint8Array.from(middle),
      Buffer.from('"}}\n'),
    ]);
  const notJson = (name: string, reason: string, text: string): Case => ({
    name,
    reason,
    rule: 'not-json',
    bytes: around(text),
    frames: between(NOT_JSON),
  });
  // RFC 8259, section 9: a parser may accept extensions of JSON.
  const lenient = (name: string, reason: string, text: string): Case => ({
    ...notJson(name, reason, text),
    severity: 'deviation',
  });
  return [
    {
      name: 'bom',
      reason: 'A byte order mark before the first message is ignored, or makes the line invalid.',
      rule: 'joined-frames',
      bytes: `\uFEFF${line(FIRST)}${line(SECOND)}`,
      frames: found(FIRST, SECOND),
      alternatives: [[NOT_JSON, ...found(SECOND)]],
    },
    ...(
      [
        ['a-lone-byte', 'The byte FF occurs in no UTF-8', [0xff]],
        ['a-cut-character', 'A character of several bytes is not complete', [0xe2, 0x82]],
        ['an-overlong-form', 'An overlong form is not UTF-8', [0xc0, 0xaf]],
        ['an-encoded-surrogate', 'An encoded surrogate is not UTF-8', [0xed, 0xa0, 0x80]],
      ] as const
    ).map(([name, what, bytes]): Case => ({
      name: `not-utf8/${name}`,
      reason: `${what}: the line is no message, and the next one is read.`,
      rule: 'not-utf8',
      severity: 'deviation',
      bytes: around(invalid(bytes)),
      frames: between({ error: 'not-utf8' }),
    })),
    notJson('not-json/text', 'A line of a log is no message; the next line is read.', 'server listening\n'),
    notJson('not-json/cut', 'Half a message is no message; the next line is read.', '{"jsonrpc":"2.0","id":3\n'),
    notJson('not-json/two-values', 'Two values on a line are not JSON.', '{} {}\n'),
    lenient('not-json/single-quotes', 'JSON has no single quotes.', "{'jsonrpc':'2.0','method':'a'}\n"),
    lenient('not-json/comment', 'JSON has no comments.', '{"jsonrpc":"2.0","method":"a"} // a\n'),
    lenient('not-json/trailing-comma', 'JSON has no trailing commas.', '{"jsonrpc":"2.0","method":"a",}\n'),
    lenient('not-json/nan', 'NaN is not JSON.', '{"jsonrpc":"2.0","method":"a","params":{"n":NaN}}\n'),
    lenient('not-json/infinity', 'Infinity is not JSON.', '{"jsonrpc":"2.0","method":"a","params":{"n":-Infinity}}\n'),
    lenient(
      'not-json/leading-zero',
      'A number of JSON has no leading zero.',
      '{"jsonrpc":"2.0","id":01,"method":"a"}\n',
    ),
    lenient(
      'not-json/control-character',
      'A control character in a string of JSON is escaped.',
      '{"jsonrpc":"2.0","method":"a","params":{"s":"\u0001"}}\n',
    ),
    notJson('not-json/nul', 'A byte 0 is not JSON.', '\u0000\n'),
  ];
}

/** Values whose reading differs between parsers. */
function valueCases(): readonly Case[] {
  const lone = '{"jsonrpc":"2.0","method":"a","params":{"s":"\\ud800"}}\n';
  const ofText = (text: string): JsonValue => ({ jsonrpc: '2.0', method: 'a', params: { s: text } });
  const deep = (levels: number): string =>
    `{"jsonrpc":"2.0","method":"a","params":{"v":${'['.repeat(levels)}${']'.repeat(levels)}}}\n`;
  return [
    {
      name: 'surrogate-pair-escaped',
      reason: 'Two escapes may be one character.',
      rule: 'split-frame',
      bytes: '{"jsonrpc":"2.0","method":"a","params":{"s":"\\ud83c\\udf31"}}\n',
      frames: found(ofText('🌱')),
    },
    {
      name: 'lone-surrogate-escaped',
      reason:
        'Half a character is in the grammar of JSON: it is kept, replaced or refused, and the next message is read.',
      rule: 'malformed-blocks',
      bytes: lone + line(FIRST),
      frames: found(ofText('\ud800'), FIRST),
      alternatives: [found(ofText('\ufffd'), FIRST), [NOT_JSON, ...found(FIRST)]],
    },
    {
      name: 'escaped-member-names',
      reason: 'Names of members may be escaped.',
      rule: 'split-frame',
      bytes: '{"\\u006asonrpc":"2.0","i\\u0064":1,"method":"\\u0070ing"}\n',
      frames: found(FIRST),
    },
    {
      name: 'duplicate-member',
      reason: 'Of two members with one name, one counts, or the line is refused; the next message is read.',
      rule: 'malformed-blocks',
      bytes: `{"jsonrpc":"2.0","method":"a","params":{"n":1,"n":2}}\n${line(FIRST)}`,
      frames: found({ jsonrpc: '2.0', method: 'a', params: { n: 2 } }, FIRST),
      alternatives: [
        found({ jsonrpc: '2.0', method: 'a', params: { n: 1 } }, FIRST),
        [NOT_JSON, ...found(FIRST)],
        [NOT_A_MESSAGE, ...found(FIRST)],
      ],
    },
    {
      name: 'number/large-integer',
      reason: 'An integer beyond 2^53 is a number, read exactly or rounded.',
      rule: 'malformed-blocks',
      bytes: `{"jsonrpc":"2.0","method":"a","params":{"n":9007199254740993}}\n${line(FIRST)}`,
      frames: found({ jsonrpc: '2.0', method: 'a', params: { n: 9_007_199_254_740_992 } }, FIRST),
    },
    {
      name: 'number/exponent',
      reason: 'A number may have an exponent.',
      rule: 'split-frame',
      bytes: '{"jsonrpc":"2.0","method":"a","params":{"n":[1e3,1.5E-2,-0.0,1e+2]}}\n',
      frames: found({ jsonrpc: '2.0', method: 'a', params: { n: [1000, 0.015, 0, 100] } }),
    },
    {
      name: 'number/out-of-range',
      reason:
        'A number that no double can hold is in the grammar of JSON; whatever becomes of it, the next message is read.',
      rule: 'malformed-blocks',
      bytes: `{"jsonrpc":"2.0","method":"a","params":{"n":1e999}}\n${line(FIRST)}`,
      frames: [UNSPECIFIED, ...found(FIRST)],
    },
    {
      name: 'id/largest-safe-integer',
      reason: 'An id may be any integer up to 2^53 - 1.',
      rule: 'invalid-id',
      bytes:
        '{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}\n{"jsonrpc":"2.0","id":-9007199254740991,"method":"ping"}\n',
      frames: found(
        { jsonrpc: '2.0', id: Number.MAX_SAFE_INTEGER, method: 'ping' },
        { jsonrpc: '2.0', id: Number.MIN_SAFE_INTEGER, method: 'ping' },
      ),
    },
    {
      name: 'deep/60-levels',
      reason: 'A value of 60 levels is a message.',
      rule: 'large-frame',
      bytes: deep(60),
      frames: found(JSON.parse(deep(60)) as JsonValue),
    },
    {
      name: 'deep/very',
      reason: `A value of ${VERY_DEEP} levels may be refused, but must not end the reader: the next message is read.`,
      rule: 'ended-by-input',
      bytes: deep(VERY_DEEP) + line(FIRST),
      frames: [UNSPECIFIED, ...found(FIRST)],
    },
    {
      name: 'deep/not-closed',
      reason: 'A line of 100,000 brackets is not JSON, and must not end the reader.',
      rule: 'ended-by-input',
      bytes: `${'['.repeat(100_000)}\n${line(FIRST)}`,
      frames: [UNSPECIFIED, ...found(FIRST)],
    },
  ];
}

/** JSON that is a message of JSON-RPC or is not. */
function messageCases(): readonly Case[] {
  const message = (name: string, reason: string, value: JsonValue): Case => ({
    name: `message/${name}`,
    reason,
    rule: 'invalid-message',
    bytes: line(value),
    frames: found(value),
  });
  const none = (name: string, reason: string, rule: RuleId, value: JsonValue): Case => ({
    name: `not-a-message/${name}`,
    reason: `${reason} The next message is read.`,
    rule,
    bytes: line(value) + line(FIRST),
    frames: [NOT_A_MESSAGE, ...found(FIRST)],
  });
  return [
    message('request', 'A request has an id and a method.', FIRST),
    message('request-with-string-id', 'The id of a request may be a string.', { ...FIRST, id: 'a' }),
    message('request-with-empty-id', 'The empty string is a string.', { ...FIRST, id: '' }),
    message('request-with-id-0', '0 is an integer.', { ...FIRST, id: 0 }),
    message('notification', 'A notification has a method and no id.', NOTE),
    message('result', 'A response has an id and a result.', { jsonrpc: '2.0', id: 1, result: {} }),
    message('error', 'An error has a code and a message.', {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: 'Method not found', data: [1] },
    }),
    message('unknown-method', 'A method need not be known to be a message.', {
      jsonrpc: '2.0',
      id: 1,
      method: 'no/such-method',
      params: { a: null },
    }),
    none('number', 'A number is no message.', 'invalid-message', 42),
    none('string', 'A string is no message.', 'invalid-message', 'ping'),
    none('null', 'null is no message.', 'invalid-message', null),
    none('empty-object', 'An object without members is no message.', 'invalid-message', {}),
    none('other-object', 'A record of a log is no message.', 'invalid-message', { level: 'info', msg: 'ready' }),
    none('no-version', 'Each message has `jsonrpc`.', 'jsonrpc-version', { id: 1, method: 'ping' }),
    none('other-version', 'The version is 2.0.', 'jsonrpc-version', { ...FIRST, jsonrpc: '1.0' }),
    none('numeric-version', 'The version is a string.', 'jsonrpc-version', { ...FIRST, jsonrpc: 2 }),
    none('null-id', 'The id of a request is never null.', 'invalid-id', { ...FIRST, id: null }),
    none('fractional-id', 'The id of a request is a string or an integer.', 'invalid-id', { ...FIRST, id: 1.5 }),
    none('boolean-id', 'The id of a request is a string or an integer.', 'invalid-id', { ...FIRST, id: true }),
    none('object-id', 'The id of a request is a string or an integer.', 'invalid-id', { ...FIRST, id: {} }),
    none('numeric-method', 'A method is a string.', 'invalid-message', { ...FIRST, method: 1 }),
    none('list-of-params', 'Params of MCP have names.', 'invalid-message', { ...FIRST, params: [] }),
    none('text-as-params', 'Params are an object.', 'invalid-message', { ...FIRST, params: 'a' }),
    none('id-only', 'A response has a result or an error.', 'invalid-message', { jsonrpc: '2.0', id: 1 }),
    none('result-and-error', 'A response has either a result or an error.', 'result-with-error', {
      jsonrpc: '2.0',
      id: 1,
      result: {},
      error: { code: 1, message: 'a' },
    }),
    none('text-as-result', 'A result of MCP is an object.', 'invalid-message', { jsonrpc: '2.0', id: 1, result: 'a' }),
    none('error-without-code', 'An error has an integer code.', 'invalid-error', {
      jsonrpc: '2.0',
      id: 1,
      error: { message: 'a' },
    }),
    none('error-with-text-as-code', 'An error has an integer code.', 'invalid-error', {
      jsonrpc: '2.0',
      id: 1,
      error: { code: '-32601', message: 'a' },
    }),
    none('error-without-message', 'An error has a message.', 'invalid-error', {
      jsonrpc: '2.0',
      id: 1,
      error: { code: 1 },
    }),
    none('empty-batch', 'An array without messages is no batch.', 'invalid-batch', []),
  ];
}

function batchCases(revision: string): readonly Case[] {
  const batch = [FIRST, NOTE, SECOND];
  const bytes = line(batch) + line(FIRST);
  if (revision === BATCH_REVISION) {
    return [
      {
        name: 'batch',
        reason: 'An array of messages is a batch, which every receiver supports.',
        rule: 'batch-unsupported',
        severity: 'violation',
        bytes,
        frames: found(batch, FIRST),
      },
    ];
  }
  if (revision < BATCH_REVISION) {
    return [
      {
        name: 'batch',
        reason: `${revision} says nothing about the batches of JSON-RPC. Whatever becomes of one, the next message is read.`,
        rule: 'malformed-blocks',
        bytes,
        frames: [UNSPECIFIED, ...found(FIRST)],
      },
    ];
  }
  return [
    {
      name: 'batch',
      reason: `An array of messages is no message in ${revision}. The next message is read.`,
      rule: 'batch-not-supported',
      bytes,
      frames: [NOT_A_MESSAGE, ...found(FIRST)],
    },
  ];
}

/** The vectors of framing of a revision. */
export function framingVectors(revision: string): readonly FramingVector[] {
  return [...lineCases(), ...textCases(), ...valueCases(), ...messageCases(), ...batchCases(revision)].map(
    ({ name, reason, rule, severity = ruleOf(rule).severity, bytes, frames, alternatives }): FramingVector => ({
      name: `framing/${name}`,
      reason,
      rule,
      severity,
      section: sectionUrl(rule, revision),
      chunks: (typeof bytes === 'string' ? [bytes] : bytes).map((part) => Buffer.from(part).toString('base64')),
      frames,
      ...(alternatives === undefined ? {} : { alternatives }),
    }),
  );
}
