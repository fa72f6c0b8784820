/**
 * Values made from a JSON Schema for property-based tests: valid ones, and ones that are wrong in one place.
 *
 * The schema is read as JSON, not through the project's own model, so that a fault of the model shows. What a keyword
 * means is decided by the oracle (Ajv) alone: a mutated value may well be valid still.
 */
import fc from 'fast-check';
import {
  isObject,
  objectFromEntries,
  formatPointer,
  parsePointer,
  stableStringify,
  type JsonObject,
  type JsonValue,
} from '../../generator/read/json/json.js';

/** A schema with one way to be right: one type or a list of constants, and no reference or combination. */
type PlainSchema = Readonly<Record<string, JsonValue>>;

/** Levels below which optional members and items are left out, so that recursive definitions end. */
const MAX_DEPTH = 6;
/** Unknown members, or members of a map, that an object is given at most. */
const MAX_EXTRA_MEMBERS = 2;

/**
 * Values that a definition allows.
 *
 * Optional members come and go, unknown members with odd names are added where they are allowed, strings hold any
 * characters, and numbers reach up to the largest. Of a `oneOf` one variant is met, whether others are or not.
 *
 * @param definitions - Canonical definitions (`$defs`), corrected or not.
 * @param name - The definition that values are wanted of.
 * @throws {Error} naming a keyword for which no values can be made.
 */
export function validValue(definitions: JsonObject, name: string): fc.Arbitrary<JsonValue> {
  return new ValueGenerator(definitions, MAX_EXTRA_MEMBERS).value({ $ref: `#/$defs/${name}` }, 0);
}

/** A value that was valid before it was changed. */
export interface Mutant {
  readonly value: JsonValue;
  /** What was changed, and where: `removes "name" at /params`. */
  readonly change: string;
}

/**
 * Values of a definition with a change in one place, now and then in two: a member removed, renamed or added
 * (`__proto__` and other inherited names too), a value of another type, another literal of the protocol, a number that is
 * fractional, negative, huge or out of range, a string of odd characters, an array that is empty, longer or has an item
 * twice.
 *
 * @param definitions - Canonical definitions (`$defs`), corrected or not.
 * @param name - The definition that values are wanted of.
 */
export function mutated(definitions: JsonObject, name: string): fc.Arbitrary<Mutant> {
  const literals = literalsIn(definitions);
  const once = fc.record({ place: fc.nat(), kind: fc.nat(), choice: fc.nat() });
  const steps = fc.oneof({ weight: 4, arbitrary: fc.tuple(once) }, { weight: 1, arbitrary: fc.tuple(once, once) });
  // Without unknown members, since a change of one of those makes no difference.
  const valid = new ValueGenerator(definitions, 0).value({ $ref: `#/$defs/${name}` }, 0);
  return fc.tuple(valid, steps).map(([start, changes]) => {
    let value = start;
    const done = changes.map(({ place, kind, choice }) => {
      const places = locationsIn(value);
      const at = pick(places, place);
      const options = changesOf(at.value, literals);
      const { change, result } = pick(options, kind)(choice);
      value = replaced(value, at.path, result);
      return `${change} at ${at.path.length === 0 ? 'the top' : formatPointer(...at.path)}`;
    });
    return { value, change: done.join(', then ') };
  });
}

/** Makes arbitraries; one for each schema and depth, so that recursive definitions stay small. */
class ValueGenerator {
  readonly #definitions: JsonObject;
  /** Members that an object is given at most beyond those that the schema describes. */
  readonly #mostUnknown: number;
  readonly #made = new Map<JsonValue, Map<number, fc.Arbitrary<JsonValue>>>();
  readonly #plain = new Map<JsonValue, readonly PlainSchema[]>();
  readonly #heights = new Map<JsonValue, number>();

  constructor(definitions: JsonObject, mostUnknown: number) {
    this.#definitions = definitions;
    this.#mostUnknown = mostUnknown;
  }

  value(schema: JsonValue, depth: number): fc.Arbitrary<JsonValue> {
    const byDepth = this.#made.get(schema) ?? new Map<number, fc.Arbitrary<JsonValue>>();
    this.#made.set(schema, byDepth);
    const known = byDepth.get(depth);
    if (known !== undefined) return known;
    const made = this.#make(schema, depth);
    byDepth.set(depth, made);
    return made;
  }

