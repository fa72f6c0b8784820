/** Recordings over HTTP with several clients, and updates that redact as the recorder did. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, test } from 'vitest';
import { writeEntry, writeHeader, type Entry, type RecordingHeader } from '../../generator/recording/entry.js';
import { messagesOfEntry } from '../../generator/recording/message.js';
import { entriesByClient } from '../../generator/replay/clients.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';

afterAll(removeTemporaryFolders);

/** A request and a later response in one exchange over HTTP. */
function exchange(number: number, session: string | undefined, frame: object): readonly [Entry, Entry] {
  const headers = session === undefined ? {} : { 'mcp-session-id': session };
  const isStart = JSON.stringify(frame).includes('"initialize"');
  return [
    {
      from: 'client',
      content: { kind: 'frame', frame: { jsonrpc: '2.0', ...frame } },
      http: { kind: 'request', exchange: number, method: 'POST', path: '/mcp', headers: isStart ? {} : headers },
    },
    {
      from: 'server',
      content: { kind: 'frame', frame: { jsonrpc: '2.0', id: 1, result: { of: number } } },
      http: { kind: 'response', exchange: number, status: 200, headers },
    },
  ];
}

/** The `of` of the responses of each client. */
const shown = (clients: readonly (readonly Entry[])[]): readonly unknown[] =>
  clients.map((entries) =>
    entries.flatMap((entry) =>
      messagesOfEntry(entry).flatMap(({ result }) => (result === undefined ? [] : [(result as { of: number }).of])),
    ),
  );

describe('clients of one recording', () => {
  test('with sessions are distinguished by them, also where their ids are equal', () => {
    const [a1, a2] = exchange(1, 'a', { id: 1, method: 'initialize' });
    const [b1, b2] = exchange(2, 'b', { id: 1, method: 'initialize' });
    const [c1, c2] = exchange(3, 'a', { id: 1, method: 'ping' });
    expect(shown(entriesByClient([a1, b1, b2, a2, c1, c2]))).toEqual([[1, 3], [2]]);
  });

  test('without sessions are others if an id is in flight already', () => {
    const [a1, a2] = exchange(1, undefined, { id: 1, method: 'x' });
    const [b1, b2] = exchange(2, undefined, { id: 1, method: 'x' });
    const [c1, c2] = exchange(3, undefined, { id: 1, method: 'x' });
    expect(shown(entriesByClient([a1, b1, b2, a2, c1, c2]))).toEqual([[1, 3], [2]]);
  });

  test('over stdio are one', () => {
    const entries: Entry[] = [
      { from: 'client', content: { kind: 'frame', frame: { jsonrpc: '2.0', id: 1, method: 'x' } } },
    ];
    expect(entriesByClient(entries)).toEqual([entries]);
  });

  test('are replayed one after the other', async () => {
    const file = path.join(temporaryFolder(), 'two.ndjson');
    const lines = ['a', 'b'].flatMap((session, index) => exchange(index + 1, session, { id: 1, method: 'initialize' }));
    const [first, firstAnswer, second, secondAnswer] = lines;
    const ordered = [first, second, secondAnswer, firstAnswer].filter((entry) => entry !== undefined);
    writeFileSync(
      file,
      `${[writeHeader({ version: 1, transport: 'http' }), ...ordered.map((entry) => writeEntry(entry))].join('\n')}\n`,
    );
    const server = answering({ of: 1 });
    const { code, stdout } = await mcpgen(['replay', file, '--', process.execPath, '-e', server]);
    expect(stdout).toContain('Conversation 1\n1 message compared, no difference');
    expect(stdout).toMatch(/Conversation 2\nresponse of initialize, id 1[^]*- 2\n {2}\+ 1\n/);
    expect(code).toBe(1);
  });
});

/** A program that answers every request with a result. */
function answering(result: object): string {
  return `let rest = ''; process.stdin.on('data', (chunk) => { const lines = (rest + chunk).split('\\n'); rest = lines.pop();
    for (const line of lines) { const { id } = JSON.parse(line);
      if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: ${JSON.stringify(result)} }) + '\\n'); } });`;
}

describe('--update', () => {
  /** Updates a recording with this header; the server has a token, and where a treasure is. */
  const update = async (header: Partial<RecordingHeader>): Promise<unknown> => {
    const file = path.join(temporaryFolder(), 'a.ndjson');
    const frame = (from: Entry['from'], value: object): string =>
      writeEntry({ from, content: { kind: 'frame', frame: { jsonrpc: '2.0', id: 1, ...value } } });
    const before = frame('server', { result: { text: 'old', token: 'abc', treasure: 'x' } });
    const lines = [writeHeader({ version: 1, ...header }), frame('client', { method: 'x' }), before];
    writeFileSync(file, `${lines.join('\n')}\n`);
    const server = answering({ text: 'new', token: 'def', treasure: 'cave' });
    const run = await mcpgen(['replay', file, '--update', '--', process.execPath, '-e', server]);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('updated 1 entry')]);
    return JSON.parse(readFileSync(file, 'utf8').trim().split('\n')[2] ?? '');
  };

  test('replaces the usual secrets', async () => {
    expect(await update({})).toMatchObject({
      frame: { result: { text: 'new', token: '[redacted]', treasure: 'cave' } },
      redacted: ['/frame/result/token'],
    });
  });

  test('replaces nothing in a recording of --no-redact', async () => {
    const entry = await update({ redact: false });
    expect(entry).toMatchObject({ frame: { result: { text: 'new', token: 'def', treasure: 'cave' } } });
    expect(entry).not.toHaveProperty('redacted');
  });

  test('keeps the patterns of --redact', async () => {
    expect(await update({ redact: ['^treasure$'] })).toMatchObject({
      frame: { result: { text: 'new', token: '[redacted]', treasure: '[redacted]' } },
    });
  });
});
