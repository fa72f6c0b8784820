import path from 'node:path';
import { McpgenError } from '../../errors.js';
import { selectExtensions } from '../../model/extensions/load.js';
import { findRevision } from '../../read/builtin/revisions.js';
import { hasExtensions, readRequestedExtensions } from '../shared/extensions.js';
import { extensionProtocols } from '../shared/lookup.js';
import { compareProtocols } from '../../model/diff/compare.js';
import { withEvidence } from '../../model/diff/evidence.js';
import { sideWords, type Protocol, type Side } from '../../model/protocol.js';
import { RULES } from '../../model/diff/rules.js';
import { diffMarkdown, rulesMarkdown } from '../../print/diff/markdown.js';
import { buildReport, type AffectedCode, type DiffReport, type ReportChange } from '../../print/diff/report.js';
import {
  stdoutColors,
  printToStderr,
  printWarning,
  showProgress,
  printLine,
  printJson,
  formatTable,
} from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import { printDiffReport } from './terminal.js';
import type { DiffOptions } from './options.js';
import { loadProtocolArgument, type LoadedProtocol } from '../shared/protocol-argument.js';

export { parseDiffOptions } from './options.js';

/** `mcpgen diff`: prints what changed between two revisions, and whom it breaks. Returns the exit code. */
export async function diffCommand(
  from: string | undefined,
  to: string | undefined,
  options: DiffOptions,
): Promise<number> {
  const { html } = options;
  if (options.rules) return printRules(options);
  if (from === undefined || (to === undefined && !hasExtensions(options))) {
    throw new McpgenError('two revisions are required', {
      place: 'mcpgen diff',
      remedy:
        'Pass the old and the new one, as in mcpgen diff 2025-11-25 2026-07-28, or one with --extension ID to see what it adds.',
    });
  }
  const [before, after] = await loadProtocols(from, to, options);
  for (const warning of [...before.protocol.warnings, ...after.protocol.warnings]) printWarning(warning);
  const difference = withEvidence(compareProtocols(before.protocol, after.protocol));
  const full = buildReport(difference, before, after);
  const breaking = withBreakingChangesOnly(full, options.side);
  const shown = options.breaking || options.side !== undefined ? breaking : full;
  const report =
    options.code === undefined ? shown : { ...shown, code: await affectedCode(options.code, before, after, full) };
  if (html !== undefined) await writeHtmlReport(report, before, after, html, difference.renames);
  // What an extension adds may include a protocol for other sides than those of the revision.
  const others = to === undefined ? await extensionProtocols(options) : [];
  if (options.json) printJson(others.length === 0 ? report : { ...report, protocols: others.map(protocolJson) });
  else if (options.markdown) printLine([diffMarkdown(report), ...others.map(protocolSentence)].join('\n\n'));
  else if (html !== '-') {
    printDiffReport(report, html !== undefined);
    for (const other of others) printLine(`\n${protocolSentence(other)}`);
  }
  const isAffected = report.code === undefined ? breaking.changes.length > 0 : report.code.groups.length > 0;
  return options.exitCode && isAffected ? 1 : 0;
}

function protocolJson({ name, version, revision, partOf, methods }: Protocol): object {
  return { name, version, folder: revision, extension: partOf, methods: methods.map((method) => method.name) };
}

function protocolSentence(protocol: Protocol): string {
  const { name, version, revision, partOf = '', methods } = protocol;
  const { client, server } = sideWords(protocol);
  return `The extension has a protocol between ${client} and ${server}: ${name} ${version}, with ${methods.length} methods. \`mcpgen methods --revision ${revision} --extension ${partOf}\` lists them.`;
}

async function affectedCode(
  folder: string,
  before: LoadedProtocol,
  after: LoadedProtocol,
  report: DiffReport,
): Promise<AffectedCode> {
  showProgress(`checking ${folder} ...`);
  const { findAffectedCode } = await import('./code.js');
  const found = await findAffectedCode(folder, before.protocol, after.protocol, report);
  showProgress('');
  return found;
}

/** Loads the two revisions with the extensions that extend them; a single one without and with them. */
async function loadProtocols(
  from: string,
  to: string | undefined,
  options: DiffOptions,
): Promise<readonly [LoadedProtocol, LoadedProtocol]> {
  const {
    errata,
    oldCatalog: catalogBefore,
    newCatalog: catalogAfter = to === undefined ? catalogBefore : undefined,
  } = options;
  const extensions = await readRequestedExtensions(options);
  const words = to === undefined ? [from] : [from, to];
  const extensionsOf = words.every((word) => findRevision(word) !== undefined)
    ? await selectExtensions(words, extensions)
    : () => extensions;
  const load = (word: string, catalog: string | undefined, isExtended: boolean): Promise<LoadedProtocol> =>
    loadProtocolArgument(word, {
      errata,
      ...(catalog === undefined ? {} : { catalog }),
      ...(isExtended ? { extensions: extensionsOf(word) } : {}),
    });
  return [await load(from, catalogBefore, to !== undefined), await load(to ?? from, catalogAfter, true)];
}

/** The report with the changes only that break one side, or any; its counts still cover all changes. */
function withBreakingChangesOnly(report: DiffReport, side?: Side): DiffReport {
  const isBreaking = ({ sender, receiver, sentBy }: ReportChange): boolean => {
    // What no message contains may concern either side.
    const sends = side === undefined || sentBy.length === 0 || sentBy.includes(side);
    const receives = side === undefined || sentBy.length === 0 || sentBy.some((other) => other !== side);
    return (sends && sender === 'breaking') || (receives && receiver === 'breaking');
  };
  return { ...report, changes: report.changes.filter(isBreaking) };
}

async function writeHtmlReport(
  report: DiffReport,
  before: LoadedProtocol,
  after: LoadedProtocol,
  file: string,
  renames: DiffReport['renames'],
): Promise<void> {
  showProgress('formatting the page');
  const { renderDiffPage: diffPage } = await import('./page.js');
  const page = await diffPage(report, before.protocol, after.protocol, renames);
  showProgress('');
  if (file === '-') {
    printLine(page.trimEnd());
    return;
  }
  const { writeFileAtomically: writeText } = await import('../../output/write.js');
  writeText(path.resolve(file), page);
  printToStderr(`${escapeHiddenCharacters(file)} written`);
}

function printRules(options: DiffOptions): number {
  if (options.json) printJson(RULES);
  else if (options.markdown) printLine(rulesMarkdown());
  else {
    const verdict = (value: string): { text: string; paint: (text: string) => string } => ({
      text: value,
      paint: value === 'breaking' ? stdoutColors.red : stdoutColors.dim,
    });
    printLine(
      formatTable(
        ['rule', 'sender', 'receiver', 'change', 'why'],
        Object.entries(RULES).map(([id, rule]) => [
          { text: id, paint: stdoutColors.cyan },
          verdict(rule.sender),
          verdict(rule.receiver),
          { text: rule.title },
          { text: rule.why, paint: stdoutColors.dim },
        ]),
        process.stdout.isTTY ? process.stdout.columns : undefined,
      ),
    );
  }
  return 0;
}
