import { isObject, type JsonValue } from '../read/json/json.js';
import { literalKey } from './names.js';

/** Prints a JSON value as an expression. */
export function printValue(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(printValue).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, item]) => `${literalKey(key)}: ${printValue(item)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  // JSON has no number that is too large; what it parses to is written as it was meant.
  return typeof value === 'number' && !Number.isFinite(value)
    ? value > 0
      ? '1e999'
      : '-1e999'
    : JSON.stringify(value);
}
