/** Throughput of reading a stream of messages. */
import { CORPORA, READERS } from './codec-worker.js';
import type { Suite } from './suite.js';

const FLOOR = 'split + JSON.parse';

export const codec: Suite = {
  name: 'codec',
  title: 'Reading a stream of messages',
  about:
    'Processor time for a megabyte. The floor decodes all bytes at once, splits the text at newlines and parses each line.',
  columns: Object.keys(CORPORA).map((title) => ({ title, unit: 'ms' })),
  races: [
    { title: 'MessageReader', floor: FLOOR, ours: 'MessageReader', peers: ['SDK v1 ReadBuffer', 'SDK v2 ReadBuffer'] },
  ],
  contenders: (bench) =>
    Promise.resolve(
      Object.fromEntries(Object.keys(READERS).map((name) => [name, () => bench.measure('reader', { name })])),
    ),
};
