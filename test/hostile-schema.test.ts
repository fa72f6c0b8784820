import ts from 'typescript';
import { afterAll, describe, expect, test } from 'vitest';
import { loadProtocol } from '../generator/index.js';
import { removeTemporaryFolders } from './support/cli.js';
import {
  catalogWith,
  compileOutput,
  errorOf,
  findOutputFile,
  generated,
  load,
  findInternals,
  withOwnProperty,
  PING_ROW,
  schemaWith,
  typesOf,
  type ErrorParts,
  type Schema,
} from './support/hostile.js';
import { NAMES, pointerOf, refused, REF } from './hostile-schema-support.js';

afterAll(removeTemporaryFolders);

const refusedDefinition = async (definition: unknown): Promise<ErrorParts> => refused(schemaWith({ Foo: definition }));

describe('the command in the header', () => {
  test.each([
    ['x; touch pwned .json', "--schema 'x; touch pwned .json'"],
    ['$(touch pwned).json', "--schema '$(touch pwned).json'"],
    ['`touch pwned`.json', "--schema '`touch pwned`.json'"],
    ["it's.json", String.raw`--schema 'it'\''s.json'`],
    ['plain-1.2_x.json', '--schema plain-1.2_x.json'],
  ])('quotes the file name %j for a shell', async (name, expected) => {
    const files = await generated(schemaWith(), catalogWith(), { name });
    expect(findOutputFile(files, 'types')).toContain(
      `// Regenerate: mcpgen generate ${expected} --catalog catalog.json`,
    );
  });
});

describe('names of definitions', () => {
  test.each(NAMES)('%.30j becomes %.30j', async (name, expected) => {
    const schema = schemaWith({ User: { type: 'object', properties: { it: REF(pointerOf(name)) } } });
    withOwnProperty(schema['$defs'] as Schema, name, { const: 'the definition' });
    const types = await typesOf(schema);
    const [, made] = /^export type (\S+) =\s+"the definition";$/m.exec(types) ?? [];
    expect(made).toBe(expected);
    expect(types).toMatch(new RegExp(`it\\?:\\s+${expected.replaceAll('$', '\\$')};`));
  });

  test.each(['', '  ', '...', '*/', '💩', '\u3164', '\ud800', 'string', 'object', 'Array', 'Promise', 'Record'])(
    'rejects %j',
    async (name) => {
      const schema = schemaWith();
      withOwnProperty(schema['$defs'] as Schema, name, { type: 'string' });
      const fault = await refused(schema);
      expect(fault.message).toContain('cannot be converted to a TypeScript name');
    },
  );

  test.each([
    ['foo-bar', 'foo bar', 'FooBar'],
    ['foo-bar', 'FooBar', 'FooBar'],
    ['1', '_1', '_1'],
    ['class', 'Class', 'Class'],
    ['a\u200bb', 'a b', 'AB'],
  ])('%j and %j collide: both are named', async (one, other, made) => {
    const fault = await refused(schemaWith({ [one]: { type: 'string' }, [other]: { type: 'number' } }));
    expect(fault.message).toContain(JSON.stringify(one));
    expect(fault.message).toContain(JSON.stringify(other));
    expect(fault.message).toContain(`both be called ${made}`);
  });

  test.each([
    'METHODS',
    'Method',
    'AnyMessage',
    'ClientRequestMessage',
    'Classified',
    'classify',
    'Client',
    'ClientOptions',
    'ServerContext',
    'ServerOptions',
  ])('rejects a definition named %s, which the output exports', async (name) => {
    const fault = await refused(schemaWith({ [name]: { type: 'string' } }));
    expect(fault.place).toBe(`schema.json#/$defs/${name}`);
    expect(fault.message).toMatch(/\.ts exports itself/);
  });

  test('the place of a definition is a JSON pointer', async () => {
    const schema = schemaWith({ 'a/b~c': { type: 'strin' } });
    expect((await refused(schema)).place).toBe('schema.json#/$defs/a~1b~0c/type');
    const noName = schemaWith({ '~/': { type: 'string' } });
    expect((await refused(noName)).place).toBe('schema.json#/$defs/~0~1');
  });

  test('the place of a draft-07 definition is where the file has it', async () => {
    const file = { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { Foo: { type: 'strin' } } };
    expect((await refused(file)).place).toBe('schema.json#/definitions/Foo/type');
  });
});

