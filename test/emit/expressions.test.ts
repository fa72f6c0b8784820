import { describe, expect, test } from 'vitest';
import {
  allOf,
  check,
  CHECK_NAMES,
  orAbsent,
  printCheck,
  printExpression,
  type Expression,
} from '../../generator/emit/validators/expressions.js';
import * as runtime from '../../generated/runtime/validation.js';

test.each(CHECK_NAMES)('the runtime has the check %s', (name) => {
  expect(runtime[name]).toBeTypeOf('function');
});

describe('printExpression', () => {
  const guard: Expression = { guard: 'isTool', args: ['v'] };
  const limited = allOf([check('string', 'v'), check('stringWithin', 'v', '{ max: 1 }')]);
  test.each<[string, Expression, string]>([
    ['a check', check('string', 'v'), 'check.string(v)'],
    ['a generated guard', guard, 'isTool(v)'],
    ['several checks', limited, 'check.string(v) && check.stringWithin(v, { max: 1 })'],
    ['one check of which others do not apply', allOf([undefined, guard]), 'isTool(v)'],
    ['an optional check that the runtime has', orAbsent(check('string', 'v'), 'v'), 'check.maybeString(v)'],
    ['an optional guard', orAbsent(guard, 'v'), '(v === undefined || isTool(v))'],
    [
      'an optional list of one check, without parentheses',
      orAbsent({ all: [guard] }, 'v'),
      '(v === undefined || isTool(v))',
    ],
    [
      'several optional checks, in parentheses',
      orAbsent(limited, 'v'),
      '(v === undefined || (check.string(v) && check.stringWithin(v, { max: 1 })))',
    ],
  ])('prints %s', (_, expression, want) => {
    expect(printExpression(expression)).toBe(want);
  });
});

test('printCheck prints a call of the runtime', () => {
  expect(printCheck('mismatch', '"a string"', 'v')).toBe('check.mismatch("a string", v)');
});
