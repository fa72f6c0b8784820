/**
 * Benchmark of `diff` and `sync`, for `npm run bench:sync`: whole processes, each pair of neighbors and the first against
 * the last. They run in turns with Node alone and with json2ts, which reads one schema, so that a busy machine slows all
 * alike. Ends with exit code 1 if one takes longer than the 5 seconds that a person may be made to wait.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { median, printTable } from './support.js';
import { REVISIONS } from '../support/revisions.js';

const LIMIT = 5000;
const RUNS = 5;
const root = path.resolve(import.meta.dirname, '../..');
const cli = path.join(root, 'dist/generator/cli.js');
const json2ts = path.join(path.dirname(createRequire(import.meta.url).resolve('json-schema-to-typescript')), 'cli.js');
const scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-'));
const names = REVISIONS.map(({ revision }) => revision);
const schema = (revision: string): string => path.join(root, 'schema', revision, 'schema.json');
const [first = '', last = ''] = [names[0], names.at(-1)];

const commands: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    names
      .slice(1)
      .map((revision, index) => [
        `diff ${names[index] ?? ''} ${revision}`,
        [cli, 'diff', names[index] ?? '', revision],
      ]),
  ),
  [`diff ${first} ${last}`]: [cli, 'diff', first, last],
  [`diff ${first} ${last}, as a page`]: [cli, 'diff', first, last, '--html', path.join(scratch, 'page.html')],
  [`sync ${last}, from a file, as a draft that is new`]: [
    cli,
    'sync',
    '-r',
    'draft',
    '--from',
    schema(last),
    '-o',
    'new',
  ],
  'sync, of one that has changed': [cli, 'sync', '-r', 'draft', '--from', schema(last), '-o', 'old', '--json'],
  'json2ts, one schema': [
    json2ts,
    '-i',
    schema(last),
    '-o',
    path.join(scratch, 'theirs.ts'),
    '--unreachableDefinitions',
  ],
  'node -e 0': ['-e', '0'],
};

function run(args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: scratch, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')}: exit code ${String(status)}\n${stderr}`);
  return performance.now() - start;
}

try {
  const samples = new Map(Object.keys(commands).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= RUNS; round += 1) {
    for (const [name, args] of Object.entries(commands)) {
      rmSync(path.join(scratch, 'new'), { recursive: true, force: true });
      // Before each run, what is there is the revision before.
      if (args.includes('old')) run([cli, 'sync', '-r', 'draft', '--from', schema(names.at(-2) ?? ''), '-o', 'old']);
      const time = run(args);
      // The first round warms the disk cache only.
      if (round > 0) samples.get(name)?.push(time);
    }
  }
  const bare = median(samples.get('node -e 0') ?? []);
  const theirs = median(samples.get('json2ts, one schema') ?? []);
  printTable('Whole process, median of 5', [
    ['', 'ms', 'of node -e 0', 'of json2ts'],
    ...[...samples].map(([name, times]) => {
      const time = median(times);
      return [name, time.toFixed(0), (time / bare).toFixed(1), (time / theirs).toFixed(2)];
    }),
  ]);
  const slow = [...samples].filter(([name, times]) => /^(?:diff|sync)/.test(name) && median(times) > LIMIT);
  for (const [name] of slow) process.stdout.write(`\n${name} takes longer than ${LIMIT} ms\n`);
  if (slow.length > 0) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
