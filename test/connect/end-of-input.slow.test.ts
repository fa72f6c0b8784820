import { afterEach, describe, expect, test } from 'vitest';
import { type Frame, statelessMeta } from './harness.js';
import { children, slowServer, lines } from './end-of-input-support.js';

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
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
