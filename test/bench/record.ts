/**
 * What `mcpgen record` adds to the time of a message: requests to an echo server, at a fixed rate, directly and through
 * the recorder in turn.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { MESSAGES, printTable } from './support.js';

const CLI = path.resolve('dist/generator/cli.js');
const ECHO = [process.execPath, '-e', 'process.stdin.pipe(process.stdout)'];
const RATE = Number(process.env['RATE'] ?? 1000);
const SECONDS = Number(process.env['SECONDS'] ?? 5);
const ROUNDS = Number(process.env['ROUNDS'] ?? 4);

/** Milliseconds that each message needed to the server and back. */
async function measure(command: readonly string[]): Promise<number[]> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const sent: number[] = [];
  const times: number[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    const now = performance.now();
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1))
      times.push(now - (sent[times.length] ?? now));
  });
  const send = (): void => {
    const message = JSON.stringify(MESSAGES[sent.length % MESSAGES.length]);
    sent.push(performance.now());
    child.stdin.write(`${message}\n`);
  };
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  // Both programs have started, and their code is compiled.
  for (let count = 0; count < 2000; count += 1) {
    send();
    if (count % 20 === 0) await wait(1);
  }
  while (times.length < sent.length) await wait(5);
  const warm = times.length;
  const start = performance.now();
  while (performance.now() - start < SECONDS * 1000) {
    const due = ((performance.now() - start) / 1000) * RATE;
    while (sent.length - warm < due) send();
    await wait(1);
  }
  while (times.length < sent.length) await wait(5);
  child.stdin.end();
  await new Promise((resolve) => child.once('close', resolve));
  return times.slice(warm);
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-record-'));
const recorder = [process.execPath, CLI, 'record', '--out', path.join(folder, 'calls.ndjson'), '--'];
const all: Record<'direct' | 'recorded', number[]> = { direct: [], recorded: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  all.direct.push(...(await measure(ECHO)));
  all.recorded.push(...(await measure([...recorder, ...ECHO])));
}
rmSync(folder, { recursive: true });

const parts = [0.5, 0.9, 0.99, 0.999];
const row = (name: string, at: (part: number) => number): string[] => [
  name,
  ...parts.map((part) => at(part).toFixed(3)),
];
printTable(`Round trip in milliseconds, ${RATE} messages a second, ${all.recorded.length} messages`, [
  ['', ...parts.map((part) => `p${part * 100}`)],
  row('direct', (part) => percentile(all.direct, part)),
  row('mcpgen record', (part) => percentile(all.recorded, part)),
  row('added', (part) => percentile(all.recorded, part) - percentile(all.direct, part)),
]);
