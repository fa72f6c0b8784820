/**
 * Soak of the HTTP server, for `npm run soak:http`: 200 connections make 20,000 calls, in sessions and without, in rounds.
 * No call may fail, nothing may be left open, and what the server holds must not grow from round to round.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { HttpLoad } from '../support/http-load.js';

const MIB = 2 ** 20;
/** What a heap may grow by after the first round: code that is compiled, tables of the runtime. */
const MAX_GROWTH = 4 * MIB;

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '200' },
    calls: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '4' },
  },
});
const connections = Number(values.connections);
const rounds = Number(values.rounds);
const callsInRound = Math.ceil(Number(values.calls) / rounds);

interface State {
  readonly rss: number;
  readonly heapUsed: number;
  readonly load: { readonly sessions: number; readonly open: number };
}

async function stateOf(server: ChildProcess): Promise<State> {
  server.send('state');
  const [state] = (await once(server, 'message')) as [State];
  return state;
}

async function soak(url: URL, server: ChildProcess, isModern: boolean): Promise<void> {
  const heaps: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const load = new HttpLoad(url, isModern, connections);
    await load.open();
    const start = performance.now();
    const times = await load.run(callsInRound);
    const seconds = (performance.now() - start) / 1000;
    await load.close();
    const { rss, heapUsed, load: left } = await stateOf(server);
    heaps.push(heapUsed);
    process.stdout.write(
      `${isModern ? '2026-07-28' : '2025-11-25'}, round ${round}: ${times.length} calls over ${connections} connections, ` +
        `0 failed, ${(times.length / seconds).toFixed(0)}/s; after it ${left.sessions} sessions, ${left.open} open, ` +
        `heap ${(heapUsed / MIB).toFixed(1)} MiB, rss ${(rss / MIB).toFixed(0)} MiB\n`,
    );
    if (left.sessions > 0 || left.open > 0) throw new Error('sessions or requests are left');
  }
  const growth = (heaps.at(-1) ?? 0) - (heaps[0] ?? 0);
  if (growth > MAX_GROWTH) throw new Error(`the heap grew by ${(growth / MIB).toFixed(1)} MiB`);
}

const server = fork(path.join(import.meta.dirname, 'soak-http-server.ts'), {
  execArgv: ['--expose-gc', '--import', 'tsx'],
});
try {
  const [{ url }] = (await once(server, 'message')) as [{ url: string }];
  for (const isModern of [false, true]) await soak(new URL(url), server, isModern);
} finally {
  server.kill();
}
