/**
 * The state of a validation: where the last mismatch was, how deep it is, and which verdicts are kept. All functions that
 * assign it are here, since a module cannot assign to what it imports.
 */
import { isObject } from "../jsonrpc/envelope.js";
import type { UnknownObject } from "../jsonrpc/envelope.js";
import type { Check, Failure, ValidateOptions, Validation } from "./types.js";
import { escapePointerToken } from "./pointer.js";

/** Runs a check on a whole value. */
export function validateWith<T>(
  check: Check,
  value: unknown,
  options?: ValidateOptions,
): Validation<T> {
  const outer = {
    formats: assertedFormats,
    depth: nestingDepth,
    calls: callCount,
    verdicts,
  };
  assertedFormats = options?.formats;
  nestingDepth = callCount = 0;
  verdicts = undefined;
  try {
    if (check(value)) return { success: true, value: value as T };
    const failure = explainMismatch(check, value);
    return (
      options?.lenient?.<T>(check, value, failure) ?? {
        success: false,
        failure,
      }
    );
  } finally {
    ({
      formats: assertedFormats,
      depth: nestingDepth,
      calls: callCount,
      verdicts,
    } = outer);
  }
}

// Checks. Each reads its value, says whether it is right, and leaves a note of what it missed.

/** What the last check that said no had expected, and what it was given. */
let lastMismatch: {
  expected: string;
  value: unknown;
  definition: string | undefined;
  path: string;
} = {
  expected: "",
  value: undefined,
  definition: undefined,
  path: "",
};

/** Formats that the running validation asserts. */
export let assertedFormats: ValidateOptions["formats"];

/** How deep recursive definitions are nested at the moment. */
export let nestingDepth = 0;

/** Deepest nesting of recursive definitions that is followed. */
const MAX_NESTING = 1000;

/** A verdict, with what the check missed if anybody asks. */
type Verdict = {
  readonly passed: boolean;
  readonly missed: typeof lastMismatch;
};

/** Checks of recursive definitions since the outermost one began. */
let callCount = 0;

/** Verdicts by depth, definition and value, or its place where a failure is explained; kept only in a long validation. */
let verdicts: Map<Check, Map<unknown, Verdict>>[] | undefined;

/**
 * Checks after which verdicts are kept. Where the branches of a union are recursive and nothing tells them apart, each may
 * check the same members again, which without verdicts takes a time exponential in the depth.
 */
const MAX_CALLS_UNMEMOIZED = 2000;

/** Checks that a verdict must have cost to be kept. */
const MIN_COST = 16;

/** Notes what was expected of a value, and says no. */
export function mismatch(expected: string, value: unknown): false {
  // Without a stand-in nobody will ask, so nothing is allocated.
  if (proxyPaths !== undefined)
    lastMismatch = {
      expected,
      value,
      definition: undefined,
      path: pathOf(value),
    };
  return false;
}

/** Notes the definition that a failure lies in, unless an inner one is noted, and says no. */
export function inDefinition(definition: string): false {
  lastMismatch.definition ??= definition;
  return false;
}

/** A string of a format, which counts only where the validation asserts formats. */
export function stringWithFormat(value: unknown, format: string): boolean {
  if (typeof value !== "string") return mismatch("a string", value);
  if (assertedFormats === undefined || !Object.hasOwn(assertedFormats, format))
    return true;
  return (
    assertedFormats[format]?.(value) !== false ||
    mismatch(`a string of format ${format}`, value)
  );
}

/** An own member, for names that every object inherits. */
export function ownMember(value: UnknownObject, name: string): unknown {
  const found = Object.hasOwn(unwrapProxy(value) as UnknownObject, name)
    ? value[name]
    : undefined;
  if (found === undefined && proxyPaths !== undefined)
    lastReadPath = `${pathOf(value)}/${escapePointerToken(name)}`;
  return found;
}

/** Exactly one of several checks passes; the outcomes are those of all of them. */
export function oneOf(
  value: unknown,
  ...outcomes: readonly boolean[]
): boolean {
  const passed = outcomes.filter((outcome) => outcome).length;
  return (
    passed === 1 ||
    (passed > 0 &&
      mismatch(
        `just one of ${outcomes.length} forms, not ${passed} at once`,
        value,
      ))
  );
}

/** A check of a definition that can contain itself, unless it is nested too deeply. */
export function nested(value: unknown, check: Check): boolean {
  if (nestingDepth >= MAX_NESTING)
    return mismatch(`at most ${MAX_NESTING} levels of nesting`, value);
  callCount += 1;
  nestingDepth += 1;
  try {
    return callCount > MAX_CALLS_UNMEMOIZED
      ? memoize(value, check)
      : check(value);
  } finally {
    nestingDepth -= 1;
    if (nestingDepth === 0) {
      callCount = 0;
      verdicts = undefined;
    }
  }
}

/** A check whose verdict is kept, if it took long; one that is kept already is not made again. */
function memoize(value: unknown, check: Check): boolean {
  if (typeof value !== "object" || value === null) return check(value);
  // Stand-ins are made anew at each read, so their place says which value they stand for.
  const key = proxyPaths?.get(value) ?? value;
  const known = verdicts?.[nestingDepth]?.get(check)?.get(key);
  if (known !== undefined) {
    if (!known.passed) lastMismatch = { ...known.missed };
    return known.passed;
  }
  const before = callCount;
  const passed = check(value);
  if (callCount - before >= MIN_COST) {
    const byCheck = ((verdicts ??= [])[nestingDepth] ??= new Map<
      Check,
      Map<unknown, Verdict>
    >());
    const byValue = byCheck.get(check) ?? new Map<unknown, Verdict>();
    byCheck.set(check, byValue);
    byValue.set(key, { passed, missed: { ...lastMismatch } });
  }
  return passed;
}

