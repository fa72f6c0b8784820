/**
 * Soak of answers over HTTP, for `npm run soak:http:readers`: in each revision, with `serveHttp` and with `fetch()`, clients
 * that read fast, at 10 kB a second, not at all, or leave in the middle, and results of 100 bytes to 12 MB. No client that
 * reads may lose a result, the server's memory is bounded by its options, and a canary's calls succeed all the time. Two
 * connections with 150 pipelined calls each, which nobody reads, are there as well.
 *
 * `npm run soak:http:readers -- --seconds 60 --seed 1 --binding fetch --options '{"maxUnreadBytes":134217728}'`
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { printTable } from './support.js';
import {
  PROTOCOL_VARIANTS,
  variantName,
  runReaders,
  type ReadersPlan,
  type ReaderCounts,
} from '../support/http-readers.js';
import type { Memory, WorkerRequest } from '../support/http-readers-server.js';
import { socketWire } from '../support/http-wire.js';

const MIB = 2 ** 20;
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    binding: { type: 'string', default: 'both' },
    /** Options of the handler, as JSON, in place of those below. */
    options: { type: 'string', default: '{}' },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);

const STREAM_AFTER = 1_000;
/** What calls hold while their messages are made, with code that is compiled. */
const WORKING_BYTES = { node: 96 * MIB, fetch: 256 * MIB };
/** Resident memory beyond what is reachable: garbage, and memory that the allocator does not release. */
const MAX_GARBAGE = 384 * MIB;
/** Past this the run is ended, for the machine's sake. */
const TOO_MUCH = 3 * 1024 * MIB;

const handlerOptions = {
  streamAfter: STREAM_AFTER,
  // More than all clients that read slowly, or leave in the middle, can need at a time: the system shows nothing of a client
  // that reads 4 MB slowly, and past half of the limit it counts as one that does not read.
  maxUnreadBytes: 512 * MIB,
  resumability: { maxTotalBytes: 512 * MIB },
  ...(JSON.parse(values.options) as object),
};
/** What may wait for clients, and what is kept for those that come back. */
const optionBytes = handlerOptions.maxUnreadBytes + handlerOptions.resumability.maxTotalBytes;

const plan: ReadersPlan = {
  seed,
  duration: seconds * 1_000,
  minCalls: 4,
  pause: 200,
  // Longer than the server waits for clients that take nothing.
  slowTime: Math.min(35_000, seconds * 700),
  streamAfter: STREAM_AFTER,
  patience: 30_000,
  stallEvery: 4_000,
  stallTime: 5_000,
  maxSize: 12_000_000,
  readers: ['fast', 'fast', 'slow', 'slow, large', 'stalled', 'dropped', 'dropped'],
};

type Binding = keyof typeof WORKING_BYTES;

async function ask<T>(server: ChildProcess, question: WorkerRequest): Promise<T> {
  server.send(question);
  const [answer] = (await once(server, 'message')) as [T];
  return answer;
}

