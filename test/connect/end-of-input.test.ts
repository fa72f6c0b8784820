import { afterEach, describe, expect, test } from 'vitest';
import { type Frame } from './harness.js';
import { children, slowServer, lines } from './end-of-input-support.js';

// What a server over stdio does when its input ends: `cat requests.ndjson | node server.js`, and a client's shutdown.

const STATEFUL = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

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
