import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { installationSpec } from '../../generator/read/builtin/own-package.js';
import { readFiles, hashFolder, listFiles, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { QUICK, dependenciesOf, init, initWithRuntime } from './init-support.js';

afterAll(removeTemporaryFolders);

describe('without a terminal (case 097)', () => {
  test('--json tells all of it', async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await init(folder, 'server', '@acme/demo', ...QUICK, '--json');
    expect(code).toBe(0);
    const summary = JSON.parse(stdout) as Record<string, unknown>;
    expect(summary).toMatchObject({
      kind: 'server',
      name: '@acme/demo',
      dir: path.join(folder, 'demo'),
      revisions: ['2024-11-05'],
      features: ['tools', 'resources', 'prompts'],
      transports: ['stdio'],
      runtime: 'none',
      kept: [],
      git: false,
      installed: false,
    });
    expect((summary['written'] as string[]).sort()).toEqual(
      listFiles(path.join(folder, 'demo')).filter((name) => readFiles(path.join(folder, 'demo')).has(name)),
    );
  });
});

test.each([
  ['server', 'none'],
  ['server', 'prompts'],
  ['client', 'none'],
])('what a %s with %s has is what generate writes', async (kind, features) => {
  const folder = temporaryFolder();
  expect((await init(folder, kind, 'demo', ...QUICK, '--features', features)).code).toBe(0);
  expect(await mcpgen(['generate', '--check'], { cwd: path.join(folder, 'demo') })).toMatchObject({
    code: 0,
    stderr: '',
  });
});

describe('what is refused, with nothing written', () => {
  test('a folder that cannot be written to', async () => {
    const folder = temporaryFolder();
    const target = path.join(folder, 'closed');
    mkdirSync(target);
    chmodSync(target, 0o555);
    // Root may write everywhere but below a file system that is made by the kernel.
    const dir = process.getuid?.() === 0 ? '/proc/mcpgen' : path.join(target, 'demo');
    const { code, stderr } = await init(folder, 'server', 'demo', ...QUICK, '--dir', dir);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the output was not written')]);
    expect(listFiles(folder)).toEqual(['closed']);
  });

  test('a link that leads out of the folder', async () => {
    const folder = temporaryFolder();
    const elsewhere = temporaryFolder();
    mkdirSync(path.join(folder, 'demo'));
    symlinkSync(elsewhere, path.join(folder, 'demo/src'));
    const { code, stderr } = await init(folder, 'server', 'demo', ...QUICK, '--force');
    expect([code, stderr]).toEqual([2, expect.stringContaining('is outside the output folder')]);
    expect([listFiles(elsewhere), listFiles(path.join(folder, 'demo'))]).toEqual([[], ['src']]);
  });
});

describe('what a killed run left', () => {
  const LEFT = '.mcpgen-tmp-99999999';

  test('is a project half moved into place: it is finished', async () => {
    const folder = temporaryFolder();
    const project = path.join(folder, 'demo');
    await init(folder, 'server', 'demo', ...QUICK);
    const whole = listFiles(project);
    mkdirSync(path.join(project, `${LEFT}-moving`));
    renameSync(path.join(project, 'src'), path.join(project, `${LEFT}-moving/src`));
    expect((await init(folder, 'server', 'demo', ...QUICK)).code).toBe(0);
    expect(listFiles(project)).toEqual(whole);
  });
});

describe('--dry-run (case-133)', () => {
  test('lists them as JSON', async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await init(folder, 'client', 'demo', '--yes', '--dry-run', '--json');
    expect([code, listFiles(folder)]).toEqual([0, []]);
    const summary = JSON.parse(stdout) as { files: readonly object[] };
    expect(summary).toMatchObject({ dryRun: true, written: [], git: false, installed: false, next: [] });
    expect(summary.files).toContainEqual({ path: 'package.json', status: 'missing', action: 'create' });
  });

  test('refuses a folder that holds something', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'demo'));
    writeFileSync(path.join(folder, 'demo/notes.txt'), 'mine');
    expect((await init(folder, 'server', 'demo', '--yes', '--dry-run')).code).toBe(2);
  });
});

describe('a folder that holds something (case 098)', () => {
  test('is refused without --force', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'demo'));
    writeFileSync(path.join(folder, 'demo/notes.txt'), 'mine');
    const before = hashFolder(folder);
    const { code, stderr } = await init(folder, 'server', 'demo', ...QUICK);
    expect([code, stderr]).toEqual([2, expect.stringContaining('notes.txt')]);
    expect(hashFolder(folder)).toBe(before);
  });

  test('--force keeps files of the author', async () => {
    const folder = temporaryFolder();
    const project = path.join(folder, 'demo');
    await init(folder, 'server', 'demo', ...QUICK);
    const edited = path.join(project, 'src/tools/greet.ts');
    writeFileSync(edited, '// mine\n');
    const generated = path.join(project, 'src/generated/2024-11-05/methods.ts');
    const whole = readFileSync(generated, 'utf8');
    writeFileSync(generated, whole.replace('export', 'broken'));
    const { code, stderr } = await init(folder, 'server', 'demo', ...QUICK, '--force');
    expect(code).toBe(0);
    expect(stderr).toContain('kept src/tools/greet.ts');
    expect(readFileSync(edited, 'utf8')).toBe('// mine\n');
    expect(readFileSync(generated, 'utf8')).toBe(whole);
  });

  test('an empty repository counts as empty', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'demo/.git'), { recursive: true });
    expect((await init(folder, 'client', 'demo', ...QUICK)).code).toBe(0);
  });
});

