import { objectFromEntries, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';

/** Names that objects inherit or that JavaScript treats specially. */
export const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toString',
  'toLocaleString',
  'valueOf',
  'toJSON',
  'then',
  'arguments',
  'caller',
  'name',
  'length',
  'default',
  '__defineGetter__',
  '__lookupSetter__',
];
const text = { type: 'string' };

/** An object schema of members by these names. */
export function members(names: readonly string[], required: readonly string[]): JsonObject {
  return { type: 'object', properties: objectFromEntries(names.map((name) => [name, text])), required };
}

/** A tool of each name that has members of all these names in arguments and results, required or not, and constants. */
export const SCHEMAS: readonly JsonObject[] = [
  members(NAMES, NAMES),
  { ...members([...NAMES, 'own'], ['own']), additionalProperties: false },
  { type: 'object', properties: { v: { enum: NAMES }, inside: members(NAMES, []) }, required: ['v', 'inside'] },
  {
    type: 'object',
    properties: objectFromEntries(NAMES.map((name) => [name, { $ref: `#/$defs/${name}` }])),
    required: NAMES.slice(0, 3),
    $defs: objectFromEntries(NAMES.map((name) => [name, { type: 'string', format: name }])),
  },
];

export const LIST: JsonValue = SCHEMAS.flatMap((schema, index) =>
  NAMES.map((name) => ({
    name: index === 0 ? name : `${name}_${index}`,
    inputSchema: schema,
    ...(index === 1 ? { outputSchema: schema } : {}),
  })),
);