describe('references', () => {
  test.each<[string, Schema, string]>([
    ['itself', { A: REF('A') }, 'A -> A'],
    ['another that refers back', { A: REF('B'), B: REF('A') }, 'A -> B -> A'],
    ['a union with itself', { A: { anyOf: [{ type: 'string' }, REF('A')] } }, 'A -> A'],
    ['an intersection with itself', { A: { allOf: [REF('B'), REF('A')] }, B: { type: 'object' } }, 'A -> A'],
    [
      'a union behind an intersection',
      { A: { allOf: [REF('B')] }, B: { oneOf: [REF('C')] }, C: REF('A') },
      'A -> B -> C -> A',
    ],
    ['a circle that it only leads to', { A: REF('B'), B: REF('C'), C: REF('B') }, 'B -> C -> B'],
  ])('a definition that is nothing but %s is refused', async (_, definitions, circle) => {
    const fault = await refused(schemaWith(definitions));
    expect(fault.message).toContain(circle);
    expect(fault.place).toBe(`schema.json#/$defs/${circle.charAt(0)}`);
  });

  test.each([
    ['#/$defs/Nope', /the definition "Nope" does not exist/],
    ['#/$defs/pingRequest', /"pingRequest" does not exist/],
    ['#/$defs/__proto__', /"__proto__" does not exist/],
    ['#/$defs/constructor', /"constructor" does not exist/],
    ['#/definitions/toString', /"toString" does not exist/],
    ['#/$defs/%zz', /"%zz" does not exist/],
    [`#/$defs/${'x'.repeat(3000)}`, /does not exist/],
    ['file:///etc/passwd', /points outside the file/],
    ['http://127.0.0.1:1/schema.json', /points outside the file/],
    ['//127.0.0.1/schema.json', /points outside the file/],
    ['other.json#/$defs/X', /points outside the file/],
    ['../schema.json', /points outside the file/],
    ['urn:x:y', /points outside the file/],
    ['', /points outside the file/],
    ['#', /does not point at a definition/],
    ['#/', /does not point at a definition/],
    ['#/$defs', /does not point at a definition/],
    ['#anchor', /does not point at a definition/],
    ['#/properties/x', /does not point at a definition/],
    ['#/$defs/PingRequest/properties/id', /does not point at a definition/],
  ])('%.60j is refused', async (reference, message) => {
    const fault = await refusedDefinition({ type: 'object', properties: { a: { $ref: reference } } });
    expect(fault.message).toMatch(message);
    expect(fault.place).toBe('schema.json#/$defs/Foo/properties/a/$ref');
  });

  test('a misspelt reference gets a suggestion', async () => {
    expect((await refusedDefinition(REF('pingRequest'))).remedy).toBe('Did you mean PingRequest?');
  });

  test('decodes escaped references', async () => {
    const files = await generated(
      schemaWith({ 'a/b': { const: 'slash' }, 'c d': { const: 'space' }, A: REF('a~1b'), B: REF('c%20d') }),
    );
    expect(findOutputFile(files, 'types')).toContain('export type A = AB;');
    expect(findOutputFile(files, 'types')).toContain('export type B = CD;');
  });
});

