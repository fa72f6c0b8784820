import { formatPointer, isObject, objectFromEntries, ownMember, parsePointer } from '../json/json.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { breakAliasCycles, definitionNameOf, findAnchors, referencedKeys } from './tool-references.js';
import {
  ANNOTATION_KEYWORDS,
  COUNT_KEYWORDS,
  JSON_SCHEMA_TYPES,
  KEYWORDS_BY_TYPE,
  SUPPORTED_KEYWORDS,
  UNSUPPORTED_KEYWORDS,
  annotations,
  hasAny,
  isEqualJson,
  isOfType,
  isPlainConstant,
  isRegularExpression,
} from './tool-keywords.js';
import type { ConstrainedType } from './tool-keywords.js';
import { closestMatch } from '../../text.js';

/** A schema of a tool, normalized for the model: one definition for each referenced schema. */
export interface NormalizedToolSchema {
  /** Definitions by key; the first is the schema itself. */
  readonly definitions: JsonObject;
  /** The pointer into the schema for each definition, by key. */
  readonly pointers: ReadonlyMap<string, string>;
  /** Ignored constraints: the type is wider there than the schema. */
  readonly warnings: readonly SchemaWarning[];
}

/** A part of a schema that has no effect. */
export interface SchemaWarning {
  /** Its pointer. */
  readonly at: string;
  readonly message: string;
  /** If it is not valid JSON Schema: what is wrong, and how to fix it. */
  readonly fault?: { readonly message: string; readonly remedy: string };
}

/** Most subschemas of one tool; larger schemas get no type. */
export const MAX_SUBSCHEMAS = 20_000;

/** Most definitions of one tool. */
export const MAX_DEFINITIONS = 1000;

/**
 * Normalizes the untrusted schema of a tool's arguments or results for the model. Constraints that the model cannot
 * express are ignored with a warning, so that everything that the schema allows stays allowed. Nothing is fetched, and
 * nothing in the schema is an error.
 *
 * @param schema - Draft-07, or by default 2020-12 (MCP 2025-11-25, Basic, JSON Schema usage).
 * @param key - The key of the schema's own definition; the keys of referenced ones begin with it.
 */
export function normalizeToolSchema(schema: JsonValue, key: string): NormalizedToolSchema {
  return new ToolSchemaNormalizer(schema, key).run();
}

const NO_EFFECT = ', so it has no effect';

/** What a limit may be, in words. */
function valueOfKeyword(keyword: string): string {
  if (COUNT_KEYWORDS.includes(keyword)) return 'an integer that is not negative';
  if (keyword === 'multipleOf') return 'a number above 0';
  if (KEYWORDS_BY_TYPE.number.includes(keyword)) return 'a number';
  if (keyword === 'uniqueItems') return 'true or false';
  return keyword === 'pattern' ? 'a regular expression' : 'a string';
}

/** The context of a subschema. */
interface SchemaContext {
  /** Pointer of the base schema of references without a file. */
  readonly base: string;
  /** The types that the context allows. */
  readonly known?: readonly string[] | undefined;
}

class ToolSchemaNormalizer {
  readonly #root: JsonValue;
  readonly #key: string;
  readonly #isDraft07: boolean;
  /** Keys of definitions by pointer, in the order of their first reference. */
  readonly #keys = new Map<string, string>();
  readonly #bases = new Map<string, string>();
  /** Pointers of anchors by name, for each base: a schema may refer to them thousands of times. */
  readonly #anchors = new Map<string, ReadonlyMap<string, string>>();
  readonly #takenNames = new Set<string>();
  readonly #normalized = new Map<string, JsonValue>();
  readonly #warnings: SchemaWarning[] = [];
  readonly #unknownKeywords = new Set<string>();
  /** Pointers of types that are wider than the schema. */
  readonly #widenedPointers: string[] = [];
  /** Lists of `oneOf`, with their pointers. */
  readonly #exclusiveUnions = new Map<JsonValue, string>();
  #count = 0;

  constructor(root: JsonValue, key: string) {
    this.#root = root;
    this.#key = key;
    const dialect = isObject(root) ? ownMember(root, '$schema') : undefined;
    this.#isDraft07 = typeof dialect === 'string' && /draft-0[3-7]/.test(dialect);
    this.#definitionKey('', '');
  }

