import type { Severity } from '../../inspect/rules.js';
import { escapeHtml, jsonForScript, renderHead, type PageAssets } from '../html.js';
import { count } from './bounded.js';
import { pageData, type InspectionPage, type PageConversation } from './page-data.js';

export type { InspectedConversation, InspectionPage } from './page-data.js';

const SEVERITIES: readonly (readonly [Severity, string, string])[] = [
  ['violation', 'violation', 'violations'],
  ['deviation', 'deviation', 'deviations'],
  ['advice', 'advice', 'advice'],
];

const KINDS: readonly (readonly [string, string])[] = [
  ['request', 'Requests'],
  ['result', 'Results'],
  ['error', 'Errors'],
  ['notification', 'Notifications'],
  ['other', 'Other'],
];

const KEYS: readonly (readonly [readonly string[], string])[] = [
  [['j', 'k'], 'next and previous frame; also the arrow keys'],
  [['n', 'p'], 'next and previous finding'],
  [['r'], 'the response of a request, and back'],
  [['Enter'], 'show the frame, and move to it'],
  [['/'], 'search'],
  [['c'], 'clear search and filters'],
  [['t'], 'space frames by time, or evenly'],
  [['['], 'previous conversation'],
  [[']'], 'next conversation'],
  [['o'], 'overview'],
  [['d'], 'dark or light'],
  [['Esc'], 'close'],
];

/**
 * Renders inspected conversations as one self-contained page: sequence diagrams that can be searched and filtered. It
 * makes no requests, and its policy blocks any other script or style. Text of a conversation is in the page only as
 * JSON, which its script shows as text.
 */
export function renderInspectionPage(report: InspectionPage, assets: PageAssets): string {
  const data = pageData(report);
  return [
    ...renderHead(report.title, assets),
    '<header class="top">',
    `<h1>${escapeHtml(report.title)}</h1>`,
    `<p class="lead">${renderSummary(report, data.conversations)}</p>`,
    '<select id="conversation" aria-label="Conversation" hidden></select>',
    '<div class="actions" hidden>',
    '<button id="overview" type="button">Overview</button>',
    '<button id="theme" type="button" aria-label="Dark or light" title="Dark or light (d)">◐</button>',
    '<button id="help" type="button" aria-label="Keyboard" title="Keyboard (?)">?</button>',
    '</div>',
    '</header>',
    renderToolbar(),
    '<main hidden>',
    '<section class="diagram" aria-label="Sequence diagram">',
    '<div class="ends" aria-hidden="true"><span id="client-name">client</span><span id="server-name">server</span></div>',
    '<div class="viewport">',
    '<div id="frames" role="listbox" aria-label="Frames" tabindex="0"><div id="canvas" role="presentation"></div></div>',
    '<div id="ruler" aria-hidden="true"></div>',
    '<p id="empty" hidden></p>',
    '</div>',
    '</section>',
    '<aside id="panel" aria-label="Details" tabindex="-1"></aside>',
    '</main>',
    renderHelp(),
    '<noscript><p class="noscript">The diagram needs JavaScript. Nothing is loaded or sent.</p></noscript>',
    `<script type="application/json" id="data">${jsonForScript(data)}</script>`,
    `<script type="module">${assets.script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** What the page contains, in a line. */
function renderSummary({ title }: InspectionPage, conversations: readonly PageConversation[]): string {
  const [first] = conversations;
  const sum = (value: (conversation: PageConversation) => number): number =>
    conversations.reduce((total, conversation) => total + value(conversation), 0);
  const revisions = [...new Set(conversations.flatMap((conversation) => conversation.revisions))];
  const findings = SEVERITIES.flatMap(([severity, one, many]) => {
    const found = sum(({ counts }) => counts[severity]);
    return found === 0 ? [] : [`<span class="tally ${severity}">${count(found)} ${found === 1 ? one : many}</span>`];
  });
  const facts = [
    ...(conversations.length !== 1 ? [`${conversations.length} conversations`] : []),
    ...(conversations.length === 1 && first !== undefined && first.name !== title ? [escapeHtml(first.name)] : []),
    ...(revisions.length === 0 ? [] : [`MCP ${escapeHtml(revisions.join(', '))}`]),
    `${count(sum(({ entries, leftOut }) => entries.length + leftOut))} frames`,
    ...(findings.length === 0 ? ['<span class="tally good">no findings</span>'] : findings),
  ];
  return facts.join(' · ');
}

function renderToolbar(): string {
  const kinds = KINDS.map(
    ([kind, label]) =>
      `<button type="button" value="${kind}" aria-pressed="true"><span class="swatch ${kind}" aria-hidden="true"></span>${label} <span class="count"></span></button>`,
  );
  return `<div class="bar" role="search" hidden>
<input id="search" type="search" placeholder="Search (/)" aria-label="Search frames" autocomplete="off" spellcheck="false">
<button id="filters" type="button" aria-expanded="false" aria-controls="filter-group">Filters</button>
<div id="filter-group">
<div id="kinds" class="chips" role="group" aria-label="Kinds">${kinds.join('')}</div>
<select id="method" aria-label="Method"></select>
<select id="findings" aria-label="Findings"></select>
<div id="scale" class="chips" role="group" aria-label="Scale"><button type="button" value="order" aria-pressed="true">Order</button><button type="button" value="time" aria-pressed="false" title="The longer the pause, the larger the gap; gaps grow with its logarithm">Time</button></div>
</div>
<div class="steps"><button id="previous-finding" type="button" aria-label="Previous finding" title="Previous finding (p)">↑</button><button id="next-finding" type="button" aria-label="Next finding" title="Next finding (n)">↓</button><p id="shown" role="status"></p></div>
</div>`;
}

function renderHelp(): string {
  const rows = KEYS.map(
    ([keys, what]) => `<dt>${keys.map((key) => `<kbd>${key}</kbd>`).join(' ')}</dt><dd>${what}</dd>`,
  );
  return `<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keyboard</h2><dl>${rows.join('')}</dl><button id="close-keys" type="button">Close</button></dialog>`;
}
