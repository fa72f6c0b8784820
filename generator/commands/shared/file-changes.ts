import path from 'node:path';
import { structuredPatch } from 'diff';
import type { Warning } from '../../model/protocol.js';
import { readOrigin } from '../../output/ownership.js';
import { isUpToDate, type FileChange, type PlannedFile } from '../../output/plan.js';
import { stdoutColors, printLine, printWarning } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';

/** What is done, or would be done, to a file of each status. */
const ACTION_BY_STATUS: Readonly<Record<FileChange['status'], string>> = {
  missing: 'create',
  stale: 'update',
  orphaned: 'remove',
  unchanged: 'none',
  kept: 'none',
};
/** Most lines of a diff that are printed for one file. */
const MAX_DIFF_LINES = 12;

/**
 * Prints files to standard output, and warnings to standard error.
 *
 * @param withPaths - Whether each file begins with a comment that has its path.
 */
export function printFiles(
  files: readonly PlannedFile[],
  warnings: readonly Warning[],
  { withPaths }: { readonly withPaths: boolean },
): void {
  for (const { path: file, contents } of files) {
    process.stdout.write(withPaths ? `// file: ${file}\n${contents}\n` : contents);
  }
  for (const warning of warnings) printWarning(warning);
}

/** A file's change as `--json` prints it. */
export function fileChangeJson(change: FileChange, withDiff: boolean): object {
  const diff = withDiff ? diffExcerpt(change) : [];
  const { path: file, status } = change;
  return {
    path: file,
    status: checkWord(change),
    action: ACTION_BY_STATUS[status],
    ...(diff.length === 0 ? {} : { diff: diff.join('\n') }),
  };
}

/** Prints which files are outdated, and how they differ. */
export function printOutdatedFiles(changes: readonly FileChange[], out: string): void {
  for (const change of changes) {
    printLine(
      `${stdoutColors.red(checkWord(change).padEnd(8))}  ${escapeHiddenCharacters(path.join(out, change.path))}`,
    );
    for (const line of diffExcerpt(change)) {
      const paint = line.startsWith('-')
        ? stdoutColors.red
        : line.startsWith('+')
          ? stdoutColors.green
          : stdoutColors.dim;
      printLine(`          ${paint(line)}`);
    }
  }
}

/**
 * Prints what was done to the files of an author, or would be.
 *
 * @param notes - What to add to a file's line, by path.
 * @returns Whether anything was.
 */
export function printAuthorFileChanges(
  changes: readonly FileChange[],
  isDryRun: boolean,
  notes: ReadonlyMap<string, string> = new Map(),
  displayedPath = (file: string): string => file,
): boolean {
  const changed = changes.filter((change) => !isUpToDate(change));
  if (changed.length === 0) return false;
  const imperative = { missing: 'write', stale: 'change', orphaned: 'remove', unchanged: '', kept: '' };
  const pastTense = { missing: 'wrote', stale: 'changed', orphaned: 'removed', unchanged: '', kept: '' };
  for (const { path: file, status } of changed) {
    const what = notes.get(file);
    const word = isDryRun ? `would ${imperative[status]}` : pastTense[status];
    printLine(
      `${stdoutColors.green(word)} ${escapeHiddenCharacters(`${displayedPath(file)}${what === undefined ? '' : `: ${what}`}`)}`,
    );
  }
  for (const { path: file } of changes.filter(({ status, path: name }) => status === 'kept' && !notes.has(name))) {
    printLine(`kept ${escapeHiddenCharacters(displayedPath(file))}`);
  }
  return true;
}

/** How many files there are of each status. */
export function countByStatus(changes: readonly FileChange[], dryRun: boolean): string {
  const countOf = (status: FileChange['status']): number => changes.filter((change) => change.status === status).length;
  const prefix = dryRun ? 'to ' : '';
  const parts = [
    [countOf('missing'), dryRun ? 'to write' : 'new'],
    [countOf('stale'), dryRun ? 'to update' : 'updated'],
    [countOf('orphaned'), `${prefix}${dryRun ? 'remove' : 'removed'}`],
    [countOf('unchanged'), 'unchanged'],
    [countOf('kept'), 'kept'],
  ] as const;
  return parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`)
    .join(', ');
}

/** How a check names a file's state: `edited` if somebody changed it after mcpgen wrote it. */
function checkWord({ path: file, status, actual }: FileChange): string {
  return status === 'stale' && readOrigin(file, actual ?? '') === 'edited' ? 'edited' : status;
}

/** The first lines that differ in a stale file. */
function diffExcerpt(change: FileChange): readonly string[] {
  if (change.status !== 'stale') return [];
  const patch = structuredPatch('', '', change.actual ?? '', change.expected ?? '', '', '', { context: 0 });
  const lines = patch.hunks.flatMap((hunk) => [`@@ line ${hunk.oldStart} @@`, ...hunk.lines]);
  const shownLines = lines.slice(0, MAX_DIFF_LINES).map((line) => escapeHiddenCharacters(line.slice(0, 160)));
  const more = lines.length - shownLines.length;
  return more > 0 ? [...shownLines, `... ${pluralize(more, 'more line')}`] : shownLines;
}

/** How a failed check counts: `1 of 74 files is not up to date`. */
export function outdatedCount(outdated: number, files: number): string {
  return `${outdated} of ${pluralize(files, 'file')} ${outdated === 1 ? 'is' : 'are'} not up to date`;
}

/** A folder as messages print it. */
export function displayedFolder(out: string): string {
  return escapeHiddenCharacters(out.endsWith(path.sep) || out.endsWith('/') ? out : `${out}/`);
}

/** A count with its noun: `1 file`, `2 files`. */
export function pluralize(number: number, one: string): string {
  return `${number} ${number === 1 ? one : `${one}s`}`;
}
