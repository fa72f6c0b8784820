import { format } from 'prettier';
import { describe, expect, test } from 'vitest';
import { McpgenError } from '../../generator/index.js';
import { parseDefinitions } from '../../generator/model/schema/definitions.js';
import { printDefinition } from '../../generator/print/type.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';
import { schemaWith, typesOf } from '../support/hostile.js';

async function printed(schema: JsonValue, more: JsonObject = {}): Promise<string> {
  const { definitions } = parseDefinitions({ X: schema, ...more }, NO_DOCS, 's.json');
  const found = definitions.find((definition) => definition.name === 'X');
  if (found === undefined) throw new Error('X is gone');
  const printer = { name: (name: string) => name, linkable: new Set(['X', 'A']) };
  return (await format(printDefinition(found, printer), { parser: 'typescript', singleQuote: true })).trimEnd();
}

/** What a schema is given, and what type is wanted. */
const GIVEN_WANTED: readonly (readonly [string, JsonValue, string])[] = [
  ['the empty schema', {}, 'export type X = unknown;'],
  ['true', true, 'export type X = unknown;'],
  ['false', false, 'export type X = never;'],
  ['a string', { type: 'string' }, 'export type X = string;'],
  ['case-028: a list of types', { type: ['string', 'integer'] }, 'export type X = string | number;'],
  ['number and integer are one type', { type: ['number', 'integer', 'null'] }, 'export type X = number | null;'],
  ['a constant', { const: '2.0', type: 'string' }, "export type X = '2.0';"],
  ['a constant with quotes', { const: 'a\'"`\\\n' }, `export type X = 'a\\'"\`\\\\\\n';`],
  ['values', { enum: ['a', 1, true, null] }, "export type X = 'a' | 1 | true | null;"],
  ['a negative number', { const: -32020, type: 'integer' }, 'export type X = -32020;'],
  ['any array', { type: 'array' }, 'export type X = unknown[];'],
  ['an array of a union', { type: 'array', items: { type: ['string', 'null'] } }, 'export type X = (string | null)[];'],
  [
    'members without a type, next to values of other kinds',
    { properties: { a: { type: 'string' } } },
    'export type X =\n  | {\n      a?: string;\n    }\n  | unknown[]\n  | string\n  | number\n  | boolean\n  | null;',
  ],
  [
    'members without a type, of objects only',
    { allOf: [{ type: 'object' }, { required: ['a'] }] },
    'export type X = { [key: string]: unknown } & {\n  a: unknown;\n};',
  ],
  ['limits without a type', { minLength: 1, maximum: 3 }, 'export type X = unknown;'],
  [
    'limits without a type next to a union',
    { minLength: 1, anyOf: [{ type: 'string' }, { type: 'null' }] },
    'export type X = string | null;',
  ],
  [
    'a tuple',
    { type: 'array', prefixItems: [{ type: 'string' }, { type: ['number', 'null'] }], minItems: 1 },
    'export type X = [string, (number | null)?, ...unknown[]];',
  ],
  [
    'a closed tuple',
    { type: 'array', prefixItems: [{ type: 'string' }], items: false, minItems: 1 },
    'export type X = [string];',
  ],
  [
    'a tuple whose other items are required too',
    { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' }, minItems: 3, maxItems: 3 },
    'export type X = [string, number, number];',
  ],
  ['a constant array', { const: ['a', { b: 1 }] }, "export type X = [\n  'a',\n  {\n    b: 1;\n  },\n];"],
  ['any object', { type: 'object' }, 'export type X = { [key: string]: unknown };'],
  [
    'an object that was `object`',
    { type: 'object', properties: {}, additionalProperties: true },
    'export type X = { [key: string]: unknown };',
  ],
  ['an object without members yet', { type: 'object', properties: {} }, 'export type X = { [key: string]: unknown };'],
  [
    'both as a member, where no other type has to fit them',
    {
      type: 'object',
      properties: {
        was: { type: 'object', properties: {}, additionalProperties: true },
        yet: { type: 'object', properties: {} },
      },
    },
    'export type X = {\n  was?: object;\n  yet?: object;\n};',
  ],
  ['a map', { type: 'object', additionalProperties: { type: 'string' } }, 'export type X = { [key: string]: string };'],
  [
    'members: required before optional, `_meta` last, own order for the well-known',
    {
      type: 'object',
      properties: { _meta: {}, a: { type: 'string' }, b: { type: 'string' }, name: {}, type: {}, z: {} },
      required: ['z', 'b'],
    },
    'export type X = {\n  type?: unknown;\n  name?: unknown;\n  b: string;\n  z: unknown;\n  a?: string;\n  _meta?: unknown;\n};',
  ],
  ['a required member without a schema', { type: 'object', required: ['x'] }, 'export type X = {\n  x: unknown;\n};'],
  [
    'case-012: a required member with a default stays required',
    { type: 'object', properties: { r: { type: 'string', default: 'complete' } }, required: ['r'] },
    'export type X = {\n  /** @defaultValue `"complete"` */\n  r: string;\n};',
  ],
  [
    'case-014: members named like keywords',
    {
      type: 'object',
      properties: {
        oneOf: { type: 'array', items: { type: 'object' } },
        required: { type: 'boolean' },
        format: { enum: ['date', 'uri'], type: 'string' },
        $ref: { type: 'string' },
        properties: { type: 'object', properties: { items: { type: 'string' } } },
      },
    },
    "export type X = {\n  $ref?: string;\n  format?: 'date' | 'uri';\n  oneOf?: { [key: string]: unknown }[];\n  properties?: {\n    items?: string;\n  };\n  required?: boolean;\n};",
  ],
  [
    'case-025: names that are no identifiers',
    { type: 'object', properties: { 'a/b': {}, $schema: {}, __proto__x: {}, 'with "quotes"': {}, '': {} } },
    "export type X = {\n  ''?: unknown;\n  $schema?: unknown;\n  __proto__x?: unknown;\n  'a/b'?: unknown;\n  'with \"quotes\"'?: unknown;\n};",
  ],
  [
    'case-019: optional members of the same type as the index signature',
    { type: 'object', properties: { m: { type: 'string' } }, additionalProperties: { type: 'string' } },
    'export type X = {\n  m?: string;\n  [key: string]: string | undefined;\n};',
  ],
  [
    'members of another type than the index signature',
    { type: 'object', properties: { m: { type: 'number' } }, additionalProperties: { type: 'string' } },
    'export type X = {\n  m?: number;\n  [key: string]: string | number | undefined;\n};',
  ],
  [
    'no further members',
    { type: 'object', properties: { m: { type: 'string' } }, additionalProperties: false },
    'export type X = {\n  m?: string;\n};',
  ],
  [
    'case-018: a union of objects stays a union',
    {
      anyOf: [
        { type: 'object', properties: { method: { const: 'ping' } }, required: ['method'] },
        { type: 'object', properties: { method: { const: 'tools/list' } }, required: ['method'] },
      ],
    },
    "export type X =\n  | {\n      method: 'ping';\n    }\n  | {\n      method: 'tools/list';\n    };",
  ],
  [
    'a reference narrowed by an object',
    { allOf: [{ $ref: '#/$defs/A' }, { type: 'object', properties: { code: { const: 1 } }, required: ['code'] }] },
    'export type X = A & {\n  code: 1;\n};',
  ],
  [
    'a union inside an intersection',
    { allOf: [{ $ref: '#/$defs/A' }, { type: ['string', 'number'] }] },
    'export type X = A & (string | number);',
  ],
  [
    'an array of an intersection',
    { type: 'array', items: { allOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/X' }] } },
    'export type X = (A & X)[];',
  ],
  ['an array of itself', { type: 'array', items: { $ref: '#/$defs/X' } }, 'export type X = X[];'],
];

describe('a schema becomes a type', () => {
  test.each(GIVEN_WANTED)('%s', async (_name, schema, wanted) => {
    expect(await printed(schema, { A: { type: 'object', properties: { a: {} } } })).toBe(wanted);
  });

  test('case-017: a reference keeps its description', async () => {
    const schema: JsonValue = {
      type: 'object',
      properties: {
        x: { $ref: '#/$defs/A', description: 'one' },
        y: { $ref: '#/$defs/A', description: 'two' },
      },
    };
    expect(await printed(schema, { A: { type: 'object', properties: { a: {} } } })).toBe(
      'export type X = {\n  /** one */\n  x?: A;\n  /** two */\n  y?: A;\n};',
    );
  });
});

describe('docs', () => {
  test('constraints are described unless the text mentions them', async () => {
    const member = (schema: JsonObject): JsonValue => ({ type: 'object', properties: { m: schema } });
    const doc = async (schema: JsonObject): Promise<string | undefined> =>
      /\/\*\* (.*) \*\//.exec(await printed(member(schema)))?.[1];
    expect(await doc({ type: 'number', minimum: 0, maximum: 1 })).toBe('From 0 to 1.');
    expect(await doc({ type: 'number', minimum: 0, maximum: 1, description: 'From 0 to 1.' })).toBe('From 0 to 1.');
    expect(await doc({ type: 'integer', minimum: 0, description: 'Age.' })).toBe('Age. An integer. At least 0.');
    expect(await doc({ type: 'string', format: 'uri', description: 'Place.' })).toBe('Place. Format `uri`.');
    expect(await doc({ type: 'string', format: 'uri', description: 'URI of it.' })).toBe('URI of it.');
    expect(await doc({ type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' })).toBe(
      'Encoded as `base64`. Holds `image/png`.',
    );
    expect(await doc({ type: 'array', maxItems: 100, items: { type: 'string' } })).toBe('At most 100 items.');
    expect(await doc({ type: 'string', minLength: 2, pattern: '^a*/$' })).toBe(
      'At least 2 characters. Matches `^a*\\/$`.',
    );
  });

  test.each([
    ['Title of the note', 'Title of the note. At least 1 character.'],
    ['Title (of the note)', 'Title (of the note). At least 1 character.'],
    ['The title:', 'The title: At least 1 character.'],
    ['The title.', 'The title. At least 1 character.'],
    ['Which title?', 'Which title? At least 1 character.'],
    ['(The title.)', '(The title.) At least 1 character.'],
  ])('a constraint follows the description "%s" as a sentence', async (description, doc) => {
    const m = { type: 'string', minLength: 1, description };
    expect(await printed({ type: 'object', properties: { m } })).toContain(`/** ${doc} */`);
  });

  test('a link to an unknown definition becomes text', async () => {
    const schema: JsonValue = {
      type: 'string',
      description: 'See {@link A}, {@link B} and {@link server/x | the page}.',
    };
    expect(await printed(schema, { A: {} })).toContain('/** See {@link A}, `B` and the page. */');
  });

  test.each([
    ['case-130', 'See {@link A | `b/do`}.', 'See {@link A}.'],
    ['a label that ran together with its target', 'A {@link Alisten/it} stream.', 'A {@link A} stream.'],
    [
      'a label in backticks that did',
      'The {@link A`_meta` rules} and {@link B`_meta` rules}.',
      'The {@link A} and `_meta` rules.',
    ],
    ['a target that is no definition', 'See {@link Blisten/it}.', 'See `Blisten/it`.'],
    ['a link relative to a site', 'See [the `x` rules](/specification/x/y#z).', 'See the `x` rules.'],
    ['another link', 'See [rules](https://a.example/x) and [b](//b.example).', undefined],
  ])('%s stays readable', async (_title, description, expected = description) => {
    expect(await printed({ type: 'string', description }, { A: {} })).toContain(`/** ${expected} */`);
  });

  test("a link relative to a site is on that of the schema's $id", async () => {
    const definitions = { A: { type: 'object', description: 'See [rules](/x/y#z).' } };
    const schema = { ...schemaWith(definitions), $id: 'https://site.example/schemas/one.json' };
    expect(await typesOf(schema)).toContain('/** See [rules](https://site.example/x/y#z). */');
  });

  test('deprecated is a tag', async () => {
    expect(await printed({ type: 'string', description: 'Old.', deprecated: true })).toBe(
      '/**\n * Old.\n *\n * @deprecated\n */\nexport type X = string;',
    );
  });
});

describe('what is not supported is named', () => {
  test.each(['$recursiveRef', 'extends', 'propertys'])('%s', (keyword) => {
    const parse = (): unknown =>
      parseDefinitions({ X: { type: 'object', properties: { a: { [keyword]: {} } } } }, NO_DOCS, 's.json');
    expect(parse).toThrow(McpgenError);
    expect(parse).toThrow(`the keyword "${keyword}" is not supported`);
  });
});

test.each<[string, JsonValue]>([
  ['an unknown type', 'any'],
  ['no type', []],
  ['an unknown type in a list', ['string', 'any']],
])('rejects %s', (_name, type) => {
  expect(() => parseDefinitions({ X: { type } }, NO_DOCS, 's.json')).toThrow(
    new RegExp(`${JSON.stringify(type).replace(/[[\]]/g, '\\$&')} is not a type`),
  );
});
