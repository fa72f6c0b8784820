import { nearest } from '../text.js';
import { isObject, member, objectOf, pointer, pointerTokens, type JsonObject, type JsonValue } from './json.js';

/** A schema of a tool in the terms that the model reads: a definition for all that is referred to, and nothing else. */
export interface PlainToolSchema {
  /** Definitions by key; the first is the schema itself. */
  readonly definitions: JsonObject;
  /** Where the schema has what each definition was made of, by key. */
  readonly pointers: ReadonlyMap<string, string>;
  /** What was left out, each with a pointer: the type is wider there than the schema. */
  readonly warnings: readonly { readonly at: string; readonly message: string }[];
}

/** Most schemas within one tool's; a larger one is not worth a type. */
export const MOST_SUBSCHEMAS = 20_000;
/** Most definitions of one tool. */
export const MOST_DEFINITIONS = 1000;

type Kind = 'object' | 'array' | 'string' | 'number';

const TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];

/** Keywords that say something of values of one kind, as far as the model knows them. */
const KEYWORDS_FOR: Readonly<Record<Kind, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/** Keywords that narrow values in a way that neither TypeScript nor our validators can say. */
const TOO_MUCH: readonly string[] = [
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

/** Keywords that allow and forbid nothing by themselves. */
const SILENT: readonly string[] = [
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

const READ: readonly string[] = [
  '$ref',
  'type',
  'const',
  'enum',
  'anyOf',
  'oneOf',
  'allOf',
  ...Object.values(KEYWORDS_FOR).flat(),
];

/** Limits: each needs a number that is not negative, but for those of numbers. */
const COUNTS: readonly string[] = ['minProperties', 'maxProperties', 'minItems', 'maxItems', 'minLength', 'maxLength'];

/**
 * Brings the schema of a tool's arguments or results, which a stranger may have written, into the terms of the model.
 * What the model cannot say is left out with a warning, so that everything the schema allows stays allowed; nothing is
 * fetched, and nothing in it is an error.
 *
 * @param schema - Of draft-07 or 2020-12, which is the default (MCP 2025-11-25, Basic, JSON Schema usage).
 * @param key - The key of the definition that the schema itself becomes; those that it refers to are named after it.
 */
export function plainToolSchema(schema: JsonValue, key: string): PlainToolSchema {
  return new Plainer(schema, key).run();
}

/** What is known of the schema around one. */
interface Surroundings {
  /** Pointer of the schema that references without a file are relative to. */
  readonly base: string;
  /** The types that the value has anyway. */
  readonly known?: readonly string[] | undefined;
}

class Plainer {
  readonly #root: JsonValue;
  readonly #key: string;
  readonly #isDraft07: boolean;
  /** Keys of definitions by their pointer, in the order in which they were asked for. */
  readonly #keys = new Map<string, string>();
  readonly #bases = new Map<string, string>();
  /** Pointers of anchors by name, for each base: a schema may refer to them thousands of times. */
  readonly #anchors = new Map<string, ReadonlyMap<string, string>>();
  readonly #taken = new Set<string>();
  readonly #made = new Map<string, JsonValue>();
  readonly #warnings: { at: string; message: string }[] = [];
  readonly #unknown = new Set<string>();
  /** Pointers of what allows more than the schema does. */
  readonly #wide: string[] = [];
  /** Variants of which just one is to hold, with the pointer of their list. */
  readonly #exclusive = new Map<JsonValue, string>();
  #count = 0;

  constructor(root: JsonValue, key: string) {
    this.#root = root;
    this.#key = key;
    const dialect = isObject(root) ? member(root, '$schema') : undefined;
    this.#isDraft07 = typeof dialect === 'string' && /draft-0[3-7]/.test(dialect);
    this.#ask('', '');
  }

  run(): PlainToolSchema {
    for (const [at, key] of this.#keys) {
      const known = at === '' ? ['object'] : undefined;
      this.#made.set(key, this.#schema(this.#at(at), at, { base: this.#bases.get(at) ?? '', known }));
      if (this.#count <= MOST_SUBSCHEMAS && this.#keys.size <= MOST_DEFINITIONS) continue;
      return {
        definitions: { [this.#key]: true },
        pointers: new Map([[this.#key, '']]),
        warnings: [{ at: '', message: 'the schema is too large for a type of its own, so its type is unknown' }],
      };
    }
    this.#breakCircles();
    this.#openExclusive();
    return {
      definitions: objectOf(this.#made),
      pointers: new Map([...this.#keys].map(([at, key]) => [key, at])),
      warnings: this.#warnings,
    };
  }

  /** Says what is left out, so that more is allowed than the schema says. */
  #warn(at: string, message: string): void {
    this.#wide.push(at);
    this.#note(at, message);
  }

  /** Says something that makes nothing wider. */
  #note(at: string, message: string): void {
    this.#warnings.push({ at, message });
  }

  /** The key of the definition that what stands at a pointer becomes. */
  #ask(at: string, base: string): string {
    const known = this.#keys.get(at);
    if (known !== undefined) return known;
    const last = pointerTokens(at).at(-1) ?? '';
    const words = (last.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ').slice(0, 60);
    const wanted = at === '' ? this.#key : `${this.#key} ${words === '' ? 'Part' : words}`;
    let key = wanted;
    for (let number = 2; this.#taken.has(nameOf(key)); number += 1) key = `${wanted} ${number}`;
    this.#taken.add(nameOf(key));
    this.#keys.set(at, key);
    this.#bases.set(at, base);
    return key;
  }

  /** What stands at a pointer; undefined if nothing does. */
  #at(at: string): JsonValue | undefined {
    let value: JsonValue | undefined = this.#root;
    for (const token of pointerTokens(at)) {
      if (Array.isArray(value)) {
        value = /^(?:0|[1-9]\d*)$/.test(token) ? (value as readonly JsonValue[])[Number(token)] : undefined;
      } else value = isObject(value) ? member(value, token) : undefined;
    }
    return value;
  }

  #schema(schema: JsonValue | undefined, at: string, { base, known }: Surroundings): JsonValue {
    this.#count += 1;
    if (this.#count > MOST_SUBSCHEMAS) return true;
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) {
      this.#warn(at, 'this is no schema, so its type is unknown');
      return true;
    }
    const id = member(schema, '$id');
    const own = at !== '' && typeof id === 'string' && !id.startsWith('#') ? at : base;
    const made: [string, JsonValue][] = annotations(schema);
    const ref = this.#ref(schema, at, own);
    if (ref !== undefined) {
      made.push(['$ref', ref]);
      // Up to draft-07 nothing beside a reference counts.
      if (this.#isDraft07) return objectOf(made);
    }
    this.#warnOfLeftOut(schema, at);
    const given = this.#types(schema, at);
    const constants = this.#constants(schema, at, given);
    const types = given ?? known ?? this.#implied(schema, at);
    // Constants of several kinds and the schema's own parts all have to hold.
    const parts: JsonValue[] = constants === undefined ? [] : [constants];
    if (constants === undefined) {
      if (types !== undefined && (given !== undefined || hasAny(schema, Object.values(KEYWORDS_FOR).flat()))) {
        made.push(['type', types.length === 1 ? (types[0] ?? '') : types]);
      }
      made.push(...this.#limits(schema, at));
      if (types?.includes('object') === true) made.push(...this.#object(schema, at, own));
      if (types?.includes('array') === true) made.push(...this.#array(schema, at, own));
    }
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      const list = member(schema, keyword);
      if (list === undefined) continue;
      if (!Array.isArray(list) || list.length === 0) {
        this.#warn(at + pointer(keyword), 'no list of schemas, so it has no effect');
        continue;
      }
      const inside = types ?? (keyword === 'allOf' ? this.#typesOfParts(list, own) : undefined);
      const plain = (list as readonly JsonValue[]).map((part, index) =>
        this.#schema(part, at + pointer(keyword, index), { base: own, known: inside }),
      );
      if (keyword === 'oneOf') this.#exclusive.set(plain, at + pointer(keyword));
      if (keyword === 'allOf') parts.push(...plain);
      else made.push([keyword, plain]);
    }
    if (parts.length > 0) made.push(['allOf', parts]);
    return objectOf(made);
  }

  /** A reference to a definition, or undefined where there is none that can be followed. */
  #ref(schema: JsonObject, at: string, base: string): string | undefined {
    const ref = member(schema, '$ref');
    if (ref === undefined) return undefined;
    const place = at + pointer('$ref');
    const found = typeof ref === 'string' ? this.#target(ref, base) : undefined;
    if (found === undefined) {
      const text = JSON.stringify(ref);
      const shown = text.length > 100 ? `${text.slice(0, 100)}...` : text;
      const outside = typeof ref === 'string' && !ref.startsWith('#');
      const reason = outside ? 'leaves the schema, and nothing is fetched' : 'points at nothing';
      this.#warn(place, `the reference ${shown} ${reason}: the type is unknown`);
      return undefined;
    }
    return `#${pointer('$defs', this.#ask(found, base))}`;
  }

  /** The pointer that a reference leads to. */
  #target(ref: string, base: string): string | undefined {
    const root = this.#at(base);
    const id = isObject(root) ? member(root, '$id') : undefined;
    const [file = '', fragment = ''] = ref.split(/#(.*)/s);
    if (file !== '' && file !== id) return undefined;
    let at: string;
    try {
      at = decodeURIComponent(fragment);
    } catch {
      return undefined;
    }
    if (at !== '' && !at.startsWith('/')) return this.#anchor(at, base);
    return this.#at(base + at) === undefined ? undefined : base + at;
  }

  #anchor(name: string, base: string): string | undefined {
    const known = this.#anchors.get(base) ?? anchorsIn(this.#at(base), base);
    this.#anchors.set(base, known);
    return known.get(name);
  }

  #warnOfLeftOut(schema: JsonObject, at: string): void {
    for (const keyword of Object.keys(schema)) {
      if (READ.includes(keyword) || SILENT.includes(keyword)) continue;
      if (TOO_MUCH.includes(keyword)) {
        this.#warn(at + pointer(keyword), `"${keyword}" is not checked and narrows no type`);
      } else if (!keyword.startsWith('x-') && !this.#unknown.has(keyword)) {
        this.#unknown.add(keyword);
        const near = nearest(keyword, READ);
        const hint = near === undefined ? '' : `; did you mean "${near}"?`;
        const shown = JSON.stringify(keyword.slice(0, 60));
        this.#note(at + pointer(keyword.slice(0, 60)), `${shown} is no keyword that has an effect${hint}`);
      }
    }
  }

  #types(schema: JsonObject, at: string): readonly string[] | undefined {
    const type = member(schema, 'type');
    if (type === undefined) return undefined;
    const list: readonly JsonValue[] = Array.isArray(type) ? type : [type];
    const names = list.filter((item): item is string => typeof item === 'string' && TYPES.includes(item));
    if (names.length === list.length && names.length > 0) return [...new Set(names)];
    this.#warn(at + pointer('type'), `${JSON.stringify(type).slice(0, 60)} is no type, so it has no effect`);
    return undefined;
  }

  /** The types that a schema without any speaks of. */
  #implied(schema: JsonObject, at: string): readonly string[] | undefined {
    const kinds = (Object.keys(KEYWORDS_FOR) as Kind[]).filter((kind) => hasAny(schema, KEYWORDS_FOR[kind]));
    if (kinds.length === 0) return undefined;
    this.#note(
      at,
      `it has no type and is taken for ${kinds.map((kind) => `${/^[ao]/.test(kind) ? 'an' : 'a'} ${kind}`).join(' or ')}`,
    );
    return kinds;
  }

  /** The types that one of the parts of an intersection gives them all. */
  #typesOfParts(parts: readonly JsonValue[], base: string): readonly string[] | undefined {
    for (const part of parts) {
      if (!isObject(part)) continue;
      const ref = member(part, '$ref');
      const at = typeof ref === 'string' ? this.#target(ref, base) : undefined;
      const target = at === undefined ? part : this.#at(at);
      const type = isObject(target) ? member(target, 'type') : undefined;
      if (typeof type === 'string' && TYPES.includes(type)) return [type];
    }
    return undefined;
  }

  /** A schema of the constants that a schema allows; undefined if it names none. */
  #constants(schema: JsonObject, at: string, types: readonly string[] | undefined): JsonValue | undefined {
    const constant = member(schema, 'const');
    const list = member(schema, 'enum');
    if (constant === undefined && list === undefined) return undefined;
    if (list !== undefined && !Array.isArray(list)) {
      this.#warn(at + pointer('enum'), 'no list of values, so it has no effect');
      if (constant === undefined) return undefined;
    }
    const narrowing = Object.values(KEYWORDS_FOR)
      .flat()
      .filter((keyword) => Object.hasOwn(schema, keyword));
    if (narrowing.length > 0) {
      this.#warn(at, `beside constants, ${narrowing.map((keyword) => `"${keyword}"`).join(', ')} is not checked`);
    }
    const values: readonly JsonValue[] = constant !== undefined ? [constant] : (list as readonly JsonValue[]);
    const fitting = values.filter((value) => types === undefined || types.some((type) => isOf(value, type)));
    const isContradiction =
      constant !== undefined && Array.isArray(list) && !list.some((item: JsonValue) => isSame(item, constant));
    if (isContradiction || fitting.length === 0) return false;
    const plain = fitting.filter(isPlainConstant);
    const others = fitting.filter((value) => !isPlainConstant(value)).map((value) => this.#constant(value, at));
    if (others.length === 0) return { enum: plain };
    return plain.length === 0 && others.length === 1
      ? others[0]
      : { anyOf: [...(plain.length === 0 ? [] : [{ enum: plain }]), ...others] };
  }

  /** A schema that only one value meets, as far as the model can say it. */
  #constant(value: JsonValue, at: string): JsonValue {
    if (isObject(value)) {
      const keys = Object.keys(value);
      return {
        type: 'object',
        properties: objectOf(keys.map((key) => [key, this.#constant(value[key] as JsonValue, at)])),
        required: keys,
        additionalProperties: false,
      };
    }
    if (Array.isArray(value)) {
      if (value.length > 1) this.#warn(at, 'the order of the items of a constant list is not checked');
      const items = (value as readonly JsonValue[]).map((item) => this.#constant(item, at));
      return {
        type: 'array',
        minItems: items.length,
        maxItems: items.length,
        items: items.length === 0 ? true : { anyOf: items },
      };
    }
    if (isPlainConstant(value)) return { const: value };
    this.#warn(at, 'a number that is too large to be exact is not checked');
    return { type: 'number' };
  }

  /** Limits that are what JSON Schema says they are. */
  #limits(schema: JsonObject, at: string): [string, JsonValue][] {
    const made: [string, JsonValue][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      let isRight: boolean;
      if (COUNTS.includes(keyword)) isRight = Number.isSafeInteger(value) && (value as number) >= 0;
      else if (KEYWORDS_FOR.number.includes(keyword)) {
        isRight = Number.isFinite(value) && (keyword !== 'multipleOf' || (value as number) > 0);
      } else if (keyword === 'uniqueItems') isRight = typeof value === 'boolean';
      else if (keyword === 'pattern') isRight = typeof value === 'string' && isPattern(value);
      else if (KEYWORDS_FOR.string.includes(keyword)) isRight = typeof value === 'string';
      else continue;
      if (isRight) made.push([keyword, value]);
      else
        this.#warn(
          at + pointer(keyword),
          `${JSON.stringify(value).slice(0, 60)} is not a value of "${keyword}", which has no effect`,
        );
    }
    return made;
  }

  #object(schema: JsonObject, at: string, base: string): [string, JsonValue][] {
    const made: [string, JsonValue][] = [];
    const given = member(schema, 'properties');
    const properties = isObject(given) ? given : undefined;
    if (given !== undefined && properties === undefined) {
      this.#warn(at + pointer('properties'), 'no object of schemas, so it has no effect');
    }
    const entries = Object.entries(properties ?? {}).map(([name, value]): [string, JsonValue] => [
      name,
      this.#schema(value, at + pointer('properties', name), { base }),
    ]);
    const rest = this.#rest(schema, at, base);
    const required = member(schema, 'required');
    if (required !== undefined) {
      const names = Array.isArray(required)
        ? (required as readonly JsonValue[]).filter((name) => typeof name === 'string')
        : [];
      if (!Array.isArray(required) || names.length < required.length) {
        this.#warn(at + pointer('required'), 'no list of names, so it has no effect in full');
      }
      made.push(['required', [...new Set(names)]]);
      // A member that must be there and is not described is one of the others.
      const undescribed = names.filter((name) => properties === undefined || !Object.hasOwn(properties, name));
      if (rest !== undefined) for (const name of new Set(undescribed)) entries.push([name, rest]);
    }
    if (properties !== undefined || entries.length > 0) made.push(['properties', objectOf(entries)]);
    if (rest !== undefined) made.push(['additionalProperties', rest]);
    return made;
  }

  /** What members beyond the named ones hold; undefined if nothing is said of them. */
  #rest(schema: JsonObject, at: string, base: string): JsonValue | undefined {
    const additional = member(schema, 'additionalProperties');
    const patterns = member(schema, 'patternProperties');
    const rest =
      additional === undefined ? undefined : this.#schema(additional, at + pointer('additionalProperties'), { base });
    if (!isObject(patterns) || Object.keys(patterns).length === 0) return rest;
    this.#warn(at + pointer('patternProperties'), 'which name has which type is not checked');
    const types = Object.entries(patterns).map(([pattern, value]) =>
      this.#schema(value, at + pointer('patternProperties', pattern), { base }),
    );
    if (rest === undefined || rest === true) return true;
    return { anyOf: rest === false ? types : [...types, rest] };
  }

  #array(schema: JsonObject, at: string, base: string): [string, JsonValue][] {
    const items = member(schema, 'items');
    const [keyword, tuple] = Array.isArray(items)
      ? (['items', items] as const)
      : (['prefixItems', member(schema, 'prefixItems')] as const);
    if (!Array.isArray(tuple)) {
      return items === undefined ? [] : [['items', this.#schema(items, at + pointer('items'), { base })]];
    }
    this.#warn(at + pointer(keyword), 'which item has which type is not checked');
    const first = (tuple as readonly JsonValue[]).map((item, index) =>
      this.#schema(item, at + pointer(keyword, index), { base }),
    );
    const beyond = keyword === 'items' ? 'additionalItems' : 'items';
    const others = member(schema, beyond);
    if (others === undefined || others === true || first.length === 0) return [];
    const more = others === false ? [] : [this.#schema(others, at + pointer(beyond), { base })];
    return [
      ['items', { anyOf: [...first, ...more] }],
      ...(others === false && !Object.hasOwn(schema, 'maxItems')
        ? [['maxItems', first.length] as [string, JsonValue]]
        : []),
    ];
  }

  /**
   * Where a variant allows more than it should, more than one may hold of a value of which only one should: then it counts
   * that any of them does.
   */
  #openExclusive(): void {
    if (this.#exclusive.size === 0 || this.#wide.length === 0) return;
    const isWideBelow = (at: string): boolean => this.#wide.some((wide) => wide === at || wide.startsWith(`${at}/`));
    const refs = new Map([...this.#made].map(([key, schema]) => [key, refsIn(schema)]));
    const wide = new Set([...this.#keys].filter(([at]) => isWideBelow(at)).map(([, key]) => key));
    for (let before = -1; before < wide.size;) {
      before = wide.size;
      for (const [key, targets] of refs) if (targets.some((target) => wide.has(target))) wide.add(key);
    }
    const opened = (schema: JsonValue): JsonValue => {
      if (Array.isArray(schema)) return (schema as readonly JsonValue[]).map(opened);
      if (!isObject(schema)) return schema;
      const list = member(schema, 'oneOf');
      const at = list === undefined ? undefined : this.#exclusive.get(list);
      const entries = Object.entries(schema).map(([key, value]): [string, JsonValue] => [key, opened(value)]);
      if (at === undefined || !(isWideBelow(at) || refsIn(list ?? null).some((target) => wide.has(target)))) {
        return objectOf(entries);
      }
      this.#note(at, 'that only one of them holds is not checked');
      const variants = entries.find(([key]) => key === 'oneOf')?.[1] ?? [];
      const others = entries.filter(([key]) => key !== 'oneOf' && key !== 'allOf');
      const parts = (entries.find(([key]) => key === 'allOf')?.[1] ?? []) as readonly JsonValue[];
      return objectOf([...others, ['allOf', [...parts, { anyOf: variants }]]]);
    };
    for (const [key, schema] of this.#made) this.#made.set(key, opened(schema));
  }

  /** A definition that is nothing but itself says nothing; TypeScript would refuse it. */
  #breakCircles(): void {
    const pointers = new Map([...this.#keys].map(([at, key]) => [key, at]));
    const done = new Set<string>();
    for (const start of this.#made.keys()) {
      const trail: { key: string; open: string[] }[] = [];
      const onTrail = new Set<string>();
      const enter = (key: string): void => {
        trail.push({ key, open: aliases(this.#made.get(key) ?? true) });
        onTrail.add(key);
      };
      if (!done.has(start)) enter(start);
      for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
        const next = top.open.pop();
        if (next === undefined) {
          done.add(top.key);
          onTrail.delete(top.key);
          trail.pop();
        } else if (onTrail.has(next)) {
          this.#made.set(next, true);
          this.#warn(pointers.get(next) ?? '', 'it refers to itself and nothing else, so its type is unknown');
        } else if (!done.has(next)) enter(next);
      }
    }
  }
}

/** Pointers of all anchors in a schema, by name; the first of two counts. */
function anchorsIn(schema: JsonValue | undefined, base: string): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  const open: [JsonValue | undefined, string][] = [[schema, base]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, at] = next;
    if (value === null || typeof value !== 'object') continue;
    if (isObject(value)) {
      const [anchor, id] = [member(value, '$anchor'), member(value, '$id')];
      for (const name of [anchor, typeof id === 'string' && id.startsWith('#') ? id.slice(1) : undefined]) {
        if (typeof name === 'string' && !anchors.has(name)) anchors.set(name, at);
      }
    }
    for (const [key, child] of Object.entries(value)) open.push([child, at + pointer(key)]);
  }
  return anchors;
}

/** What a key comes to once it is a name. */
function nameOf(key: string): string {
  return key.replaceAll(' ', '').toLowerCase();
}

/** Keys of all definitions that a schema refers to, anywhere in it; constants hold nothing that looks like one. */
function refsIn(schema: JsonValue): readonly string[] {
  if (Array.isArray(schema)) return (schema as readonly JsonValue[]).flatMap(refsIn);
  if (!isObject(schema)) return [];
  const ref = member(schema, '$ref');
  const own = typeof ref === 'string' ? [pointerTokens(ref.slice(1))[1] ?? ''] : [];
  return [...own, ...Object.values(schema).flatMap(refsIn)];
}

/** Keys of the definitions that a schema is, in whole or as one of its variants or parts. */
function aliases(schema: JsonValue): string[] {
  if (!isObject(schema)) return [];
  const ref = member(schema, '$ref');
  const own = typeof ref === 'string' ? [pointerTokens(ref.slice(1))[1] ?? ''] : [];
  const parts = (['anyOf', 'oneOf', 'allOf'] as const).flatMap(
    (keyword) => (member(schema, keyword) ?? []) as readonly JsonValue[],
  );
  return [...own, ...parts.flatMap(aliases)];
}

function annotations(schema: JsonObject): [string, JsonValue][] {
  const description = member(schema, 'description');
  const initial = member(schema, 'default');
  return [
    ...(typeof description === 'string' ? [['description', description] as [string, JsonValue]] : []),
    ...(member(schema, 'deprecated') === true ? [['deprecated', true] as [string, JsonValue]] : []),
    ...(initial === undefined ? [] : [['default', initial] as [string, JsonValue]]),
  ];
}

function hasAny(schema: JsonObject, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => Object.hasOwn(schema, keyword));
}

function isOf(value: JsonValue, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

/** A constant that TypeScript has a type for. */
function isPlainConstant(value: JsonValue): boolean {
  return value === null || (typeof value === 'number' ? Number.isFinite(value) : typeof value !== 'object');
}

function isSame(a: JsonValue, b: JsonValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
