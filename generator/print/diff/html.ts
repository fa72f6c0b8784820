import type { Subject } from '../../model/diff/change.js';
import type { JsonValue } from '../../read/json/json.js';
import { escapeHiddenCharacters } from '../../text.js';
import { escapeHtml, renderHead, type PageAssets } from '../html.js';
import {
  groupChanges,
  summaryText,
  verdictText,
  type ChangeGroup,
  type DiffReport,
  type ReportChange,
} from './report.js';
import { sideBySide, type SideRow } from './side-by-side.js';

/** The parts of a page in addition to the report. */
export interface PageParts extends PageAssets {
  /** The definitions of both revisions as TypeScript, by name; a renamed one under its name in each. */
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
}

const PAGE_SECTIONS: readonly (readonly [Subject, string])[] = [
  ['protocol', 'Protocol'],
  ['method', 'Methods'],
  ['error', 'Error codes'],
  ['definition', 'Definitions'],
];
/** Most definitions that one line of the overview links. */
const MAX_LINKS = 24;

/**
 * Renders the report as one self-contained page: it makes no requests, and its policy blocks any other script or style.
 * All text from a schema is escaped.
 */
export function renderPage(report: DiffReport, parts: PageParts): string {
  const { from, to } = report;
  const title = `${from.given} → ${to.given}`;
  return [
    ...renderHead(title, parts),
    '<header>',
    `<h1>${escapeHtml(from.given)} <span class="arrow">→</span> ${escapeHtml(to.given)}${to.status === 'draft' ? ' <span class="tag">draft</span>' : ''}</h1>`,
    `<p class="lead">${escapeHtml(summaryText(report))}</p>`,
    renderTiles(report),
    '<p class="legend">A change <b>breaks senders</b> if what the old revision lets them send is rejected or misread by the new one; it <b>breaks receivers</b> if the new revision lets others send what the old one does not know.</p>',
    '</header>',
    renderFilterBar(report),
    '<main>',
    renderOverview(report),
    ...PAGE_SECTIONS.map(([subject, heading]) => renderSection(report, subject, heading, parts)),
    '<p class="empty" id="empty" hidden>No change matches. Clear the search or choose another filter.</p>',
    '</main>',
    renderFooter(report),
    `<script type="module">${parts.script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function renderTiles({ summary }: DiffReport): string {
  const { methods, definitions } = summary;
  const items: readonly (readonly [number, string, string])[] = [
    [summary.breakingForSender, 'break senders', summary.breakingForSender > 0 ? 'bad' : 'good'],
    [summary.breakingForReceiver, 'break receivers', summary.breakingForReceiver > 0 ? 'bad' : 'good'],
    [summary.changes - summary.breaking, 'break nothing', 'good'],
  ];
  const counts: readonly (readonly [string, string])[] = [
    [`+${methods.added} −${methods.removed} ~${methods.changed}`, 'methods'],
    [`+${definitions.added} −${definitions.removed} ~${definitions.changed + definitions.renamed}`, 'definitions'],
    [String(summary.errors), 'error codes'],
  ];
  return `<ul class="tiles">${items
    .map(([count, label, tone]) => `<li class="${tone}"><strong>${count}</strong><span>${label}</span></li>`)
    .join(
      '',
    )}${counts.map(([count, label]) => `<li class="counts"><strong>${count}</strong><span>${label}</span></li>`).join('')}</ul>`;
}

function renderFilterBar({ summary }: DiffReport): string {
  const choice = (name: string, label: string, options: readonly (readonly [string, string])[]): string =>
    `<fieldset class="choices" data-choice="${name}"><legend>${label}</legend>${options
      .map(([value, shown], index) => `<button value="${value}" aria-pressed="${index === 0}">${shown}</button>`)
      .join('')}</fieldset>`;
  return `<div class="bar" hidden><div class="bar-inner" role="search">
<input id="search" type="search" placeholder="Search: press /" aria-label="Search changes" autocomplete="off" spellcheck="false">
${choice('breaks', 'Show', [
  ['all', 'All'],
  ['breaking', 'Breaking'],
  ['sender', 'Senders'],
  ['receiver', 'Receivers'],
  ['none', 'Safe'],
])}
${choice('by', 'Sent by', [
  ['any', 'Either'],
  ['client', 'Client'],
  ['server', 'Server'],
])}
<p class="shown" id="shown" role="status">${summary.changes} changes</p>
</div></div>`;
}

/** Changes that are the same in many places, listed once. */
function renderOverview(report: DiffReport): string {
  const groups = groupChanges(report.changes).filter(
    ({ changes, first }) => changes.length > 2 && verdictText(first) !== 'safe',
  );
  if (groups.length === 0) return '';
  return `<section data-unfiltered><h2>The same in many places</h2><ul class="glance">${groups
    .map((group) => `<li>${renderOverviewLine(group)}</li>`)
    .join('')}</ul></section>`;
}

function renderOverviewLine({ first, changes, tail }: ChangeGroup): string {
  const links = changes
    .slice(0, MAX_LINKS)
    .map((change) => `<a href="#${anchorId(change.subject, change.name)}">${escapeHtml(change.name)}</a>`)
    .join(', ');
  const more = changes.length > MAX_LINKS ? ` and ${changes.length - MAX_LINKS} more` : '';
  return `<div class="what"><code class="place">${escapeHtml(tail === '' ? first.title : tail)}</code> <span>${escapeHtml(first.title)}</span> ${renderBadges(first)}</div>
${renderTypes(first)}<p class="note">${changes.length} definitions: ${links}${more}</p>`;
}

function renderSection(report: DiffReport, subject: Subject, heading: string, parts: PageParts): string {
  const changes = report.changes.filter((change) => change.subject === subject);
  if (changes.length === 0) return '';
  const byName = new Map<string, ReportChange[]>();
  for (const change of changes) byName.set(change.name, [...(byName.get(change.name) ?? []), change]);
  const renamed = new Map(report.renames.map((rename) => [escapeHiddenCharacters(rename.after), rename.before]));
  const cards = [...byName].map(([name, own]) => renderCard(name, own, subject, parts, renamed.get(name)));
  return `<section data-section="${subject}"><h2>${heading} <span class="count">${byName.size}</span></h2>\n${cards.join('\n')}\n</section>`;
}

function renderCard(
  name: string,
  changes: readonly ReportChange[],
  subject: Subject,
  parts: PageParts,
  oldName: string | undefined,
): string {
  const [first] = changes;
  const by = first === undefined || first.sentBy.length === 0 ? '' : `sent by ${first.sentBy.join(' and ')}`;
  const sides =
    subject === 'definition' ? renderSideBySide(parts.before.get(oldName ?? name), parts.after.get(name)) : '';
  return `<article id="${anchorId(subject, name)}" data-name="${escapeHtml(name)}">
<div class="head"><h3 class="mono">${escapeHtml(name)}</h3><span class="by">${by}</span></div>
<ul class="changes">${breakingFirst(changes).map(renderChange).join('\n')}</ul>${sides}
</article>`;
}

function breakingFirst(changes: readonly ReportChange[]): readonly ReportChange[] {
  return [...changes].sort((a, b) => Number(verdictText(a) === 'safe') - Number(verdictText(b) === 'safe'));
}

function renderChange(change: ReportChange): string {
  const { sender, receiver } = change;
  const breaks = [sender === 'breaking' ? 'sender' : '', receiver === 'breaking' ? 'receiver' : ''].filter(Boolean);
  const tail = change.subject === 'definition' ? change.place.slice(change.name.length) : '';
  return `<li data-change data-breaks="${breaks.join(' ') || 'none'}" data-by="${change.sentBy.join(' ')}">
<div class="what">${tail === '' ? '' : `<code class="place">${escapeHtml(tail)}</code>`}<span>${escapeHtml(change.title)}</span>${renderBadges(change)}</div>
${renderTypes(change)}${change.detail === null ? '' : `<p class="note">${escapeHtml(change.detail)}</p>`}${change.evidence.map(renderEvidence).join('')}</li>`;
}

function renderBadges(change: ReportChange): string {
  const { sender, receiver } = change;
  if (sender === 'safe' && receiver === 'safe') return '<span class="badge good">safe</span>';
  return (
    (sender === 'breaking' ? '<span class="badge bad">breaks senders</span>' : '') +
    (receiver === 'breaking' ? '<span class="badge bad">breaks receivers</span>' : '')
  );
}

function renderTypes({ before, after }: ReportChange): string {
  if (before === null && after === null) return '';
  const old = before === null ? '' : `<code class="old">${escapeHtml(before)}</code>`;
  const now = after === null ? '' : `<code class="new">${escapeHtml(after)}</code>`;
  return `<p class="types">${[old, now].filter(Boolean).join(' → ')}</p>`;
}

function renderEvidence({ breaks, acceptedBy, rejectedBy, value, at }: ReportChange['evidence'][number]): string {
  const [takes, refuses] = breaks === 'sender' ? ['old', 'new'] : ['new', 'old'];
  const where = at === '' ? '' : ` at <code>${escapeHtml(at)}</code>`;
  return `<details><summary>A value that breaks ${breaks}s</summary><p class="note">The ${takes} <code>${escapeHtml(acceptedBy)}</code> accepts it, the ${refuses} <code>${escapeHtml(rejectedBy)}</code> does not${where}.</p><pre>${escapeHtml(renderJson(value))}</pre></details>`;
}

/** Longest value that is shown completely, in characters. */
const MAX_VALUE_LENGTH = 2000;

function renderJson(value: JsonValue): string {
  const long = JSON.stringify(value, undefined, 2);
  return long.length > MAX_VALUE_LENGTH ? `${long.slice(0, MAX_VALUE_LENGTH)}\n…` : long;
}

function renderSideBySide(before: string | undefined, after: string | undefined): string {
  if (before === undefined && after === undefined) return '';
  if (before === undefined || after === undefined || before === after) {
    return `<details><summary>${before === after ? 'The type' : before === undefined ? 'The new type' : 'The old type'}</summary><pre>${escapeHtml(after ?? before ?? '')}</pre></details>`;
  }
  const rows = sideBySide(before, after)
    .map((row) => `<tr>${renderCell(row.before, row, 'del')}${renderCell(row.after, row, 'ins')}</tr>`)
    .join('\n');
  return `<details><summary>Types side by side</summary><table class="sides"><thead><tr><th scope="col">old</th><th scope="col">new</th></tr></thead><tbody>
${rows}
</tbody></table></details>`;
}

function renderCell(line: string | undefined, row: SideRow, changed: string): string {
  if (line === undefined) return '<td class="none"></td>';
  return `<td class="${row.same ? 'same' : changed}">${escapeHtml(line)}</td>`;
}

function renderFooter({ from, to }: DiffReport): string {
  const side = ({ given, file, sha256, catalog, methods, definitions }: DiffReport['from']): string =>
    `<p>${escapeHtml(given)}: <code>${escapeHtml(file)}</code>, ${methods} methods (catalog ${catalog}), ${definitions} definitions, sha256 <code>${escapeHtml(sha256)}</code></p>`;
  return `<footer>${side(from)}${side(to)}<p>Written by <code>mcpgen diff</code>; <code>mcpgen diff --rules</code> prints the rules.</p></footer>`;
}

/** A unique id of a name: everything except letters, digits and `-` is replaced by its code. */
function anchorId(subject: Subject, name: string): string {
  return `${subject}-${name.replace(/[^A-Za-z0-9-]/gu, (character) => `_${character.codePointAt(0)?.toString(16) ?? ''}_`)}`;
}
