import { McpgenError } from '../../errors.js';
import { findJsonFault } from './syntax-fault.js';

/** A JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
/** A JSON object. Members are own and enumerable; look them up with {@link ownMember}. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Maximum nesting of a file, in levels; deeper values could overflow the stack. */
export const MAX_JSON_DEPTH = 256;

/**
 * Parses JSON text: ignores a BOM, and reports errors with line and column.
 *
 * @param text - File contents.
 * @param place - The name of the file in an error.
 * @throws {@link McpgenError} if it is not JSON or is nested deeper than {@link MAX_JSON_DEPTH} levels.
 */
export function parseJson(text: string, place: string): JsonValue {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  let value: JsonValue;
  try {
    value = JSON.parse(source) as JsonValue;
  } catch (error) {
    throw jsonSyntaxError(source, place, error as SyntaxError);
  }
  if (isNestedTooDeep(value)) {
    throw new McpgenError(`nested deeper than ${MAX_JSON_DEPTH} levels`, {
      place,
      remedy: 'A protocol schema is a few levels deep; check that this is the right file.',
    });
  }
  return value;
}

function jsonSyntaxError(source: string, place: string, error: SyntaxError): McpgenError {
  if (source.trim() === '') {
    return new McpgenError('the file is empty', { place, remedy: 'Pass a JSON file.' });
  }
  const fault = findJsonFault(source);
  const position = `${place}:${positionOf(source, fault?.offset ?? 0)}`;
  if (fault !== undefined && fault.offset >= source.trimEnd().length) {
    return new McpgenError('unexpected end of JSON', {
      place: position,
      remedy: 'The file seems to be truncated: complete it, or download it again.',
      cause: error,
    });
  }
  return new McpgenError(fault === undefined ? 'not valid JSON' : `not valid JSON: ${fault.message}`, {
    place: position,
    remedy: 'Fix the error there, or check that this is the right file.',
    cause: error,
  });
}

/** Line and column of an offset, both from 1. */
function positionOf(source: string, offset: number): string {
  const before = source.slice(0, offset).split('\n');
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`;
}

/**
 * Parses a custom JSON file. In addition to {@link parseJson} it requires UTF-8, and rejects duplicate members, of
 * which `JSON.parse` would silently drop one.
 *
 * @param contents - The file as text or as bytes.
 * @param place - The name of the file in an error.
 * @throws {@link McpgenError} with line and column.
 */
export function parseUntrustedJson(contents: string | Uint8Array, place: string): JsonValue {
  const text = typeof contents === 'string' ? contents : decodeText(contents, place);
  const value = parseJson(text, place);
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const repeated = findJsonFault(source);
  if (repeated !== undefined) {
    throw new McpgenError(repeated.message, {
      place: `${place}:${positionOf(source, repeated.offset)}`,
      remedy: 'Keep one of the two, or rename one.',
    });
  }
  return value;
}

function decodeText(bytes: Uint8Array, place: string): string {
  const [first, second] = bytes;
  const utf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // UTF-16 without a BOM has a zero byte in each ASCII character.
  if (utf16 || (bytes.length > 1 && (first === 0) !== (second === 0))) {
    throw new McpgenError('the file is UTF-16', { place, remedy: 'Save it as UTF-8.' });
  }
  if (bytes.subarray(0, 4096).includes(0)) {
    throw new McpgenError('the file is not text', { place, remedy: 'Pass a JSON file; check the path.' });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new McpgenError('the file is not UTF-8 text', {
      place,
      remedy: 'Save it as UTF-8, or check that this is the right file.',
      cause: error,
    });
  }
}

/**
 * Whether a value is nested deeper than a number of levels, so that recursion may not follow it. Found without
 * recursion.
 *
 * @param maxDepth - {@link MAX_JSON_DEPTH} by default.
 */
export function isNestedTooDeep(value: JsonValue, maxDepth: number = MAX_JSON_DEPTH): boolean {
  let level: JsonValue[] = [value];
  let depth = 0;
  while (level.length > 0 && depth <= maxDepth) {
    const next: JsonValue[] = [];
    for (const item of level) {
      if (item !== null && typeof item === 'object') {
        for (const child of Object.values(item)) next.push(child);
      }
    }
    level = next;
    depth += 1;
  }
  return depth > maxDepth;
}

/** Whether a JSON value is an object (not an array, not null). */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** An own member of an object, never an inherited one. */
export function ownMember(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** An own member of a member, such as `params._meta`; undefined if one of them is missing. */
export function memberAt(value: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>((at, key) => (isObject(at) ? ownMember(at, key) : undefined), value);
}

/** An object from entries that is safe for any key, including `__proto__`. */
export function objectFromEntries(entries: Iterable<readonly [string, JsonValue]>): JsonObject {
  return Object.fromEntries(entries);
}

/** A text that is equal for equal JSON values, independent of the order of members. */
export function stableStringify(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(stableStringify).join(',')}]`;
  if (isObject(value)) {
    const members = Object.keys(value)
      .sort(compareText)
      .map((key) => `${JSON.stringify(key)}:${stableStringify(value[key] as JsonValue)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** Compares by code unit: independent of the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A JSON pointer (RFC 6901) made of reference tokens. */
export function formatPointer(...tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The reference tokens of a JSON pointer (RFC 6901). */
export function parsePointer(text: string): string[] {
  return text
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}
