import process from 'node:process';
import { applyBaseline, formatBaseline, parseBaseline, type KnownFinding } from '../../check-server/baseline.js';
import { matchesPattern } from '../../drift/names.js';
import { McpgenError } from '../../errors.js';
import { SEVERITIES } from '../../inspect/rule.js';
import { isRuleId, ruleOf } from '../../inspect/rules.js';
import { printedRule, type PrintedFinding, type PrintedRule } from '../../print/findings/finding.js';
import { casesToJUnit, type JUnitCase } from '../../print/findings/junit.js';
import { findingsToMarkdown } from '../../print/findings/markdown.js';
import { codeSpan } from '../../print/markdown.js';
import { builtinRevisions, requireRevision } from '../../read/builtin/revisions.js';
import { readTextFile, readTextIfExists } from '../../read/files.js';
import { formatTable, printJson, printLine, printWarning, showProgress, stdoutColors } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import type { VectorFile } from '../../vectors/form.js';
import { readVectorFolder, type RevisionFile } from '../../vectors/read.js';
import { runAdapter } from '../../vectors/run/adapter.js';
import { playSessions } from '../../vectors/run/play.js';
import { killPrograms } from '../../vectors/run/process.js';
import {
  countedFindings,
  countsText,
  hasFailed,
  ReportBuilder,
  type VectorCounts,
  type VectorFinding,
  type VectorReport,
} from '../../vectors/run/report.js';
import { builtinVectors } from '../../vectors/source.js';
import { pluralize } from '../shared/file-changes.js';
import { writeReport } from '../shared/report-file.js';
import { PAINT } from '../shared/severity-colors.js';
import type { VectorsRunOptions } from './run-options.js';

/** Most failures of a rule that the terminal shows. */
const MAX_SHOWN = 5;
/** Characters of evidence that the terminal shows. */
const MAX_EVIDENCE_LENGTH = 200;

/** `mcpgen vectors run`: tests an implementation with vectors. Returns the exit code. */
export async function vectorsRunCommand(options: VectorsRunOptions): Promise<number> {
  const known = readKnown(options);
  const report = applyBaseline<VectorFinding, VectorReport>(await run(options), known);
  if (options.updateBaseline && options.baseline !== undefined)
    writeReport(options.baseline, formatBaseline(report.findings, known), '--baseline');
  if (!writeReports(report, options)) printReport(report, options);
  return !options.updateBaseline && hasFailed(report, options.failOn) ? 1 : 0;
}

function readKnown({ baseline, updateBaseline }: VectorsRunOptions): readonly KnownFinding[] {
  if (baseline === undefined) return [];
  const text = updateBaseline ? readTextIfExists(baseline) : readTextFile(baseline);
  return text === undefined ? [] : parseBaseline(text, baseline, 'vectors run');
}

