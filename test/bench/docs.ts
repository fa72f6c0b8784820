/** Writes the tables of `results.json` into the docs, between markers: `npm run bench:docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Results, Row, SuiteResult } from './suite.js';
import { amount, growthTable, number, ratio, rowTitle, sizeTable } from './tables.js';

const root = path.resolve(import.meta.dirname, '../..');

/** A table in Markdown, aligned as Prettier does. */
function markdown(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head = '', ...body] = rows.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

function findRow({ suites }: Results, suite: string, title: string, column: string): Row | undefined {
  const rows = suites.find(({ name }) => name === suite)?.rows ?? [];
  return rows.find((row) => row.title.startsWith(title) && row.column === column);
}

/** The table of the README: how much faster ours is than the official SDKs. */
function readmeTable(results: Results): string {
  const columns = [
    ['in memory', 'memory', '2025-11-25', '100 in flight', { v1: 'SDK v1', v2: 'SDK v2' }],
    ['over stdio', 'stdio', '2025-11-25', '100 in flight', { v1: 'SDK v1', v2: 'SDK v2' }],
    ['over HTTP', 'http', '2025-11-25', 'on the clock', { v1: 'SDK v1', v2: 'SDK v2' }],
    ['deep validation', 'validators', 'deep validation', 'session', { v1: 'Zod of SDK v1', v2: 'Zod of SDK v2' }],
  ] as const;
  const { versions } = results;
  const peers = [
    ['v1', `the official SDK ${versions['@modelcontextprotocol/sdk'] ?? ''}`],
    ['v2', `the official SDK ${versions['@modelcontextprotocol/server'] ?? ''}`],
  ] as const;
  return markdown([
    ['speed of mcpgen, relative to', ...columns.map(([title]) => title)],
    ...peers.map(([key, name]) => [
      name,
      ...columns.map(([, suite, title, column, names]) => {
        const row = findRow(results, suite, title, column);
        const peer = row?.peers.find((found) => found.name === names[key]);
        return peer === undefined ? '' : number(peer.times[0]);
      }),
    ]),
  ]);
}

function suiteMarkdown({ title, about, version, rows }: SuiteResult): string {
  const hasFloor = rows.some(({ floor }) => floor !== undefined);
  const peers = [...new Set(rows.flatMap((row) => row.peers.map(({ name }) => name)))];
  const later = version === undefined ? '' : ` Measured later than the rest, with ${version}.`;
  return `### ${title}

${about}${later}

${markdown([
  ['', 'mcpgen', ...(hasFloor ? ['relative to the floor'] : []), ...peers.map((name) => `relative to ${name}`)],
  ...rows.map((row) => [
    rowTitle(row),
    amount(row.ours.value[0], row.unit),
    ...(hasFloor ? [row.speed === undefined ? '' : ratio(row.speed)] : []),
    ...peers.map((name) => {
      const peer = row.peers.find((found) => found.name === name);
      return peer === undefined ? '' : ratio(peer.times);
    }),
  ]),
])}`;
}

function comparison(results: Results): string {
  const { date, command, machine, versions, suites, growth, sizes } = results;
  const rounds = Math.max(...[...suites, ...growth].map((suite) => suite.rounds));
  const about = (text: string): string => (text.endsWith('.') ? text : `${text}.`);
  return [
    `\`${command}\` on ${date}, ${machine.cores} cores (${machine.processor}), load before the run ${machine.load.join(', ')}; ${rounds === 1 ? 'one round, a trial' : `medians of ${rounds} rounds`}, with the least and the most in parentheses. ${about(
      Object.entries(versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', '),
    )}`,
    ...suites.map(suiteMarkdown),
    ...growth.map((result) => `### ${result.title}\n\n${result.about}\n\n${markdown(growthTable(result))}`),
    ...sizes.map((result) => `### ${result.title}\n\n${result.about}\n\n${markdown(sizeTable(result))}`),
  ].join('\n\n');
}

/** What is between the markers of each file. */
const CONTENTS: Readonly<Record<string, (results: Results) => string>> = {
  'README.md': readmeTable,
  'docs/comparison.md': comparison,
};

/** The results of the last complete run. */
export function readResults(): Results {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, 'results.json'), 'utf8')) as Results;
}

/** The files that have tables, by path, as they should be. */
export function docsOf(results: Results): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(CONTENTS).map(([name, contents]) => {
      const text = readFileSync(path.join(root, name), 'utf8');
      const between = /(<!-- bench:start -->\n)[^]*(\n<!-- bench:end -->)/;
      if (!between.test(text)) throw new Error(`${name} has no markers <!-- bench:start --> and <!-- bench:end -->`);
      return [name, text.replace(between, (_, start: string, end: string) => `${start}\n${contents(results)}\n${end}`)];
    }),
  );
}

if (process.argv[1] === import.meta.filename)
  for (const [name, text] of docsOf(readResults())) writeFileSync(path.join(root, name), text);
