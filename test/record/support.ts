import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { CLI, plainEnvironment, temporaryFolder } from '../support/cli.js';

/** A line of a recording, as far as tests look at it. */
export interface RecordedLine {
  readonly recording?: Readonly<Record<string, unknown>>;
  readonly from?: 'client' | 'server';
  readonly time?: number;
  readonly frame?: unknown;
  readonly text?: string;
  readonly base64?: string;
  readonly omitted?: { readonly bytes: number; readonly start: string };
  readonly end?: { readonly code?: number; readonly signal?: string };
  readonly redacted?: readonly string[];
  readonly http?: {
    readonly exchange: number;
    readonly method?: string;
    readonly path?: string;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly event?: { readonly id?: string; readonly event?: string; readonly retry?: number };
    readonly end?: string;
  };
}

/** A path for a recording in a new folder. */
export function newRecording(): string {
  return path.join(temporaryFolder(), 'calls.ndjson');
}

/** The lines of a recording. Each one is JSON and complete. */
export function readRecording(file: string): readonly RecordedLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  if (lines.pop() !== '') throw new Error('the last line is incomplete');
  return lines.map((line) => JSON.parse(line) as RecordedLine);
}

/** The entries of a side, without the header line. */
export function entriesFrom(file: string, side: 'client' | 'server'): readonly RecordedLine[] {
  return readRecording(file).filter(({ from }) => from === side);
}

/** A process between a test and a server. */
export type Recorded = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts `mcpgen record` in front of a program of Node. */
export function startRecord(
  file: string,
  script: string,
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Recorded {
  const command = [CLI, 'record', '--out', file, ...options, '--', process.execPath, '-e', script];
  const child = spawn(process.execPath, command, { stdio: 'pipe', env: plainEnvironment(env) });
  child.stdin.on('error', () => undefined);
  return child;
}

/** How a process ended. */
export async function endOf(child: Recorded): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
}

/** All that a stream has until its end. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Waits until something is true. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** The resident memory of a process in MiB. */
export function residentMiB(child: Recorded): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

/** A program that echoes its input. */
export const ECHO = 'process.stdin.pipe(process.stdout)';
