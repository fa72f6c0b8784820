import { describe, expect, test } from 'vitest';
import { parseDefinitions } from '../../generator/model/schema/definitions.js';
import { restrictToKinds } from '../../generator/model/schema/open-types.js';
import type { JsonKind } from '../../generator/model/types/discriminate.js';
import { typeLookup } from '../../generator/model/types/references.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonObject } from '../../generator/read/json/json.js';

const A: JsonObject = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const B: JsonObject = { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] };
const STRING: JsonObject = { type: 'string' };
const LIST: JsonObject = { type: 'array', items: { type: 'string' } };

/** What is left of a schema, compared with another one. */
function restricted(schema: JsonObject, kinds: readonly JsonKind[], expected?: JsonObject): readonly unknown[] {
  const { definitions } = parseDefinitions({ Given: schema, Expected: expected ?? {} }, NO_DOCS, 's.json');
  const typeOf = (name: string) => definitions.find((definition) => definition.name === name)?.type;
  const given = typeOf('Given');
  if (given === undefined) throw new Error('no definition');
  const left = restrictToKinds(given, new Set(kinds), typeLookup({ definitions }));
  return [left, expected === undefined ? undefined : typeOf('Expected')];
}

describe('the part of a type that has only values of some kinds', () => {
  test.each<[string, JsonObject, readonly JsonKind[], JsonObject | undefined]>([
    ['a type of one of the kinds', A, ['object', 'string'], A],
    ['a type of another kind', A, ['string'], undefined],
    ['some variants of a union', { anyOf: [STRING, A, LIST] }, ['object', 'string'], { anyOf: [STRING, A] }],
    ['one variant of a union', { anyOf: [STRING, A] }, ['object'], A],
    ['no variant of a union', { anyOf: [STRING, A] }, ['array'], undefined],
    [
      'each part of an intersection',
      { allOf: [{ anyOf: [STRING, A] }, { anyOf: [LIST, STRING, B] }] },
      ['object'],
      { allOf: [A, B] },
    ],
  ])('%s', (_, schema, kinds, expected) => {
    const [left, wanted] = restricted(schema, kinds, expected);
    expect(left).toEqual(wanted);
  });
});
