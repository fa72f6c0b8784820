import {
  isObject,
  ownMember,
  formatPointer,
  stableStringify,
  type JsonObject,
  type JsonValue,
} from '../../read/json/json.js';
import type { Constraints, Definitions, ObjectNode, Rule, TypeNode } from '../protocol.js';
import { toRegularExpression } from '../schema/keywords.js';
import { mergeMembers } from './merge-members.js';
import { followReferences, type ResolvedType } from './references.js';

/** The types of a revision's definitions, by name. */
export type TypesByName = ReadonlyMap<string, TypeNode>;

/** The types of all definitions of a protocol. */
export function typesByName({ definitions }: Definitions): TypesByName {
  return new Map(definitions.map(({ name, type }) => [name, type]));
}

/** A type, with references to definitions followed. A name without a definition accepts nothing. */
export function resolveType(types: TypesByName, type: TypeNode): ResolvedType {
  return followReferences(type, (name) => types.get(name)) ?? { kind: 'never' };
}

/**
 * An object type, or an intersection of object types merged into one; undefined for other types.
 *
 * @param types - The definitions that the type may refer to.
 */
export function asObjectType(types: TypesByName, type: TypeNode): ObjectNode | undefined {
  const node = resolveType(types, type);
  if (node.kind === 'object') return node;
  if (node.kind !== 'intersection') return undefined;
  // Any value and an object are the object.
  const limiting = node.parts.filter((part) => resolveType(types, part).kind !== 'unknown');
  const [first, ...others] = limiting.map((part) => asObjectType(types, part));
  return others.reduce(
    (whole, part) => (whole === undefined || part === undefined ? undefined : mergeObjects(whole, part)),
    first,
  );
}

function mergeObjects(a: ObjectNode, b: ObjectNode): ObjectNode {
  const members = mergeMembers([a, b]);
  const rests = [a.rest, b.rest].filter((rest) => rest !== undefined && rest.kind !== 'unknown') as TypeNode[];
  const [rest = a.rest ?? b.rest] = rests;
  return {
    kind: 'object',
    members,
    shape: members.length > 0 ? 'members' : a.shape,
    constraints: { ...a.constraints, ...b.constraints },
    ...(rest === undefined ? {} : { rest: rests.length > 1 ? { kind: 'intersection', parts: rests } : rest }),
  };
}

/**
 * Checks a value against a type: the JSON pointer of the first invalid place, or undefined if the value is valid.
 * Unnamed members are accepted, as in JSON Schema, and a format is an annotation.
 */
export function findRejection(types: TypesByName, type: TypeNode, value: JsonValue): string | undefined {
  switch (type.kind) {
    case 'ref':
      return findRejection(types, types.get(type.name) ?? { kind: 'never' }, value);
    case 'refined':
      return (
        findRejection(types, type.type, value) ??
        (type.rules.every((rule) => followsRule(types, rule, value)) ? undefined : '')
      );
    case 'unknown':
      return undefined;
    case 'never':
      return '';
    case 'string':
      return typeof value === 'string' && acceptsString(value, type.constraints) ? undefined : '';
    case 'number':
    case 'integer':
      return typeof value === 'number' && acceptsNumber(value, type) ? undefined : '';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : '';
    case 'null':
      return value === null ? undefined : '';
    case 'literal':
      return value === type.value ? undefined : '';
    case 'array':
      if (!Array.isArray(value) || !acceptsArray(value as JsonValue[], type.constraints)) return '';
      return firstRejection(
        (value as JsonValue[]).map(
          (item, index) => () => rejectionInside(types, type.prefix?.[index] ?? type.items, item, index),
        ),
      );
    case 'object':
      return isObject(value) ? findMemberRejection(types, type, value) : '';
    case 'union':
      return findDeepestRejection(types, type.variants, value);
    case 'intersection':
      return firstRejection(type.parts.map((part) => () => findRejection(types, part, value)));
  }
}

/** The place that is invalid for the variant that matched furthest. */
function findDeepestRejection(types: TypesByName, variants: readonly TypeNode[], value: JsonValue): string | undefined {
  let deepest = '';
  for (const variant of variants) {
    const pointer = findRejection(types, variant, value);
    if (pointer === undefined) return undefined;
    if (pointer.split('/').length > deepest.split('/').length) deepest = pointer;
  }
  return deepest;
}

