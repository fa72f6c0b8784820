import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadProtocol } from '../../generator/index.js';
import { definitionSchema, typeSchema, type JsonSchemaOptions } from '../../generator/print/json-schema.js';
import { objectFromEntries, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { parseTool } from '../../generator/model/tools.js';
import type { ToolSource } from '../../generator/index.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import { correctedDefinitions, oracleOf } from '../support/oracle.js';
import { REVISIONS } from '../support/revisions.js';
import { mutated, validValue } from '../support/schema-arbitrary.js';
import { itemsOf, shareOfToday } from '../support/today.js';
import { SchemaSampler } from '../support/schema-sampler.js';

/** Ajv's verdicts on printed definitions, in a dialect. */
function printed(
  definitions: JsonObject,
  dialect: JsonSchemaOptions['dialect'],
): (name: string) => (value: unknown) => boolean {
  if (dialect !== 'draft-07') return oracleOf(definitions);
  const ajv = new Ajv({ validateFormats: false, strict: false, ownProperties: true, code: { optimize: false } });
  ajv.addSchema({ $id: 'printed', $defs: definitions });
  return (name) => ajv.getSchema(`printed#/$defs/${encodeURIComponent(name)}`) as (value: unknown) => boolean;
}

/** Each revision and dialect has its day. */
const TODAY = itemsOf(
  (['2020-12', 'draft-07'] as const).flatMap((dialect) => REVISIONS.map((item) => ({ ...item, dialect }))),
  shareOfToday(5),
);

describe.each(TODAY)('the printed schemas of $revision in $dialect', ({ revision, dialect, definitions: count }) => {
  test('accept exactly what the official schema accepts', async () => {
    const protocol = await loadProtocol({ revision });
    const options: JsonSchemaOptions = { dialect };
    const ours = printed(
      objectFromEntries(
        protocol.definitions.map((definition) => [definition.name, definitionSchema(definition, options)]),
      ),
      dialect,
    );
    const official = correctedDefinitions(revision);
    const theirs = oracleOf(official);
    const names = protocol.definitions.map(({ name }) => name);
    expect(names).toHaveLength(count);
    const verdicts = { accepted: 0, rejected: 0 };
    const differences: string[] = [];
    for (const name of names) {
      const [mine, expected] = [ours(name), theirs(name)];
      const compare = (value: JsonValue): void => {
        const accepted = expected(value);
        verdicts[accepted ? 'accepted' : 'rejected'] += 1;
        if (mine(value) !== accepted) differences.push(`${name}: ${JSON.stringify(value)} accepted: ${accepted}`);
      };
      const sampler = new SchemaSampler({ $ref: `#/$defs/${encodeURIComponent(name)}`, $defs: official }, name.length);
      for (let index = 0; index < 20; index += 1) compare(sampler.next());
      fc.sample(validValue(official, name), { numRuns: 5, seed: 7 }).forEach(compare);
      for (const { value } of fc.sample(mutated(official, name), { numRuns: 15, seed: 7 })) compare(value);
    }
    expect(differences).toEqual([]);
    // Neither verdict is the exception.
    expect(Math.min(verdicts.accepted, verdicts.rejected)).toBeGreaterThan(count * 8);
  });
});

describe('rules beyond those of the protocol', () => {
  const schemas: Readonly<Record<string, JsonObject>> = {
    'a tuple': { prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false, minItems: 1 },
    'an open tuple': { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'boolean' } },
    'names by pattern': {
      type: 'object',
      patternProperties: { '^x-': { type: 'integer' } },
      additionalProperties: false,
    },
    'names of members': { type: 'object', propertyNames: { maxLength: 2 } },
    'something else': { not: { type: 'string' } },
    'a condition': {
      type: 'object',
      properties: { a: {} },
      if: { required: ['a'] },
      then: { required: ['b'] },
      else: { maxProperties: 1 },
    },
    'a dependency': { type: 'object', dependentRequired: { a: ['b'] } },
    'an item': { type: 'array', contains: { type: 'integer' } },
    'two or three items': { type: 'array', contains: { type: 'integer' }, minContains: 2, maxContains: 3 },
    'members that are not evaluated': {
      type: 'object',
      properties: { a: { type: 'string' } },
      anyOf: [{ properties: { b: { type: 'integer' } }, required: ['b'] }, { properties: { c: {} } }],
      unevaluatedProperties: false,
    },
    'items that are not evaluated': {
      type: 'array',
      prefixItems: [{ type: 'string' }],
      if: { maxItems: 2 },
      then: { prefixItems: [true, { type: 'integer' }] },
      unevaluatedItems: { type: 'boolean' },
    },
    'one of several': { oneOf: [{ type: 'number' }, { type: 'integer' }, { type: 'string' }] },
    constants: { enum: ['a', 1, null] },
    nothing: { type: 'object', properties: { a: false } },
  };
  const values: readonly JsonValue[] = [
    null,
    true,
    0,
    1,
    1.5,
    '',
    'a',
    'abc',
    [],
    ['a'],
    ['a', 1],
    ['a', 'b'],
    ['a', true],
    ['a', 1, true],
    ['a', 1, 2],
    [1],
    [1, 2],
    [1, 2, 3],
    [1, 2, 3, 4],
    ['a', true, true],
    ['a', 1, 'b'],
    {},
    { a: 1 },
    { a: 'x' },
    { b: 1 },
    { a: 'x', b: 1 },
    { a: 'x', b: 'y' },
    { c: 1 },
    { d: 1 },
    { abc: 1 },
    { 'x-a': 1 },
    { 'x-a': 'b' },
    { a: 'x', b: 1, c: 2 },
    { b: 1, d: 2 },
  ];

  test.each(Object.entries(schemas))('prints %s so that it means the same', (name, schema) => {
    const source: ToolSource = {
      name: 'x',
      isOwn: true,
      input: { type: 'object', properties: { value: schema } },
      places: { input: 'x.json', output: 'x.json' },
    };
    const [input] = parseTool(source, NO_DOCS).definitions;
    const type = input?.type.kind === 'object' ? input.type.members[0]?.type : undefined;
    if (type === undefined) throw new Error('there is no member');
    for (const dialect of ['2020-12', 'draft-07'] as const) {
      // The limits of `contains` are later than draft-07.
      if (dialect === 'draft-07' && name === 'two or three items') continue;
      const validate = printed({ x: typeSchema(type, { dialect }) }, dialect)('x');
      const expected = oracleOf({ x: schema })('x');
      expect(values.map((value) => [value, validate(value)])).toEqual(values.map((value) => [value, expected(value)]));
    }
  });
});

test('docs are annotations, also next to a reference', () => {
  const definition = {
    name: 'X',
    type: { kind: 'ref', name: 'A/B' },
    doc: 'Text.',
    deprecated: 'Use Y.',
    defaultValue: 1,
  } as const;
  const annotations = { description: 'Text.\n\nDeprecated: Use Y.', default: 1, deprecated: true };
  expect(definitionSchema(definition)).toEqual({ ...annotations, $ref: '#/$defs/A~1B' });
  expect(definitionSchema(definition, { dialect: 'draft-07', refPrefix: '#/x/' })).toEqual({
    ...annotations,
    allOf: [{ $ref: '#/x/A~1B' }],
  });
  expect(definitionSchema(definition, { docs: false })).toEqual({ $ref: '#/$defs/A~1B' });
});
