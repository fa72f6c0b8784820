import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { objectFromEntries, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { oracleOf } from '../support/oracle.js';
import {
  BEYOND,
  MORE_KEYWORDS,
  protocolOf,
  schemaOf,
  written,
  zodFile,
  zodFolder,
  type Schemas,
} from './zod-support.js';
import { compareAll, difference } from './zod-revisions.js';

const scratch = zodFolder();
afterAll(removeTemporaryFolders);

const ALL_BEYOND: JsonObject = { ...BEYOND, ...MORE_KEYWORDS };

/** Arrays and objects with up to three members. */
function smallValues(): readonly JsonValue[] {
  const leaves: readonly JsonValue[] = ['a', 'ab', 1, 1.5, 3, null, true, ['a'], {}, { a: 1 }];
  const triples = leaves.flatMap((a) => leaves.flatMap((b) => leaves.map((c) => [a, b, c])));
  const lists = [...triples, ...triples.map((list) => list.slice(0, 2)), ...leaves.map((leaf) => [leaf]), []];
  const names = ['a', 'x-a', 'x-b', 'b', 'kind', 'other'];
  const objects = lists.flatMap((list) =>
    names.map((_, start) =>
      objectFromEntries(list.map((item, index) => [names[(start + index) % names.length] ?? '', item])),
    ),
  );
  return [...leaves, ...lists, ...objects];
}

describe('keywords beyond those of MCP', () => {
  let schemas: Schemas;
  beforeAll(async () => {
    schemas = await written(await protocolOf(ALL_BEYOND), path.join(scratch, 'beyond'));
  });

  test('agree with the JSON Schema on valid values', () => {
    // Of a oneOf with overlapping variants not every value that one variant allows is valid.
    const { OneOf: _, ...others } = BEYOND;
    expect(compareAll(others, schemas, 'valid').refused).toBe(0);
    expect(compareAll(BEYOND, schemas, 'valid').refused).toBeGreaterThan(0);
  });

  test('agree with the JSON Schema on mutated values', () => {
    const tally = compareAll(BEYOND, schemas, 'mutated');
    expect(tally.refused).toBeGreaterThan(tally.values / 3);
  });

  test.each(Object.keys(MORE_KEYWORDS))('agree with the JSON Schema on small values: %s', (name) => {
    const accepts = oracleOf(ALL_BEYOND)(name);
    const wrong = smallValues().filter(
      (value) => difference(schemaOf(schemas, name), (given) => accepts(given), value) !== undefined,
    );
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  test.each<readonly [string, JsonValue, boolean]>([
    ['Text', '\u{1f600}', false],
    ['Text', '\u{1f600}\u{1f600}\u{1f600}', true],
    ['Text', '\u{1f600}\u{1f600}\u{1f600}\u{1f600}', false],
    ['Pattern', 'a/', true],
    ['Pattern', 'aB', true],
    ['Pattern', 'aBc', false],
    ['Ranged', 0.3, false],
    ['Ranged', 0.5, true],
    ['Ranged', 10, false],
    ['Even', 2 ** 60, false],
    ['OneOf', 5, false],
    ['OneOf', 5.5, true],
    ['OneOf', 4, true],
    [
      'Distinct',
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      false,
    ],
    ['Distinct', [1, '1', true, [1], { '1': 1 }], true],
    ['Exact', { a: 'x', c: 1 }, false],
    ['Both', { a: 'x', c: 1 }, false],
    ['BothClosed', { a: 'x', b: 1 }, false],
    ['BothClosed', { a: 'x' }, true],
    ['Typed', { a: 'x', other: 'x' }, false],
    ['Typed', { a: 'x', toString: 1 }, true],
    ['Nothing', {}, true],
    ['Pair', [], true],
    ['Pair', ['a'], true],
    ['Pair', ['a', 1], true],
    ['Pair', ['a', 1.5], false],
    ['Pair', ['a', 1, 1], false],
    ['AtLeastOne', [], false],
    ['AtLeastOne', ['a', null, true, false], true],
    ['AtLeastOne', ['a', null, 1], false],
    ['AtLeastOne', ['a', null, true, false, true], false],
    ['Four', ['a', 1, 2], false],
    ['Four', ['a', 1, 2, 3], true],
    ['Four', ['a', 1, 2, 2], false],
    ['Short', ['a', null], true],
    ['Short', ['a', null, 1], false],
    ['Chain', ['a', ['b', ['c']]], true],
    ['Chain', ['a', ['b', [1]]], false],
    ['Prefixed', { a: '', 'x-a': 1, other: true }, true],
    ['Prefixed', { a: '', 'x-a': 'x' }, false],
    ['Prefixed', { a: '', other: 1 }, false],
    ['Prefixed', { a: '', 'x-b': 2 }, false],
    ['Prefixed', { a: '', b: 3 }, true],
    ['OnlyPrefixed', { 'x-': 'ab' }, true],
    ['OnlyPrefixed', { 'x-': 'a' }, false],
    ['OnlyPrefixed', { y: 'ab' }, false],
    ['FewPrefixed', { 'x-': null, y: 1, z: 2 }, false],
    ['FewPrefixed', [], false],
    ['PrefixedTree', { a: { b: { d: 1 } } }, true],
    ['PrefixedTree', { a: { b: { c: 1 } } }, false],
    ['Limited', 'abc', false],
    ['Excluded', 'b', false],
    ['Excluded', 'c', true],
    ['Nothing', { a: 1 }, false],
    ['Tree', { value: 'a', children: [{ value: 'b', children: [{ value: 1 }] }] }, false],
  ])('%s: %j is valid: %s', (name, value, valid) => {
    expect(oracleOf(ALL_BEYOND)(name)(value)).toBe(valid);
    expect(schemaOf(schemas, name).safeParse(value).success).toBe(valid);
  });

  test('are written as a person would', () => {
    const text = readFileSync(zodFile('own', path.join(scratch, 'beyond')), 'utf8');
    const bodyOf = (name: string): string =>
      new RegExp(`export const ${name}Schema([^]*?);\\n\\n`).exec(`${text}\n`)?.[1]?.replace(/\s+/g, ' ') ?? '';
    expect(bodyOf('Shape')).toContain('z.discriminatedUnion("kind", [CircleSchema, SquareSchema])');
    expect(bodyOf('Loose')).toContain('z.union([');
    expect(bodyOf('Twice')).toContain('z.union([');
    expect(bodyOf('Maybe')).toContain('TextSchema.nullable()');
    expect(bodyOf('Mixed')).toContain('z.literal(["a", 1, null, true])');
    expect(bodyOf('Exact')).toContain('z.strictObject({');
    expect(bodyOf('Typed')).toMatch(/z \.object\(\{.*\}\) \.catchall\(z\.number\(\)\)/);
    expect(bodyOf('Tree')).toMatch(/^: z\.ZodType<Tree> = .*z\.array\(z\.lazy\(\(\) => TreeSchema\)\)/);
  });
});
