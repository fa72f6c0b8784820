import { McpgenError } from '../errors.js';
import {
  isObject,
  ownMember,
  objectFromEntries,
  parsePointer,
  stableStringify,
  type JsonObject,
  type JsonValue,
} from './json/json.js';

/**
 * A correction of an official schema. It has the value that it replaces, so that a file that was fixed or changed
 * upstream causes an error instead of being changed blindly.
 */
export interface Erratum {
  readonly id: string;
  /** The correction in one sentence. */
  readonly summary: string;
  /** The page of the protocol's specification that says so. */
  readonly source: string;
  /**
   * `open`: the current official file is wrong. `fixed`: only older copies are wrong, so finding the right value is not
   * an error.
   */
  readonly status: 'open' | 'fixed';
  readonly changes: readonly ErratumChange[];
}

/** A value that an erratum replaces, at one or more places of one revision. */
export interface ErratumChange {
  readonly revision: string;
  /** The extension whose schema it is, as added to the revision; without it, the revision's own. */
  readonly extension?: string;
  /** JSON pointers into the canonical schema. */
  readonly at: readonly string[];
  /** The wrong value; absent if the schema lacks the member. */
  readonly old?: JsonValue;
  readonly new: JsonValue;
}

/**
 * Applies all errata of a revision to its definitions.
 *
 * @param definitions - Canonical definitions; they are not changed.
 * @param revision - The protocol revision that the schema is of.
 * @param errata - All known errata.
 * @param place - The name of the schema file in an error.
 * @param stale - What to do if a place has neither the wrong value nor the right one: `stop`, or `skip` it, for a
 *   schema that is only similar to the one that the errata were written for.
 * @returns The corrected definitions and the errata that changed something.
 * @throws {@link McpgenError} if a place has neither the wrong value nor, for a `fixed` erratum, the right one.
 */
export function applyErrata(
  definitions: JsonObject,
  revision: string,
  errata: readonly Erratum[],
  place: string,
  stale: 'stop' | 'skip' = 'stop',
): { definitions: JsonObject; applied: readonly Erratum[] } {
  let root: JsonValue = { $defs: definitions };
  const applied: Erratum[] = [];
  for (const erratum of errata) {
    let changed = false;
    for (const change of erratum.changes.filter((item) => item.revision === revision)) {
      for (const pointer of change.at) {
        const found = getByPointer(root, pointer);
        const parent = getByPointer(root, pointer.slice(0, pointer.lastIndexOf('/')));
        // A renamed or removed definition must not be created again with only the correction.
        if (typeof parent !== 'object' || parent === null) {
          if (stale === 'skip') continue;
          throw staleErratumError(erratum, change, pointer, undefined, place);
        }
        if (isSameValue(found, change.old)) {
          root = setByTokens(root, parsePointer(pointer), change.new);
          changed = true;
        } else if (stale === 'stop' && !(erratum.status === 'fixed' && isSameValue(found, change.new))) {
          throw staleErratumError(erratum, change, pointer, found, place);
        }
      }
    }
    if (changed) applied.push(erratum);
  }
  return { definitions: (root as JsonObject)['$defs'] as JsonObject, applied };
}

function staleErratumError(
  erratum: Erratum,
  change: ErratumChange,
  pointer: string,
  found: JsonValue | undefined,
  place: string,
): McpgenError {
  const fixed = isSameValue(found, change.new);
  return new McpgenError(
    `erratum ${erratum.id} expects ${showErratumValue(change.old)} here and found ${showErratumValue(found)}${
      fixed ? ', which is already right' : ''
    }`,
    {
      place: `${place}#${pointer}`,
      remedy: fixed
        ? 'The file was fixed upstream: retire the erratum, or pass --no-errata to read the file as it is.'
        : 'The file differs from the one that the erratum was written for: check it, or pass --no-errata to read it as it is.',
    },
  );
}

function isSameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  // Stryker disable next-line ConditionalExpression,LogicalOperator: undefined has no JSON text either, this is for its type
  if (a === undefined || b === undefined) return a === b;
  return stableStringify(a) === stableStringify(b);
}

function showErratumValue(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : stableStringify(value).slice(0, 120);
}

function getByPointer(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const token of parsePointer(pointer)) {
    if (Array.isArray(value)) value = (value as JsonValue[])[Number(token)];
    else if (isObject(value)) value = ownMember(value, token);
    else return undefined;
  }
  return value;
}

/** A copy of `root` with one value replaced or added; only the path to it is copied. */
function setByTokens(root: JsonValue, tokens: readonly string[], value: JsonValue): JsonValue {
  const [token, ...rest] = tokens;
  if (token === undefined) return value;
  if (Array.isArray(root)) {
    return root.map((item: JsonValue, index) => (index === Number(token) ? setByTokens(item, rest, value) : item));
  }
  const object = isObject(root) ? root : {};
  const entries = Object.entries(object).map(([key, item]): [string, JsonValue] => [
    key,
    key === token ? setByTokens(item, rest, value) : item,
  ]);
  if (!Object.hasOwn(object, token)) entries.push([token, value]);
  return objectFromEntries(entries);
}
