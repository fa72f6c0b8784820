import type { Subject } from '../model/diff/change.js';
import {
  groupsOf,
  summaryText,
  verdictText,
  type ChangeGroup,
  type DiffReport,
  type ReportChange,
} from '../print/diff/report.js';
import { colour, say } from '../terminal.js';
import { escapeHidden } from '../text.js';

const HEADINGS: readonly (readonly [Subject, string])[] = [
  ['protocol', 'Protocol'],
  ['method', 'Methods'],
  ['error', 'Error codes'],
  ['definition', 'Definitions'],
];
/** Most places that are named where one change stands in many. */
const MOST_NAMES = 8;
/** Longest text of a type, in characters. */
const LONGEST = 100;

/** Prints a report for a person: the summary, then the changes, breaking ones first in each section. */
export function sayReport(report: DiffReport): void {
  const { from, to, summary } = report;
  const draft = to.status === 'draft' ? colour.yellow(' (draft, may still change)') : '';
  say(`${colour.bold(`${escapeHidden(from.given)} → ${escapeHidden(to.given)}`)}${draft}`);
  const line = summaryText(report);
  say(`  ${summary.breaking > 0 ? colour.red(line) : colour.green(line)}`);
  if (summary.changes === 0) return;
  const { methods, definitions } = summary;
  say(`  methods: ${methods.added} added, ${methods.removed} removed, ${methods.changed} changed`);
  say(
    `  definitions: ${definitions.added} added, ${definitions.removed} removed, ${definitions.renamed} renamed, ${definitions.changed} changed`,
  );
  if (to.catalog === 'derived' || from.catalog === 'derived') {
    say(colour.dim('  without a catalog, methods are derived from the schema; give one for what it cannot say'));
  }
  for (const [subject, heading] of HEADINGS) {
    const groups = groupsOf(report.changes.filter((change) => change.subject === subject));
    if (groups.length === 0) continue;
    say(`\n${colour.bold(heading)}`);
    for (const group of [...groups.filter(isBreaking), ...groups.filter((item) => !isBreaking(item))]) sayGroup(group);
  }
}

function isBreaking({ first }: ChangeGroup): boolean {
  return verdictText(first) !== 'safe';
}

function sayGroup(group: ChangeGroup): void {
  const { first, changes, tail } = group;
  const sign = /added|extracted/.test(first.rule) ? '+' : /removed|inlined|forbidden/.test(first.rule) ? '-' : '~';
  const paint = isBreaking(group) ? colour.red : colour.green;
  const verdict = isBreaking(group) ? colour.red(verdictText(first)) : colour.dim('safe');
  const sent =
    first.sentBy.length === 0 || changes.length > 1 ? '' : colour.dim(` (sent by ${first.sentBy.join(' and ')})`);
  const place = changes.length === 1 ? first.place : `${changes.length} definitions${tail === '' ? '' : ` ${tail}`}`;
  say(`  ${paint(sign)} ${colour.cyan(place)}  ${first.title}  ${verdict}${sent}`);
  const types = transition(first);
  if (types !== '') say(`      ${types}`);
  if (changes.length === 1) {
    if (first.detail !== null) say(`      ${colour.dim(first.detail)}`);
    return;
  }
  const names = changes.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = changes.length - names.length;
  say(`      ${colour.dim(`in ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`)}`);
}

function transition({ before, after }: ReportChange): string {
  if (before !== null && after !== null) return `${clip(before)} → ${clip(after)}`;
  return clip(before ?? after ?? '');
}

function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
