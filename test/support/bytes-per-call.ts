import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CALLS = 500;
const WARM_UP = 20_000;

/**
 * Bytes that a call allocates once its code is compiled: as far as they are repeatable, and whatever the speed of the
 * machine. So few calls are measured at once that no garbage is collected in between.
 */
export async function bytesPerCall(call: () => Promise<unknown>): Promise<number> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let index = 0; index < WARM_UP; index += 1) await call();
  const samples: number[] = [];
  for (let sample = 0; sample < 9; sample += 1) {
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < CALLS; index += 1) await call();
    samples.push((process.memoryUsage().heapUsed - before) / CALLS);
  }
  // A collection in between makes a sample too small.
  return samples.sort((a, b) => a - b)[4] ?? Number.NaN;
}
