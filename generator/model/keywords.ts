/**
 * The JSON Schema keywords that the schema of a revision may use, by how they are handled.
 */
export const ANNOTATION_KEYWORDS: ReadonlySet<string> = new Set([
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentSchema',
]);

export const CONSTRAINT_KEYWORDS: ReadonlySet<string> = new Set([
  'format',
  // Annotations, like an unknown format: they appear in docs, and no value is validated against them.
  'contentEncoding',
  'contentMediaType',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]);

/** Constraints whose value is not a number. */
export const NON_NUMERIC_CONSTRAINTS: Readonly<Record<string, 'string' | 'boolean'>> = {
  format: 'string',
  contentEncoding: 'string',
  contentMediaType: 'string',
  pattern: 'string',
  uniqueItems: 'boolean',
};

/** Keywords that apply to values of one type only. */
export const TYPE_OF_KEYWORD: Readonly<Record<string, string>> = {
  properties: 'object',
  required: 'object',
  additionalProperties: 'object',
  items: 'array',
};

export const STRUCTURE_KEYWORDS: ReadonlySet<string> = new Set([
  '$ref',
  'type',
  'const',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
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

export const PRIMITIVES = ['string', 'number', 'integer', 'boolean', 'null'] as const;

type Primitive = (typeof PRIMITIVES)[number];

export function isPrimitive(type: string): type is Primitive {
  return (PRIMITIVES as readonly string[]).includes(type);
}
