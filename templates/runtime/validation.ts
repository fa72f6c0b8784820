/**
 * What the generated guards and validators stand on: small checks that say yes or no, and a way to find out why not.
 *
 * A guard is plain code that reads members and checks them one after the other; it builds no pointers and no texts. When it
 * says no, it is run once more over a stand-in for the value that notes which member is read: the member that was read
 * last before the no is the wrong one. So a valid value costs nothing beyond its checks, and an invalid one gets its place
 * and reason all the same.
 */

/** Why a value is not valid: one place and one reason. */
export type Failure = {
  /**
   * JSON pointer (RFC 6901) to the wrong value, or to the member that is missing; `""` is the value itself. Names of more
   * than 200 characters are cut in it, so that a sender cannot make it grow.
   */
  readonly path: string;
  /** `missing`: a required member is not there; `value`: what is there is wrong. */
  readonly reason: "missing" | "value";
  /** What would be right, in words. */
  readonly expected: string;
  /** What was found, in words, shortened. */
  readonly found: string;
  /** The innermost definition that the failure lies in. */
  readonly definition?: string;
};

/** A check of a value. It only says yes or no; why not is found out afterwards, by {@link explainMismatch}. */
export type Check = (value: unknown) => boolean;

/** A deviation from the protocol that can be put up with: it repairs a copy of the value, and never the value itself. */
export type Deviation = {
  readonly name: string;
  /** A copy of `root` without the fault, or undefined if this deviation is not what is wrong. */
  readonly repair: (
    root: unknown,
    failure: Failure,
  ) => { readonly value: unknown } | undefined;
};

/** A repair that made a value valid. */
export type Repair = {
  /** Name of the deviation. */
  readonly deviation: string;
  /** JSON pointer to what was repaired. */
  readonly path: string;
};

/** Tries to make a value valid whose failure is known. */
export type Leniency = <T>(
  check: Check,
  value: unknown,
  failure: Failure,
) => Validation<T>;

/** How to validate. */
export type ValidateOptions = {
  /** Formats to assert, by name, such as {@link FORMATS}; without it a format is an annotation. */
  readonly formats?: Readonly<Record<string, (text: string) => boolean>>;
  /** Deviations to put up with, as {@link tolerating} makes it; none by default. */
  readonly lenient?: Leniency;
};

/** The outcome of a validation. */
export type Validation<T> =
  | {
      readonly success: true;
      /** The value itself, unchanged, or a repaired copy where a deviation was put up with. */
      readonly value: T;
      readonly repairs?: readonly Repair[];
    }
  | { readonly success: false; readonly failure: Failure };

/** The part of Standard Schema (version 1) that a validator has, so that libraries can take it as a schema. */
export type StandardSchemaProps<T> = {
  readonly version: 1;
  readonly vendor: "mcpgen";
  readonly validate: (value: unknown) => StandardSchemaResult<T>;
  readonly types?: { readonly input: T; readonly output: T };
};

type StandardSchemaResult<T> =
  { readonly value: T } | { readonly issues: readonly StandardSchemaIssue[] };

type StandardSchemaIssue = {
  readonly message: string;
  readonly path: readonly PropertyKey[];
};

/** Validates a value. Is a Standard Schema too. */
export type Validator<T> = ((
  value: unknown,
  options?: ValidateOptions,
) => Validation<T>) & {
  readonly "~standard": StandardSchemaProps<T>;
};

/** Thrown by an assertion; its message names place, reason, what was expected and what was found. */
export class ValidationError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(describeFailure(failure));
    this.name = "ValidationError";
    this.failure = failure;
  }
}

/** A failure in one line. */
export function describeFailure({
  path,
  reason,
  expected,
  found,
  definition,
}: Failure): string {
  const where = path === "" ? "the value" : path;
  const owner = definition === undefined ? "" : ` (${definition})`;
  return reason === "missing"
    ? `${where} is missing${owner}: expected ${expected}`
    : `${where} is wrong${owner}: expected ${expected}, found ${found}`;
}

