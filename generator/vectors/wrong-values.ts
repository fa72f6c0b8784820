/** Values that are wrong for a type in one way each. */
import type { Constraints, TypeNode } from '../model/protocol.js';
import { asObjectType, resolveType } from '../model/types/accepts.js';
import { formatPointer, isObject, type JsonObject, type JsonValue } from '../read/json/json.js';
import { withoutMember } from '../model/diff/samples.js';
import { toRegularExpression } from '../model/schema/keywords.js';
import { ENTRY_NAME, withMember, type ValueBuilder } from './values.js';

/** A wrong value, with the place of the fault in it and the broken rule. */
export interface WrongValue {
  readonly value: JsonValue;
  readonly pointer: string;
  readonly rule: string;
  /** What is wrong, as a clause about the value: `"name" is missing`. */
  readonly fault: string;
}

/** A value of another kind for each kind of type: the one that lenient code is most likely to convert. */
const OF_OTHER_KIND: Readonly<Record<string, readonly JsonValue[]>> = {
  string: [7, true],
  number: ['7', true],
  integer: ['7', true],
  boolean: ['true', 1],
  null: ['null', 0],
  array: [{}, 'text'],
  object: [[], 'text'],
  union: [true, 7, 'text', null, [], {}],
  intersection: [[], 'text'],
};

/** A value of another kind, which a type rejects; undefined if it accepts all that are tried. */
export function ofOtherKind(values: ValueBuilder, type: TypeNode): JsonValue | undefined {
  const resolved = resolveType(values.types, type);
  const kind = resolved.kind === 'literal' ? (resolved.value === null ? 'null' : typeof resolved.value) : resolved.kind;
  return OF_OTHER_KIND[kind]?.find((value) => !values.accepts(type, value));
}

/** A constant that is not the right one, of the same kind. */
export function otherConstant(constant: string | number | boolean | null): JsonValue {
  if (typeof constant === 'number') return constant + 1;
  if (typeof constant === 'boolean') return !constant;
  if (constant === null) return 'null';
  return constant === '2.0' ? '1.0' : 'unknown';
}

/** A value just outside or just inside a limit. */
export interface LimitValue {
  readonly keyword: string;
  readonly value: JsonValue;
  readonly isValid: boolean;
  /** `at least 0`, to say what is demanded. */
  readonly demand: string;
}

/** Longest array or string that shows a limit. */
const MAX_SIZE = 1000;

/**
 * Values at the limits of a type and beyond them.
 *
 * @param sample - A valid value of the type.
 */
export function* limitValues(values: ValueBuilder, type: TypeNode, sample: JsonValue): Iterable<LimitValue> {
  if (!('constraints' in type)) return;
  for (const [keyword, limit] of Object.entries(type.constraints)) {
    for (const found of atLimit(keyword, limit, type.kind, sample)) {
      if (values.accepts(type, found.value) === found.isValid) yield { keyword, ...found };
    }
  }
  yield* beyondPattern(type.constraints, type.kind);
}

function atLimit(
  keyword: string,
  limit: JsonValue,
  kind: string,
  sample: JsonValue,
): readonly Omit<LimitValue, 'keyword'>[] {
  if (keyword === 'uniqueItems' && limit === true && Array.isArray(sample)) {
    const [item = 'text'] = sample as readonly JsonValue[];
    return [{ value: [item, item], isValid: false, demand: 'without items that are equal' }];
  }
  if (typeof limit !== 'number') return [];
  const step = kind === 'integer' ? 1 : 0.001;
  const pair = (outside: number, demand: string, inside = limit): readonly Omit<LimitValue, 'keyword'>[] => [
    { value: outside, isValid: false, demand },
    { value: inside, isValid: true, demand },
  ];
  const sized = (size: number, isValid: boolean, demand: string): readonly Omit<LimitValue, 'keyword'>[] =>
    size < 0 || size > MAX_SIZE ? [] : [{ value: ofSize(sample, size), isValid, demand }];
  switch (keyword) {
    case 'minimum':
      return pair(limit - step, `at least ${limit}`);
    case 'maximum':
      return pair(limit + step, `at most ${limit}`);
    case 'exclusiveMinimum':
      return pair(limit, `more than ${limit}`, limit + step);
    case 'exclusiveMaximum':
      return pair(limit, `less than ${limit}`, limit - step);
    case 'multipleOf':
      return [{ value: limit * 1.5, isValid: false, demand: `a multiple of ${limit}` }];
    case 'minLength':
    case 'minItems':
    case 'minProperties': {
      const demand = `at least ${limit} ${SIZES[keyword]}`;
      return [...sized(limit - 1, false, demand), ...sized(limit, true, demand)];
    }
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties': {
      const demand = `at most ${limit} ${SIZES[keyword]}`;
      return [...sized(limit + 1, false, demand), ...sized(limit, true, demand)];
    }
    default:
      return [];
  }
}

const SIZES = {
  minLength: 'characters',
  maxLength: 'characters',
  minItems: 'items',
  maxItems: 'items',
  minProperties: 'members',
  maxProperties: 'members',
} as const;

/** A value of the same kind with a number of characters, items or members. */
function ofSize(sample: JsonValue, size: number): JsonValue {
  if (typeof sample === 'string') return Array.from(sample.padEnd(size, 'x')).slice(0, size).join('');
  if (Array.isArray(sample)) {
    const list = sample as readonly JsonValue[];
    return Array.from({ length: size }, (_, index) => list[index] ?? list.at(-1) ?? 'a');
  }
  if (!isObject(sample)) return sample;
  const entries = Object.entries(sample);
  const [, value = 'text'] = entries.at(-1) ?? [];
  return Object.fromEntries(Array.from({ length: size }, (_, index) => entries[index] ?? [`member${index}`, value]));
}

