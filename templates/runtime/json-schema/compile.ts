/** Checks of schemas that are met at run time: closures over the checks that generated validators call. */
import { isObject } from "../jsonrpc/envelope.js";
import type { UnknownObject } from "../jsonrpc/envelope.js";
import * as check from "../validation.js";
import type { Check } from "../validation.js";
import { canonicalJson } from "../validation/checks.js";
import { joinAlternatives, unwrapProxy } from "../validation/explain.js";
import { escapePointerToken, getOwnMember } from "../validation/pointer.js";
import { NO_SCOPE } from "./documents.js";
import type { Documents, Place, Scope } from "./documents.js";
import { isLinear } from "./patterns.js";

/** Maximum nesting of a schema, without what it refers to. */
const MAX_DEPTH = 200;

/** Maximum of constants that a failure lists. */
const MAX_LISTED = 20;

/** Maximum of subschemas, each counted once for each dynamic scope. */
const MAX_SCHEMAS = 100_000;

/** Maximum of subschemas that are visited to find out what schemas evaluate: references may repeat them. */
const MAX_EVALUATIONS = 20_000;

const TOO_LARGE = "the schema is too large";

/** Reports a part of a schema that is not checked, by its JSON pointer. */
export type OnUnchecked = (pointer: string, reason: string) => void;

/** Whether the rest of a schema evaluates a member or an item. */
type Evaluates = (value: unknown, key: string | number) => boolean;

type Kind = "object" | "array";

/** Before a value is checked. */
const NO_VALUE = Symbol("no value");

const ANYTHING: Compiled = {
  run: check.present,
  check: check.present,
  isWide: false,
  users: new Set(),
};

const NOTHING: Compiled = {
  ...ANYTHING,
  run: check.absent,
  check: check.absent,
};

/** A type of JSON Schema. */
interface Type {
  readonly text: string;
  readonly is: Check;
  readonly check: Check;
}

const TYPES: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["object", { text: "an object", is: isObject, check: check.object }],
  ["array", { text: "an array", is: Array.isArray, check: check.array }],
  ["string", { text: "a string", is: isString, check: check.string }],
  ["number", { text: "a number", is: Number.isFinite, check: check.number }],
  [
    "integer",
    { text: "an integer", is: Number.isInteger, check: check.integer },
  ],
  ["boolean", { text: "a boolean", is: isBoolean, check: check.boolean }],
  [
    "null",
    {
      text: "null",
      is: (value) => value === null,
      check: (value) => check.literal(value, null),
    },
  ],
]);

const UNEVALUATED = ["unevaluatedProperties", "unevaluatedItems"];

const NUMBER_LIMITS = {
  minimum: "min",
  maximum: "max",
  exclusiveMinimum: "above",
  exclusiveMaximum: "below",
} as const;

/** A compiled schema. */
interface Compiled {
  /** Runs the check, which is made after those that refer to it. */
  readonly run: Check;
  check: Check;
  /** Whether the check accepts more than the schema, since a part of it, or of what it refers to, is not checked. */
  isWide: boolean;
  /** The schemas that contain this one or refer to it. */
  readonly users: Set<Compiled>;
}

/** A schema while its checks are compiled. */
interface Open {
  readonly schema: UnknownObject;
  readonly compiled: Compiled;
  readonly place: Place;
  /** The dynamic scope inside of it. */
  readonly scope: Scope;
  readonly pointer: string;
}

/** Compiles the schemas of documents. A part that is wrong or unknown has no effect, and is reported. */
export class SchemaCompiler {
  readonly #documents: Documents;
  readonly #trustsPatterns: boolean;
  readonly #onUnchecked: OnUnchecked;
  readonly #known = new Map<Scope, Map<unknown, Compiled>>();
  /** What references lead to, compiled after the schemas that have them: definitions may refer to each other in a circle. */
  readonly #waiting: (() => void)[] = [];
  readonly #patterns = new Map<string, RegExp | undefined>();
  #count = 0;
  #depth = 0;
  #evaluations = 0;

