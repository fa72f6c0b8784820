/**
 * Validators of tools against Ajv, over schemas as a stranger may write them and values made for each.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect } from 'vitest';
import { renderTools, type ToolSource, type Warning } from '../../generator/index.js';
import {
  isObject,
  ownMember,
  objectFromEntries,
  type JsonObject,
  type JsonValue,
} from '../../generator/read/json/json.js';
import { parseTools } from '../../generator/read/tools.js';
import { temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';
import { compileOutput } from '../support/hostile.js';
import { compileSchema } from '../../templates/runtime/json-schema.js';
import type { Validator } from '../../templates/runtime/validation.js';

/**
 * Keywords that Ajv 8.20 gets wrong together: it counts members as evaluated by a reference to `true` and by an `if`
 * without branches, loses them next to `dependentSchemas`, and finds what an empty array must contain after
 * `prefixItems`.
 */
const AJV_FAULTS: readonly (readonly string[])[] = [
  ['unevaluated', 'dependentSchemas'],
  // The names that patterns evaluate are looked up in a plain object, which has a `constructor`.
  ['unevaluated', 'patternProperties'],
  ['unevaluated', 'if'],
  ['unevaluated', '$ref'],
  ['contains', 'prefixItems'],
  // After a member with a fitting item, an empty list passes.
  ['contains', 'additionalProperties'],
];
const ROOT = path.resolve(import.meta.dirname, '../..');

/** Not `__proto__`, of which Ajv does not see that a schema describes it; tools.test.ts has that. */
const name = fc.constantFrom('a', 'b', 'c d', 'constructor', 'e*/', '²');
const constant: fc.Arbitrary<JsonValue> = fc.constantFrom(null, true, 0, 1.5, 'a', 'ab', '*/', { a: 1 }, ['a'], []);
const count = fc.integer({ min: 0, max: 3 });

const DEFS = ['#/$defs/one', '#/$defs/two', '#', '#/properties/a', '#two'];

const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

function defined(record: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return objectFromEntries(
    Object.entries(record).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

/** A schema, most of the time of what the model knows. */
const schema: fc.Memo<JsonValue> = fc.memo((depth) => {
  const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
    { weight: 1, arbitrary: fc.boolean() },
    {
      weight: 4,
      arbitrary: fc.constantFrom<JsonValue>({ type: 'boolean' }, { type: 'null' }, { type: ['string', 'null'] }, {}),
    },
    {
      weight: 4,
      arbitrary: fc
        .record({
          type: fc.constant('string'),
          minLength: some(count),
          maxLength: some(count),
          pattern: some(fc.constantFrom('^a', 'b$', '(')),
        })
        .map(defined),
    },
    {
      weight: 4,
      arbitrary: fc
        .record({
          type: fc.constantFrom('number', 'integer'),
          minimum: some(count),
          exclusiveMaximum: some(count),
          multipleOf: some(fc.constantFrom(0.5, 2, 0)),
        })
        .map(defined),
    },
    { weight: 2, arbitrary: fc.array(constant, { minLength: 1, maxLength: 4 }).map((list) => ({ enum: list })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(constant, some(fc.constantFrom('string', 'object', 'integer')))
        .map(([value, type]) => defined({ const: value, type })),
    },
    { weight: 2, arbitrary: fc.constantFrom(...DEFS).map(($ref) => ({ $ref })) },
  );
  if (depth <= 1) return leaf;
  const inner = schema(depth - 1);
  const members = fc.array(fc.tuple(name, inner), { maxLength: 3 }).map(objectFromEntries);
  const list = fc.array(inner, { minLength: 1, maxLength: 3 });
  const object = fc.record({
    type: fc.constantFrom<JsonValue>('object', 'object', ['object', 'null']),
    properties: some(members),
    required: some(fc.uniqueArray(name, { maxLength: 2 })),
    additionalProperties: some(inner),
    maxProperties: some(count),
    anyOf: some(
      fc.array(
        fc.uniqueArray(name, { maxLength: 1 }).map((required) => ({ required })),
        { minLength: 1, maxLength: 2 },
      ),
    ),
  });
  const array = fc.record({
    type: fc.constant('array'),
    items: some(inner),
    minItems: some(count),
    uniqueItems: some(fc.boolean()),
  });
  const rare = fc.constantFrom<JsonObject>({ $ref: 'https://example.com/other.json' }, { requird: ['a'] });
  const names = fc.uniqueArray(name, { maxLength: 2 });
  // Any keyword next to any other, mostly without a type.
  const soup = fc.record(
    {
      type: seldom(fc.constantFrom<JsonValue>('object', 'array', 'string', ['object', 'array', 'integer'])),
      enum: seldom(fc.array(constant, { minLength: 1, maxLength: 5 })),
      minLength: seldom(count),
      pattern: seldom(fc.constantFrom('^a', 'b$')),
      minimum: seldom(count),
      multipleOf: seldom(fc.constantFrom(0.1, 0.5, 2)),
      properties: some(members),
      required: seldom(names),
      patternProperties: seldom(
        fc.array(fc.tuple(fc.constantFrom('^a', 'b', '.'), inner), { maxLength: 2 }).map(objectFromEntries),
      ),
      additionalProperties: seldom(inner),
      propertyNames: seldom(
        fc.constantFrom<JsonValue>({ maxLength: 1 }, { pattern: '^[ab]' }, { enum: ['a', 'b'] }, true, false),
      ),
      minProperties: seldom(count),
      dependentRequired: seldom(fc.array(fc.tuple(name, names), { maxLength: 2 }).map(objectFromEntries)),
      dependentSchemas: seldom(fc.array(fc.tuple(name, inner), { maxLength: 2 }).map(objectFromEntries)),
      unevaluatedProperties: seldom(inner),
      prefixItems: some(list),
      items: seldom(inner),
      contains: seldom(inner),
      minContains: seldom(count),
      maxContains: seldom(count),
      maxItems: seldom(count),
      uniqueItems: seldom(fc.boolean()),
      unevaluatedItems: seldom(inner),
      not: seldom(inner),
      if: some(inner),
      then: seldom(inner),
      else: seldom(inner),
      anyOf: seldom(list),
      oneOf: seldom(list),
      allOf: seldom(list),
      $ref: seldom(fc.constantFrom(...DEFS)),
    },
    { noNullPrototype: true },
  );
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 5, arbitrary: object.map(defined) },
    { weight: 2, arbitrary: array.map(defined) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf'), list)
        .map(([keyword, parts]) => ({ [keyword]: parts })),
    },
    { weight: 5, arbitrary: soup.map(defined) },
    { weight: 1, arbitrary: fc.tuple(object.map(defined), rare).map(([own, more]) => ({ ...own, ...more })) },
  );
});

