/** Cuts what is too large for a page. */
import { formatPointer, isObject, objectFromEntries, type JsonValue } from '../../read/json/json.js';

/** Longest string that is kept, in UTF-16 code units. */
const MAX_STRING = 4000;
/** Most members of an object or items of a list. */
const MAX_CHILDREN = 500;
/** Deepest nesting. */
const MAX_DEPTH = 64;
/** Most values of one frame. */
const MAX_VALUES = 5000;

/** Something that was cut. */
export interface Cut {
  /** JSON pointer to the value that is incomplete. */
  readonly pointer: string;
  /** What is missing: `120,000 more characters`. */
  readonly missing: string;
}

/** A value that fits into a page, and what was cut from it. */
export interface BoundedJson {
  readonly value: JsonValue;
  readonly cuts: readonly Cut[];
}

/** Cuts long strings, long lists and deep values, so that a frame of any size fits into a page. */
export function boundJson(value: JsonValue): BoundedJson {
  const cuts: Cut[] = [];
  let values = 0;
  const visit = (item: JsonValue, pointer: string, depth: number): JsonValue => {
    values += 1;
    if (typeof item === 'string') {
      if (item.length <= MAX_STRING) return item;
      cuts.push({ pointer, missing: `${count(item.length - MAX_STRING)} more characters` });
      return item.slice(0, MAX_STRING);
    }
    if (item === null || typeof item !== 'object') return item;
    const entries = Object.entries(item as Readonly<Record<string, JsonValue>>);
    const allowed = depth >= MAX_DEPTH ? 0 : Math.min(MAX_CHILDREN, Math.max(0, MAX_VALUES - values));
    if (entries.length > allowed) {
      const missing = entries.length - allowed;
      cuts.push({
        pointer,
        missing: `${count(missing)} more ${isObject(item) ? 'member' : 'item'}${missing === 1 ? '' : 's'}`,
      });
    }
    const children = entries
      .slice(0, allowed)
      .map(([key, child]) => [key, visit(child, pointer + formatPointer(key), depth + 1)] as const);
    return isObject(item) ? objectFromEntries(children) : children.map(([, child]) => child);
  };
  return { value: visit(value, '', 0), cuts };
}

/** The beginning of a text, and how many code units are missing. */
export function boundText(text: string): { readonly text: string; readonly missing: number } {
  return { text: text.slice(0, MAX_STRING), missing: Math.max(0, text.length - MAX_STRING) };
}

/** A number with separators, independent of the locale. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
