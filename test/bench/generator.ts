/**
 * Benchmarks, for `npm run bench`: the whole process against json-schema-to-typescript's, the stages of one run, and the
 * guards against `JSON.parse` and the SDK's. What is compared runs in turns, so that a busy machine slows all alike.
 *
 * `npm run bench -- --runs 9` counts more runs than the 5 that are the least.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Generated from '../../generated/2025-11-25/index.js';
import { classifyByHand, median, MESSAGES, printTable, processorTime, TSX } from './support.js';

const root = path.resolve(import.meta.dirname, '../..');
const REVISION = '2025-11-25';
const runs = Math.max(5, Number(process.argv[process.argv.indexOf('--runs') + 1]) || 5);
/** What json-schema-to-typescript has something like, and more. */
const NO_VALIDATORS = 'types,methods,messages,guards,errors';
const scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-'));

/** Runs Node once, from nothing. Returns milliseconds on the clock and of processor time. */
function runNode(args: readonly string[]): {
  readonly clock: number;
  readonly processor: number;
  readonly output: string;
} {
  const start = performance.now();
  const run = spawnSync(process.execPath, ['--require', meter, ...args], {
    cwd: scratch,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const clock = performance.now() - start;
  if (run.status !== 0) throw new Error(`${args.join(' ')}: exit code ${String(run.status)}\n${run.stderr}`);
  return { clock, processor: Number(run.output[3]), output: run.stdout };
}

const meter = path.join(scratch, 'meter.cjs');
writeFileSync(
  meter,
  `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('node:fs').writeSync(3, String((user + system) / 1000));
});
`,
);

function wholeProcess(): void {
  const cli = path.join(root, 'dist/generator/cli.js');
  const json2ts = path.join(
    path.dirname(createRequire(import.meta.url).resolve('json-schema-to-typescript')),
    'cli.js',
  );
  const schema = path.join(root, 'schema', REVISION, 'schema.json');
  const ours = path.join(scratch, 'ours');
  const theirs = path.join(scratch, 'theirs.ts');
  const commands = {
    [`mcpgen generate, ${REVISION}`]: [cli, 'generate', '--revision', REVISION, '--out', ours],
    'json2ts, the same schema': [json2ts, '-i', schema, '-o', theirs, '--unreachableDefinitions'],
    'mcpgen generate, all five': [cli, 'generate', '--out', ours],
    'mcpgen generate, all five, without validators': [cli, 'generate', '--emit', NO_VALIDATORS, '--out', ours],
    [`mcpgen generate --emit types, ${REVISION}`]: [cli, 'generate', '-r', REVISION, '--emit', 'types', '--out', ours],
    [`mcpgen vectors, ${REVISION}`]: [cli, 'vectors', '--revision', REVISION, '--out', ours],
    'mcpgen --version': [cli, '--version'],
    'node -e 0': ['-e', '0'],
  };
  const names = Object.keys(commands) as readonly (keyof typeof commands)[];
  const samples = new Map(names.map((name) => [name, { clock: [] as number[], processor: [] as number[] }]));
  for (let round = 0; round <= runs; round += 1) {
    for (const name of names) {
      // Nothing to compare with and all to write: as on a user's first run.
      for (const made of [ours, theirs]) rmSync(made, { recursive: true, force: true });
      const { clock, processor } = runNode(commands[name]);
      if (name.startsWith('json2ts') && statSync(theirs).size < 10_000)
        throw new Error('json2ts wrote next to nothing');
      // The first round warms the disk cache only.
      if (round === 0) continue;
      samples.get(name)?.clock.push(clock);
      samples.get(name)?.processor.push(processor);
    }
  }
  const of = (name: keyof typeof commands, kind: 'clock' | 'processor'): number =>
    median(samples.get(name)?.[kind] ?? []);
  const peer = 'json2ts, the same schema';
  printTable(`Whole process, medians of ${runs} runs in turns`, [
    ['', 'ms', 'of json2ts', 'processor ms', 'of json2ts'],
    ...names.map((name) => [
      name,
      of(name, 'clock').toFixed(0),
      (of(name, 'clock') / of(peer, 'clock')).toFixed(2),
      of(name, 'processor').toFixed(0),
      (of(name, 'processor') / of(peer, 'processor')).toFixed(2),
    ]),
  ]);
  const all = ['mcpgen generate, all five, without validators', 'mcpgen generate, all five'] as const;
  for (const name of all) {
    const [clock, processor] = (['clock', 'processor'] as const).map((kind) =>
      (of(name, kind) / (2 * of(peer, kind))).toFixed(2),
    );
    process.stdout.write(
      `\n  ${name} / two json2ts runs: ${clock ?? ''} on the clock, ${processor ?? ''} of processor time\n`,
    );
  }
  process.stdout.write('  (aim: below 1 for what both make, which is typings)\n');
}

/** What one run does, in a fresh process. */
const STAGES_SCRIPT = `
const rounds = [];
let last = performance.now();
let times = {};
const lap = (stage) => {
  const now = performance.now();
  times[stage] = (times[stage] ?? 0) + now - last;
  last = now;
};
const dist = process.argv[1];
const { DEFAULT_PARTS, loadProtocol } = await import(dist + 'generator/index.js');
const { emit } = await import(dist + 'generator/emit/index.js');
const { header } = await import(dist + 'generator/print/header.js');
const { Formatter } = await import(dist + 'generator/output/format.js');
const { planChanges } = await import(dist + 'generator/output/plan.js');
const { writeChanges } = await import(dist + 'generator/output/write.js');
lap('import');
const path = await import('node:path');
const { rmSync } = await import('node:fs');
for (let round = 0; round < 5; round += 1) {
  rmSync('staged', { recursive: true, force: true });
  const out = path.resolve('staged');
  last = performance.now();
  const protocol = await loadProtocol({ revision: ${JSON.stringify(REVISION)} });
  lap('load');
  const files = emit(protocol, DEFAULT_PARTS, 'js');
  lap('emit');
  const texts = files.map((file) => file.print({ header: header(protocol, ''), importExtension: 'js' }));
  lap('print');
  const formatter = new Formatter();
  const planned = [];
  for (const [index, text] of texts.entries()) {
    const name = protocol.revision + '/' + files[index].name + '.ts';
    planned.push({ path: name, contents: await formatter.format(text, path.join(out, name)) });
    lap('Prettier ' + files[index].name);
  }
  const changes = planChanges(out, planned);
  lap('plan');
  writeChanges(out, changes);
  lap('write');
  rounds.push(times);
  times = {};
}
console.log(JSON.stringify(rounds));
`;

function stages(): void {
  const dist = `${pathToFileURL(path.join(root, 'dist')).href}/`;
  const cold: Record<string, number>[] = [];
  const warm: Record<string, number>[] = [];
  for (let run = 0; run < runs; run += 1) {
    const { output } = runNode(['--input-type=module', '-e', STAGES_SCRIPT, dist]);
    const [first, ...others] = JSON.parse(output) as [Record<string, number>, ...Record<string, number>[]];
    cold.push(first);
    warm.push(...others);
  }
  const names = Object.keys(cold[0] ?? {});
  const of = (rounds: readonly Record<string, number>[], name: string): number =>
    median(rounds.flatMap((round) => round[name] ?? []));
  const sum = (rounds: readonly Record<string, number>[]): number =>
    names.reduce((total, name) => total + (Number.isNaN(of(rounds, name)) ? 0 : of(rounds, name)), 0);
  printTable(`Stages of one run, ${REVISION}, in ms: first in a process (${runs} processes), and once it is warm`, [
    ['', 'first', 'warm'],
    ...names.map((name) => [
      name,
      of(cold, name).toFixed(1),
      Number.isNaN(of(warm, name)) ? '' : of(warm, name).toFixed(1),
    ]),
    ['all', sum(cold).toFixed(1), sum(warm).toFixed(1)],
  ]);
}

/** What is measured, by name: a loop over all messages. It returns a number, so that nothing is optimized away. */
async function contender(name: string): Promise<() => number> {
  const texts = MESSAGES.map((message) => JSON.stringify(message));
  const values = texts.map((text) => JSON.parse(text) as unknown);
  const built = pathToFileURL(path.join(root, 'dist/generated', REVISION, 'index.js')).href;
  const { classify, hasMethod, isClientRequest, isRequest, METHODS } = (await import(built)) as typeof Generated;
  const classified = values.flatMap((value) => {
    const found = classify(value);
    return found.kind === 'invalid' ? [] : [found.message];
  });
  if (classified.length !== values.length) throw new Error('a message of the corpus is invalid');
  const over = <T>(items: readonly T[], measure: (item: T) => number) => {
    return (): number => {
      let sum = 0;
      for (const item of items) sum += measure(item);
      return sum;
    };
  };
  switch (name) {
    case 'JSON.parse':
      return over(texts, (text) => (JSON.parse(text) === null ? 0 : 1));
    case 'classify':
      return over(values, (value) => classify(value).kind.length);
    case 'classify, strict':
      return over(values, (value) => classify(value, { strict: true }).kind.length);
    case 'classify, by hand':
      return over(values, (value) => classifyByHand(value).kind.length);
    case 'isRequest':
      return over(values, (value) => (isRequest(value) ? 1 : 0));
    case 'hasMethod':
      return over(classified, (message) => (hasMethod(message, METHODS.TOOLS_CALL) ? 1 : 0));
    case 'isClientRequest':
      return over(classified, (message) => (isClientRequest(message) ? 1 : 0));
    case 'isJSONRPCRequest of SDK v1': {
      const { isJSONRPCRequest } = await import('@modelcontextprotocol/sdk/types.js');
      return over(values, (value) => (isJSONRPCRequest(value) ? 1 : 0));
    }
    case 'isJSONRPCRequest of SDK v2': {
      const { isJSONRPCRequest } = await import('@modelcontextprotocol/server');
      return over(values, (value) => (isJSONRPCRequest(value) ? 1 : 0));
    }
    default:
      throw new Error(`nothing is called ${name}`);
  }
}

const CONTENDERS = [
  'JSON.parse',
  'classify',
  'classify, strict',
  'classify, by hand',
  'isRequest',
  'hasMethod',
  'isClientRequest',
  'isJSONRPCRequest of SDK v1',
  'isJSONRPCRequest of SDK v2',
];

/** Measured in a separate process, so that no code is optimized for another contender. */
async function measureGuard(name: string): Promise<void> {
  process.stdout.write(String(processorTime(await contender(name)) / MESSAGES.length));
}

function guards(): void {
  const samples = new Map<string, number[]>(CONTENDERS.map((name) => [name, []]));
  for (let round = 0; round < runs; round += 1) {
    for (const name of CONTENDERS) {
      const { output } = runNode(['--import', TSX, import.meta.filename, '--guard', name]);
      samples.get(name)?.push(Number(output));
    }
  }
  const of = (name: string): number => median(samples.get(name) ?? []);
  printTable(`Guards, ${MESSAGES.length} messages, medians of ${runs} processes each, in turns`, [
    ['', 'processor ns a message', 'as fast as JSON.parse, times'],
    ...CONTENDERS.map((name) => [name, of(name).toFixed(1), (of('JSON.parse') / of(name)).toPrecision(3)]),
  ]);
}

const guard = process.argv.indexOf('--guard');
try {
  if (guard !== -1) {
    await measureGuard(process.argv[guard + 1] ?? '');
  } else {
    const { version } = JSON.parse(
      readFileSync(path.join(root, 'node_modules/json-schema-to-typescript/package.json'), 'utf8'),
    ) as { version: string };
    const facts = [`Node ${process.version}`, `${os.cpus().length} processors`, `json-schema-to-typescript ${version}`];
    process.stdout.write(`${facts.join(', ')}\n`);
    wholeProcess();
    stages();
    guards();
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