/** Branches of a union that cannot be told apart by a member: one of them passes. */
export function anyOf(value: unknown, ...checks: readonly Check[]): boolean {
  let best: typeof lastMismatch | undefined;
  for (const check of checks) {
    if (check(value)) return true;
    // The failure that is told is that of the branch which got furthest.
    if (
      proxyPaths !== undefined &&
      (best === undefined || mismatchDepth(lastMismatch) > mismatchDepth(best))
    )
      best = lastMismatch;
  }
  if (best !== undefined) lastMismatch = best;
  return false;
}

/** How far into a value a branch got: a wrong value in a member says more than a missing one. */
function mismatchDepth({
  path,
  value,
}: {
  readonly path: string;
  readonly value: unknown;
}): number {
  return path.split("/").length * 2 + (value === undefined ? 0 : 1);
}

/**
 * A result by its kind. One that asks for input is never taken for a complete one, and one without a kind, as servers of
 * older revisions send it, is complete.
 */
export function resultOf(
  value: unknown,
  complete: Check,
  inputRequired?: Check,
): boolean {
  if (!object(value)) return false;
  const resultType = value["resultType"];
  if (resultType === undefined)
    return complete(withMember(value, "resultType", "complete"));
  if (resultType === "input_required" && inputRequired !== undefined)
    return inputRequired(value);
  if (resultType === "complete") return complete(value);
  return inputRequired === undefined
    ? noneOf(resultType, "complete")
    : noneOf(resultType, "complete", "input_required");
}

function withMember(
  value: UnknownObject,
  name: string,
  member: unknown,
): unknown {
  const copy = { ...(unwrapProxy(value) as UnknownObject), [name]: member };
  return proxyPaths === undefined ? copy : recordingProxy(copy, pathOf(value));
}

// Finding out why not.

/** Stand-ins by the place that they have in the value; there are some only while a failure is explained. */
export let proxyPaths: Map<unknown, string> | undefined;

/** Values by their stand-ins. */
let proxyTargets: WeakMap<object, object> | undefined;

/** Where the member lies that was read last. */
let lastReadPath = "";

/** Why a check says no to a value: the check is run again over a stand-in that notes which member is read. */
export function explainMismatch(check: Check, value: unknown): Failure {
  const outer = {
    places: proxyPaths,
    originals: proxyTargets,
    cursor: lastReadPath,
    missed: lastMismatch,
    depth: nestingDepth,
    calls: callCount,
    verdicts,
  };
  proxyPaths = new Map();
  proxyTargets = new WeakMap();
  lastReadPath = "";
  nestingDepth = callCount = 0;
  verdicts = undefined;
  lastMismatch = {
    expected: "a value that reads the same each time",
    value,
    definition: undefined,
    path: "",
  };
  try {
    check(recordingProxy(value, ""));
    const { expected, path, definition } = lastMismatch;
    const actual = unwrapProxy(lastMismatch.value);
    return {
      path,
      reason: actual === undefined && path !== "" ? "missing" : "value",
      expected,
      found: describeFound(actual),
      ...(definition === undefined ? {} : { definition }),
    };
  } finally {
    ({
      places: proxyPaths,
      originals: proxyTargets,
      cursor: lastReadPath,
      missed: lastMismatch,
      depth: nestingDepth,
      calls: callCount,
      verdicts,
    } = outer);
  }
}

/** Something that reads like a value and notes what is read; primitive values stand for themselves. */
function recordingProxy(value: unknown, path: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  // An empty target, since a proxy of a frozen object would have to give its members unchanged.
  const proxy: object = new Proxy(Array.isArray(value) ? [] : {}, {
    get(_target, name) {
      const member = (value as Readonly<Record<string | symbol, unknown>>)[
        name
      ];
      if (typeof name === "symbol") return member;
      lastReadPath = `${path}/${escapePointerToken(name)}`;
      return recordingProxy(member, lastReadPath);
    },
    has: (_target, name) => name in value,
  });
  proxyPaths?.set(proxy, path);
  proxyTargets?.set(proxy, value);
  return proxy;
}

/** The value that a stand-in stands for; other values stand for themselves. */
export function unwrapProxy(value: unknown): unknown {
  if (proxyTargets === undefined) return value;
  return typeof value !== "object" || value === null
    ? value
    : (proxyTargets.get(value) ?? value);
}

/** Where a value lies: a stand-in knows it, a primitive value was read last. */
function pathOf(value: unknown): string {
  return proxyPaths?.get(value) ?? lastReadPath;
}

// Texts and pointers: only ever needed on failure.

/** Longest string that is quoted in a failure. */
const MAX_QUOTED_CHARS = 60;

function describeFound(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "string") {
    return value.length > MAX_QUOTED_CHARS
      ? `${JSON.stringify(value.slice(0, MAX_QUOTED_CHARS))}… (${value.length} characters)`
      : JSON.stringify(value);
  }
  switch (typeof value) {
    case "object":
      return "an object";
    case "number":
    case "boolean":
    case "bigint":
      return String(value).slice(0, MAX_QUOTED_CHARS);
    default:
      return `a ${typeof value}`;
  }
}

export function joinAlternatives(texts: readonly string[]): string {
  return texts.length < 2
    ? (texts[0] ?? "nothing")
    : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1) ?? ""}`;
}

/** An object. */
export function object(value: unknown): value is UnknownObject {
  return isObject(value) || mismatch("an object", value);
}

/** Says no to a value that is none of the constants that were wanted. */
export function noneOf(
  value: unknown,
  ...wanted: readonly (string | number | boolean | null)[]
): false {
  if (proxyPaths === undefined) return false;
  return mismatch(
    joinAlternatives(wanted.map((item) => JSON.stringify(item))),
    value,
  );
}
