/** Compares messages of a conversation with patterns, and frames of a stream with what a vector expects. */
import { formatPointer, isObject, ownMember, type JsonObject, type JsonValue } from '../read/json/json.js';
import type { ExpectedFrame, Frame } from './form.js';

/** Where a value does not match its pattern. */
export interface Mismatch {
  /** JSON Pointer into the value. */
  readonly pointer: string;
  readonly expected: JsonValue;
  /** Undefined if the member does not exist. */
  readonly found: JsonValue | undefined;
}

/** Values that matchers have captured, by name. */
export type Captures = Map<string, JsonValue>;

/**
 * Where a value does not match a pattern first; undefined if it matches. Captures are added only if all of it matches.
 *
 * @param pattern - A value in which members of objects that are not named are free, and `$match` is a matcher.
 */
export function findMismatch(
  pattern: JsonValue,
  value: JsonValue | undefined,
  captures: Captures,
): Mismatch | undefined {
  const own: Captures = new Map();
  const mismatch = compare(pattern, value, [], own);
  if (mismatch === undefined) for (const [name, captured] of own) captures.set(name, captured);
  return mismatch;
}

function matches(pattern: JsonValue, value: JsonValue | undefined, captures: Captures): boolean {
  return findMismatch(pattern, value, captures) === undefined;
}

function compare(
  pattern: JsonValue,
  value: JsonValue | undefined,
  place: readonly string[],
  captures: Captures,
): Mismatch | undefined {
  const fails: Mismatch = { pointer: formatPointer(...place), expected: pattern, found: value };
  if (isMatcher(pattern)) return applyMatcher(pattern['$match'] as JsonValue, value, captures) ? undefined : fails;
  if (isObject(pattern)) {
    if (!isObject(value)) return fails;
    for (const [key, member] of Object.entries(pattern)) {
      const mismatch = compare(member, ownMember(value, key), [...place, key], captures);
      if (mismatch !== undefined) return mismatch;
    }
    return undefined;
  }
  if (Array.isArray(pattern)) {
    const items = pattern as readonly JsonValue[];
    if (!Array.isArray(value) || value.length !== items.length) return fails;
    for (const [index, item] of items.entries()) {
      const mismatch = compare(item, (value as readonly JsonValue[])[index], [...place, String(index)], captures);
      if (mismatch !== undefined) return mismatch;
    }
    return undefined;
  }
  return pattern === value ? undefined : fails;
}

function isMatcher(pattern: JsonValue): pattern is JsonObject {
  return isObject(pattern) && Object.hasOwn(pattern, '$match') && Object.keys(pattern).length === 1;
}

/** Whether a value is of a type by its name in {@link Matcher}. */
const TYPES: Readonly<Record<string, (value: JsonValue | undefined) => boolean>> = {
  any: (value) => value !== undefined,
  absent: (value) => value === undefined,
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  array: (value) => Array.isArray(value),
  null: (value) => value === null,
};

function applyMatcher(matcher: JsonValue, value: JsonValue | undefined, captures: Captures): boolean {
  if (typeof matcher === 'string') return Object.hasOwn(TYPES, matcher) && TYPES[matcher]?.(value) === true;
  if (!isObject(matcher)) return false;
  const [anyOf, contains, unordered, name] = ['anyOf', 'contains', 'unordered', 'capture'].map((key) =>
    ownMember(matcher, key),
  );
  if (Array.isArray(anyOf)) return (anyOf as readonly JsonValue[]).some((item) => matches(item, value, captures));
  if (Object.hasOwn(matcher, 'not')) return !matches(matcher['not'] as JsonValue, value, new Map());
  if (contains !== undefined)
    return Array.isArray(value) && (value as readonly JsonValue[]).some((item) => matches(contains, item, captures));
  if (Array.isArray(unordered))
    return (
      Array.isArray(value) && matchUnordered(unordered as readonly JsonValue[], value as readonly JsonValue[], captures)
    );
  if (typeof name !== 'string' || value === undefined) return false;
  if (!matches(ownMember(matcher, 'as') ?? null, value, captures)) return false;
  captures.set(name, value);
  return true;
}

function matchUnordered(patterns: readonly JsonValue[], values: readonly JsonValue[], captures: Captures): boolean {
  if (patterns.length !== values.length) return false;
  const rest = [...values];
  return patterns.every((pattern) => {
    const index = rest.findIndex((value) => matches(pattern, value, captures));
    if (index === -1) return false;
    rest.splice(index, 1);
    return true;
  });
}

/** The value to send: each `{"$use": NAME}` is what was captured. */
export function fillIn(value: JsonValue, captures: ReadonlyMap<string, JsonValue>): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => fillIn(item, captures));
  if (!isObject(value)) return value;
  const name = ownMember(value, '$use');
  if (typeof name === 'string' && Object.keys(value).length === 1) return captures.get(name) ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fillIn(member, captures)]));
}

/** Whether two JSON values are equal; the order of members does not matter. */
export function isSameValue(first: JsonValue | undefined, second: JsonValue | undefined): boolean {
  // -0 and 0 are the same number, and nothing in JSON is NaN.
  if (first === second) return true;
  if (Array.isArray(first) && Array.isArray(second)) {
    const items = second as readonly JsonValue[];
    return (
      first.length === items.length &&
      (first as readonly JsonValue[]).every((item, index) => isSameValue(item, items[index]))
    );
  }
  if (!isObject(first) || !isObject(second)) return false;
  const keys = Object.keys(first);
  return (
    keys.length === Object.keys(second).length &&
    keys.every((key) => Object.hasOwn(second, key) && isSameValue(first[key], second[key]))
  );
}

/** Whether frames are what is expected; the kind of an error does not count. */
export function matchesFrames(expected: readonly ExpectedFrame[], found: readonly Frame[]): boolean {
  // How many frames may be matched so far; `unspecified` allows any number more.
  let reached = new Set([0]);
  for (const item of expected) {
    const next = new Set<number>();
    for (const count of reached) {
      if ('unspecified' in item) {
        for (let more = count; more <= found.length; more += 1) next.add(more);
      } else {
        const frame = found[count];
        if (frame !== undefined && isSameFrame(item, frame)) next.add(count + 1);
      }
    }
    reached = next;
  }
  return reached.has(found.length);
}

function isSameFrame(expected: Frame, found: Frame): boolean {
  if ('error' in expected) return 'error' in found;
  return 'message' in found && isSameValue(expected.message, found.message);
}

/** Whether frames with the same messages name their errors differently. */
export function namesErrorsDifferently(expected: readonly ExpectedFrame[], found: readonly Frame[]): boolean {
  if (expected.some((item) => 'unspecified' in item)) return false;
  return expected.some((item, index) => {
    const frame = found[index];
    return 'error' in item && frame !== undefined && 'error' in frame && item.error !== frame.error;
  });
}