/** Posts many calls over one connection at once, and reads nothing. */
function pipeline(url: URL, calls: number): Socket {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => undefined);
  socket.pause();
  for (let id = 1; id <= calls; id += 1) {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: {
        name: 'emit',
        arguments: { seed: id, size: 1_100_000, notes: 0, noteSize: 0, wait: 0 },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
    socket.write(
      [
        'POST /mcp HTTP/1.1',
        `host: ${url.host}`,
        'authorization: Bearer pipelined',
        'content-type: application/json',
        'accept: application/json, text/event-stream',
        'mcp-protocol-version: 2026-07-28',
        'mcp-method: tools/call',
        'mcp-name: emit',
        `content-length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );
  }
  return socket;
}

async function soak(binding: Binding): Promise<{ readonly tallies: ReaderCounts[]; readonly memory: Memory }> {
  const server = fork(
    path.join(import.meta.dirname, '../support/http-readers-server.ts'),
    [binding, JSON.stringify(handlerOptions)],
    { execArgv: ['--expose-gc', '--import', 'tsx', `--max-old-space-size=${TOO_MUCH / MIB}`] },
  );
  try {
    const [{ url }] = (await once(server, 'message')) as [{ readonly url?: string }];
    const died = once(server, 'exit').then(([code]) => {
      throw new Error(`the server ended with ${String(code)}`);
    });
    died.catch(() => undefined);
    const run = async (): Promise<{ readonly tallies: ReaderCounts[]; readonly memory: Memory }> => {
      if (url === undefined) {
        const tallies = await ask<ReaderCounts[]>(server, { kind: 'run', plan });
        return { tallies, memory: await ask<Memory>(server, { kind: 'memory' }) };
      }
      const hoarders = [pipeline(new URL(url), 150), pipeline(new URL(url), 150)];
      const tallies = await runReaders(() => socketWire(new URL(url)), plan);
      for (const hoarder of hoarders) hoarder.destroy();
      await delay(4_000);
      return { tallies, memory: await ask<Memory>(server, { kind: 'memory' }) };
    };
    return await Promise.race([run(), died]);
  } finally {
    server.kill();
  }
}

const percentile = (times: readonly number[], share: number): number =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;

const mib = (bytes: number): string => (bytes / MIB).toFixed(0);

const violations: string[] = [];
process.on('unhandledRejection', (reason) => violations.push(`client: unhandled rejection: ${String(reason)}`));

const bindings = (['node', 'fetch'] as const).filter((name) => values.binding === 'both' || values.binding === name);
const rows: string[][] = [];
const canaries: string[][] = [];
const memories: string[][] = [];
await Promise.all(
  bindings.map(async (binding) => {
    const { tallies, memory } = await soak(binding);
    for (const lane of PROTOCOL_VARIANTS.map(variantName)) {
      for (const reader of new Set(plan.readers)) {
        const same = tallies.filter((tally) => tally.lane === lane && tally.reader === reader);
        const sum = (key: 'calls' | 'results' | 'resumed' | 'left' | 'cutOff'): number =>
          same.reduce((total, tally) => total + tally[key], 0);
        const lost = same.flatMap((tally) => tally.lost);
        rows.push([
          `${lane}, ${binding}, ${reader}`,
          ...[sum('calls'), sum('results'), lost.length, sum('cutOff'), sum('left'), sum('resumed')].map(String),
        ]);
        if (reader !== 'stalled')
          for (const reason of lost) violations.push(`${binding}, ${lane}, ${reader}: lost: ${reason}`);
      }
    }
    for (const { lane, reader, calls, results, lost, times } of tallies) {
      if (reader !== 'canary') continue;
      const at = (share: number): string => percentile(times, share).toFixed(1);
      canaries.push([`${lane}, ${binding}`, String(calls), String(results), at(0.5), at(0.99), at(1)]);
      for (const reason of lost) violations.push(`${binding}, canary ${lane}: ${reason}`);
      if (results === 0) violations.push(`${binding}, canary ${lane}: no call succeeded`);
    }
    const bound = optionBytes + WORKING_BYTES[binding];
    const held = memory.peakHeld - memory.baseHeld;
    const rss = memory.peakRss - memory.baseRss;
    memories.push([
      binding,
      mib(held),
      mib(bound),
      mib(rss),
      mib(bound + MAX_GARBAGE),
      mib(memory.held - memory.baseHeld),
      String(memory.load.sessions),
      String(memory.load.open),
      memory.blocked.toFixed(0),
    ]);
    if (held > bound) violations.push(`${binding}: the server held ${mib(held)} MiB, more than ${mib(bound)}`);
    if (rss > bound + MAX_GARBAGE)
      violations.push(`${binding}: the server's memory rose by ${mib(rss)} MiB, more than ${mib(bound + MAX_GARBAGE)}`);
    if (memory.load.sessions > 0 || memory.load.open > 0)
      violations.push(`${binding}: ${memory.load.sessions} sessions and ${memory.load.open} requests are left`);
    violations.push(...memory.faults.map((fault) => `${binding}: ${fault}`));
  }),
);

printTable(`Calls of ${seconds} s, seed ${seed}`, [
  ['', 'calls', 'results', 'lost', 'cut off', 'left', 'resumed'],
  ...rows,
]);
printTable('Canaries, ms', [['', 'calls', 'results', 'p50', 'p99', 'most'], ...canaries]);
printTable(
  `Memory above that of the idle server, MiB; bound: ${mib(optionBytes)} by the options, and calls in the making`,
  [['', 'held', 'bound', 'rss', 'bound', 'held at the end', 'sessions', 'open', 'blocked ms'], ...memories],
);
// The table says in which revisions; one example of each kind says of what size.
const kinds = new Map<string, { count: number; readonly example: string }>();
for (const violation of violations) {
  const kind = violation
    .replace(/, 20[-\d]+(?: SSE)?, ([^:]*): lost: \w+, \d+ characters/, ', $1')
    .replace(/ after \d+ bytes/, '')
    .slice(0, 160);
  const same = kinds.get(kind);
  if (same === undefined) kinds.set(kind, { count: 1, example: violation.slice(0, 100) });
  else same.count += 1;
}
process.stdout.write(violations.length === 0 ? '\nno violation\n' : `\n${violations.length} violations\n`);
for (const [kind, { count, example }] of kinds)
  process.stdout.write(`  ${count} x ${kind}\n${example === kind ? '' : `      such as ${example}\n`}`);
process.exitCode = violations.length === 0 ? 0 : 1;
