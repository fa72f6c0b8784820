import { RULES } from '../../model/diff/rules.js';
import { groupsOf, summaryText, verdictText, type ChangeGroup, type DiffReport, type ReportChange } from './report.js';
import { codeSpan } from '../markdown.js';

/** Most places that one line names. */
const MOST_NAMES = 12;
/** GitHub refuses a text of more than 65,536 characters; the rest is left for what stands around it. */
export const LONGEST = 60_000;

/**
 * The report as Markdown for a pull request: summary first, breaking changes in full, the others folded.
 *
 * @param longest - Most characters that it may have; lines beyond are left out, and it says so.
 */
export function markdownOf(report: DiffReport, longest = LONGEST): string {
  const groups = groupsOf(report.changes);
  const breaking = groups.filter(({ first }) => verdictText(first) !== 'safe');
  const safe = groups.filter(({ first }) => verdictText(first) === 'safe');
  const { summary, from, to } = report;
  const lines = [
    `## ${plain(from.given)} → ${plain(to.given)}${to.status === 'draft' ? ' (draft)' : ''}`,
    '',
    `**${summaryText(report)}.** ` +
      `Methods: ${summary.methods.added} added, ${summary.methods.removed} removed, ${summary.methods.changed} changed. ` +
      `Definitions: ${summary.definitions.added} added, ${summary.definitions.removed} removed, ` +
      `${summary.definitions.renamed} renamed, ${summary.definitions.changed} changed. Error codes: ${summary.errors}.`,
    ...(breaking.length === 0 ? [] : ['', '### Breaking', '', ...table(breaking)]),
    ...(safe.length === 0
      ? []
      : ['', `<details><summary>Not breaking (${count(safe)})</summary>`, '', ...table(safe), '', '</details>']),
  ];
  return cut(lines, longest);
}

/** The rules as a Markdown table, for the documentation. */
export function rulesMarkdown(): string {
  return [
    row(['rule', 'change', 'sender', 'receiver', 'why']),
    row(['---', '---', '---', '---', '---']),
    ...Object.entries(RULES).map(([id, { title, sender, receiver, why }]) =>
      row([`\`${id}\``, title, sender, receiver, why]),
    ),
  ].join('\n');
}

function table(groups: readonly ChangeGroup[]): readonly string[] {
  return [
    row(['where', 'change', 'before', 'after', 'effect']),
    row(['---', '---', '---', '---', '---']),
    ...groups.map((group) => {
      const { first } = group;
      const sent = first.sentBy.length === 0 ? '' : `, sent by ${first.sentBy.join(' and ')}`;
      return row([
        places(group),
        plain(first.title) + (group.changes.length === 1 ? detail(first) : ''),
        code(first.before),
        code(first.after),
        verdictText(first) + sent,
      ]);
    }),
  ];
}

function places({ changes }: ChangeGroup): string {
  const shown = changes.slice(0, MOST_NAMES).map(({ place }) => code(place));
  const more = changes.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function detail({ detail: text }: ReportChange): string {
  return text === null ? '' : `: ${plain(text)}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function count(groups: readonly ChangeGroup[]): number {
  return groups.reduce((sum, { changes }) => sum + changes.length, 0);
}

/** Text that stays text: no markup, no mention of a user, no break of a cell. */
function plain(text: string): string {
  return clip(text)
    .replace(/[\\`*_{}[\]()#+!|~>$]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('@', '&#64;')
    .replaceAll('://', ':&#47;&#47;');
}

function code(text: string | null): string {
  if (text === null) return '';
  return codeSpan(clip(text));
}

function clip(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

function cut(lines: readonly string[], longest: number): string {
  const kept: string[] = [];
  let length = 0;
  for (const [index, line] of lines.entries()) {
    length += line.length + 1;
    if (length > longest) {
      const isFolded = kept.some((item) => item.startsWith('<details>'));
      return [...kept, '', ...(isFolded ? ['</details>', ''] : []), `(${lines.length - index} lines left out)`].join(
        '\n',
      );
    }
    kept.push(line);
  }
  return kept.join('\n');
}