function* beyondPattern(constraints: Constraints, kind: string): Iterable<LimitValue> {
  const pattern = constraints['pattern'];
  if (kind !== 'string' || typeof pattern !== 'string') return;
  const expression = toRegularExpression(pattern);
  const least = Number(constraints['minLength'] ?? 0);
  const most = Number(constraints['maxLength'] ?? Infinity);
  const value = ['not this', '!', ' ', '0', 'a', 'x'.repeat(Math.min(least, MAX_SIZE))].find(
    (text) => text.length >= least && text.length <= most && !expression.test(text),
  );
  if (value !== undefined) yield { keyword: 'pattern', value, isValid: false, demand: `text that matches ${pattern}` };
}

/**
 * Wrong values of a type, each with one fault, those that look most like a valid value first: an object without a
 * member, an object with a member of another kind, a value of another kind.
 *
 * @param base - A valid value, which is changed.
 */
export function* wrongValues(
  values: ValueBuilder,
  type: TypeNode,
  base: JsonValue | undefined,
  depth = 0,
): Iterable<WrongValue> {
  const node = resolveType(values.types, type);
  const object = asObjectType(values.types, node);
  if (object !== undefined && isObject(base)) {
    yield* wrongObjects(values, object.members, base, depth);
    const other = object.rest === undefined ? undefined : ofOtherKind(values, object.rest);
    if (other !== undefined)
      yield wrongInside(values, object.rest, ENTRY_NAME, other, withMember(base, ENTRY_NAME, other));
  } else if (node.kind === 'array') {
    const other = ofOtherKind(values, node.items);
    if (other !== undefined && node.prefix === undefined) yield wrongInside(values, node.items, 0, other, [other]);
  }
  if (node.kind === 'union' && depth < 4) {
    const variants = node.variants.filter((variant) => base !== undefined && values.accepts(variant, base));
    for (const variant of variants) yield* wrongValues(values, variant, base, depth + 1);
    if (node.variants.every((variant) => variant.kind === 'literal'))
      yield { value: 'unknown', pointer: '', rule: 'enum', fault: 'the value is not one of the known ones' };
  } else if (node.kind === 'intersection' && depth < 4) {
    for (const part of node.parts) yield* wrongValues(values, part, base, depth + 1);
  } else if (node.kind === 'literal')
    yield { value: otherConstant(node.value), pointer: '', rule: 'const', fault: 'the constant is another one' };
  const other = ofOtherKind(values, type);
  if (other !== undefined)
    yield { value: other, pointer: '', rule: ruleOf(values, type), fault: `the value is ${describeValue(other)}` };
}

function wrongInside(
  values: ValueBuilder,
  type: TypeNode | undefined,
  token: string | number,
  wrong: JsonValue,
  value: JsonValue,
): WrongValue {
  const rule = type === undefined ? 'type' : ruleOf(values, type);
  return { value, pointer: formatPointer(token), rule, fault: `\`${token}\` is ${describeValue(wrong)}` };
}

function* wrongObjects(
  values: ValueBuilder,
  members: readonly { readonly name: string; readonly required: boolean; readonly type: TypeNode }[],
  base: JsonObject,
  depth: number,
): Iterable<WrongValue> {
  // A constant tells variants apart, so it stays as long as something else can be wrong.
  const isConstant = (type: TypeNode): boolean => resolveType(values.types, type).kind === 'literal';
  const sorted = [
    ...members.filter((member) => !isConstant(member.type)),
    ...members.filter((member) => isConstant(member.type)),
  ];
  for (const { name } of sorted.filter((member) => member.required)) {
    const value = withoutMember(base, name);
    yield { value, pointer: formatPointer(name), rule: 'required', fault: `\`${name}\` is missing` };
  }
  for (const { name, type } of sorted) {
    const other = ofOtherKind(values, type);
    if (other === undefined) continue;
    const rule = ruleOf(values, type);
    const fault = `\`${name}\` is ${describeValue(other)}`;
    yield { value: withMember(base, name, other), pointer: formatPointer(name), rule, fault };
  }
  if (depth > 0) return;
  for (const { name, type } of sorted) {
    // A member whose own members can be wrong, where the object has none itself.
    const inner = values.build(type, name, 'smallest');
    if (!isObject(inner)) continue;
    for (const wrong of wrongValues(values, type, inner, depth + 1)) {
      if (wrong.pointer === '') continue;
      yield { ...wrong, value: withMember(base, name, wrong.value), pointer: formatPointer(name) + wrong.pointer };
    }
  }
}

/** The keyword that rejects a value of another kind. */
export function ruleOf(values: ValueBuilder, type: TypeNode): string {
  const node = resolveType(values.types, type);
  if (node.kind === 'literal') return 'const';
  if (node.kind !== 'union') return 'type';
  const variants = node.variants.map((variant) => resolveType(values.types, variant).kind);
  if (variants.every((kind) => kind === 'literal')) return 'enum';
  if (variants.every((kind) => PLAIN_KINDS.has(kind))) return 'type';
  return node.exclusive ? 'oneOf' : 'anyOf';
}

const PLAIN_KINDS: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/** `a string`, `null`, `an array`. */
export function describeValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? `the string ${JSON.stringify(value)}` : `the number ${value}`;
}
