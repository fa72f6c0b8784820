import { isObject, type JsonValue } from '../read/json/json.js';
import { literalKey } from './names.js';

/** Escapes text for use in a template literal, or in the type of one. */
export function templateText(text: string): string {
  return text.replaceAll(/[\\`]|\$(?=\{)/g, String.raw`\$&`);
}

/** Prints a JSON value as an expression. */
export function printValue(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(printValue).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, item]) => `${literalKey(key)}: ${printValue(item)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  // A number that is too large for JavaScript was parsed as infinity.
  return typeof value === 'number' && !Number.isFinite(value)
    ? value > 0
      ? '1e999'
      : '-1e999'
    : JSON.stringify(value);
}
