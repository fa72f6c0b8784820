import process from 'node:process';
import { applyBaseline, formatBaseline, parseBaseline, type KnownFinding } from '../../check-server/baseline.js';
import { hasFailure, summaryText, type CheckFinding, type CheckReport } from '../../check-server/report.js';
import { checkServer } from '../../check-server/run.js';
import { killServers } from '../../check-server/raw/stdio.js';
import type { ServerTarget } from '../../connect/target.js';
import { SEVERITIES } from '../../inspect/rule.js';
import { ruleOf } from '../../inspect/rules.js';
import { renderCheckPage } from '../../print/check-server/html.js';
import { printedRule, type PrintedFinding } from '../../print/findings/finding.js';
import { casesToJUnit, type JUnitCase } from '../../print/findings/junit.js';
import { findingsToMarkdown } from '../../print/findings/markdown.js';
import { findingsToSarif } from '../../print/findings/sarif.js';
import { codeSpan } from '../../print/markdown.js';
import { readMcpgenPackage } from '../../read/builtin/own-package.js';
import { readTextFile, readTextIfExists } from '../../read/files.js';
import { printJson, printLine, printWarning, showProgress, stdoutColors } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import { findTarget } from '../servers/options.js';
import { readExtendedRevisions } from '../shared/extensions.js';
import { writeReport } from '../shared/report-file.js';
import { styleAssets } from '../shared/page-assets.js';
import { PAINT } from '../shared/severity-colors.js';
import type { CheckServerOptions } from './options.js';

/** The file that SARIF results refer to, since a server has no file: GitHub requires one that exists. */
const SARIF_FILE = 'package.json';
/** Most findings of a rule that the terminal shows with their message. */
const MAX_SHOWN = 5;

/** `mcpgen check-server`: sends a server what clients and attackers send. Returns the exit code. */
export async function checkServerCommand(server: readonly string[], options: CheckServerOptions): Promise<number> {
  const known = readKnown(options);
  const target = await findTarget(server, options);
  showProgress('starting the server ...');
  const report = applyBaseline(await runCheck(await withLogin(target), options), known);
  showProgress('');
  if (options.updateBaseline && options.baseline !== undefined) {
    writeReport(options.baseline, formatBaseline(report.findings, known), '--baseline');
  }
  const isQuiet = await writeReports(report, options);
  if (!isQuiet) printReport(report);
  return !options.updateBaseline && hasFailure(report, options.failOn) ? 1 : 0;
}

function readKnown({ baseline, updateBaseline }: CheckServerOptions): readonly KnownFinding[] {
  if (baseline === undefined) return [];
  const text = updateBaseline ? readTextIfExists(baseline) : readTextFile(baseline);
  return text === undefined ? [] : parseBaseline(text, baseline);
}

