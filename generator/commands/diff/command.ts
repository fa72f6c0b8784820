import path from 'node:path';
import { McpgenError } from '../../errors.js';
import { compareProtocols } from '../../model/diff/compare.js';
import { withEvidence } from '../../model/diff/evidence.js';
import { RULES } from '../../model/diff/rules.js';
import { diffMarkdown, rulesMarkdown } from '../../print/diff/markdown.js';
import { buildReport, type DiffReport } from '../../print/diff/report.js';
import { stdoutColors, printToStderr, showProgress, printLine, printJson, formatTable } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import { printWarning } from '../shared/file-changes.js';
import { printDiffReport } from './terminal.js';
import { booleanOption, stringOption } from '../shared/options.js';
import { loadProtocolArgument, type LoadedProtocol } from '../shared/protocol-argument.js';

const OUTPUT_FORMATS = ['json', 'markdown', 'html'] as const;

/** `mcpgen diff`: what changed between two revisions, and whom it breaks. Returns the exit code. */
export async function diffCommand(
  from: string | undefined,
  to: string | undefined,
  flags: Record<string, unknown>,
): Promise<number> {
  const html = stringOption(flags, 'html');
  const chosen = OUTPUT_FORMATS.filter((name) => booleanOption(flags, name) || (name === 'html' && html === '-'));
  if (chosen.length > 1) {
    throw new McpgenError(`${chosen.map((name) => `--${name}`).join(' and ')} exclude each other`, {
      remedy: 'Standard output holds one of them; --html FILE writes a file beside it.',
    });
  }
  if (booleanOption(flags, 'rules')) return printRules(flags);
  if (from === undefined || to === undefined) {
    throw new McpgenError('two revisions are compared', {
      place: 'mcpgen diff',
      remedy: 'Name the old one and the new one: mcpgen diff 2025-11-25 2026-07-28.',
    });
  }
  const [before, after] = await loadProtocols(from, to, flags);
  for (const warning of [...before.protocol.warnings, ...after.protocol.warnings]) printWarning(warning);
  const difference = withEvidence(compareProtocols(before.protocol, after.protocol));
  const full = buildReport(difference, before, after);
  const report = booleanOption(flags, 'breaking') ? withBreakingChangesOnly(full) : full;
  if (html !== undefined) await writeHtmlReport(report, before, after, html, difference.renames);
  if (booleanOption(flags, 'json')) printJson(report);
  else if (booleanOption(flags, 'markdown')) printLine(diffMarkdown(report));
  else if (html !== '-') printDiffReport(report);
  return booleanOption(flags, 'exitCode') && full.summary.breaking > 0 ? 1 : 0;
}

async function loadProtocols(
  from: string,
  to: string,
  flags: Record<string, unknown>,
): Promise<readonly [LoadedProtocol, LoadedProtocol]> {
  const errata = flags['errata'] !== false;
  const [catalogBefore, catalogAfter] = [stringOption(flags, 'oldCatalog'), stringOption(flags, 'newCatalog')];
  return [
    await loadProtocolArgument(from, { errata, ...(catalogBefore === undefined ? {} : { catalog: catalogBefore }) }),
    await loadProtocolArgument(to, { errata, ...(catalogAfter === undefined ? {} : { catalog: catalogAfter }) }),
  ];
}

/** The same report with its breaking changes only; the counts stay those of all. */
function withBreakingChangesOnly(report: DiffReport): DiffReport {
  const isBreaking = (verdict: string): boolean => verdict === 'breaking';
  return {
    ...report,
    changes: report.changes.filter(({ sender, receiver }) => isBreaking(sender) || isBreaking(receiver)),
  };
}

async function writeHtmlReport(
  report: DiffReport,
  before: LoadedProtocol,
  after: LoadedProtocol,
  file: string,
  renames: DiffReport['renames'],
): Promise<void> {
  showProgress('laying out the page');
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

function printRules(flags: Record<string, unknown>): number {
  if (booleanOption(flags, 'json')) printJson(RULES);
  else if (booleanOption(flags, 'markdown')) printLine(rulesMarkdown());
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