/** Schemas of tools. */
export const toolSchema: fc.Arbitrary<JsonValue> = fc
  .tuple(schema(4), schema(3), schema(3))
  .map(([root, one, two]) => ({
    ...(isObject(root) ? root : {}),
    $defs: { one, two: isObject(two) ? { ...two, $anchor: 'two' } : two },
  }));

const anything = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    constant,
    fc.constantFrom<JsonValue>('', 'b', 'abcd', -1, 2, 1e9, {}, []),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(objectFromEntries),
  ),
})).value;

/** A value that a schema may well allow: it is followed most of the time. */
export function valueFor(part: JsonValue, root: JsonObject, depth: number): fc.Arbitrary<JsonValue> {
  if (!isObject(part) || depth > 6) return anything;
  const ref = ownMember(part, '$ref');
  if (typeof ref === 'string') {
    const defs = (ownMember(root, '$defs') ?? {}) as JsonObject;
    const target =
      ref === '#' ? root : ref.endsWith('one') ? defs['one'] : ref.endsWith('two') ? defs['two'] : undefined;
    return valueFor(target ?? true, root, depth + 1);
  }
  const follow: fc.Arbitrary<JsonValue>[] = [];
  const choices = [
    ...((ownMember(part, 'enum') ?? []) as JsonValue[]),
    ...(Object.hasOwn(part, 'const') ? [part['const'] as JsonValue] : []),
  ];
  if (choices.length > 0) follow.push(fc.constantFrom(...choices));
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    for (const item of (ownMember(part, keyword) ?? []) as JsonValue[]) follow.push(valueFor(item, root, depth + 1));
  }
  for (const type of [ownMember(part, 'type') ?? impliedTypes(part)].flat() as string[]) {
    if (type === 'string') follow.push(fc.constantFrom('', 'a', 'ab', 'abb', 'b'));
    else if (type === 'number' || type === 'integer') follow.push(fc.constantFrom<JsonValue>(0, 1, 2, 1.5, 3));
    else if (type === 'boolean') follow.push(fc.boolean());
    else if (type === 'null') follow.push(fc.constant(null));
    else if (type === 'array')
      follow.push(
        fc
          .tuple(
            fc.tuple(
              ...((ownMember(part, 'prefixItems') ?? []) as JsonValue[]).map((item) => valueFor(item, root, depth + 1)),
            ),
            fc.array(valueFor(ownMember(part, 'items') ?? ownMember(part, 'contains') ?? true, root, depth + 1), {
              maxLength: 3,
            }),
          )
          .map(([first, others]) => [...first, ...others]),
      );
    else {
      const properties = (ownMember(part, 'properties') ?? {}) as JsonObject;
      const required = (ownMember(part, 'required') ?? []) as string[];
      const known = [...new Set([...Object.keys(properties), ...required])];
      const rest = ownMember(part, 'additionalProperties') ?? true;
      const entries = known.map((key) =>
        fc.tuple(
          fc.constant(key),
          valueFor(ownMember(properties, key) ?? rest, root, depth + 1),
          required.includes(key) ? fc.constant(true) : fc.boolean(),
        ),
      );
      const more =
        rest === false ? fc.constant([]) : fc.array(fc.tuple(name, valueFor(rest, root, depth + 1)), { maxLength: 1 });
      follow.push(
        fc
          .tuple(more, fc.tuple(...entries))
          .map(([others, own]) =>
            objectFromEntries([
              ...others,
              ...own.flatMap(([key, value, isThere]): [string, JsonValue][] => (isThere ? [[key, value]] : [])),
            ]),
          ),
      );
    }
  }
  return follow.length === 0
    ? anything
    : fc.oneof({ weight: 6, arbitrary: fc.oneof(...follow) }, { weight: 1, arbitrary: anything });
}

