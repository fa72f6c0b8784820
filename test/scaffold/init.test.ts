import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { installationSpec } from '../../generator/read/builtin/own-package.js';
import { readFiles, hashFolder, listFiles, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';

afterAll(removeTemporaryFolders);

/** One small revision and no installation: these tests are about the command, not about what it writes. */
const QUICK = ['--yes', '--no-install', '--no-git', '-r', '2024-11-05'];

const init = (cwd: string, ...args: readonly string[]) => mcpgen(['init', ...args], { cwd });

describe('without a terminal (case 097)', () => {
  test('--yes asks nothing', async () => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = await init(folder, 'server', 'demo', ...QUICK);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('cd demo && npm install');
    expect(listFiles(path.join(folder, 'demo'))).toEqual(
      expect.arrayContaining([
        '.github/workflows/ci.yml',
        '.gitignore',
        'README.md',
        'package.json',
        'src/tools/greet.ts',
      ]),
    );
  });

  test('every answer has a flag', async () => {
    const folder = temporaryFolder();
    const flags = '--features none --transport stdio --runtime none --package-manager pnpm --no-install --no-git';
    const run = await init(folder, 'client', 'demo', '-r', '2024-11-05', ...flags.split(' '));
    expect([run.code, run.stderr]).toEqual([0, '']);
  });

  test('rejects a missing answer with its flag', async () => {
    const folder = temporaryFolder();
    const { code, stderr } = await init(folder, 'server', 'demo', '--features', 'tools', '--transport', 'stdio');
    expect(code).toBe(2);
    expect(stderr).toContain('--revision, --runtime, --package-manager');
    expect(stderr).toContain('--yes');
    const nameless = await init(folder, 'client', '--yes');
    expect([nameless.code, nameless.stderr]).toEqual([2, expect.stringContaining('mcpgen init client NAME')]);
    expect(listFiles(folder)).toEqual([]);
  });

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
  const wrong: readonly (readonly [string, readonly string[], string])[] = [
    ['a path as a name', ['../x'], 'is not a valid package name'],
    ['an absolute name', ['/tmp/x'], 'is not a valid package name'],
    ['capital letters', ['Demo'], 'is not a valid package name'],
    ['a name of Node itself', ['http'], 'core module name'],
    ['a name that is taken by npm', ['node_modules'], 'is not a valid package name'],
    ['a scope without a name', ['@acme/'], 'is not a valid package name'],
    ['a path behind a scope', ['@acme/../../x'], 'is not a valid package name'],
    ['a name that steers a terminal', ['\u001b[2Jx'], 'is not a valid package name'],
    ['an empty name', [''], 'is not a valid package name'],
    ['an unknown feature', ['demo', '--features', 'tolls'], 'Did you mean tools? There are tools, resources, prompts,'],
    ['an unknown transport', ['demo', '--transport', 'carrier-pigeon'], 'There are stdio, http.'],
    ['an unknown revision', ['demo', '-r', '2025-01-01'], 'is not built in'],
    ['an unknown runtime', ['demo', '--runtime', 'v3'], 'There are none, sdk, sdk-v1.'],
    ['a misspelt runtime', ['demo', '--runtime', 'sdkv1'], 'Did you mean sdk-v1?'],
    ['an unknown package manager', ['demo', '--package-manager', 'pip'], 'Allowed choices are npm'],
    ['what the revision lacks', ['demo', '--features', 'elicitation'], 'revision 2024-11-05 has no elicitation'],
    ['completion of nothing', ['demo', '--features', 'completion'], 'Add prompts or resources.'],
    ['a second name', ['demo', 'other'], '--dir other'],
    ['an unknown store', ['demo', '--store', 'disk'], 'Allowed choices are memory, redis'],
    [
      'a store without sessions',
      ['demo', '--store', 'redis', '--transport', 'stdio'],
      'only servers over HTTP have sessions',
    ],
    ...['sdk', 'sdk-v1'].map(
      (runtime) =>
        [
          `a store for --runtime ${runtime}`,
          ['demo', '--store', 'redis', '--transport', 'http', '--runtime', runtime],
          `--store redis --runtime ${runtime}: the transports of the official SDK keep sessions in memory only`,
        ] as const,
    ),
  ];
  test.each(wrong)('%s', async (_, args, message) => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = await init(folder, 'server', ...QUICK, ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('\u001b');
    expect(listFiles(folder)).toEqual([]);
  });

  test("the official SDK's HTTP transport for a revision without sessions", async () => {
    const folder = temporaryFolder();
    const flags = ['--yes', '--no-install', '--no-git', '-r', '2026-07-28', '--transport', 'http', '--runtime'];
    for (const [kind, runtime, remedy] of [
      ['server', 'sdk', 'Use --runtime none, or'],
      ['server', 'sdk-v1', 'Use --runtime none, or'],
      ['client', 'sdk-v1', 'Use --runtime none or sdk, or'],
    ] as const) {
      const { code, stderr } = await init(folder, kind, 'demo', ...flags, runtime);
      expect([code, stderr]).toEqual([2, expect.stringContaining(remedy)]);
      expect(stderr).toContain(`--runtime ${runtime} --transport http`);
    }
    expect(listFiles(folder)).toEqual([]);
  });

  test('a file where the folder should be', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'demo'), 'mine');
    const { code, stderr } = await init(folder, 'server', 'demo', ...QUICK);
    expect([code, stderr]).toEqual([2, expect.stringContaining('not a folder but a file')]);
    expect(readFileSync(path.join(folder, 'demo'), 'utf8')).toBe('mine');
  });

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

  test.each([
    ['next to the folder', `${LEFT}-project/src/a.ts`],
    ['in the folder', `demo/${LEFT}-project/src/a.ts`],
    ['in the folder, of a file', `demo/${LEFT}-3`],
  ])('%s is removed', async (_, name) => {
    const folder = temporaryFolder();
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), 'half of a file');
    expect(await init(folder, 'server', 'demo', ...QUICK)).toMatchObject({ code: 0, stderr: '' });
    expect(listFiles(folder).filter((entry) => entry.includes('.mcpgen-tmp-'))).toEqual([]);
    expect(existsSync(path.join(folder, 'demo/package.json'))).toBe(true);
  });

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

  test('in a folder that has files too is no reason to write there', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, `demo/${LEFT}-project`), { recursive: true });
    writeFileSync(path.join(folder, 'demo/notes.txt'), 'mine');
    const { code, stderr } = await init(folder, 'server', 'demo', ...QUICK);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the folder is not empty: notes.txt\n')]);
  });
});

