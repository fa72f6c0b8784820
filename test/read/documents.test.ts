/** References between JSON Schema documents. */
import { describe, expect, test } from 'vitest';
import { dialectOf, SchemaIndex, type SchemaResource } from '../../generator/read/schema/documents.js';
import type { JsonValue } from '../../generator/read/json/json.js';

describe('the dialect of a schema', () => {
  test.each([
    ['http://json-schema.org/draft-04/schema#', 'draft-07'],
    ['http://json-schema.org/draft-06/schema', 'draft-07'],
    ['https://json-schema.org/draft-07/schema#', 'draft-07'],
    ['https://json-schema.org/draft/2019-09/schema', '2020-12'],
    ['https://json-schema.org/draft/2020-12/schema#', '2020-12'],
    ['https://json-schema.org/draft-05/schema', undefined],
    ['https://json-schema.org/draft/2020-12/schema#x', undefined],
    ['x https://json-schema.org/draft/2020-12/schema', undefined],
    ['ftp://json-schema.org/draft/2020-12/schema', undefined],
    ['', undefined],
  ])('%s is %s', (uri, dialect) => {
    expect(dialectOf(uri)).toBe(dialect);
  });

  test('is that of the outer schema, unless a resource names another', () => {
    const index = new SchemaIndex(
      {
        $id: 'https://a.example/root',
        $defs: {
          same: { $id: 'same' },
          unknown: { $id: 'unknown', $schema: 'https://example.com/dialect' },
          number: { $id: 'number', $schema: 7 },
          old: { $id: 'old', $schema: 'http://json-schema.org/draft-07/schema#', items: { $id: 'inside' } },
        },
      },
      '2020-12',
      new Map([['https://b.example/other', {}]]),
    );
    const dialectAt = (uri: string): string | undefined => index.resolve(uri, index.root.resource)?.resource.dialect;
    expect(['same', 'unknown', 'number', 'old', 'inside', 'https://b.example/other'].map(dialectAt)).toEqual([
      '2020-12',
      '2020-12',
      '2020-12',
      'draft-07',
      'draft-07',
      '2020-12',
    ]);
  });
});

/** Where references lead: the pointer, with the document if it is not the main one. */
function targetsOf(index: SchemaIndex, references: readonly string[], from = index.root.resource): unknown {
  return Object.fromEntries(
    references.map((reference) => {
      const place = index.resolve(reference, from);
      return [reference, place && `${place.resource.document}${place.pointer === '' ? '(all)' : place.pointer}`];
    }),
  );
}

/** The resource that a reference leads to. */
function resourceAt(index: SchemaIndex, uri: string): SchemaResource {
  const place = index.resolve(uri, index.root.resource);
  if (place === undefined) throw new Error(`there is no ${uri}`);
  return place.resource;
}