describe('keywords', () => {
  const UNKNOWN =
    '$recursiveRef $recursiveAnchor tsType divisibleBy extends disallow constructor __proto__ Type propertys'.split(
      ' ',
    );

  test.each(UNKNOWN)('rejects %s by name', async (keyword) => {
    const schema = (): Schema => withOwnProperty({ type: 'object' }, keyword, {});
    const places: readonly (readonly [unknown, string])[] = [
      [schema(), ''],
      [{ type: 'object', properties: { a: schema() } }, '/properties/a'],
      [{ type: 'array', items: schema() }, '/items'],
      [{ anyOf: [{ type: 'string' }, schema()] }, '/anyOf/1'],
      [{ type: 'object', additionalProperties: schema() }, '/additionalProperties'],
    ];
    for (const [definition, at] of places) {
      const fault = await errorOf(load(schemaWith({ Foo: definition })));
      expect(fault.message).toBe(`the keyword ${JSON.stringify(keyword)} is not supported`);
      expect(fault.place).toBe(`schema.json#/$defs/Foo${at}/${keyword}`);
      expect(fault.remedy).toContain('additionalProperties');
    }
  });

  test('a refused keyword writes nothing', async () => {
    await refusedDefinition({ type: 'object', propertys: {} });
  });

  test('a list of item schemas is refused', async () => {
    const fault = await refusedDefinition({ type: 'array', items: [{ type: 'string' }, { type: 'number' }] });
    expect(fault.message).toContain('tuple');
    expect(fault.place).toBe('schema.json#/$defs/Foo/items');
  });

  test('accepts annotations', async () => {
    const files = await generated(
      schemaWith({
        Foo: {
          type: 'string',
          title: 'T',
          $comment: 'c',
          examples: [1],
          readOnly: true,
          writeOnly: false,
          'x-own': {},
        },
      }),
    );
    expect(findOutputFile(files, 'types')).toContain('export type Foo = string;');
  });

  test('documents contentEncoding without validating it', async () => {
    const plain = await generated(schemaWith({ Foo: { type: 'string' } }));
    const schema = schemaWith({
      Foo: {
        type: 'string',
        contentEncoding: 'base64',
        contentMediaType: 'application/json',
        contentSchema: { type: 'object', required: ['a'] },
      },
    });
    const files = await generated(schema);
    expect(findOutputFile(files, 'types')).toContain(
      '/** Encoded as `base64`. Holds `application/json`. */\nexport type Foo = string;',
    );
    const body = (text: string): string => text.slice(text.indexOf('/* eslint-disable */'));
    expect(body(findOutputFile(files, 'validators'))).toBe(body(findOutputFile(plain, 'validators')));
    expect((await load(schema)).warnings).toEqual([
      {
        place: 'schema.json#/$defs/Foo/contentSchema',
        message: '"contentSchema" is not supported and has no effect',
      },
    ]);
    const place = 'schema.json#/$defs/Foo/contentEncoding';
    expect(await refusedDefinition({ type: 'string', contentEncoding: 64 })).toMatchObject({ place });
  });

  test.each<[string, Schema, string]>([
    ['properties: []', { type: 'object', properties: [] }, 'properties'],
    ['properties: null', { type: 'object', properties: null }, 'properties'],
    ['a property that is null', { type: 'object', properties: { a: null } }, 'properties/a'],
    ['a property that is a string', { type: 'object', properties: { a: 'string' } }, 'properties/a'],
    ['required: "x"', { type: 'object', required: 'x' }, 'required'],
    ['required: [1]', { type: 'object', required: [1] }, 'required'],
    ['required: true', { type: 'object', required: true }, 'required'],
    ['additionalProperties: 7', { type: 'object', additionalProperties: 7 }, 'additionalProperties'],
    ['items: 5', { type: 'array', items: 5 }, 'items'],
    ['anyOf: {}', { anyOf: {} }, 'anyOf'],
    ['anyOf: []', { anyOf: [] }, 'anyOf'],
    ['anyOf: [null]', { anyOf: [null] }, 'anyOf/0'],
    ['oneOf: 5', { oneOf: 5 }, 'oneOf'],
    ['oneOf: []', { oneOf: [] }, 'oneOf'],
    ['allOf: null', { allOf: null }, 'allOf'],
    ['allOf: []', { allOf: [] }, 'allOf'],
    ['type: 5', { type: 5 }, 'type'],
    ['type: null', { type: null }, 'type'],
    ['type: "String"', { type: 'String' }, 'type'],
    ['type: []', { type: [] }, 'type'],
    ['type: ["string", "foo"]', { type: ['string', 'foo'] }, 'type'],
    ['enum: []', { enum: [] }, 'enum'],
    ['enum: {}', { enum: {} }, 'enum'],
    ['$ref: 5', { $ref: 5 }, '$ref'],
    ['$ref: null', { $ref: null }, '$ref'],
    ['minimum: "x"', { type: 'number', minimum: 'x' }, 'minimum'],
    ['maxItems: null', { type: 'array', maxItems: null }, 'maxItems'],
    ['pattern: {}', { type: 'string', pattern: {} }, 'pattern'],
    ['format: 5', { type: 'string', format: 5 }, 'format'],
    ['uniqueItems: "yes"', { type: 'array', uniqueItems: 'yes' }, 'uniqueItems'],
    ['description: 5', { type: 'string', description: 5 }, 'description'],
    ['description: {}', { type: 'string', description: {} }, 'description'],
    ['deprecated: "yes"', { type: 'string', deprecated: 'yes' }, 'deprecated'],
  ])('%s is refused', async (_, definition, at) => {
    expect((await refusedDefinition(definition)).place).toBe(`schema.json#/$defs/Foo/${at}`);
  });

  test.each([null, 5, 'string', []])('a definition that is %j is refused', async (definition) => {
    expect((await refusedDefinition(definition)).place).toBe('schema.json#/$defs/Foo');
  });

  test('a number that JSON cannot hold is refused instead of becoming null', async () => {
    const file = JSON.stringify(schemaWith({ Foo: { const: 'HUGE' } })).replace('"HUGE"', '1e999');
    expect((await refused(file)).place).toBe('schema.json#/$defs/Foo/const');
  });

  test.each<[string, unknown]>([
    ['{}', {}],
    ['true', true],
    ['a description alone', { description: 'Something.' }],
    ['an intersection of nothing', { allOf: [{}] }],
  ])('a definition that is %s is unknown with a warning, under strict an error', async (_, definition) => {
    const schema = schemaWith({ Foo: definition });
    const { warnings } = await load(schema);
    expect(warnings.at(-1)).toEqual({
      place: 'schema.json#/$defs/Foo',
      message: 'Foo is the empty schema, so its type is unknown',
    });
    expect(await typesOf(schema)).toContain('export type Foo = unknown;');
    const fault = await refused(schema, catalogWith(), { strict: true });
    expect(fault.place).toBe('schema.json#/$defs/Foo');
    expect(fault.remedy).toContain('--strict');
  });

  test('`false` becomes never without a warning', async () => {
    const schema = schemaWith({ Foo: false });
    expect((await load(schema)).warnings).toEqual([]);
    expect(await typesOf(schema)).toContain('export type Foo = never;');
  });

  test('warns about an unknown format once', async () => {
    const schema = schemaWith({
      Foo: {
        type: 'object',
        properties: { a: { type: 'string', format: 'x-odd' }, b: { type: 'string', format: 'x-odd' } },
      },
      Bar: { type: 'string', format: 'x-odd' },
    });
    const { warnings } = await load(schema);
    expect(warnings).toEqual([
      { place: 'schema.json#/$defs/Bar/format', message: 'the format "x-odd" is unknown; it is kept as an annotation' },
    ]);
    expect(await typesOf(schema)).toMatch(/Format `x-odd`\. \*\/\nexport type Bar = string;/);
    expect((await refused(schema, catalogWith(), { strict: true })).message).toContain('x-odd');
  });

  test.each(['uri-reference', 'json-pointer', 'idn-email', 'date-time', 'int64', 'a.b*c+(d)[e]{f}|^$\\/-#'])(
    'the format %j can be described in words',
    async (format) => {
      const described = `A sentence about ${format}.`;
      const files = await generated(
        schemaWith({ Foo: { type: 'string', format }, Bar: { type: 'string', format, description: described } }),
      );
      expect(findOutputFile(files, 'types')).toContain('export type Foo = string;');
    },
  );

  test.each([-1, -0.5, 1e21, 1e-7, 0])('the limit %d can be described in words', async (limit) => {
    const files = await generated(
      schemaWith({ Foo: { type: 'number', minimum: limit, description: 'A number.', exclusiveMaximum: limit } }),
    );
    expect(findOutputFile(files, 'types')).toContain(`At least ${String(limit)}.`);
  });

  test.each<[string, Schema, string]>([
    ['members of a string', { type: 'string', properties: { a: { type: 'string' } } }, 'properties'],
    ['items of an object', { type: 'object', properties: {}, items: { type: 'string' } }, 'items'],
    ['members of a constant', { const: 'x', required: ['a'] }, 'required'],
    ['members of an enum', { enum: ['x'], additionalProperties: false }, 'additionalProperties'],
  ])('%s are warned about, since they would be dropped', async (_, definition, keyword) => {
    const { warnings } = await load(schemaWith({ Foo: definition }));
    expect(warnings.map((warning) => warning.place)).toEqual([`schema.json#/$defs/Foo/${keyword}`]);
  });

  test('warns about unused keywords next to the definitions', async () => {
    const beside = { $id: 'https://example.com/s', $ref: '#/$defs/PingRequest', anyOf: [], properties: {} };
    const { warnings } = await load(schemaWith({}, { ...beside, title: 'T', description: 'D', $comment: 'C' }));
    expect(warnings.map((warning) => warning.place)).toEqual(Object.keys(beside).map((key) => `schema.json#/${key}`));
  });
});

