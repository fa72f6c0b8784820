import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test, type TestContext } from 'vitest';
import { check, generate } from '../../generator/index.js';
import {
  CLI,
  leftovers,
  readFiles,
  hashFolder,
  listFiles,
  removeTemporaryFolders,
  run,
  temporaryFolder,
} from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { errorOf } from '../support/hostile.js';
import { REVISION, SMALL, ONE, BASE, OLD_TYPES, ORPHAN, TYPES, expectRefusal, folderWith } from './write-support.js';

const undo: (() => void)[] = [];
afterAll(() => {
  for (const action of undo.splice(0)) action();
  removeTemporaryFolders();
});

describe('a disk that cannot be written', () => {
  /** Mounts something for one test, or skips the test with the reason why that cannot be done here. */
  const mounted = (context: TestContext, folder: string, ...args: readonly string[]): void => {
    const { status, stderr, error } = spawnSync('mount', args, { encoding: 'utf8' });
    const why = error?.message ?? stderr.trim().split('\n')[0] ?? '';
    context.skip(status !== 0, `nothing can be mounted here: ${why}`);
    undo.push(() => spawnSync('umount', ['--lazy', folder]));
  };

  test('full: keeps the previous output', async (context) => {
    const disk = temporaryFolder();
    mounted(context, disk, '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk);
    const out = path.join(disk, 'out');
    const parts = { revisions: [REVISION], emit: ['methods', 'errors'] } as const;
    await generate({ ...parts, out, importExtension: 'ts' });
    const before = [...readFiles(out)];
    const filler = path.join(disk, 'filler');
    const more = ['--emit', parts.emit.join(','), '--out', out];
    // Room for none of the new files, then for some of them; the second revision has no folder yet.
    for (const [kilobytes, revision] of [
      [4, REVISION],
      [44, REVISION],
      [60, '2025-11-25'],
    ] as const) {
      rmSync(filler, { force: true });
      const { stdout } = spawnSync('stat', ['-f', '-c', '%a', disk], { encoding: 'utf8' });
      writeFileSync(filler, Buffer.alloc((Number(stdout) - kilobytes / 4) * 4096));
      expectRefusal(await mcpgen(['generate', '-r', revision, ...more]), /not written: the disk is full/);
      expect(listFiles(disk)).toEqual(['filler', 'out', ...listFiles(out).map((name) => `out/${name}`)].sort());
      expect([...readFiles(out)]).toEqual(before);
    }
    rmSync(filler);
    expect((await mcpgen([...ONE, ...more])).code).toBe(0);
    expect((await check({ ...parts, out })).upToDate).toBe(true);
  });

  test('files limited in size: the same', async () => {
    const out = await folderWith('types');
    writeFileSync(path.join(out, REVISION, 'types.ts'), OLD_TYPES);
    const before = [...readFiles(out)];
    const command = `ulimit -f 8 && exec "$0" "$@"`;
    const result = await run('bash', ['-c', command, process.execPath, CLI, ...TYPES, '--out', out]);
    // The signal for this ends a process that does not handle it; Node leaves it to the write to fail.
    if (result.code !== null && result.code < 128) expectRefusal(result, /not written: a file would be larger/);
    expect([...readFiles(out)].filter(([name]) => !name.includes('.mcpgen-tmp-'))).toEqual(before);
    expect((await mcpgen([...TYPES, '--out', out])).code).toBe(0);
    expect(leftovers(out)).toEqual([]);
  });

  test('read-only: keeps the previous output', async (context) => {
    const disk = await folderWith('types');
    writeFileSync(path.join(disk, REVISION, 'types.ts'), OLD_TYPES);
    if (process.getuid?.() === 0) {
      mounted(context, disk, '--bind', disk, disk);
      spawnSync('mount', ['-o', 'remount,ro,bind', disk]);
    } else {
      chmodSync(path.join(disk, REVISION), 0o555);
      undo.push(() => {
        chmodSync(path.join(disk, REVISION), 0o755);
      });
    }
    const before = hashFolder(disk);
    expectRefusal(await mcpgen([...BASE, '--out', disk]), /not written: (?:the disk is read-only|permission)/);
    expect(hashFolder(disk)).toBe(before);
    // Looking needs no permission to write.
    const checked = await mcpgen([...TYPES, '--out', disk, '--check']);
    expect(checked.code).toBe(1);
    expect((await mcpgen([...BASE, '--out', disk, '--dry-run'])).code).toBe(0);
  });

  test('rejects a pseudo file system', async (context) => {
    context.skip(!existsSync('/proc/self'), 'there is no /proc here');
    expectRefusal(await mcpgen([...BASE, '--out', '/proc/mcpgen']), /the folder cannot be created/);
  });
});

describe('two runs at the same time', () => {
  test('of the same command: both succeed', async () => {
    const out = path.join(temporaryFolder(), 'out');
    const runs = await Promise.all(Array.from({ length: 4 }, async () => mcpgen([...BASE, '--out', out])));
    for (const result of runs) expect(result).toMatchObject({ code: 0, stderr: '' });
    expect((await check({ ...SMALL, out })).upToDate).toBe(true);
    expect(leftovers(out)).toEqual([]);
  });

  test('of different kinds: every file is of the one or the other', async () => {
    const folder = temporaryFolder();
    const out = path.join(folder, 'out');
    const kinds = ['js', 'ts', 'none'] as const;
    const expected = await Promise.all(
      kinds.map(async (importExtension) => {
        const own = path.join(folder, importExtension);
        await generate({ ...SMALL, out: own, importExtension });
        return readFiles(own);
      }),
    );
    await generate({ ...SMALL, out });
    const runs = await Promise.all(
      kinds.map(async (kind) => mcpgen([...BASE, '--import-extension', kind, '--out', out])),
    );
    for (const result of runs) expect(result).toMatchObject({ code: 0, stderr: '' });
    for (const [name, text] of readFiles(out)) {
      expect(
        expected.some((files) => files.get(name) === text),
        name,
      ).toBe(true);
    }
    expect(leftovers(out)).toEqual([]);
  });
});

describe('--check', () => {
  test('shortens long differences', async () => {
    const out = await folderWith('types');
    const file = path.join(out, REVISION, 'types.ts');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `${text.split('\n').slice(0, 8).join('\n')}\n// ${'long '.repeat(200)}\n`);
    const found = await mcpgen([...TYPES, '--out', out, '--check']);
    expect(found.code).toBe(1);
    const lines = found.stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(20);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200);
    expect(found.stdout).toMatch(/\.\.\. \d+ more lines/);
  });

  test('gives all of it as JSON', async () => {
    const out = await folderWith('types');
    rmSync(path.join(out, REVISION, 'types.ts'));
    appendFileSync(path.join(out, REVISION, 'index.ts'), '// changed\n');
    const found = await mcpgen([...TYPES, '--out', out, '--check', '--json'], { env: { FORCE_COLOR: '1' } });
    expect(found.code).toBe(1);
    const result = JSON.parse(found.stdout) as { upToDate: boolean; files: unknown[]; fix: string };
    expect(result.upToDate).toBe(false);
    expect(result.files).toEqual([
      { path: `${REVISION}/types.ts`, status: 'missing', action: 'create' },
      {
        path: `${REVISION}/index.ts`,
        status: 'edited',
        action: 'update',
        diff: expect.stringMatching(/^@@ line \d+ @@\n-\/\/ changed$/) as unknown,
      },
    ]);
    expect(result.fix).toMatch(/^mcpgen generate /);
  });

  test('the API reports the same differences', async () => {
    const out = await folderWith('types');
    expect((await check({ out, revisions: [REVISION], emit: ['types'] })).upToDate).toBe(true);
    writeFileSync(path.join(out, REVISION, 'gone.ts'), ORPHAN);
    const before = hashFolder(out);
    const { upToDate, changes } = await check({ out, revisions: [REVISION], emit: ['types'] });
    expect(upToDate).toBe(false);
    expect(
      changes.filter((change) => change.status !== 'unchanged').map(({ path: name, status }) => [name, status]),
    ).toEqual([[`${REVISION}/gone.ts`, 'orphaned']]);
    expect(hashFolder(out)).toBe(before);
  });
});

