import { RULES, sectionUrl, type Rule, type RuleId } from '../../inspect/rules.js';
import { capitalizeFirst } from '../../text.js';

/** The first and the last revision that sections are linked for. */
const STATEFUL = '2025-11-25';
const STATELESS = '2026-07-28';

/** All rules as a page of Markdown: `docs/rules.md`. */
export function renderRules(): string {
  const rules = Object.entries(RULES) as [RuleId, Rule][];
  const count = (severity: Rule['severity']): number => rules.filter(([, rule]) => rule.severity === severity).length;
  return [
    '# Rules',
    '',
    'What `mcpgen inspect` and `mcpgen check-server` report, written by `npm run docs:rules`. The ids do not change, so that',
    'baselines and `--ignore` keep working.',
    '',
    `- **violation** (${count('violation')}): breaks a requirement of the specification.`,
    `- **deviation** (${count('deviation')}): breaks a recommendation, or something that common programs tolerate.`,
    `- **advice** (${count('advice')}): breaks nothing, but causes trouble.`,
    '',
    'Rules marked _server_ are found only by asking a server, with `check-server`; all others in any recording.',
    ...rules.flatMap(([id, rule]) => renderRule(id, rule)),
    '',
  ].join('\n');
}

function renderRule(id: RuleId, { severity, title, help, foundIn }: Rule): readonly string[] {
  const marks = [severity, ...(foundIn === 'server' ? ['_server_'] : [])].join(', ');
  const urls = [...new Set([sectionUrl(id, STATEFUL), sectionUrl(id, STATELESS)])];
  const links = urls.map((url) => `[${/[\d-]{10}/.exec(url)?.[0] ?? ''}](${url})`);
  return [
    '',
    `## ${id}`,
    '',
    `${capitalizeFirst(title)} (${marks}). ${help}`,
    '',
    `Specification: ${links.join(', ')}`,
  ];
}