/** Makes a validator of a guard. */
export function validator<T>(
  guard: (value: unknown) => value is T,
): Validator<T> {
  const validate = (
    value: unknown,
    options?: ValidateOptions,
  ): Validation<T> => {
    if (
      options !== undefined ||
      assertedFormats !== undefined ||
      nestingDepth !== 0
    )
      return validateWith<T>(guard, value, options);
    // Nothing has to be set up and put back again, which is what most calls are like.
    return guard(value)
      ? { success: true, value }
      : { success: false, failure: explainMismatch(guard, value) };
  };
  const props: StandardSchemaProps<T> = {
    version: 1,
    vendor: "mcpgen",
    validate(value) {
      const outcome = validate(value);
      if (outcome.success) return { value: outcome.value };
      return {
        issues: [
          {
            message: describeFailure(outcome.failure),
            path: pointerTokens(outcome.failure.path),
          },
        ],
      };
    },
  };
  return Object.assign(validate, { "~standard": props });
}

/**
 * Does nothing if a value is of a type.
 *
 * @throws {@link ValidationError} if it is not.
 */
export type Assertion<T> = (value: unknown) => asserts value is T;

/** Makes an assertion of a guard. */
export function assertion<T>(
  guard: (value: unknown) => value is T,
): Assertion<T> {
  return (value): asserts value is T => {
    if (!guard(value)) throw new ValidationError(explainMismatch(guard, value));
  };
}

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
let assertedFormats: ValidateOptions["formats"];
/** How deep recursive definitions are nested at the moment. */
let nestingDepth = 0;
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

/** An object of which nothing is known yet. */
export type UnknownObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object. */
export function object(value: unknown): value is UnknownObject {
  return isObject(value) || mismatch("an object", value);
}

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

/** Anything but nothing. */
export function present(value: unknown): boolean {
  return value !== undefined || mismatch("a value", value);
}

/** Nothing: for members that a schema forbids. */
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

// The same where nothing is right too. Each is written out: one function that is handed its check could not be inlined.

/** An object, or nothing. */
export function maybeObject(value: unknown): boolean {
  return value === undefined || isObject(value) || mismatch("an object", value);
}

/** A string, or nothing. */
export function maybeString(value: unknown): boolean {
  return (
    value === undefined ||
    typeof value === "string" ||
    mismatch("a string", value)
  );
}

/** A finite number, or nothing. */
export function maybeNumber(value: unknown): boolean {
  return (
    value === undefined || Number.isFinite(value) || mismatch("a number", value)
  );
}

/** A number without a fraction, or nothing. */
export function maybeInteger(value: unknown): boolean {
  return (
    value === undefined ||
    Number.isInteger(value) ||
    mismatch("an integer", value)
  );
}

/** A boolean, or nothing. */
export function maybeBoolean(value: unknown): boolean {
  return (
    value === undefined ||
    typeof value === "boolean" ||
    mismatch("a boolean", value)
  );
}

/** An array, or nothing. */
export function maybeArray(value: unknown): boolean {
  return (
    value === undefined || Array.isArray(value) || mismatch("an array", value)
  );
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
  if (length < min) return mismatch(`at least ${min} characters`, value);
  if (length > max) return mismatch(`at most ${max} characters`, value);
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
    readonly step?: number;
  },
): boolean {
  const {
    min = -Infinity,
    max = Infinity,
    above = -Infinity,
    below = Infinity,
    step,
  } = limits;
  const actual = value as number;
  if (actual < min) return mismatch(`at least ${min}`, value);
  if (actual > max) return mismatch(`at most ${max}`, value);
  if (actual <= above) return mismatch(`more than ${above}`, value);
  if (actual >= below) return mismatch(`less than ${below}`, value);
  return (
    step === undefined ||
    Number.isInteger(actual / step) ||
    mismatch(`a multiple of ${step}`, value)
  );
}

/** A list of values that all pass a check. */
export function arrayOf(value: unknown, check: Check): boolean {
  if (!Array.isArray(value)) return mismatch("an array", value);
  const items = unwrapProxy(value) as readonly unknown[];
  for (let index = 0; index < items.length; index += 1) {
    // Of a stand-in only the item that is wrong is looked at again.
    if (!check(items[index]))
      return items === value
        ? false
        : check((value as readonly unknown[])[index]);
  }
  return true;
}

