/** The reports of `inspect` in other forms. */
import type { InspectionReport, LocatedFinding } from '../../inspect/inspect.js';
import { printedRule, type PrintedFinding } from '../../print/findings/finding.js';
import { findingsToMarkdown } from '../../print/findings/markdown.js';
import { findingsToSarif } from '../../print/findings/sarif.js';
import { codeSpan } from '../../print/markdown.js';
import { readMcpgenPackage } from '../../read/builtin/own-package.js';

/** The findings as a SARIF log, each at its line of the file. */
export function sarifReport(file: string, report: InspectionReport): string {
  const { version } = readMcpgenPackage();
  const log = findingsToSarif(printedFindings(file, report), {
    version,
    command: 'inspect',
    defaultFile: file,
    ruleOf: printedRule,
  });
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

/** The findings as Markdown. */
export function markdownReport(file: string, report: InspectionReport, summary: string): string {
  const findings = printedFindings(file, report);
  const body = findings.length === 0 ? '' : `\n${findingsToMarkdown(findings, printedRule)}`;
  return `# ${codeSpan(file)}\n\n${summary}\n${body}`;
}

function printedFindings(file: string, { conversations }: InspectionReport): readonly PrintedFinding[] {
  return conversations.flatMap(({ name, findings }) =>
    findings.map((finding) => printed(file, conversations.length === 1 ? undefined : name, finding)),
  );
}

function printed(file: string, conversation: string | undefined, finding: LocatedFinding): PrintedFinding {
  const { rule, severity, frame, by, message, pointer, revision, line } = finding;
  const where = [
    ...(conversation === undefined ? [] : [conversation]),
    `#${frame} ${by}`,
    ...(pointer === undefined || pointer === '' ? [] : [pointer]),
  ];
  return {
    rule,
    severity,
    message: `${where.join(' ')}: ${message}`,
    place: { file, line, frame },
    revisions: revision === undefined ? [] : [revision],
  };
}
