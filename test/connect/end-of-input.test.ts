import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { afterEach, describe, expect, test } from 'vitest';
import { compiledProgram } from '../support/programs.js';
import { type Frame, TEST_INFO, statelessMeta } from './harness.js';

// What a server over stdio does when its input ends: `cat requests.ndjson | node server.js`, and a client's shutdown.

const STATEFUL = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

const children = new Set<ChildProcessWithoutNullStreams>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  readonly log: () => string;
  /** Its answers, its exit, and the milliseconds from the end of the input to it. */
  readonly end: () => Promise<{ frames: (Frame | Frame[])[]; code: number | null; took: number }>;
}

function slowServer(versions: readonly string[], drainMs?: number): Run {
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
function lines(version: string, tools: readonly string[], capabilities: object = {}): string {
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

describe.each([...STATEFUL, '2026-07-28'])('%s', (version) => {
  test('the server answers pending requests before it exits', async () => {
    const { child, end, log } = slowServer([version], 60_000);
    child.stdin.write(lines(version, ['400', '1', '200']));
    const { frames, code, took } = await end();
    expect(frames.map((frame) => (frame as Frame).id)).toEqual(['init', 1, 2, 0]);
    expect(frames.every((frame) => (frame as Frame).result !== undefined)).toBe(true);
    expect([code, log()]).toEqual([0, 'closed\n']);
    expect(took).toBeLessThan(30_000);
  });
});

describe('the end of the input', () => {
  test('does not keep a server that has nothing to answer', async () => {
    const { child, end, log } = slowServer(['2025-11-25'], 60_000);
    child.stdin.write(lines('2025-11-25', []));
    const { code, took } = await end();
    expect([code, log()]).toEqual([0, 'closed\n']);
    expect(took).toBeLessThan(30_000);
  });

  test('aborts handlers after the time limit', async () => {
    const { child, end, log } = slowServer(['2025-11-25']);
    child.stdin.write(lines('2025-11-25', ['never', '100']));
    const { frames, code, took } = await end();
    expect(frames.map((frame) => (frame as Frame).id)).toEqual(['init', 1]);
    expect([code, log()]).toEqual([0, 'aborted\nclosed\n']);
    expect(took).toBeGreaterThan(1000);
    expect(took).toBeLessThan(30_000);
  });

  test('ends everything at once if no time is given', async () => {
    const { child, end, log } = slowServer(['2025-11-25'], 0);
    child.stdin.write(lines('2025-11-25', ['never']));
    const { frames, code } = await end();
    expect(frames.map((frame) => (frame as Frame).id)).toEqual(['init']);
    expect([code, log()]).toEqual([0, 'aborted\nclosed\n']);
  });

  test('rejects pending requests to the client at once', async () => {
    const { child, end, log } = slowServer(['2025-11-25'], 60_000);
    child.stdin.write(lines('2025-11-25', ['roots'], { roots: {} }));
    const { frames, code, took } = await end();
    expect(frames.map((frame) => (frame as Frame).method ?? (frame as Frame).id)).toEqual(['init', 'roots/list', 0]);
    expect((frames[2] as Frame).result).toEqual({ content: [{ type: 'text', text: 'ConnectionClosedError' }] });
    expect([code, log()]).toEqual([0, 'closed\n']);
    expect(took).toBeLessThan(30_000);
  });

  test('completes subscriptions at once', async () => {
    const { child, end, log } = slowServer(['2026-07-28'], 60_000);
    const listen = { id: 's', method: 'subscriptions/listen', params: { notifications: {}, _meta: statelessMeta() } };
    child.stdin.write(lines('2026-07-28', ['100']) + `${JSON.stringify({ jsonrpc: '2.0', ...listen })}\n`);
    const { frames, code, took } = await end();
    expect(frames.map((frame) => (frame as Frame).id).sort()).toEqual([0, 'init', 's', undefined]);
    expect([code, log()]).toEqual([0, 'closed\n']);
    expect(took).toBeLessThan(30_000);
  });

  test('waits for the whole batch', async () => {
    const { child, end, log } = slowServer(['2025-03-26'], 60_000);
    const batch = ['200', '1'].map((name, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } }));
    child.stdin.write(`${lines('2025-03-26', [])}${JSON.stringify(batch)}\n`);
    const { frames } = await end();
    expect((frames[1] as Frame[]).map(({ id }) => id).sort()).toEqual([0, 1]);
    expect(log()).toBe('closed\n');
  });

  test('accepts a last line without a newline', async () => {
    const whole = slowServer(['2025-11-25'], 60_000);
    whole.child.stdin.write(lines('2025-11-25', ['50', '100']).trimEnd());
    expect((await whole.end()).frames.length).toBe(3);
    const half = slowServer(['2025-11-25'], 60_000);
    half.child.stdin.write(lines('2025-11-25', ['50', '100']).slice(0, -20));
    const { frames, code } = await half.end();
    expect(frames.map((frame) => [(frame as Frame).id, (frame as Frame).error?.code])).toEqual([
      ['init', undefined],
      [undefined, -32700],
      [0, undefined],
    ]);
    expect(code).toBe(0);
  });

  test('a client that reads nothing more ends it at once', async () => {
    const { child, end, log } = slowServer(['2025-11-25'], 60_000);
    child.stdin.write(lines('2025-11-25', ['300', 'never']));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdout.destroy();
    const { code, took } = await end();
    expect(code).toBe(0);
    expect(log()).toContain('aborted');
    expect(log()).toMatch(/closed\n$/);
    expect(took).toBeLessThan(30_000);
  });
});

describe('a log that nobody reads', () => {
  test('does not end a server that logs to standard output', async () => {
    const { child, end } = slowServer(['2025-11-25'], 60_000);
    child.stdin.write(lines('2025-11-25', []));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stderr.destroy();
    for (let id = 0; id < 5; id += 1) {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'log' } })}\n`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { frames, code } = await end();
    expect(frames.map((frame) => (frame as Frame).id)).toEqual(['init', 0, 1, 2, 3, 4]);
    expect(code).toBe(0);
  });
});