/** A list of values that all pass a check, or nothing. */
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
    return mismatch(`at least ${limits.min} items`, value);
  return (
    limits.max === undefined ||
    length <= limits.max ||
    mismatch(`at most ${limits.max} items`, value)
  );
}

/** A list without two equal items; checked after its type. */
export function uniqueItems(value: unknown): boolean {
  const items = unwrapProxy(value) as readonly unknown[];
  return (
    new Set(items.map(canonicalJson)).size === items.length ||
    mismatch("items of which no two are equal", value)
  );
}

/** An object whose number of members is within limits; checked after its type. */
export function membersWithin(
  value: unknown,
  limits: { readonly min?: number; readonly max?: number },
): boolean {
  const size = Object.keys(unwrapProxy(value) as object).length;
  if (limits.min !== undefined && size < limits.min)
    return mismatch(`at least ${limits.min} members`, value);
  return (
    limits.max === undefined ||
    size <= limits.max ||
    mismatch(`at most ${limits.max} members`, value)
  );
}

/** An object whose members all pass a check. */
export function recordOf(value: unknown, check: Check): boolean {
  if (!object(value)) return false;
  const members = unwrapProxy(value) as UnknownObject;
  // Going over the names this way costs half of what a list of them does; an inherited member is met, but cannot say no.
  for (const name in members) {
    if (!check(members[name]) && Object.hasOwn(members, name))
      return members === value ? false : check(value[name]);
  }
  return true;
}

/** An object whose members all pass a check, or nothing. */
export function maybeRecordOf(value: unknown, check: Check): boolean {
  return value === undefined || recordOf(value, check);
}

/** Longest list of names that is scanned for each member. */
const MAX_SCANNED = 64;

