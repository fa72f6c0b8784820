/**
 * The canonical form of an extension's schema: only what it adds to a revision.
 */
import {
  isObject,
  objectFromEntries,
  ownMember,
  parsePointer,
  stableStringify,
  type JsonObject,
  type JsonValue,
} from '../json/json.js';
import { DATA_KEYWORDS, SCHEMA_MAPS } from './canonical.js';

/** Keywords that describe a schema and do not affect what is valid. */
const DESCRIPTIVE_KEYWORDS: ReadonlySet<string> = new Set(['$schema', '$comment', 'description', 'title']);

/** A text that is equal for schemas that accept the same values in the same notation; descriptions are ignored. */
export function schemaKey(schema: JsonValue): string {
  return stableStringify(mapSchema(schema, (value) => value));
}

/**
 * The definitions that an extension adds to a revision. Generators of schemas repeat the definitions of the revision,
 * and write the extension's own ones again wherever they are used: the former are left out, and the latter become
 * references, so that each type has one name.
 *
 * @param definitions - Canonical definitions of the extension's file.
 * @param base - Canonical definitions of the revision.
 */
export function ownDefinitions(definitions: JsonObject, base: JsonObject): JsonObject {
  const own = Object.entries(definitions).filter(([name, schema]) => {
    const known = ownMember(base, name);
    return known === undefined || schemaKey(known) !== schemaKey(schema);
  });
  const names = new Map<string, string | undefined>();
  for (const [name, schema] of own) {
    const key = schemaKey(schema);
    // Of two that are equal, none is meant more than the other.
    names.set(key, names.has(key) ? undefined : name);
  }
  const fold = (schema: JsonValue): JsonValue => {
    const name = isObject(schema) && isNameable(schema) ? names.get(schemaKey(schema)) : undefined;
    return name === undefined ? schema : { $ref: `#/$defs/${name}` };
  };
  return objectFromEntries(
    own.map(([name, schema]) => [name, withoutDialect(mapSchema(schema, fold, ['description']))]),
  );
}

/**
 * Definitions whose generator closes every object, although the specification lets senders add members, and writes
 * lists of strings as unions: with open objects, and lists as `enum`.
 */
export function openDefinitions(definitions: JsonObject): JsonObject {
  const open = (schema: JsonValue): JsonValue =>
    isObject(schema) ? stringList(withoutClosing(mapChildren(schema, open))) : schema;
  return objectFromEntries(Object.entries(definitions).map(([name, schema]) => [name, open(schema)]));
}

function withoutClosing(schema: JsonObject): JsonObject {
  return objectFromEntries(
    Object.entries(schema).filter(([key, value]) => key !== 'additionalProperties' || value !== false),
  );
}

function stringList(schema: JsonObject): JsonObject {
  const variants = ownMember(schema, 'anyOf');
  if (!Array.isArray(variants)) return schema;
  const values = (variants as readonly JsonValue[]).map((variant) =>
    isObject(variant) && Object.keys(variant).every((key) => key === 'type' || key === 'const')
      ? ownMember(variant, 'const')
      : undefined,
  );
  if (!values.every((value) => typeof value === 'string')) return schema;
  const others = Object.entries(schema).filter(([key]) => key !== 'anyOf');
  return objectFromEntries([['type', 'string'], ...others, ['enum', [...values].sort()]]);
}

/** The names among `from`, and those of all definitions that they refer to, at any depth. */
export function reachableDefinitions(definitions: JsonObject, from: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = from.filter((name) => Object.hasOwn(definitions, name));
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const text = JSON.stringify(definitions[name]);
    for (const [, pointer = ''] of text.matchAll(/"\$ref":"#\/\$defs\/([^"/]+)/g)) {
      const [other = ''] = parsePointer(`/${pointer}`);
      if (Object.hasOwn(definitions, other)) queue.push(other);
    }
  }
  return found;
}

/** Whether a schema is one that people name: not a plain string or number. */
function isNameable(schema: JsonObject): boolean {
  return ['properties', 'anyOf', 'oneOf', 'allOf', 'enum'].some((keyword) => Object.hasOwn(schema, keyword));
}

function withoutDialect(schema: JsonValue): JsonValue {
  if (!isObject(schema)) return schema;
  return objectFromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'));
}

/** A copy of a schema with all schemas inside it replaced, outermost first, and without descriptive keywords. */
function mapSchema(
  schema: JsonValue,
  replace: (schema: JsonValue) => JsonValue,
  kept: readonly string[] = [],
): JsonValue {
  if (!isObject(schema)) return schema;
  const inside = (inner: JsonValue): JsonValue => {
    const replaced = replace(inner);
    return replaced === inner ? mapSchema(inner, replace, kept) : replaced;
  };
  const entries = Object.entries(schema).filter(
    ([key, value]) => !DESCRIPTIVE_KEYWORDS.has(key) || typeof value !== 'string' || kept.includes(key),
  );
  return mapChildren(objectFromEntries(entries), inside);
}

/** A copy of a schema with the schemas directly inside it replaced. */
function mapChildren(schema: JsonObject, replace: (schema: JsonValue) => JsonValue): JsonObject {
  return objectFromEntries(
    Object.entries(schema).map(([key, value]): [string, JsonValue] => {
      if (DATA_KEYWORDS.has(key)) return [key, value];
      if (SCHEMA_MAPS.has(key) && isObject(value))
        return [key, objectFromEntries(Object.entries(value).map(([name, inner]) => [name, replace(inner)]))];
      if (Array.isArray(value)) return [key, (value as readonly JsonValue[]).map(replace)];
      return [key, isObject(value) ? replace(value) : value];
    }),
  );
}
