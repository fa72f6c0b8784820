import { RULES } from '../../model/diff/rules.js';
import {
  type AffectedCode,
  groupChanges,
  summaryText,
  verdictText,
  type ChangeGroup,
  type DiffReport,
  type ReportChange,
} from './report.js';
import { codeSpan } from '../markdown.js';

/** Most places that one line lists. */
const MAX_LISTED_LOCATIONS = 12;
/** GitHub rejects texts of more than 65,536 characters; the difference is left for surrounding text. */
export const MAX_MARKDOWN_LENGTH = 60_000;

/**
 * Renders the report as Markdown for a pull request: summary first, breaking changes in full, the others folded.
 *
 * @param maxLength - Maximum length in characters; further lines are omitted, with a note.
 */
export function diffMarkdown(report: DiffReport, maxLength = MAX_MARKDOWN_LENGTH): string {
  const groups = groupChanges(report.changes);
  const breaking = groups.filter(({ first }) => verdictText(first) !== 'safe');
  const safe = groups.filter(({ first }) => verdictText(first) === 'safe');
  const { summary, from, to } = report;
  const lines = [
    `## ${escapeMarkdown(from.given)} → ${escapeMarkdown(to.given)}${to.status === 'draft' ? ' (draft)' : ''}`,
    '',
    `**${summaryText(report)}.** ` +
      `Methods: ${summary.methods.added} added, ${summary.methods.removed} removed, ${summary.methods.changed} changed. ` +
      `Definitions: ${summary.definitions.added} added, ${summary.definitions.removed} removed, ` +
      `${summary.definitions.renamed} renamed, ${summary.definitions.changed} changed. Error codes: ${summary.errors}.`,
    ...(report.code === undefined ? [] : affectedCodeSection(report.code)),
    ...(breaking.length === 0 ? [] : ['', '### Breaking', '', ...groupsTable(breaking)]),
    ...(safe.length === 0
      ? []
      : [
          '',
          `<details><summary>Not breaking (${countChanges(safe)})</summary>`,
          '',
          ...groupsTable(safe),
          '',
          '</details>',
        ]),
  ];
  return truncateLines(lines, maxLength);
}

function affectedCodeSection({ folder, groups }: AffectedCode): readonly string[] {
  const rows = groups.flatMap(({ change, lines }) =>
    lines.map(({ file, line, code, message }) => [
      change === null ? '' : `${codeSpan(change.place)}: ${change.title}`,
      codeSpan(`${file}:${line}`),
      codeSpan(code.slice(0, 100)),
      escapeMarkdown(message.split('\n').at(-1)?.trim() ?? ''),
    ]),
  );
  return [
    '',
    `### Affected lines of ${escapeMarkdown(folder)}`,
    '',
    ...(rows.length === 0
      ? ['All files compile with the new types.']
      : [tableRow(['change', 'place', 'line', 'error']), '|---|---|---|---|', ...rows.map(tableRow)]),
  ];
}

/** The rules as a Markdown table, for the documentation. */
export function rulesMarkdown(): string {
  return [
    tableRow(['rule', 'change', 'sender', 'receiver', 'why']),
    tableRow(['---', '---', '---', '---', '---']),
    ...Object.entries(RULES).map(([id, { title, sender, receiver, why }]) =>
      tableRow([`\`${id}\``, title, sender, receiver, why]),
    ),
  ].join('\n');
}

function groupsTable(groups: readonly ChangeGroup[]): readonly string[] {
  return [
    tableRow(['where', 'change', 'before', 'after', 'effect']),
    tableRow(['---', '---', '---', '---', '---']),
    ...groups.map((group) => {
      const { first } = group;
      const sent = first.sentBy.length === 0 ? '' : `, sent by ${first.sentBy.join(' and ')}`;
      return tableRow([
        groupLocations(group),
        escapeMarkdown(first.title) + (group.changes.length === 1 ? changeDetail(first) : ''),
        tableCode(first.before),
        tableCode(first.after),
        verdictText(first) + sent,
      ]);
    }),
  ];
}

function groupLocations({ changes }: ChangeGroup): string {
  const shown = changes.slice(0, MAX_LISTED_LOCATIONS).map(({ place }) => tableCode(place));
  const more = changes.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function changeDetail({ detail: text }: ReportChange): string {
  return text === null ? '' : `: ${escapeMarkdown(text)}`;
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function countChanges(groups: readonly ChangeGroup[]): number {
  return groups.reduce((sum, { changes }) => sum + changes.length, 0);
}

/** Escapes text: no markup, no mention of a user, no break of a table cell. */
function escapeMarkdown(text: string): string {
  return truncateText(text)
    .replace(/[\\`*_{}[\]()#+!|~>$]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('@', '&#64;')
    .replaceAll('://', ':&#47;&#47;');
}

function tableCode(text: string | null): string {
  if (text === null) return '';
  return codeSpan(truncateText(text));
}

function truncateText(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

function truncateLines(lines: readonly string[], maxLength: number): string {
  const kept: string[] = [];
  let length = 0;
  for (const [index, line] of lines.entries()) {
    length += line.length + 1;
    if (length > maxLength) {
      const isFolded = kept.some((item) => item.startsWith('<details>'));
      return [...kept, '', ...(isFolded ? ['</details>', ''] : []), `(${lines.length - index} lines left out)`].join(
        '\n',
      );
    }
    kept.push(line);
  }
  return kept.join('\n');
}
