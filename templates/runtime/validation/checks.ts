/**
 * The checks that generated validators call.
 */
import type { UnknownObject } from "../jsonrpc/envelope.js";
import type { Check } from "./types.js";
import { isObject } from "../jsonrpc/envelope.js";
import { mismatch, unwrapProxy, noneOf, object } from "./explain.js";
import { getOwnMember } from "./pointer.js";

/** A string. */
export function string(value: unknown): boolean {
  return typeof value === "string" || mismatch("a string", value);
}

/** A finite number. */
export function number(value: unknown): boolean {
  return Number.isFinite(value) || mismatch("a number", value);
}

/** A number without a fraction. */
export function integer(value: unknown): boolean {
  return Number.isInteger(value) || mismatch("an integer", value);
}

/** A boolean. */
export function boolean(value: unknown): boolean {
  return typeof value === "boolean" || mismatch("a boolean", value);
}

/** An array. */
export function array(value: unknown): boolean {
  return Array.isArray(value) || mismatch("an array", value);
}

/** Any value except undefined. */
export function present(value: unknown): boolean {
  return value !== undefined || mismatch("a value", value);
}

/** Undefined: for members that a schema forbids. */
export function absent(value: unknown): boolean {
  return value === undefined || mismatch("no such member", value);
}

/** One constant. */
export function literal(
  value: unknown,
  wanted: string | number | boolean | null,
): boolean {
  return value === wanted || noneOf(value, wanted);
}

// The same checks that also accept undefined. Each is written out: a shared function that calls a check could not be
// inlined.

/** An object, or undefined. */
export function maybeObject(value: unknown): boolean {
  return value === undefined || isObject(value) || mismatch("an object", value);
}

/** A string, or undefined. */
export function maybeString(value: unknown): boolean {
  return (
    value === undefined ||
    typeof value === "string" ||
    mismatch("a string", value)
  );
}

/** A finite number, or undefined. */
export function maybeNumber(value: unknown): boolean {
  return (
    value === undefined || Number.isFinite(value) || mismatch("a number", value)
  );
}

/** A number without a fraction, or undefined. */
export function maybeInteger(value: unknown): boolean {
  return (
    value === undefined ||
    Number.isInteger(value) ||
    mismatch("an integer", value)
  );
}

/** A boolean, or undefined. */
export function maybeBoolean(value: unknown): boolean {
  return (
    value === undefined ||
    typeof value === "boolean" ||
    mismatch("a boolean", value)
  );
}

/** An array, or undefined. */
export function maybeArray(value: unknown): boolean {
  return (
    value === undefined || Array.isArray(value) || mismatch("an array", value)
  );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** A string within limits; lengths are counted in code points, as JSON Schema does. */
export function stringWithin(
  value: unknown,
  limits: {
    readonly min?: number;
    readonly max?: number;
    readonly pattern?: RegExp;
  },
): boolean {
  if (typeof value !== "string") return mismatch("a string", value);
  const { min = 0, max = Number.POSITIVE_INFINITY, pattern } = limits;
  const length =
    min > 0 || max < value.length ? countCodePoints(value) : value.length;
  if (length < min)
    return mismatch(`at least ${count(min, "character")}`, value);
  if (length > max)
    return mismatch(`at most ${count(max, "character")}`, value);
  return (
    pattern?.test(value) !== false ||
    mismatch(`a string that matches ${pattern.source}`, value)
  );
}

/** A number within limits; checked after its type. */
export function numberWithin(
  value: unknown,
  limits: {
    readonly min?: number;
    readonly max?: number;
    readonly above?: number;
    readonly below?: number;
  },
): boolean {
  const {
    min = -Infinity,
    max = Infinity,
    above = -Infinity,
    below = Infinity,
  } = limits;
  const actual = value as number;
  if (actual < min) return mismatch(`at least ${min}`, value);
  if (actual > max) return mismatch(`at most ${max}`, value);
  if (actual <= above) return mismatch(`more than ${above}`, value);
  return actual < below || mismatch(`less than ${below}`, value);
}

/** A list of values that all pass a check. */
export function arrayOf(value: unknown, check: Check): boolean {
  if (!Array.isArray(value)) return mismatch("an array", value);
  const items = unwrapProxy(value) as readonly unknown[];
  for (let index = 0; index < items.length; index += 1) {
    // Of a proxy, only the wrong item is checked again.
    if (!check(items[index]))
      return items === value
        ? false
        : check((value as readonly unknown[])[index]);
  }
  return true;
}

/** A list of values that all pass a check, or undefined. */
export function maybeArrayOf(value: unknown, check: Check): boolean {
  return value === undefined || arrayOf(value, check);
}

/** A list whose number of items is within limits; checked after its type. */
export function itemsWithin(
  value: unknown,
  limits: { readonly min?: number; readonly max?: number },
): boolean {
  const { length } = unwrapProxy(value) as readonly unknown[];
  if (limits.min !== undefined && length < limits.min)
    return mismatch(`at least ${count(limits.min, "item")}`, value);
  return (
    limits.max === undefined ||
    length <= limits.max ||
    mismatch(`at most ${count(limits.max, "item")}`, value)
  );
}

/** A list without two equal items; checked after its type. */
export function uniqueItems(value: unknown): boolean {
  const items = unwrapProxy(value) as readonly unknown[];
  return (
    new Set(items.map(canonicalJson)).size === items.length ||
    mismatch("items that are all different", value)
  );
}

/** An object whose number of members is within limits; checked after its type. */
export function membersWithin(
  value: unknown,
  limits: { readonly min?: number; readonly max?: number },
): boolean {
  const size = Object.keys(unwrapProxy(value) as object).length;
  if (limits.min !== undefined && size < limits.min)
    return mismatch(`at least ${count(limits.min, "member")}`, value);
  return (
    limits.max === undefined ||
    size <= limits.max ||
    mismatch(`at most ${count(limits.max, "member")}`, value)
  );
}

/** An object whose members all pass a check. */
export function recordOf(value: unknown, check: Check): boolean {
  if (!object(value)) return false;
  const members = unwrapProxy(value) as UnknownObject;
  // Iterating this way costs half as much as a list of names; inherited members are checked too, but always pass.
  for (const name in members) {
    if (!check(members[name]) && Object.hasOwn(members, name))
      return members === value ? false : check(value[name]);
  }
  return true;
}

/** An object whose members all pass a check, or undefined. */
export function maybeRecordOf(value: unknown, check: Check): boolean {
  return value === undefined || recordOf(value, check);
}

/** Maximum length of a list of names that is scanned for each member. */
const MAX_SCANNED = 64;

/** All members of an object except the named ones, and those whose names match a pattern, pass a check. */
export function otherMembers(
  value: UnknownObject,
  named: readonly string[],
  check: Check,
  patterns?: readonly RegExp[],
): boolean {
  const members = unwrapProxy(value) as UnknownObject;
  const names = named.length > MAX_SCANNED ? new Set(named) : undefined;
  for (const name of Object.keys(members)) {
    if (names?.has(name) ?? named.includes(name)) continue;
    if (patterns?.some((pattern) => pattern.test(name)) === true) continue;
    if (!check(members[name]))
      return members === value ? false : check(value[name]);
  }
  return true;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The same text for equal JSON values, regardless of the order of their members. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  // Not JSON: a number that is too large is null there.
  if (!isObject(value))
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  return `{${Object.keys(value)
    .sort()
    .map(
      (name) =>
        `${JSON.stringify(name)}:${canonicalJson(getOwnMember(value, name))}`,
    )
    .join(",")}}`;
}