describe('a reference', () => {
  const schema: JsonValue = {
    properties: { 'a/b': { type: 'string' }, 'c%d': true, list: { anyOf: [{}, { $anchor: 'second' }] } },
    prefixItems: [{ $anchor: 'item' }],
    additionalProperties: { $anchor: 'rest' },
    const: { $anchor: 'no-schema' },
    enum: [{ $anchor: 'no-schema-either' }],
    'x-own': { $anchor: 'unknown-keyword', deep: {} },
    not: { $dynamicAnchor: 'dynamic' },
    $defs: {
      empty: { $anchor: '' },
      number: { $anchor: 7 },
      first: { $anchor: 'twice' },
      last: { $anchor: 'twice' },
      list: [{ $anchor: 'list' }],
    },
    required: ['a'],
  };
  const index = new SchemaIndex(schema, '2020-12');

  test('may be a pointer', () => {
    expect(
      targetsOf(index, [
        '',
        '#',
        '#/properties/a~1b',
        '#/properties/a%7E1b',
        '#/properties/c%25d',
        '#/properties/list/anyOf/1',
        '#/properties/list/anyOf/01',
        '#/properties/list/anyOf/2',
        '#/properties/list/anyOf/-1',
        '#/properties/list/anyOf/length',
        '#/properties/none',
        '#/properties/constructor',
        '#/x-own/deep',
        '#/required/0/x',
        '#/%',
        'other.json',
        'https://[x',
      ]),
    ).toEqual({
      '': '(all)',
      '#': '(all)',
      '#/properties/a~1b': '/properties/a~1b',
      '#/properties/a%7E1b': '/properties/a~1b',
      '#/properties/c%25d': '/properties/c%d',
      '#/properties/list/anyOf/1': '/properties/list/anyOf/1',
      '#/properties/list/anyOf/01': undefined,
      '#/properties/list/anyOf/2': undefined,
      '#/properties/list/anyOf/-1': undefined,
      '#/properties/list/anyOf/length': undefined,
      '#/properties/none': undefined,
      '#/properties/constructor': undefined,
      '#/x-own/deep': '/x-own/deep',
      '#/required/0/x': undefined,
      '#/%': undefined,
      'other.json': undefined,
      'https://[x': undefined,
    });
  });

  test('may be an anchor in any place where a schema can be', () => {
    expect(
      targetsOf(index, [
        '#second',
        '#item',
        '#rest',
        '#dynamic',
        '#twice',
        '#list',
        '#no-schema',
        '#no-schema-either',
        '#unknown-keyword',
        '#none',
        '#tw%69ce',
      ]),
    ).toEqual({
      '#second': '/properties/list/anyOf/1',
      '#item': '/prefixItems/0',
      '#rest': '/additionalProperties',
      '#dynamic': '/not',
      '#twice': '/$defs/first',
      '#list': undefined,
      '#no-schema': undefined,
      '#no-schema-either': undefined,
      '#unknown-keyword': undefined,
      '#none': undefined,
      '#tw%69ce': '/$defs/first',
    });
  });

  test.each([
    ...['additionalItems', 'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not'],
    ...['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'],
  ])('finds an anchor in the schema of %s', (keyword) => {
    expect(targetsOf(new SchemaIndex({ [keyword]: { $anchor: 'a' } }, '2020-12'), ['#a'])).toEqual({
      '#a': `/${keyword}`,
    });
    const map = new SchemaIndex({ [keyword]: { x: { $anchor: 'a' } } }, '2020-12');
    expect(targetsOf(map, ['#a'])).toEqual({ '#a': undefined });
  });

  test.each(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'])('finds an anchor in the list of %s', (keyword) => {
    expect(targetsOf(new SchemaIndex({ [keyword]: [{ $anchor: 'a' }] }, '2020-12'), ['#a'])).toEqual({
      '#a': `/${keyword}/0`,
    });
  });

  test.each(['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'])(
    'finds an anchor in the map of %s',
    (keyword) => {
      expect(targetsOf(new SchemaIndex({ [keyword]: { 'x/y': { $anchor: 'a' } } }, '2020-12'), ['#a'])).toEqual({
        '#a': `/${keyword}/x~1y`,
      });
    },
  );

  test('is relative to the resource that contains it', () => {
    const resources = new SchemaIndex(
      {
        $id: 'https://a.example/dir/root.json#',
        $defs: {
          inner: { $id: 'sub.json', $anchor: 'here', properties: { x: { $anchor: 'inside' } } },
          deep: { $id: '/top.json', items: { $id: 'next.json' } },
          again: { $id: 'sub.json' },
          fragment: { $id: '#no-resource' },
          wrong: { $id: 'https://[x', $anchor: 'wrong' },
        },
      },
      '2020-12',
    );
    const { resource } = resources.root;
    expect(resource.uri).toBe('https://a.example/dir/root.json');
    expect(
      targetsOf(resources, ['sub.json', 'sub.json#here', 'sub.json#inside', '#here', 'https://a.example/top.json']),
    ).toEqual({
      'sub.json': '/$defs/inner',
      'sub.json#here': '/$defs/inner',
      'sub.json#inside': '/$defs/inner/properties/x',
      '#here': undefined,
      'https://a.example/top.json': '/$defs/deep',
    });
    const nested = resourceAt(resources, 'sub.json');
    expect([nested.uri, nested.pointer]).toEqual(['https://a.example/dir/sub.json', '/$defs/inner']);
    expect(targetsOf(resources, ['#here', '#/properties/x', '/next.json', 'root.json#wrong'], nested)).toEqual({
      '#here': '/$defs/inner',
      '#/properties/x': '/$defs/inner/properties/x',
      '/next.json': '/$defs/deep/items',
      'root.json#wrong': undefined,
    });
    // A pointer from outside leads into the resource, whose own references are relative to it.
    expect(resources.resolve('#/$defs/inner/properties/x', resource)?.resource).toBe(nested);
  });

  test('may lead to another document, by the URI that it was given with or by its own', () => {
    const documents = new SchemaIndex(
      { $id: 'https://a.example/root.json' },
      '2020-12',
      new Map<string, JsonValue>([
        ['other.json', { $id: 'https://b.example/named.json', $defs: { x: {} } }],
        ['https://c.example/plain.json', { $anchor: 'plain' }],
        ['https://[x', {}],
        ['root.json', { $anchor: 'not the main one' }],
      ]),
    );
    expect(
      targetsOf(documents, [
        'other.json#/$defs/x',
        'https://b.example/named.json#/$defs/x',
        'https://c.example/plain.json#plain',
        '#not the main one',
      ]),
    ).toEqual({
      'other.json#/$defs/x': 'other.json/$defs/x',
      'https://b.example/named.json#/$defs/x': 'other.json/$defs/x',
      'https://c.example/plain.json#plain': 'https://c.example/plain.json(all)',
      '#not the main one': undefined,
    });
  });

  test('in draft-07, a fragment as $id is an anchor and a $ref hides the $id', () => {
    const definitions = {
      anchor: { $id: '#anchor' },
      hidden: { $id: '#hidden', $ref: '#/definitions/anchor' },
      resource: { $id: 'resource.json' },
      'hidden-resource': { $id: 'hidden.json', $ref: '#/definitions/anchor' },
    };
    const references = ['#anchor', '#hidden', 'resource.json', 'hidden.json'];
    expect(targetsOf(new SchemaIndex({ definitions }, 'draft-07'), references)).toEqual({
      '#anchor': '/definitions/anchor',
      '#hidden': undefined,
      'resource.json': '/definitions/resource',
      'hidden.json': undefined,
    });
    expect(targetsOf(new SchemaIndex({ definitions }, '2020-12'), references)).toEqual({
      '#anchor': undefined,
      '#hidden': undefined,
      'resource.json': '/definitions/resource',
      'hidden.json': '/definitions/hidden-resource',
    });
  });

  test('into deep nesting does not overflow the stack', () => {
    let deep: JsonValue = { $anchor: 'deep' };
    for (let level = 0; level < 20_000; level += 1) deep = { items: deep };
    expect(new SchemaIndex(deep, '2020-12').root.resource.anchors.has('deep')).toBe(true);
  });
});