describe('member names', () => {
  test('inherited names are ordinary members', async () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', '', ' ', '0', '-'];
    const properties: Schema = {};
    for (const name of names) withOwnProperty(properties, name, { const: `value of ${name}` });
    const files = await generated(schemaWith({ Foo: { type: 'object', properties, required: names } }));
    const code = compileOutput(files);
    expect(await code.errors()).toEqual([]);
    const members = new Map<string, string>();
    code.visit((node) => {
      if (!ts.isPropertySignature(node) || !ts.isTypeAliasDeclaration(node.parent.parent)) return;
      if (node.parent.parent.name.text === 'Foo')
        members.set(ts.isComputedPropertyName(node.name) ? '' : node.name.text, node.type?.getText() ?? '');
    });
    expect([...members].sort()).toEqual(names.map((name) => [name, `"value of ${name}"`]).sort());
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  test('one that is required but not declared is unknown', async () => {
    const files = await generated(schemaWith({ Foo: { type: 'object', properties: {}, required: ['a'] } }));
    expect(findOutputFile(files, 'types')).toMatch(
      /export type Foo = \{?\s*a: unknown;? \}|export type Foo = \{\n {2}a: unknown;/,
    );
  });
});

describe('files that are no schema', () => {
  const good = JSON.stringify(schemaWith());
  const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

  test.each<[string, string | Uint8Array, string, RegExp]>([
    ['empty', '', 'schema.json', /empty/],
    ['blank', ' \n\t ', 'schema.json', /empty/],
    ['a BOM and nothing else', '\ufeff', 'schema.json', /empty/],
    ['cut after a brace', '{', 'schema.json:1:2', /unexpected end of JSON/],
    ['cut in a string', good.slice(0, good.indexOf('json-schema.org') + 4), 'schema.json:1:', /unexpected end of JSON/],
    ['cut in an escape', '{"a":"\\u00', 'schema.json:1:11', /unexpected end of JSON/],
    ['cut in a word', '{"a":tru', 'schema.json:1:9', /unexpected end of JSON/],
    ['cut before the last brace', good.slice(0, -1), `schema.json:1:${good.length}`, /unexpected end of JSON/],
    ['UTF-16 with a mark', utf16(`\ufeff${good}`), 'schema.json', /UTF-16/],
    ['UTF-16 without a mark', utf16(good), 'schema.json', /UTF-16/],
    ['UTF-16 the other way round', utf16(`\ufeff${good}`).swap16(), 'schema.json', /UTF-16/],
    ['Latin-1', Buffer.from(good.replace('2020-12', '2020-12 \u00e9'), 'latin1'), 'schema.json', /not UTF-8/],
    ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 27, 91, 50, 74]), 'schema.json', /not text/],
    ['random bytes', Buffer.from([0xff, 0x9d, 0x80, 0x31, 0x1b, 0x5b]), 'schema.json', /not UTF-8/],
    ['null', 'null', 'schema.json', /one JSON object/],
    ['an array', '[]', 'schema.json', /one JSON object/],
    ['a number', '5', 'schema.json', /one JSON object/],
    ['a string', '"schema"', 'schema.json', /one JSON object/],
    ['an empty object', '{}', 'schema.json', /no definitions/],
    ['without a definition', '{"$defs":{}}', 'schema.json#/$defs', /no definitions/],
    ['with a list of definitions', '{"$defs":[{}]}', 'schema.json#/$defs', /no definitions/],
    ['with definitions that are null', '{"definitions":null}', 'schema.json#/definitions', /no definitions/],
    ['a web page', '<!DOCTYPE html><html>404</html>', 'schema.json:1:1', /expected .*, found "<"/],
    ['JavaScript', 'export default {}', 'schema.json:1:1', /expected .*, found "e"/],
    ['JSON with a comment', '{\n  // comment\n}', 'schema.json:2:3', /expected .*, found "\/"/],
    ['JSON with single quotes', "{'a': 1}", 'schema.json:1:2', /expected .*, found "'"/],
    ['JSON with a comma too many', '{"a": 1,}', 'schema.json:1:9', /expected .*, found "}"/],
    ['JSON with a line break in a string', '{"a": "x\ny"}', 'schema.json:1:9', /line break/],
    ['NaN', '{"a": NaN}', 'schema.json:1:7', /expected .*, found "N"/],
    ['two values', '{"a": 1}{"b": 2}', 'schema.json:1:9', /end of the file/],
    ['JSON with a control character', '{"a": \u001b[2J}', 'schema.json:1:7', /U\+001B/],
    ['100,000 open arrays', '['.repeat(100_000), 'schema.json:1:100001', /unexpected end of JSON/],
    ['100,000 open objects', '{"a":'.repeat(100_000), 'schema.json:1:500001', /unexpected end of JSON/],
    ['100,000 nested arrays', '['.repeat(100_000) + ']'.repeat(100_000), 'schema.json', /deeper than/],
    ['100,000 nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'schema.json', /deeper than/],
    [
      '100,000 nested schemas',
      `{"$defs":{"A":${'{"items":'.repeat(100_000)}{}${'}'.repeat(100_002)}`,
      'schema.json',
      /deeper than/,
    ],
    ['both kinds of definitions', JSON.stringify(schemaWith({}, { definitions: { A: {} } })), 'schema.json', /both/],
    [
      'draft-04',
      '{"$schema":"http://json-schema.org/draft-04/schema#","definitions":{"A":{}}}',
      'schema.json#/$schema',
      /draft-04/,
    ],
    [
      '2019-09',
      '{"$schema":"https://json-schema.org/draft/2019-09/schema","$defs":{"A":{}}}',
      'schema.json#/$schema',
      /2019-09/,
    ],
    ['a dialect that is a number', '{"$schema":5,"$defs":{"A":{}}}', 'schema.json#/$schema', /dialect 5/],
    [
      'a dialect of somebody else',
      '{"$schema":"https://example.com","$defs":{"A":{}}}',
      'schema.json#/$schema',
      /example\.com/,
    ],
    [
      'a definition twice',
      good.replace('"EmptyResult":', '"EmptyResult":{"type":"string"},"EmptyResult":'),
      'schema.json:1:',
      /duplicate member "EmptyResult"/,
    ],
    [
      'a member twice, once in escapes',
      good.replace('"params":', '"\\u0070arams":{},"params":'),
      'schema.json:1:',
      /duplicate member "params"/,
    ],
    ['a keyword twice', good.replace('"anyOf":', '"anyOf":[],"anyOf":'), 'schema.json:1:', /duplicate member "anyOf"/],
  ])('%s: refused as schema and as catalog', async (_, file, place, message) => {
    const fault = await refused(file);
    expect(fault.message).toMatch(message);
    expect(fault.place.startsWith(place), fault.place).toBe(true);
    const asCatalog = await refused(schemaWith(), file);
    expect(asCatalog.place).toMatch(/^catalog\.json/);
    expect(findInternals(asCatalog.message)).toEqual([]);
  });

  test('a BOM does no harm', async () => {
    const bom = (value: Schema): Buffer => Buffer.from(`\ufeff${JSON.stringify(value)}`);
    expect((await load(bom(schemaWith()), bom(catalogWith()))).definitions).toHaveLength(4);
    expect((await load(`\ufeff${good}`)).definitions).toHaveLength(4);
  });

  test('accepts `definitions` in either dialect', async () => {
    const { $defs, ...rest } = schemaWith();
    expect((await load({ ...rest, definitions: $defs })).definitions).toHaveLength(4);
    const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', $defs };
    expect((await load(draft07)).definitions).toHaveLength(4);
  });
});