test('removes orphaned generated files only (case 099)', async () => {
  const folder = temporaryFolder();
  const project = path.join(folder, 'demo');
  await init(folder, 'server', 'demo', ...QUICK, '--features', 'tools,logging');
  const mine = path.join(project, 'src/generated/tools/mine.ts');
  writeFileSync(mine, 'export {};\n');
  const before = readFiles(project);
  expect(before.has('src/generated/tools/shout.ts')).toBe(true);
  const config = path.join(project, 'mcpgen.config.json');
  writeFileSync(config, readFileSync(config, 'utf8').replace('*.input.json', 'greet.input.json'));
  const { code } = await mcpgen(['generate'], { cwd: project });
  expect(code).toBe(0);
  const after = readFiles(project);
  expect([...before.keys()].filter((name) => !after.has(name))).toEqual(['src/generated/tools/shout.ts']);
});

test('keeps the project if the package manager fails (exit code 1)', async () => {
  const folder = temporaryFolder();
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'npm'), '#!/bin/sh\necho "no network" >&2\nexit 7\n', { mode: 0o755 });
  const flags = ['--yes', '--no-git', '-r', '2024-11-05'];
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const { code, stderr } = await mcpgen(['init', 'server', 'demo', ...flags], { cwd: folder, env });
  expect(code).toBe(1);
  expect(stderr).toContain('no network');
  expect(stderr).toContain('cd demo && npm install');
  expect(listFiles(path.join(folder, 'demo'))).toContain('package.json');
});

describe('another package manager than npm', () => {
  const withManager = async (folder: string, name: string, script: string, ...args: readonly string[]) => {
    const bin = path.join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, npm_config_user_agent: '' };
    const flags = ['--yes', '--no-git', '-r', '2024-11-05', '--package-manager', name];
    return mcpgen(['init', 'server', 'demo', ...flags, ...args], { cwd: folder, env });
  };
  const manifest = (project: string): unknown => JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8'));

  test('installs in CI too', async () => {
    const folder = temporaryFolder();
    const script = 'if [ "$1" = --version ]; then echo 4.2.1; else echo "$@" > asked; fi';
    const { code, stdout, stderr } = await withManager(folder, 'yarn', script);
    expect([code, stderr]).toEqual([0, '']);
    const project = path.join(folder, 'demo');
    expect(readFileSync(path.join(project, 'asked'), 'utf8')).toBe('install --no-immutable\n');
    expect(manifest(project)).toMatchObject({ packageManager: 'yarn@4.2.1' });
    expect(readFileSync(path.join(project, '.yarnrc.yml'), 'utf8')).toBe('nodeLinker: node-modules\n');
    expect(stdout).toContain('yarn run test');
  });

  test('that says no version is not named with one', async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await withManager(folder, 'bun', 'echo "is not a version"', '--no-install');
    expect([code, stdout]).toEqual([0, expect.stringContaining('bun run test')]);
    expect(manifest(path.join(folder, 'demo'))).not.toHaveProperty('packageManager');
  });

  test('keeps the settings of a workspace above', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'pnpm-workspace.yaml'), 'packages: ["packages/*"]\n');
    const { code } = await withManager(folder, 'pnpm', 'echo 12.0.0', '--dir', 'packages/demo', '--no-install');
    expect(code).toBe(0);
    expect(listFiles(path.join(folder, 'packages/demo'))).not.toContain('pnpm-workspace.yaml');
    await withManager(temporaryFolder(), 'pnpm', 'echo 12.0.0', '--no-install', '--dir', path.join(folder, 'b/demo'));
    expect(listFiles(path.join(folder, 'b/demo'))).not.toContain('pnpm-workspace.yaml');
    const alone = temporaryFolder();
    await withManager(alone, 'pnpm', 'echo 12.0.0', '--no-install');
    expect(readFileSync(path.join(alone, 'demo/pnpm-workspace.yaml'), 'utf8')).toContain('allowBuilds:');
  });
});