/** The members of an object, but for those that are named, all pass a check. */
export function otherMembers(
  value: UnknownObject,
  named: readonly string[],
  check: Check,
): boolean {
  const members = unwrapProxy(value) as UnknownObject;
  const names = named.length > MAX_SCANNED ? new Set(named) : undefined;
  for (const name of Object.keys(members)) {
    if (names?.has(name) ?? named.includes(name)) continue;
    if (!check(members[name]))
      return members === value ? false : check(value[name]);
  }
  return true;
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
let proxyPaths: Map<unknown, string> | undefined;
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
function unwrapProxy(value: unknown): unknown {
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

/** Longest member name that goes into a pointer as it is. */
const MAX_POINTER_NAME_CHARS = 200;
/** Longest string that is quoted in a failure. */
const MAX_QUOTED_CHARS = 60;

function escapePointerToken(token: string): string {
  const name =
    token.length > MAX_POINTER_NAME_CHARS
      ? `${token.slice(0, MAX_POINTER_NAME_CHARS)}…`
      : token;
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function pointerTokens(path: string): readonly string[] {
  return path
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

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

function joinAlternatives(texts: readonly string[]): string {
  return texts.length < 2
    ? (texts[0] ?? "nothing")
    : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1) ?? ""}`;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** One text for equal JSON values, whatever the order of their members. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value))
    return value === undefined ? "undefined" : JSON.stringify(value);
  return `{${Object.keys(value)
    .sort()
    .map(
      (name) =>
        `${JSON.stringify(name)}:${canonicalJson(getOwnMember(value, name))}`,
    )
    .join(",")}}`;
}

// Formats.

/** The formats of MCP's schemas, to be asserted by `{ formats: FORMATS }`. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uri: (text) => /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]*$/i.test(text),
  "uri-template": (text) =>
    /^(?:[^\s<>"{}|\\^`]|\{[+#./;?&=,!@|]?[\w.%,:*]+\})*$/.test(text),
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDate(text),
  "date-time": (text) =>
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.test(
      text,
    ) && isDate(text.slice(0, 10)),
  email: (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
};

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

// Deviations: what is sent in the field although the protocol does not allow it.

/** Most repairs of one value; a value with more faults is not worth being lenient with. */
const MAX_REPAIRS = 1000;

/**
 * Puts up with deviations: a value with such a fault is valid, and comes back as a repaired copy with a list of the
 * repairs. The value itself is never changed, and a fault of any other kind is a failure as ever.
 */
export function tolerating(...deviations: readonly Deviation[]): Leniency {
  return <T>(check: Check, value: unknown, first: Failure): Validation<T> => {
    const repairs: Repair[] = [];
    let root = value;
    let failure = first;
    while (repairs.length < MAX_REPAIRS) {
      const repaired = applyDeviations(root, failure, deviations);
      if (repaired === undefined) break;
      root = repaired.value;
      repairs.push(repaired.repair);
      if (check(root)) return { success: true, value: root as T, repairs };
      failure = explainMismatch(check, root);
    }
    return { success: false, failure: first };
  };
}

function applyDeviations(
  root: unknown,
  failure: Failure,
  deviations: readonly Deviation[],
): { readonly value: unknown; readonly repair: Repair } | undefined {
  for (const deviation of deviations) {
    const repaired = deviation.repair(root, failure);
    if (repaired !== undefined)
      return {
        value: repaired.value,
        repair: { deviation: deviation.name, path: failure.path },
      };
  }
  return undefined;
}

/** An optional member written as null counts as absent. */
export const nullMembers: Deviation = /* @__PURE__ */ defineDeviation(
  "nullMembers",
  (root, failure) =>
    isNullMember(root, failure)
      ? removeAtTokens(root, pointerTokens(failure.path))
      : undefined,
);

/** `nextCursor: null` counts as absent: there is no further page. */
export const nullCursor: Deviation = /* @__PURE__ */ defineDeviation(
  "nullCursor",
  (root, failure) =>
    failure.path.endsWith("/nextCursor") && isNullMember(root, failure)
      ? removeAtTokens(root, pointerTokens(failure.path))
      : undefined,
);

/** A tool result with `structuredContent` and no `content` has no content blocks. */
export const missingContent: Deviation = /* @__PURE__ */ defineDeviation(
  "missingContent",
  (root, failure) => {
    const tokens = pointerTokens(failure.path);
    const parent = valueAtTokens(root, tokens.slice(0, -1));
    if (
      failure.reason !== "missing" ||
      tokens.at(-1) !== "content" ||
      !isObject(parent)
    )
      return undefined;
    return parent["structuredContent"] === undefined
      ? undefined
      : replaceAtTokens(root, tokens, []);
  },
);

/** A content block of a type that this revision does not know is left out, so that the others are not lost. */
export const unknownContent: Deviation = /* @__PURE__ */ defineDeviation(
  "unknownContent",
  (root, failure) => {
    const tokens = pointerTokens(failure.path);
    const [list, index, member] = tokens.slice(-3);
    if (
      member !== "type" ||
      list !== "content" ||
      index === undefined ||
      failure.reason !== "value"
    )
      return undefined;
    return Array.isArray(valueAtTokens(root, tokens.slice(0, -2))) &&
      typeof valueAtTokens(root, tokens) === "string"
      ? removeAtTokens(root, tokens.slice(0, -1))
      : undefined;
  },
);

/** A result without `resultType`, as servers of older revisions send it, is complete. */
export const missingResultType: Deviation = /* @__PURE__ */ defineDeviation(
  "missingResultType",
  (root, failure) => {
    const tokens = pointerTokens(failure.path);
    return failure.reason === "missing" && tokens.at(-1) === "resultType"
      ? replaceAtTokens(root, tokens, "complete")
      : undefined;
  },
);

/** Whether the failure is about a member of an object that is null; an item of a list is no member. */
function isNullMember(root: unknown, { path }: Failure): boolean {
  const tokens = pointerTokens(path);
  return (
    valueAtTokens(root, tokens) === null &&
    isObject(valueAtTokens(root, tokens.slice(0, -1)))
  );
}

function defineDeviation(
  name: string,
  repaired: (root: unknown, failure: Failure) => unknown,
): Deviation {
  return {
    name,
    repair(root, failure) {
      const value = repaired(root, failure);
      return value === undefined ? undefined : { value };
    },
  };
}

function valueAtTokens(root: unknown, tokens: readonly string[]): unknown {
  let value = root;
  for (const token of tokens) {
    if (Array.isArray(value))
      value = (value as readonly unknown[])[Number(token)];
    else if (isObject(value)) value = getOwnMember(value, token);
    else return undefined;
  }
  return value;
}

function getOwnMember(value: UnknownObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A copy of `root` in which one value is another; only the way to it is copied. */
function replaceAtTokens(
  root: unknown,
  tokens: readonly string[],
  value: unknown,
): unknown {
  const [token, ...others] = tokens;
  if (token === undefined) return value;
  if (Array.isArray(root))
    return root.map((item: unknown, index) =>
      String(index) === token ? replaceAtTokens(item, others, value) : item,
    );
  const object = isObject(root) ? root : {};
  return {
    ...object,
    [token]: replaceAtTokens(getOwnMember(object, token), others, value),
  };
}

/** A copy of `root` without one member or item; only the way to it is copied. */
function removeAtTokens(root: unknown, tokens: readonly string[]): unknown {
  const [token, ...others] = tokens;
  if (token === undefined) return undefined;
  if (Array.isArray(root)) {
    if (others.length === 0)
      return root.filter((_, index) => String(index) !== token);
    return root.map((item: unknown, index) =>
      String(index) === token ? removeAtTokens(item, others) : item,
    );
  }
  if (!isObject(root)) return root;
  if (others.length > 0)
    return {
      ...root,
      [token]: removeAtTokens(getOwnMember(root, token), others),
    };
  const { [token]: _gone, ...kept } = root;
  return kept;
}

/** A list of which the bad items were left out. */
export type LenientList<T> =
  | {
      readonly success: true;
      /** The value itself if all items are good, else a copy with the good ones. */
      readonly value: T;
      /** Repairs of the items that were kept, and of the rest. */
      readonly repairs?: readonly Repair[];
      /** The bad items: where they were, and what was wrong. */
      readonly bad: readonly {
        readonly index: number;
        readonly item: unknown;
        readonly failure: Failure;
      }[];
    }
  | { readonly success: false; readonly failure: Failure };

/**
 * Validates a result that holds a list, such as the tools of `tools/list`, and keeps the good items where some are bad.
 * A fault outside of the items is a failure as ever.
 */
export function lenientList<T>(
  validate: Validator<T>,
  value: unknown,
  options?: ValidateOptions,
): LenientList<T> {
  const outcome = validate(value, options);
  if (outcome.success) return { ...outcome, bad: [] };
  const [name, index] = pointerTokens(outcome.failure.path);
  const items =
    isObject(value) && name !== undefined
      ? getOwnMember(value, name)
      : undefined;
  if (
    !isObject(value) ||
    name === undefined ||
    index === undefined ||
    !Array.isArray(items)
  )
    return outcome;
  const kept: unknown[] = [];
  const bad: { index: number; item: unknown; failure: Failure }[] = [];
  const repairs: Repair[] = [];
  const itemPrefix = `/${escapePointerToken(name)}/0`;
  items.forEach((item: unknown, position) => {
    const moved = (path: string): string =>
      path.startsWith(itemPrefix)
        ? `/${escapePointerToken(name)}/${position}${path.slice(itemPrefix.length)}`
        : path;
    const single = validate({ ...value, [name]: [item] }, options);
    if (single.success) {
      kept.push(
        ...((single.value as UnknownObject)[name] as readonly unknown[]),
      );
      // Repairs outside of the list come back with every item; they are told once, with the whole.
      for (const repair of single.repairs ?? []) {
        if (repair.path.startsWith(itemPrefix))
          repairs.push({ ...repair, path: moved(repair.path) });
      }
    } else {
      bad.push({
        index: position,
        item,
        failure: { ...single.failure, path: moved(single.failure.path) },
      });
    }
  });
  const whole = validate({ ...value, [name]: kept }, options);
  if (!whole.success) return whole;
  repairs.push(...(whole.repairs ?? []));
  return {
    success: true,
    value: whole.value,
    bad,
    ...(repairs.length === 0 ? {} : { repairs }),
  };
}
