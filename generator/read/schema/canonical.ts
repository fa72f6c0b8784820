import { McpgenError } from '../../errors.js';
import {
  compareText,
  isObject,
  ownMember,
  objectFromEntries,
  formatPointer,
  parsePointer,
  stableStringify,
  type JsonObject,
  type JsonValue,
} from '../json/json.js';

/** The dialect that the rest of the generator reads. */
export const CANONICAL_DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The supported dialects. */
export type Dialect = 'draft-07' | '2020-12';

/** A schema in canonical form: 2020-12, definitions under `$defs`, members in one fixed order. */
export interface CanonicalSchema {
  readonly dialect: Dialect;
  readonly definitions: JsonObject;
  /** The key of the definitions in the file. */
  readonly root: DefinitionsKey;
  /** Keywords next to the definitions that are ignored with a warning. */
  readonly unread: readonly string[];
  /** The name of what the schema describes, if it has one. */
  readonly title?: string;
  /** The site of the schema's `$id`, if it has one; links that begin with a slash are relative to it. */
  readonly site?: string;
}

/** Finds the definitions of a file. */
export type DefinitionsKey = '$defs' | 'definitions';

const DOC_KEYWORDS: ReadonlySet<string> = new Set(['description', '$comment']);
/** Keywords whose value is a map of schemas by any name. */
export const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);
/** Keywords whose value is not a schema. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required', 'type']);

/** Keywords next to the definitions that do not affect them. */
const ROOT_KEYWORDS: ReadonlySet<string> = new Set([
  '$schema',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
]);

/** Keywords in the order in which people read a schema; others follow by name. */
const KEYWORD_ORDER: readonly string[] = [
  '$ref',
  'title',
  'description',
  'deprecated',
  'type',
  'const',
  'enum',
  'format',
  'default',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
];

/**
 * Converts a schema file of either dialect to canonical form.
 *
 * @param schema - The parsed file.
 * @param place - The name of the file in an error.
 * @param options - `prose: 'strip'` removes descriptions; by default they stay.
 * @throws {@link McpgenError} if the file has no definitions, or its dialect is not supported.
 */
export function canonicalizeSchema(
  schema: JsonValue,
  place: string,
  options: { prose?: 'keep' | 'strip' } = {},
): CanonicalSchema {
  if (!isObject(schema)) {
    throw new McpgenError('must be one JSON object', {
      place,
      remedy: 'Pass a JSON Schema with definitions under `$defs` or `definitions`.',
    });
  }
  const dialect = detectDialect(schema, place);
  const { root, definitions: read } = readDefinitionsMap(schema, place);
  const definitions = hoistNestedDefinitions(read, place, root);
  const strip = options.prose === 'strip';
  const site = siteUrlOf(ownMember(schema, '$id'));
  const title = ownMember(schema, 'title');
  return {
    dialect,
    definitions: canonicalSchemaMap(definitions, strip),
    root,
    unread: Object.keys(schema).filter((key) => !ROOT_KEYWORDS.has(key)),
    ...(typeof title === 'string' ? { title } : {}),
    ...(site === undefined ? {} : { site }),
  };
}

/** The canonical file of a schema, as in `schema/<revision>/schema.json`. */
export function canonicalSchemaFile(schema: CanonicalSchema): JsonObject {
  return { $schema: CANONICAL_DIALECT, $defs: schema.definitions };
}

function siteUrlOf(id: JsonValue | undefined): string | undefined {
  return typeof id === 'string' && /^https?:/.test(id) && URL.canParse(id) ? new URL(id).origin : undefined;
}

function detectDialect(schema: JsonObject, place: string): Dialect {
  const uri = ownMember(schema, '$schema');
  if (uri === undefined) return ownMember(schema, '$defs') === undefined ? 'draft-07' : '2020-12';
  if (uri === CANONICAL_DIALECT) return '2020-12';
  if (typeof uri === 'string' && /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(uri)) return 'draft-07';
  throw new McpgenError(`the dialect ${JSON.stringify(uri)} is not supported`, {
    place: `${place}#/$schema`,
    remedy: 'Use draft-07 or 2020-12, as official schemas do.',
  });
}

