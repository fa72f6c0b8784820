import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_PARTS, EMITTABLE, loadProtocol, render, type RenderOptions } from '../../generator/index.js';
import { objectFromEntries, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { oracleOf } from '../support/oracle.js';
import { REVISIONS } from '../support/revisions.js';
import { requireReferenceMaterial, officialExamples } from '../support/reference-material.js';
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
import { compareAll, difference, schemasOf, testZodOf } from './zod-revisions.js';

const root = path.resolve(import.meta.dirname, '../..');

const scratch = zodFolder();
afterAll(removeTemporaryFolders);

// The others, and a bundler, are in zod-verdicts.slow.test.ts.
testZodOf(REVISIONS.slice(-1), scratch);

describe('zod.ts of 2026-07-28', () => {
  test('parses the official examples unchanged', (context) => {
    requireReferenceMaterial(context);
    const examples = officialExamples();
    expect(examples.length).toBeGreaterThan(0);
    for (const { definition, name, value } of examples) {
      const result = schemaOf(schemasOf('2026-07-28'), definition).safeParse(value);
      expect(result, `${definition}/${name}`).toEqual({ success: true, data: value });
    }
  });
});

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

describe('what cannot be said in Zod', () => {
  test.each([
    [
      'a member that every object inherits',
      { A: { type: 'object', properties: { constructor: { type: 'string' } } } },
      'A.constructor: Zod cannot check a member named "constructor", since every object inherits one',
    ],
    [
      'a member named __proto__',
      { A: { type: 'object', properties: JSON.parse('{ "__proto__": { "type": "string" } }') as JsonObject } },
      'A.__proto__: Zod cannot check a member named "__proto__", since every object inherits one',
    ],
    [
      'a recursive definition with a name that the file needs itself',
      { z: { type: 'array', items: { $ref: '#/$defs/z' } } },
      'z: the name "z" is taken in zod.ts',
    ],
    ...(
      [
        ['if', { if: { type: 'string' }, then: { minLength: 1 } }],
        ['contains', { type: 'array', contains: { type: 'string' } }],
        ['propertyNames', { type: 'object', propertyNames: { maxLength: 3 } }],
        ['dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }],
        ['dependentSchemas', { type: 'object', dependentSchemas: { a: { maxProperties: 1 } } }],
        ['unevaluatedProperties', { type: 'object', properties: { a: {} }, unevaluatedProperties: false }],
        ['unevaluatedItems', { type: 'array', prefixItems: [{}], unevaluatedItems: false }],
      ] as const
    ).map(([keyword, A]) => [`the keyword "${keyword}"`, { A }, `A: zod.ts does not support "${keyword}"`] as const),
    [
      'a schema with the name of a type',
      { A: { type: 'string' }, ASchema: { type: 'number' } },
      'the definition "ASchema" has a name that zod.ts exports itself',
    ],
  ] as const)('is refused by name: %s', async (_, definitions, message) => {
    await expect(render(await protocolOf(definitions), scratch, { emit: ['zod'] })).rejects.toThrow(message);
    await expect(render(await protocolOf(definitions), scratch, { emit: ['types'] })).resolves.toHaveLength(2);
  });
});

describe('--emit zod', () => {
  const cli = path.join(root, 'dist/generator/cli.js');
  const generate = (...args: readonly string[]): readonly string[] => {
    const out = execFileSync(process.execPath, [cli, 'generate', '-r', '2025-03-26', '--dry-run', '--json', ...args]);
    const { files } = JSON.parse(out.toString()) as { files: readonly { path: string }[] };
    return files.map((file) => path.basename(file.path)).sort();
  };

  test('is not part of the default output', () => {
    expect(EMITTABLE).toContain('zod');
    expect(DEFAULT_PARTS).not.toContain('zod');
    expect(generate('--out', path.join(scratch, 'none'))).not.toContain('zod.ts');
  });

  test('writes only the files it needs', () => {
    expect(generate('--emit', 'zod', '--out', path.join(scratch, 'none'))).toEqual(['index.ts', 'types.ts', 'zod.ts']);
  });

  test('is named by the command that regenerates the files', async () => {
    const protocol = await loadProtocol({ revision: '2025-03-26' });
    const commandOf = async (emit?: RenderOptions['emit']): Promise<string> => {
      const [file] = await render(protocol, scratch, emit === undefined ? {} : { emit });
      return /Regenerate: (.*) --out/.exec(file?.contents ?? '')?.[1] ?? '';
    };
    expect(await commandOf()).toBe('mcpgen generate --revision 2025-03-26');
    const named = EMITTABLE.filter((part) => !DEFAULT_PARTS.includes(part) && part !== 'stubs');
    expect(await commandOf(EMITTABLE)).toBe(`mcpgen generate --revision 2025-03-26 --emit default,${named.join(',')}`);
    expect(await commandOf(['types', 'zod'])).toBe('mcpgen generate --revision 2025-03-26 --emit types,zod');
  });

  test('is exported from the index', async () => {
    const protocol = await loadProtocol({ revision: '2025-03-26' });
    const others = ['http-client', 'oauth-client', 'oauth-node'];
    const files = await render(protocol, scratch, { emit: EMITTABLE.filter((part) => !others.includes(part)) });
    const contents = (name: string): string => files.find((file) => file.path.endsWith(`/${name}.ts`))?.contents ?? '';
    expect(contents('index')).toContain('export * from "./zod.js";');
    const withPackages = files
      .filter((file) => /^(?:import|export)\s[^;]*?from "(?!\.|node:)/m.test(file.contents))
      .map((file) => path.basename(file.path));
    expect(withPackages).toEqual(['zod.ts']);
  });
});
