import { describe, expect, test } from 'vitest';
import { definitionSchema, typeSchema } from '../../generator/print/json-schema.js';
import { type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { parseTool } from '../../generator/model/tools.js';
import type { ToolSource } from '../../generator/index.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import { oracleOf } from '../support/oracle.js';
import { printed } from './json-schema-support.js';

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
