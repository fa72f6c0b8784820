import { describe, expect, test, type TestContext } from 'vitest';
import {
  encodeLine,
  errorResponse,
  MessageReader,
  notification,
  parseMessage,
  resultResponse,
} from '../../templates/runtime/index.js';
import type { Classification, Diagnostic, Parsed, ParseOptions } from '../../templates/runtime/index.js';
import { cases } from '../support/cases.js';
import {
  bytesOf,
  CLASSIFY,
  classify,
  classifyWithBatches,
  splitBytes,
  kindsOf,
  messagesOf,
  readEvents,
  utf8,
} from './codec-support.js';

/** Kinds of which every case is either proven here or in one of the lists below. */
const KINDS = ['wire-envelope', 'wire-framing', 'batch'];

/** Cases that ask for an endpoint, which knows calls and progress tokens: a later issue. */
const LEFT_TO_ENDPOINT: readonly string[] = [
  'case-055', // an event for a progress token that the client never gave
];

/**
 * Cases of which the codec's part is proven here, and the rest comes with the endpoint: 048 the map of pending calls, 053
 * that the call fails, 054 handlers that ask for undefined, 093 the rule that names the method.
 */
const PARTLY_PROVEN: readonly string[] = ['case-048', 'case-053', 'case-054', 'case-093'];

const proven = new Set<string>();

/** A test that proves what is right in a case. */
function provesCase(id: string, what: string, run: (context: TestContext) => void | Promise<void>): void {
  proven.add(id);
  test(`${id}: ${what}`, run);
}

function parse(value: unknown, options: Partial<ParseOptions> = {}): Parsed {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return parseMessage<Classification>(text, { classify, ...options });
}

const RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}';

describe('wire-envelope', () => {
  provesCase('case-047', 'a string id is echoed as a string', () => {
    for (const id of ['1', 1, '', 0]) {
      const parsed = parse({ jsonrpc: '2.0', id, method: 'tools/list' });
      if (parsed.kind !== 'request') throw new Error(parsed.kind);
      expect(JSON.parse(encodeLine(resultResponse(parsed.message.id, {})))).toEqual({ jsonrpc: '2.0', id, result: {} });
      expect(errorResponse(parsed.message.id, { code: 1, message: '' }).id).toBe(id);
    }
  });

  provesCase('case-048', 'ids of both types are different keys', () => {
    const pending = new Map([42, '42'].map((id) => [id, typeof id]));
    const parsed = parse({ jsonrpc: '2.0', id: '42', result: {} });
    expect(parsed.kind === 'result' && pending.get(parsed.message.id)).toBe('string');
  });

  provesCase('case-049', 'the id 0.0 is 0', () => {
    const [event] = readEvents(['{"jsonrpc":"2.0","id":0.0,"result":{}}\n']);
    expect(event).toEqual({ kind: 'result', message: { jsonrpc: '2.0', id: 0, result: {} } });
    expect(encodeLine(resultResponse(event?.kind === 'result' ? event.message.id : '', {}))).toContain('"id":0,');
    expect(encodeLine(resultResponse(-0, {}))).toContain('"id":0,');
  });

  provesCase('case-050', 'rejects an id beyond 2^53', () => {
    const [event] = readEvents(['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}\n']);
    expect(event).toMatchObject({ kind: 'invalid', code: 'unsafe-id', messageKind: 'request', id: null });
    expect(event).toMatchObject({ errorResponse: { id: null, error: { code: -32600 } } });
    expect(JSON.stringify(event)).not.toContain('900719925474099');
  });

  provesCase('case-051', 'accepts integer ids that JavaScript represents exactly', () => {
    for (const rules of Object.values(CLASSIFY)) {
      expect(parse({ jsonrpc: '2.0', id: -7, method: 'ping' }, { classify: rules })).toMatchObject({
        message: { id: -7 },
      });
    }
    expect(parse('{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}').kind).toBe('request');
    expect(parse('{"jsonrpc":"2.0","id":9223372036854775807,"method":"ping"}')).toMatchObject({ code: 'unsafe-id' });
  });

  provesCase('case-052', 'accepts an error response with id null', () => {
    const message = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } };
    for (const rules of Object.values(CLASSIFY)) {
      expect(parse(message, { classify: rules })).toEqual({ kind: 'error', message });
    }
    const answer = (options?: Partial<ParseOptions>): unknown => {
      const parsed = parse('{', options);
      return parsed.kind === 'invalid' ? parsed.errorResponse : parsed;
    };
    expect(answer()).toHaveProperty('id', null);
    expect(answer({ unreadableId: 'absent' })).not.toHaveProperty('id');
  });

  provesCase('case-053', 'rejects a string as error code with the id of the call', () => {
    expect(parse({ jsonrpc: '2.0', id: 1, error: { code: 'E_FAIL', message: 'x' } })).toMatchObject({
      kind: 'invalid',
      messageKind: 'response',
      id: 1,
      errorResponse: undefined,
    });
  });

  provesCase('case-054', 'keeps the progress tokens 0 and ""', () => {
    for (const progressToken of [0, '']) {
      const message = notification('notifications/progress', { progressToken, progress: 0.5 });
      expect(messagesOf(readEvents([encodeLine(message)]))).toStrictEqual([message]);
    }
  });

  provesCase('case-056', 'fractions stay what they are', () => {
    const message = notification('notifications/progress', { progressToken: 'a', progress: 0.25, total: 1.5 });
    expect(messagesOf(readEvents([encodeLine(message)], { classify: CLASSIFY['2025-06-18'] }))).toStrictEqual([
      message,
    ]);
  });
});

