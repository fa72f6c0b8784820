/**
 * The keywords of JSON Schema, by how they are read.
 */
import { isObject, type JsonValue } from '../../read/json/json.js';

export const JSON_SCHEMA_TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'] as const;

export type JsonSchemaType = (typeof JSON_SCHEMA_TYPES)[number];

/** The types that keywords apply to. */
export type KeywordType = 'object' | 'array' | 'string' | 'number';

/** Keywords that apply to values of one type, and that determine a type. */
export const KEYWORDS_BY_TYPE: Readonly<Record<KeywordType, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/** Limits of the number of members, items or characters: integers that are not negative. */
export const COUNT_KEYWORDS: readonly string[] = [
  'minProperties',
  'maxProperties',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
];

/** Limits of values, which are kept as constraints. Formats and encodings are annotations. */
export const CONSTRAINT_KEYWORDS: ReadonlySet<string> = new Set([
  ...COUNT_KEYWORDS,
  ...KEYWORDS_BY_TYPE.string,
  ...KEYWORDS_BY_TYPE.number,
  'uniqueItems',
]);

/** All other keywords that affect validation. */
export const STRUCTURE_KEYWORDS: readonly string[] = [
  '$ref',
  '$dynamicRef',
  'type',
  'const',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'contains',
  'minContains',
  'maxContains',
  'unevaluatedItems',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
];

/** Keywords that only identify or describe, of JSON Schema and of OpenAPI. */
export const ANNOTATION_KEYWORDS: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
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
  'discriminator',
  'nullable',
  'externalDocs',
  'xml',
]);

/** Formats that JSON Schema or MCP names; any other is kept as an annotation, with a warning. */
export const KNOWN_FORMATS: ReadonlySet<string> = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'idn-email',
  'hostname',
  'idn-hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'iri',
  'iri-reference',
  'uuid',
  'uri-template',
  'json-pointer',
  'relative-json-pointer',
  'regex',
  'byte',
  'int32',
  'int64',
  'float',
  'double',
  'password',
  'binary',
]);

/** Whether a value is one that a limit may have. */
export function isLimit(keyword: string, value: JsonValue): boolean {
  if (COUNT_KEYWORDS.includes(keyword)) return Number.isSafeInteger(value) && (value as number) >= 0;
  if (KEYWORDS_BY_TYPE.number.includes(keyword))
    return Number.isFinite(value) && (keyword !== 'multipleOf' || (value as number) > 0);
  if (keyword === 'uniqueItems') return typeof value === 'boolean';
  return typeof value === 'string' && (keyword !== 'pattern' || isRegularExpression(value));
}

/** What a limit may be, in words. */
export function valueOfLimit(keyword: string): string {
  if (COUNT_KEYWORDS.includes(keyword)) return 'an integer that is not negative';
  if (keyword === 'multipleOf') return 'a number above 0';
  if (KEYWORDS_BY_TYPE.number.includes(keyword)) return 'a number';
  if (keyword === 'uniqueItems') return 'true or false';
  return keyword === 'pattern' ? 'a regular expression' : 'a string';
}

export function isRegularExpression(text: string): boolean {
  return regularExpressionFlags(text) !== undefined;
}

/**
 * The flags with which a pattern is a regular expression: `u`, as JSON Schema recommends, or none, since many patterns
 * have escapes that `u` forbids. Undefined if it is not a regular expression.
 */
export function regularExpressionFlags(text: string): 'u' | '' | undefined {
  for (const flags of ['u', ''] as const) {
    try {
      new RegExp(text, flags);
      return flags;
    } catch {
      // Tried with the next flags.
    }
  }
  return undefined;
}

export function isOfType(value: JsonValue, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

/** The regular expression of a valid pattern. */
export function toRegularExpression(pattern: string): RegExp {
  return new RegExp(pattern, regularExpressionFlags(pattern));
}
