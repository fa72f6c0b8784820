import { expect, test } from 'vitest';
import { EventSplitter, type StreamEvent } from '../../generator/record/event-splitter.js';
import { ByteLineSplitter, type Line } from '../../generator/recording/byte-lines.js';

const MIB = 1024 * 1024;

/** How much memory a run leaves allocated at most, in bytes. */
function growthOf(run: () => void): number {
  const used = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  run();
  return used() - before;
}

test('an event of very many lines without data takes little more memory than its size', () => {
  const events: StreamEvent[] = [];
  const splitter = new EventSplitter(64 * MIB, (event) => events.push(event));
  const chunk = Buffer.from('data:\n'.repeat(10_000));
  const growth = growthOf(() => {
    for (let count = 0; count < 200; count += 1) splitter.add(chunk);
  });
  expect(growth).toBeLessThan(64 * MIB);
  splitter.add(Buffer.from('data: end\n\n'));
  expect(events).toHaveLength(1);
  const { data } = events[0] ?? {};
  expect(data?.kind === 'whole' && data.bytes.toString()).toBe(`${'\n'.repeat(2_000_000)}end`);
});

test('a line that comes byte by byte takes little more memory than its size', () => {
  const lines: Line[] = [];
  const splitter = new ByteLineSplitter(64 * MIB, (line) => lines.push(line));
  const growth = growthOf(() => {
    for (let count = 0; count < 1_000_000; count += 1) splitter.add(Buffer.from('x'));
  });
  expect(growth).toBeLessThan(64 * MIB);
  splitter.add(Buffer.from('\n'));
  expect(lines.map((line) => (line.kind === 'whole' ? line.bytes.length : line.size))).toEqual([1_000_000]);
});