  constructor(
    documents: Documents,
    trustsPatterns: boolean,
    onUnchecked: OnUnchecked,
  ) {
    this.#documents = documents;
    this.#trustsPatterns = trustsPatterns;
    this.#onUnchecked = (pointer, reason) => {
      onUnchecked(printable(pointer), printable(reason));
    };
  }

  /** The check of the main document. */
  compile(): Check {
    const root = this.#compile(this.#documents.root, NO_SCOPE, "");
    for (
      let next = this.#waiting.pop();
      next !== undefined;
      next = this.#waiting.pop()
    )
      next();
    const wide = [...this.#known.values()].flatMap((known) =>
      [...known.values()].filter(({ isWide }) => isWide),
    );
    for (let next = wide.pop(); next !== undefined; next = wide.pop())
      for (const user of next.users) {
        if (user.isWide) continue;
        user.isWide = true;
        wide.push(user);
      }
    return root.check;
  }

  #compile(
    place: Place,
    scope: Scope,
    pointer: string,
    user?: Compiled,
  ): Compiled {
    const { schema } = place;
    if (schema === true) return ANYTHING;
    if (schema === false) return NOTHING;
    const byScope = this.#known.get(scope) ?? new Map<unknown, Compiled>();
    this.#known.set(scope, byScope);
    const known = byScope.get(schema);
    if (known !== undefined) {
      if (user !== undefined) known.users.add(user);
      return known;
    }
    const compiled: Compiled = {
      run: (value) => compiled.check(value),
      check: check.present,
      isWide: false,
      users: new Set(user === undefined ? [] : [user]),
    };
    byScope.set(schema, compiled);
    this.#count += 1;
    const isTooMuch = this.#depth >= MAX_DEPTH || this.#count > MAX_SCHEMAS;
    if (!isObject(schema) || isTooMuch) {
      this.#onUnchecked(pointer, isTooMuch ? TOO_LARGE : "not a schema");
      compiled.isWide = true;
      return compiled;
    }
    this.#depth += 1;
    const inside = this.#documents.enter(scope, place.resource);
    const own = every(
      this.#checksOf({ schema, compiled, place, scope: inside, pointer }),
    );
    // What is evaluated depends on verdicts about the same value, which have to be kept.
    compiled.check = UNEVALUATED.some((keyword) =>
      Object.hasOwn(schema, keyword),
    )
      ? (value) => check.nested(value, own)
      : own;
    this.#depth -= 1;
    return compiled;
  }

  #checksOf(open: Open): readonly Check[] {
    const reference = this.#reference(open, "$ref");
    // Up to draft-07, keywords next to a reference are ignored.
    if (reference.length > 0 && open.place.resource.dialect === "draft-07")
      return reference;
    if (Object.hasOwn(open.schema, "$recursiveRef"))
      this.#unchecked(open, "$recursiveRef", "not in draft 2020-12");
    // Keywords for values that the type excludes have no effect.
    const types = this.#typesOf(open);
    const allows = (name: string): boolean => types?.includes(name) ?? true;
    return [
      ...(types === undefined ? [] : [typeCheck(types)]),
      ...this.#constants(open),
      ...reference,
      ...this.#reference(open, "$dynamicRef"),
      ...(allows("string") ? this.#strings(open) : []),
      ...(allows("number") || allows("integer") ? this.#numbers(open) : []),
      ...(allows("array") ? this.#items(open) : []),
      ...(allows("object") ? this.#members(open) : []),
      ...this.#contains(open),
      ...this.#names(open),
      ...this.#combinations(open),
      ...this.#conditions(open),
      ...this.#dependencies(open),
      ...this.#unevaluated(open, "array", "unevaluatedItems"),
      ...this.#unevaluated(open, "object", "unevaluatedProperties"),
    ];
  }

  #unchecked(
    { pointer, compiled }: Open,
    keyword: string,
    reason: string,
  ): void {
    compiled.isWide = true;
    this.#onUnchecked(`${pointer}/${escapePointerToken(keyword)}`, reason);
  }

  /** The value of a keyword, if it is there and as it must be. */
  #keyword<T>(
    open: Open,
    keyword: string,
    isValid: (value: unknown) => value is T,
  ): T | undefined {
    const value = getOwnMember(open.schema, keyword);
    if (value === undefined || isValid(value)) return value;
    this.#unchecked(open, keyword, "not a value of this keyword");
    return undefined;
  }

  /** A subschema, if it is there. */
  #inner(
    open: Open,
    keyword: string,
    schema = getOwnMember(open.schema, keyword),
    ...tokens: readonly (string | number)[]
  ): Compiled | undefined {
    return schema === undefined
      ? undefined
      : this.#compile(
          this.#documents.inside(open.place, schema),
          open.scope,
          [
            open.pointer,
            keyword,
            ...tokens.map(String).map(escapePointerToken),
          ].join("/"),
          open.compiled,
        );
  }

  #list(open: Open, keyword: string): readonly Compiled[] {
    const list = this.#keyword(open, keyword, Array.isArray) ?? [];
    return list.map(
      (item: unknown, index) =>
        this.#inner(open, keyword, item, index) ?? ANYTHING,
    );
  }

  #map(open: Open, keyword: string): readonly (readonly [string, Check])[] {
    const map = this.#keyword(open, keyword, isObject) ?? {};
    return Object.entries(map).map(([name, schema]) => [
      name,
      (this.#inner(open, keyword, schema, name) ?? ANYTHING).run,
    ]);
  }

  /** The names of the types that a schema allows; undefined if it allows all. */
  #typesOf(open: Open): readonly string[] | undefined {
    const type = getOwnMember(open.schema, "type");
    if (type === undefined) return undefined;
    const names: readonly unknown[] = Array.isArray(type) ? type : [type];
    const known = names.filter(isString).filter((name) => TYPES.has(name));
    if (known.length > 0 && known.length === names.length) return known;
    this.#unchecked(open, "type", "not a type of JSON Schema");
    return undefined;
  }

  #constants(open: Open): readonly Check[] {
    const { schema } = open;
    const list = this.#keyword(open, "enum", Array.isArray);
    return [
      ...(Object.hasOwn(schema, "const")
        ? [constantCheck([schema["const"]])]
        : []),
      ...(list === undefined ? [] : [constantCheck(list)]),
    ];
  }

  #reference(open: Open, keyword: "$ref" | "$dynamicRef"): readonly Check[] {
    const reference = this.#keyword(open, keyword, isString);
    if (reference === undefined) return [];
    const target = this.#target(open, keyword, reference);
    if (target === undefined) {
      this.#unchecked(
        open,
        keyword,
        `the reference ${JSON.stringify(reference)} leads nowhere, and nothing is fetched`,
      );
      return [];
    }
    // Replaced before the first value is checked.
    let inner = check.present;
    this.#waiting.push(() => {
      const pointer = this.#documents.pointerOf(reference, target);
      inner = this.#compile(target, open.scope, pointer, open.compiled).run;
    });
    let current: unknown = NO_VALUE;
    return [
      (value) => {
        const actual = unwrapProxy(value);
        // A reference that leads back to itself, at the same value, adds nothing.
        if (actual === current) return true;
        const outer = current;
        current = actual;
        try {
          return check.nested(value, inner);
        } finally {
          current = outer;
        }
      },
    ];
  }

  #target(
    { place, scope }: Open,
    keyword: "$ref" | "$dynamicRef",
    reference: string,
  ): Place | undefined {
    return keyword === "$ref"
      ? this.#documents.resolve(reference, place)
      : this.#documents.resolveDynamic(reference, place, scope);
  }

  #strings(open: Open): readonly Check[] {
    const lengths = this.#limits(open, { minLength: "min", maxLength: "max" });
    const source = this.#keyword(open, "pattern", isString);
    const pattern =
      source === undefined ? undefined : this.#pattern(open, "pattern", source);
    const format = this.#keyword(open, "format", isString);
    const checks: Check[] = [];
    if (lengths !== undefined || pattern !== undefined) {
      const limits = {
        ...lengths,
        ...(pattern === undefined ? {} : { pattern }),
      };
      checks.push((value) => check.stringWithin(value, limits));
    }
    if (format !== undefined)
      checks.push((value) => check.stringWithFormat(value, format));
    return forKind(isString, checks);
  }

  /** The regular expression of a pattern, if it is one that can be tested safely. */
  #pattern(open: Open, keyword: string, source: string): RegExp | undefined {
    if (!this.#patterns.has(source)) {
      const isTrusted = this.#trustsPatterns || isLinear(source);
      const pattern = isTrusted ? toRegularExpression(source) : undefined;
      this.#patterns.set(source, pattern);
      if (pattern === undefined)
        this.#unchecked(
          open,
          keyword,
          `the pattern ${JSON.stringify(source)} ${isTrusted ? "is not a regular expression" : "is not trusted, and may take a long time"}`,
        );
    }
    const pattern = this.#patterns.get(source);
    if (pattern === undefined) open.compiled.isWide = true;
    return pattern;
  }

  #numbers(open: Open): readonly Check[] {
    const limits = this.#limits(open, NUMBER_LIMITS, isNumber);
    const step = this.#keyword(open, "multipleOf", isPositive);
    const checks: Check[] = [];
    if (limits !== undefined)
      checks.push((value) => check.numberWithin(value, limits));
    if (step !== undefined)
      checks.push((value) => check.multipleOf(value, step));
    return checks.length === 0
      ? []
      : forKind(
          (value) => typeof value === "number",
          [check.number, ...checks],
        );
  }

  #items(open: Open): readonly Check[] {
    const { schema, place } = open;
    const isOld = place.resource.dialect === "draft-07";
    // A list of items is that of draft-07, but many tools send it in any dialect.
    const isList = Array.isArray(getOwnMember(schema, "items"));
    const first = isList
      ? this.#list(open, "items")
      : isOld
        ? []
        : this.#list(open, "prefixItems");
    const others = this.#inner(open, isList ? "additionalItems" : "items")?.run;
    const checks: Check[] = [];
    if (first.length > 0) {
      const inner = first.map(({ run }) => run);
      checks.push((value) => check.tuple(value, inner, others));
    } else if (others !== undefined)
      checks.push((value) => check.arrayOf(value, others));
    const limits = this.#limits(open, { minItems: "min", maxItems: "max" });
    if (limits !== undefined)
      checks.push((value) => check.itemsWithin(value, limits));
    if (this.#keyword(open, "uniqueItems", isBoolean) === true)
      checks.push(check.uniqueItems);
    return forKind(Array.isArray, checks);
  }

  #contains(open: Open): readonly Check[] {
    const contained = this.#inner(open, "contains");
    if (contained === undefined) return [];
    const isOld = open.place.resource.dialect === "draft-07";
    const [min, max] = ["minContains", "maxContains"].map((keyword) =>
      isOld ? undefined : this.#keyword(open, keyword, isCount),
    );
    return [
      (value) =>
        check.contains(
          value,
          contained.run,
          min ?? 1,
          contained.isWide ? undefined : max,
        ),
    ];
  }

  #names(open: Open): readonly Check[] {
    const names = this.#inner(open, "propertyNames")?.run;
    return names === undefined
      ? []
      : [(value) => check.memberNames(value, names)];
  }

  /** The limits that some keywords set, by the names that the checks have for them; undefined without any. */
  #limits<Name extends string>(
    open: Open,
    names: Readonly<Record<string, Name>>,
    isValid: (value: unknown) => value is number = isCount,
  ): Partial<Record<Name, number>> | undefined {
    const found = Object.entries<Name>(names).flatMap(([keyword, name]) => {
      const value = this.#keyword(open, keyword, isValid);
      return value === undefined ? [] : [[name, value] as const];
    });
    return found.length === 0
      ? undefined
      : (Object.fromEntries(found) as Partial<Record<Name, number>>);
  }

  #members(open: Open): readonly Check[] {
    const properties = this.#map(open, "properties");
    const checks: Check[] = [];
    const required = new Set(this.#keyword(open, "required", isNames));
    const named = new Set(properties.map(([name]) => name));
    // A property says more about what is missing than its name.
    const other = [...required].filter((name) => !named.has(name));
    if (properties.length > 0)
      checks.push((value) =>
        properties.every(([name, inner]) => {
          const member = check.ownMember(value as UnknownObject, name);
          return member === undefined
            ? !required.has(name) || (inner(member) && check.present(member))
            : inner(member);
        }),
      );
    if (other.length > 0) checks.push((value) => hasMembers(value, other));
    const patterns = this.#map(open, "patternProperties").flatMap(
      ([source, inner]): [RegExp, Check][] => {
        const pattern = this.#pattern(open, "patternProperties", source);
        return pattern === undefined ? [] : [[pattern, inner]];
      },
    );
    if (patterns.length > 0)
      checks.push((value) =>
        check.patternMembers(value as UnknownObject, patterns),
      );
    const others = this.#inner(open, "additionalProperties")?.run;
    // Without all patterns, it is not known which members are additional.
    const isKnown =
      patterns.length === ownNames(open.schema, "patternProperties").length;
    if (others !== undefined && isKnown) {
      const names = properties.map(([name]) => name);
      const matched = patterns.map(([pattern]) => pattern);
      checks.push((value) =>
        check.otherMembers(value as UnknownObject, names, others, matched),
      );
    }
    const limits = this.#limits(open, {
      minProperties: "min",
      maxProperties: "max",
    });
    if (limits !== undefined)
      checks.push((value) => check.membersWithin(value, limits));
    return forKind(isObject, checks);
  }

  // What is not checked completely may not be excluded, be one of which exactly one has to match, or be a condition.

  #combinations(open: Open): readonly Check[] {
    const checks = this.#list(open, "allOf").map(({ run }) => run);
    const anyOf = this.#list(open, "anyOf").map(({ run }) => run);
    if (anyOf.length > 0) checks.push((value) => check.anyOf(value, ...anyOf));
    const oneOf = this.#list(open, "oneOf");
    const runs = oneOf.map(({ run }) => run);
    if (oneOf.length > 0)
      checks.push((value) =>
        oneOf.some(({ isWide }) => isWide)
          ? check.anyOf(value, ...runs)
          : check.oneOf(value, ...runs.map((run) => run(value))),
      );
    const not = this.#inner(open, "not");
    if (not !== undefined)
      checks.push((value) => not.isWide || check.not(value, not.run));
    return checks;
  }

  #conditions(open: Open): readonly Check[] {
    const condition = this.#inner(open, "if");
    if (condition === undefined) return [];
    const then = this.#inner(open, "then") ?? ANYTHING;
    const otherwise = this.#inner(open, "else") ?? ANYTHING;
    return [
      (value) =>
        condition.isWide ||
        (condition.run(value) ? then : otherwise).run(value),
    ];
  }

  #dependencies(open: Open): readonly Check[] {
    return ["dependentRequired", "dependentSchemas", "dependencies"].flatMap(
      (keyword) =>
        Object.entries(this.#keyword(open, keyword, isObject) ?? {}).map(
          ([name, value]): Check => {
            const then: Check =
              keyword !== "dependentSchemas" && isNames(value)
                ? (object) => hasMembers(object, value)
                : (this.#inner(open, keyword, value, name) ?? ANYTHING).run;
            return (object) => !check.has(object, name) || then(object);
          },
        ),
    );
  }

  #unevaluated(open: Open, kind: Kind, keyword: string): readonly Check[] {
    if (open.place.resource.dialect === "draft-07") return [];
    if (open.schema[keyword] === true) return [];
    const others = this.#inner(open, keyword)?.run;
    if (others === undefined) return [];
    const conditions: Compiled[] = [];
    const evaluates = this.#evaluation(open, kind, conditions) ?? (() => false);
    const verdict: Check =
      kind === "object"
        ? (value) => check.unevaluatedMembers(value, evaluates, others)
        : (value) => check.unevaluatedItems(value, evaluates, others);
    return [
      (value) => conditions.some(({ isWide }) => isWide) || verdict(value),
    ];
  }

  /**
   * What a schema evaluates, with everything that it refers to (JSON Schema 2020-12, 11); undefined if it is nothing.
   *
   * @param conditions - Receives the schemas that have to be checked completely.
   * @param entered - The schemas around it that apply to the same value.
   */
  #evaluation(
    open: Open,
    kind: Kind,
    conditions: Compiled[],
    entered: ReadonlySet<unknown> = new Set(),
  ): Evaluates | undefined {
    const { schema, place, scope } = open;
    this.#evaluations += 1;
    if (this.#evaluations > MAX_EVALUATIONS || entered.size > MAX_DEPTH) {
      if (this.#evaluations === MAX_EVALUATIONS + 1)
        this.#unchecked(open, "unevaluatedProperties", TOO_LARGE);
      open.compiled.isWide = true;
      return () => true;
    }
    if (entered.has(schema)) return undefined;
    const inside = new Set([...entered, schema]);
    const evaluate = (target: Place): Evaluates | undefined =>
      isObject(target.schema)
        ? this.#evaluation(
            {
              ...open,
              schema: target.schema,
              place: target,
              scope: this.#documents.enter(scope, target.resource),
            },
            kind,
            conditions,
            inside,
          )
        : undefined;
    const all: Evaluates[] = [];
    const add = (evaluates: Evaluates | undefined): void => {
      if (evaluates !== undefined) all.push(evaluates);
    };
    const child = (value: unknown): Place =>
      this.#documents.inside(place, value);
    for (const keyword of ["$ref", "$dynamicRef"] as const) {
      const reference = getOwnMember(schema, keyword);
      if (typeof reference !== "string") continue;
      const target = this.#target(open, keyword, reference);
      // What is unknown may evaluate everything.
      add(target === undefined ? () => true : evaluate(target));
    }
    add(
      kind === "object"
        ? this.#ownMembers(open, entered.size > 0)
        : ownItems(schema, entered.size > 0),
    );
    const contained =
      kind === "array" ? this.#inner(open, "contains") : undefined;
    if (contained !== undefined)
      add((value, index) =>
        contained.run((value as readonly unknown[])[Number(index)]),
      );
    for (const item of ownList(schema, "allOf")) add(evaluate(child(item)));
    for (const keyword of ["anyOf", "oneOf"])
      ownList(schema, keyword).forEach((item, index) => {
        add(
          when(
            this.#inner(open, keyword, item, index)?.run,
            evaluate(child(item)),
          ),
        );
      });
    const condition = this.#inner(open, "if");
    if (condition !== undefined) {
      const [own, then, otherwise] = ["if", "then", "else"].map((keyword) =>
        evaluate(child(getOwnMember(schema, keyword))),
      );
      if ([own, then, otherwise].some((one) => one !== undefined))
        conditions.push(condition);
      add(when(condition.run, own));
      add(when(condition.run, then));
      add(when((value) => !condition.run(value), otherwise));
    }
    const dependent = getOwnMember(schema, "dependentSchemas");
    for (const [name, value] of Object.entries(
      isObject(dependent) ? dependent : {},
    ))
      add(when((object) => check.has(object, name), evaluate(child(value))));
    return all.length === 0
      ? undefined
      : (value, key) => all.some((evaluates) => evaluates(value, key));
  }

  /** The members that a schema's own keywords evaluate; the rule itself only if another schema contains it. */
  #ownMembers(open: Open, isNested: boolean): Evaluates | undefined {
    const { schema } = open;
    if (
      Object.hasOwn(schema, "additionalProperties") ||
      (isNested && Object.hasOwn(schema, "unevaluatedProperties"))
    )
      return () => true;
    const names = new Set(ownNames(schema, "properties"));
    const patterns = ownNames(schema, "patternProperties").map((source) =>
      this.#pattern(open, "patternProperties", source),
    );
    if (names.size === 0 && patterns.length === 0) return undefined;
    return (_, key) => {
      const name = String(key);
      // A pattern that is not tested may match.
      return (
        names.has(name) ||
        patterns.some((pattern) => pattern?.test(name) !== false)
      );
    };
  }
}

