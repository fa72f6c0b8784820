import { describe, expect, test } from 'vitest';
import { parseDefinitions } from '../../generator/model/schema/definitions.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonObject } from '../../generator/read/json/json.js';

const variant = (type: string): JsonObject => ({
  type: 'object',
  properties: { type: { const: type } },
  required: ['type'],
});

function warnings(union: JsonObject, more: JsonObject = {}): readonly string[] {
  const definitions = { Cat: variant('cat'), Dog: variant('dog'), Pet: union, ...more };
  return parseDefinitions(definitions, NO_DOCS, 's.json').warnings.map(({ place, message }) => `${place}: ${message}`);
}

const AT = 's.json#/$defs/Pet/discriminator';
const oneOf = [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }];

describe('a discriminator', () => {
  test('that matches its union is no warning', () => {
    const mapping = { cat: '#/$defs/Cat', dog: 'Dog' };
    expect(warnings({ oneOf, discriminator: { propertyName: 'type', mapping } })).toEqual([]);
    expect(warnings({ anyOf: oneOf, discriminator: { propertyName: 'type' } })).toEqual([]);
    const inParts = { allOf: [{ $ref: '#/$defs/Cat' }], type: 'object', properties: { name: { type: 'string' } } };
    expect(warnings({ oneOf: [inParts, oneOf[1] as JsonObject], discriminator: { propertyName: 'type' } })).toEqual([]);
  });

  test('whose property a variant lacks', () => {
    const nameless: JsonObject = { type: 'object', properties: { kind: { const: 'bird' } } };
    const discriminator = { propertyName: 'type' };
    expect(warnings({ oneOf: [...oneOf, { $ref: '#/$defs/Bird' }], discriminator }, { Bird: nameless })).toEqual([
      `${AT}/propertyName: Bird of the union has no property "type"`,
    ]);
    expect(warnings({ oneOf: [...oneOf, nameless], discriminator })).toEqual([
      `${AT}/propertyName: variant 3 of the union has no property "type"`,
    ]);
  });

  test.each<[string, JsonObject, string]>([
    ['a definition that does not exist', { bird: '#/$defs/Bird' }, 'bird: the definition "Bird" does not exist'],
    ['a definition that is not a variant', { fish: '#/$defs/Fish' }, 'fish: Fish is not a variant of the union'],
    ['a variant of another value', { dog: '#/$defs/Cat' }, 'dog: Cat has "cat" as "type", not "dog"'],
    ['no string', { dog: 7 }, 'dog: the definition 7 does not exist'],
  ])('that maps to %s', (_, mapping, want) => {
    const found = warnings({ oneOf, discriminator: { propertyName: 'type', mapping } }, { Fish: variant('fish') });
    expect(found).toEqual([`${AT}/mapping/${want}`]);
  });

  test('without a union', () => {
    const type = { type: 'string' };
    expect(warnings({ type: 'object', properties: { type }, discriminator: { propertyName: 'type' } })).toEqual([
      `${AT}: the discriminator has no "oneOf" or "anyOf" next to it`,
    ]);
  });

  test('is not a member of this name', () => {
    expect(warnings({ type: 'object', properties: { discriminator: { type: 'object', title: 'x' } } })).toEqual([]);
  });
});