describe('a dynamic reference', () => {
  const tree = {
    $id: 'https://a.example/tree',
    $dynamicAnchor: 'node',
    properties: { children: { items: { $dynamicRef: '#node' } } },
  };
  const strict = { $id: 'https://a.example/strict', $dynamicAnchor: 'node', $ref: 'tree', $defs: { tree } };
  const index = new SchemaIndex(strict, '2020-12');
  const { resource } = index.root;
  const inner = resourceAt(index, 'tree');

  test('leads to the anchor of the outermost resource that has it', () => {
    const outside = index.enter(new Map(), resource);
    expect([...outside].map(([name, { pointer }]) => [name, pointer])).toEqual([['node', '']]);
    expect(index.enter(outside, inner)).toBe(outside);
    expect(index.resolveDynamic('#node', inner, outside)?.pointer).toBe('');
    expect(index.resolveDynamic('#node', inner, index.enter(new Map(), inner))?.pointer).toBe('/$defs/tree');
  });

  test('is an ordinary reference without a scope, or to another anchor', () => {
    expect(index.resolveDynamic('#node', inner, new Map())?.pointer).toBe('/$defs/tree');
    const outside = index.enter(new Map(), resource);
    expect(index.resolveDynamic('#/properties/children', inner, outside)?.pointer).toBe(
      '/$defs/tree/properties/children',
    );
    expect(index.resolveDynamic('#none', inner, outside)).toBeUndefined();
    expect(index.resolveDynamic('tree', resource, outside)?.pointer).toBe('/$defs/tree');
    expect(index.resolveDynamic('#%', inner, outside)).toBeUndefined();
  });

  test('to an anchor that is not dynamic is an ordinary reference', () => {
    const plain = new SchemaIndex({ $anchor: 'a', items: { $dynamicRef: '#a' } }, '2020-12');
    const scope = new Map([['a', { schema: {}, pointer: '/wrong', resource: plain.root.resource }]]);
    expect(plain.resolveDynamic('#a', plain.root.resource, scope)?.pointer).toBe('');
  });

  test('needs no scope in schemas without one', () => {
    const without = new SchemaIndex({ $dynamicAnchor: 'node' }, '2020-12');
    const scope = new Map();
    expect(without.enter(scope, without.root.resource)).toBe(scope);
    expect([...without.root.resource.dynamicAnchors]).toEqual(['node']);
  });

  test('leads to the place of the anchor, in a part of the resource', () => {
    const part = new SchemaIndex(
      {
        $id: 'https://a.example/root',
        $defs: {
          inner: { $id: 'sub', $defs: { item: { $dynamicAnchor: 'item' } }, items: { $dynamicRef: '#item' } },
          number: { $dynamicRef: 7 },
        },
      },
      '2020-12',
    );
    const nested = resourceAt(part, 'sub');
    expect([...part.enter(new Map(), nested)].map(([name, { pointer }]) => [name, pointer])).toEqual([
      ['item', '/$defs/inner/$defs/item'],
    ]);
  });
});

test('a child has the pointer of its keyword, and its own resource if it is one', () => {
  const index = new SchemaIndex({ properties: { 'a/b': { $id: 'x' } }, items: {} }, '2020-12');
  const child = index.child(index.root, { $id: 'x' }, 'properties', 'a/b');
  expect([child.pointer, child.resource.pointer]).toEqual(['/properties/a~1b', '/properties/a~1b']);
  expect(index.child(child, {}, 'items', 0).resource).toBe(child.resource);
  expect(index.child(index.root, {}, 'items').resource).toBe(index.root.resource);
});
