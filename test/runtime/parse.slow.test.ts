import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { processorTimeOf } from '../support/processor-time.js';
import { anyJson, anyMessage, classify, classifyWithBatches, utf8 } from './codec-support.js';
import { expectSame } from '../support/expect-often.js';
import { parse } from './parse-support.js';

describe('parseMessage', () => {
  test('never throws', () => {
    const check = (input: string | Uint8Array): void => {
      for (const rules of [classify, classifyWithBatches]) {
        const parsed = parse(input, { classify: rules });
        if (parsed.kind !== 'invalid') continue;
        const silent = parsed.messageKind === 'response' || parsed.messageKind === 'notification';
        expectSame(parsed.errorResponse === undefined, silent);
        if (parsed.errorResponse !== undefined) {
          expectSame(parsed.errorResponse.id, parsed.id);
          const { code } = parsed.errorResponse.error;
          if (![-32700, -32600, -32602].includes(code)) expect.fail(`error ${code}`);
          expectSame(classify(parsed.errorResponse).kind, 'error');
        }
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), check), { numRuns: 2000 });
    fc.assert(fc.property(fc.string({ unit: 'binary' }), check), { numRuns: 1000 });
    fc.assert(
      fc.property(
        anyJson.map((value) => JSON.stringify(value)),
        check,
      ),
      { numRuns: 1000 },
    );
    const members = fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error', '__proto__', 'x');
    const values = fc.oneof(
      fc.constantFrom('2.0', 1, 1.5, 2 ** 60, null, [], {}, 'a', { code: 1, message: '' }),
      anyJson,
    );
    const envelope = fc.dictionary(members, values, { noNullPrototype: true });
    const batch = fc.oneof(
      envelope,
      fc.array(envelope),
      fc.array(fc.oneof(anyMessage, envelope, fc.array(anyMessage))),
    );
    fc.assert(
      fc.property(
        batch.map((value) => JSON.stringify(value)),
        check,
      ),
      { numRuns: 2000 },
    );
    const mutated = fc.tuple(anyMessage, fc.nat(), fc.nat(255)).map(([message, at, byte]) => {
      const bytes = utf8(JSON.stringify(message));
      bytes[at % bytes.length] = byte;
      return bytes;
    });
    fc.assert(fc.property(mutated, check), { numRuns: 2000 });
  });
});

describe('depth', () => {
  /** A request of the given depth in all. */
  const nested = (depth: number, tail = ''): string =>
    `{"jsonrpc":"2.0","id":"x","method":"a","params":{"a":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}${tail}}`;

  test.each([
    ['arrays', '['.repeat(1_000_000)],
    ['objects', '{"a":'.repeat(1_000_000)],
    ['arrays that close', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['brackets in no order', '}]{['.repeat(250_000)],
    ['params of a request', nested(500_000)],
    ['strings that open', '["'.repeat(500_000)],
    ['backslashes', `["${'\\'.repeat(1_000_000)}`],
    ['wide and flat', `[${'[],'.repeat(350_000)}[]]`],
  ])('a million %s neither crash nor take long', (_, text) => {
    const took = processorTimeOf(() => {
      expect(parse(text).kind).toBe('invalid');
      expect(parse(text, { maxDepth: 1_000_000 }).kind).toMatch(/^(?:invalid|request)$/);
    });
    expect(took).toBeLessThan(5000);
  });
});
