/** `mcpgen replay` on recordings of the reference server: against it, as it, and as a test. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../generated/2025-11-25/client.js';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import { CLI, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { EVERYTHING, recordEverything, writeChangedServer } from './support.js';

let folder = '';
let file = '';
let changed = '';

beforeAll(async () => {
  folder = temporaryFolder();
  file = path.join(folder, 'calls.ndjson');
  changed = writeChangedServer(folder);
  await recordEverything(file);
});

afterAll(removeTemporaryFolders);

describe('mcpgen replay', () => {
  test('finds no difference in the server that was recorded', async () => {
    const run = await mcpgen(['replay', file, '--', ...EVERYTHING], { cwd: folder });
    expect([run.code, run.stdout, run.stderr]).toEqual([
      0,
      expect.stringMatching(/^\d\d messages compared, no difference[.;]/),
      '',
    ]);
  });

  test('reports a change of the server, and exits with 1', async () => {
    const run = await mcpgen(['replay', file, '--', process.execPath, changed], { cwd: folder });
    expect(run.code).toBe(1);
    expect(run.stdout.split('\n').slice(0, 4)).toEqual([
      expect.stringMatching(/^response of tools\/call, id \d+ \(frame \d+\)$/),
      '  /result/content/0/text',
      '  - "Echo: roses"',
      '  + "Echo: tulips"',
    ]);
    expect(run.stdout).toMatch(/compared, 1 differs/);
    const json = await mcpgen(['replay', file, '--json', '--', process.execPath, changed], { cwd: folder });
    expect(JSON.parse(json.stdout)).toMatchObject([
      {
        ended: null,
        differences: [
          {
            kind: 'changed',
            what: 'response',
            method: 'tools/call',
            values: [{ pointer: '/result/content/0/text', expected: 'Echo: roses', found: 'Echo: tulips' }],
          },
        ],
      },
    ]);
  });

  test.each([
    [['missing.ndjson', '--', 'x'], 'cannot be read (ENOENT)'],
    [['calls.ndjson'], 'the server is missing'],
    [['calls.ndjson', '--', 'no-such-program-here'], 'the server did not start'],
    [['calls.ndjson', '--ignore', 'x', '--', 'y'], 'not a JSON pointer'],
    [['calls.ndjson', '--match', '/a=(x+)+$', '--', 'y'], 'may take very long'],
    [['calls.ndjson', '--http', 'ftp://x'], 'not a URL'],
    [['calls.ndjson', '--http', 'http://x', '--', 'y'], 'cannot be combined with a command'],
    [['calls.ndjson', '--port', '1', '--', 'y'], 'only applies to --as-server'],
    [['calls.ndjson', '--as-server', '--port', 'x'], 'not a port'],
    [['calls.ndjson', '--as-server', '--', 'y'], 'cannot be combined with a server'],
    [['empty.ndjson', '--', 'y'], 'no message of a client is in it'],
  ])('%j is wrong input', async (args, message) => {
    writeFileSync(path.join(folder, 'empty.ndjson'), '{"recording":{"version":1}}\n');
    const run = await mcpgen(['replay', ...args], { cwd: folder });
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(run.stderr).not.toMatch(/\n\s+at /);
  });
});

describe('mcpgen replay --as-server', () => {
  const arguments_ = (): string[] => [CLI, 'replay', file, '--as-server'];

  test('answers our client over stdio as the server did', async () => {
    const warnings: string[] = [];
    const client = createClient({
      info: { name: 'other', version: '2.0.0' },
      capabilities: { sampling: {} },
      handlers: {
        'sampling/createMessage': () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'x' } }),
      },
    });
    await client.connect(
      stdioClientTransport({
        command: process.execPath,
        args: arguments_(),
        stderr: (chunk) => void warnings.push(new TextDecoder().decode(chunk)),
      }),
    );
    const text = async (name: string, given: Record<string, unknown>): Promise<unknown> =>
      (await client.callTool({ name, arguments: given })).content[0];
    expect(await text('get-sum', { b: 3, a: 2 })).toMatchObject({ text: 'The sum of 2 and 3 is 5.' });
    expect(await text('echo', { message: 'roses' })).toMatchObject({ text: 'Echo: roses' });
    expect(await text('trigger-sampling-request', { prompt: 'Flower?', maxTokens: 10 })).toMatchObject({
      text: expect.stringContaining('A rose.') as string,
    });
    const steps: number[] = [];
    await client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } },
      { onProgress: ({ progress }) => void steps.push(progress) },
    );
    expect(steps).toEqual([1, 2, 3]);
    expect(warnings.join('')).toBe('');
    expect(await text('echo', { message: 'violets' })).toBeDefined();
    await expect(client.readResource({ uri: 'x://y' })).rejects.toMatchObject({ code: -32601 });
    await client.close();
    expect(warnings.join('')).toMatch(/tools\/call with these parameters is not in the recording/);
    expect(warnings.join('')).toMatch(/resources\/read: not in the recording/);
  });

  test('answers the official client over stdio', async () => {
    const client = new Client({ name: 'official', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: arguments_(), stderr: 'ignore' }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    expect(await client.callTool({ name: 'echo', arguments: { message: 'roses' } })).toEqual({
      content: [{ type: 'text', text: 'Echo: roses' }],
    });
    await client.close();
  });
});

describe('mcpgen replay --as-test', () => {
  test('never overwrites a file, and needs the generated client', async () => {
    const project = path.join(folder, 'bare');
    mkdirSync(path.join(project, 'gen/2025-11-25'), { recursive: true });
    mkdirSync(path.join(project, 'test'), { recursive: true });
    writeFileSync(path.join(project, 'test/calls.test.ts'), '// mine');
    const run = await mcpgen(['replay', '../calls.ndjson', '--as-test', 'test', '--', 'x'], { cwd: project });
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('there is no client of 2025-11-25 in it')]);
    writeFileSync(path.join(project, 'gen/2025-11-25/client.ts'), '');
    const again = await mcpgen(['replay', '../calls.ndjson', '--as-test', 'test', '--generated', 'gen', '--', 'x'], {
      cwd: project,
    });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists already')]);
    expect(readFileSync(path.join(project, 'test/calls.test.ts'), 'utf8')).toBe('// mine');
    expect(existsSync(path.join(project, 'test/calls.test.ts.tmp'))).toBe(false);
  });
});
