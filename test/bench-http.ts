/**
 * Benchmark of HTTP servers, for `npm run bench:http`: `tools/call` over 32 connections, against the official SDKs, each in
 * a process of its own and the same client for all. In turns, the best of all rounds: a busy machine only ever adds.
 * `-- --runs 5` makes more than 3 rounds, `-- --calls 20000` longer ones.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { LoadClient } from './support/http-load.js';

const CONNECTIONS = 32;
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, calls: { type: 'string', default: '6000' } },
});
const runs = Number(values.runs);
const calls = Number(values.calls);

interface Usage {
  readonly rss: number;
  readonly cpu: NodeJS.CpuUsage;
}

interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the server for a call, in microseconds. */
  readonly cpu: number;
  /** Megabytes. */
  readonly rss: number;
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-http-'));
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

async function usage(server: ChildProcess): Promise<Usage> {
  server.send('usage');
  const [answer] = (await once(server, 'message')) as [Usage];
  return answer;
}

async function measure(name: string, isModern: boolean): Promise<Round> {
  const server = fork(program, [name], { execArgv: ['--expose-gc'] });
  const [{ port }] = (await once(server, 'message')) as [{ port: number }];
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const clients = Array.from({ length: CONNECTIONS }, () => new LoadClient(url, isModern));
  await Promise.all(clients.map((client) => client.open()));
  await load(clients, Math.ceil(calls / 4), []);
  const before = await usage(server);
  const times: number[] = [];
  const start = performance.now();
  await load(clients, calls, times);
  const seconds = (performance.now() - start) / 1000;
  const after = await usage(server);
  for (const client of clients) client.end();
  server.kill();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  const used = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system;
  return { perSecond: calls / seconds, p50: at(0.5), p99: at(0.99), cpu: used / calls, rss: after.rss / 2 ** 20 };
}

async function load(clients: readonly LoadClient[], count: number, times: number[]): Promise<void> {
  let left = count;
  await Promise.all(
    clients.map(async (client) => {
      while (left > 0) {
        left -= 1;
        const start = performance.now();
        await client.call();
        times.push(performance.now() - start);
      }
    }),
  );
}

const KINDS = [
  { kind: '2025-11-25, sessions', isModern: false, names: ['ours', 'v1', 'v2'] },
  { kind: '2026-07-28', isModern: true, names: ['ours', 'v2-modern'] },
];

try {
  for (const { kind, isModern, names } of KINDS) {
    const best = new Map<string, Round>();
    for (let run = 0; run < runs; run += 1) {
      for (const name of names) {
        const round = await measure(name, isModern);
        if (round.perSecond > (best.get(name)?.perSecond ?? 0)) best.set(name, round);
      }
    }
    console.log(`\n${kind}: tools/call over ${CONNECTIONS} connections, ${calls} calls, best of ${runs}`);
    for (const [name, { perSecond, p50, p99, cpu, rss }] of best)
      console.log(
        `  ${name.padEnd(10)} ${perSecond.toFixed(0).padStart(7)} calls/s   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms   ${cpu.toFixed(0)} us of processor a call   ${rss.toFixed(0)} MB`,
      );
    const [first, ...peers] = names.map((name) => best.get(name)?.perSecond ?? 0);
    console.log(`  ours is ${((first ?? 0) / Math.max(...peers)).toFixed(2)} times the faster peer`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