describe('wire-payload, as far as the codec goes', () => {
  provesCase('case-057', 'answers null params with -32602', () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: null };
    expect(parse(message)).toMatchObject({ kind: 'invalid', errorResponse: { id: 1, error: { code: -32602 } } });
    const lenient = parse(message, { nullParamsAsAbsent: true });
    expect(lenient).toStrictEqual({ kind: 'request', message: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
  });

  provesCase('case-058', 'accepts missing params', () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(parse(message)).toEqual({ kind: 'request', message });
  });

  provesCase('case-059', 'positional params get -32602', () => {
    const parsed = parse({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: [1, 2] });
    expect(parsed).toMatchObject({
      kind: 'invalid',
      code: 'params',
      errorResponse: { id: 1, error: { code: -32602 } },
    });
  });

  provesCase('case-060', 'members that are undefined are not written as null', () => {
    expect(encodeLine(resultResponse(1, { _meta: undefined }))).toBe(`${RESULT}\n`);
  });
});

describe('guard, as far as the codec goes', () => {
  provesCase('case-040', 'JSON that is no JSON-RPC gets -32600 with id null', () => {
    expect(parse({ hello: 'world' })).toMatchObject({ errorResponse: { id: null, error: { code: -32600 } } });
  });

  provesCase('case-045', 'a wrong or missing jsonrpc gets -32600 with the id', () => {
    for (const jsonrpc of ['1.0', undefined, 2, null]) {
      expect(parse({ jsonrpc, id: 1, method: 'ping' })).toMatchObject({
        errorResponse: { id: 1, error: { code: -32600 } },
      });
    }
  });

  provesCase('case-046', 'hostile names are only names', () => {
    for (const method of ['constructor', '__proto__']) {
      expect(parse({ jsonrpc: '2.0', id: 1, method })).toEqual({
        kind: 'request',
        message: { jsonrpc: '2.0', id: 1, method },
      });
    }
  });
});

describe('wire-framing', () => {
  provesCase('case-072', 'skips a byte order mark at the start of the stream only', () => {
    const inside = '{"jsonrpc":"2.0","id":1,"result":{"t":"\uFEFFa"}}';
    for (const size of [1, 2, 3, 1000]) {
      const events = readEvents(splitBytes(utf8(`\uFEFF${RESULT}\n${inside}\n`), [size]));
      expect(messagesOf(events)).toEqual([JSON.parse(RESULT), JSON.parse(inside)]);
      expect(events).toHaveLength(2);
    }
  });

  provesCase('case-073', 'does not split lines at U+2028 or U+2029', () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"t":"a\u2028b\u2029c"}}';
    const events = readEvents([`${text}\n`]);
    expect(messagesOf(events)).toEqual([{ jsonrpc: '2.0', id: 1, result: { t: 'a\u2028b\u2029c' } }]);
    expect(encodeLine(resultResponse(1, { t: 'a\u2028b\u2029c' }))).not.toMatch(/[\u2028\u2029]/);
  });

  provesCase('case-074', 'joins 1 MiB from chunks of 64 KiB', () => {
    for (const shift of [0, 1, 2]) {
      const message = resultResponse(1, { t: 'x'.repeat(shift) + '\u20ac'.repeat(1024 * 342) });
      const bytes = utf8(encodeLine(message));
      expect(bytes.length).toBeGreaterThan(1024 * 1024);
      expect(messagesOf(readEvents(splitBytes(bytes, [65536])))).toEqual([message]);
    }
    // At least one of the shifts puts a border inside a character, since 65536 is no multiple of three.
  });

  provesCase('case-075', 'splits a chunk into messages in order', () => {
    const reader = new MessageReader({ classify });
    const first = reader.push(utf8(`${RESULT}\n${RESULT.replace('1', '2')}\n{"jsonrpc"`));
    const second = reader.push(utf8(':"2.0","id":3,"result":{}}\n'));
    expect([first, second].map(kindsOf)).toEqual([['result', 'result'], ['result']]);
    expect(reader.end()).toEqual([]);
  });

  provesCase('case-076', 'applies the size limit independently of chunk borders', () => {
    const limit = 1000;
    const line = `{"jsonrpc":"2.0","id":1,"result":{"t":"${'x'.repeat(limit - 42)}"}}`;
    expect(line).toHaveLength(limit);
    for (const sizes of [[Infinity], [limit], [limit + 1], [limit + 2], [1], [7, 300]]) {
      const events = readEvents(splitBytes(utf8(`${line}\n${line} \n${RESULT}\n`), sizes), { maxMessageBytes: limit });
      expect(kindsOf(events)).toEqual(['result', 'too-long', 'result']);
    }
  });

  provesCase('case-077', 'reports Content-Length framing', () => {
    const events = readEvents(['Content-Length: 36\r\n\r\n{"jsonrpc":"2.0","id":1,"result":{}}']);
    expect(kindsOf(events)).toEqual(['content-length', 'result']);
    expect((events[0] as Diagnostic).reason).toContain('Content-Length');
    expect(encodeLine(resultResponse(1, {}))).toBe(`${RESULT}\n`);
  });

  provesCase('case-078', 'ignores blank lines', () => {
    const reader = new MessageReader({ classify });
    expect(reader.push(utf8(`\n\n  \n${RESULT}`))).toEqual([]);
    expect(kindsOf(reader.end())).toEqual(['result']);
  });

  provesCase('case-079', 'reports a banner once, without escape sequences', () => {
    const events = readEvents(['\u001b[32m┌──\u001b[0m\n', `${RESULT}\n`]);
    expect(kindsOf(events)).toEqual(['not-json', 'result']);
    expect((events[0] as Diagnostic).excerpt).not.toContain('\u001b');
  });

  provesCase('case-080', 'reports pretty-printed JSON once, with a hint', () => {
    const events = readEvents([`{\n "jsonrpc": "2.0",\n "id": 1,\n "result": {}\n}\n${RESULT}\n`]);
    expect(kindsOf(events)).toEqual(['embedded-newline', 'result']);
    expect((events[0] as Diagnostic).reason).toContain('pretty-printed');
  });
});

