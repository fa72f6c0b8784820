/** Unions of recursive, indistinguishable branches are validated in time linear in the size of the value. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../generator/read/json/json.js';
import { compileSchema } from '../../templates/runtime/json-schema.js';
import type { Validator } from '../../templates/runtime/validation.js';
import { removeTemporaryFolders } from '../support/cli.js';
import {
  SCHEMAS,
  EVALUATED,
  evaluated,
  generateValidators,
  validators,
  LONGEST,
  millisecondsSince,
} from './recursive-unions-support.js';

/** A value nested to a depth whose levels all need the second branch, and whose innermost is wrong if wanted. */
function nested(depth: number, innermost: JsonObject, isList: boolean): JsonObject {
  let value = innermost;
  for (let level = 0; level < depth; level += 1) value = { a: isList ? [value] : value, y: '' };
  return { v: value };
}
beforeAll(generateValidators);
afterAll(removeTemporaryFolders);

describe.each(Object.keys(SCHEMAS))('%s', (name) => {
  const validate = (value: unknown): ReturnType<Validator<unknown>> =>
    validators.get(name)?.(value) ?? expect.unreachable();

  test.each([18, 30, 100])('validates depth %i', (depth) => {
    const isList = name === 'Items';
    const end = isList ? [] : null;
    const good = nested(depth - 1, { a: end, y: '' }, isList);
    const bad = nested(depth - 1, { a: end, y: 1 }, isList);
    const before = process.cpuUsage();
    expect(validate(good).success).toBe(true);
    const outcome = validate(bad);
    expect(millisecondsSince(before)).toBeLessThan(LONGEST);
    expect(outcome.success).toBe(false);
    if (outcome.success) return;
    expect(outcome.failure.path.startsWith(isList ? '/v/a/0/a/0' : '/v/a/a')).toBe(true);
  });

  test('agrees with Ajv', () => {
    const judge = new Ajv2020({ strict: false }).compile(SCHEMAS[name] ?? {});
    const isList = name === 'Items';
    const deep = 12;
    const a = isList ? [] : null;
    const innermost = [{ a, y: '' }, { a, x: '' }, { a, x: '', y: '' }, { a }, { a: 1, y: '' }, { a, y: 1 }, {}];
    for (const one of innermost) {
      const value = nested(deep, one, isList);
      expect([one, validate(value).success]).toEqual([one, judge(value)]);
    }
    const short = validate(nested(3, { a: 1, y: '' }, isList));
    const long = validate(nested(deep, { a: 1, y: '' }, isList));
    if (short.success || long.success) throw new Error('a wrong value is valid');
    expect({ ...long.failure, path: '' }).toEqual({ ...short.failure, path: '' });
    expect(long.failure.path.endsWith(isList ? '/a/0/a' : '/a/a')).toBe(true);
    expect(long.failure.path.split('/').length).toBe((isList ? 2 : 1) * deep + 3);
  });
});

test.each(Object.entries(EVALUATED))('unevaluated members in 30 levels of %s are found at once', (name, step) => {
  const before = process.cpuUsage();
  const verdicts = [
    { a: 1, b: 2, c: 3 },
    { a: 1, d: 4 },
  ].map((v) => [validators.get(`Evaluated${name}`)?.({ v }).success, compileSchema(evaluated(step))({ v }).success]);
  expect(millisecondsSince(before)).toBeLessThan(LONGEST);
  // Generated validators have the rule in the innermost levels only, with a warning, and may accept more.
  expect(verdicts).toEqual([
    [true, true],
    [expect.any(Boolean), false],
  ]);
});

test('members are read in a number that grows with the depth only', () => {
  const readsAt = (depth: number): number => {
    let reads = 0;
    let value: object = { a: null, y: 1 };
    for (let level = 0; level < depth; level += 1) {
      const below = value;
      value = {
        get a() {
          reads += 1;
          return below;
        },
        y: '',
      };
    }
    expect(validators.get('AnyOf')?.({ v: value }).success).toBe(false);
    return reads;
  };
  const [at100, at200, at400] = [readsAt(100), readsAt(200), readsAt(400)];
  expect(at400 - at200).toBeLessThan(2.5 * (at200 - at100));
  expect(at400).toBeLessThan(100_000);
});
