import { escapeHiddenCharacters } from '../text.js';
import { driftSections, type FindingGroup } from './groups.js';
import { DRIFT_KIND_TEXTS, type DriftReport } from './report.js';
import { codeSpan } from '../print/markdown.js';

/** A report as Markdown, for an issue, a pull request or the summary of a CI run. */
export function driftMarkdown(report: DriftReport): string {
  const { summary, package: packageInfo } = report;
  const { counted, explained } = driftSections(report);
  const missing = report.definitions.filter(({ status }) => status === 'missing');
  const parts = [
    `## ${codeCell(packageInfo.specifier)} ${escapeCell(packageInfo.version ?? '')} against ${report.revision}`.replace(
      /\s+/g,
      ' ',
    ),
    report.drift
      ? `Of ${summary.definitions} definitions ${summary.same} are the same, ${summary.drift} differ and ${summary.missing} are missing.`
      : `No drift: ${summary.same} of ${summary.definitions} definitions are the same.`,
    ...counted.map(
      ({ kind, findings, groups }) =>
        `### ${kind} (${findings}): ${DRIFT_KIND_TEXTS[kind]}\n\n${findingsTable(groups)}`,
    ),
    missing.length === 0
      ? ''
      : `### missing types (${missing.length})\n\n${missing.map(({ name }) => codeCell(name)).join(', ')}`,
    explained.length === 0
      ? ''
      : `### explained by errata\n\nTheirs follows the schema as published; the specification differs.\n\n${findingsTable(explained)}`,
    ...report.notes.map((note) => `Note: ${escapeCell(note)}`),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function findingsTable(groups: readonly FindingGroup[]): string {
  const rows = groups.map(({ places, more, theirs, ours, detail, erratum }) => {
    const where = places.map(codeCell).join('<br>') + (more === 0 ? '' : `<br>and ${more} more that use it`);
    const note = [
      detail === undefined ? [] : escapeCell(detail),
      erratum === undefined ? [] : `erratum ${codeCell(erratum)}`,
    ];
    return `| ${where} | ${codeCell(theirs)} | ${codeCell(ours)} | ${note.flat().join('; ')} |`;
  });
  return ['| where | theirs | ours | |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** Formats a text as code. */
function codeCell(text: string): string {
  return codeSpan(escapeHiddenCharacters(text));
}

function escapeCell(text: string): string {
  return escapeHiddenCharacters(text).replace(/[\\`*_{}[\]<>#|]/g, '\\$&');
}