/** The items that a schema's own keywords evaluate; the rule itself only if another schema contains it. */
function ownItems(
  schema: UnknownObject,
  isNested: boolean,
): Evaluates | undefined {
  const items = getOwnMember(schema, "items");
  const isList = Array.isArray(items);
  if (
    (items !== undefined && !isList) ||
    (isList && Object.hasOwn(schema, "additionalItems")) ||
    (isNested && Object.hasOwn(schema, "unevaluatedItems"))
  )
    return () => true;
  const count = isList ? items.length : ownList(schema, "prefixItems").length;
  return count === 0 ? undefined : (_, index) => Number(index) < count;
}

function when(
  condition: Check | undefined,
  evaluates: Evaluates | undefined,
): Evaluates | undefined {
  return condition === undefined || evaluates === undefined
    ? undefined
    : (value, key) => condition(value) && evaluates(value, key);
}

/** Whether a value is of one of some types. */
function typeCheck(names: readonly string[]): Check {
  const types = names.flatMap((name) => TYPES.get(name) ?? []);
  const [first = { check: check.present }, second] = types;
  if (second === undefined) return first.check;
  const expected = joinAlternatives(types.map(({ text }) => text));
  return (value) =>
    types.some(({ is }) => is(value)) || check.mismatch(expected, value);
}

