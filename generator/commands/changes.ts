import path from 'node:path';
import { structuredPatch } from 'diff';
import type { Warning } from '../model/protocol.js';
import { isSettled, type FileChange } from '../output/plan.js';
import { colour, note, noteColour, say } from '../terminal.js';
import { escapeHidden } from '../text.js';

/** What is done, or would be done, to a file of each status. */
const ACTIONS: Readonly<Record<FileChange['status'], string>> = {
  missing: 'create',
  stale: 'update',
  orphaned: 'remove',
  unchanged: 'none',
  kept: 'none',
};
/** Lines of a diff that are shown for one file. */
const DIFF_LINES = 12;

/** Tells a warning. */
export function noteWarning({ place, message }: Warning): void {
  note(`${noteColour.yellow('warning')}: ${escapeHidden(`${place}: ${message}`)}`);
}

/** What happens to a file, for machines. */
export function asJson(change: FileChange, withDiff: boolean): object {
  const diff = withDiff ? shortDiff(change) : [];
  const { path: file, status } = change;
  return { path: file, status, action: ACTIONS[status], ...(diff.length === 0 ? {} : { diff: diff.join('\n') }) };
}

/** Says which files are not as they should be, and how they differ. */
export function sayWrong(changes: readonly FileChange[], out: string): void {
  for (const change of changes) {
    say(`${colour.red(change.status.padEnd(8))}  ${escapeHidden(path.join(out, change.path))}`);
    for (const line of shortDiff(change)) {
      const paint = line.startsWith('-') ? colour.red : line.startsWith('+') ? colour.green : colour.dim;
      say(`          ${paint(line)}`);
    }
  }
}

/**
 * Says what was done to the files of an author, or would be.
 *
 * @param notes - More to say of a file, by path.
 * @returns Whether anything was.
 */
export function sayTouched(
  changes: readonly FileChange[],
  isDry: boolean,
  notes: ReadonlyMap<string, string> = new Map(),
  shown = (file: string): string => file,
): boolean {
  const touched = changes.filter((change) => !isSettled(change));
  if (touched.length === 0) return false;
  const words = { missing: 'write', stale: 'change', orphaned: 'remove', unchanged: '', kept: '' };
  const done = { missing: 'wrote', stale: 'changed', orphaned: 'removed', unchanged: '', kept: '' };
  for (const { path: file, status } of touched) {
    const what = notes.get(file);
    const word = isDry ? `would ${words[status]}` : done[status];
    say(`${colour.green(word)} ${escapeHidden(`${shown(file)}${what === undefined ? '' : `: ${what}`}`)}`);
  }
  for (const { path: file } of changes.filter(({ status, path: name }) => status === 'kept' && !notes.has(name))) {
    say(`kept ${escapeHidden(shown(file))}`);
  }
  return true;
}

/** How many files there are of each status. */
export function tally(changes: readonly FileChange[], dryRun: boolean): string {
  const of = (status: FileChange['status']): number => changes.filter((change) => change.status === status).length;
  const would = dryRun ? 'to ' : '';
  const parts = [
    [of('missing'), dryRun ? 'to write' : 'new'],
    [of('stale'), dryRun ? 'to update' : 'updated'],
    [of('orphaned'), `${would}${dryRun ? 'remove' : 'removed'}`],
    [of('unchanged'), 'unchanged'],
    [of('kept'), 'kept'],
  ] as const;
  return parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`)
    .join(', ');
}

/** The first lines that differ in a stale file. */
function shortDiff(change: FileChange): readonly string[] {
  if (change.status !== 'stale') return [];
  const patch = structuredPatch('', '', change.actual ?? '', change.expected ?? '', '', '', { context: 0 });
  const lines = patch.hunks.flatMap((hunk) => [`@@ line ${hunk.oldStart} @@`, ...hunk.lines]);
  const shownLines = lines.slice(0, DIFF_LINES).map((line) => escapeHidden(line.slice(0, 160)));
  const more = lines.length - shownLines.length;
  return more > 0 ? [...shownLines, `... ${count(more, 'more line')}`] : shownLines;
}

/** A folder as messages show it. */
export function shown(out: string): string {
  return escapeHidden(out.endsWith(path.sep) || out.endsWith('/') ? out : `${out}/`);
}

/** A number of things. */
export function count(number: number, one: string): string {
  return `${number} ${number === 1 ? one : `${one}s`}`;
}
