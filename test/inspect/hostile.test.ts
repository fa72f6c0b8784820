import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compileSchema } from '../../generated/runtime/json-schema.js';
import { BoundedMap, BoundedSet } from '../../generator/inspect/bounded.js';
import { Inspector } from '../../generator/inspect/inspector.js';
import { DirectionGuess } from '../../generator/recording/formats/direction.js';
import { RecordingReader } from '../../generator/recording/read.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { c, handshake, request, result, s } from './support.js';
import { processorTimeOf } from '../support/processor-time.js';

afterAll(removeTemporaryFolders);

/** Much less than anything quadratic takes, and much more than it takes otherwise. */
const MAX_MS = 8000;

function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

function nestedObject(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

describe('collections with a limit', () => {
  test('forget the oldest entry, whatever was deleted and added again', () => {
    const map = new BoundedMap<number, string>(3);
    for (const key of [1, 2, 3]) map.set(key, 'old');
    map.delete(1);
    map.set(1, 'again').set(2, 'same').set(4, 'new').set(5, 'new');
    expect([...map.keys()]).toEqual([1, 4, 5]);
    const set = new BoundedSet<number>(2);
    for (const value of [1, 2, 1, 3, 4]) set.add(value);
    expect([...set]).toEqual([3, 4]);
  });

  test('forget the oldest entries when all together are too large', () => {
    const map = new BoundedMap<number, string>(100, 1000);
    for (const key of [1, 2, 3, 4]) map.set(key, 'x', 300);
    expect([...map.keys()]).toEqual([2, 3, 4]);
    expect(map.hasForgotten).toBe(true);
    map.delete(3);
    map.set(2, 'again', 50).set(5, 'y', 600);
    expect([...map.keys()]).toEqual([2, 4, 5]);
    map.set(6, 'larger than all', 2000);
    expect([...map.keys()]).toEqual([]);
  });

  test('requests without a response are bounded by their size, and what was forgotten is not reported', () => {
    const inspector = new Inspector({ header: { version: 1, transport: 'stdio' } });
    const text = 'x'.repeat(1_000_000);
    const findings = [...handshake('2025-11-25')].flatMap((entry) => inspector.add(entry).findings);
    for (let id = 1; id <= 40; id += 1) {
      const params = { ref: { type: 'ref/prompt', name: `p${id}` }, argument: { name: 'a', value: `${id}${text}` } };
      findings.push(...inspector.add(c(request(id, 'completion/complete', params))).findings);
    }
    // The answer of one that was forgotten has no latency; that of a later one has its request.
    const answers = [1, 40].map((id) => inspector.add(s(result(id, { completion: { values: [] } }))));
    findings.push(...answers.flatMap((inspected) => inspected.findings));
    expect(answers.map(({ messages }) => messages[0]?.method)).toEqual([undefined, 'completion/complete']);
    expect(findings).toEqual([]);
  });

  test('take the same time for each entry', { timeout: 120_000 }, () => {
    const set = new BoundedSet<number>(100_000);
    expect(
      processorTimeOf(() => {
        for (let value = 0; value < 800_000; value += 1) set.add(value);
      }),
    ).toBeLessThan(MAX_MS);
  });
});

describe('messages without a sender', () => {
  test('many requests with one id take linear time', { timeout: 300_000 }, () => {
    const guess = new DirectionGuess();
    const frame = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(
      processorTimeOf(() => {
        for (let count = 0; count < 100_000; count += 1) guess.senderOf(frame);
      }),
    ).toBeLessThan(MAX_MS);
  });

  test('deep JSON as a message, an id and a token is read', async () => {
    const lines = [
      '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      nested(100_000),
      `{"jsonrpc":"2.0","id":${nestedObject(100_000)},"method":"tools/call"}`,
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${nestedObject(100_000)}}}`,
      `{"message":${nested(100_000)}}`,
    ];
    let count = 0;
    for await (const _ of new RecordingReader().read(chunks(lines))) count += 1;
    expect(count).toBe(lines.length);
  });

  test('the requests of a thousand servers are remembered', async () => {
    const line = (server: string, message: object): string => JSON.stringify({ server, message });
    const asks = { jsonrpc: '2.0', id: 1, method: 'roots/list' };
    const answer = { jsonrpc: '2.0', id: 1, result: {} };
    const lines = Array.from({ length: 1001 }, (_, index) => line(`s${index}`, asks));
    const senders: string[] = [];
    for await (const part of new RecordingReader().read(chunks([...lines, line('s0', answer), line('s9', answer)])))
      if (part.kind === 'entry') senders.push(part.entry.from);
    expect(senders.slice(-2)).toEqual(['server', 'client']);
  });
});

async function* chunks(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(lines.map((line) => `${line}\n`).join('')));
}

describe('schemas of tools', () => {
  test('many required properties take linear time', { timeout: 300_000 }, () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `p${index}`);
    const schema = { properties: Object.fromEntries(names.map((name) => [name, true])), required: names };
    expect(processorTimeOf(() => compileSchema(schema))).toBeLessThan(MAX_MS);
  });
});

describe('a recording with deep JSON', () => {
  const file = path.join(temporaryFolder(), 'deep.ndjson');
  const id = nestedObject(10_000);
  writeFileSync(
    file,
    [
      '{"recording":{"version":1,"transport":"stdio"}}',
      '{"from":"client","frame":{"jsonrpc":"2.0","id":0,"method":"ping"}}',
      '{"from":"server","frame":{"jsonrpc":"2.0","id":0,"result":{}}}',
      `{"from":"client","frame":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${id}}}`,
      `{"from":"server","frame":{"jsonrpc":"2.0","id":${id},"result":{}}}`,
      '',
    ].join('\n'),
  );

  test('has a page', async () => {
    const { code, stdout, stderr } = await mcpgen(['inspect', file, '--html', '-']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain('nested too deeply to be shown');
  });

  test('is replayed without it', async () => {
    const { code, stdout, stderr } = await mcpgen(['replay', file, '--json', '--', process.execPath, '-e', ECHO]);
    expect({ code, stdout: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      stdout: [{ compared: 1, loose: {}, ended: null, unplayed: 0, differences: [] }],
    });
    expect(stderr).toContain('2 entries are not messages and are not replayed');
  });
});

/** A server that answers each line with the id 0. */
const ECHO = `process.stdin.on('data', () => console.log('{"jsonrpc":"2.0","id":0,"result":{}}'))`;
