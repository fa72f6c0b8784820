/**
 * What `mcpgen record` adds to the time of a message: requests to an echo server, at a fixed rate, directly, through a
 * program that only forwards, and through the recorder, in turn.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { MESSAGES } from './messages.js';
import { printTable } from './support.js';

const CLI = path.resolve('dist/generator/cli.js');
const ECHO = [process.execPath, '-e', 'process.stdin.pipe(process.stdout)'];
const RATE = Number(process.env['RATE'] ?? 1000);
const DURATION = Number(process.env['DURATION'] ?? 5);
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
  while (performance.now() - start < DURATION * 1000) {
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
// Everything that a program of Node in between costs, whatever it does: the floor.
const PASS = `const child = require('child_process').spawn(process.execPath, process.argv.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(child.stdin); child.stdout.pipe(process.stdout)`;
const recorder = [process.execPath, CLI, 'record', '--out', path.join(folder, 'calls.ndjson'), '--'];
const COMMANDS = {
  direct: ECHO,
  'bare pipe of Node': [process.execPath, '-e', PASS, '--', ...ECHO.slice(1)],
  'mcpgen record': [...recorder, ...ECHO],
} as const;
type Mode = keyof typeof COMMANDS;

const PARTS = [0.5, 0.9, 0.99, 0.999];
const modes = Object.keys(COMMANDS) as readonly Mode[];
/** The percentiles of each round. */
const rounds: Record<Mode, number[][]> = { direct: [], 'bare pipe of Node': [], 'mcpgen record': [] };
for (let round = 0; round < ROUNDS; round += 1) {
  // One after the other, so that all of them meet the same noise.
  for (const mode of modes) {
    const times = await measure(COMMANDS[mode]);
    rounds[mode].push(PARTS.map((part) => percentile(times, part)));
  }
}
rmSync(folder, { recursive: true });

/** The best round of each percentile: other programs on the machine only make it worse. */
const best = (mode: Mode): number[] => PARTS.map((_, index) => Math.min(...rounds[mode].map((row) => row[index] ?? 0)));
const median = (mode: Mode): number[] =>
  PARTS.map((_, index) =>
    percentile(
      rounds[mode].map((row) => row[index] ?? 0),
      0.5,
    ),
  );
for (const [name, of] of [
  ['best round', best],
  ['median of the rounds', median],
] as const) {
  const row = (title: string, values: readonly number[]): string[] => [
    title,
    ...values.map((value) => value.toFixed(3)),
  ];
  const minus = (a: readonly number[], b: readonly number[]): number[] =>
    a.map((value, index) => value - (b[index] ?? 0));
  printTable(`Round trip in milliseconds, ${RATE} messages a second, ${ROUNDS} rounds of ${DURATION} s, ${name}`, [
    ['', ...PARTS.map((part) => `p${part * 100}`)],
    ...modes.map((mode) => row(mode, of(mode))),
    row('added to direct', minus(of('mcpgen record'), of('direct'))),
    row('added to the bare pipe', minus(of('mcpgen record'), of('bare pipe of Node'))),
  ]);
}
