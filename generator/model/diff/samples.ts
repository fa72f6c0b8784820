import { objectFromEntries, stableStringify, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { asObjectType, findRejection, resolveType, type TypesByName } from '../types/accepts.js';
import type { Constraints, ObjectNode, TypeNode } from '../protocol.js';

/** Most values that are tried for one type. */
const MAX_SAMPLES = 24;
/** Depth below which a type yields one value only, which ends recursion. */
const MAX_DEPTH = 5;
/** Depth at which a recursive type is given up: it may have no finite value. */
const MAX_RECURSION = 32;

/**
 * Small values of a type, the simplest first: each kind of value, each optional member by itself, each variant.
 * Deterministic.
 */
export function samplesOf(types: TypesByName, type: TypeNode, depth = 0): readonly JsonValue[] {
  if (depth > MAX_RECURSION) return [];
  const found = new Map<string, JsonValue>();
  for (const value of generateValues(types, type, depth)) {
    if (found.size >= (depth > MAX_DEPTH ? 1 : MAX_SAMPLES)) break;
    if (findRejection(types, type, value) === undefined) found.set(stableStringify(value), value);
  }
  return [...found.values()];
}

/** Values just outside the limits of a type. */
export function samplesBeyondLimits(types: TypesByName, type: TypeNode): readonly JsonValue[] {
  const node = resolveType(types, type);
  if (!('constraints' in node)) return [];
  const limits = Object.values(node.constraints).filter((value) => typeof value === 'number');
  const around = limits.flatMap((limit) => [limit - 1, limit, limit + 1, limit + 0.5]);
  const counts = limits.flatMap((limit) => [limit - 1, limit + 1]).filter((count) => count >= 0 && count < 10_000);
  switch (node.kind) {
    case 'string':
      return ['', 'no such text', ...counts.map((count) => 'a'.repeat(count))];
    case 'number':
    case 'integer':
      return [...around, 0.5, -0.5];
    case 'array': {
      const [item = null] = samplesOf(types, node.items, 1);
      return [[item, item], ...counts.map((count) => Array.from({ length: count }, () => item))];
    }
    default:
      return [];
  }
}

function* generateValues(types: TypesByName, type: TypeNode, depth: number): Iterable<JsonValue> {
  const node = resolveType(types, type);
  switch (node.kind) {
    case 'never':
      return;
    case 'unknown':
      yield* ['text', 1, 1.5, true, null, [], {}, ['text'], { other: 'text' }];
      return;
    case 'null':
      yield null;
      return;
    case 'boolean':
      yield* [true, false];
      return;
    case 'literal':
      yield node.value;
      return;
    case 'string':
      yield* ['text', 'text'.padEnd(Number(node.constraints['minLength'] ?? 0), '.'), 'a', '1', 'https://example.com/'];
      return;
    case 'number':
    case 'integer':
      yield* generateNumbers(node.constraints);
      return;
    case 'array': {
      const least = Number(node.constraints['minItems'] ?? 0);
      if (least === 0 && depth > MAX_DEPTH) {
        yield [];
        return;
      }
      const items = samplesOf(types, node.items, depth + 1);
      const first = (node.prefix ?? []).flatMap((item) => samplesOf(types, item, depth + 1).slice(0, 1));
      if (first.length > 0) yield first;
      for (const item of items)
        yield Array.from({ length: Math.max(least, first.length + 1) }, (_, index) => first[index] ?? item);
      if (least === 0) yield [];
      return;
    }
    case 'union':
      if (depth > MAX_DEPTH) for (const variant of node.variants) yield* samplesOf(types, variant, depth + 1);
      else yield* interleaved(node.variants.map((variant) => samplesOf(types, variant, depth + 1)));
      return;
    case 'intersection':
    case 'object': {
      const object = asObjectType(types, node);
      if (object !== undefined) yield* generateObjects(types, object, depth);
      else if (node.kind === 'intersection') for (const part of node.parts) yield* samplesOf(types, part, depth + 1);
    }
  }
}

function* generateNumbers(constraints: Constraints): Iterable<number> {
  yield* [1, 0.5, 0, -1, 1000];
  for (const limit of Object.values(constraints)) {
    if (typeof limit === 'number') yield* [limit, limit + 1, limit - 1, limit + 0.5];
  }
}

function* generateObjects(types: TypesByName, type: ObjectNode, depth: number): Iterable<JsonObject> {
  const required = type.members.filter((member) => member.required);
  const base: [string, JsonValue][] = [];
  for (const { name, type: own } of required) {
    const [value] = samplesOf(types, own, depth + 1);
    if (value === undefined) return;
    base.push([name, value]);
  }
  const plain = objectFromEntries(base);
  yield plain;
  if (depth > MAX_DEPTH) return;
  const others = type.members.map(({ name, type: own }) =>
    samplesOf(types, own, depth + 1).map((value) => withMember(plain, name, value)),
  );
  const rest = type.rest === undefined ? [] : samplesOf(types, type.rest, depth + 1);
  yield* interleaved([...others, rest.map((value) => withMember(plain, 'other', value))]);
}

/** A copy of an object with one member set. */
export function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  return objectFromEntries([...Object.entries(object).filter(([key]) => key !== name), [name, value]]);
}

/** A copy of an object without one member. */
export function withoutMember(object: JsonObject, name: string): JsonObject {
  return objectFromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** The first item of each list, then the second of each, and so on. */
function* interleaved<T>(lists: readonly (readonly T[])[]): Iterable<T> {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  for (let index = 0; index < longest; index += 1) {
    for (const list of lists) if (index < list.length) yield list[index] as T;
  }
}