/** Runs the probes; a signal ends the servers, too. */
async function runCheck(target: ServerTarget, options: CheckServerOptions): Promise<CheckReport> {
  const extensions = await readExtendedRevisions(options);
  const stop = (signal: NodeJS.Signals): void => {
    killServers();
    process.kill(process.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, stop);
  process.once('exit', killServers);
  try {
    const report = await checkServer(target, {
      calls: { readOnly: options.call, tools: options.callTools },
      extensions,
      onProgress: showProgress,
    });
    const { only, ignore } = options;
    const findings = report.findings.filter(
      ({ rule }) => (only === undefined || only.includes(rule)) && !ignore.includes(rule),
    );
    return { ...report, findings };
  } finally {
    for (const signal of signals) process.off(signal, stop);
    process.off('exit', killServers);
  }
}

/** The same server with the token of a user who has logged in. */
async function withLogin(target: ServerTarget): Promise<ServerTarget> {
  if (target.kind !== 'http' || target.login === undefined) return target;
  // Imported on demand: it loads a whole client.
  const { loginToken } = await import('../../connect/login-token.js');
  const token = await loginToken(target);
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return { ...target, headers: { ...target.headers, ...authorization } };
}

/** Writes the reports that were requested. Returns whether one went to standard output. */
async function writeReports(report: CheckReport, options: CheckServerOptions): Promise<boolean> {
  const findings = report.findings.map(toPrinted);
  const { json, markdown, sarif, junit, html } = options;
  if (sarif !== undefined) {
    const { version } = readMcpgenPackage();
    const log = findingsToSarif(findings, {
      version,
      command: 'check-server',
      defaultFile: SARIF_FILE,
      ruleOf: printedRule,
    });
    writeReport(sarif, `${JSON.stringify(log, undefined, 2)}\n`, '--sarif');
  }
  if (junit !== undefined) {
    writeReport(
      junit,
      casesToJUnit(`mcpgen check-server ${report.server.target}`, toCases(report, findings)),
      '--junit',
    );
  }
  if (html !== undefined) {
    writeReport(
      html,
      renderCheckPage(report, findings, {
        assets: styleAssets('check-server'),
        ruleOf: printedRule,
        summary: summaryText(report),
      }),
      '--html',
    );
  }
  if (json) printJson(jsonOf(report));
  if (markdown) printLine(toMarkdown(report, findings).trimEnd());
  return Promise.resolve(json || markdown || [sarif, junit, html].includes('-'));
}

/** The form of `--json`. */
function jsonOf(report: CheckReport): object {
  return {
    ...report,
    findings: report.findings.map((finding) => ({ ...finding, title: ruleOf(finding.rule).title })),
  };
}

function toPrinted(finding: CheckFinding): PrintedFinding {
  const { rule, severity, message, subject, revisions, evidence, again, isKnown } = finding;
  return {
    rule,
    severity,
    message,
    revisions,
    evidence,
    again,
    isKnown,
    place: { subject },
    fingerprint: `${rule} ${subject}`,
  };
}

/** One test case for each probe, and one for each rule that no probe found by itself. */
function toCases({ probes, findings }: CheckReport, printed: readonly PrintedFinding[]): readonly JUnitCase[] {
  const cases = probes.map(({ title, revision = '', status, note, milliseconds }): JUnitCase => ({
    group: `probe ${revision}`.trim(),
    name: title,
    seconds: milliseconds / 1000,
    findings: [],
    ...(status === 'skipped' || status === 'failed' ? { skipped: note ?? status } : {}),
  }));
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  const failed = rules.map((rule): JUnitCase => {
    const own = printed.filter((finding) => finding.rule === rule && finding.isKnown !== true);
    const isKnown = own.length === 0;
    return {
      group: 'rule',
      name: rule,
      seconds: 0,
      findings: own,
      ...(isKnown ? { skipped: 'in the baseline' } : {}),
    };
  });
  return [...cases, ...failed];
}

function toMarkdown(report: CheckReport, findings: readonly PrintedFinding[]): string {
  const { server, transport, revisions, tools, fixed } = report;
  const name = [server.name, server.version].filter((text) => text !== undefined).join(' ');
  return [
    `# ${codeSpan(escapeHiddenCharacters(name === '' ? server.target : name))}: ${summaryText(report)}\n`,
    `${codeSpan(escapeHiddenCharacters(server.target))}, ${transport}, MCP ${revisions.join(', ')}, ${tools} tools\n`,
    findings.length === 0 ? 'Nothing was found.\n' : findingsToMarkdown(findings, printedRule),
    ...(fixed.length === 0 ? [] : [`No longer found, remove from the baseline: ${fixed.map(codeSpan).join(', ')}\n`]),
  ].join('\n');
}

function printReport(report: CheckReport): void {
  const { server, revisions, transport, tools, fixed, probes } = report;
  const title = [server.name, server.version].filter((text) => text !== undefined).join(' ');
  const line = (text: string): string => escapeHiddenCharacters(text);
  printLine(
    `${stdoutColors.bold(line(title === '' ? 'server' : title))}, ${transport}, MCP ${revisions.join(', ')}, ${tools} tools`,
  );
  for (const severity of SEVERITIES) {
    const own = report.findings.filter((finding) => finding.severity === severity && !finding.isKnown);
    for (const rule of new Set(own.map((finding) => finding.rule))) {
      const all = own.filter((finding) => finding.rule === rule);
      printLine(`\n${PAINT[severity](severity)} ${stdoutColors.bold(rule)}: ${ruleOf(rule).title}`);
      for (const finding of all.slice(0, MAX_SHOWN)) printFinding(finding, line);
      if (all.length > MAX_SHOWN) printLine(`  and ${all.length - MAX_SHOWN} more (--json lists them)`);
      printLine(stdoutColors.dim(`  ${ruleOf(rule).help}`));
    }
  }
  const unfinished = probes.filter(({ status }) => status === 'failed');
  if (unfinished.length > 0) printLine('');
  for (const { title: probe, revision = '', note = '' } of unfinished) {
    printWarning({ place: revision, message: `${probe}: ${note}` });
  }
  if (fixed.length > 0) printLine(`\nNo longer found, remove from the baseline: ${fixed.map(line).join(', ')}`);
  printLine(`\n${summaryText(report)}`);
}

function printFinding({ message, revisions, evidence, again }: CheckFinding, line: (text: string) => string): void {
  const where = revisions.length === 0 ? '' : stdoutColors.dim(` (${revisions.join(', ')})`);
  printLine(`  ${line(message)}${where}`);
  const show = (mark: string, text: string): void => {
    const first = line(text.replaceAll('\n', ' '));
    printLine(stdoutColors.dim(`    ${mark} ${first.length > 200 ? `${first.slice(0, 200)}...` : first}`));
  };
  for (const text of evidence.sent.slice(-1)) show('>', text);
  for (const text of evidence.received.slice(-1)) show('<', text);
  if (again !== undefined) printLine(stdoutColors.dim(`    $ ${line(again)}`));
}
