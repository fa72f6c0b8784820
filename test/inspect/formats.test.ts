import { describe, expect, test } from 'vitest';
import { inspectRecording } from '../../generator/inspect/inspect.js';
import { writeEntry, writeHeader, type Entry } from '../../generator/recording/entry.js';
import { RecordingReader, type RecordingPart } from '../../generator/recording/read.js';
import { handshake, notification, request, result } from './support.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A text in chunks of a size. */
async function* chunksOf(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const all = typeof text === 'string' ? bytes(text) : text;
  for (let at = 0; at < all.length; at += size) yield await Promise.resolve(all.slice(at, at + size));
}

async function read(text: string | Uint8Array): Promise<{ parts: RecordingPart[]; format: string | undefined }> {
  const reader = new RecordingReader();
  const parts: RecordingPart[] = [];
  for await (const part of reader.read(chunksOf(text))) parts.push(part);
  return { parts, format: reader.format };
}

function entriesOf(parts: readonly RecordingPart[]): readonly Entry[] {
  return parts.flatMap((part) => (part.kind === 'entry' ? [part.entry] : []));
}

const initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}';
const answer = '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}';

describe('recordings of mcpgen', () => {
  const entries: readonly Entry[] = [
    { from: 'client', time: 0.5, content: { kind: 'frame', frame: { jsonrpc: '2.0', id: 1, method: 'ping' } } },
    { from: 'server', time: 1, content: { kind: 'text', text: 'hello\n' } },
    { from: 'server', time: 1.25, content: { kind: 'bytes', base64: '/w==' } },
    { from: 'server', time: 2, content: { kind: 'omitted', bytes: 5_000_000, start: '{"jsonrpc"' } },
    {
      from: 'client',
      time: 3,
      content: { kind: 'none' },
      http: { kind: 'request', exchange: 1, method: 'GET', path: '/mcp', headers: { accept: 'x' } },
    },
    {
      from: 'server',
      time: 4,
      content: { kind: 'none' },
      http: { kind: 'response', exchange: 1, status: 200, headers: {} },
    },
    {
      from: 'server',
      time: 5,
      content: { kind: 'frame', frame: null },
      http: { kind: 'event', exchange: 1, id: '7', event: 'message', retry: 5 },
    },
    { from: 'server', time: 6, content: { kind: 'none' }, http: { kind: 'end', exchange: 1, isComplete: false } },
    { from: 'server', time: 7, content: { kind: 'none' }, end: { code: 3 } },
  ];

  test('are read as they were written', async () => {
    const header = { version: 1, transport: 'http', server: 'node s.js', ignore: ['not-json'] } as const;
    const text = [writeHeader(header), ...entries.map((entry) => writeEntry(entry))].join('\n');
    const { parts, format } = await read(text);
    expect(format).toBe('recording');
    expect(parts[0]).toEqual({ kind: 'header', line: 1, header });
    expect(JSON.parse(JSON.stringify(entriesOf(parts)))).toEqual(JSON.parse(JSON.stringify(entries)));
  });

  test('a frame is kept as its text', () => {
    const text = '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}';
    const entry: Entry = { from: 'client', content: { kind: 'frame', frame: JSON.parse(text) as never } };
    expect(writeEntry(entry, text)).toBe(`{"from":"client","frame":${text}}`);
  });

  test('one of a later version is an error that says so', async () => {
    await expect(read('{"recording":{"version":2}}')).rejects.toThrow('version 2');
  });

  test('several headers begin several conversations', async () => {
    const one = [writeHeader({ version: 1 }), ...handshake('2025-11-25').map((entry) => writeEntry(entry))].join('\n');
    const report = await inspectRecording(chunksOf(`${one}\n${one}\n`));
    expect(report.conversations.map(({ name, findings }) => [name, findings])).toEqual([
      ['1', []],
      ['2', []],
    ]);
  });
});

