/** `mcpgen replay` on recordings of the reference server: against it, as it, and as a test. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../generated/2025-11-25/client.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
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
});

describe('mcpgen replay --as-server', () => {
  const arguments_ = (): string[] => [CLI, 'replay', file, '--as-server'];

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
});
