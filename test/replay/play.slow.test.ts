/** Plays scripts against servers in memory: causality, values that a server chooses, what is missing and unexpected. */
import { runInThisContext } from 'node:vm';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryPair } from '../../generated/runtime/memory.js';
import type { JsonObject } from '../../generator/read/json/json.js';
import type { Entry } from '../../generator/recording/entry.js';
import { RecordingReader } from '../../generator/recording/read.js';
import { MockConnection, RecordedServer } from '../../generator/replay/mock.js';
import { playScript } from '../../generator/replay/play.js';
import { readScript } from '../../generator/replay/script.js';
import { renderTest } from '../../generator/replay/test-file.js';
import { DEFAULTS, entriesOf, play, short } from './play-support.js';

describe('playScript', () => {
  test('reports a response that does not come, and goes on', async () => {
    const result = await play(
      [
        '> {"id": 1, "method": "lost"}',
        '< {"id": 1, "result": {}}',
        '> {"id": 2, "method": "ping"}',
        '< {"id": 2, "result": {}}',
      ],
      ({ id, method }, send) => {
        if (method === 'ping') send({ id: id ?? null, result: {} });
      },
      { timeoutMs: 100 },
    );
    expect(short(result)).toEqual([['missing', 'response', 'lost']]);
    expect(result.compared).toBe(1);
  });

  test('spends the time limit once, however many requests have no answer', async () => {
    const start = performance.now();
    const lines = Array.from({ length: 10 }, (_, id) => [
      `> {"id": ${id}, "method": "x"}`,
      `< {"id": ${id}, "result": {}}`,
    ]).flat();
    const result = await play(lines, () => undefined, { timeoutMs: 1000 });
    expect(short(result)).toHaveLength(10);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  test('of thousands of messages takes linear time', async () => {
    const lines = Array.from({ length: 4000 }, (_, id) => [
      `> {"id": ${id}, "method": "x"}`,
      `< {"id": ${id}, "result": {}}`,
    ]).flat();
    const start = performance.now();
    const result = await play(lines, ({ id }, send) => {
      send({ id: id ?? null, result: {} });
    });
    expect([short(result), result.compared]).toEqual([[], 4000]);
    expect(performance.now() - start).toBeLessThan(8000);
  });
});

describe('matchers', () => {
  test('null is accepted where a value is not compared, in a replay and in a test', async () => {
    const lines = ['> {"id": 1, "method": "m"}', '< {"id": 1, "result": {"at": "2026-01-01", "of": null}}'];
    const matchers = { ...DEFAULTS, ignored: [{ method: undefined, keys: ['result', 'at'] }] };
    const answered = async (result: JsonObject): Promise<readonly unknown[]> =>
      short(
        await play(
          lines,
          ({ id }, send) => {
            send({ id: id ?? null, result });
          },
          { matchers },
        ),
      );
    expect(await answered({ at: null, of: null })).toEqual([]);
    expect(await answered({ at: null, of: 1 })).toEqual([['response', 'm', [['/result/of', null, 1]]]]);
    const { text } = renderTest(readScript(entriesOf(lines)), {
      source: 'a.ndjson',
      server: { command: ['node', 'server.js'] },
      revision: '2025-11-25',
      generated: '../src/generated',
      matchers,
    });
    expect(text).toContain('expect(result).toEqual({ at: ANYTHING, of: null });');
    const [, matcher = ''] = /const ANYTHING: unknown = (.*);/.exec(text) ?? [];
    expect({ at: null }).toEqual({ at: runInThisContext(`(${matcher})`) as unknown });
  });
});

describe('the recorded server', () => {
  const folder = path.resolve('test/fixtures');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ndjson'));

  test.each(files)('%s: played against itself, nothing differs', async (file) => {
    const entries: Entry[] = [];
    for await (const part of new RecordingReader().read(bytesOf(path.join(folder, file))))
      if (part.kind === 'entry') entries.push(part.entry);
    const script = readScript(entries);
    expect(script.steps.length).toBeGreaterThan(1);
    const [client, server] = memoryPair();
    await new MockConnection(new RecordedServer([script], () => undefined), server).start();
    const result = await playScript(client, script, { timeoutMs: 1000, matchers: { ...DEFAULTS, isExact: true } });
    expect(result.differences).toEqual([]);
    expect(result.compared).toBeGreaterThan(0);
  });
});

async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(readFileSync(file));
}