function readDefinitionsMap(schema: JsonObject, place: string): { root: DefinitionsKey; definitions: JsonObject } {
  const found = (['$defs', 'definitions'] as const).filter((key) => ownMember(schema, key) !== undefined);
  const [key, second] = found;
  if (key === undefined) {
    throw new McpgenError('the schema has no definitions', {
      place,
      remedy: 'Put definitions under `$defs` (2020-12) or `definitions` (draft-07).',
    });
  }
  if (second !== undefined) {
    throw new McpgenError('the schema has both `$defs` and `definitions`', { place, remedy: 'Keep one of them.' });
  }
  const definitions = ownMember(schema, key);
  if (!isObject(definitions) || Object.keys(definitions).length === 0) {
    throw new McpgenError('the schema has no definitions', {
      place: `${place}#/${key}`,
      remedy: 'Write an object with a schema for each definition.',
    });
  }
  return { root: key, definitions };
}

/**
 * Moves definitions inside a definition next to it, if no other definition has the name. Generators of schemas that
 * write each definition as a separate schema put what it repeats there, and refer to it as `#/$defs/<name>`.
 */
function hoistNestedDefinitions(definitions: JsonObject, place: string, root: DefinitionsKey): JsonObject {
  const hoisted = new Map<string, { readonly value: JsonValue; readonly from: string }>();
  const outer = Object.entries(definitions).map(([name, definition]): [string, JsonValue] => {
    const nested = isObject(definition) ? ownMember(definition, root) : undefined;
    if (!isObject(definition) || !isObject(nested)) return [name, definition];
    for (const [inner, value] of Object.entries(nested)) {
      if (Object.hasOwn(definitions, inner)) continue;
      const known = hoisted.get(inner);
      if (known !== undefined && stableStringify(known.value) !== stableStringify(value)) {
        throw new McpgenError(
          `the definition ${JSON.stringify(inner)} inside ${JSON.stringify(name)} differs from the one inside ${JSON.stringify(known.from)}`,
          { place: `${place}#${formatPointer(root, name, root, inner)}`, remedy: 'Rename one of the two.' },
        );
      }
      hoisted.set(inner, { value, from: name });
    }
    return [name, objectFromEntries(Object.entries(definition).filter(([key]) => key !== root))];
  });
  return objectFromEntries([...outer, ...[...hoisted].map(([name, { value }]) => [name, value] as const)]);
}

function canonicalSchemaMap(map: JsonObject, strip: boolean): JsonObject {
  return objectFromEntries(
    Object.keys(map)
      .sort(compareText)
      .map((name) => [name, canonicalSchema(map[name] as JsonValue, strip)]),
  );
}

function canonicalSchema(schema: JsonValue, strip: boolean): JsonValue {
  if (!isObject(schema)) return schema;
  const keys = Object.keys(schema)
    .filter((key) => !(strip && DOC_KEYWORDS.has(key)))
    .sort(compareKeywords);
  return objectFromEntries(keys.map((key) => [key, canonicalKeyword(key, schema[key] as JsonValue, strip)]));
}

function canonicalKeyword(key: string, value: JsonValue, strip: boolean): JsonValue {
  if (key === '$ref' && typeof value === 'string') return canonicalRef(value);
  if (key === 'required' && Array.isArray(value)) return (value as JsonValue[]).slice().sort(compareJson);
  if (DATA_KEYWORDS.has(key)) return value;
  if (SCHEMA_MAPS.has(key) && isObject(value)) return canonicalSchemaMap(value, strip);
  if (Array.isArray(value)) return value.map((item: JsonValue) => canonicalSchema(item, strip));
  return canonicalSchema(value, strip);
}

function canonicalRef(ref: string): string {
  if (!ref.startsWith('#/definitions/')) return ref;
  return `#${formatPointer('$defs', ...parsePointer(ref).slice(1))}`;
}

function compareKeywords(a: string, b: string): number {
  return keywordRank(a) - keywordRank(b) || compareText(a, b);
}

function keywordRank(keyword: string): number {
  const index = KEYWORD_ORDER.indexOf(keyword);
  return index === -1 ? KEYWORD_ORDER.length : index;
}

function compareJson(a: JsonValue, b: JsonValue): number {
  return compareText(JSON.stringify(a), JSON.stringify(b));
}
