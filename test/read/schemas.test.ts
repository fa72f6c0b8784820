/** What is read from schemas, and the canonical form of it. */
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';
import { canonicalizeSchema, canonicalSchemaFile } from '../../generator/read/schema/canonical.js';
import {
  openDefinitions,
  ownDefinitions,
  reachableDefinitions,
  schemaKey,
} from '../../generator/read/schema/extension.js';
import { builtinErrata, builtinRevisions, requireRevision } from '../../generator/read/builtin/revisions.js';
import { docsOf } from '../../generator/read/builtin/docs.js';
import { applyErrata, type Erratum } from '../../generator/read/errata.js';

/** The text of canonical definitions, in which the order of members is seen. */
function canonical(definitions: JsonObject, options: { prose?: 'keep' | 'strip' } = {}): string {
  return JSON.stringify(canonicalizeSchema({ $defs: definitions }, 's.json', options).definitions);
}

describe('the canonical form', () => {
  test('sorts definitions and members by name, and keywords as people read them', () => {
    expect(
      canonical({
        b: { properties: { z: {}, a: {} }, type: 'object', 'x-b': 1, 'x-a': 1, title: 'T', $ref: '#/$defs/a' },
        a: {
          ...{ allOf: [], oneOf: [], anyOf: [], items: {}, additionalProperties: {}, required: [], properties: {} },
          ...{ maxItems: 1, minItems: 1, maximum: 1, minimum: 1, default: 1, format: 'f', enum: [], const: 1 },
          ...{ type: 't', deprecated: true, description: 'd', title: 't', $ref: '#' },
        },
      }),
    ).toBe(
      '{"a":{"$ref":"#","title":"t","description":"d","deprecated":true,"type":"t","const":1,"enum":[],"format":"f",' +
        '"default":1,"minimum":1,"maximum":1,"minItems":1,"maxItems":1,"properties":{},"required":[],' +
        '"additionalProperties":{},"items":{},"anyOf":[],"oneOf":[],"allOf":[]},' +
        '"b":{"$ref":"#/$defs/a","title":"T","type":"object","properties":{"a":{},"z":{}},"x-a":1,"x-b":1}}',
    );
  });

  test('sorts lists of required members, and leaves other values as they are', () => {
    expect(canonical({ a: { required: ['b', 'a', 'B'], enum: ['b', 'a'], examples: [{ b: 1, a: 2 }] } })).toBe(
      '{"a":{"enum":["b","a"],"required":["B","a","b"],"examples":[{"b":1,"a":2}]}}',
    );
    expect(canonical({ a: { const: { b: 1, a: 2 }, default: { b: 1, a: 2 }, required: 'x', type: ['b', 'a'] } })).toBe(
      '{"a":{"type":["b","a"],"const":{"b":1,"a":2},"default":{"b":1,"a":2},"required":"x"}}',
    );
  });

  test('is the same in lists of schemas and below keywords with a schema', () => {
    const schema = { b: 1, a: 2 };
    expect(canonical({ x: { anyOf: [schema, true], items: schema, not: schema } })).toBe(
      '{"x":{"items":{"a":2,"b":1},"anyOf":[{"a":2,"b":1},true],"not":{"a":2,"b":1}}}',
    );
    const maps = ['patternProperties', 'dependentSchemas', 'properties'];
    for (const keyword of maps) {
      // Names of members are names, even if they are those of keywords.
      expect(canonical({ x: { [keyword]: { type: {}, description: { b: 1, a: 2 } } } }, { prose: 'strip' })).toBe(
        `{"x":{"${keyword}":{"description":{"a":2,"b":1},"type":{}}}}`,
      );
    }
    expect(canonical({ x: { properties: [{ b: 1, a: 2 }] } })).toBe('{"x":{"properties":[{"a":2,"b":1}]}}');
  });

  test('has descriptions unless they are stripped', () => {
    const definitions = { a: { description: 'd', $comment: 'c', title: 't', items: { description: 'd' } } };
    expect(canonical(definitions)).toBe(
      '{"a":{"title":"t","description":"d","items":{"description":"d"},"$comment":"c"}}',
    );
    expect(canonical(definitions, { prose: 'keep' })).toBe(canonical(definitions));
    expect(canonical(definitions, { prose: 'strip' })).toBe('{"a":{"title":"t","items":{}}}');
  });

  test('has references to $defs', () => {
    const references = (...texts: JsonValue[]): string =>
      canonical({ a: { anyOf: texts.map(($ref) => ({ $ref })) } }).replaceAll('"', '');
    expect(references('#/definitions/A', '#/definitions/a~1b/items', '#/$defs/definitions', '#/definitions')).toBe(
      '{a:{anyOf:[{$ref:#/$defs/A},{$ref:#/$defs/a~1b/items},{$ref:#/$defs/definitions},{$ref:#/definitions}]}}',
    );
    expect(references('x#/definitions/A', 7)).toBe('{a:{anyOf:[{$ref:x#/definitions/A},{$ref:7}]}}');
  });

  test('has the definitions inside a definition next to it', () => {
    const nested = {
      A: { type: 'object', $defs: { Inner: { type: 'null' }, B: { type: 'number' } } },
      B: { type: 'string', $defs: { Inner: { type: 'null' }, Other: {} } },
      C: { $defs: 'no map' },
      D: true,
    };
    expect(canonical(nested)).toBe(
      '{"A":{"type":"object"},"B":{"type":"string"},"C":{"$defs":"no map"},"D":true,"Inner":{"type":"null"},"Other":{}}',
    );
    const draft07 = canonicalizeSchema({ definitions: { A: { definitions: { Inner: {} } } } }, 's.json');
    expect(draft07.definitions).toEqual({ A: {}, Inner: {} });
  });

  test('has the dialect, the title, the site and the ignored keywords of the file', () => {
    const read = (file: JsonObject): unknown => {
      const { definitions, ...rest } = canonicalizeSchema({ ...file }, 's.json');
      return { ...rest, names: Object.keys(definitions) };
    };
    const $defs = { A: {} };
    const rest = { names: ['A'], unread: [], root: '$defs' };
    expect(read({ $defs })).toEqual({ ...rest, dialect: '2020-12' });
    expect(read({ definitions: $defs })).toEqual({ ...rest, root: 'definitions', dialect: 'draft-07' });
    for (const uri of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft-07/schema'])
      expect(read({ $schema: uri, $defs })).toEqual({ ...rest, dialect: 'draft-07' });
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    expect(read({ $schema, definitions: $defs })).toEqual({ ...rest, root: 'definitions', dialect: '2020-12' });
    expect(
      read({ $defs, title: 'T', description: '', $comment: '', $id: 'https://a.example:8/b/c', type: 'object', x: 1 }),
    ).toEqual({ ...rest, dialect: '2020-12', title: 'T', site: 'https://a.example:8', unread: ['$id', 'type', 'x'] });
    for (const $id of ['urn:x', 'https://[x', 7, '/a', 'x https://a.example/'])
      expect(read({ $defs, title: 7, $id })).toEqual({ ...rest, dialect: '2020-12', unread: ['$id'] });
    expect(canonicalSchemaFile(canonicalizeSchema({ $defs }, 's.json'))).toEqual({ $schema, $defs });
  });
});

describe('the definitions of an extension', () => {
  const item: JsonObject = { type: 'object', properties: { a: { type: 'string' } } };

  test('are compared without their descriptions', () => {
    const described = { ...item, title: 'T', description: 'D', $comment: 'C', $schema: 'S' };
    expect(schemaKey(described)).toBe(schemaKey(item));
    expect(schemaKey({ properties: { title: {} } })).not.toBe(schemaKey({ properties: {} }));
    expect(schemaKey({ items: described, anyOf: [described] })).toBe(schemaKey({ anyOf: [item], items: item }));
    expect(schemaKey({ enum: [{ title: 'T' }] })).not.toBe(schemaKey({ enum: [{}] }));
    expect(schemaKey({ title: { a: 1 } })).not.toBe(schemaKey({}));
    expect(schemaKey(true)).not.toBe(schemaKey(false));
    expect(ownDefinitions({ A: { ...item, description: 'D' } }, { A: item })).toEqual({});
  });

  test('keep the descriptions of what they add, without dialects, titles and comments', () => {
    const added = { $schema: 'S', $comment: 'C', title: 'T', description: 'D', properties: { a: { title: 'T' } } };
    expect(ownDefinitions({ A: added, B: true }, {})).toEqual({
      A: { description: 'D', properties: { a: {} } },
      B: true,
    });
  });

  test.each<[string, JsonObject, boolean]>([
    ['an object', { properties: {} }, true],
    ['a union', { anyOf: [{}] }, true],
    ['another union', { oneOf: [{}] }, true],
    ['an intersection', { allOf: [{}] }, true],
    ['an enum', { enum: ['a'] }, true],
    ['a string', { type: 'string' }, false],
    ['a list', { type: 'array', items: {} }, false],
  ])('refer to each other where %s is written again: %j', (_, named, expected) => {
    const used = { type: 'array', items: named, minItems: 7 };
    expect(ownDefinitions({ Named: named, Used: used }, {})['Used']).toEqual(
      expected ? { type: 'array', items: { $ref: '#/$defs/Named' }, minItems: 7 } : used,
    );
  });

  test('refer to each other in members, lists and at any depth', () => {
    const used = { type: 'object', properties: { x: { anyOf: [item, { type: 'null' }] } }, enum: [item] };
    expect(ownDefinitions({ Item: item, Used: used }, {})['Used']).toEqual({
      type: 'object',
      properties: { x: { anyOf: [{ $ref: '#/$defs/Item' }, { type: 'null' }] } },
      enum: [item],
    });
  });

  test('allow other members in any place, and have sorted lists of strings', () => {
    const closed = { type: 'object', additionalProperties: false };
    const strings = { description: 'D', anyOf: [{ const: 'b' }, { type: 'string', const: 'a' }] };
    expect(
      openDefinitions({
        A: { ...closed, properties: { a: closed }, items: [closed] },
        B: strings,
        C: { anyOf: [{ const: 'a', title: 'T' }] },
        D: { anyOf: 'x' },
        E: { anyOf: ['x'] },
        F: true,
        G: { additionalProperties: { additionalProperties: false } },
        H: { default: closed },
      }),
    ).toEqual({
      A: { type: 'object', properties: { a: { type: 'object' } }, items: [{ type: 'object' }] },
      B: { type: 'string', description: 'D', enum: ['a', 'b'] },
      C: { anyOf: [{ const: 'a', title: 'T' }] },
      D: { anyOf: 'x' },
      E: { anyOf: ['x'] },
      F: true,
      G: { additionalProperties: {} },
      H: { default: closed },
    });
  });

  test('are found through references, at any depth', () => {
    const ref = (name: string): JsonObject => ({ items: { $ref: `#/$defs/${name}` } });
    const definitions = { A: ref('B'), B: ref('a~1b'), 'a/b': ref('A'), C: ref('none'), D: {}, none: {} };
    expect([...reachableDefinitions(definitions, ['A', 'missing'])].sort()).toEqual(['A', 'B', 'a/b']);
    expect([...reachableDefinitions(definitions, ['C', 'D'])].sort()).toEqual(['C', 'D', 'none']);
    expect([...reachableDefinitions({ A: ref('x') }, ['A'])]).toEqual(['A']);
    expect([...reachableDefinitions(definitions, [])]).toEqual([]);
  });
});

describe('docs', () => {
  const docs = (revision: string) =>
    docsOf(
      {
        members: { shared: 'shared text', dated: { '2025-01-01': 'old', '2026-01-01': 'new' } },
        definitions: {
          A: { doc: 'the doc', members: { 'a.b': 'a and b', empty: { '2025-01-01': 'once', '2026-01-01': '' } } },
          Dated: { doc: { '2025-06-01': 'second', '2025-01-01': 'first' } },
          PingRequestParams: { members: { x: 'x of params' }, deprecated: { x: 'use y' } },
          PingRequest: {
            doc: 5,
            members: { 'params.own': 'own text' },
            deprecated: { '': 'all', 'params.own': 'own' },
          },
          Odd: 'no object',
        },
      },
      revision,
    );

  test('of a definition are those of the newest revision that is not later', () => {
    expect(
      ['2024-01-01', '2025-01-01', '2025-05-31', '2025-06-01', 'draft'].map((r) => docs(r).definition('Dated')),
    ).toEqual([undefined, 'first', 'first', 'second', 'second']);
    expect(['A', 'PingRequest', 'Odd', 'none', 'constructor'].map((name) => docs('draft').definition(name))).toEqual([
      'the doc',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('of a member are its own ones, those of the params, or those of all members of its name', () => {
    const newest = docs('2026-01-01');
    const member = (definition: string, at: string[]): string | undefined => newest.member(definition, at);
    expect(member('A', ['a', 'b'])).toBe('a and b');
    expect(member('A', ['b'])).toBeUndefined();
    expect(member('A', ['x', 'shared'])).toBe('shared text');
    expect(member('none', ['dated'])).toBe('new');
    expect(docs('2025-07-01').member('none', ['dated'])).toBe('old');
    expect(member('PingRequest', ['params', 'x'])).toBe('x of params');
    expect(member('PingRequest', ['params', 'own'])).toBe('own text');
    expect(member('PingRequest', ['x'])).toBeUndefined();
    expect(member('PingRequest', ['other', 'x'])).toBeUndefined();
    expect(member('PingNotification', ['params', 'x'])).toBeUndefined();
    expect(member('A', [])).toBeUndefined();
    expect(member('Odd', ['x'])).toBeUndefined();
    // An empty text ends an earlier one.
    expect([docs('2025-01-01'), docs('2026-01-01')].map((d) => d.member('A', ['empty']))).toEqual(['once', undefined]);
  });

  test('of a deprecated one say why', () => {
    const newest = docs('2026-01-01');
    const deprecated = (definition: string, at: string[]): string | undefined => newest.deprecated(definition, at);
    expect(deprecated('PingRequest', [])).toBe('all');
    expect(deprecated('PingRequest', ['params', 'own'])).toBe('own');
    expect(deprecated('PingRequest', ['params', 'x'])).toBe('use y');
    expect(deprecated('PingRequestParams', ['x'])).toBe('use y');
    expect(deprecated('PingRequest', ['params'])).toBeUndefined();
    expect(deprecated('A', ['a', 'b'])).toBeUndefined();
  });
});

describe('errata', () => {
  const definitions = { A: { type: 'object', list: ['x', 'y'] }, B: { type: 'null' } };
  const erratum = (id: string, ...changes: object[]): Erratum =>
    ({ id, summary: '', source: '', status: 'open', changes }) as unknown as Erratum;
  const apply = (errata: readonly Erratum[], stale?: 'skip'): unknown => {
    const result = applyErrata(definitions, 'r', errata, 's.json', stale);
    return [result.definitions, result.applied.map(({ id }) => id)];
  };

  test('replace items of lists, add members and keep the order of the others', () => {
    const [changed, applied] = apply([
      erratum('item', { revision: 'r', at: ['/$defs/A/list/1'], old: 'y', new: 'z' }),
      erratum('member', { revision: 'r', at: ['/$defs/A/title', '/$defs/B/title'], new: 'T' }),
      erratum('value', { revision: 'r', at: ['/$defs/A/type'], old: 'object', new: 'array' }),
      erratum('other', { revision: 'other', at: ['/$defs/B/type'], old: 'null', new: 'string' }),
    ]) as [unknown, unknown];
    expect(JSON.stringify(changed)).toBe(
      '{"A":{"type":"array","list":["x","z"],"title":"T"},"B":{"type":"null","title":"T"}}',
    );
    expect(applied).toEqual(['item', 'member', 'value']);
    expect(definitions.A.list).toEqual(['x', 'y']);
  });

  test('that do not apply are skipped if the schema is only similar', () => {
    const stale = [
      erratum('gone', { revision: 'r', at: ['/$defs/None/type', '/$defs/A/type'], old: 'object', new: 'array' }),
      erratum('changed', { revision: 'r', at: ['/$defs/B/type'], old: 'string', new: 'array' }),
    ];
    expect(apply(stale, 'skip')).toEqual([{ ...definitions, A: { ...definitions.A, type: 'array' } }, ['gone']]);
    expect(() => apply(stale)).toThrow('erratum gone expects "object" here and found nothing');
  });

  test('of an extension change only its schema', () => {
    expect(builtinErrata('none')).toEqual([]);
    const all = builtinErrata();
    expect(all.length).toBeGreaterThan(3);
    expect(all.flatMap(({ changes }) => changes).filter(({ extension }) => extension !== undefined)).toEqual([]);
    expect(all.filter(({ changes }) => changes.length === 0)).toEqual([]);
  });
});

test('the built-in revisions are sorted, and found by name', () => {
  const names = builtinRevisions().map(({ revision }) => revision);
  expect(names).toEqual([...names].sort());
  expect(requireRevision('2025-11-25')).toEqual(builtinRevisions().find(({ revision }) => revision === '2025-11-25'));
});