  #make(schema: JsonValue, depth: number): fc.Arbitrary<JsonValue> {
    if (isAnything(schema)) return anyJson();
    const all = this.#alternatives(schema);
    if (all.length === 0) throw new Error(`no value is valid for ${JSON.stringify(schema)}`);
    // Where it is deep enough, only the variants that end soonest are left.
    const lowest = Math.min(...all.map((plain) => this.#heightOf(plain)));
    const fitting = depth < MAX_DEPTH ? all : all.filter((plain) => this.#heightOf(plain) === lowest);
    return fc.oneof(...fitting.map((plain) => this.#ofPlain(plain, depth)));
  }

  /** All ways in which a schema can be met, each without references and combinations. */
  #alternatives(schema: JsonValue): readonly PlainSchema[] {
    const known = this.#plain.get(schema);
    if (known !== undefined) return known;
    const found = this.#resolve(schema);
    this.#plain.set(schema, found);
    return found;
  }

  #resolve(schema: JsonValue): readonly PlainSchema[] {
    if (schema === true) return [{}];
    if (!isObject(schema)) return [];
    const { $ref, anyOf, oneOf, allOf, type, ...own } = schema;
    let found: readonly PlainSchema[] = Array.isArray(type)
      ? (type as readonly string[]).map((one) => ({ ...own, type: one }))
      : [type === undefined ? own : { ...own, type }];
    if (typeof $ref === 'string') found = combined(found, this.#alternatives(this.#target($ref)));
    for (const part of listOf(allOf) ?? []) found = combined(found, this.#alternatives(part));
    for (const choice of [anyOf, oneOf]) {
      const variants = listOf(choice);
      if (variants !== undefined)
        found = combined(
          found,
          variants.flatMap((variant) => this.#alternatives(variant)),
        );
    }
    return found;
  }

  #target(ref: string): JsonValue {
    const [, name] = parsePointer(decodeURIComponent(ref.slice(1)));
    const target = name !== undefined && Object.hasOwn(this.#definitions, name) ? this.#definitions[name] : undefined;
    if (target === undefined) throw new Error(`there is no ${ref}`);
    return target;
  }

  /** Whether any value meets a schema. */
  #isPossible(schema: JsonValue): boolean {
    return isAnything(schema) || this.#alternatives(schema).length > 0;
  }

  /** How deep the shallowest value of a schema is; infinite while it is being found out. */
  #height(schema: JsonValue): number {
    if (isAnything(schema)) return 0;
    const known = this.#heights.get(schema);
    if (known !== undefined) return known;
    this.#heights.set(schema, Infinity);
    const height = Math.min(...this.#alternatives(schema).map((plain) => this.#heightOf(plain)));
    if (height === Infinity) this.#heights.delete(schema);
    else this.#heights.set(schema, height);
    return height;
  }

  #heightOf(plain: PlainSchema): number {
    if (plain['type'] === 'array') {
      return 1 + (Number(plain['minItems'] ?? 0) > 0 ? this.#height(plain['items'] ?? true) : 0);
    }
    if (plain['type'] !== 'object') return 0;
    return 1 + Math.max(0, ...requiredOf(plain).map((name) => this.#height(propertyOf(plain, name))));
  }

  #ofPlain(plain: PlainSchema, depth: number): fc.Arbitrary<JsonValue> {
    refuseUnknownKeywords(plain);
    const constants = constantsOf(plain);
    if (constants !== undefined) return fc.constantFrom(...constants);
    switch (plain['type']) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'string':
        return stringOf(plain);
      case 'integer':
        return integerOf(plain);
      case 'number':
        return numberOf(plain);
      case 'array':
        return this.#arrayOf(plain, depth);
      case 'object':
        return this.#objectOf(plain, depth);
      case undefined:
        if (Object.keys(plain).every((keyword) => ANNOTATIONS.has(keyword))) return anyJson();
    }
    throw new Error(`no values can be made without one known type: ${JSON.stringify(plain)}`);
  }

  #arrayOf(plain: PlainSchema, depth: number): fc.Arbitrary<JsonValue> {
    const minLength = Number(plain['minItems'] ?? 0);
    const wanted = depth < MAX_DEPTH ? minLength + 2 : minLength;
    const maxLength = Math.min(wanted, Number(plain['maxItems'] ?? wanted));
    if (maxLength === 0) return fc.constant([]);
    const items = this.value(plain['items'] ?? true, depth + 1);
    return plain['uniqueItems'] === true
      ? fc.uniqueArray(items, { minLength, maxLength, selector: stableStringify })
      : fc.array(items, { minLength, maxLength });
  }

  #objectOf(plain: PlainSchema, depth: number): fc.Arbitrary<JsonValue> {
    const required = requiredOf(plain);
    const names = [...new Set([...Object.keys(propertiesOf(plain)), ...required])];
    const members = names
      .filter((name) => required.includes(name) || (depth < MAX_DEPTH && this.#isPossible(propertyOf(plain, name))))
      .map((name) => {
        const entry = this.value(propertyOf(plain, name), depth + 1).map((value): Entry => [name, value]);
        return required.includes(name) ? entry : fc.option(entry, { nil: undefined });
      });
    const [least, most] = [Number(plain['minProperties'] ?? 0), Number(plain['maxProperties'] ?? Infinity)];
    const extra = this.#extraMembers(plain, names, depth, Math.max(0, least - names.length));
    return fc
      .tuple(fc.tuple(...members), extra)
      .map(([known, unknown]) => objectFromEntries([...known.filter((entry) => entry !== undefined), ...unknown]))
      .filter((object) => Object.keys(object).length >= least && Object.keys(object).length <= most);
  }

  /** Members beyond the named ones. */
  #extraMembers(
    plain: PlainSchema,
    taken: readonly string[],
    depth: number,
    minLength: number,
  ): fc.Arbitrary<readonly Entry[]> {
    const additional = plain['additionalProperties'] ?? true;
    const most = isAnything(additional) ? this.#mostUnknown : MAX_EXTRA_MEMBERS;
    const maxLength = minLength + (depth < MAX_DEPTH ? most : 0);
    if (additional === false || maxLength === 0) return fc.constant([]);
    const names = memberName().filter((name) => !taken.includes(name));
    const entry = fc.tuple(names, this.value(additional, depth + 1));
    return fc.uniqueArray(entry, { minLength, maxLength, selector: ([name]) => name });
  }
}

type Entry = readonly [string, JsonValue];

const ANNOTATIONS: ReadonlySet<string> = new Set([
  'description',
  'title',
  'default',
  'examples',
  'deprecated',
  'format',
]);
const SUPPORTED_KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'const', 'enum', 'properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  ...['items', 'minItems', 'maxItems', 'uniqueItems', 'minLength', 'maxLength', 'pattern'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]);

function refuseUnknownKeywords(plain: PlainSchema): void {
  for (const keyword of Object.keys(plain)) {
    if (!SUPPORTED_KEYWORDS.has(keyword) && !ANNOTATIONS.has(keyword))
      throw new Error(`no values can be made for ${keyword}`);
  }
}

function isAnything(schema: JsonValue): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).every((keyword) => ANNOTATIONS.has(keyword)));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined;
}