/** Runs the vectors; a signal ends the program under test, too. */
async function run(options: VectorsRunOptions): Promise<VectorReport> {
  const { command, role, timeoutMs, exact } = options;
  const report = new ReportBuilder(command.join(' '), exact);
  const stop = (signal: NodeJS.Signals): void => {
    killPrograms();
    process.kill(process.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, stop);
  process.once('exit', killPrograms);
  const settings = { command, timeoutMs, onProgress: showProgress };
  try {
    if (role === 'adapter') await runAdapter(selectedFiles(options), report, settings);
    else await playSessions(selectedFiles(options), report, { ...settings, role });
  } finally {
    showProgress('');
    for (const signal of signals) process.off(signal, stop);
    process.off('exit', killPrograms);
  }
  const found = report.finish();
  if (found.counts.vectors > 0) return found;
  throw new McpgenError('no vector is selected', {
    place: options.vectors ?? 'mcpgen vectors run',
    remedy: 'Check --revision, --kind, --only and --ignore.',
  });
}

/** The files with the vectors that the options select. */
async function* selectedFiles(options: VectorsRunOptions): AsyncIterable<RevisionFile> {
  const { vectors: folder, revisions, kinds, only, ignore } = options;
  const isWanted = (kind: VectorFile['kind']): boolean => kinds.includes(kind);
  const isSelected = ({ name }: { readonly name: string }): boolean =>
    (only === undefined || only.some((pattern) => matchesPattern(name, pattern))) &&
    !ignore.some((pattern) => matchesPattern(name, pattern));
  if (folder === undefined) for (const revision of revisions ?? []) requireRevision(revision);
  const files =
    folder === undefined
      ? builtinVectors(revisions ?? builtinRevisions().map(({ revision }) => revision), isWanted)
      : readVectorFolder(folder, isWanted);
  for await (const { revision, file } of files) {
    if (revisions !== undefined && !revisions.includes(revision)) continue;
    yield { revision, file: selectVectors(file, isSelected) };
  }
}

function selectVectors(file: VectorFile, isSelected: (vector: { readonly name: string }) => boolean): VectorFile {
  switch (file.kind) {
    case 'definition':
      return { ...file, vectors: file.vectors.filter(isSelected) };
    case 'message':
      return { ...file, vectors: file.vectors.filter(isSelected) };
    case 'framing':
      return { ...file, vectors: file.vectors.filter(isSelected) };
    case 'session':
      return { ...file, vectors: file.vectors.filter(isSelected) };
  }
}

/** Writes the reports that were requested. Returns whether one went to standard output. */
function writeReports(report: VectorReport, { json, junit, markdown }: VectorsRunOptions): boolean {
  if (junit !== undefined) writeReport(junit, casesToJUnit('mcpgen vectors run', toCases(report)), '--junit');
  if (markdown !== undefined) writeReport(markdown, toMarkdown(report), '--markdown');
  if (json) printJson({ ...report, failed: countedFindings(report).length + report.omitted });
  return json || junit === '-' || markdown === '-';
}

/** What a rule means: one of `mcpgen inspect --rules`, or a keyword of JSON Schema. */
function describeRule(id: string): PrintedRule {
  if (isRuleId(id)) return printedRule(id);
  switch (id) {
    case 'valid':
      return { title: 'a valid value', help: 'The revision allows these values.' };
    case 'envelope':
      return { title: 'the envelope of JSON-RPC', help: 'What a request, a notification and a response consist of.' };
    case 'method':
      return { title: 'an unknown method', help: 'The revision has no such method.' };
    case 'direction':
      return { title: 'a method of the other side', help: 'Only the other side sends this method.' };
    default:
      return { title: `the keyword ${id} of the schema`, help: 'The schema of the revision has this rule.' };
  }
}

function toPrinted(finding: VectorFinding): PrintedFinding {
  const { rule, severity, name, status, message, revision, evidence, isKnown, subject, erratum } = finding;
  return {
    rule,
    severity,
    message: `${name}: ${statusText(status)}. ${message}${erratum === undefined ? '' : ` (erratum ${erratum})`}`,
    revisions: [revision],
    evidence,
    isKnown,
    place: { subject },
    fingerprint: `${rule} ${subject}`,
  };
}

function statusText(status: VectorFinding['status']): string {
  return status.replaceAll('-', ' ');
}

/** One test case for each group of vectors. */
function toCases(report: VectorReport): readonly JUnitCase[] {
  const failed = countedFindings(report);
  return report.groups.map(({ revision, kind, group, milliseconds, vectors, skipped }): JUnitCase => ({
    group: `${revision} ${kind}`,
    name: group,
    seconds: milliseconds / 1000,
    findings: failed
      .filter((item) => item.revision === revision && item.kind === kind && item.group === group)
      .map(toPrinted),
    ...(skipped === vectors ? { skipped: 'every vector was skipped' } : {}),
  }));
}

const COLUMNS = [
  ['vectors', 'vectors'],
  ['passed', 'passed'],
  ['wronglyAccepted', 'wrongly accepted'],
  ['wronglyRejected', 'wrongly rejected'],
  ['different', 'different'],
  ['noAnswer', 'no answer'],
  ['skipped', 'skipped'],
] as const satisfies readonly (readonly [keyof VectorCounts, string])[];

/** The numbers by revision and kind; columns in which nothing is are left out. */
function summaryRows({ groups, counts }: VectorReport): {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
} {
  const columns = COLUMNS.filter(([key], index) => index < 2 || counts[key] > 0);
  const keys = [...new Set(groups.map(({ revision, kind, group }) => JSON.stringify(rowOf(revision, kind, group))))];
  const rows = keys.map((key) => {
    const [revision = '', kind = ''] = JSON.parse(key) as readonly string[];
    const own = groups.filter((item) => JSON.stringify(rowOf(item.revision, item.kind, item.group)) === key);
    return [revision, kind, ...columns.map(([column]) => String(own.reduce((sum, item) => sum + item[column], 0)))];
  });
  return { head: ['revision', 'kind', ...columns.map(([, title]) => title)], rows };
}

/** Sessions are listed by their role, everything else by its kind. */
function rowOf(revision: string, kind: VectorFile['kind'], group: string): readonly string[] {
  return [revision, kind === 'session' ? `session (${group})` : kind];
}

function toMarkdown(report: VectorReport): string {
  const { head, rows } = summaryRows(report);
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const findings = report.findings.filter(({ erratum }) => report.exact || erratum === undefined);
  return `${[
    `# ${codeSpan(escapeHiddenCharacters(report.command))}: ${countsText(report.counts)}\n`,
    [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n'),
    '',
    ...(findings.length === 0 ? [] : [findingsToMarkdown(findings.map(toPrinted), describeRule)]),
    ...notesOf(report).map((note) => `${escapeHiddenCharacters(note)}\n`),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

/** What a reader has to know in addition to the failures. */
function notesOf({ counts, exact, findings, omitted, fixed, skipped }: VectorReport): readonly string[] {
  const known = findings.filter(({ isKnown }) => isKnown).length;
  return [
    ...skipped.map(({ reason, count }) => `Skipped ${count}: ${reason}`),
    ...(known === 0
      ? []
      : [`${pluralize(known, 'failure')} of the baseline ${known === 1 ? 'does' : 'do'} not count.`]),
    ...(counts.errata === 0 || exact
      ? []
      : [
          `Of the failures, ${counts.errata} ${counts.errata === 1 ? 'follows' : 'follow'} the official schema, which errata correct; --exact counts them.`,
        ]),
    ...(counts.otherPointer === 0
      ? []
      : [`Rejected at another place: ${pluralize(counts.otherPointer, 'invalid value')}.`]),
    ...(omitted === 0 ? [] : [`Only counted: ${pluralize(omitted, 'more failure')}.`]),
    ...(fixed.length === 0 ? [] : [`No longer found, remove from the baseline: ${fixed.join(', ')}`]),
  ];
}

function printReport(report: VectorReport, { failOn, baseline, updateBaseline }: VectorsRunOptions): void {
  const counted = countedFindings(report);
  for (const severity of SEVERITIES) {
    const own = counted.filter((finding) => finding.severity === severity);
    for (const rule of new Set(own.map((finding) => finding.rule))) {
      const all = own.filter((finding) => finding.rule === rule);
      const { title, url } = describeRule(rule);
      printLine(
        `${PAINT[severity](severity)} ${stdoutColors.bold(escapeHiddenCharacters(rule))}: ${title} (${all.length})`,
      );
      for (const finding of all.slice(0, MAX_SHOWN)) printFinding(finding);
      if (all.length > MAX_SHOWN) printLine(`  and ${all.length - MAX_SHOWN} more (--json lists them)`);
      const section = all[0]?.section ?? url;
      if (section !== undefined) printLine(stdoutColors.dim(`  ${escapeHiddenCharacters(section)}`));
      if (isRuleId(rule)) printLine(stdoutColors.dim(`  ${ruleOf(rule).help}`));
      printLine();
    }
  }
  const { head, rows } = summaryRows(report);
  printLine(
    formatTable(
      head,
      rows.map((row) => row.map((text) => ({ text }))),
      process.stdout.columns,
    ),
  );
  printLine();
  for (const { message, count } of report.problems) {
    printWarning({ place: report.command, message: count === 1 ? message : `${message} (${count} times)` });
  }
  for (const note of notesOf(report)) printLine(stdoutColors.dim(escapeHiddenCharacters(note)));
  const verdict =
    updateBaseline && baseline !== undefined
      ? `Updated ${escapeHiddenCharacters(baseline)}`
      : hasFailed(report, failOn)
        ? stdoutColors.red('Failed')
        : stdoutColors.green('Passed');
  printLine(`${verdict}: ${countsText(report.counts)}`);
}

function printFinding({ revision, name, status, message, evidence }: VectorFinding): void {
  printLine(`  ${escapeHiddenCharacters(name)}${stdoutColors.dim(` (${revision})`)}: ${statusText(status)}`);
  printLine(stdoutColors.dim(`    ${escapeHiddenCharacters(message)}`));
  for (const text of evidence?.sent.slice(-1) ?? []) {
    const line = escapeHiddenCharacters(text);
    printLine(
      stdoutColors.dim(
        `    > ${line.length > MAX_EVIDENCE_LENGTH ? `${line.slice(0, MAX_EVIDENCE_LENGTH)}...` : line}`,
      ),
    );
  }
}
