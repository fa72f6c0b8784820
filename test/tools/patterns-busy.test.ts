/** The verdict on a pattern does not depend on what else the machine does. */
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

test('a check that gets too little of the processor is repeated with more time', async () => {
  const { createPatternCheck } = await import('../../generator/read/patterns.js');
  const real = performance.now.bind(performance);
  let [lost, calls] = [0, 0];
  // At first, others have the processor: 10 s pass between two looks at the clock.
  vi.spyOn(performance, 'now').mockImplementation(() => real() + (calls++ < 6 ? (lost += 10_000) : lost));
  vi.spyOn(process, 'cpuUsage').mockImplementation((before) => ({
    user: before === undefined ? 0 : 60_000,
    system: 0,
  }));
  const check = createPatternCheck(Infinity);
  expect(check('^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$', '')).toBeUndefined();
});