describe('catalogs', () => {
  test.each<[string, unknown, string]>([
    ['null', null, 'catalog.json#'],
    ['an array', [], 'catalog.json#'],
    ['an empty object', {}, 'catalog.json#'],
    ['another member', catalogWith({ foo: 1 }), 'catalog.json#'],
    ['no methods', catalogWith({ methods: [] }), 'catalog.json#/methods'],
    ['methods that are a number', catalogWith({ methods: 5 }), 'catalog.json#/methods'],
    ['a row that is null', catalogWith({ methods: [null] }), 'catalog.json#/methods/0'],
    ['a row with another member', catalogWith({ methods: [{ ...PING_ROW, x: 1 }] }), 'catalog.json#/methods/0'],
    ['another kind', catalogWith({ methods: [{ ...PING_ROW, kind: 'response' }] }), 'catalog.json#/methods/0/kind'],
    [
      'another direction',
      catalogWith({ methods: [{ ...PING_ROW, direction: 'up' }] }),
      'catalog.json#/methods/0/direction',
    ],
    [
      'a summary that is no sentence',
      catalogWith({ methods: [{ ...PING_ROW, summary: 'x\ny' }] }),
      'catalog.json#/methods/0/summary',
    ],
    [
      'a row still undecided',
      catalogWith({ methods: [{ ...PING_ROW, undecided: ['direction'] }] }),
      'catalog.json#/methods/0',
    ],
    ['odd things undecided', catalogWith({ methods: [{ undecided: [{}, null] }] }), 'catalog.json#/methods/0'],
    [
      'an error called __proto__',
      catalogWith({ errors: [{ name: '__proto__', code: 1, summary: 'A.' }] }),
      'catalog.json#/errors/0/name',
    ],
    [
      'a code that is no integer',
      catalogWith({ errors: [{ name: 'A', code: 1.5, summary: 'A.' }] }),
      'catalog.json#/errors/0/code',
    ],
    [
      'a code twice',
      catalogWith({
        errors: [
          { name: 'A', code: 1, summary: 'A.' },
          { name: 'B', code: 1, summary: 'B.' },
        ],
      }),
      'catalog.json#/errors/1',
    ],
    [
      'a name twice',
      catalogWith({
        errors: [
          { name: 'A', code: 1, summary: 'A.' },
          { name: 'A', code: 2, summary: 'B.' },
        ],
      }),
      'catalog.json#/errors/1',
    ],
  ])('%s: refused', async (_, catalog, place) => {
    expect((await refused(schemaWith(), catalog)).place).toBe(place);
  });

  test.each<[string, Schema, string]>([
    ['message', { message: 'Nope' }, 'message'],
    ['params', { params: 'Nope' }, 'params'],
    ['result', { result: 'Nope' }, 'result'],
    ['capability', { capability: 'server.constructor' }, 'capability'],
    ['direction', { direction: 'serverToClient' }, 'direction'],
  ])('a %s that the schema contradicts is refused with both places', async (_, change, at) => {
    const fault = await refused(schemaWith(), catalogWith({ methods: [{ ...PING_ROW, ...change }] }));
    expect(fault.message).toContain(`catalog.json#/methods/0/${at}`);
    expect(fault.message).toContain('schema.json#/$defs');
  });
});