describe('--dry-run (case-133)', () => {
  test('lists the files without writing them', async () => {
    const folder = temporaryFolder();
    const dry = await init(folder, 'server', 'demo', '--yes', '--dry-run');
    expect([dry.code, dry.stderr, listFiles(folder)]).toEqual([0, '', []]);
    const would = dry.stdout.split('\n').flatMap((line) => /^would write (.*)$/.exec(line)?.[1] ?? []);
    expect(dry.stdout).toMatch(/\n\d+ files in demo\/: \d+ to write; nothing was written\n$/);
    await init(folder, 'server', 'demo', '--yes', '--no-install', '--no-git');
    expect(would.sort()).toEqual([...readFiles(path.join(folder, 'demo')).keys()]);
  });

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
  const written = async (
    kind: string,
    runtime: string,
    ...flags: string[]
  ): Promise<{ files: ReadonlyMap<string, string>; stdout: string }> => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = await init(folder, kind, 'demo', ...QUICK, '--runtime', runtime, ...flags);
    expect([code, stderr]).toEqual([0, '']);
    return { files: readFiles(path.join(folder, 'demo')), stdout };
  };
  const dependencies = (files: ReadonlyMap<string, string>): unknown =>
    (JSON.parse(files.get('package.json') ?? '') as { dependencies?: object }).dependencies;
  const V1 = { '@modelcontextprotocol/sdk': expect.stringMatching(/^\^1\./) as unknown };

  test('with the generated runtime', async () => {
    const { files } = await written('server', 'none');
    expect(dependencies(files)).toBeUndefined();
    expect(files.get('src/index.ts')).toContain('stdioServerTransport');
  });

  test('by the transports of the official SDK 2.x', async () => {
    const { files } = await written('server', 'sdk-v2');
    expect(dependencies(files)).toEqual({ '@modelcontextprotocol/server': expect.stringMatching(/^\^2\./) as unknown });
    expect(files.get('src/index.ts')).toContain('from "@modelcontextprotocol/server/stdio"');
    expect(files.has('src/generated/runtime/stdio-server.ts')).toBe(false);
  });

  test('by the transports of the official SDK 1.x', async () => {
    const both = ['--transport', 'stdio,http'];
    const { files: server, stdout } = await written('server', 'sdk-v1', ...both, '-r', '2026-07-28');
    expect(stdout).toContain('over HTTP only the revisions that begin with `initialize`');
    expect(dependencies(server)).toEqual(V1);
    expect(server.get('src/index.ts')).toContain('from "@modelcontextprotocol/sdk/server/stdio.js"');
    expect(server.get('src/listen.ts')).toContain('from "@modelcontextprotocol/sdk/server/streamableHttp.js"');
    expect(server.has('src/generated/runtime/stdio-server.ts')).toBe(false);
    const { files: client, stdout: told } = await written('client', 'sdk-v1', ...both);
    expect(told).not.toContain('over HTTP only');
    expect(dependencies(client)).toEqual(V1);
    expect(client.get('src/transport.ts')).toContain('from "@modelcontextprotocol/sdk/client/stdio.js"');
    expect(client.get('src/transport.ts')).toContain('from "@modelcontextprotocol/sdk/client/streamableHttp.js"');
  });
});
