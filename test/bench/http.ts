/**
 * Benchmark of HTTP servers, for `npm run bench:http`: `tools/call` with 50 in flight over connections that are kept,
 * against the official SDKs and a bare `node:http` handler that parses and answers, each in a separate process under the
 * same load. In turns; the medians of all rounds.
 * `npm run bench:http -- --runs 5 --calls 20000` makes more and longer rounds than 3 of 6,000 calls.
 * `npm run bench:http -- --against ../before` compares with another checkout instead, which has its packages installed:
 * load on both in turns, and the ratios of the medians.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { median, printTable } from './support.js';
import { HttpLoad } from '../support/http-load.js';

const IN_FLIGHT = 50;
const MIB = 2 ** 20;
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    calls: { type: 'string', default: '6000' },
    against: { type: 'string' },
  },
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
    names: ['bare node:http', 'ours', 'SDK v1', 'SDK v1, JSON answers', 'SDK v2', 'SDK v2, JSON answers'],
  },
  { title: '2026-07-28', isModern: true, names: ['bare node:http', 'ours', 'SDK v2, createMcpHandler'] },
];

async function usage(server: ChildProcess): Promise<Usage> {
  server.send('usage');
  const [answer] = (await once(server, 'message')) as [Usage];
  return answer;
}

/** A warmed-up server in a separate process, with the connections that its load comes over. */
class Running {
  readonly #server: ChildProcess;
  readonly #load: HttpLoad;

  private constructor(server: ChildProcess, load: HttpLoad) {
    this.#server = server;
    this.#load = load;
  }

  static async start(program: string, name: string, isModern: boolean): Promise<Running> {
    const server = fork(program, [name], { execArgv: ['--expose-gc'] });
    try {
      const [{ port }] = (await once(server, 'message')) as [{ port: number }];
      const load = new HttpLoad(new URL(`http://127.0.0.1:${port}/mcp`), isModern, IN_FLIGHT);
      await load.open();
      await load.run(Math.ceil(calls / 2));
      return new Running(server, load);
    } catch (error) {
      server.kill();
      throw error;
    }
  }

  async measure(count: number): Promise<Round> {
    const before = await usage(this.#server);
    const start = performance.now();
    const times = await this.#load.run(count);
    const seconds = (performance.now() - start) / 1000;
    const after = await usage(this.#server);
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
    const used = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system;
    return {
      perSecond: count / seconds,
      p50: at(0.5),
      p99: at(0.99),
      cpu: used / count,
      rss: after.rss / MIB,
      heap: after.heapUsed / MIB,
    };
  }

  async stop(): Promise<void> {
    try {
      await this.#load.close();
    } finally {
      this.#server.kill();
    }
  }
}

async function measure(program: string, name: string, isModern: boolean): Promise<Round> {
  const running = await Running.start(program, name, isModern);
  try {
    return await running.measure(calls);
  } finally {
    await running.stop();
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

/** Parts that a round is measured in when checkouts are compared. */
const SLICES = 8;

/** Our server, as it is here and in another checkout: both run all the time, and short slices of load go to each in turn. */
async function compareCheckouts(here: string, there: string, title: string, isModern: boolean): Promise<void> {
  const rounds: Readonly<Record<'here' | 'there', Round[]>> = { here: [], there: [] };
  for (let run = 0; run < runs; run += 1) {
    const servers = {
      here: await Running.start(here, 'ours', isModern),
      there: await Running.start(there, 'ours', isModern),
    };
    for (let slice = 0; slice < SLICES; slice += 1) {
      // Each is first as often as the other: what is measured second may find a busier machine.
      const order = slice % 2 === 0 ? (['here', 'there'] as const) : (['there', 'here'] as const);
      for (const name of order) rounds[name].push(await servers[name].measure(Math.ceil(calls / SLICES)));
    }
    await servers.here.stop();
    await servers.there.stop();
  }
  const row = (name: string, key: keyof Round, digits: number): string[] => {
    const of = (checkout: readonly Round[]): number => median(checkout.map((round) => round[key]));
    const [now, before] = [of(rounds.here), of(rounds.there)];
    return [name, now.toFixed(digits), before.toFixed(digits), (now / before).toFixed(3)];
  };
  printTable(
    `${title}: tools/call, ${IN_FLIGHT} in flight, medians of ${runs * SLICES} times ${Math.ceil(calls / SLICES)} calls`,
    [
      ['', 'here', 'there', 'here / there'],
      row('calls/s', 'perSecond', 0),
      row('p50 ms', 'p50', 1),
      row('p99 ms', 'p99', 1),
      row('server us a call', 'cpu', 1),
      row('rss MiB', 'rss', 0),
      row('heap MiB', 'heap', 1),
    ],
  );
}

/** Bundles the servers of a checkout into a folder. */
async function bundle(checkout: string, folder: string): Promise<string> {
  const program = path.join(folder, 'servers.mjs');
  mkdirSync(folder, { recursive: true });
  symlinkSync(path.resolve(checkout, 'node_modules'), path.join(folder, 'node_modules'));
  await build({
    entryPoints: [path.resolve(checkout, 'test/bench/http-servers.ts')],
    outfile: program,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  return program;
}

process.stdout.write(
  `Node ${process.version}, ${os.cpus().length} processors, load ${os
    .loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')}\n`,
);
const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-http-'));
try {
  const program = await bundle('.', path.join(folder, 'here'));
  if (values.against === undefined) {
    for (const group of GROUPS) await compare(program, group);
    process.stdout.write(
      '\n  (aims: 0.6 times the calls of the bare handler, and 4 times those of the faster official server)\n',
    );
  } else {
    const other = await bundle(values.against, path.join(folder, 'there'));
    for (const { title, isModern } of GROUPS) await compareCheckouts(program, other, title, isModern);
    process.stdout.write('\n  (aim: not slower by more than 3 %)\n');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
