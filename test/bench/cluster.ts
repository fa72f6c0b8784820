/**
 * Benchmark of sessions that several processes share, for `npm run bench:cluster`: `tools/call` of 2025-11-25 with 50 in
 * flight, of one process in memory, one with Redis, and three with Redis of which each request reaches the next. In short
 * slices, in turns; medians, and ratios with their quartiles. Then what a session and each kind of call cost in Redis.
 * `npm run bench:cluster -- --rounds 20 --calls 2000` makes more and longer slices than 12 of 1,000 calls.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { digest } from '../../generated/runtime/redis/keys.js';
import { HttpLoad } from '../support/http-load.js';
import { startRedis, type RedisServer } from '../support/redis.js';
import { bundledProgram } from '../cluster/fleet.js';
import { median, printTable } from './support.js';

const IN_FLIGHT = 50;
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '12' },
    calls: { type: 'string', default: '1000' },
    sessions: { type: 'string', default: '2000' },
  },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);
const sessionCount = Number(values.sessions);

interface Usage {
  readonly heap: number;
  readonly cpu: NodeJS.CpuUsage;
}

interface Process {
  readonly child: ChildProcess;
  readonly url: URL;
}

interface Slice {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time for each call. */
  readonly server: number;
  readonly redis: number;
}

async function startProcess(program: string, redisUrl: string | undefined): Promise<Process> {
  const child = fork(program, {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, MCPGEN_FLEET: JSON.stringify({ redisUrl, port: 0 }) },
  });
  if (child.stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: child.stdout })) return { child, url: new URL(line) };
  throw new Error('a server ended');
}

async function usageOf({ child }: Process): Promise<Usage> {
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [Usage];
  return usage;
}

async function serverTime(processes: readonly Process[]): Promise<number> {
  const usages = await Promise.all(processes.map(usageOf));
  return usages.reduce((sum, { cpu }) => sum + cpu.user + cpu.system, 0);
}

/** What Redis has done so far. */
interface RedisCounters {
  readonly commands: ReadonlyMap<string, number>;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Microseconds of processor time. */
  readonly cpu: number;
  readonly memory: number;
}

async function countersOf(redis: RedisServer): Promise<RedisCounters> {
  const info = await redis.cli('info', 'all');
  const field = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'mu').exec(info)?.[1]);
  return {
    commands: new Map(
      [...info.matchAll(/^cmdstat_(\S+):calls=(\d+)/gmu)].map(([, name = '', count]) => [name, Number(count)]),
    ),
    bytesIn: field('total_net_input_bytes'),
    bytesOut: field('total_net_output_bytes'),
    cpu: (field('used_cpu_user') + field('used_cpu_sys')) * 1e6,
    memory: field('used_memory'),
  };
}

class Setup {
  readonly name: string;
  readonly processes: readonly Process[];
  readonly slices: Slice[] = [];
  readonly #load: HttpLoad;
  readonly #redis: RedisServer | undefined;

  constructor(name: string, processes: readonly Process[], redis: RedisServer | undefined) {
    this.name = name;
    this.processes = processes;
    this.#redis = redis;
    this.#load = new HttpLoad(
      processes.map(({ url }) => url),
      false,
      IN_FLIGHT,
    );
  }

  async open(): Promise<void> {
    await this.#load.open();
    await this.#load.run(2 * calls);
  }

  async measure(): Promise<void> {
    const redisBefore = this.#redis && (await countersOf(this.#redis)).cpu;
    const before = await serverTime(this.processes);
    const start = performance.now();
    const times = await this.#load.run(calls);
    const seconds = (performance.now() - start) / 1000;
    const server = ((await serverTime(this.processes)) - before) / calls;
    const redis = this.#redis === undefined ? 0 : ((await countersOf(this.#redis)).cpu - (redisBefore ?? 0)) / calls;
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
    this.slices.push({ perSecond: calls / seconds, p50: at(0.5), p99: at(0.99), server, redis });
  }

  close(): Promise<void> {
    return this.#load.close();
  }
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The median of the ratios of each round, and their quartiles. */
function ratio(setup: Setup, base: Setup, key: keyof Slice): string {
  const ratios = setup.slices.map((slice, index) => slice[key] / (base.slices[index]?.[key] ?? Number.NaN));
  ratios.sort((a, b) => a - b);
  return `${median(ratios).toFixed(2)} (${quantile(ratios, 0.25).toFixed(2)}–${quantile(ratios, 0.75).toFixed(2)})`;
}

function printSpeed(setups: readonly Setup[]): void {
  const [base] = setups;
  if (base === undefined) return;
  const of = (setup: Setup, key: keyof Slice): number => median(setup.slices.map((slice) => slice[key]));
  printTable(`tools/call, ${IN_FLIGHT} in flight, medians of ${rounds} slices of ${calls} calls`, [
    ['', 'calls/s', 'ratio', 'p50 ms', 'p99 ms', 'ratio', 'servers us a call', 'ratio', 'Redis us a call'],
    ...setups.map((setup) => [
      setup.name,
      of(setup, 'perSecond').toFixed(0),
      ratio(setup, base, 'perSecond'),
      of(setup, 'p50').toFixed(1),
      of(setup, 'p99').toFixed(1),
      ratio(setup, base, 'p99'),
      of(setup, 'server').toFixed(0),
      ratio(setup, base, 'server'),
      of(setup, 'redis').toFixed(0),
    ]),
  ]);
}

