/** Compares a message with the recorded one. */
import { formatPointer, isObject, ownMember, type JsonObject, type JsonValue } from '../read/json/json.js';
import { coversPlace, isPlace, looseKind, type LooseKind, type Matchers } from './matchers.js';

/** A value that is not as recorded. */
export interface ValueDifference {
  readonly pointer: string;
  /** Undefined if the recording does not have it. */
  readonly expected?: JsonValue | undefined;
  /** The pattern that the value must match. */
  readonly pattern?: string | undefined;
  /** Undefined if it is missing now. */
  readonly found?: JsonValue | undefined;
}

/** A value that the server chooses anew each time. */
export interface Chosen {
  /** The name of its member. */
  readonly member: string;
  readonly recorded: JsonValue;
  readonly current: JsonValue;
}

/** What a comparison found. */
export interface Comparison {
  readonly differences: readonly ValueDifference[];
  /** How many values differ and may, by why. */
  readonly loose: ReadonlyMap<LooseKind, number>;
  /** What the client has to return as it is now. */
  readonly chosen: readonly Chosen[];
}

/** Most differences of one message. */
const MAX_DIFFERENCES = 100;

/** Compares two messages of a server; the ids are compared by whoever pairs them. */
export function compareMessages(
  recorded: JsonObject,
  current: JsonObject,
  method: string,
  matchers: Matchers,
): Comparison {
  const run = new ComparisonRun(method, matchers);
  run.compareObjects(recorded, current, [], new Set(['id']));
  return run;
}

class ComparisonRun implements Comparison {
  readonly differences: ValueDifference[] = [];
  readonly loose = new Map<LooseKind, number>();
  readonly chosen: Chosen[] = [];
  readonly #method: string;
  readonly #matchers: Matchers;

  constructor(method: string, matchers: Matchers) {
    this.#method = method;
    this.#matchers = matchers;
  }

  compareObjects(
    expected: JsonObject,
    found: JsonObject,
    place: readonly string[],
    skipped: ReadonlySet<string> = new Set(),
  ): void {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      if (!skipped.has(key)) this.#compare(ownMember(expected, key), ownMember(found, key), [...place, key]);
    }
  }

  #compare(expected: JsonValue | undefined, found: JsonValue | undefined, place: readonly string[]): void {
    // The id of a request of the server, which it chooses.
    if (this.#method === 'notifications/cancelled' && place.join('/') === 'params/requestId') return;
    const { ignored, patterns } = this.#matchers;
    if (ignored.some((pattern) => coversPlace(pattern, this.#method, place))) {
      if (!isSame(expected, found)) this.#addLoose('ignored', expected, found, place);
      return;
    }
    const pattern = patterns.find(({ at }) => isPlace(at, this.#method, place))?.pattern;
    if (pattern !== undefined) {
      const text = found === undefined ? undefined : typeof found === 'string' ? found : JSON.stringify(found);
      if (text !== undefined && pattern.test(text)) {
        if (!isSame(expected, found)) this.#addLoose('pattern', expected, found, place);
      } else this.#addDifference({ pointer: formatPointer(...place), pattern: pattern.source, found });
      return;
    }
    if (isObject(expected) && isObject(found)) {
      this.compareObjects(expected, found, place);
      return;
    }
    if (Array.isArray(expected) && Array.isArray(found)) {
      this.#compareLists(expected as readonly JsonValue[], found as readonly JsonValue[], place);
      return;
    }
    if (isSame(expected, found)) return;
    if (!this.#matchers.isExact && expected !== undefined && found !== undefined) {
      const kind = looseKind(expected, found, place);
      if (kind !== undefined) {
        this.#addLoose(kind, expected, found, place);
        return;
      }
    }
    this.#addDifference({ pointer: formatPointer(...place), expected, found });
  }

  /** Items with names are compared by them, so that one new tool is one difference. */
  #compareLists(expected: readonly JsonValue[], found: readonly JsonValue[], place: readonly string[]): void {
    const before = namesOf(expected);
    const after = namesOf(found);
    if (before === undefined || after === undefined || isSame(before, after)) {
      for (let index = 0; index < Math.max(expected.length, found.length); index += 1)
        this.#compare(expected[index], found[index], [...place, String(index)]);
      return;
    }
    for (const [index, name] of before.entries()) {
      const at = after.indexOf(name);
      this.#compare(expected[index], at === -1 ? undefined : found[at], [...place, String(index)]);
    }
    for (const [index, name] of after.entries()) {
      if (!before.includes(name)) this.#compare(undefined, found[index], [...place, String(index)]);
    }
    const common = (names: readonly string[], others: readonly string[]): readonly string[] =>
      names.filter((name) => others.includes(name));
    const [order, newOrder] = [common(before, after), common(after, before)];
    if (!isSame(order, newOrder))
      this.#addDifference({ pointer: formatPointer(...place), expected: order, found: newOrder });
  }

  #addLoose(
    kind: LooseKind,
    expected: JsonValue | undefined,
    found: JsonValue | undefined,
    place: readonly string[],
  ): void {
    this.loose.set(kind, (this.loose.get(kind) ?? 0) + 1);
    if (expected === undefined || found === undefined || isObject(expected) || Array.isArray(expected)) return;
    this.chosen.push({ member: place.at(-1) ?? '', recorded: expected, current: found });
  }

  #addDifference(difference: ValueDifference): void {
    if (this.differences.length < MAX_DIFFERENCES) this.differences.push(difference);
  }
}

/** The unique names of a list's items; undefined if not all have one. */
function namesOf(items: readonly JsonValue[]): readonly string[] | undefined {
  for (const key of ['name', 'uri', 'uriTemplate']) {
    const names = items.map((item) => (isObject(item) ? ownMember(item, key) : undefined));
    if (names.every((name) => typeof name === 'string') && new Set(names).size === names.length) return names;
  }
  return undefined;
}

/** Whether two JSON values are equal; the order of members does not matter. */
export function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    const [list, other] = [a as readonly JsonValue[], b as readonly JsonValue[]];
    return list.length === other.length && list.every((item, index) => isSame(item, other[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(ownMember(a, key), ownMember(b, key)))
  );
}
