/**
 * All benchmarks: `npm run bench`. Prints tables, and writes `results.json` and `results.html` next to this file.
 *
 * - `--only NAME` runs the benchmarks whose names begin with it, repeatable.
 * - `--rounds N` makes other than 5 rounds, a complete run at least 5.
 * - `--quick` is a trial with one round, whose figures mean little.
 * - `--update` replaces the named benchmarks in the results of the last complete run, which then name their commit.
 * - `--against FOLDER` compares ours with another checkout, which must be built, instead of peers.
 *
 * Other runs than a complete one and an update write to `out/bench` instead, so that the files here are always those of a complete run. A complete run
 * takes some 20 minutes. Results are kept after each benchmark; `--continue` goes on after the last one of a run that was stopped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { page } from './page.js';
import { bundleProgram, linkPackages, runWorker } from './processes.js';
import { growthTable, sizeTable, suiteTable } from './tables.js';
import { runGrowth, runSuite, type Bench, type Results } from './suite.js';
import { GROWTH, SIZES, SUITES } from './suites.js';
import { printTable } from './support.js';

const root = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    continue: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
  },
});
const isTrial = values.quick || values.against !== undefined;
const isComplete = values.only.length === 0 && !isTrial;
const isUpdate = values.update && !isTrial;
const rounds = values.quick ? 1 : Math.max(isComplete || isUpdate ? 5 : 1, Number(values.rounds) || 5);

/** Whether a benchmark runs: those that take long only if they are named. */
function isChosen({ name, isLong = false }: { readonly name: string; readonly isLong?: boolean }): boolean {
  return values.only.length === 0 ? !isLong : values.only.some((prefix) => name.startsWith(prefix));
}

const PEERS = [
  '@modelcontextprotocol/sdk',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/node',
  'ajv',
  'zod',
  'json-schema-to-typescript',
  'esbuild',
  'typescript',
  'undici',
];

function versions(): Readonly<Record<string, string>> {
  const of = (file: string): string =>
    (JSON.parse(readFileSync(path.join(root, file), 'utf8')) as { readonly version: string }).version;
  const git = (...args: readonly string[]): string =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
  const commit = git('rev-parse', '--short', 'HEAD');
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
  return {
    Node: process.version.slice(1),
    V8: process.versions.v8,
    mcpgen: `${of('package.json')}, commit ${commit}${isChanged ? ' with changes' : ''}`,
    ...Object.fromEntries(PEERS.map((name) => [name, of(path.join('node_modules', name, 'package.json'))])),
  };
}

const OUT = path.join(root, 'out/bench');
const KEPT = path.join(OUT, 'kept.json');

/** The benchmarks of a stopped run of the same state on the same day; nothing without `--continue`. */
function keptResults(current: Results): Pick<Results, 'suites' | 'growth' | 'sizes'> {
  const none = { suites: [], growth: [], sizes: [] };
  if (!values.continue || !isComplete || !existsSync(KEPT)) return none;
  const { suites, growth, sizes, ...about } = JSON.parse(readFileSync(KEPT, 'utf8')) as Results;
  const isSame = about.date === current.date && JSON.stringify(about.versions) === JSON.stringify(current.versions);
  return isSame ? { suites, growth, sizes } : none;
}

/** The results of the last complete run, with those of some suites replaced. */
function updatedResults({ versions: { mcpgen = '', ...peers }, suites }: Results): Results {
  const complete = JSON.parse(readFileSync(path.join(import.meta.dirname, 'results.json'), 'utf8')) as Results;
  const { mcpgen: _, ...former } = complete.versions;
  if (JSON.stringify(former) !== JSON.stringify(peers))
    throw new Error('other versions than those of the complete run');
  const updated = new Map(suites.map((suite) => [suite.name, { ...suite, version: mcpgen }]));
  return { ...complete, suites: complete.suites.map((suite) => updated.get(suite.name) ?? suite) };
}

const scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-'));
const start = performance.now();
try {
  const load = os.loadavg().map((value) => Number(value.toFixed(2)));
  linkPackages(root, scratch);
  const worker = await bundleProgram(scratch, 'worker', root);
  /** Each benchmark has a folder, so that none finds files of another one. */
  const benchOf = (name: string, checkout = root): Bench => {
    const folder = path.join(scratch, name);
    mkdirSync(folder);
    linkPackages(root, folder);
    return {
      ...{ root: checkout, scratch: folder, isQuick: values.quick },
      progress: (text) => {
        const minutes = ((performance.now() - start) / 60_000).toFixed(1);
        process.stderr.write(`[${minutes} min] ${text}\n`);
      },
      measure: (measurement, args = {}) => Promise.resolve(runWorker(worker, checkout, measurement, args)),
    };
  };
  const about: Results = {
    date: new Date().toISOString().slice(0, 10),
    command: 'npm run bench',
    machine: { processor: os.cpus()[0]?.model ?? 'unknown', cores: os.availableParallelism(), load },
    versions: versions(),
    ...{ suites: [], growth: [], sizes: [] },
  };
  const kept = keptResults(about);
  const found: { [Kind in keyof typeof kept]: Results[Kind][number][] } = {
    suites: [...kept.suites],
    growth: [...kept.growth],
    sizes: [...kept.sizes],
  };
  const results = (): Results => ({ ...about, ...found });
  mkdirSync(OUT, { recursive: true });
  const keep = (): void => {
    if (isComplete) writeFileSync(KEPT, JSON.stringify(results()));
  };
  const isOpen = (kind: keyof typeof found) => {
    return (suite: { readonly name: string; readonly isLong?: boolean }): boolean =>
      isChosen(suite) && !found[kind].some(({ name }) => name === suite.name);
  };
  process.stdout.write(
    `${Object.entries(about.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}; ${about.machine.cores} cores, load ${load.join(' ')}\n`,
  );
  for (const suite of SUITES.filter(isOpen('suites'))) {
    const older =
      values.against === undefined ? undefined : benchOf(`${suite.name}-before`, path.resolve(values.against));
    const result = await runSuite(suite, benchOf(suite.name), rounds, older);
    found.suites.push(result);
    printTable(`${result.title} (median of ${result.rounds}, least to most)`, suiteTable(result));
    keep();
  }
  for (const suite of values.against === undefined ? GROWTH.filter(isOpen('growth')) : []) {
    const result = await runGrowth(suite, benchOf(suite.name), rounds);
    found.growth.push(result);
    printTable(`${result.title} (median of ${result.rounds})`, growthTable(result));
    keep();
  }
  for (const suite of values.against === undefined ? SIZES.filter(isOpen('sizes')) : []) {
    const { measure, ...description } = suite;
    const result = { ...description, rows: await measure(benchOf(suite.name)) };
    found.sizes.push(result);
    printTable(result.title, sizeTable(result));
  }
  const out = isComplete || isUpdate ? import.meta.dirname : OUT;
  const written = isUpdate ? updatedResults(results()) : results();
  writeFileSync(path.join(out, 'results.json'), `${JSON.stringify(written, undefined, 1)}\n`);
  writeFileSync(path.join(out, 'results.html'), page(written));
  const minutes = ((performance.now() - start) / 60_000).toFixed(1);
  process.stdout.write(`\n${minutes} minutes. Written: results.json and results.html in ${path.relative(root, out)}\n`);
  if (isComplete || isUpdate) process.stdout.write('Now run `npm run bench:docs`.\n');
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