function propertiesOf(plain: PlainSchema): JsonObject {
  const properties = plain['properties'];
  return isObject(properties) ? properties : {};
}

function requiredOf(plain: PlainSchema): readonly string[] {
  return (listOf(plain['required']) ?? []) as readonly string[];
}

/** The schema that holds for a member: its own, or that of additional members. */
function propertyOf(plain: PlainSchema, name: string): JsonValue {
  const properties = propertiesOf(plain);
  return (Object.hasOwn(properties, name) ? properties[name] : plain['additionalProperties']) ?? true;
}

/** The constants that a schema allows; undefined if it names none. */
function constantsOf(plain: PlainSchema): readonly JsonValue[] | undefined {
  const constant = plain['const'];
  return constant === undefined ? listOf(plain['enum']) : [constant];
}

/** What meets one schema of each list. */
function combined(left: readonly PlainSchema[], right: readonly PlainSchema[]): readonly PlainSchema[] {
  return left.flatMap((a) => right.map((b) => both(a, b))).filter((plain) => plain !== undefined);
}

/** What meets two schemas at once; undefined if nothing does. */
function both(a: PlainSchema, b: PlainSchema): PlainSchema | undefined {
  if (Object.keys(a).length === 0) return b;
  const merged: Record<string, JsonValue> = { ...a, ...b };
  for (const keyword of Object.keys(a)) {
    const [one, other] = [a[keyword], b[keyword]];
    if (one === undefined || other === undefined || ANNOTATIONS.has(keyword)) continue;
    if (stableStringify(one) === stableStringify(other)) continue;
    switch (keyword) {
      case 'type':
        if (![one, other].includes('integer') || ![one, other].includes('number')) return undefined;
        merged['type'] = 'integer';
        break;
      case 'properties':
      case 'const':
      case 'enum':
        break;
      case 'required':
        merged['required'] = [...new Set([...requiredOf(a), ...requiredOf(b)])];
        break;
      case 'items':
      case 'additionalProperties':
        merged[keyword] = { allOf: [one, other] };
        break;
      case 'uniqueItems':
        merged['uniqueItems'] = true;
        break;
      default:
        if (typeof one !== 'number' || typeof other !== 'number') throw new Error(`two of ${keyword} cannot be joined`);
        merged[keyword] = keyword.toLowerCase().includes('max') ? Math.min(one, other) : Math.max(one, other);
    }
  }
  const names = new Set([...Object.keys(propertiesOf(a)), ...Object.keys(propertiesOf(b))]);
  if (names.size > 0) {
    merged['properties'] = objectFromEntries(
      [...names].map((name) => [name, { allOf: [propertyOf(a, name), propertyOf(b, name)] }]),
    );
  }
  const [mine, theirs] = [constantsOf(a), constantsOf(b)];
  if (mine !== undefined && theirs !== undefined) {
    const { const: _, ...rest } = merged;
    const shared = mine.filter((value) => theirs.some((item) => stableStringify(item) === stableStringify(value)));
    return shared.length === 0 ? undefined : { ...rest, enum: shared };
  }
  return merged;
}