  run(): NormalizedToolSchema {
    for (const [pointer, key] of this.#keys) {
      const known = pointer === '' ? ['object'] : undefined;
      this.#normalized.set(
        key,
        this.#normalizeSchema(this.#valueAt(pointer), pointer, { base: this.#bases.get(pointer) ?? '', known }),
      );
      if (this.#count <= MAX_SUBSCHEMAS && this.#keys.size <= MAX_DEFINITIONS) continue;
      return {
        definitions: { [this.#key]: true },
        pointers: new Map([[this.#key, '']]),
        warnings: [{ at: '', message: 'the schema is too large, so its type is unknown' }],
      };
    }
    this.#breakAliasCycles();
    this.#relaxWidenedOneOf();
    return {
      definitions: objectFromEntries(this.#normalized),
      pointers: new Map([...this.#keys].map(([pointer, key]) => [key, pointer])),
      warnings: this.#warnings,
    };
  }

  /** Warns of an ignored constraint, which makes the type wider. */
  #warn(pointer: string, message: string): void {
    this.#widenedPointers.push(pointer);
    this.#addWarning(pointer, message);
  }

  /** Warns of a part that is not valid JSON Schema, which makes the type wider. */
  #warnOfFault(pointer: string, message: string, effect: string, remedy: string): void {
    this.#widenedPointers.push(pointer);
    this.#warnings.push({ at: pointer, message: `${message}${effect}`, fault: { message, remedy } });
  }

  /** Warns without making the type wider. */
  #addWarning(pointer: string, message: string): void {
    this.#warnings.push({ at: pointer, message });
  }

  /** The key of the definition of the schema at a pointer. */
  #definitionKey(pointer: string, base: string): string {
    const known = this.#keys.get(pointer);
    if (known !== undefined) return known;
    const last = parsePointer(pointer).at(-1) ?? '';
    const words = (last.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ').slice(0, 60);
    const wanted = pointer === '' ? this.#key : `${this.#key} ${words === '' ? 'Part' : words}`;
    let key = wanted;
    for (let number = 2; this.#takenNames.has(definitionNameOf(key)); number += 1) key = `${wanted} ${number}`;
    this.#takenNames.add(definitionNameOf(key));
    this.#keys.set(pointer, key);
    this.#bases.set(pointer, base);
    return key;
  }

  /** The value at a pointer; undefined if the pointer does not resolve. */
  #valueAt(pointer: string): JsonValue | undefined {
    let value: JsonValue | undefined = this.#root;
    for (const token of parsePointer(pointer)) {
      if (Array.isArray(value)) {
        value = /^(?:0|[1-9]\d*)$/.test(token) ? (value as readonly JsonValue[])[Number(token)] : undefined;
      } else value = isObject(value) ? ownMember(value, token) : undefined;
    }
    return value;
  }

  #normalizeSchema(schema: JsonValue | undefined, pointer: string, { base, known }: SchemaContext): JsonValue {
    this.#count += 1;
    if (this.#count > MAX_SUBSCHEMAS) return true;
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) {
      const remedy = 'Write an object or a boolean.';
      this.#warnOfFault(pointer, 'not a schema', ', so its type is unknown', remedy);
      return true;
    }
    const id = ownMember(schema, '$id');
    const own = pointer !== '' && typeof id === 'string' && !id.startsWith('#') ? pointer : base;
    const made: [string, JsonValue][] = annotations(schema);
    const ref = this.#resolveRef(schema, pointer, own);
    if (ref !== undefined) {
      made.push(['$ref', ref]);
      // Up to draft-07, keywords next to a reference are ignored.
      if (this.#isDraft07) return objectFromEntries(made);
    }
    this.#warnUnsupported(schema, pointer);
    const given = this.#declaredTypes(schema, pointer);
    const constants = this.#constantsSchema(schema, pointer, given);
    const types = given ?? known ?? this.#impliedTypes(schema, pointer);
    // A value must match all of these parts.
    const parts: JsonValue[] = constants === undefined ? [] : [constants];
    if (constants === undefined) {
      if (types !== undefined && (given !== undefined || hasAny(schema, Object.values(KEYWORDS_BY_TYPE).flat()))) {
        made.push(['type', types.length === 1 ? (types[0] ?? '') : types]);
      }
      made.push(...this.#validLimits(schema, pointer));
      if (types?.includes('object') === true) made.push(...this.#objectKeywords(schema, pointer, own));
      if (types?.includes('array') === true) made.push(...this.#arrayKeywords(schema, pointer, own));
    }
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      const list = ownMember(schema, keyword);
      if (list === undefined) continue;
      if (!Array.isArray(list) || list.length === 0) {
        const remedy = 'Write a list of at least one schema.';
        this.#warnOfFault(pointer + formatPointer(keyword), 'not a list of schemas', NO_EFFECT, remedy);
        continue;
      }
      const inside = types ?? (keyword === 'allOf' ? this.#typesOfAllOf(list, own) : undefined);
      const plain = (list as readonly JsonValue[]).map((part, index) =>
        this.#normalizeSchema(part, pointer + formatPointer(keyword, index), { base: own, known: inside }),
      );
      if (keyword === 'oneOf') this.#exclusiveUnions.set(plain, pointer + formatPointer(keyword));
      if (keyword === 'allOf') parts.push(...plain);
      else made.push([keyword, plain]);
    }
    if (parts.length > 0) made.push(['allOf', parts]);
    return objectFromEntries(made);
  }

  /** A reference to a definition; undefined if it cannot be resolved. */
  #resolveRef(schema: JsonObject, pointer: string, base: string): string | undefined {
    const ref = ownMember(schema, '$ref');
    if (ref === undefined) return undefined;
    const place = pointer + formatPointer('$ref');
    const found = typeof ref === 'string' ? this.#refTarget(ref, base) : undefined;
    if (found === undefined) {
      const text = JSON.stringify(ref);
      const shown = text.length > 100 ? `${text.slice(0, 100)}...` : text;
      const outside = typeof ref === 'string' && !ref.startsWith('#');
      const reason = outside ? 'points outside the schema, and nothing is fetched' : 'points to nothing';
      const remedy = outside
        ? 'Copy the definition into $defs of this file.'
        : 'Add the definition, or correct the reference.';
      this.#warnOfFault(place, `the reference ${shown} ${reason}`, ': the type is unknown', remedy);
      return undefined;
    }
    return `#${formatPointer('$defs', this.#definitionKey(found, base))}`;
  }

  /** The target pointer of a reference. */
  #refTarget(ref: string, base: string): string | undefined {
    const root = this.#valueAt(base);
    const id = isObject(root) ? ownMember(root, '$id') : undefined;
    const [file = '', fragment = ''] = ref.split(/#(.*)/s);
    if (file !== '' && file !== id) return undefined;
    let pointer: string;
    try {
      pointer = decodeURIComponent(fragment);
    } catch {
      return undefined;
    }
    if (pointer !== '' && !pointer.startsWith('/')) return this.#anchorTarget(pointer, base);
    return this.#valueAt(base + pointer) === undefined ? undefined : base + pointer;
  }

  #anchorTarget(name: string, base: string): string | undefined {
    const known = this.#anchors.get(base) ?? findAnchors(this.#valueAt(base), base);
    this.#anchors.set(base, known);
    return known.get(name);
  }

  #warnUnsupported(schema: JsonObject, pointer: string): void {
    for (const keyword of Object.keys(schema)) {
      if (SUPPORTED_KEYWORDS.includes(keyword) || ANNOTATION_KEYWORDS.includes(keyword)) continue;
      if (UNSUPPORTED_KEYWORDS.includes(keyword)) {
        this.#warn(
          pointer + formatPointer(keyword),
          `"${keyword}" is not supported: values are not checked against it`,
        );
      } else if (!keyword.startsWith('x-') && !this.#unknownKeywords.has(keyword)) {
        this.#unknownKeywords.add(keyword);
        const near = closestMatch(keyword, SUPPORTED_KEYWORDS);
        const hint = near === undefined ? '' : `; did you mean "${near}"?`;
        const shown = JSON.stringify(keyword.slice(0, 60));
        this.#addWarning(
          pointer + formatPointer(keyword.slice(0, 60)),
          `the keyword ${shown} is unknown and has no effect${hint}`,
        );
      }
    }
  }

  #declaredTypes(schema: JsonObject, pointer: string): readonly string[] | undefined {
    const type = ownMember(schema, 'type');
    if (type === undefined) return undefined;
    const list: readonly JsonValue[] = Array.isArray(type) ? type : [type];
    const names = list.filter((item): item is string => typeof item === 'string' && JSON_SCHEMA_TYPES.includes(item));
    if (names.length === list.length && names.length > 0) return [...new Set(names)];
    const wrong = list.find((item) => typeof item === 'string' && !JSON_SCHEMA_TYPES.includes(item));
    const near = typeof wrong === 'string' ? closestMatch(wrong, JSON_SCHEMA_TYPES) : undefined;
    this.#warnOfFault(
      pointer + formatPointer('type'),
      `${JSON.stringify(type).slice(0, 60)} is not a type`,
      NO_EFFECT,
      near === undefined ? `The types are ${JSON_SCHEMA_TYPES.join(', ')}.` : `Did you mean ${JSON.stringify(near)}?`,
    );
    return undefined;
  }

  /** The types that the keywords of a schema without `type` apply to. */
  #impliedTypes(schema: JsonObject, pointer: string): readonly string[] | undefined {
    const kinds = (Object.keys(KEYWORDS_BY_TYPE) as ConstrainedType[]).filter((kind) =>
      hasAny(schema, KEYWORDS_BY_TYPE[kind]),
    );
    if (kinds.length === 0) return undefined;
    this.#addWarning(
      pointer,
      `it has no type and is treated as ${kinds.map((kind) => `${/^[ao]/.test(kind) ? 'an' : 'a'} ${kind}`).join(' or ')}`,
    );
    return kinds;
  }

  /** The types of an intersection, from the first part that has one. */
  #typesOfAllOf(parts: readonly JsonValue[], base: string): readonly string[] | undefined {
    for (const part of parts) {
      if (!isObject(part)) continue;
      const ref = ownMember(part, '$ref');
      const pointer = typeof ref === 'string' ? this.#refTarget(ref, base) : undefined;
      const target = pointer === undefined ? part : this.#valueAt(pointer);
      const type = isObject(target) ? ownMember(target, 'type') : undefined;
      if (typeof type === 'string' && JSON_SCHEMA_TYPES.includes(type)) return [type];
    }
    return undefined;
  }

  /** A schema of the constants of a schema; undefined if it has none. */
  #constantsSchema(schema: JsonObject, pointer: string, types: readonly string[] | undefined): JsonValue | undefined {
    const constant = ownMember(schema, 'const');
    const list = ownMember(schema, 'enum');
    if (constant === undefined && list === undefined) return undefined;
    if (list !== undefined && !Array.isArray(list)) {
      const remedy = 'Write a list, or one value as "const".';
      this.#warnOfFault(pointer + formatPointer('enum'), 'not a list of values', NO_EFFECT, remedy);
      if (constant === undefined) return undefined;
    }
    const narrowing = Object.values(KEYWORDS_BY_TYPE)
      .flat()
      .filter((keyword) => Object.hasOwn(schema, keyword));
    if (narrowing.length > 0) {
      this.#warn(pointer, `next to constants, ${narrowing.map((keyword) => `"${keyword}"`).join(', ')} is not checked`);
    }
    const values: readonly JsonValue[] = constant !== undefined ? [constant] : (list as readonly JsonValue[]);
    const fitting = values.filter((value) => types === undefined || types.some((type) => isOfType(value, type)));
    const isContradiction =
      constant !== undefined && Array.isArray(list) && !list.some((item: JsonValue) => isEqualJson(item, constant));
    if (isContradiction || fitting.length === 0) return false;
    const plain = fitting.filter(isPlainConstant);
    const others = fitting
      .filter((value) => !isPlainConstant(value))
      .map((value) => this.#constantSchema(value, pointer));
    if (others.length === 0) return { enum: plain };
    return plain.length === 0 && others.length === 1
      ? others[0]
      : { anyOf: [...(plain.length === 0 ? [] : [{ enum: plain }]), ...others] };
  }

  /** A schema that matches only one value, as far as the model can express it. */
  #constantSchema(value: JsonValue, pointer: string): JsonValue {
    if (isObject(value)) {
      const keys = Object.keys(value);
      return {
        type: 'object',
        properties: objectFromEntries(keys.map((key) => [key, this.#constantSchema(value[key] as JsonValue, pointer)])),
        required: keys,
        additionalProperties: false,
      };
    }
    if (Array.isArray(value)) {
      if (value.length > 1) this.#warn(pointer, 'the order of items in a constant array is not checked');
      const items = (value as readonly JsonValue[]).map((item) => this.#constantSchema(item, pointer));
      return {
        type: 'array',
        minItems: items.length,
        maxItems: items.length,
        items: items.length === 0 ? true : { anyOf: items },
      };
    }
    if (isPlainConstant(value)) return { const: value };
    this.#warn(pointer, 'a number that is too large to be represented exactly is not checked');
    return { type: 'number' };
  }

  /** Limits with valid values. */
  #validLimits(schema: JsonObject, pointer: string): [string, JsonValue][] {
    const made: [string, JsonValue][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      let isRight: boolean;
      if (COUNT_KEYWORDS.includes(keyword)) isRight = Number.isSafeInteger(value) && (value as number) >= 0;
      else if (KEYWORDS_BY_TYPE.number.includes(keyword)) {
        isRight = Number.isFinite(value) && (keyword !== 'multipleOf' || (value as number) > 0);
      } else if (keyword === 'uniqueItems') isRight = typeof value === 'boolean';
      else if (keyword === 'pattern') isRight = typeof value === 'string' && isRegularExpression(value);
      else if (KEYWORDS_BY_TYPE.string.includes(keyword)) isRight = typeof value === 'string';
      else continue;
      if (isRight) made.push([keyword, value]);
      else
        this.#warnOfFault(
          pointer + formatPointer(keyword),
          `${JSON.stringify(value).slice(0, 60)} is not a value of "${keyword}"`,
          ', which has no effect',
          `Write ${valueOfKeyword(keyword)}.`,
        );
    }
    return made;
  }

  #objectKeywords(schema: JsonObject, pointer: string, base: string): [string, JsonValue][] {
    const made: [string, JsonValue][] = [];
    const given = ownMember(schema, 'properties');
    const properties = isObject(given) ? given : undefined;
    if (given !== undefined && properties === undefined) {
      const remedy = 'Write an object with a schema for each name.';
      this.#warnOfFault(pointer + formatPointer('properties'), 'not an object of schemas', NO_EFFECT, remedy);
    }
    const entries = Object.entries(properties ?? {}).map(([name, value]): [string, JsonValue] => [
      name,
      this.#normalizeSchema(value, pointer + formatPointer('properties', name), { base }),
    ]);
    const rest = this.#additionalProperties(schema, pointer, base);
    const required = ownMember(schema, 'required');
    if (required !== undefined) {
      const names = Array.isArray(required)
        ? (required as readonly JsonValue[]).filter((name) => typeof name === 'string')
        : [];
      if (!Array.isArray(required) || names.length < required.length) {
        const remedy = 'Write a list of the names of members.';
        this.#warnOfFault(
          pointer + formatPointer('required'),
          'not a list of names',
          ', so some of it has no effect',
          remedy,
        );
      }
      made.push(['required', [...new Set(names)]]);
      // A required member without a schema has the type of other members.
      const undescribed = names.filter((name) => properties === undefined || !Object.hasOwn(properties, name));
      if (rest !== undefined) for (const name of new Set(undescribed)) entries.push([name, rest]);
    }
    if (properties !== undefined || entries.length > 0) made.push(['properties', objectFromEntries(entries)]);
    if (rest !== undefined) made.push(['additionalProperties', rest]);
    return made;
  }

  /** The schema of members beyond the named ones; undefined if not defined. */
  #additionalProperties(schema: JsonObject, pointer: string, base: string): JsonValue | undefined {
    const additional = ownMember(schema, 'additionalProperties');
    const patterns = ownMember(schema, 'patternProperties');
    const rest =
      additional === undefined
        ? undefined
        : this.#normalizeSchema(additional, pointer + formatPointer('additionalProperties'), { base });
    if (!isObject(patterns) || Object.keys(patterns).length === 0) return rest;
    this.#warn(
      pointer + formatPointer('patternProperties'),
      'the type of each name is not checked: members may have any of these types',
    );
    const types = Object.entries(patterns).map(([pattern, value]) =>
      this.#normalizeSchema(value, pointer + formatPointer('patternProperties', pattern), { base }),
    );
    if (rest === undefined || rest === true) return true;
    return { anyOf: rest === false ? types : [...types, rest] };
  }

  #arrayKeywords(schema: JsonObject, pointer: string, base: string): [string, JsonValue][] {
    const items = ownMember(schema, 'items');
    const [keyword, tuple] = Array.isArray(items)
      ? (['items', items] as const)
      : (['prefixItems', ownMember(schema, 'prefixItems')] as const);
    if (!Array.isArray(tuple)) {
      return items === undefined
        ? []
        : [['items', this.#normalizeSchema(items, pointer + formatPointer('items'), { base })]];
    }
    this.#warn(
      pointer + formatPointer(keyword),
      'the type of each position is not checked: items may have any of these types',
    );
    const first = (tuple as readonly JsonValue[]).map((item, index) =>
      this.#normalizeSchema(item, pointer + formatPointer(keyword, index), { base }),
    );
    const beyond = keyword === 'items' ? 'additionalItems' : 'items';
    const others = ownMember(schema, beyond);
    if (others === undefined || others === true || first.length === 0) return [];
    const more = others === false ? [] : [this.#normalizeSchema(others, pointer + formatPointer(beyond), { base })];
    return [
      ['items', { anyOf: [...first, ...more] }],
      ...(others === false && !Object.hasOwn(schema, 'maxItems')
        ? [['maxItems', first.length] as [string, JsonValue]]
        : []),
    ];
  }

  /**
   * If a variant of `oneOf` is wider than its schema, a valid value may match several variants: then `oneOf` becomes
   * `anyOf`.
   */
  #relaxWidenedOneOf(): void {
    if (this.#exclusiveUnions.size === 0 || this.#widenedPointers.length === 0) return;
    const isWideBelow = (pointer: string): boolean =>
      this.#widenedPointers.some((wide) => wide === pointer || wide.startsWith(`${pointer}/`));
    const refs = new Map([...this.#normalized].map(([key, schema]) => [key, referencedKeys(schema)]));
    const wide = new Set([...this.#keys].filter(([pointer]) => isWideBelow(pointer)).map(([, key]) => key));
    for (let before = -1; before < wide.size;) {
      before = wide.size;
      for (const [key, targets] of refs) if (targets.some((target) => wide.has(target))) wide.add(key);
    }
    const opened = (schema: JsonValue): JsonValue => {
      if (Array.isArray(schema)) return (schema as readonly JsonValue[]).map(opened);
      if (!isObject(schema)) return schema;
      const list = ownMember(schema, 'oneOf');
      const pointer = list === undefined ? undefined : this.#exclusiveUnions.get(list);
      const entries = Object.entries(schema).map(([key, value]): [string, JsonValue] => [key, opened(value)]);
      if (
        pointer === undefined ||
        !(isWideBelow(pointer) || referencedKeys(list ?? null).some((target) => wide.has(target)))
      ) {
        return objectFromEntries(entries);
      }
      this.#addWarning(pointer, 'checked like "anyOf": a value may match more than one schema');
      const variants = entries.find(([key]) => key === 'oneOf')?.[1] ?? [];
      const others = entries.filter(([key]) => key !== 'oneOf' && key !== 'allOf');
      const parts = (entries.find(([key]) => key === 'allOf')?.[1] ?? []) as readonly JsonValue[];
      return objectFromEntries([...others, ['allOf', [...parts, { anyOf: variants }]]]);
    };
    for (const [key, schema] of this.#normalized) this.#normalized.set(key, opened(schema));
  }

  /** Makes definitions unknown that are only references to themselves, which TypeScript rejects. */
  #breakAliasCycles(): void {
    const pointers = new Map([...this.#keys].map(([pointer, key]) => [key, pointer]));
    for (const key of breakAliasCycles(this.#normalized)) {
      this.#warn(pointers.get(key) ?? '', 'it refers to itself and nothing else, so its type is unknown');
    }
  }
}