/** What happened in Redis during a step, for each of `count` things. */
async function costOf(redis: RedisServer, name: string, count: number, run: () => Promise<void>): Promise<string[]> {
  const before = await countersOf(redis);
  await run();
  const after = await countersOf(redis);
  const commands = [...after.commands]
    .map(([command, calls]) => [command, (calls - (before.commands.get(command) ?? 0)) / count] as const)
    .filter(([command, each]) => each >= 0.005 && command !== 'info')
    .sort(([, a], [, b]) => b - a);
  const total = commands.reduce((sum, [, each]) => sum + each, 0);
  const each = (value: (counters: RedisCounters) => number): number => (value(after) - value(before)) / count;
  return [
    name,
    total.toFixed(2),
    each((counters) => counters.bytesIn).toFixed(0),
    each((counters) => counters.bytesOut).toFixed(0),
    each((counters) => counters.cpu).toFixed(0),
    each((counters) => counters.memory).toFixed(0),
    commands.map(([command, count_]) => `${command} ${count_.toFixed(2)}`).join(', '),
  ];
}

async function post(url: URL, headers: Record<string, string>, message: object): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  await response.text();
  return response;
}

/** Runs something `count` times, some at once. */
async function times(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      while (next < count) await run(next++);
    }),
  );
}

async function printCosts(redis: RedisServer, owner: Process, other: Process): Promise<void> {
  const sessions: Record<string, string>[] = [];
  const heapBefore = (await usageOf(owner)).heap;
  const call = (at: Process, index: number, name: string) =>
    post(at.url, sessions[index % sessions.length] ?? {}, {
      id: index + 1,
      method: 'tools/call',
      params: { name, arguments: { text: 'hello world' }, _meta: { progressToken: index } },
    });
  const rows = [
    await costOf(redis, 'a second without any call', 20, () => new Promise((resolve) => setTimeout(resolve, 20_000))),
    await costOf(redis, 'a session that is opened', sessionCount, () =>
      times(sessionCount, async () => {
        const opened = await post(
          owner.url,
          {},
          {
            id: 0,
            method: 'initialize',
            params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
          },
        );
        const own = {
          'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
          'mcp-protocol-version': '2025-11-25',
        };
        await post(owner.url, own, { method: 'notifications/initialized' });
        sessions.push(own);
      }),
    ),
  ];
  const heap = ((await usageOf(owner)).heap - heapBefore) / sessionCount;
  const ids = sessions.slice(0, 20).map((own) => own['mcp-session-id'] ?? '');
  const count = sessionCount;
  rows.push(
    await costOf(redis, 'a call to the owner', count, () => times(count, (index) => call(owner, index, 'echo'))),
    await costOf(redis, 'a call to another process', count, () => times(count, (index) => call(other, index, 'echo'))),
  );
  const memoryOfRecord = await memoryOf(redis, ids);
  rows.push(
    await costOf(redis, 'a stream of 3 events and the answer, to the owner', count, () =>
      times(count, (index) => call(owner, index, 'progress')),
    ),
    await costOf(redis, 'a stream of 3 events and the answer, to another', count, () =>
      times(count, (index) => call(other, index, 'progress')),
    ),
  );
  const memoryOfLog = (await memoryOf(redis, ids)) - memoryOfRecord;
  printTable('In Redis, with commands that scripts run', [
    ['', 'commands', 'bytes in', 'bytes out', 'us', 'memory', 'commands'],
    ...rows,
  ]);
  process.stdout.write(
    `\n  MEMORY USAGE of a session's keys: ${memoryOfRecord.toFixed(0)} bytes; ` +
      `of its log after two streams of 3 events and an answer: ${memoryOfLog.toFixed(0)} bytes\n` +
      `  heap of its owner for a session: ${heap.toFixed(0)} bytes\n`,
  );
}

/** The mean of what Redis uses for the keys of a session. */
async function memoryOf(redis: RedisServer, ids: readonly string[]): Promise<number> {
  let total = 0;
  for (const id of ids) {
    const keys = (await redis.cli('keys', `*{${await digest(id)}}*`)).split('\n').filter((key) => key !== '');
    for (const key of keys) total += Number(await redis.cli('memory', 'usage', key));
  }
  return total / ids.length;
}

function processorName(): string {
  return /model name\s*: (.*)/u.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? 'unknown processor';
}

const load = os.loadavg().map((value) => value.toFixed(1));
process.stdout.write(
  `Node ${process.version}, ${os.cpus().length} x ${processorName()}, load before the run ${load.join(' ')}\n`,
);
const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-cluster-'));
const servers: Process[] = [];
const stores: RedisServer[] = [];
try {
  const program = await bundledProgram(path.join(import.meta.dirname, 'cluster-server.ts'), folder);
  const start = async (redis?: RedisServer): Promise<Process> => {
    const started = await startProcess(program, redis?.url);
    servers.push(started);
    return started;
  };
  const [single, shared] = [await startRedis(), await startRedis()];
  stores.push(single, shared);
  const three: readonly [Process, Process, Process] = [await start(shared), await start(shared), await start(shared)];
  const setups = [
    new Setup('one process, in memory', [await start()], undefined),
    new Setup('one process, Redis', [await start(single)], single),
    new Setup('three processes, Redis', three, shared),
  ];
  for (const setup of setups) await setup.open();
  for (let round = 0; round < rounds; round += 1) {
    // Each is first as often as the others: what is measured later may find a busier machine.
    const order = setups.map((_, index) => setups[(index + round) % setups.length]);
    for (const setup of order) await setup?.measure();
  }
  printSpeed(setups);
  for (const setup of setups) await setup.close();
  await printCosts(shared, three[0], three[1]);
} finally {
  for (const { child } of servers) child.kill();
  for (const redis of stores) await redis.stop();
  rmSync(folder, { recursive: true, force: true });
}
