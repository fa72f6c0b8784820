/**
 * Benchmark of HTTP servers, for `npm run bench:http`: `tools/call` with 50 in flight over connections that are kept,
 * against the official SDKs, each in a process of its own and the same load for all. In turns; the medians of all rounds.
 * `npm run bench:http -- --runs 5 --calls 20000` makes more and longer rounds than 3 of 6,000 calls.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { median, printTable } from './support/bench.js';
import { HttpLoad } from './support/http-load.js';

const IN_FLIGHT = 50;
const MIB = 2 ** 20;
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, calls: { type: 'string', default: '6000' } },
});
const runs = Number(values.runs);
const calls = Number(values.calls);

interface Usage {
  readonly rss: number;
  readonly heapUsed: number;
  readonly cpu: NodeJS.CpuUsage;
}

interface Round {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's processor time for a call. */
  readonly cpu: number;
  /** MiB, after garbage was collected. */
  readonly rss: number;
  readonly heap: number;
}

const GROUPS = [
  {
    title: '2025-11-25, with sessions',
    isModern: false,
    names: ['ours', 'SDK v1', 'SDK v1, JSON answers', 'SDK v2', 'SDK v2, JSON answers'],
  },
  { title: '2026-07-28', isModern: true, names: ['ours', 'SDK v2, createMcpHandler'] },
];

async function usage(server: ChildProcess): Promise<Usage> {
  server.send('usage');
  const [answer] = (await once(server, 'message')) as [Usage];
  return answer;
}

async function measure(program: string, name: string, isModern: boolean): Promise<Round> {
  const server = fork(program, [name], { execArgv: ['--expose-gc'] });
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const load = new HttpLoad(new URL(`http://127.0.0.1:${port}/mcp`), isModern, IN_FLIGHT);
    await load.open();
    await load.run(Math.ceil(calls / 2));
    const before = await usage(server);
    const start = performance.now();
    const times = await load.run(calls);
    const seconds = (performance.now() - start) / 1000;
    const after = await usage(server);
    await load.close();
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
    const used = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system;
    return {
      perSecond: calls / seconds,
      p50: at(0.5),
      p99: at(0.99),
      cpu: used / calls,
      rss: after.rss / MIB,
      heap: after.heapUsed / MIB,
    };
  } finally {
    server.kill();
  }
}

async function compare(program: string, { title, isModern, names }: (typeof GROUPS)[number]): Promise<void> {
  const rounds = new Map<string, Round[]>(names.map((name) => [name, []]));
  for (let run = 0; run < runs; run += 1)
    for (const name of names) rounds.get(name)?.push(await measure(program, name, isModern));
  const of = (name: string, key: keyof Round): number => median((rounds.get(name) ?? []).map((round) => round[key]));
  const ratio = (name: string, key: 'perSecond' | 'cpu'): string =>
    (key === 'cpu' ? of(name, key) / of('ours', key) : of('ours', key) / of(name, key)).toFixed(2);
  printTable(`${title}: tools/call, ${IN_FLIGHT} in flight, ${calls} calls, medians of ${runs}`, [
    ['', 'calls/s', 'ours is', 'p50 ms', 'p99 ms', 'server us a call', 'ours is', 'rss MiB', 'heap MiB'],
    ...names.map((name) => [
      name,
      of(name, 'perSecond').toFixed(0),
      `${ratio(name, 'perSecond')} x`,
      of(name, 'p50').toFixed(1),
      of(name, 'p99').toFixed(1),
      of(name, 'cpu').toFixed(0),
      `${ratio(name, 'cpu')} x`,
      of(name, 'rss').toFixed(0),
      of(name, 'heap').toFixed(1),
    ]),
  ]);
}

process.stdout.write(
  `Node ${process.version}, ${os.cpus().length} processors, load ${os
    .loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')}\n`,
);
const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-http-'));
try {
  const program = path.join(folder, 'servers.mjs');
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  await build({
    entryPoints: [path.resolve('test/bench-http-servers.ts')],
    outfile: program,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  for (const group of GROUPS) await compare(program, group);
  process.stdout.write('\n  (aim: at least 2 times the calls a second of the faster official server)\n');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