describe('messages without a direction', () => {
  const lines = [
    initialize,
    answer,
    notification('notifications/initialized'),
    request(1, 'tools/call', { name: 'a', _meta: { progressToken: 't' } }),
    notification('notifications/progress', { progressToken: 't', progress: 1 }),
    request(1, 'roots/list'),
    result(1, { roots: [] }),
    result(1, { content: [] }),
    notification('notifications/tools/list_changed'),
  ].map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));

  test('have the sender that their methods and ids imply', async () => {
    const { parts, format } = await read(lines.join('\n'));
    expect(format).toBe('messages');
    expect(entriesOf(parts).map(({ from }) => from)).toEqual([
      'client',
      'server',
      'client',
      'client',
      'server',
      'server',
      // Of two requests with one id, the earlier one is answered first.
      'server',
      'client',
      'server',
    ]);
  });

  test('other lines are output of the server', async () => {
    const { parts } = await read(`${initialize}\nServer started\n${answer}`);
    expect(entriesOf(parts)[1]).toEqual({ from: 'server', content: { kind: 'text', text: 'Server started' } });
  });
});

describe('a log of Claude Desktop', () => {
  const log = [
    '2025-08-27T16:04:47.774Z [demo] [info] Server started and connected successfully { metadata: undefined }',
    `2025-08-27T16:04:47.807Z [demo] [info] Message from client: ${initialize} { metadata: undefined }`,
    `2025-08-27T16:04:47.829Z [demo] [error] Unexpected token 'P', "Please set"... is not valid JSON {`,
    '  metadata: {',
    `2025-08-27T16:04:47.900Z [demo] [info] Message from server: ${answer}`,
    `2025-08-27T16:04:48.000Z [info] [other] Message from client: ${initialize}`,
  ].join('\n');

  test('has the messages of each server, and what was no message', async () => {
    const report = await inspectRecording(chunksOf(log));
    expect(report.format).toBe('claude-desktop');
    expect(report.skipped).toBe(2);
    expect(report.conversations.map(({ name }) => name)).toEqual(['demo', 'other']);
    const rules = report.conversations[0]?.findings.map(({ rule, frame, line }) => [rule, frame, line]);
    expect(rules).toContainEqual(['not-json', 2, 3]);
    expect(report.conversations[0]?.statistics.durationMs).toBe(93);
  });
});

describe('the output of Visual Studio Code', () => {
  test.each([
    [`2026-01-06 14:50:03.900 [trace] [editor -> server] ${initialize}`, 'client'],
    [`2026-01-06 14:50:03.933 [info] [server -> editor] ${answer}`, 'server'],
    [`[editor -> server] ${initialize}`, 'client'],
    [`[debug] [server -> editor] ${answer}`, 'server'],
    [`2025-03-23 16:38:00.970 [info] [Client Says] ${initialize}`, 'client'],
  ])('%s is of the %s', async (line, from) => {
    const { parts, format } = await read(`2026-01-06 14:50:03.000 [info] Starting server demo\n${line}`);
    expect(format).toBe('vs-code');
    expect(entriesOf(parts).map((entry) => [entry.from, entry.content.kind])).toEqual([[from, 'frame']]);
  });

  test('what is no message of the server is reported', async () => {
    const { parts } = await read('2026-01-06 14:50:03.100 [warning] Failed to parse message: "Hello\\n"');
    expect(entriesOf(parts)[0]).toMatchObject({ from: 'server', content: { kind: 'text', text: 'Hello' } });
  });
});

describe('JSON lines of loggers', () => {
  test.each([
    { direction: 'client->server', message: 'MESSAGE' },
    { dir: 'c2s', payload: 'MESSAGE', ts: 5 },
    { type: 'outgoing', data: 'TEXT', timestamp: '2026-01-01T00:00:00Z' },
    { from: 'host', frame: 'MESSAGE' },
  ])('%j', async (record) => {
    const message = JSON.parse(initialize) as object;
    const line = JSON.stringify(record, (_, value: unknown) =>
      value === 'MESSAGE' ? message : value === 'TEXT' ? initialize : value,
    );
    const { parts } = await read(line);
    expect(entriesOf(parts)).toMatchObject([{ from: 'client', content: { kind: 'frame', frame: message } }]);
  });
});

describe('what is no recording', () => {
  test.each(['', 'hello\nworld', '{"a":1}\n[2]', '\u0000\u0001'])('%j has no entries', async (text) => {
    const { parts, format } = await read(text);
    expect([entriesOf(parts), format]).toEqual([[], undefined]);
  });

  test('bytes that are not UTF-8 are kept in a conversation', async () => {
    const { parts } = await read(Buffer.concat([bytes(`${initialize}\n`), Buffer.from([0xff, 0x0a])]));
    expect(entriesOf(parts)[1]?.content).toEqual({ kind: 'bytes', base64: '/w==' });
  });
});