const TYPE_OF_KEYWORD: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'properties',
      'required',
      'patternProperties',
      'additionalProperties',
      'propertyNames',
      'minProperties',
      'dependentRequired',
      'dependentSchemas',
      'unevaluatedProperties',
    ].map((keyword) => [keyword, 'object']),
  ),
  ...Object.fromEntries(
    ['prefixItems', 'items', 'contains', 'maxItems', 'uniqueItems', 'unevaluatedItems'].map((keyword) => [
      keyword,
      'array',
    ]),
  ),
  minLength: 'string',
  pattern: 'string',
  minimum: 'number',
  multipleOf: 'number',
};

/** The types that the keywords of a schema are about. */
function impliedTypes(part: JsonObject): readonly string[] {
  return [...new Set(Object.keys(part).flatMap((keyword) => ownMember(TYPE_OF_KEYWORD, keyword) ?? []))] as string[];
}

/** Loads the validators of tools. */
async function loaded(
  tools: readonly ToolSource[],
): Promise<{ module: Readonly<Record<string, unknown>>; warnings: readonly Warning[] }> {
  const folder = temporaryFolder();
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  const { files, warnings } = await renderTools(tools, folder);
  expect(await compileOutput(files).errors()).toEqual([]);
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
    writeFileSync(path.join(folder, file.path), file.contents);
  }
  const module = await importOutput(path.join(folder, 'tools/index.ts'));
  return { module, warnings };
}

/** The seed of a run. It is fixed, so that a change fails for what it changes; `MCPGEN_FUZZ_SEED=7` tries others. */
export const SEED = Number(process.env['MCPGEN_FUZZ_SEED'] ?? 20260728);

/** Expects the verdicts of Ajv for the values of as many schemas, and the same ones of validators made at run time. */
export async function expectVerdictsOfAjv(count: number, values = 60): Promise<void> {
  const schemas = fc.sample(toolSchema, { numRuns: count, seed: SEED });
  const list = schemas.map((inputSchema, index) => ({ name: `t${index}x`, inputSchema }));
  const { module, warnings } = await loaded(parseTools(list, 'tools.json'));
  const warned = new Map<number, string[]>();
  for (const { place, message } of warnings) {
    const index = Number(/#\/(\d+)/.exec(place)?.[1]);
    warned.set(index, [...(warned.get(index) ?? []), message]);
  }
  const counts = { exact: 0, wider: 0, accepted: 0, refused: 0, skipped: 0 };
  const differences: string[] = [];
  for (const [index, inputSchema] of schemas.entries()) {
    const validate = module[`validateT${index}xInput`] as Validator<unknown>;
    const messages = warned.get(index) ?? [];
    const atRunTime = compileSchema(inputSchema, { trustPatterns: true });
    const ajv = new Ajv2020({
      strict: false,
      validateFormats: false,
      ownProperties: true,
      validateSchema: false,
      code: { optimize: false },
    });
    let oracle;
    try {
      oracle = ajv.compile(inputSchema as object);
    } catch {
      // A dangling reference or an invalid pattern has no verdict.
      oracle = undefined;
    }
    const text = JSON.stringify(inputSchema);
    if (AJV_FAULTS.some((keywords) => keywords.every((keyword) => text.includes(`"${keyword}`)))) oracle = undefined;
    if (oracle === undefined) counts.skipped += 1;
    const isExact = messages.every((message) => message.includes('also allows other values'));
    for (const value of fc.sample(valueFor(inputSchema, inputSchema as JsonObject, 0), {
      numRuns: values,
      seed: SEED + index,
    })) {
      const ours = validate(value).success;
      // Arguments are an object, whatever a schema says.
      const isSame = !isObject(value) || ours === atRunTime(value).success;
      if (isExact && !isSame)
        differences.push(`run time ${ours ? 'refuses' : 'accepts'} ${JSON.stringify(value)} for ${text}`);
      let wanted: boolean;
      try {
        if (oracle === undefined) continue;
        wanted = isObject(value) && oracle(value);
      } catch {
        continue;
      }
      counts[wanted ? 'accepted' : 'refused'] += 1;
      counts[isExact ? 'exact' : 'wider'] += 1;
      if (isExact ? ours !== wanted : wanted && !(ours && isSame)) {
        differences.push(
          `Ajv ${wanted ? 'accepts' : 'refuses'} ${JSON.stringify(value)} for ${text} ${messages.join('; ')}`,
        );
      }
    }
  }
  console.log(JSON.stringify(counts));
  expect(differences.sort((a, b) => a.length - b.length).slice(0, 5)).toEqual([]);
  expect(counts.exact).toBeGreaterThan((count * values) / 10);
  expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan((count * values) / 20);
}
