/** What the generator knows about the values of types: examples, samples, what they accept, and which are wider. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { Protocol } from '../../generator/index.js';
import { samplesOf } from '../../generator/model/diff/samples.js';
import { findRejection, typesByName } from '../../generator/model/types/accepts.js';
import { Assignability } from '../../generator/model/types/assignable.js';
import { exampleMessage, exampleOf } from '../../generator/model/types/example.js';
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';
import { load, PROTOCOLS } from './protocols.js';
import { protocolOf, SCHEMAS } from './schemas.js';
import { expectedFile, section } from './support.js';

const VALUES: readonly JsonValue[] = [
  null,
  true,
  false,
  ...[0, 1, 2, 3, 4, 5, -5, -6, 0.25, 0.3, 1.5, 9, 10, 1e21, 1e22],
  ...['', 'a', 'b', 'ab', 'abc', 'abcd', 'x', 'xyzx', 'circle', 'one', 'A/b', '👍👍👍'],
  ...[[], ['a'], ['a', 'a'], ['x', 1], ['a', 1, true], ['x', 'abc', 'abcd', 'b'], [1, 1], [null], [['a']], [[[1]]]],
  {},
  ...['a', 'b', 'c', 'z', 'x-a', 'id', 'name'].flatMap((name) => [{ [name]: 'x' }, { [name]: 1 }]),
  ...[
    { a: 'x', b: 'x' },
    { a: 'x', z: 1 },
    { a: 'x', b: 'x', c: 'x' },
    { 'x-b': 1, a: 'x', y: true },
    { kind: 'a', a: 'x' },
  ],
  ...[
    { kind: 'circle', r: 1 },
    { kind: 'circle' },
    { kind: 'square' },
    { kind: 4 },
    { kind: 'b', b: 'x' },
    { op: 'not' },
  ],
  ...[{ value: 'x', children: [{ value: 1 }] }, { n: 1, even: { n: 2 } }, { n: 1, even: { n: 3 } }, { card: 'x' }],
  ...[{ card: 'x', address: 'y' }, { card: 'x', address: 'yy' }, { id: 'x', extra: 1 }, { a: { b: { c: 1 } } }],
  ...[
    { inner: { deep: { x: 1 } } },
    { list: [{ y: 'x' }, {}] },
    { map: { k: [{ b: 1 }] } },
    { t: true },
    { t: null, n: 1 },
  ],
];

function jsonOf(value: JsonValue | undefined): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

/** The first of some texts, and how many there are. */
function some(texts: readonly string[]): string {
  return texts.length > 4 ? `${texts.slice(0, 4).join(' ')} and ${texts.length - 4} more` : texts.join(' ');
}

function typesText(protocol: Protocol): string {
  const types = typesByName(protocol);
  const relation = new Assignability(types, types);
  return protocol.definitions
    .map(({ name, type }) => {
      const found = VALUES.map((value) => [value, findRejection(types, type, value)] as const);
      const accepted = found.flatMap(([value, at]) => (at === undefined ? [JSON.stringify(value)] : []));
      const inside = found.flatMap(([value, at = '']) => (at === '' ? [] : [`${at} of ${JSON.stringify(value)}`]));
      const wider = protocol.definitions.filter((other) => other.name !== name && relation.holds(type, other.type));
      return section(
        name,
        [
          `example: ${jsonOf(exampleOf(protocol, type, name))}`,
          `samples: ${some(samplesOf(types, type).map((value) => JSON.stringify(value)))}`,
          `accepts: ${some(accepted)}`,
          `rejects: ${some(inside)}`,
          `assignable to: ${wider.map((other) => other.name).join(', ')}`,
        ].join('\n'),
      );
    })
    .join('\n');
}

describe('the types of a schema', () => {
  test.each(Object.entries(SCHEMAS))('%s', async (name, { definitions, root = '$defs' }) => {
    await expect(typesText(protocolOf(definitions, root))).toMatchFileSnapshot(expectedFile(`types-${name}`));
  });
});

