/** Prints what a replay found. */
import type { JsonValue } from '../read/json/json.js';
import { diffLines } from 'diff';
import type { ValueDifference } from './compare.js';
import type { LooseKind } from './matchers.js';
import type { MessageDifference, PlayResult } from './play.js';

/** How lines are colored; each function returns the text as it is without colors. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly dim: (text: string) => string;
}

/** Longest value in the output, in UTF-16 code units. */
const MAX_VALUE_LENGTH = 400;

const LOOSE_NAMES: Readonly<Record<LooseKind, readonly [string, string]>> = {
  cursor: ['cursor', 'cursors'],
  time: ['time', 'times'],
  token: ['token', 'tokens'],
  version: ['version', 'versions'],
  state: ['request state', 'request states'],
  redacted: ['redacted value', 'redacted values'],
  ignored: ['ignored value', 'ignored values'],
  pattern: ['value that matches a pattern', 'values that match a pattern'],
};

/** The differences as lines. */
export function differenceLines(differences: readonly MessageDifference[], paint: Paint): readonly string[] {
  return differences.flatMap((difference) => ['', ...linesOf(difference, paint)]).slice(1);
}

function linesOf(difference: MessageDifference, paint: Paint): readonly string[] {
  const head = paint.bold(titleOf(difference));
  if (difference.kind === 'missing') return [head, paint.red('- not sent')];
  if (difference.kind === 'unexpected') return [head, paint.green(`+ ${shown(difference.message)}`)];
  return [head, ...difference.values.flatMap((value) => valueLines(value, paint))];
}

/** What differs, in a line: `response of tools/call, id 3 (frame 12)`. */
export function titleOf(difference: MessageDifference): string {
  const { method, what, id } = difference;
  const name =
    what === 'response' ? `response of ${method === '' ? 'an unknown request' : method}` : `${what} ${method}`;
  const place = difference.kind === 'unexpected' ? 'not in the recording' : `frame ${difference.frame}`;
  return `${name}${id === undefined ? '' : `, id ${JSON.stringify(id)}`} (${place})`;
}

function valueLines({ pointer, expected, found, pattern }: ValueDifference, paint: Paint): readonly string[] {
  const head = `  ${pointer}`;
  if (pattern !== undefined)
    return [
      head,
      paint.red(`  - matches ${pattern}`),
      paint.green(`  + ${found === undefined ? 'missing' : shown(found)}`),
    ];
  if (typeof expected === 'string' && typeof found === 'string' && expected.includes('\n') && found.includes('\n'))
    return [head, ...textLines(expected, found, paint)];
  return [
    head,
    ...(expected === undefined ? [] : [paint.red(`  - ${shown(expected)}`)]),
    ...(found === undefined ? [] : [paint.green(`  + ${shown(found)}`)]),
  ];
}

/** Lines around a change of a text that are shown. */
const CONTEXT = 2;
/** Most lines of one change of a text. */
const MAX_TEXT_LINES = 40;

function textLines(expected: string, found: string, paint: Paint): readonly string[] {
  const parts = diffLines(expected, found, { timeout: 1000 });
  // It takes too long to align them.
  if (parts === undefined) return [paint.red(`  - ${shown(expected)}`), paint.green(`  + ${shown(found)}`)];
  const lines = parts.flatMap(({ value, added, removed }, index) => {
    const own = value.replace(/\n$/, '').split('\n');
    if (removed) return own.map((line) => paint.red(`  - ${cut(line)}`));
    if (added) return own.map((line) => paint.green(`  + ${cut(line)}`));
    const head = index === 0 ? [] : own.slice(0, CONTEXT);
    const tail = index === parts.length - 1 ? [] : own.slice(Math.max(head.length, own.length - CONTEXT));
    const gap = head.length + tail.length < own.length ? [paint.dim('    …')] : [];
    return [...head.map((line) => `    ${cut(line)}`), ...gap, ...tail.map((line) => `    ${cut(line)}`)];
  });
  return lines.length > MAX_TEXT_LINES
    ? [...lines.slice(0, MAX_TEXT_LINES), paint.dim(`    … ${lines.length - MAX_TEXT_LINES} more lines`)]
    : lines;
}

function shown(value: JsonValue): string {
  return cut(JSON.stringify(value));
}

function cut(text: string): string {
  return text.length > MAX_VALUE_LENGTH
    ? `${text.slice(0, MAX_VALUE_LENGTH)}… (${text.length - MAX_VALUE_LENGTH} more characters)`
    : text;
}

/** How many messages are the same, and what was not compared exactly, in a line. */
export function summaryLine({
  differences,
  compared,
  loose,
}: Pick<PlayResult, 'differences' | 'compared' | 'loose'>): string {
  const count = differences.length;
  const messages = `${compared} ${compared === 1 ? 'message' : 'messages'} compared`;
  const result = count === 0 ? 'no difference' : count === 1 ? '1 differs' : `${count} differ`;
  const kinds = [...loose].map(([kind, number]) => `${number} ${LOOSE_NAMES[kind][number === 1 ? 0 : 1]}`);
  return `${messages}, ${result}${kinds.length === 0 ? '' : `; not compared exactly: ${kinds.join(', ')}`}.`;
}