function every(checks: readonly Check[]): Check {
  const [first = check.present, ...others] = checks;
  return others.length === 0
    ? first
    : (value) => checks.every((one) => one(value));
}

/** Checks of values of one kind; others pass. */
function forKind(is: Check, checks: readonly Check[]): readonly Check[] {
  if (checks.length === 0) return [];
  const own = every(checks);
  return [(value) => !is(value) || own(value)];
}

/** A text without characters that control a terminal or change the reading direction. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16) ?? ""}}`,
  );
}

function toRegularExpression(source: string): RegExp | undefined {
  // Many patterns have escapes that the flag "u", which JSON Schema recommends, forbids.
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Tried with the next flags.
    }
  }
  return undefined;
}

function hasMembers(value: unknown, names: readonly string[]): boolean {
  return (
    !isObject(value) ||
    names.every((name) => check.present(check.ownMember(value, name)))
  );
}

/** One of some values of any kind. */
function constantCheck(list: readonly unknown[]): Check {
  const constants = list.filter(isConstant);
  const known = new Set<unknown>(constants);
  const others = new Set(
    list.filter((item) => !isConstant(item)).map(canonicalJson),
  );
  return (value) =>
    known.has(value) ||
    (others.size > 0 &&
      typeof value === "object" &&
      others.has(canonicalJson(unwrapProxy(value)))) ||
    (others.size === 0 && known.size <= MAX_LISTED
      ? check.noneOf(value, ...constants)
      : check.mismatch(`one of ${list.length} known values`, value));
}

type Constant = string | number | boolean | null;

function isConstant(value: unknown): value is Constant {
  return typeof value !== "object" || value === null;
}

function ownList(schema: UnknownObject, keyword: string): readonly unknown[] {
  const list = getOwnMember(schema, keyword);
  return Array.isArray(list) ? list : [];
}

function ownNames(schema: UnknownObject, keyword: string): readonly string[] {
  const map = getOwnMember(schema, keyword);
  return isObject(map) ? Object.keys(map) : [];
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isPositive(value: unknown): value is number {
  return Number.isFinite(value) && Number(value) > 0;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isString);
}
