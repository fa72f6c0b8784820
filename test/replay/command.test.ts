/** `mcpgen replay` on recordings of the reference server: against it, as it, and as a test. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../generated/2025-11-25/client.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import { CLI, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { EVERYTHING, recordEverything } from './support.js';

let folder = '';
let file = '';
/** The reference server, with a text of its output replaced. */
let changed = '';

beforeAll(async () => {
  folder = temporaryFolder();
  file = path.join(folder, 'calls.ndjson');
  changed = path.join(folder, 'changed.mjs');
  writeFileSync(
    changed,
    `import { spawn } from 'node:child_process';
     const server = spawn(process.execPath, ${JSON.stringify(EVERYTHING.slice(1))}, { stdio: ['pipe', 'pipe', 'ignore'] });
     process.stdin.pipe(server.stdin);
     server.stdout.setEncoding('utf8');
     server.stdout.on('data', (text) => process.stdout.write(text.replaceAll('Echo: roses', 'Echo: tulips')));`,
  );
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

  test('--ignore and --match accept a change', async () => {
    const server = ['--', process.execPath, changed];
    const ignored = await mcpgen(['replay', file, '--ignore', 'tools/call:/result/content/*/text', ...server], {
      cwd: folder,
    });
    expect([ignored.code, ignored.stdout]).toEqual([0, expect.stringContaining('1 ignored value')]);
    const matched = await mcpgen(['replay', file, '--match', '/result/content/0/text=.', ...server], { cwd: folder });
    expect([matched.code, matched.stdout]).toEqual([0, expect.stringContaining('1 value that matches a pattern')]);
  });

  test('--update rewrites what changed, and nothing else', async () => {
    const copy = path.join(folder, 'updated.ndjson');
    cpSync(file, copy);
    const before = readFileSync(copy, 'utf8').split('\n');
    const run = await mcpgen(['replay', copy, '--update', '--', process.execPath, changed], { cwd: folder });
    expect([run.code, run.stderr]).toEqual([0, `mcpgen replay: updated 1 entry of ${copy}\n`]);
    const after = readFileSync(copy, 'utf8').split('\n');
    const differing = before.flatMap((line, index) => (line === after[index] ? [] : [[line, after[index]]]));
    expect(after).toHaveLength(before.length);
    expect(differing).toHaveLength(1);
    expect(JSON.parse(differing[0]?.[1] ?? '')).toEqual(
      JSON.parse((differing[0]?.[0] ?? '').replace('Echo: roses', 'Echo: tulips')),
    );
    const again = await mcpgen(['replay', copy, '--', process.execPath, changed], { cwd: folder });
    expect(again.code).toBe(0);
    const log = path.join(folder, 'plain.ndjson');
    writeFileSync(
      log,
      before
        .slice(1)
        .map((line) => JSON.stringify((JSON.parse(line || '{}') as { frame?: unknown }).frame ?? {}))
        .join('\n'),
    );
    const refused = await mcpgen(['replay', log, '--update', '--', ...EVERYTHING], { cwd: folder });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('only recordings of mcpgen record')]);
  });

  test('takes the server in quotes, too', async () => {
    const run = await mcpgen(['replay', file, EVERYTHING.join(' ')], { cwd: folder });
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('no difference')]);
  });

  test('a server that ends early is reported with its log', async () => {
    const server = [process.execPath, '-e', 'console.error("no database"); process.exit(3)'];
    const run = await mcpgen(['replay', file, '--', ...server], { cwd: folder });
    expect([run.code, run.stderr]).toEqual([
      1,
      expect.stringMatching(
        /ended before the recording did: .*; \d+ requests not sent, [1-9]\d* recorded messages missing\n[^]*no database/,
      ),
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

  test('answers both clients over HTTP, each session from the beginning', async () => {
    const server = spawn(process.execPath, [...arguments_(), '--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const url = await new Promise<URL>((resolve, reject) => {
        server.stdout.setEncoding('utf8').on('data', (text: string) => {
          const [, found] = /listening on (\S+)/.exec(text) ?? [];
          if (found !== undefined) resolve(new URL(found));
        });
        server.once('exit', () => {
          reject(new Error('the server ended'));
        });
      });
      for (let session = 0; session < 2; session += 1) {
        const ours = createClient({ info: { name: 'ours', version: '1.0.0' } });
        await ours.connect(httpClientTransport({ url }));
        expect((await ours.callTool({ name: 'echo', arguments: { message: 'roses' } })).content).toEqual([
          { type: 'text', text: 'Echo: roses' },
        ]);
        await ours.close();
      }
      const official = new Client({ name: 'official', version: '1.0.0' });
      await official.connect(new StreamableHTTPClientTransport(url));
      expect((await official.listTools()).tools.length).toBeGreaterThan(3);
      await official.close();
      const run = await mcpgen(['replay', file, '--http', url.href], { cwd: folder });
      expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('no difference')]);
    } finally {
      server.kill();
    }
  });
});

describe('mcpgen replay --as-test', () => {
  test('writes a test that passes against the server, and fails where it changed', { timeout: 300_000 }, async () => {
    const project = path.join(folder, 'project');
    mkdirSync(path.join(project, 'src/generated'), { recursive: true });
    for (const name of ['2025-11-25', 'runtime'])
      cpSync(path.resolve('generated', name), path.join(project, 'src/generated', name), { recursive: true });
    symlinkSync(path.resolve('node_modules'), path.join(project, 'node_modules'));
    writeFileSync(path.join(project, 'package.json'), '{"type":"module"}');
    const write = (name: string, server: readonly string[]) => {
      cpSync(file, path.join(folder, name));
      return mcpgen(['replay', path.join('..', name), '--as-test', 'test', '--', ...server], { cwd: project });
    };
    const run = await write('same.ndjson', EVERYTHING);
    expect([run.code, run.stdout]).toEqual([0, 'wrote test/same.test.ts: 9 calls\n']);
    const text = readFileSync(path.join(project, 'test/same.test.ts'), 'utf8');
    expect(text).toContain('import { createClient } from "../src/generated/2025-11-25/client.js";');
    expect(text).toContain('test("tools/call get-sum (2)", async () => {');
    expect((await write('changed.ndjson', [process.execPath, changed])).code).toBe(0);

    writeFileSync(
      path.join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'es2022',
          module: 'nodenext',
          strict: true,
          noEmit: true,
          skipLibCheck: true,
          types: ['node'],
        },
        include: ['test'],
      }),
    );
    const compiled = spawnSync(process.execPath, [path.resolve('node_modules/typescript-7/bin/tsc'), '-p', project], {
      encoding: 'utf8',
    });
    expect(compiled.stdout).toBe('');
    const prettier = spawnSync(
      process.execPath,
      [path.resolve('node_modules/prettier/bin/prettier.cjs'), '--check', 'test'],
      { cwd: project, encoding: 'utf8' },
    );
    expect(prettier.stderr).toBe('');
    const vitest = (name: string) =>
      spawnSync(process.execPath, [path.resolve('node_modules/vitest/vitest.mjs'), 'run', '--root', project, name], {
        encoding: 'utf8',
        env: { ...process.env, NO_COLOR: '1' },
      });
    const same = vitest('test/same.test.ts');
    expect([same.status, same.stdout]).toEqual([0, expect.stringMatching(/Tests\s+9 passed/)]);
    const other = vitest('test/changed.test.ts');
    expect([other.status, other.stdout]).toEqual([1, expect.stringMatching(/Tests\s+1 failed \| 8 passed/)]);
  });

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