/** Names that an object inherits, that look like numbers, or that have to be escaped somewhere. */
const ODD_NAMES = [
  ...['', ' ', '0', '-1', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', 'then', 'a/b~c', '$ref', 'ключ', '"'],
  ...['\u2028', '\ud83d\ude00', 'com.example/key'],
] as const;

function memberName(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...ODD_NAMES), fc.string({ minLength: 1, maxLength: 6 })).filter(isPlainName);
}

/** `__proto__` comes in by mutation only, since it needs separate tests. */
function isPlainName(name: string): boolean {
  return name !== '__proto__';
}

/** Any JSON value, a few levels deep. */
function anyJson(): fc.Arbitrary<JsonValue> {
  const { tree } = fc.letrec<{ tree: JsonValue; leaf: JsonValue }>((tie) => ({
    leaf: fc.oneof(fc.constant(null), fc.boolean(), text(0, 8), fc.integer(), anyNumber()),
    tree: fc.oneof(
      { maxDepth: 2 },
      tie('leaf'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc
        .uniqueArray(fc.tuple(memberName(), tie('tree')), { maxLength: 3, selector: ([name]) => name })
        .map((entries) => objectFromEntries(entries)),
    ),
  }));
  return tree;
}

/** Text of any characters, its length counted in characters, as JSON Schema does it. */
function text(minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ minLength, maxLength }), fc.string({ unit: 'binary', minLength, maxLength }));
}

/** What strings of a format look like. */
const OF_FORMAT: Readonly<Record<string, readonly string[]>> = {
  uri: ['https://example.com/a?b=c#d', 'file:///project/notes.txt', 'urn:isbn:0451450523'],
  'uri-template': ['file:///project/{path}', 'https://example.com/{?query*}'],
  byte: ['', 'aGVsbG8=', '/+8='],
  date: ['2026-01-31', '2024-02-29'],
  'date-time': ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+01:00'],
  email: ['someone@example.com'],
};

function stringOf(plain: PlainSchema): fc.Arbitrary<string> {
  const { pattern, format } = plain;
  const minLength = Number(plain['minLength'] ?? 0);
  const maxLength = Number(plain['maxLength'] ?? minLength + 12);
  if (typeof pattern === 'string') {
    return fc.stringMatching(new RegExp(pattern, 'u')).filter((value) => {
      const { length } = Array.from(value);
      return length >= minLength && length <= Number(plain['maxLength'] ?? Infinity);
    });
  }
  const samples = (typeof format === 'string' ? OF_FORMAT[format] : undefined) ?? [];
  const fitting = samples.filter((sample) => sample.length >= minLength && sample.length <= maxLength);
  return fitting.length === 0
    ? text(minLength, maxLength)
    : fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...fitting) },
        { weight: 1, arbitrary: text(minLength, maxLength) },
      );
}

