import {
  compareRunTimeSchemas,
  type RunTimeDriftOptions,
  type RunTimeDriftReport,
  type RunTimeFinding,
} from '../drift/run-time.js';
import { codeSpan } from '../print/markdown.js';
import { printJson, printLine, showProgress, stdoutColors } from '../terminal.js';
import { escapeHiddenCharacters } from '../text.js';

/** Characters of a value that the terminal shows. */
const MAX_VALUE_LENGTH = 300;

const KINDS = [
  ['narrower', 'theirs rejects what the protocol allows', stdoutColors.yellow],
  ['wider', 'theirs accepts what the protocol does not', stdoutColors.yellow],
] as const;

/** `mcpgen drift --zod`: compares run-time schemas with a revision. Returns the exit code. */
export async function runTimeDriftCommand(
  options: RunTimeDriftOptions,
  { json, markdown }: { readonly json: boolean; readonly markdown: boolean },
): Promise<number> {
  showProgress(`Comparing ${escapeHiddenCharacters(options.module)}`);
  const report = await withoutOutput(() => compareRunTimeSchemas(options));
  showProgress('');
  if (json) printJson(report);
  else if (markdown) printLine(toMarkdown(report));
  else printReport(report);
  return report.drift ? 1 : 0;
}

/** What a module writes to standard output goes to standard error, so that the report can be read by a program. */
async function withoutOutput<T>(run: () => Promise<T>): Promise<T> {
  const { stdout, stderr } = process;
  const write: typeof stdout.write = Reflect.get(stdout, 'write');
  Reflect.set(stdout, 'write', stderr.write.bind(stderr));
  try {
    return await run();
  } finally {
    stdout.write = write;
  }
}

function isCounted({ exact }: RunTimeDriftReport, { erratum }: RunTimeFinding): boolean {
  return exact || erratum === undefined;
}

function summaryOf({ definitions, drift }: RunTimeDriftReport): string {
  const count = (status: string): number => definitions.filter((item) => item.status === status).length;
  const vectors = definitions.reduce((sum, item) => sum + item.vectors, 0);
  const ignored = count('ignored');
  return `${drift ? 'Drift' : 'No drift'}: ${definitions.length} definitions, ${count('same')} the same, ${count('drift')} differ, ${count('missing')} missing${ignored === 0 ? '' : `, ${ignored} ignored`}; ${vectors} vectors`;
}

function valueText({ value }: RunTimeFinding): string {
  const text = escapeHiddenCharacters(JSON.stringify(value));
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}...` : text;
}

function detailOf({ reason, more, erratum }: RunTimeFinding): string {
  const others = more === 0 ? '' : ` (and ${more} more)`;
  return escapeHiddenCharacters(`${reason}${others}${erratum === undefined ? '' : ` [${erratum}]`}`);
}

function printReport(report: RunTimeDriftReport): void {
  printLine(
    `${stdoutColors.bold(escapeHiddenCharacters(report.module))} against ${stdoutColors.bold(report.revision)}`,
  );
  for (const [kind, text, paint] of KINDS) {
    const own = report.findings.filter((finding) => finding.kind === kind && isCounted(report, finding));
    if (own.length === 0) continue;
    printLine();
    printLine(`${paint(kind)} (${own.length}): ${text}`);
    for (const finding of own) {
      printLine(`  ${stdoutColors.bold(finding.definition)}: ${detailOf(finding)}`);
      printLine(stdoutColors.dim(`    ${valueText(finding)}`));
    }
  }
  const explained = report.findings.filter((finding) => !isCounted(report, finding));
  if (explained.length > 0) {
    printLine();
    printLine(
      `${stdoutColors.green('explained by errata')} (${explained.length}): theirs follows the schema as published`,
    );
    for (const finding of explained) printLine(`  ${stdoutColors.bold(finding.definition)}: ${detailOf(finding)}`);
  }
  printLine();
  printLine(summaryOf(report));
}

function toMarkdown(report: RunTimeDriftReport): string {
  const cell = (text: string): string => escapeHiddenCharacters(text).replace(/[\\`*_{}[\]<>#|]/g, '\\$&');
  const rows = report.findings.map(
    (finding) =>
      `| ${codeSpan(finding.definition)} | ${finding.kind} | ${codeSpan(valueText(finding))} | ${cell(detailOf(finding))} |`,
  );
  return [
    `## ${codeSpan(escapeHiddenCharacters(report.module))} against ${report.revision}`,
    '',
    `${summaryOf(report)}.`,
    ...(rows.length === 0
      ? []
      : ['', '| definition | kind | smallest value | why |', '| --- | --- | --- | --- |', ...rows]),
  ].join('\n');
}
