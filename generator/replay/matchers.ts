/** Which values of a message may differ from the recorded ones. */
import { McpgenError } from '../errors.js';
import { parsePointer, type JsonValue } from '../read/json/json.js';
import type { PatternCheck } from '../read/patterns.js';

/** Why a value may differ. */
export type LooseKind = 'cursor' | 'time' | 'token' | 'version' | 'state' | 'ignored' | 'pattern' | 'redacted';

/** Values at some places: `tools/call:/result/content/*` is each block of content in results of `tools/call`. */
export interface PointerPattern {
  /** The method, or that of the request; undefined for any. */
  readonly method: string | undefined;
  /** The keys; `*` is any one. */
  readonly keys: readonly string[];
}

/** What to compare how. */
export interface Matchers {
  /** Values that are different in each run may differ: cursors, times, tokens, the version of the server. */
  readonly isExact: boolean;
  /** Values that are not compared, with everything in them. */
  readonly ignored: readonly PointerPattern[];
  /** Values that must match a pattern instead of being equal. */
  readonly patterns: readonly { readonly at: PointerPattern; readonly pattern: RegExp }[];
}

/** The matchers of a command line. */
export interface MatcherOptions {
  readonly exact: boolean;
  /** Each `POINTER` or `METHOD:POINTER`. */
  readonly ignore: readonly string[];
  /** Each a pointer, `=` and a regular expression. */
  readonly match: readonly string[];
}

/**
 * Reads the matchers of a command line.
 *
 * @throws {@link McpgenError} if a pointer or a regular expression is invalid, or may take very long.
 */
export function parseMatchers(options: MatcherOptions, checkPattern: PatternCheck): Matchers {
  return {
    isExact: options.exact,
    ignored: options.ignore.map((text) => parsePointerPattern(text, '--ignore')),
    patterns: options.match.map((text) => {
      const equals = text.indexOf('=');
      if (equals < 1) {
        throw new McpgenError('not a pointer and a regular expression', {
          place: `--match ${text}`,
          remedy: "Write --match 'POINTER=REGEX', such as '/result/content/0/text=^Found \\d+'.",
        });
      }
      const source = text.slice(equals + 1);
      return {
        at: parsePointerPattern(text.slice(0, equals), '--match'),
        pattern: parsePattern(source, checkPattern),
      };
    }),
  };
}

function parsePointerPattern(text: string, option: string): PointerPattern {
  const slash = text.indexOf('/');
  const method = /^([^:]*):(?=\/)/.exec(text)?.[1] ?? /^([A-Za-z][^:]*):/.exec(text)?.[1];
  const pointer = method === undefined ? text : text.slice(method.length + 1);
  if (slash === -1 || !pointer.startsWith('/')) {
    throw new McpgenError('not a JSON pointer', {
      place: `${option} ${text}`,
      remedy: 'Write a pointer into the message, such as /result/content/0/text or tools/call:/result/content/*/text.',
    });
  }
  return { method: method === '' ? undefined : method, keys: parsePointer(pointer) };
}

function parsePattern(source: string, checkPattern: PatternCheck): RegExp {
  const place = `--match ${source}`;
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, 'u');
  } catch (error) {
    throw new McpgenError(`not a regular expression: ${(error as Error).message}`, {
      place,
      remedy: 'Escape what is meant as text with a backslash.',
      cause: error,
    });
  }
  if (checkPattern(source, 'u') === undefined) return pattern;
  throw new McpgenError('the regular expression may take very long', {
    place,
    remedy: 'Avoid nested repetitions, such as (a+)+.',
  });
}

/** Whether a pattern is the place, or above it. */
export function coversPlace({ method, keys }: PointerPattern, ofMethod: string, place: readonly string[]): boolean {
  if (method !== undefined && method !== ofMethod) return false;
  return keys.length <= place.length && keys.every((key, index) => key === '*' || key === place[index]);
}

/** Whether a pattern is exactly the place. */
export function isPlace(pattern: PointerPattern, ofMethod: string, place: readonly string[]): boolean {
  return pattern.keys.length === place.length && coversPlace(pattern, ofMethod, place);
}

/** What a recorder writes instead of a secret. */
const REDACTED = '[redacted]';

/** Members whose values the server chooses, and clients only return. */
const OPAQUE: Readonly<Record<string, LooseKind>> = {
  nextCursor: 'cursor',
  requestState: 'state',
  progressToken: 'token',
  taskId: 'token',
  sessionId: 'token',
  elicitationId: 'token',
};

