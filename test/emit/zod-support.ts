import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ZodType } from 'zod';
import { loadProtocol, render, type Protocol } from '../../generator/index.js';
import { parseDefinitions } from '../../generator/model/schema/definitions.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonObject } from '../../generator/read/json/json.js';
import { temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';

const root = path.resolve(import.meta.dirname, '../..');

export type Schemas = Readonly<Record<string, ZodType>>;

/** A folder outside the project, as the files of a user are, where packages are found all the same. */
export function zodFolder(): string {
  const folder = temporaryFolder();
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n');
  return folder;
}

/** Writes the files of `--emit zod` below a folder, and loads the schemas. */
export async function written(protocol: Protocol, out: string): Promise<Schemas> {
  mkdirSync(path.join(out, protocol.revision), { recursive: true });
  for (const file of await render(protocol, out, { emit: ['zod'] })) {
    writeFileSync(path.join(out, file.path), file.contents);
  }
  return importOutput<Schemas>(zodFile(protocol.revision, out));
}

export function zodFile(revision: string, out: string): string {
  return path.join(out, revision, 'zod.ts');
}

export function schemaOf(schemas: Schemas, definition: string): ZodType {
  const schema = schemas[`${definition}Schema`];
  if (schema === undefined) throw new Error(`there is no schema of ${definition}`);
  return schema;
}

/** What MCP's schemas do not use, or use in one way only. */
export const BEYOND: JsonObject = {
  Text: { type: 'string', minLength: 2, maxLength: 3 },
  Pattern: { type: 'string', pattern: '^[a-z/]+\\p{Lu}?$', maxLength: 5 },
  Ranged: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 10, multipleOf: 0.1 },
  Even: { type: 'integer', minimum: -4, maximum: 20, multipleOf: 2 },
  Limits: { type: ['integer', 'string', 'null'], minimum: 1, minLength: 1 },
  Tags: { type: 'array', items: { type: 'string', maxLength: 2 }, minItems: 1, maxItems: 3, uniqueItems: true },
  Distinct: { type: 'array', items: {}, uniqueItems: true },
  Few: { type: 'object', properties: { a: {} }, minProperties: 1, maxProperties: 2 },
  FewInMap: { type: 'object', additionalProperties: { type: 'boolean' }, minProperties: 1, maxProperties: 2 },
  Exact: { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'], additionalProperties: false },
  Nothing: { type: 'object', properties: {}, additionalProperties: false },
  Typed: {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'number' } },
    required: ['a'],
    additionalProperties: { type: 'number' },
  },
  OneOf: { oneOf: [{ type: 'integer' }, { type: 'number', minimum: 5 }, { type: 'string' }] },
  Mixed: { enum: ['a', 1, null, true] },
  Maybe: { anyOf: [{ $ref: '#/$defs/Text' }, { type: 'null' }] },
  Anything: {},
  NeedsAnything: {
    type: 'object',
    properties: { a: { $ref: '#/$defs/Anything' }, b: { anyOf: [{ type: 'string' }, {}] }, c: {} },
    required: ['a', 'b'],
  },
  Never: { type: 'object', properties: { gone: false }, required: [] },
  OddNames: {
    type: 'object',
    properties: {
      '': { type: 'string' },
      'a b': { type: 'number' },
      '1': {},
      'it\'s "x"\\': { type: 'null' },
      class: {},
    },
    required: ['a b', '1'],
  },
  Both: { allOf: [{ $ref: '#/$defs/Exact' }, { type: 'object', properties: { c: {} } }] },
  BothClosed: {
    allOf: [
      { type: 'object', properties: { a: {} }, additionalProperties: false },
      { type: 'object', properties: { a: { type: 'string' }, b: {} }, additionalProperties: false },
    ],
  },
  Narrowed: { $ref: '#/$defs/Typed', type: 'object', properties: { a: { const: 'x' } } },
  Shape: { anyOf: [{ $ref: '#/$defs/Circle' }, { $ref: '#/$defs/Square' }] },
  Circle: { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] },
  Square: { type: 'object', properties: { kind: { enum: ['square', 4] } }, required: ['kind'] },
  Loose: { anyOf: [{ $ref: '#/$defs/Circle' }, { type: 'object', properties: { kind: { const: 'x' } } }] },
  Twice: {
    anyOf: [
      { $ref: '#/$defs/Circle' },
      { type: 'object', properties: { kind: { const: 'circle' }, r: {} }, required: ['kind'] },
    ],
  },
  Tree: {
    type: 'object',
    properties: { value: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
    required: ['value'],
  },
  Odd: { type: 'object', properties: { even: { $ref: '#/$defs/Alternating' }, n: { const: 1 } }, required: ['n'] },
  Alternating: {
    anyOf: [{ $ref: '#/$defs/Odd' }, { type: 'object', properties: { n: { const: 2 } }, required: ['n'] }],
  },
};

/** Keywords for which the values of tests are listed, since none are generated. */
export const MORE_KEYWORDS: JsonObject = {
  Pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
  AtLeastOne: {
    type: 'array',
    prefixItems: [{ type: 'string' }, {}],
    items: { type: 'boolean' },
    minItems: 1,
    maxItems: 4,
  },
  Four: { type: 'array', prefixItems: [{ type: 'string' }], minItems: 4, uniqueItems: true },
  Short: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'null' }, {}], maxItems: 2 },
  Chain: { type: 'array', prefixItems: [{ type: 'string' }, { $ref: '#/$defs/Chain' }], items: false, minItems: 1 },
  Prefixed: {
    type: 'object',
    properties: { a: { type: 'string' }, 'x-a': {} },
    required: ['a'],
    patternProperties: { '^x-': { type: 'number' }, b$: { minimum: 3, type: 'number' } },
    additionalProperties: { type: 'boolean' },
  },
  OnlyPrefixed: { type: 'object', patternProperties: { '^x-': { $ref: '#/$defs/Text' } }, additionalProperties: false },
  FewPrefixed: { type: 'object', patternProperties: { '^x-': { type: 'null' } }, maxProperties: 2 },
  PrefixedTree: { type: 'object', patternProperties: { '^[a-c]': { $ref: '#/$defs/PrefixedTree' } } },
  Prefixes: {
    anyOf: [
      { $ref: '#/$defs/Circle' },
      { type: 'object', properties: { kind: { const: 'p' } }, required: ['kind'], patternProperties: { '^x': {} } },
    ],
  },
  Limited: { allOf: [{ $ref: '#/$defs/Text' }, { maxLength: 2 }] },
  Excluded: { type: 'string', not: { enum: ['a', 'b'] } },
};

export async function protocolOf(definitions: JsonObject): Promise<Protocol> {
  const base = await loadProtocol({ revision: '2024-11-05' });
  const parsed = parseDefinitions(definitions, NO_DOCS, 'own.json');
  return { ...base, revision: 'own', definitions: parsed.definitions, methods: [], errors: [], errata: [] };
}
