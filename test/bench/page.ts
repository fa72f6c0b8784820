/** Results as one page that loads nothing: plots as SVG, and the tables that they are drawn from. */
import { createHash } from 'node:crypto';
import type { GrowthResult, Measured, Results, Row, SizeResult, SizeRow, SuiteResult } from './suite.js';
import { aimOf, amount, growthTable, growthWord, number, rowTitle, sizeTable, suiteTable } from './tables.js';

const STYLE = `
:root { color-scheme: light dark; --text: #1c1e21; --soft: #5c6370; --line: #d5d8de; --back: #fff; --card: #f6f7f9;
  --ours: #1a6fd4; --floor: #8a919c; --peer: #c07a1b; --good: #187a3c; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8eb; --soft: #a2a9b4; --line: #3a3f47; --back: #16181c; --card: #1f2227;
    --ours: #5aa2f5; --floor: #7c8491; --peer: #d99a45; --good: #5fc483; --bad: #f2827a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1280px; padding: 1rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.25; } h2 { margin: 2.5rem 0 .25rem; } h3 { margin: 0 0 .5rem; font-size: 1rem; }
p { margin: .25rem 0 1rem; max-width: 75ch; } .soft { color: var(--soft); font-size: .875rem; }
nav a { margin-right: 1rem; white-space: nowrap; } a { color: var(--ours); }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 1rem; }
figure { margin: 0; padding: .75rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card); min-width: 0; }
figcaption { font-weight: 600; margin-bottom: .5rem; }
.bar { display: grid; grid-template-columns: 1fr auto; gap: 0 .5rem; font-size: .875rem; margin-bottom: .35rem; }
.bar svg { grid-column: 1 / -1; display: block; width: 100%; height: 12px; }
.value { font-variant-numeric: tabular-nums; text-align: right; }
.ours { fill: var(--ours); } .floor { fill: var(--floor); } .peer { fill: var(--peer); }
.whisker { stroke: var(--text); stroke-width: 2; } .aim { stroke: var(--good); stroke-width: 2; stroke-dasharray: 3 2; }
.plot { display: block; width: 100%; height: auto; } .plot text { fill: var(--soft); font-size: 11px; }
.axis { stroke: var(--line); } .curve { stroke: var(--ours); stroke-width: 2; fill: none; }
.linear { stroke: var(--floor); stroke-width: 1.5; stroke-dasharray: 5 4; fill: none; }
.good { color: var(--good); } .bad { color: var(--bad); }
details { margin: .75rem 0; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; } th, td { padding: .25rem .75rem .25rem 0; text-align: left;
  border-bottom: 1px solid var(--line); vertical-align: top; } th { white-space: nowrap; }
`;

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const cells = (tag: 'th' | 'td', row: readonly string[]): string =>
    `<tr>${row.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join('')}</tr>`;
  return `<details><summary>Table</summary><div class="scroll"><table><thead>${cells('th', head)}</thead>
<tbody>${rows.map((row) => cells('td', row)).join('\n')}</tbody></table></div></details>`;
}

interface Bar {
  readonly name: string;
  readonly kind: 'ours' | 'floor' | 'peer';
  readonly value: number;
  readonly range?: readonly [number, number];
  readonly text: string;
}

/** Bars on one scale, with the least and the most of all rounds, and a line at the aim. */
function bars(list: readonly Bar[], aim?: number): string {
  const most = Math.max(...list.map(({ value, range }) => range?.[1] ?? value), aim ?? 0);
  const percent = (value: number): string => `${((value / most) * 100).toFixed(2)}%`;
  return list
    .map(({ name, kind, value, range, text }) => {
      const whisker =
        range === undefined || range[0] === range[1]
          ? ''
          : `<line class="whisker" x1="${percent(range[0])}" x2="${percent(range[1])}" y1="6" y2="6"/>`;
      const line =
        aim === undefined || kind !== 'ours'
          ? ''
          : `<line class="aim" x1="${percent(aim)}" x2="${percent(aim)}" y1="0" y2="12"/>`;
      return `<div class="bar"><span>${escape(name)}</span><span class="value">${escape(text)}</span>
<svg aria-hidden="true"><rect class="${kind}" x="0" y="1" width="${percent(value)}" height="10" rx="2"/>${whisker}${line}</svg></div>`;
    })
    .join('\n');
}

/** Times; shorter is better. */
function rowFigure(row: Row): string {
  const bar = (kind: Bar['kind'], { name, value: [middle, least, most] }: Measured, note: string): Bar => ({
    ...{ name, kind, value: middle, range: [least, most] },
    text: `${amount(middle, row.unit)}${note}`,
  });
  const speed = row.speed === undefined ? '' : `, ${number(row.speed[0])} of the floor's speed`;
  const list = [
    ...(row.floor === undefined ? [] : [bar('floor', row.floor, '')]),
    bar('ours', { ...row.ours, name: 'mcpgen' }, speed),
    ...row.peers.map((peer) => bar('peer', peer, `, ours is ${number(peer.times[0])} times as fast`)),
  ];
  const { text, isReached } = aimOf(row);
  const below =
    row.aim === undefined
      ? undefined
      : 'below' in row.aim
        ? row.aim.below
        : 'speed' in row.aim && row.floor !== undefined
          ? row.floor.value[0] / row.aim.speed
          : undefined;
  const verdict =
    text === ''
      ? ''
      : `<p class="soft ${isReached ? 'good' : 'bad'}">Aim: ${escape(text)}, ${isReached ? 'reached' : 'not reached'}</p>`;
  return `<figure><figcaption>${escape(rowTitle(row))}</figcaption>${bars(list, below)}${verdict}</figure>`;
}

function roundsOf({ rounds }: { readonly rounds: number }): string {
  return rounds === 1 ? 'One round, a trial' : `Medians of ${rounds} rounds`;
}