/** Members of content, in which everything counts. */
const CONTENT = new Set(['data', 'blob', 'name', 'uri', 'uriTemplate', 'type', 'mimeType', 'title', 'description']);

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
const HEX = /\b(?=[0-9a-f]*\d)[0-9a-f]{32,128}\b/gi;
const ISO_TIME = /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b/g;
const HTTP_TIME =
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w ,]{6,24}\d{2}:\d{2}:\d{2}(?: (?:GMT|UTC)(?:[+-]\d{4})?)?/g;
const CLOCK = /\b\d{1,2}:\d{2}:\d{2}(?:\.\d{1,9})?(?: ?[AP]M\b)?/gi;
const EPOCH = /\b1[0-9]{12}\b/g;

/** Why two different values may differ by default; undefined if they may not. */
export function looseKind(expected: JsonValue, found: JsonValue, place: readonly string[]): LooseKind | undefined {
  if (typeof expected === 'string' && expected.includes(REDACTED)) return 'redacted';
  if (typeof expected === 'number' && typeof found === 'number')
    return isEpoch(expected, place) && isEpoch(found, place) ? 'time' : undefined;
  const name = place.at(-1) ?? '';
  if (typeof expected === 'string' && typeof found === 'string') {
    if (Object.hasOwn(OPAQUE, name)) return OPAQUE[name];
    const owner = place.at(-2) ?? '';
    if (name === 'version' && /(?:^|\/)serverInfo$/.test(owner)) return 'version';
    const [withoutTimes, otherWithoutTimes] = [maskTimes(expected), maskTimes(found)];
    if (withoutTimes === otherWithoutTimes) return 'time';
    if (maskTokens(withoutTimes) === maskTokens(otherWithoutTimes)) return 'token';
    if (!CONTENT.has(name) && isToken(expected) && isToken(found)) return 'token';
  }
  return undefined;
}

/**
 * What a recorded value looks like next time: a pattern, anything of its type, or undefined if it has to be equal.
 */
export function looseTemplate(value: JsonValue, place: readonly string[]): RegExp | 'any' | undefined {
  const name = place.at(-1) ?? '';
  if (typeof value === 'number') return isEpoch(value, place) ? 'any' : undefined;
  if (typeof value !== 'string') return undefined;
  if (Object.hasOwn(OPAQUE, name) || value.includes(REDACTED)) return 'any';
  if (name === 'version' && /(?:^|\/)serverInfo$/.test(place.at(-2) ?? '')) return 'any';
  if (!CONTENT.has(name) && isToken(value)) return 'any';
  const masked = maskTokens(maskTimes(value));
  if (masked === value) return undefined;
  const parts = masked
    .split(/<time>|<token>/)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, (character) => `\\${character}`));
  // A lookahead with a reference to it never tries another length: the first place of each part is as good as any.
  const middle = parts.slice(1, -1).map((part, index) => `(?=(.+?${part}))\\${index + 1}`);
  return new RegExp(`^${parts[0] ?? ''}${middle.join('')}.+${parts.at(-1) ?? ''}$`, 'su');
}

/** Names of members with times. */
const TIME_NAME = /time|date|stamp|expir|created|modified|(?:At|_at|^at|Since|Until|_since|_until)$|^(?:exp|iat|nbf)$/;

/**
 * Milliseconds since 1970, between 2001 and 2128; or seconds in the same years, which only the name of the member
 * distinguishes from sizes and counts.
 */
function isEpoch(value: number, place: readonly string[]): boolean {
  if (!Number.isInteger(value)) return false;
  if (value >= 1e12 && value < 5e12) return true;
  return value >= 1e9 && value < 5e9 && TIME_NAME.test(place.at(-1) ?? '');
}

function maskTimes(text: string): string {
  return text
    .replace(HTTP_TIME, '<time>')
    .replace(ISO_TIME, '<time>')
    .replace(CLOCK, '<time>')
    .replace(EPOCH, '<time>');
}

function maskTokens(text: string): string {
  return text.replace(UUID, '<token>').replace(HEX, '<token>');
}

/** A text without spaces in which letters and digits alternate often, as in random ones. */
function isToken(text: string): boolean {
  if (!/^[\w.~+/=-]{16,1024}$/.test(text)) return false;
  return (text.match(/\d[A-Za-z]|[A-Za-z]\d/g) ?? []).length >= 4;
}