interface Range {
  readonly low: number;
  readonly high: number;
  readonly allows: (value: number) => boolean;
}

function rangeOf(plain: PlainSchema): Range {
  const of = (keyword: string, otherwise: number): number => Number(plain[keyword] ?? otherwise);
  const [above, below] = [of('exclusiveMinimum', -Infinity), of('exclusiveMaximum', Infinity)];
  const [low, high] = [Math.max(of('minimum', -Infinity), above), Math.min(of('maximum', Infinity), below)];
  const step = plain['multipleOf'];
  const fits = (value: number): boolean => step === undefined || Number.isInteger(value / Number(step));
  return {
    low,
    high,
    allows: (value) => value >= low && value <= high && value > above && value < below && fits(value),
  };
}

function integerOf(plain: PlainSchema): fc.Arbitrary<number> {
  const { low, high, allows } = rangeOf(plain);
  const min = Math.ceil(Math.max(low, Number.MIN_SAFE_INTEGER));
  const max = Math.floor(Math.min(high, Number.MAX_SAFE_INTEGER));
  const step = Number(plain['multipleOf'] ?? 1);
  const safe = fc.integer({ min: Math.ceil(min / step), max: Math.floor(max / step) }).map((count) => count * step);
  const edges = [min, max, 0, 1, -1, 2 ** 53, -(2 ** 53), 1e21, 1e300, -1e300].filter(
    (value) => Number.isInteger(value) && allows(value),
  );
  const fitting = safe.filter((value) => Number.isInteger(value) && allows(value));
  return edges.length === 0 ? fitting : fc.oneof(fitting, fc.constantFrom(...edges));
}

function numberOf(plain: PlainSchema): fc.Arbitrary<number> {
  const { low, high, allows } = rangeOf(plain);
  if (plain['multipleOf'] !== undefined) {
    const step = Number(plain['multipleOf']);
    const least = Math.ceil(Math.max(low, -1e6) / step);
    return fc
      .integer({ min: least, max: Math.floor(Math.min(high, Math.max(1e6, low + 10 * step)) / step) })
      .map((count) => count * step)
      .filter(allows);
  }
  const any = fc.double({ noNaN: true, noDefaultInfinity: true, min: finite(low), max: finite(high) });
  const edges = [low, high, 0, 0.5, 1, -1, 1e21, 1e308, 5e-324].filter(
    (value) => Number.isFinite(value) && allows(value),
  );
  return edges.length === 0 ? any.filter(allows) : fc.oneof(any.filter(allows), fc.constantFrom(...edges));
}

function finite(limit: number): number {
  return Math.min(Math.max(limit, -Number.MAX_VALUE), Number.MAX_VALUE);
}

function anyNumber(): fc.Arbitrary<number> {
  return fc.double({ noNaN: true, noDefaultInfinity: true });
}

/** All constants of a protocol, to replace one by another. */
function literalsIn(definitions: JsonObject): readonly JsonValue[] {
  const found = new Map<string, JsonValue>();
  const visit = (value: JsonValue): void => {
    if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) visit(item);
    if (!isObject(value)) return;
    const { const: constant, enum: list } = value;
    for (const literal of [...(constant === undefined ? [] : [constant]), ...(listOf(list) ?? [])]) {
      if (literal === null || typeof literal !== 'object') found.set(JSON.stringify(literal), literal);
    }
    for (const item of Object.values(value)) visit(item);
  };
  visit(definitions);
  return found.size === 0 ? ['literal'] : [...found.values()];
}

type Path = readonly (string | number)[];

interface Location {
  readonly path: Path;
  readonly value: JsonValue;
}

/** A value and all values in it. */
function locationsIn(value: JsonValue, path: Path = []): readonly Location[] {
  const inner = Array.isArray(value)
    ? (value as readonly JsonValue[]).flatMap((item, index) => locationsIn(item, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, item]) => locationsIn(item, [...path, name]))
      : [];
  return [{ path, value }, ...inner];
}

/** A copy with another value in one place. */
function replaced(value: JsonValue, [step, ...rest]: Path, by: JsonValue): JsonValue {
  if (step === undefined) return by;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, index) => (index === step ? replaced(item, rest, by) : item));
  }
  if (!isObject(value)) return value;
  return objectFromEntries(
    Object.entries(value).map(([name, item]) => [name, name === step ? replaced(item, rest, by) : item]),
  );
}

