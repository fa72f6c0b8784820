/** The valid values of a definition that test it as a whole. */
import type { ObjectNode, TypeNode } from '../model/protocol.js';
import { asObjectType } from '../model/types/accepts.js';
import { isObject, objectFromEntries, ownMember, type JsonObject, type JsonValue } from '../read/json/json.js';
import type { Collector } from './collector.js';
import { UNKNOWN_MEMBER, withMember, type ValueBuilder } from './values.js';

/** The valid values that test a definition as a whole. */
export function addValid(collector: Collector, name: string, type: TypeNode): void {
  const { values } = collector;
  const smallest = values.build(type, name, 'smallest');
  const fullest = values.build(type, name, 'fullest');
  const isObjectType = isObject(smallest);
  collector.valid(['smallest'], smallest, isObjectType ? 'Only the required members.' : 'A value of the type.');
  collector.valid(
    ['fullest'],
    fullest,
    isObjectType ? 'All members that the definition has.' : 'Another value of the type.',
  );
  // Its members are those of the definitions that it combines.
  if (type.kind === 'intersection' && type.parts.every(({ kind }) => kind === 'ref')) return;
  const empty = values.build(type, name, 'empty');
  collector.valid(
    ['empty'],
    empty,
    'Each string is empty, each number 0, each boolean false, each list without items.',
  );
  const sparse = values.build(type, name, 'sparse');
  if (isObjectType)
    collector.valid(['sparse'], sparse, 'All members; the optional members of the objects in them are absent.');
  const most = fullest ?? smallest;
  if (most === undefined) return;
  const open = mapObjects(values, type, most, (object, node) =>
    node.rest === undefined || (node.rest.kind === 'unknown' && node.members.length > 0)
      ? withMember(withMember(object, UNKNOWN_MEMBER, { nested: [1, null] }), 'exampleUnknownNull', null)
      : object,
  );
  collector.valid(['unknown-member'], open, 'Members that the definition does not name are allowed.');
  addUnusualNames(collector, type, most);
  addNotations(collector, type, most);
}

/** Entries of maps with names that an object of JavaScript inherits. */
function addUnusualNames(collector: Collector, type: TypeNode, most: JsonValue): void {
  const value = mapObjects(collector.values, type, most, (object, node) => {
    const [entry] = Object.values(object);
    return node.rest === undefined || node.rest.kind === 'never' || node.members.length > 0 || entry === undefined
      ? object
      : withMember(withMember(object, '__proto__', entry), 'constructor', entry);
  });
  collector.valid(
    ['unusual-names'],
    value,
    'A map may have entries of any name, also those that JavaScript objects inherit.',
    {
      flags: ['unusual-name'],
    },
  );
}

/** How integers can be written. */
const NOTATIONS = [
  [
    'decimal-point',
    1,
    '1.0',
    'An integer may be written with a decimal point (JSON Schema 2020-12, 4.2.3).',
    ['notation'],
  ],
  ['exponent', 100, '1e2', 'An integer may be written with an exponent.', ['notation']],
  ['negative-zero', 0, '-0', '-0 is an integer.', ['notation']],
  [
    'large-integer',
    2 ** 53,
    '9007199254740993',
    'An integer has no upper limit: 2^53 + 1.',
    ['large-integer', 'notation'],
  ],
] as const;

function addNotations(collector: Collector, type: TypeNode, most: JsonValue): void {
  const paths = integerPaths(collector.values, type, most);
  for (const [label, number, text, reason, flags] of NOTATIONS) {
    let value = most;
    const marked = paths.filter((path) => {
      const changed = setAt(value, path, number);
      const isPossible = collector.values.accepts(collector.type, changed);
      if (isPossible) value = changed;
      return isPossible;
    });
    if (marked.length === 0) continue;
    // A marker for each number, which the text has instead.
    const marker = '\u0000number\u0000';
    const withMarkers = marked.reduce((whole, path) => setAt(whole, path, marker), value);
    const written = JSON.stringify(withMarkers).replaceAll(JSON.stringify(marker), text);
    collector.valid([label], value, reason, { flags, text: written });
  }
}

/** Paths to the values of inline integer types, in a value. */
function integerPaths(values: ValueBuilder, type: TypeNode, value: JsonValue): readonly (readonly string[])[] {
  switch (type.kind) {
    case 'integer':
      return typeof value === 'number' ? [[]] : [];
    case 'refined':
      return integerPaths(values, type.type, value);
    case 'union': {
      // A place that may be an integer is one, whichever variant the value is of.
      const integer = type.variants.find((variant) => variant.kind === 'integer');
      if (integer !== undefined) return [[]];
      const variant = type.variants.find((item) => values.accepts(item, value));
      return variant === undefined || variant.kind === 'ref' ? [] : integerPaths(values, variant, value);
    }
    case 'array':
      return Array.isArray(value) && value.length > 0
        ? integerPaths(values, type.prefix?.[0] ?? type.items, value[0] as JsonValue).map((path) => ['0', ...path])
        : [];
    case 'intersection':
      return type.parts.flatMap((part) => integerPaths(values, part, value));
    case 'object':
      return isObject(value)
        ? type.members.flatMap((member) => {
            const own = ownMember(value, member.name);
            return own === undefined
              ? []
              : integerPaths(values, member.type, own).map((path) => [member.name, ...path]);
          })
        : [];
    default:
      return [];
  }
}

function setAt(whole: JsonValue, [first, ...rest]: readonly string[], value: JsonValue): JsonValue {
  if (first === undefined) return value;
  if (Array.isArray(whole))
    return (whole as readonly JsonValue[]).map((item, index) =>
      String(index) === first ? setAt(item, rest, value) : item,
    );
  if (!isObject(whole)) return whole;
  const entries = Object.entries(whole).map(([name, own]): [string, JsonValue] => [
    name,
    name === first ? setAt(own, rest, value) : own,
  ]);
  return objectFromEntries(entries);
}

/** A value in which each object of an inline type is replaced. */
function mapObjects(
  values: ValueBuilder,
  type: TypeNode,
  value: JsonValue,
  change: (object: JsonObject, type: ObjectNode) => JsonObject,
): JsonValue {
  const inside = (own: TypeNode, item: JsonValue): JsonValue => mapObjects(values, own, item, change);
  switch (type.kind) {
    case 'refined':
      return inside(type.type, value);
    case 'union': {
      const variant = type.variants.find((item) => values.accepts(item, value));
      return variant === undefined ? value : inside(variant, value);
    }
    case 'intersection': {
      const object = asObjectType(values.types, type);
      return object === undefined ? value : inside(object, value);
    }
    case 'array':
      return Array.isArray(value)
        ? (value as readonly JsonValue[]).map((item, index) => inside(type.prefix?.[index] ?? type.items, item))
        : value;
    case 'object': {
      if (!isObject(value)) return value;
      const members = new Map(type.members.map((member) => [member.name, member.type]));
      const entries = Object.entries(value).map(([name, own]): [string, JsonValue] => {
        const memberType = members.get(name) ?? type.rest;
        return [name, memberType === undefined ? own : inside(memberType, own)];
      });
      return change(objectFromEntries(entries), type);
    }
    default:
      return value;
  }
}