function findMemberRejection(types: TypesByName, type: ObjectNode, value: JsonObject): string | undefined {
  const names = Object.keys(value);
  const { minProperties, maxProperties } = type.constraints;
  if (names.length < Number(minProperties ?? 0) || names.length > Number(maxProperties ?? Infinity)) return '';
  const known = new Map(type.members.map((item) => [item.name, item]));
  const missing = type.members.find((item) => item.required && !Object.hasOwn(value, item.name));
  if (missing !== undefined) return formatPointer(missing.name);
  return firstRejection(
    names.flatMap((name) => {
      const matching = (type.patterns ?? []).filter(({ pattern }) => toRegularExpression(pattern).test(name));
      const own = known.get(name)?.type ?? (matching.length > 0 ? undefined : type.rest);
      return [own, ...matching.map((member) => member.type)].map(
        (memberType) => () =>
          memberType === undefined
            ? undefined
            : rejectionInside(types, memberType, ownMember(value, name) as JsonValue, name),
      );
    }),
  );
}

/** Whether a value follows a rule. What is not evaluated is accepted. */
function followsRule(types: TypesByName, rule: Rule, value: JsonValue): boolean {
  const accepts = (type: TypeNode, item: JsonValue): boolean => findRejection(types, type, item) === undefined;
  switch (rule.rule) {
    case 'also':
      return accepts(rule.type, value);
    case 'not':
      return !accepts(rule.type, value);
    case 'if':
      return accepts(accepts(rule.if, value) ? rule.then : rule.else, value);
    case 'contains': {
      if (!Array.isArray(value)) return true;
      const found = (value as readonly JsonValue[]).filter((item) => accepts(rule.type, item)).length;
      return found >= rule.min && found <= (rule.max ?? Infinity);
    }
    case 'names':
      return !isObject(value) || Object.keys(value).every((name) => accepts(rule.type, name));
    case 'dependent':
      return !isObject(value) || !Object.hasOwn(value, rule.member) || accepts(rule.type, value);
    case 'unevaluatedMembers':
    case 'unevaluatedItems':
      return true;
  }
}

function rejectionInside(
  types: TypesByName,
  type: TypeNode,
  value: JsonValue,
  token: string | number,
): string | undefined {
  const pointer = findRejection(types, type, value);
  return pointer === undefined ? undefined : formatPointer(token) + pointer;
}

function firstRejection(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const pointer = check();
    if (pointer !== undefined) return pointer;
  }
  return undefined;
}

function acceptsString(value: string, constraints: Constraints): boolean {
  const { minLength, maxLength, pattern } = constraints;
  const length = Array.from(value).length;
  if (length < Number(minLength ?? 0) || length > Number(maxLength ?? Infinity)) return false;
  return typeof pattern !== 'string' || toRegularExpression(pattern).test(value);
}

function acceptsNumber(value: number, { kind, constraints }: { kind: string; constraints: Constraints }): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = constraints;
  return (
    (kind === 'number' || Number.isInteger(value)) &&
    value >= Number(minimum ?? -Infinity) &&
    value <= Number(maximum ?? Infinity) &&
    (exclusiveMinimum === undefined || value > Number(exclusiveMinimum)) &&
    (exclusiveMaximum === undefined || value < Number(exclusiveMaximum)) &&
    (multipleOf === undefined || isMultipleOf(value, Number(multipleOf)))
  );
}

function acceptsArray(value: readonly JsonValue[], constraints: Constraints): boolean {
  const { minItems, maxItems, uniqueItems } = constraints;
  if (value.length < Number(minItems ?? 0) || value.length > Number(maxItems ?? Infinity)) return false;
  return uniqueItems !== true || new Set(value.map(stableStringify)).size === value.length;
}

/** Whether a number is a multiple of another, as decimals: 0.3 is a multiple of 0.1. */
function isMultipleOf(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  const [a, b] = [decimalParts(value), decimalParts(step)];
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent: own }: typeof a): bigint => digits * 10n ** BigInt(own - exponent);
  return scaled(a) % scaled(b) === 0n;
}

/** A number as an integer times a power of 10. */
function decimalParts(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
