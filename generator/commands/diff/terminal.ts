import type { Subject } from '../../model/diff/change.js';
import {
  groupChanges,
  summaryText,
  verdictText,
  type AffectedCode,
  type AffectedLine,
  type ChangeGroup,
  type DiffReport,
  type ReportChange,
} from '../../print/diff/report.js';
import { stdoutColors, printLine } from '../../terminal.js';
import { wrapText } from '../../print/doc-comment.js';
import { escapeHiddenCharacters } from '../../text.js';
import { pluralize } from '../shared/file-changes.js';

const SUBJECT_HEADINGS: readonly (readonly [Subject, string])[] = [
  ['protocol', 'Protocol'],
  ['method', 'Methods'],
  ['error', 'Error codes'],
  ['definition', 'Definitions'],
];
/** Most places that are listed for one change. */
const MAX_LISTED_NAMES = 8;
/** Longest text of a type, in characters. */
const MAX_LINE_LENGTH = 100;
/** Indentation of what is below a change. */
const DETAIL = ' '.repeat(6);

/**
 * Prints a report to the terminal: the summary, then the changes, breaking ones first in each section.
 *
 * @param isSummary - Leaves out the changes, which a page lists.
 */
export function printDiffReport(report: DiffReport, isSummary = false): void {
  const { from, to, summary } = report;
  const draft = to.status === 'draft' ? stdoutColors.yellow(' (draft, may still change)') : '';
  printLine(
    `${stdoutColors.bold(`${escapeHiddenCharacters(from.given)} → ${escapeHiddenCharacters(to.given)}`)}${draft}`,
  );
  const line = summaryText(report);
  printLine(`  ${summary.breaking > 0 ? stdoutColors.red(line) : stdoutColors.green(line)}`);
  if (summary.changes === 0) return;
  const { methods, definitions } = summary;
  printLine(`  methods: ${methods.added} added, ${methods.removed} removed, ${methods.changed} changed`);
  printLine(
    `  definitions: ${definitions.added} added, ${definitions.removed} removed, ${definitions.renamed} renamed, ${definitions.changed} changed`,
  );
  if (to.catalog === 'derived' || from.catalog === 'derived') {
    printLine(
      stdoutColors.dim('  no catalog: methods are derived from the schema, without what only a catalog can define'),
    );
  }
  if (report.code !== undefined) {
    printAffectedCode(report.code);
    return;
  }
  if (isSummary) return;
  for (const [subject, heading] of SUBJECT_HEADINGS) {
    const groups = groupChanges(report.changes.filter((change) => change.subject === subject));
    if (groups.length === 0) continue;
    printLine(`\n${stdoutColors.bold(heading)}`);
    for (const group of [...groups.filter(isBreakingGroup), ...groups.filter((item) => !isBreakingGroup(item))])
      printChangeGroup(group);
  }
}

/** Prints the affected lines of a program below the change that each names. */
function printAffectedCode({ folder, files, groups }: AffectedCode): void {
  const lines = groups.flatMap((group) => group.lines);
  const places = `${pluralize(lines.length, 'error')} in ${pluralize(new Set(lines.map(({ file }) => file)).size, 'file')}`;
  const checked = `${pluralize(files, 'file')} of ${escapeHiddenCharacters(folder)} checked with the new types`;
  printLine(`  ${checked}: ${lines.length === 0 ? stdoutColors.green('all compile') : stdoutColors.red(places)}`);
  for (const { change, lines: affected } of groups) {
    const heading =
      change === null
        ? stdoutColors.bold('Other errors')
        : `${stdoutColors.cyan(change.place)}  ${change.title}  ${transition(change)}`.trimEnd();
    printLine(`\n${heading}`);
    for (const [place, { code, messages }] of byLine(affected)) {
      printLine(`  ${escapeHiddenCharacters(place)}  ${truncateLine(escapeHiddenCharacters(code))}`);
      for (const message of messages) {
        for (const row of wrapText(escapeHiddenCharacters(message), MAX_LINE_LENGTH - 6))
          printLine(`      ${stdoutColors.dim(row)}`);
      }
    }
  }
}

/** The lines by the place of their first error, each with the last line of what the compiler says of each error. */
function byLine(
  affected: readonly AffectedLine[],
): ReadonlyMap<string, { readonly code: string; readonly messages: ReadonlySet<string> }> {
  const found = new Map<string, { readonly place: string; readonly code: string; readonly messages: Set<string> }>();
  for (const { file, line, column, message, code } of affected) {
    const entry = found.get(`${file}:${line}`) ?? { place: `${file}:${line}:${column}`, code, messages: new Set() };
    entry.messages.add(message.split('\n').at(-1)?.trim() ?? '');
    found.set(`${file}:${line}`, entry);
  }
  return new Map([...found.values()].map(({ place, ...entry }) => [place, entry]));
}

function isBreakingGroup({ first }: ChangeGroup): boolean {
  return verdictText(first) !== 'safe';
}

function printChangeGroup(group: ChangeGroup): void {
  const { first, changes, tail } = group;
  const [sign, paint] = /added|extracted/.test(first.rule)
    ? ['+', stdoutColors.green]
    : /removed|inlined|forbidden/.test(first.rule)
      ? ['-', stdoutColors.red]
      : ['~', stdoutColors.yellow];
  const verdict = verdictText(first);
  const types = transition(first);
  // A method's own line says who sends it.
  const isNamed = first.sentBy.length === 0 || changes.length > 1 || types.includes('sent by');
  const sent = isNamed ? '' : ` (sent by ${first.sentBy.length > 1 ? 'both' : first.sentBy.join('')})`;
  const place = changes.length === 1 ? first.place : `${changes.length} definitions${tail === '' ? '' : ` ${tail}`}`;
  const fits = `  ${sign} ${place}  ${first.title}  ${verdict}${sent}`.length <= terminalWidth();
  const head = `  ${paint(sign)} ${stdoutColors.cyan(place)}`;
  const rating = `${isBreakingGroup(group) ? stdoutColors.red(verdict) : stdoutColors.dim(verdict)}${stdoutColors.dim(sent)}`;
  if (fits) {
    printLine(`${head}  ${first.title}  ${rating}`);
  } else {
    printLine(head);
    if (`${DETAIL}${first.title}  ${verdict}${sent}`.length <= terminalWidth()) {
      printLine(`${DETAIL}${first.title}  ${rating}`);
    } else {
      printDetail(first.title);
      printLine(`${DETAIL}${rating}`);
    }
  }
  printDetail(types);
  if (changes.length === 1) {
    if (first.detail !== null) printDetail(first.detail, stdoutColors.dim);
    return;
  }
  const names = changes.slice(0, MAX_LISTED_NAMES).map(({ name }) => name);
  const more = changes.length - names.length;
  printDetail(`in ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`, stdoutColors.dim);
}

/** Prints a line below a change; in a terminal as several that fit. */
function printDetail(text: string, paint: (line: string) => string = (line) => line): void {
  const width = terminalWidth() - DETAIL.length;
  const rows = text.length <= width ? [text] : wrapText(text, width);
  for (const row of rows.filter((line) => line !== '')) printLine(`${DETAIL}${paint(row)}`);
}

/** Columns of the terminal. What is piped has no limit: a change per line is easy to search. */
function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
}

function transition({ before, after }: ReportChange): string {
  if (before !== null && after !== null) return `${truncateLine(before)} → ${truncateLine(after)}`;
  return truncateLine(before ?? after ?? '');
}

function truncateLine(text: string): string {
  return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH - 1)}…` : text;
}
