/** Prints JSON so that a short value is on one line, and a long one on several. */
import { isObject, type JsonValue } from '../read/json/json.js';

/** Maximum length of a line with an array or an object. */
const WIDTH = 120;

/** JSON text with two spaces for each level, and no line break in what fits on a line. */
export function printJsonDocument(value: JsonValue): string {
  return `${print(value, '', 0)}\n`;
}

function print(value: JsonValue, indent: string, before: number): string {
  const flat = printFlat(value);
  if (typeof value !== 'object' || value === null || indent.length + before + flat.length + 1 <= WIDTH) return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? (value as readonly JsonValue[]).map((item) => inner + print(item, inner, 0))
    : Object.entries(value).map(([name, own]) => {
        const key = `${JSON.stringify(name)}: `;
        return inner + key + print(own, inner, key.length);
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open ?? ''}\n${lines.join(',\n')}\n${indent}${close ?? ''}`;
}

function printFlat(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(printFlat).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, own]) => `${JSON.stringify(name)}: ${printFlat(own)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
