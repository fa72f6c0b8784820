import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readFiles, listFiles, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { QUICK, dependenciesOf, init, initWithRuntime } from './init-support.js';

afterAll(removeTemporaryFolders);

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
});

describe('carrying messages (case 101)', () => {
  test('with the generated runtime', async () => {
    const { files } = await initWithRuntime('server', 'none');
    expect(dependenciesOf(files)).toBeUndefined();
    expect(files.get('src/index.ts')).toContain('stdioServerTransport');
  });
});
