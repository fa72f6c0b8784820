/** Whole processes: the command line against Node alone and json-schema-to-typescript. */
import { rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Mcpgen from '../../generator/index.js';
import { REVISIONS } from '../support/revisions.js';
import { runNode } from './processes.js';
import type { Bench, Contender, Suite } from './suite.js';

const REVISION = '2025-11-25';
const JSON2TS = path.join(path.dirname(createRequire(import.meta.url).resolve('json-schema-to-typescript')), 'cli.js');
const BARE = 'node -e 0';
const COLUMNS = [
  { title: 'on the clock', unit: 'ms' },
  { title: 'processor time', unit: 'ms' },
] as const;

const cliOf = ({ root }: Bench): string => path.join(root, 'dist/generator/cli.js');
const schemaOf = ({ root }: Bench, revision: string): string => path.join(root, 'schema', revision, 'schema.json');

/** Runs a command of ours, after something else that is not measured. */
function command(args: readonly string[], before?: (bench: Bench) => void): Contender {
  return (bench) => {
    before?.(bench);
    const { clock, processor } = runNode(bench.scratch, [cliOf(bench), ...args]);
    return [clock, processor];
  };
}

const bare: Contender = ({ scratch }) => {
  const { clock, processor } = runNode(scratch, ['-e', '0']);
  return [clock, processor];
};

/** Types of one revision, by json-schema-to-typescript. */
function json2ts(revision: string): Contender {
  return (bench) => {
    const out = path.join(bench.scratch, 'theirs.ts');
    rmSync(out, { force: true });
    const { clock, processor } = runNode(bench.scratch, [
      ...[JSON2TS, '-i', schemaOf(bench, revision), '-o', out],
      '--unreachableDefinitions',
    ]);
    if (statSync(out).size < 10_000) throw new Error('json2ts wrote next to nothing');
    return [clock, processor];
  };
}

/** As on a user's first run: nothing to compare with, all to write, and nothing in the cache. */
function fromNothing(bench: Bench): void {
  for (const name of ['ours', 'cache']) rmSync(path.join(bench.scratch, name), { recursive: true, force: true });
}

const all = ['generate', '--out', 'ours'];
const PEER = 'json2ts, types of one revision';

export const generate: Suite = {
  name: 'generate',
  title: 'Generation',
  about:
    'Whole processes, from the start to the last written file, with an empty output folder and an empty cache. The floor is Node that does nothing; the peer writes the types of one revision only.',
  columns: COLUMNS,
  races: [
    race('five revisions, all default parts', 700, [PEER]),
    race('one revision, all parts', 350),
    race('one revision, types only', undefined, [PEER]),
    race('unchanged, --check of five revisions', 250),
    race('--help', 90),
    race('--version', 90),
    race('test vectors of one revision'),
  ],
  contenders: async (bench) => {
    // An older checkout may have other parts.
    const { EMITTABLE } = (await import(
      pathToFileURL(path.join(bench.root, 'dist/generator/index.js')).href
    )) as typeof Mcpgen;
    const checked = ['generate', '--out', 'checked'];
    runNode(bench.scratch, [cliOf(bench), ...checked]);
    const parts = EMITTABLE.filter((part) => part !== 'stubs').join(',');
    return {
      [BARE]: bare,
      'five revisions, all default parts': command(all, fromNothing),
      'one revision, all parts': command([...all, '-r', REVISION, '--emit', parts], fromNothing),
      'one revision, types only': command([...all, '-r', REVISION, '--emit', 'types'], fromNothing),
      'unchanged, --check of five revisions': (own) => {
        // What has filled the cache was removed by the others.
        runNode(own.scratch, [cliOf(own), ...checked, '--check']);
        return command([...checked, '--check'])(own);
      },
      '--help': command(['--help']),
      '--version': command(['--version']),
      'test vectors of one revision': command(['vectors', '-r', REVISION, '--out', 'ours'], fromNothing),
      [PEER]: json2ts(REVISION),
    };
  },
};

function race(title: string, below?: number, peers: readonly string[] = []): Suite['races'][number] {
  return { title, floor: BARE, ours: title, peers, ...(below === undefined ? {} : { aims: [{ below }, undefined] }) };
}

const names = REVISIONS.map(({ revision }) => revision);
const [first = '', last = ''] = [names[0], names.at(-1)];
/** Longer than a person may be made to wait. */
const LIMIT_MS = 5000;
const DIFFS = [[names.at(-2) ?? '', last] as const, [first, last] as const];

export const diff: Suite = {
  name: 'diff',
  title: 'Diff and sync',
  about: 'Whole processes: the last two revisions, the first against the last, and reading a schema.',
  columns: COLUMNS,
  races: [
    ...DIFFS.map(([a, b]) => race(`diff ${a} ${b}`, LIMIT_MS)),
    race('diff of first and last, as a page', LIMIT_MS),
    race('sync, a schema that is new', LIMIT_MS, ['json2ts, one schema']),
    race('sync, a schema that has changed', LIMIT_MS),
  ],
  contenders: () => {
    const sync = (bench: Bench, revision: string, out: string): string[] => [
      ...['sync', '-r', 'draft', '--from', schemaOf(bench, revision), '-o', out, '--json'],
    ];
    return Promise.resolve({
      [BARE]: bare,
      ...Object.fromEntries(DIFFS.map(([a, b]) => [`diff ${a} ${b}`, command(['diff', a, b])])),
      'diff of first and last, as a page': command(['diff', first, last, '--html', 'page.html']),
      'sync, a schema that is new': (bench) => {
        rmSync(path.join(bench.scratch, 'new'), { recursive: true, force: true });
        return command(sync(bench, last, 'new'))(bench);
      },
      'sync, a schema that has changed': (bench) => {
        // What is there before each run is the revision before.
        runNode(bench.scratch, [cliOf(bench), ...sync(bench, names.at(-2) ?? '', 'old')]);
        return command(sync(bench, last, 'old'))(bench);
      },
      'json2ts, one schema': json2ts(last),
    });
  },
};
