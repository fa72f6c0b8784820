/** Prints what an inspection found. */
import process from 'node:process';
import type { Finding } from '../../inspect/finding.js';
import type { ConversationReport, InspectionReport } from '../../inspect/inspect.js';
import { SEVERITIES } from '../../inspect/rule.js';
import { RULES, sectionUrl, type RuleId, type Severity } from '../../inspect/rules.js';
import type { MethodStatistics } from '../../inspect/statistics.js';
import { FORMAT_NAMES } from '../../recording/read.js';
import { formatTable, printLine, stdoutColors, type Cell } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import { PAINT } from '../shared/severity-colors.js';

/** Findings of one rule that are printed without `--all`. */
const MAX_SHOWN = 5;
/** Unanswered requests that are printed without `--all`. */
const MAX_UNANSWERED = 10;

/** Prints the report of a file. */
export function printInspection(file: string, report: InspectionReport, all: boolean): void {
  for (const [index, conversation] of report.conversations.entries()) {
    if (index > 0) printLine();
    const title = report.conversations.length === 1 ? file : `${file}, ${conversation.name}`;
    printConversation(title, report, conversation, all);
  }
  printLine();
  printLine(summaryText(report));
}

/** The last line: how many findings there are; in color unless `isPlain`. */
export function summaryText(report: InspectionReport, isPlain = false): string {
  const counts = countBySeverity(report);
  const total = counts.violation + counts.deviation + counts.advice;
  const where = report.conversations.length === 1 ? '' : ` in ${report.conversations.length} conversations`;
  if (total === 0) return isPlain ? `no findings${where}` : stdoutColors.green(`no findings${where}`);
  const parts = SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) => {
    const text = `${counts[severity]} ${plural(severity, counts[severity])}`;
    return isPlain ? text : PAINT[severity](text);
  });
  return `${parts.join(', ')}${where}`;
}

/** How many findings a report has, by severity. */
export function countBySeverity(report: InspectionReport): Readonly<Record<Severity, number>> {
  const counts = { violation: 0, deviation: 0, advice: 0 };
  for (const { rules } of report.conversations) for (const { severity, count } of rules) counts[severity] += count;
  return counts;
}

function plural(severity: Severity, count: number): string {
  return severity === 'advice' || count === 1 ? severity : `${severity}s`;
}

function printConversation(
  title: string,
  report: InspectionReport,
  { header, revisions, rules, findings, ignored, statistics }: ConversationReport,
  all: boolean,
): void {
  const { requests, notifications, responses, invalid, durationMs } = statistics;
  const facts = [
    report.format === undefined ? undefined : FORMAT_NAMES[report.format],
    header?.transport,
    revisions.length === 0 ? 'revision unknown' : revisions.join(', '),
    durationMs === null ? undefined : duration(durationMs),
  ].filter((fact) => fact !== undefined);
  printLine(`${stdoutColors.bold(oneLine(title))}: ${facts.join(', ')}`);
  if (header?.client !== undefined && header.server !== undefined)
    printLine(stdoutColors.dim(`${oneLine(header.client)} with ${oneLine(header.server)}`));
  const counted = [
    `${requests} requests`,
    `${responses} responses`,
    `${notifications} notifications`,
    ...(invalid > 0 ? [`${invalid} invalid`] : []),
    ...(report.skipped > 0 ? [`${report.skipped} other lines`] : []),
    ...(ignored > 0 ? [`${ignored} findings ignored`] : []),
  ];
  printLine(stdoutColors.dim(counted.join(', ')));
  for (const { rule, severity, count } of rules) {
    printLine();
    printLine(
      `${PAINT[severity](severity)} ${stdoutColors.bold(rule)}: ${RULES[rule].title}${count > 1 ? ` (${count})` : ''}`,
    );
    const own = findings.filter((finding) => finding.rule === rule);
    const shown = all ? own : own.slice(0, MAX_SHOWN);
    for (const finding of shown) printLine(`  ${findingText(finding)}`);
    const more = count - shown.length;
    if (more > 0) printLine(stdoutColors.dim(`  and ${more} more${all ? '' : '; --all prints them'}`));
    printLine(stdoutColors.dim(`  ${RULES[rule].help}`));
    printLine(stdoutColors.dim(`  ${sectionUrl(rule, own[0]?.revision)}`));
  }
  printStatistics(statistics, all);
}