function pick<T>(list: readonly T[], choice: number): T {
  return list[choice % list.length] as T;
}

/** A change of one value; the number chooses among its variants. */
type Change = (choice: number) => { readonly change: string; readonly result: JsonValue };

const ODD_NUMBERS = [0, -1, 1.5, 101, -0.5, 1e-7, 2 ** 53, 1e21, 1e308, -1e308, -32_600] as const;
const ODD_TEXTS = [
  '',
  ' ',
  '1',
  'true',
  'null',
  '\ud83d\ude00',
  '\ud800',
  '\u0000',
  'e\u0301',
  '2.0',
  'x'.repeat(300),
] as const;
const ODD_VALUES: readonly JsonValue[] = [
  null,
  true,
  false,
  ...ODD_NUMBERS,
  ...ODD_TEXTS,
  [],
  {},
  [null],
  [{}],
  { a: 1 },
];
const ADDED_NAMES = [
  ...ODD_NAMES,
  'x',
  'jsonrpc',
  'id',
  'method',
  'params',
  'result',
  'error',
  '_meta',
  'type',
] as const;
/** What a sender may hide behind `__proto__`. */
const PROTOTYPES: readonly JsonValue[] = [null, 1, 'x', [], { polluted: true }, { method: 'ping', type: 'text' }];

function changesOf(value: JsonValue, literals: readonly JsonValue[]): readonly Change[] {
  const replace: Change = (choice) => become(pick(ODD_VALUES, choice));
  const literal: Change = (choice) => become(pick(literals, choice));
  const toNull: Change = () => become(null);
  const otherType: Change = (choice) => {
    const others = ODD_VALUES.filter((other) => typeName(other) !== typeName(value));
    return become(pick(others, choice));
  };
  const common = [otherType, replace, literal, toNull];
  if (Array.isArray(value)) return [...common, ...changesOfArray(value as readonly JsonValue[])];
  if (isObject(value)) return [...changesOfObject(value), ...common];
  if (typeof value === 'number') {
    const numbers = [...ODD_NUMBERS, value + 0.5, -value, value + 1, value * 2];
    return [(choice) => become(pick(numbers.filter(Number.isFinite), choice)), ...common];
  }
  if (typeof value === 'string') {
    const texts = [...ODD_TEXTS, `${value}x`, value.slice(1), value.toUpperCase()];
    return [literal, (choice) => become(pick(texts, choice)), ...common];
  }
  return common;
}

function become(result: JsonValue): { change: string; result: JsonValue } {
  return { change: `puts ${JSON.stringify(result).slice(0, 60)}`, result };
}

function typeName(value: JsonValue): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

function changesOfArray(items: readonly JsonValue[]): readonly Change[] {
  return [
    () => ({ change: 'removes all items', result: [] }),
    () => ({ change: 'removes the first item', result: items.slice(1) }),
    () => ({ change: 'repeats the items', result: [...items, ...items] }),
    (choice) => ({ change: 'adds an item', result: [...items, pick(ODD_VALUES, choice)] }),
    () => ({ change: 'adds many items', result: [...items, ...Array.from({ length: 101 }, () => items[0] ?? 'x')] }),
  ];
}

function changesOfObject(object: JsonObject): readonly Change[] {
  const entries = Object.entries(object);
  const add = (name: string, value: JsonValue): ReturnType<Change> => ({
    change: `adds ${JSON.stringify(name)}: ${JSON.stringify(value).slice(0, 60)}`,
    result: objectFromEntries([...entries.filter(([own]) => own !== name), [name, value]]),
  });
  const remove: Change = (choice) => {
    const [name] = pick(entries, choice);
    return {
      change: `removes ${JSON.stringify(name)}`,
      result: objectFromEntries(entries.filter(([own]) => own !== name)),
    };
  };
  const rename: Change = (choice) => {
    const [name, value] = pick(entries, choice);
    const others = entries.filter(([own]) => own !== name);
    return { change: `renames ${JSON.stringify(name)}`, result: objectFromEntries([...others, [`${name}_`, value]]) };
  };
  return [
    // Removal comes twice: it is what goes wrong most often.
    ...(entries.length === 0 ? [] : [remove, remove, rename]),
    (choice) => add(pick(ADDED_NAMES, choice), pick(ODD_VALUES, Math.floor(choice / ADDED_NAMES.length))),
    (choice) => add('__proto__', pick(PROTOTYPES, choice)),
  ];
}
