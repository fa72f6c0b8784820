/** The types of keywords that TypeScript can express in part. */
import { expect, test } from 'vitest';
import { pascalCase } from '../../generator/model/naming.js';
import { parseTool } from '../../generator/model/tools.js';
import { printDefinition } from '../../generator/print/type.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonObject } from '../../generator/read/json/json.js';

/** The type of a tool's arguments in one line, without its name. */
function typeOf(input: JsonObject): string {
  const source = { name: 'a', input, places: { input: 'a.json#', output: '' }, isOwn: true };
  const [definition] = parseTool(source, NO_DOCS).definitions;
  if (definition === undefined) throw new Error('no definition');
  return printDefinition(definition, { name: pascalCase, linkable: new Set() })
    .replaceAll(/\s+/g, ' ')
    .replace(/^.*?export type \w+ = /, '')
    .replace(/;\s*$/, '');
}

const closed = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});
const member = (v: JsonObject): JsonObject => closed({ v });
const A = { type: 'string' };

test.for<readonly [title: string, schema: JsonObject, type: string]>([
  ['a type is excluded', member({ not: { type: ['object', 'array'] } }), '{ v?: string | number | boolean | null; }'],
  [
    'an integer is not excluded, since its type is that of all numbers',
    member({ type: ['integer', 'string'], not: { type: 'integer' } }),
    '{ v?: number | string; }',
  ],
  ['limited strings are not excluded', member({ type: 'string', not: { minLength: 2 } }), '{ v?: string; }'],
  ['constants are excluded from others', member({ enum: ['a', 'b', 'c'], not: { enum: ['a', 'b'] } }), '{ v?: "c"; }'],
  ['a schema that excludes everything', member({ not: {} }), '{ v?: never; }'],
  [
    'a required member is excluded',
    { ...closed({ a: A, b: A }), not: { required: ['a'] } },
    '{ b?: string; a?: never; }',
  ],
  [
    'each of several required members is excluded',
    { ...closed({ a: A, b: A }), not: { anyOf: [{ required: ['a'] }, { required: ['b'] }] } },
    '{ a?: never; b?: never; }',
  ],
  [
    'two members that are excluded together stay',
    { ...closed({ a: A, b: A }), not: { required: ['a', 'b'] } },
    '{ a?: string; b?: string; }',
  ],
  [
    'a dependency is a union',
    closed({ card: A, address: A }, { dependentRequired: { card: ['address'] } }),
    '{ address?: string; card?: string; } & ({ card?: never; } | { address: unknown; card: unknown; })',
  ],
  [
    'a member whose presence is an error',
    closed({ a: A, b: A }, { dependentSchemas: { a: false } }),
    '{ b?: string; a?: never; }',
  ],
  [
    'a condition with both branches is a union',
    closed(
      { kind: { enum: ['file', 'url'] }, path: A, url: A },
      {
        required: ['kind'],
        if: { properties: { kind: { const: 'file' } }, required: ['kind'] },
        then: { required: ['path'] },
        else: { properties: { kind: { const: 'url' } }, required: ['url'] },
      },
    ),
    '{ kind: "file" | "url"; path?: string; url?: string; } & (({ kind: "file"; } & { path: unknown; }) | { url: unknown; kind?: "url"; })',
  ],
  ['a condition that always holds', member({ if: true, then: A, else: false }), '{ v?: string; }'],
  [
    'names from a list are members',
    member({ type: 'object', propertyNames: { enum: ['x', 'y'] }, additionalProperties: { type: 'number' } }),
    '{ v?: { x?: number; y?: number; }; }',
  ],
  [
    'an array with an item of a type is not empty',
    member({ type: 'array', items: A, contains: { const: 'a' } }),
    '{ v?: [string, ...string[]]; }',
  ],
  [
    'an array may be empty if it need not contain anything',
    member({ type: 'array', items: A, contains: { const: 'a' }, minContains: 0 }),
    '{ v?: string[]; }',
  ],
  [
    'unevaluated members have a type',
    member({ type: 'object', unevaluatedProperties: A }),
    '{ v?: { [key: string]: string }; }',
  ],
  ['unevaluated items have a type', member({ type: 'array', unevaluatedItems: A }), '{ v?: string[]; }'],
])('%s', ([, schema, type]) => {
  expect(typeOf(schema)).toBe(type);
});
