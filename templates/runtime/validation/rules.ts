/**
 * The checks of rules that schemas of tools have and those of protocols rarely do.
 */
import { isObject } from "../jsonrpc/envelope.js";
import type { UnknownObject } from "../jsonrpc/envelope.js";
import { mismatch, unwrapProxy } from "./explain.js";
import type { Check } from "./types.js";

/** A list whose first items pass a check each, and all others the last one. */
export function tuple(
  value: unknown,
  first: readonly Check[],
  others?: Check,
): boolean {
  if (!Array.isArray(value)) return mismatch("an array", value);
  const items = unwrapProxy(value) as readonly unknown[];
  for (let index = 0; index < items.length; index += 1) {
    const check = first[index] ?? others;
    // Of a proxy, only the wrong item is checked again.
    if (check?.(items[index]) === false)
      return items === value
        ? false
        : check((value as readonly unknown[])[index]);
  }
  return true;
}

/** A value that does not pass a check. */
export function not(value: unknown, check: Check): boolean {
  return (
    !check(value) ||
    mismatch('a value that does not match the schema of "not"', value)
  );
}

/** Whether a value is an object with a member. */
export function has(value: unknown, name: string): boolean {
  return (
    isObject(value) && Object.hasOwn(unwrapProxy(value) as UnknownObject, name)
  );
}

/** If the value is a list, the number of items that pass a check is within limits. */
export function contains(
  value: unknown,
  check: Check,
  min: number,
  max: number = Number.POSITIVE_INFINITY,
): boolean {
  if (!Array.isArray(value)) return true;
  let found = 0;
  for (const item of unwrapProxy(value) as readonly unknown[])
    if (check(item)) found += 1;
  if (found < min)
    return mismatch(`at least ${min} of the items that must be in it`, value);
  return (
    found <= max ||
    mismatch(`at most ${max} of the items that must be in it`, value)
  );
}

/** If the value is an object, the names of its members pass a check. */
export function memberNames(value: unknown, check: Check): boolean {
  if (!isObject(value)) return true;
  for (const name of Object.keys(unwrapProxy(value) as UnknownObject)) {
    if (check(name)) continue;
    readMember(value, name);
    return check(name);
  }
  return true;
}

/** Reads a member, so that a failure has its location. */
function readMember(value: UnknownObject, name: string): unknown {
  return value[name];
}

/** The members of an object whose names match a pattern pass the pattern's check. */
export function patternMembers(
  value: UnknownObject,
  patterns: readonly (readonly [RegExp, Check])[],
): boolean {
  const members = unwrapProxy(value) as UnknownObject;
  for (const name of Object.keys(members)) {
    for (const [pattern, check] of patterns) {
      if (!pattern.test(name) || check(members[name])) continue;
      return members === value ? false : check(value[name]);
    }
  }
  return true;
}

/** If the value is an object, its members that the rest of the schema does not evaluate pass a check. */
export function unevaluatedMembers(
  value: unknown,
  isEvaluated: (value: UnknownObject, name: string) => boolean,
  check: Check,
): boolean {
  if (!isObject(value)) return true;
  const members = unwrapProxy(value) as UnknownObject;
  for (const name of Object.keys(members)) {
    if (check(members[name]) || isEvaluated(value, name)) continue;
    return members === value ? false : check(value[name]);
  }
  return true;
}

/** If the value is a list, its items that the rest of the schema does not evaluate pass a check. */
export function unevaluatedItems(
  value: unknown,
  isEvaluated: (value: readonly unknown[], index: number) => boolean,
  check: Check,
): boolean {
  if (!Array.isArray(value)) return true;
  const items = unwrapProxy(value) as readonly unknown[];
  for (let index = 0; index < items.length; index += 1) {
    if (check(items[index]) || isEvaluated(value, index)) continue;
    return items === value
      ? false
      : check((value as readonly unknown[])[index]);
  }
  return true;
}

/** A number that is a multiple of another, as decimals: 0.3 is a multiple of 0.1. Checked after its type. */
export function multipleOf(value: unknown, step: number): boolean {
  return (
    isMultipleOf(value as number, step) ||
    mismatch(`a multiple of ${step}`, value)
  );
}

function isMultipleOf(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step))
    return value % step === 0;
  const a = decimalParts(value);
  const b = decimalParts(step);
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent: own }: typeof a): bigint =>
    digits * 10n ** BigInt(own - exponent);
  return scaled(a) % scaled(b) === 0n;
}

/** A number as an integer times a power of 10. */
function decimalParts(value: number): { digits: bigint; exponent: number } {
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return {
    digits: BigInt(whole + fraction),
    exponent: Number(exponent) - fraction.length,
  };
}
