import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { compiledProgram } from '../support/programs.js';
import { type Frame, TEST_INFO, statelessMeta } from './harness.js';

export const children = new Set<ChildProcessWithoutNullStreams>();

export interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  readonly log: () => string;
  /** Its answers, its exit, and the milliseconds from the end of the input to it. */
  readonly end: () => Promise<{ frames: (Frame | Frame[])[]; code: number | null; took: number }>;
}

export function slowServer(versions: readonly string[], drainMs?: number): Run {
  const program = compiledProgram(path.join(import.meta.dirname, 'children', 'slow-server.ts'));
  const child = spawn(process.execPath, [program, versions.join(','), String(drainMs ?? '')]);
  children.add(child);
  let output = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  child.stdin.on('error', () => undefined);
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const end = async (): Promise<{ frames: (Frame | Frame[])[]; code: number | null; took: number }> => {
    // From its first answer on it runs, however long it took to start.
    while (output === '') await new Promise((resolve) => setTimeout(resolve, 10));
    const begin = performance.now();
    child.stdin.end();
    const code = await exited;
    const lines = output.split('\n').filter((line) => line !== '');
    return { frames: lines.map((line) => JSON.parse(line) as Frame), code, took: performance.now() - begin };
  };
  return { child, log: () => log, end };
}

/** A line for a request of a tool, and before the first one what a session begins with. */
export function lines(version: string, tools: readonly string[], capabilities: object = {}): string {
  const meta = version === '2026-07-28' ? { _meta: statelessMeta() } : {};
  const frames: object[] = [
    version === '2026-07-28'
      ? { id: 'init', method: 'server/discover', params: meta }
      : { id: 'init', method: 'initialize', params: { protocolVersion: version, capabilities, clientInfo: TEST_INFO } },
    ...(version === '2026-07-28' ? [] : [{ method: 'notifications/initialized' }]),
    ...tools.map((name, id) => ({ id, method: 'tools/call', params: { name, ...meta } })),
  ];
  return frames.map((frame) => `${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`).join('');
}
