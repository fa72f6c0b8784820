import { escapeHidden } from '../text.js';
import { sectionsOf, type FindingGroup } from './groups.js';
import { KIND_TEXTS, type DriftReport } from './report.js';
import { codeSpan } from '../print/markdown.js';

/** A report for an issue, a pull request or a summary of a CI run. */
export function driftMarkdown(report: DriftReport): string {
  const { summary, package: pack } = report;
  const { counted, explained } = sectionsOf(report);
  const missing = report.definitions.filter(({ status }) => status === 'missing');
  const parts = [
    `## ${code(pack.specifier)} ${escaped(pack.version ?? '')} against ${report.revision}`.replace(/\s+/g, ' '),
    report.drift
      ? `Of ${summary.definitions} definitions ${summary.same} are the same, ${summary.drift} differ and ${summary.missing} are missing.`
      : `No drift: ${summary.same} of ${summary.definitions} definitions are the same.`,
    ...counted.map(
      ({ kind, findings, groups }) => `### ${kind} (${findings}): ${KIND_TEXTS[kind]}\n\n${tableOf(groups)}`,
    ),
    missing.length === 0
      ? ''
      : `### missing types (${missing.length})\n\n${missing.map(({ name }) => code(name)).join(', ')}`,
    explained.length === 0
      ? ''
      : `### explained by errata\n\nTheirs follows the schema as it was published; the protocol's text says otherwise.\n\n${tableOf(explained)}`,
    ...report.notes.map((note) => `Note: ${escaped(note)}`),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function tableOf(groups: readonly FindingGroup[]): string {
  const rows = groups.map(({ places, more, theirs, ours, detail, erratum }) => {
    const where = places.map(code).join('<br>') + (more === 0 ? '' : `<br>and ${more} more that use it`);
    const note = [detail === undefined ? [] : escaped(detail), erratum === undefined ? [] : `erratum ${code(erratum)}`];
    return `| ${where} | ${code(theirs)} | ${code(ours)} | ${note.flat().join('; ')} |`;
  });
  return ['| where | theirs | ours | |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** A text as code. */
function code(text: string): string {
  return codeSpan(escapeHidden(text));
}

function escaped(text: string): string {
  return escapeHidden(text).replace(/[\\`*_{}[\]<>#|]/g, '\\$&');
}
