/**
 * The keywords of JSON Schema, by how they are handled in the schema of a tool.
 */
import { isObject, ownMember } from '../json/json.js';
import type { JsonObject, JsonValue } from '../json/json.js';

export type ConstrainedType = 'object' | 'array' | 'string' | 'number';

export const JSON_SCHEMA_TYPES: readonly string[] = [
  'string',
  'number',
  'integer',
  'boolean',
  'null',
  'array',
  'object',
];

/** Keywords that apply to values of one type and that the model supports. */
export const KEYWORDS_BY_TYPE: Readonly<Record<ConstrainedType, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/** Keywords that narrow values in a way that neither TypeScript nor our validators can express. */
export const UNSUPPORTED_KEYWORDS: readonly string[] = [
  '$dynamicRef',
  '$recursiveRef',
  'not',
  'if',
  'contains',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** Keywords that do not affect validation. */
export const ANNOTATION_KEYWORDS: readonly string[] = [
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
  '$vocabulary',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'deprecated',
  'examples',
  'example',
  'readOnly',
  'writeOnly',
  'contentSchema',
  'then',
  'else',
  'minContains',
  'maxContains',
  'additionalItems',
];

export const SUPPORTED_KEYWORDS: readonly string[] = [
  '$ref',
  'type',
  'const',
  'enum',
  'anyOf',
  'oneOf',
  'allOf',
  ...Object.values(KEYWORDS_BY_TYPE).flat(),
];

/** Limits: each must be a non-negative number, except those of numbers. */
export const COUNT_KEYWORDS: readonly string[] = [
  'minProperties',
  'maxProperties',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
];

export function annotations(schema: JsonObject): [string, JsonValue][] {
  const description = ownMember(schema, 'description');
  const initial = ownMember(schema, 'default');
  return [
    ...(typeof description === 'string' ? [['description', description] as [string, JsonValue]] : []),
    ...(ownMember(schema, 'deprecated') === true ? [['deprecated', true] as [string, JsonValue]] : []),
    ...(initial === undefined ? [] : [['default', initial] as [string, JsonValue]]),
  ];
}

export function hasAny(schema: JsonObject, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => Object.hasOwn(schema, keyword));
}

export function isOfType(value: JsonValue, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

/** Whether TypeScript has a literal type for a constant. */
export function isPlainConstant(value: JsonValue): boolean {
  return value === null || (typeof value === 'number' ? Number.isFinite(value) : typeof value !== 'object');
}

export function isEqualJson(a: JsonValue, b: JsonValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