describe('what the project depends on as mcpgen', () => {
  const installed = (spec: string | undefined): { installation: string; folder: string } => {
    const folder = temporaryFolder();
    const installation = path.join(folder, 'app/node_modules/mcpgen');
    mkdirSync(installation, { recursive: true });
    writeFileSync(path.join(installation, 'package.json'), '{"version":"1.2.3"}');
    if (spec !== undefined) {
      writeFileSync(path.join(folder, 'app/package.json'), JSON.stringify({ devDependencies: { mcpgen: spec } }));
    }
    writeFileSync(path.join(folder, 'mcpgen-1.2.3.tgz'), '');
    return { installation, folder };
  };

  test.each([
    ['a version of the registry', '^1.2.0', '^1.2.3'],
    ['nothing that is known', undefined, '^1.2.3'],
    ['a tarball beside it', 'file:../mcpgen-1.2.3.tgz', 'file:../mcpgen-1.2.3.tgz'],
    ['a tarball that is gone', 'file:../gone.tgz', '^1.2.3'],
    ['a tarball behind a URL', 'https://example.com/mcpgen.tgz', 'https://example.com/mcpgen.tgz'],
    ['a repository', 'github:acme/mcpgen#main', 'github:acme/mcpgen#main'],
  ])('%s', (_, spec, expected) => {
    const { installation, folder } = installed(spec);
    expect(installationSpec(installation, path.join(folder, 'demo'))).toBe(expected);
  });

  test('a clone', () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'mcpgen'));
    expect(installationSpec(path.join(folder, 'mcpgen'), path.join(folder, 'a/b'))).toBe('file:../../mcpgen');
  });

  test('what --mcpgen says', async () => {
    const folder = temporaryFolder();
    await init(folder, 'client', 'demo', ...QUICK, '--mcpgen', '^9.9.9');
    expect(readFileSync(path.join(folder, 'demo/package.json'), 'utf8')).toContain('"mcpgen": "^9.9.9"');
  });
});

describe('--store redis', () => {
  test('writes what several instances need, over HTTP unless another transport is given', async () => {
    const folder = temporaryFolder();
    const flags = ['--store', 'redis', '--json'];
    const { code, stdout, stderr } = await init(folder, 'server', 'demo', ...QUICK, ...flags);
    expect([code, stderr, JSON.parse(stdout)]).toEqual([
      0,
      '',
      expect.objectContaining({ transports: ['http'], store: 'redis' }),
    ]);
    const files = readFiles(path.join(folder, 'demo'));
    const config = JSON.parse(files.get('mcpgen.config.json') ?? '') as { emit: string[] };
    expect(config.emit).toEqual(['default', 'registry', 'http-server', 'http-node', 'http-redis']);
    const { dependencies } = JSON.parse(files.get('package.json') ?? '') as { dependencies: object };
    expect(dependencies).toEqual({ redis: expect.stringMatching(/^\^\d/) as unknown });
    const added = [
      'Caddyfile',
      'Dockerfile',
      '.dockerignore',
      'compose.yaml',
      'kubernetes/deployment.yaml',
      'src/store.ts',
    ];
    expect(added.filter((name) => !files.has(name))).toEqual([]);
    expect(files.has('src/generated/runtime/http-redis.ts')).toBe(true);
  });
});

describe('carrying messages (case 101)', () => {
  const V1 = { '@modelcontextprotocol/sdk': expect.stringMatching(/^\^1\./) as unknown };

  test('by the transports of the official SDK 2.x', async () => {
    const { files } = await initWithRuntime('server', 'sdk-v2');
    expect(dependenciesOf(files)).toEqual({
      '@modelcontextprotocol/server': expect.stringMatching(/^\^2\./) as unknown,
    });
    expect(files.get('src/index.ts')).toContain('from "@modelcontextprotocol/server/stdio"');
    expect(files.has('src/generated/runtime/stdio-server.ts')).toBe(false);
  });

  test('by the transports of the official SDK 1.x', async () => {
    const both = ['--transport', 'stdio,http'];
    const { files: server, stdout } = await initWithRuntime('server', 'sdk-v1', ...both, '-r', '2026-07-28');
    expect(stdout).toContain('over HTTP only the revisions that begin with `initialize`');
    expect(dependenciesOf(server)).toEqual(V1);
    expect(server.get('src/index.ts')).toContain('from "@modelcontextprotocol/sdk/server/stdio.js"');
    expect(server.get('src/listen.ts')).toContain('from "@modelcontextprotocol/sdk/server/streamableHttp.js"');
    expect(server.has('src/generated/runtime/stdio-server.ts')).toBe(false);
    const { files: client, stdout: told } = await initWithRuntime('client', 'sdk-v1', ...both);
    expect(told).not.toContain('over HTTP only');
    expect(dependenciesOf(client)).toEqual(V1);
    expect(client.get('src/transport.ts')).toContain('from "@modelcontextprotocol/sdk/client/stdio.js"');
    expect(client.get('src/transport.ts')).toContain('from "@modelcontextprotocol/sdk/client/streamableHttp.js"');
  });
});