function suiteSection(result: SuiteResult): string {
  return section(
    result,
    `${result.about} ${roundsOf(result)}${result.version === undefined ? '' : `, measured later than the rest with ${result.version}`}; a line across the end of a bar reaches from the least to the most. Shorter is better.`,
    result.rows.map(rowFigure),
    suiteTable(result),
  );
}

function section(
  { name, title }: { readonly name: string; readonly title: string },
  about: string,
  figures: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return `<section id="${escape(name)}"><h2>${escape(title)}</h2><p>${escape(about).replaceAll(/`([^`]*)`/g, '<code>$1</code>')}</p>
<div class="grid">${figures.join('\n')}</div>${table(rows)}</section>`;
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [340, 200, 72, 14, 12, 34];

/** Both axes are logarithmic, so that linear growth is a straight line of slope 1, which is drawn dashed. */
function growthFigure({ sizes, items }: GrowthResult, series: GrowthResult['series'][number]): string {
  const { title, unit, values, exponent } = series;
  const medians = values.map(([middle]) => Math.max(middle, 1e-6));
  const [low, high] = [Math.min(...medians), Math.max(...medians, Math.min(...medians) * 10)];
  const scale = (value: number, from: number, to: number): number => Math.log(value / from) / Math.log(to / from);
  const x = (size: number): number => LEFT + scale(size, sizes[0] ?? 1, sizes.at(-1) ?? 10) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number => HEIGHT - BOTTOM - scale(value, low, high) * (HEIGHT - TOP - BOTTOM);
  const points = sizes.map((size, index) => [x(size), y(medians[index] ?? low)] as const);
  const path = (list: readonly (readonly [number, number])[]): string =>
    list.map(([a, b], index) => `${index === 0 ? 'M' : 'L'}${a.toFixed(1)} ${b.toFixed(1)}`).join(' ');
  const last = medians.at(-1) ?? high;
  const factor = (sizes.at(-1) ?? 1) / (sizes[0] ?? 1);
  // Through the last point; it leaves the plot where it is cheaper than everything measured.
  const from = Math.max(last / factor, low);
  const fromSize = ((sizes.at(-1) ?? 1) * from) / last;
  const linear = path([
    [x(fromSize), y(from)],
    [x(sizes.at(-1) ?? 1), y(last)],
  ]);
  const ticks = sizes.map(
    (size) =>
      `<line class="axis" x1="${x(size).toFixed(1)}" x2="${x(size).toFixed(1)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>
<text x="${x(size).toFixed(1)}" y="${HEIGHT - BOTTOM + 14}" text-anchor="${size === sizes.at(-1) ? 'end' : 'middle'}">${size.toLocaleString('en-US')}</text>`,
  );
  const levels = [low, high].map(
    (value) =>
      `<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}"/>
<text x="${LEFT - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${escape(amount(value, unit))}</text>`,
  );
  const dots = points.map(
    ([a, b], index) =>
      `<circle class="ours" cx="${a.toFixed(1)}" cy="${b.toFixed(1)}" r="3.5"><title>${escape(`${(sizes[index] ?? 0).toLocaleString('en-US')} ${items}: ${amount(medians[index] ?? 0, unit)}`)}</title></circle>`,
  );
  const label = sizes
    .map((size, index) => `${size.toLocaleString('en-US')} ${items}: ${amount(medians[index] ?? 0, unit)}`)
    .join('; ');
  return `<figure><figcaption>${escape(title)}: ${growthWord(exponent)} (exponent ${exponent.toFixed(2)})</figcaption>
<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(label)}">${ticks.join('')}${levels.join('')}
<path class="linear" d="${linear}"/><path class="curve" d="${path(points)}"/>${dots.join('')}
<text x="${WIDTH - RIGHT}" y="${HEIGHT - 4}" text-anchor="end">${escape(items)}</text></svg></figure>`;
}

function growthSection(result: GrowthResult): string {
  return section(
    result,
    `${result.about} ${roundsOf(result)}. Both axes are logarithmic; the dashed line is linear growth.`,
    result.series.map((series) => growthFigure(result, series)),
    growthTable(result),
  );
}

function sizeFigure({ title, ours, unit, peers }: SizeRow): string {
  const bar = (kind: Bar['kind'], name: string, value: number): Bar => ({
    ...{ kind, name, value },
    text: amount(value, unit),
  });
  return `<figure><figcaption>${escape(title)}</figcaption>${bars([
    bar('ours', 'mcpgen', ours),
    ...Object.entries(peers).map(([name, value]) => bar('peer', name, value)),
  ])}</figure>`;
}

function sizeSection(result: SizeResult): string {
  return section(result, `${result.about} Shorter is better.`, result.rows.map(sizeFigure), sizeTable(result));
}

/** The whole page. */
export function page(results: Results): string {
  const { suites, growth, sizes, versions, machine, date, command } = results;
  const all = [...suites, ...growth, ...sizes];
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'">
<title>Benchmarks of mcpgen</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Benchmarks of mcpgen</h1>
<p>From <code>${escape(command)}</code> on ${escape(date)}, ${machine.cores} cores (${escape(machine.processor)}), load before the run ${machine.load.join(', ')}.
Compare only figures of one run: contenders take turns, so that a busy machine slows all alike.</p>
<p class="soft">${Object.entries(versions)
    .map(([name, version]) => escape(`${name} ${version}`))
    .join(' · ')}</p>
<nav>${all.map(({ name, title }) => `<a href="#${escape(name)}">${escape(title)}</a>`).join('\n')}</nav>
<main>
${[...suites.map(suiteSection), ...growth.map(growthSection), ...sizes.map(sizeSection)].join('\n')}
</main>
</body>
</html>
`;
}
