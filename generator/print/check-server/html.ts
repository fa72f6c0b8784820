/** The report of `check-server` as a page. */
import type { CheckReport, ProbeOutcome } from '../../check-server/report.js';
import { escapeHtml, renderHead, type StyleAssets } from '../html.js';
import { SEVERITY_HEADINGS, type PrintedFinding, type PrintedRule } from '../findings/finding.js';

/** What a page needs in addition to the report. */
export interface CheckPageParts {
  readonly assets: StyleAssets;
  readonly ruleOf: (id: string) => PrintedRule;
  /** The counts in words. */
  readonly summary: string;
}

/**
 * Renders the report as one self-contained page: it makes no requests, and its policy blocks scripts and any other style.
 * All text from a server is escaped.
 */
export function renderCheckPage(
  report: CheckReport,
  findings: readonly PrintedFinding[],
  { assets, ruleOf, summary }: CheckPageParts,
): string {
  const { server, transport, revisions, tools } = report;
  const title = [server.name, server.version].filter((text) => text !== undefined).join(' ') || server.target;
  return [
    ...renderHead(`${title}: check-server`, assets),
    '<header>',
    `<h1>${escapeHtml(title)}</h1>`,
    `<p class="lead"><code>${escapeHtml(server.target)}</code>, ${transport}, MCP ${escapeHtml(revisions.join(', '))}, ${tools} tools: ${escapeHtml(summary)}</p>`,
    renderTiles(findings),
    '</header>',
    '<main>',
    ...SEVERITY_HEADINGS.map(([severity, heading]) => {
      const own = findings.filter((finding) => finding.severity === severity);
      if (own.length === 0) return '';
      const rules = [...new Set(own.map(({ rule }) => rule))];
      const cards = rules.map((rule) => renderRule(rule, ruleOf(rule), own));
      return `<section><h2>${heading}</h2>\n${cards.join('\n')}\n</section>`;
    }),
    findings.length === 0 ? '<p>Nothing was found.</p>' : '',
    renderProbes(report.probes),
    '</main>',
    '<footer><p>Written by <code>mcpgen check-server</code>.</p></footer>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function renderTiles(findings: readonly PrintedFinding[]): string {
  const tiles = SEVERITY_HEADINGS.map(([severity, heading]) => {
    const count = findings.filter((finding) => finding.severity === severity && finding.isKnown !== true).length;
    return `<li><strong>${count}</strong>${count === 1 ? severity : heading.toLowerCase()}</li>`;
  });
  const known = findings.filter(({ isKnown }) => isKnown === true).length;
  return `<ul class="tiles">${tiles.join('')}${known === 0 ? '' : `<li><strong>${known}</strong>known</li>`}</ul>`;
}

function renderRule(id: string, { title, help, url }: PrintedRule, findings: readonly PrintedFinding[]): string {
  const own = findings.filter(({ rule }) => rule === id);
  const severity = own[0]?.severity ?? 'advice';
  const link = url === undefined ? '' : ` <a href="${escapeHtml(url)}" rel="noreferrer">Specification</a>`;
  return `<article id="${escapeHtml(id)}">
<h3><code>${escapeHtml(id)}</code> ${escapeHtml(title)} <span class="badge ${severity}">${severity}</span></h3>
<p class="note">${escapeHtml(help)}${link}</p>
<ul>${own.map(renderFinding).join('\n')}</ul>
</article>`;
}

function renderFinding({ message, revisions = [], evidence, again, isKnown = false }: PrintedFinding): string {
  const where = revisions.length === 0 ? '' : ` <span class="note">${escapeHtml(revisions.join(', '))}</span>`;
  const block = (label: string, text: string): string => `<p class="note">${label}</p><pre>${escapeHtml(text)}</pre>`;
  const blocks = [
    ...(evidence?.sent.map((text) => block('Sent', text)) ?? []),
    ...(evidence?.received.map((text) => block('Received', text)) ?? []),
    ...(again === undefined ? [] : [block('See it again', again)]),
  ];
  const details = blocks.length === 0 ? '' : `<details><summary>Exchange</summary>${blocks.join('')}</details>`;
  return `<li>${isKnown ? '<span class="badge">known</span> ' : ''}${escapeHtml(message)}${where}${details}</li>`;
}

function renderProbes(probes: readonly ProbeOutcome[]): string {
  const rows = probes.map(
    ({ title, revision = '', status, note = '', milliseconds }) =>
      `<tr><td>${escapeHtml(title)}</td><td>${escapeHtml(revision)}</td><td>${status}${note === '' ? '' : `: ${escapeHtml(note)}`}</td><td>${milliseconds} ms</td></tr>`,
  );
  return `<section><h2>Probes</h2><details><summary>${probes.length} probes</summary><table>
<thead><tr><th scope="col">probe</th><th scope="col">revision</th><th scope="col">outcome</th><th scope="col">time</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></details></section>`;
}
