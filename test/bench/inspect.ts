/**
 * `mcpgen inspect` of a recording of 1 GB: time and peak memory of the command, and the progress that it prints in a
 * terminal. `MEGABYTES` sets another size. The recording is removed afterwards.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeLongLog } from '../support/long-log.js';
import { printTable } from './support.js';

const CLI = path.resolve('dist/generator/cli.js');
const MEGABYTES = Number(process.env['MEGABYTES'] ?? 1000);

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-inspect-'));
try {
  const file = path.join(folder, 'long.ndjson');
  await writeLongLog(file, MEGABYTES * 1e6);
  const { size } = statSync(file);
  const start = performance.now();
  // `script` is a terminal, without which no progress is printed. The process writes down its number.
  const pidFile = path.join(folder, 'pid');
  const child = spawn(
    'script',
    ['-qec', `sh -c 'echo $$ > ${pidFile}; exec ${process.execPath} ${CLI} inspect ${file}'`, '/dev/null'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const pid = readFileSync(pidFile, 'utf8').trim();
      const [, kib = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      peak = Math.max(peak, Number(kib) / 1024);
    } catch {
      // It has not started, or it has ended.
    }
  }, 50);
  await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  const seconds = (performance.now() - start) / 1000;
  const progress = output.match(/inspected \d+ of \d+ MB/g) ?? [];
  printTable('mcpgen inspect', [
    ['size', 'time', 'per second', 'peak memory', 'lines of progress', 'a line of progress'],
    [
      `${(size / 1e6).toFixed(0)} MB`,
      `${seconds.toFixed(1)} s`,
      `${(size / 1e6 / seconds).toFixed(0)} MB`,
      `${peak.toFixed(0)} MiB`,
      String(progress.length),
      progress[Math.floor(progress.length / 2)] ?? 'none',
    ],
  ]);
  console.log(output.split('\n').slice(-6).join('\n'));
} finally {
  rmSync(folder, { recursive: true });
}
