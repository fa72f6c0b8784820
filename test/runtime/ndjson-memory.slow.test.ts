import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { encodeLine, MessageReader, resultResponse } from '../../templates/runtime/index.js';
import type { Message } from '../../templates/runtime/index.js';
import { bytesOf, classify, splitBytes, readEvents, utf8 } from './codec-support.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Megabytes that are in use. */
function used(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

describe('time and memory', () => {
  /** How many times longer one stream takes than as many bytes in 16 streams; the best of some runs, as others compute too. */
  function growth(chunksOf: (length: number) => readonly Uint8Array[], length: number): number {
    const [whole, part] = [chunksOf(length), chunksOf(length / 16)];
    const milliseconds = (chunks: readonly Uint8Array[], times: number): number => {
      const start = performance.now();
      for (let count = 0; count < times; count += 1) readEvents(chunks);
      return performance.now() - start;
    };
    milliseconds(part, 1);
    let [ofWhole, ofParts] = [Infinity, Infinity];
    for (let run = 0; run < 5 && !(ofWhole < 2 * ofParts); run += 1) {
      ofWhole = Math.min(ofWhole, milliseconds(whole, 1));
      // What takes next to no time cannot be compared.
      ofParts = Math.min(ofParts, milliseconds(part, 16) + 1);
    }
    return ofWhole / ofParts;
  }

  test('1 MiB in chunks of one byte takes no longer than 16 times 64 KiB', () => {
    const chunksOf = (length: number): readonly Uint8Array[] =>
      splitBytes(utf8(encodeLine(resultResponse(1, { t: 'x'.repeat(length) }))), [1]);
    // Were the line copied for each byte, it would take 16 times as long.
    expect(growth(chunksOf, 1024 * 1024)).toBeLessThan(6);
  });

  test.each(['\n', '{\n', '"\n', '[[[[\n', '1\n', '{"a":"\n', '{', '["', '-1', '\\'])(
    '%j repeated takes linear time',
    (unit) => {
      expect(growth((length) => [utf8(unit.repeat(length / unit.length))], 160_000)).toBeLessThan(6);
    },
  );

  /** Size of the stream; a longer run by this variable. */
  const megabytes = Number(process.env['MCPGEN_STREAM_MB'] ?? 24);

  test(`stays flat over ${megabytes} MB of stream`, { timeout: 3_600_000 }, () => {
    const messages: readonly Message[] = [
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hällo' } } },
      resultResponse(2, { content: [{ type: 'text', text: 'x'.repeat(300_000) }] }),
      resultResponse('3', { tools: Array.from({ length: 200 }, (_, index) => ({ name: `tool${index}` })) }),
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 0, progress: 0.5 } },
    ];
    const noise = ['banner\n', '{\n"a": 1\n}\n', new Uint8Array([0xff, 0x0a]), 'y'.repeat(1_500_000), '\n'];
    const round = bytesOf(...messages.map(encodeLine), ...noise, ...messages.map(encodeLine));
    const reader = new MessageReader({ classify, maxMessageBytes: 1_000_000 });
    const rounds = Math.ceil((megabytes * 1e6) / round.length);
    const counts = { message: 0, diagnostic: 0, bytes: 0 };
    let [base, peak] = [0, 0];
    for (let index = 0; index < rounds; index += 1) {
      // Other borders in each round.
      for (let start = 0, size = 4096 + ((index * 7919) % 60_000); start < round.length; start += size) {
        for (const event of reader.push(round.subarray(start, start + size)))
          counts['message' in event ? 'message' : 'diagnostic'] += 1;
      }
      counts.bytes += round.length;
      if (index === 1) base = used();
      else if (index > 1) peak = Math.max(peak, used());
    }
    expect(counts).toEqual({ message: rounds * 8, diagnostic: rounds * 4, bytes: rounds * round.length });
    expect(rounds).toBeGreaterThan(10);
    console.log(
      `${Math.round(counts.bytes / 1e6)} MB: ${base.toFixed(1)} MB in use at first, ${peak.toFixed(1)} MB at most`,
    );
    // Far less than what was read, and more than the collector's own ups and downs.
    expect(peak - base).toBeLessThan(16);
  });

  test('an endless line is never held', () => {
    const reader = new MessageReader({ classify, maxMessageBytes: 1_000_000 });
    const chunk = new Uint8Array(900_000).fill(0x78);
    const before = process.memoryUsage().arrayBuffers;
    for (let index = 0; index < 500; index += 1) reader.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });
});
