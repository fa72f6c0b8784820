import { readFileSync, writeFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { mcpgen, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen as mcpgenInProcess } from '../support/in-process.js';
import { ECHO, endOf, entriesFrom, newRecording, readAll, readRecording, startRecord } from './support.js';
import { REQUEST } from './stdio-support.js';

afterAll(removeTemporaryFolders);

describe('bytes', () => {
  test('of a frame are recorded as they are, except around it', async () => {
    const file = newRecording();
    const frame = '{"b":1.0, "a":12345678901234567890,"a":"\\u0041\u2028"}';
    await mcpgenRecord(file, `${frame}\r\n`);
    expect(readFileSync(file, 'utf8')).toContain(`,"frame":${frame}}\n`);
  });

  test('that are not JSON, or not UTF-8, are recorded as text and as base64', async () => {
    const file = newRecording();
    const input = Buffer.concat([
      Buffer.from('hello\r\n\n\ufeff{}\n'),
      Buffer.from([0xff, 0x00, 0x0a]),
      Buffer.from('no end'),
    ]);
    const { stdout } = await mcpgenRecord(file, input);
    expect(stdout).toContain('hello\r\n\n');
    const contents = entriesFrom(file, 'client').map(({ from: _, time: _time, ...rest }) => rest);
    expect(contents).toEqual([
      { text: 'hello\r' },
      { text: '' },
      { text: '\ufeff{}' },
      { base64: '/wA=' },
      { text: 'no end' },
      { end: {} },
    ]);
  });

  async function mcpgenRecord(file: string, input: string | Uint8Array, options: readonly string[] = []) {
    return mcpgen(['record', '--out', file, ...options, '--', process.execPath, '-e', ECHO], { input });
  }
});

describe('the end', () => {
  test.each([0, 1, 7, 255])('exits with the code %i of the server', async (code) => {
    const file = newRecording();
    const child = startRecord(file, `process.stdout.write('bye', () => process.exit(${code}))`);
    expect((await readAll(child.stdout)).toString()).toBe('bye');
    expect(await endOf(child)).toEqual({ code, signal: null });
    expect(entriesFrom(file, 'server').map(({ text, end }) => text ?? end)).toEqual(['bye', { code }]);
    // The client did not end.
    expect(entriesFrom(file, 'client')).toEqual([]);
  });

  test('of the client is forwarded, and the server still answers', async () => {
    const file = newRecording();
    const child = startRecord(
      file,
      `process.stdin.resume().on('end', () => setTimeout(() => console.log('{"late":1}'), 100))`,
    );
    child.stdin.end(`${REQUEST}\n`);
    expect((await readAll(child.stdout)).toString()).toBe('{"late":1}\n');
    expect((await endOf(child)).code).toBe(0);
    expect(
      readRecording(file)
        .map(({ from, frame, end }) => [from, frame ?? end])
        .slice(1),
    ).toEqual([
      ['client', JSON.parse(REQUEST)],
      ['client', {}],
      ['server', { late: 1 }],
      ['server', { code: 0 }],
    ]);
  });
});

describe('the file', () => {
  test('is never overwritten: the next one has a number', async () => {
    const file = newRecording();
    writeFileSync(file, 'mine');
    for (const number of [2, 3]) {
      const { stderr } = await mcpgen(['record', '--out', file, '--', process.execPath, '-e', ECHO], { input: '{}\n' });
      const next = file.replace('.ndjson', `-${number}.ndjson`);
      expect(stderr).toBe(`mcpgen record: recording to ${next}\n`);
      expect(readRecording(next)).toHaveLength(5);
    }
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('begins with the command, without its secrets', async () => {
    const file = newRecording();
    const args = [
      '--token',
      'abcdefgh',
      '--api-key=ijklmnop',
      'https://u:qrstuvwx@example.com/?sig=yz012345',
      'plain text',
    ];
    await mcpgen(['record', '--out', file, '--', process.execPath, '-e', '', '--', ...args], {});
    const { recording } = readRecording(file)[0] ?? {};
    expect(recording).toMatchObject({ version: 1, transport: 'stdio' });
    expect(recording?.['server']).toBe(
      `${process.execPath} -e '' -- --token '[redacted]' '--api-key=[redacted]' 'https://[redacted]@example.com/?sig=[redacted]' 'plain text'`,
    );
    expect(readFileSync(file, 'utf8')).not.toMatch(/abcdefgh|ijklmnop|qrstuvwx|yz012345/);
  });
});

describe('errors', () => {
  test.each([
    [['nonesuch-command'], 'error: nonesuch-command: the command was not found'],
    [[process.cwd()], 'the command is not executable'],
  ])('%j cannot be started, and leaves no file', async (command, message) => {
    const folder = temporaryFolder();
    const { code, stderr } = await mcpgenInProcess([
      'record',
      '--out',
      path.join(folder, 'a.ndjson'),
      '--',
      ...command,
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each<[string, readonly string[], string]>([
    ['no command', ['--out', 'a'], 'the command of the server is missing'],
    ['no folder', ['--out', 'no/such/a.ndjson', '--', 'cat'], 'its folder does not exist'],
    ['no folder with a slash', ['--out', 'no-such/', '--', 'cat'], 'its folder does not exist'],
    [
      'a command and a URL',
      ['--out', 'a', '--http', 'http://localhost', '--', 'cat'],
      'cannot be combined with a command',
    ],
    ['a port without a URL', ['--out', 'a', '--port', '1', '--', 'cat'], '--port: only applies to --http'],
    ['a URL that is invalid', ['--out', 'a', '--http', 'localhost:1'], 'not a valid URL'],
    ['a port that is none', ['--out', 'a', '--http', 'http://localhost', '--port', 'x'], 'not a port'],
    [
      'an address of others',
      ['--out', 'a', '--http', 'http://localhost', '--host', '0.0.0.0'],
      'not an address of this machine only',
    ],
    ['a pattern that is invalid', ['--out', 'a', '--redact', '(', '--', 'cat'], 'not a valid regular expression'],
    ['a pattern that is slow', ['--out', 'a', '--redact', '^(a+)+$', '--', 'cat'], 'more than linear time'],
    ['both forms of redact', ['--out', 'a', '--no-redact', '--redact', 'x', '--', 'cat'], 'cannot be combined'],
    ['a limit that is none', ['--out', 'a', '--max-frame-bytes', '0', '--', 'cat'], 'must be a number of bytes'],
  ])('%s', async (_, args, message) => {
    const folder = temporaryFolder();
    const { code, stderr } = await mcpgenInProcess(['record', ...args], { cwd: folder });
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  });
});