/** One finding on one line. */
export function findingText({ frame, by, message, pointer, related }: Finding): string {
  const where = pointer === undefined || pointer === '' ? '' : `  ${stdoutColors.cyan(oneLine(pointer))}`;
  const other = related === undefined || related === frame ? '' : stdoutColors.dim(`  (see #${related})`);
  return `#${frame} ${by}: ${oneLine(message)}${where}${other}`;
}

/** One finding while a conversation goes on. */
export function liveText(finding: Finding): string {
  return `${PAINT[finding.severity](finding.severity)} ${stdoutColors.bold(finding.rule)} ${findingText(finding)}`;
}

function printStatistics({ methods, errors, unanswered }: ConversationReport['statistics'], all: boolean): void {
  const requests = methods.filter(({ kind }) => kind === 'request');
  if (requests.length > 0) {
    printLine();
    const hasTimes = requests.some(({ latency }) => latency !== null);
    const head = ['Method', 'by', 'count', 'errors', 'unanswered', ...(hasTimes ? ['p50', 'p95', 'max'] : [])];
    printLine(
      formatTable(
        head,
        requests.map((method) => methodRow(method, hasTimes)),
        process.stdout.columns,
      ),
    );
  }
  if (errors.length > 0) {
    const listed = errors.map(({ code, count, frame }) => `${code} (${count}, first #${frame})`);
    printLine(`\n${stdoutColors.bold('Errors by code')}: ${listed.join(', ')}`);
  }
  if (unanswered.length === 0) return;
  printLine(`\n${stdoutColors.bold('Unanswered')}`);
  const shown = all ? unanswered : unanswered.slice(0, MAX_UNANSWERED);
  for (const { frame, from, method, id, isCancelled } of shown)
    printLine(
      `  #${frame} ${from}: ${oneLine(method)}, id ${oneLine(JSON.stringify(id))}${isCancelled ? ', cancelled' : ''}`,
    );
  if (unanswered.length > shown.length) printLine(stdoutColors.dim(`  and ${unanswered.length - shown.length} more`));
}

function methodRow(method: MethodStatistics, hasTimes: boolean): readonly Cell[] {
  const { latency } = method;
  const number = (value: number): Cell => ({ text: value === 0 ? '-' : String(value) });
  const time = (value: number | undefined): Cell => ({ text: value === undefined ? '-' : duration(value) });
  return [
    { text: oneLine(method.method) },
    { text: method.from },
    number(method.count),
    number(method.errors),
    number(method.unanswered),
    ...(hasTimes ? [time(latency?.p50), time(latency?.p95), time(latency?.max)] : []),
  ];
}

/** A time for people. */
function duration(milliseconds: number): string {
  if (milliseconds < 1) return `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 1000) return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Longest text of a conversation on one line. */
const MAX_TEXT = 300;

/** Text of a conversation: one line, in which nothing controls the terminal. */
function oneLine(text: string): string {
  const line = escapeHiddenCharacters(text.replace(/\s+/g, ' '));
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT - 3)}...`;
}

/** Prints all rules. */
export function printRules(): void {
  for (const [id, rule] of Object.entries(RULES) as [RuleId, (typeof RULES)[RuleId]][]) {
    printLine(`${PAINT[rule.severity](rule.severity)} ${stdoutColors.bold(id)}: ${rule.title}`);
    printLine(stdoutColors.dim(`  ${rule.help}`));
  }
}
