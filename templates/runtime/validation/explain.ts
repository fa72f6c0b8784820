/**
 * The state of a validation: the location of the last mismatch, the current depth, and the verdicts that are kept. All
 * functions that assign it are here, since a module cannot assign to what it imports.
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
  // The common case, without any state to set up and restore.
  if (
    options === undefined &&
    assertedFormats === undefined &&
    nestingDepth === 0
  )
    return check(value)
      ? { success: true, value: value as T }
      : { success: false, failure: explainMismatch(check, value) };
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

// Checks. Each returns whether its value is right, and records what it expected if not.

/** What the last failed check expected, and the value that it checked. */
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

/** The formats that the running validation asserts. */
export let assertedFormats: ValidateOptions["formats"];

/** The current nesting of recursive definitions. */
export let nestingDepth = 0;

/** Maximum nesting of recursive definitions. */
const MAX_NESTING = 1000;

/** A verdict, with the recorded mismatch while a failure is explained. */
type Verdict = {
  readonly passed: boolean;
  readonly missed: typeof lastMismatch;
};

/** Checks of recursive definitions since the outermost one began. */
let callCount = 0;

/**
 * Verdicts by depth, definition and value, or the value's location while a failure is explained; kept only in a long
 * validation.
 */
let verdicts: Map<Check, Map<unknown, Verdict>>[] | undefined;

/**
 * Number of checks after which verdicts are kept. Where the branches of a union are recursive and no member tells them
 * apart, each may check the same members again, which takes exponential time in the depth without verdicts.
 */
const MAX_CALLS_UNMEMOIZED = 2000;

/** Minimum number of checks for a verdict to be kept. */
const MIN_COST = 16;

/** Records what was expected of a value, and returns false. */
export function mismatch(expected: string, value: unknown): false {
  // Without proxies no failure is explained, so nothing is allocated.
  if (proxyPaths !== undefined)
    lastMismatch = {
      expected,
      value,
      definition: undefined,
      path: pathOf(value),
    };
  return false;
}

/** Records the definition that contains a failure, unless an inner one is recorded, and returns false. */
export function inDefinition(definition: string): false {
  lastMismatch.definition ??= definition;
  return false;
}

/** A string of a format, which counts only if the validation asserts formats. */
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

/** Exactly one of several checks passes; `outcomes` are the results of all of them. */
export function oneOf(
  value: unknown,
  ...outcomes: readonly boolean[]
): boolean {
  const passed = outcomes.filter((outcome) => outcome).length;
  return (
    passed === 1 ||
    (passed > 0 &&
      mismatch(
        `exactly one of ${outcomes.length} forms, not ${passed} at once`,
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

/** A check whose verdict is kept if it took long; a kept verdict is reused. */
function memoize(value: unknown, check: Check): boolean {
  // While a failure is explained, each read creates a new proxy, so its location identifies the value.
  const key = proxyPaths === undefined ? value : pathOf(value);
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

/** Branches of a union that no member tells apart: one of them passes. */
export function anyOf(value: unknown, ...checks: readonly Check[]): boolean {
  let best: typeof lastMismatch | undefined;
  for (const check of checks) {
    if (check(value)) return true;
    // The reported failure is that of the branch that got furthest.
    if (
      proxyPaths !== undefined &&
      (best === undefined || mismatchDepth(lastMismatch) > mismatchDepth(best))
    )
      best = lastMismatch;
  }
  if (best !== undefined) lastMismatch = best;
  return false;
}

/** How far a branch got in a value: a wrong value in a member says more than a missing member. */
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
 * A result by its kind. One that requires input never counts as complete, and one without a kind, as servers of older
 * revisions send it, is complete.
 *
 * @param others - Checks of the kinds that extensions add, by `resultType`.
 */
export function resultOf(
  value: unknown,
  complete: Check,
  inputRequired?: Check,
  others: Readonly<Record<string, Check>> = {},
): boolean {
  if (!object(value)) return false;
  const resultType = value["resultType"];
  if (resultType === undefined)
    return complete(withMember(value, "resultType", "complete"));
  if (resultType === "input_required" && inputRequired !== undefined)
    return inputRequired(value);
  if (resultType === "complete") return complete(value);
  if (typeof resultType === "string" && Object.hasOwn(others, resultType))
    return others[resultType]?.(value) ?? false;
  const asking = inputRequired === undefined ? [] : ["input_required"];
  return noneOf(resultType, "complete", ...asking, ...Object.keys(others));
}

function withMember(
  value: UnknownObject,
  name: string,
  member: unknown,
): unknown {
  const copy = { ...(unwrapProxy(value) as UnknownObject), [name]: member };
  return proxyPaths === undefined ? copy : recordingProxy(copy, pathOf(value));
}

// Explains a failure.

/** Proxies by their location in the value; they exist only while a failure is explained. */
export let proxyPaths: Map<unknown, string> | undefined;

/** Values by their proxies. */
let proxyTargets: WeakMap<object, object> | undefined;

/** The location of the member that was read last. */
let lastReadPath = "";

/** Why a check rejects a value: the check runs again over a proxy that records which member is read. */
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
    expected: "a value that does not change between reads",
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

/** A proxy that behaves like a value and records what is read; primitive values have none. */
function recordingProxy(value: unknown, path: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  // An empty target, since a proxy of a frozen object would have to return its members unchanged.
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

/** The value behind a proxy; other values are returned unchanged. */
export function unwrapProxy(value: unknown): unknown {
  if (proxyTargets === undefined) return value;
  return typeof value !== "object" || value === null
    ? value
    : (proxyTargets.get(value) ?? value);
}

/** The location of a value: a proxy knows it, and a primitive value was read last. */
function pathOf(value: unknown): string {
  return proxyPaths?.get(value) ?? lastReadPath;
}

// Texts and pointers, which only a failure needs.

/** Maximum length of a string quoted in a failure. */
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

/** Rejects a value that is not one of the expected constants. */
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