describe('revision names', () => {
  const BAD = [
    '../x',
    'a/b',
    '..',
    '.',
    '/etc',
    'a\\b',
    'a\0b',
    'a\nb',
    'a\u202eb',
    '',
    ' ',
    '-x',
    '~',
    'C:',
    '日本',
    'a'.repeat(65),
  ];

  test.each(BAD)('%j is refused in the catalog', async (revision) => {
    const fault = await refused(schemaWith(), catalogWith({ revision }));
    expect(fault.place).toBe('catalog.json#/revision');
    expect(fault.message).toMatch(/is not a valid name for a revision/);
  });

  test.each(BAD)('%j is refused as an option', async (revision) => {
    const fault = await refused(schemaWith(), catalogWith(), { revision });
    expect(fault.place).toBe('--revision');
  });

  test.each(BAD)('%j names no built-in revision', async (revision) => {
    const fault = await errorOf(loadProtocol({ revision }));
    expect(fault.message).toMatch(/not built in/);
  });

  test.each(['draft', '2025-11-25-rc.1', 'v2_x', '0'])('%j is fine', async (revision) => {
    expect((await load(schemaWith(), catalogWith({ revision }))).revision).toBe(revision);
  });

  test('an option that the catalog contradicts is refused', async () => {
    const fault = await refused(schemaWith(), catalogWith(), { revision: 'other' });
    expect(fault.message).toBe('the catalog is of revision draft, not other');
  });
});