test.each(Object.entries(SCHEMAS).filter(([, { root }]) => root === undefined))(
  'what the types of %s reject, Ajv rejects too',
  (_, { definitions }) => {
    const types = typesByName(protocolOf(definitions, '$defs'));
    const ajv = new Ajv2020({
      strict: false,
      validateFormats: false,
      validateSchema: false,
      code: { optimize: false },
    });
    ajv.addSchema({ $id: 'schema', $defs: definitions });
    for (const [name, type] of types) {
      const validate = ajv.getSchema(
        `schema#/$defs/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
      );
      const wrong = VALUES.filter(
        (value) => findRejection(types, type, value) !== undefined && validate?.(value) === true,
      );
      expect([name, wrong]).toEqual([name, []]);
    }
  },
);

test('a sample of a type is one of each wider type', () => {
  for (const { definitions, root = '$defs' } of Object.values(SCHEMAS)) {
    const protocol = protocolOf(definitions, root);
    const types = typesByName(protocol);
    const relation = new Assignability(types, types);
    for (const a of protocol.definitions)
      for (const b of protocol.definitions) {
        if (!relation.holds(a.type, b.type)) continue;
        const lost = samplesOf(types, a.type).filter((value) => findRejection(types, b.type, value) !== undefined);
        expect([a.name, b.name, lost]).toEqual([a.name, b.name, []]);
      }
  }
});

test('the examples of methods', async () => {
  const texts: string[] = [];
  for (const [name, files] of Object.entries(PROTOCOLS)) {
    const protocol = await load(files);
    const lines = protocol.methods.flatMap((method) => [
      `${method.name}: ${JSON.stringify(exampleMessage(protocol, method))}`,
      ...method.results.map((result) => {
        const type = protocol.definitions.find((definition) => definition.name === result)?.type;
        return `  ${result}: ${type === undefined ? '' : jsonOf(exampleOf(protocol, type, result))}`;
      }),
    ]);
    texts.push(section(name, lines.join('\n')));
  }
  await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile('examples'));
});

test('the examples of texts and numbers', async () => {
  const text: JsonObject = { type: 'string' };
  const names = [
    'mimeType',
    'version',
    'model',
    'createdAt',
    'lastUpdatedAt',
    'id',
    'protocolVersion',
    'supportedVersion',
    'items',
  ];
  const definitions: JsonObject = {
    Named: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, text])), required: names },
    Formats: {
      type: 'array',
      prefixItems: ['uri', 'uri-template', 'byte', 'date', 'date-time', 'email', 'hostname'].map((format) => ({
        ...text,
        format,
      })),
    },
    RequestId: text,
    Cursor: text,
    Long: { ...text, minLength: 20 },
    Short: { ...text, maxLength: 3 },
    TooLong: { ...text, minLength: 20_000 },
    Lists: {
      type: 'object',
      properties: {
        entries: { type: 'array', items: text, minItems: 2 },
        few: { type: 'array', items: text, maxItems: 0 },
      },
      required: ['entries', 'few'],
    },
    Numbers: {
      type: 'array',
      prefixItems: [
        { type: 'number', minimum: 5 },
        { type: 'number', exclusiveMinimum: -5 },
        { type: 'number', maximum: 0.5 },
        { type: 'number', exclusiveMaximum: -2 },
        { type: 'integer', minimum: 3, maximum: 4 },
        { type: 'integer' },
      ],
    },
    Inherited: { type: 'object', properties: { constructor: text, other: text } },
    Endless: { type: 'object', properties: { next: { $ref: '#/$defs/Endless' } }, required: ['next'] },
    EndlessList: { type: 'array', items: { $ref: '#/$defs/EndlessList' } },
    EndlessNeeded: { type: 'array', items: { $ref: '#/$defs/EndlessNeeded' }, minItems: 1 },
    Either: { anyOf: [{ $ref: '#/$defs/Endless' }, { type: 'null' }] },
    Both: { allOf: [{ $ref: '#/$defs/Named' }, { type: 'object', properties: { b: text }, required: ['b'] }] },
    BothEndless: { allOf: [{ $ref: '#/$defs/Endless' }, { $ref: '#/$defs/Named' }] },
    Alias: { $ref: '#/$defs/RequestId' },
    Holder: {
      type: 'object',
      properties: { one: { $ref: '#/$defs/Long' }, two: { $ref: '#/$defs/Named' } },
      required: ['one', 'two'],
    },
  };
  const protocol = protocolOf(definitions, '$defs');
  const types = typesByName(protocol);
  const lines = protocol.definitions.map(
    ({ name, type }) =>
      `${name}: ${JSON.stringify([exampleOf(protocol, type, name), exampleOf(protocol, type)])} ${some(samplesOf(types, type).map((value) => JSON.stringify(value).slice(0, 200)))}`,
  );
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(expectedFile('examples-of-types'));
});
