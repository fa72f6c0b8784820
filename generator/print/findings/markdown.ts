/** Findings as Markdown, for pull requests and the summaries of CI. */
import { escapeHiddenCharacters } from '../../text.js';
import { codeSpan } from '../markdown.js';
import { SEVERITY_HEADINGS, type PrintedFinding, type PrintedRule } from './finding.js';

/**
 * The findings by severity and rule, each with its exchange in a section that can be opened.
 *
 * @param headingLevel - Number of `#` of the headings.
 */
export function findingsToMarkdown(
  findings: readonly PrintedFinding[],
  ruleOf: (id: string) => PrintedRule,
  headingLevel = 2,
): string {
  const mark = '#'.repeat(headingLevel);
  return SEVERITY_HEADINGS.flatMap(([severity, heading]) => {
    const own = findings.filter((finding) => finding.severity === severity);
    if (own.length === 0) return [];
    const rules = [...new Set(own.map(({ rule }) => rule))];
    return [
      `${mark} ${heading}\n`,
      ...rules.map((rule) => {
        const { title, help, url } = ruleOf(rule);
        const link = url === undefined ? '' : ` [Specification](${url})`;
        const items = own.filter((finding) => finding.rule === rule).map(renderItem);
        return `${mark}# ${codeSpan(rule)}: ${escapeMarkdown(title)}\n\n${escapeMarkdown(help)}${link}\n\n${items.join('\n')}\n`;
      }),
    ];
  }).join('\n');
}

function renderItem({ message, revisions = [], evidence, again, isKnown = false }: PrintedFinding): string {
  const where = revisions.length === 0 ? '' : ` (${revisions.join(', ')})`;
  const blocks = [
    ...(evidence?.sent.map((text) => codeBlock('Sent', text)) ?? []),
    ...(evidence?.received.map((text) => codeBlock('Received', text)) ?? []),
    ...(again === undefined ? [] : [codeBlock('See it again', again)]),
  ];
  const head = `- ${isKnown ? '(known) ' : ''}${escapeMarkdown(message)}${where}`;
  if (blocks.length === 0) return head;
  return `${head}\n\n  <details><summary>Exchange</summary>\n\n${blocks.join('\n\n')}\n\n  </details>\n`;
}

function codeBlock(label: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const lines = text.split('\n').map((line) => `  ${escapeHiddenCharacters(line)}`);
  return `  ${label}:\n\n  ${fence}text\n${lines.join('\n')}\n  ${fence}`;
}

/** Text of a server in Markdown: it formats nothing, links nowhere, and stays on its line. */
function escapeMarkdown(text: string): string {
  return escapeHiddenCharacters(text.replaceAll(/\s+/g, ' '))
    .replaceAll(/[\\`*_{}[\]()#+!|<>~@$]/g, String.raw`\$&`)
    .replaceAll(/:(?=\/\/)/g, '&#58;');
}
