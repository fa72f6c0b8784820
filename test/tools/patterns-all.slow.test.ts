/** Regular expressions that take super-linear time. */
import { afterAll, describe, expect, test } from 'vitest';
import { createPatternCheck, isPlain } from '../../generator/read/patterns.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { riskOf, tool } from './patterns-support.js';

afterAll(removeTemporaryFolders);

test.each([
  ['^[a-z]+$', true],
  ['^[\\w\\]-]{1,64}$', true],
  ['^\\d{4}-\\d{2}-\\d{2}$', true],
  ['^\\p{Script=Greek}+$', true],
  ['^(GET|POST)$', true],
  ['a|b', true],
  ['[a-z]+$', false],
  ['^[a-z]+[0-9]+$', false],
  ['^(a+)$', false],
  ['^a+?$', false],
  [`^${'(a|b)'.repeat(20)}$`, false],
  [`^${'a?'.repeat(20)}$`, false],
  ['(a)\\1', false],
])('the checker is not loaded for plain patterns: %s %s', (pattern, plain) => {
  expect(isPlain(pattern)).toBe(plain);
});

describe('a hostile pattern costs a limited time', () => {
  test.each([
    ['deeply nested', '('.repeat(2000) + 'a' + ')'.repeat(2000)],
    ['long', '[a-z]+'.repeat(20_000)],
    ['with many nested repeats', '(a+'.repeat(200) + ')+'.repeat(200)],
    ['with many alternatives', `(${Array.from({ length: 800 }, (_, index) => `k${index}`).join('|')})+x`],
  ])(
    '%s',
    (_, pattern) => {
      // Of the processor: a busy machine is allowed more time.
      const before = process.cpuUsage();
      riskOf(pattern);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(9000);
      // The checker still works.
      expect(createPatternCheck()(`^(${pattern.length}+b+b+)+c$`, '')).toMatchObject({ kind: 'exponential' });
    },
    60_000,
  );

  test('thousands in one schema', () => {
    const check = createPatternCheck(500);
    const properties = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`p${index}`, { pattern: `^(x+y?)*z{${index}}$` }]),
    );
    const start = performance.now();
    const { warnings } = tool({ type: 'object', properties }, { check });
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(warnings).toHaveLength(5000);
    expect(warnings.at(-1)?.message).toContain('could not be determined');
  }, 20_000);
});
