import path from 'node:path';
import { McpgenError } from '../errors.js';
import { compareProtocols } from '../model/diff/compare.js';
import { withEvidence } from '../model/diff/evidence.js';
import { RULES } from '../model/diff/rules.js';
import { markdownOf, rulesMarkdown } from '../print/diff/markdown.js';
import { reportOf, type DiffReport } from '../print/diff/report.js';
import { colour, note, progress, say, sayJson, table } from '../terminal.js';
import { escapeHidden } from '../text.js';
import { noteWarning } from './changes.js';
import { sayReport } from './diff-terminal.js';
import { flag, text } from './options.js';
import { loadNamed, type NamedProtocol } from './protocol-source.js';

const OUTPUTS = ['json', 'markdown', 'html'] as const;

/** `mcpgen diff`: what changed between two revisions, and whom it breaks. Returns the exit code. */
export async function diffCommand(
  from: string | undefined,
  to: string | undefined,
  flags: Record<string, unknown>,
): Promise<number> {
  const html = text(flags, 'html');
  const chosen = OUTPUTS.filter((name) => flag(flags, name) || (name === 'html' && html === '-'));
  if (chosen.length > 1) {
    throw new McpgenError(`${chosen.map((name) => `--${name}`).join(' and ')} exclude each other`, {
      remedy: 'Standard output holds one of them; --html FILE writes a file beside it.',
    });
  }
  if (flag(flags, 'rules')) return sayRules(flags);
  if (from === undefined || to === undefined) {
    throw new McpgenError('two revisions are compared', {
      place: 'mcpgen diff',
      remedy: 'Name the old one and the new one: mcpgen diff 2025-11-25 2026-07-28.',
    });
  }
  const [before, after] = await loadBoth(from, to, flags);
  for (const warning of [...before.protocol.warnings, ...after.protocol.warnings]) noteWarning(warning);
  const difference = withEvidence(compareProtocols(before.protocol, after.protocol));
  const full = reportOf(difference, before, after);
  const report = flag(flags, 'breaking') ? onlyBreaking(full) : full;
  if (html !== undefined) await sayHtml(report, before, after, html, difference.renames);
  if (flag(flags, 'json')) sayJson(report);
  else if (flag(flags, 'markdown')) say(markdownOf(report));
  else if (html !== '-') sayReport(report);
  return flag(flags, 'exitCode') && full.summary.breaking > 0 ? 1 : 0;
}

async function loadBoth(
  from: string,
  to: string,
  flags: Record<string, unknown>,
): Promise<readonly [NamedProtocol, NamedProtocol]> {
  const errata = flags['errata'] !== false;
  const [oldCatalog, newCatalog] = [text(flags, 'oldCatalog'), text(flags, 'newCatalog')];
  return [
    await loadNamed(from, { errata, ...(oldCatalog === undefined ? {} : { catalog: oldCatalog }) }),
    await loadNamed(to, { errata, ...(newCatalog === undefined ? {} : { catalog: newCatalog }) }),
  ];
}

/** The same report with its breaking changes only; the counts stay those of all. */
function onlyBreaking(report: DiffReport): DiffReport {
  const isBreaking = (verdict: string): boolean => verdict === 'breaking';
  return {
    ...report,
    changes: report.changes.filter(({ sender, receiver }) => isBreaking(sender) || isBreaking(receiver)),
  };
}

async function sayHtml(
  report: DiffReport,
  before: NamedProtocol,
  after: NamedProtocol,
  file: string,
  renames: DiffReport['renames'],
): Promise<void> {
  progress('laying out the page');
  const { diffPage } = await import('./diff-page.js');
  const page = await diffPage(report, before.protocol, after.protocol, renames);
  progress('');
  if (file === '-') {
    say(page.trimEnd());
    return;
  }
  const { writeText } = await import('../output/write.js');
  writeText(path.resolve(file), page);
  note(`${escapeHidden(file)} written`);
}

function sayRules(flags: Record<string, unknown>): number {
  if (flag(flags, 'json')) sayJson(RULES);
  else if (flag(flags, 'markdown')) say(rulesMarkdown());
  else {
    const verdict = (value: string): { text: string; paint: (text: string) => string } => ({
      text: value,
      paint: value === 'breaking' ? colour.red : colour.dim,
    });
    say(
      table(
        ['rule', 'sender', 'receiver', 'change', 'why'],
        Object.entries(RULES).map(([id, rule]) => [
          { text: id, paint: colour.cyan },
          verdict(rule.sender),
          verdict(rule.receiver),
          { text: rule.title },
          { text: rule.why, paint: colour.dim },
        ]),
        process.stdout.isTTY ? process.stdout.columns : undefined,
      ),
    );
  }
  return 0;
}