describe('batch', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const batches = { classify: classifyWithBatches };

  provesCase('case-090', 'a batch in a revision without them gets one -32600 with id null', () => {
    for (const [revision, rules] of Object.entries(CLASSIFY)) {
      if (revision === '2025-03-26') continue;
      expect(parse([ping], { classify: rules })).toMatchObject({
        kind: 'invalid',
        errorResponse: { id: null, error: { code: -32600 } },
      });
    }
  });

  provesCase('case-091', 'an empty batch gets -32600', () => {
    expect(parse([], batches)).toMatchObject({ kind: 'invalid', errorResponse: { id: null, error: { code: -32600 } } });
  });

  provesCase('case-092', 'rejects a batch of requests and responses', () => {
    const parsed = parse([ping, { jsonrpc: '2.0', id: 2, result: {} }], batches);
    expect(parsed).toMatchObject({
      kind: 'invalid',
      code: 'batch',
      errorResponse: { id: null, error: { code: -32600 } },
    });
  });

  provesCase('case-093', 'initialize can be refused in a batch by the rule that the endpoint gives', () => {
    const refuseInBatch: ParseOptions['refuseInBatch'] = ({ message }) =>
      'method' in message && message.method === 'initialize' ? 'initialize must not be in a batch' : undefined;
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    const parsed = parse([{ jsonrpc: '2.0', id: 0, method: 'initialize', params }, ping], {
      ...batches,
      refuseInBatch,
    });
    expect(parsed).toMatchObject({
      kind: 'batch',
      members: [
        { kind: 'invalid', code: 'batch', errorResponse: { id: 0, error: { code: -32600 } } },
        { kind: 'request' },
      ],
    });
  });

  provesCase('case-094', 'answers an invalid batch member separately', () => {
    const parsed = parse([ping, 1], batches);
    expect(parsed).toMatchObject({
      kind: 'batch',
      members: [
        { kind: 'request', message: ping },
        { kind: 'invalid', errorResponse: { id: null, error: { code: -32600 } } },
      ],
    });
  });
});

test('every case of these kinds is proven or deferred to the endpoint', () => {
  const all = cases(...KINDS).map(({ id }) => id);
  expect(all.length).toBeGreaterThan(0);
  expect(all.filter((id) => !proven.has(id) && !LEFT_TO_ENDPOINT.includes(id))).toEqual([]);
  expect(LEFT_TO_ENDPOINT.filter((id) => proven.has(id) || !all.includes(id))).toEqual([]);
  expect(PARTLY_PROVEN.filter((id) => !proven.has(id) || !all.includes(id))).toEqual([]);
});

test('parses the bytes of the cases the same for any chunks', () => {
  const streams = cases(...KINDS).flatMap(({ id, input }) => {
    const { raw, chunks } = input as { readonly raw?: string; readonly chunks?: readonly string[] };
    return raw !== undefined
      ? [{ id, bytes: utf8(raw) }]
      : chunks !== undefined
        ? [{ id, bytes: bytesOf(...chunks) }]
        : [];
  });
  expect(streams.length).toBeGreaterThan(8);
  for (const { id, bytes } of streams) {
    for (const sizes of [[1], [3], [10]])
      expect([id, readEvents(splitBytes(bytes, sizes))]).toEqual([id, readEvents([bytes])]);
  }
});