describe('the nearest Prettier config', () => {
  const prepared = (config: Readonly<Record<string, string>>): string => {
    const folder = temporaryFolder();
    for (const [name, text] of Object.entries(config)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    return path.join(folder, 'out');
  };
  const laidOut = async (config: Readonly<Record<string, string>>): Promise<string> => {
    const out = prepared(config);
    await generate({ ...SMALL, out });
    expect((await check({ ...SMALL, out })).upToDate).toBe(true);
    const text = readFiles(out).get(`${REVISION}/types.ts`) ?? '';
    expect(text).toMatch(/^\/\/ @generated by mcpgen/);
    return text;
  };

  test('defaults to two spaces and double quotes', async () => {
    const text = await laidOut({ '.prettierrc': '{}' });
    expect(text).toMatch(/^export type Role = "assistant" \| "user";$/m);
    expect(text).toMatch(/^ {2}\w+\??: .*;$/m);
  });

  test('sets tabs and quotes', async () => {
    const text = await laidOut({ '.prettierrc': '{"useTabs":true,"semi":false,"singleQuote":true}' });
    expect(text).toMatch(/^export type Role = 'assistant' \| 'user'$/m);
    expect(text).toMatch(/^\t\w+\??: [^;]*$/m);
    expect(text).not.toMatch(/;$/m);
  });

  test('takes precedence over others', async () => {
    const text = await laidOut({
      '.prettierrc': '{"semi":false}',
      'out/.prettierrc.json': '{"overrides":[{"files":"types.ts","options":{"singleQuote":true}}]}',
    });
    expect(text).toMatch(/^export type Role = 'assistant' \| 'user';$/m);
  });

  test('may be a package.json key or an .editorconfig', async () => {
    const text = await laidOut({
      'package.json': '{"prettier":{"singleQuote":true}}',
      '.editorconfig': 'root = true\n[*]\nindent_style = tab\n',
    });
    expect(text).toMatch(/^export type Role = 'assistant' \| 'user';$/m);
    expect(text).toMatch(/^\t\w+/m);
  });

  test('line ends as it says', async () => {
    const text = await laidOut({ '.prettierrc': 'endOfLine: crlf\n' });
    expect(text).toMatch(/^export type Role = "assistant" \| "user";\r$/m);
  });

  test.each([
    '{"insertPragma":true}',
    '{"requirePragma":true}',
    '{"rangeStart":9,"rangeEnd":20}',
    '{"parser":"babel"}',
  ])('%s keeps neither our header from its place nor a file from being formatted', async (config) => {
    const plain = await laidOut({ '.prettierrc': '{}' });
    const text = await laidOut({ '.prettierrc': config });
    expect(text).toBe(plain);
  });

  test('an ignore file does not keep our own files from being formatted', async () => {
    const text = await laidOut({ '.prettierrc': '{"semi":false}', '.prettierignore': 'out\n' });
    expect(text).toMatch(/^export type Role = "assistant" \| "user"$/m);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'broken JSON',
      { '.prettierrc.json': '{"semi":' },
      /\.prettierrc\.json: the Prettier config cannot be used: .*JSON/,
    ],
    ['broken YAML', { '.prettierrc': 'semi: [' }, /\.prettierrc: the Prettier config cannot be used: YAML/],
    ['a wrong value', { '.prettierrc': '{"tabWidth":"many"}' }, /\.prettierrc: .*tabWidth.*"many"/],
    [
      'a plugin that is not there',
      { '.prettierrc': '{"plugins":["prettier-plugin-nowhere"]}' },
      /\.prettierrc: .*prettier-plugin-nowhere/,
    ],
    ['code that throws', { 'prettier.config.cjs': 'throw new Error("boom")' }, /prettier\.config\.cjs: .*boom/],
    ['no object', { 'prettier.config.cjs': 'module.exports = 5' }, /prettier\.config\.cjs: .*object/],
  ])('%s: rejected with the name of the config', async (_, config, message) => {
    const out = prepared(config);
    const fault = await errorOf(generate({ ...SMALL, out }));
    expect(`${fault.place}: ${fault.message}`).toMatch(message);
    expect(existsSync(out), 'something was written').toBe(false);
  });

  test('the command line tells a broken config as any other fault', async () => {
    const out = prepared({ '.prettierrc': '{"tabWidth":"many"}' });
    expectRefusal(await mcpgen([...TYPES, '--out', out]), /error: \S+\.prettierrc: .*tabWidth/);
  });
});
