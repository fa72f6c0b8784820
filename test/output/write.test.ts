import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, test, type TestContext } from 'vitest';
import { builtinRevisions, check, DEFAULT_PARTS, generate } from '../../generator/index.js';
import { writeProject, writeFileAtomically } from '../../generator/output/write.js';
import { addHeader } from '../../generator/output/ownership.js';
import {
  CLI,
  readFiles,
  hashFolder,
  listFiles,
  plainEnvironment,
  removeTemporaryFolders,
  run,
  temporaryFolder,
  type Run,
} from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { catalogWith, errorOf, findInternals, schemaWith } from '../support/hostile.js';

const REVISION = '2024-11-05';
/** A small part of the output is enough where the subject is how it is written. */
const PARTS = ['types', 'errors'] as const;
const SMALL = { revisions: [REVISION], emit: PARTS } as const;
const ONE = ['generate', '--revision', REVISION] as const;
const BASE = [...ONE, '--emit', PARTS.join(',')] as const;
/** Files as an earlier run may have left them. */
const OLD_TYPES = addHeader(`${REVISION}/types.ts`, '// an old one\n');
const ORPHAN = addHeader(`${REVISION}/gone.ts`, '// an orphan\n');
const TYPES = [...ONE, '--emit', 'types'] as const;

const undo: (() => void)[] = [];
afterAll(() => {
  for (const action of undo.splice(0)) action();
  removeTemporaryFolders();
});

/** Checks the form of a refusal: exit code 2, nothing on standard output, one error with a remedy. */
function expectRefusal(result: Run, message: RegExp): void {
  expect(result.stderr).toMatch(message);
  expect(result.code).toBe(2);
  expect(result.stdout).toBe('');
  expect(findInternals(result.stderr)).toEqual([]);
  expect(result.stderr.trimEnd().split('\n')).toHaveLength(2);
}

/** Names of files that were being written when something stopped it. */
function leftovers(folder: string): readonly string[] {
  return listFiles(folder).filter((name) => name.includes('.mcpgen-tmp-'));
}

/** A folder with the files of a small part of the output. */
async function folderWith(emit: 'types' | 'errors'): Promise<string> {
  const out = path.join(temporaryFolder(), 'out');
  await generate({ out, revisions: [REVISION], emit: [emit] });
  return out;
}

describe('writing', () => {
  test('writes every file', async () => {
    const out = path.join(temporaryFolder(), 'a/b');
    const first = await mcpgen([...BASE, '--out', out]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const count = readFiles(out).size;
    expect(first.stdout).toContain(`${count} files in ${out}/: ${count} new`);
    expect(listFiles(out)).toContain(`${REVISION}/index.ts`);
    const second = await mcpgen([...BASE, '--out', out]);
    expect(second.stdout).toContain(`${count} files in ${out}/: ${count} unchanged`);
  });

  test('line ends that Git changed are no change', async () => {
    const out = await folderWith('types');
    for (const [name, text] of readFiles(out)) writeFileSync(path.join(out, name), text.replaceAll('\n', '\r\n'));
    expect((await check({ out, revisions: [REVISION], emit: ['types'] })).upToDate).toBe(true);
    const file = path.join(out, REVISION, 'types.ts');
    writeFileSync(file, readFileSync(file, 'utf8').replace('assistant', 'helper'));
    expect((await check({ out, revisions: [REVISION], emit: ['types'] })).upToDate).toBe(false);
  });

  test('a file keeps its permissions', async () => {
    const out = await folderWith('types');
    const file = path.join(out, REVISION, 'types.ts');
    writeFileSync(file, OLD_TYPES);
    chmodSync(file, 0o600);
    await generate({ out, revisions: [REVISION], emit: ['types'] });
    expect(readFileSync(file, 'utf8')).toContain('export type');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a name may be as long as the file system allows', () => {
    const file = path.join(temporaryFolder(), `${'n'.repeat(250)}.html`);
    writeFileAtomically(file, 'old');
    writeFileAtomically(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(listFiles(path.dirname(file))).toEqual([path.basename(file)]);
  });

  test('leaves what is up to date alone', async () => {
    const out = await folderWith('types');
    const old = new Date('2020-01-01');
    for (const name of readFiles(out).keys()) utimesSync(path.join(out, name), old, old);
    writeFileSync(path.join(out, REVISION, 'types.ts'), OLD_TYPES);
    const before = readFiles(out);
    const { changes } = await generate({ out, revisions: [REVISION], emit: ['types'] });
    expect(changes.filter((change) => change.status === 'stale').map((change) => change.path)).toEqual([
      `${REVISION}/types.ts`,
    ]);
    for (const name of before.keys()) {
      const written = name === `${REVISION}/types.ts`;
      expect(statSync(path.join(out, name)).mtime.getTime() > old.getTime(), name).toBe(written);
    }
  });

  test('--dry-run writes nothing', async () => {
    const out = path.join(temporaryFolder(), 'out');
    const fresh = await mcpgen([...BASE, '--out', out, '--dry-run']);
    expect(fresh.code).toBe(0);
    expect(fresh.stdout).toMatch(/\d+ to write; nothing was written/);
    expect(existsSync(out)).toBe(false);

    await generate({ ...SMALL, out });
    rmSync(path.join(out, REVISION, 'errors.ts'));
    writeFileSync(path.join(out, REVISION, 'types.ts'), OLD_TYPES);
    writeFileSync(path.join(out, REVISION, 'gone.ts'), ORPHAN);
    const before = hashFolder(out);
    const result = await mcpgen([...BASE, '--out', out, '--dry-run']);
    expect(result.code).toBe(0);
    expect(result.stdout).toContain(`would remove ${REVISION}/gone.ts`);
    expect(result.stdout).toMatch(/1 to write, 1 to update, 1 to remove, \d+ unchanged; nothing was written/);
    expect(hashFolder(out)).toBe(before);
  });

  test('an output folder that is a file is refused', async () => {
    const folder = temporaryFolder();
    const out = path.join(folder, 'file');
    writeFileSync(out, 'mine');
    for (const place of [out, path.join(out, 'below')]) {
      expectRefusal(await mcpgen([...BASE, '--out', place]), /file: not a folder but a file/);
    }
    expect(readFileSync(out, 'utf8')).toBe('mine');
  });

  test('refuses to replace a file of the user', async () => {
    const out = path.join(temporaryFolder(), 'out');
    mkdirSync(path.join(out, REVISION), { recursive: true });
    const mine = path.join(out, REVISION, 'types.ts');
    writeFileSync(mine, 'export type Mine = 1;\n');
    const before = hashFolder(out);
    for (const more of [[], ['--dry-run'], ['--check']]) {
      const result = await mcpgen([...BASE, '--out', out, ...more]);
      expectRefusal(result, /types\.ts: mcpgen did not generate this file, and does not overwrite it/);
    }
    expect(hashFolder(out)).toBe(before);
  });

  test('removes an unmodified orphan', async () => {
    const out = await folderWith('types');
    const bytes = addHeader(`${REVISION}/crlf.ts`, '// another\n// line\n').replaceAll('\n', '\r\n');
    writeFileSync(path.join(out, REVISION, 'gone.ts'), ORPHAN);
    writeFileSync(path.join(out, REVISION, 'crlf.ts'), `\ufeff${bytes}`);
    mkdirSync(path.join(out, '2020-01-01'));
    writeFileSync(path.join(out, '2020-01-01/gone.ts'), addHeader('2020-01-01/gone.ts', '// an orphan\n'));
    const result = await mcpgen([...TYPES, '--out', out]);
    expect(result.stdout).toContain(`removed ${REVISION}/gone.ts`);
    expect(result.stdout).toContain(`removed ${REVISION}/crlf.ts`);
    expect(listFiles(out)).toEqual([
      '2020-01-01',
      '2020-01-01/gone.ts',
      REVISION,
      `${REVISION}/index.ts`,
      `${REVISION}/types.ts`,
    ]);
  });

  test.each<[string, (types: string) => Record<string, string>]>([
    [
      'the words of our header alone',
      () => ({ 'gone.ts': '// @generated by mcpgen; edits are lost when it runs again.\n' }),
    ],
    ['a header with a made-up hash', () => ({ 'gone.ts': ORPHAN.replace(/[0-9a-f]{16}/, '0123456789abcdef') })],
    [
      'the header of another file',
      (types) => ({ 'mine.ts': `${types.split('\n')[0] ?? ''}\nexport const mine = 1;\n` }),
    ],
    ['a whole copy of another file', (types) => ({ 'copy.ts': types })],
    ['our header in the second line', () => ({ 'gone.ts': `\n${ORPHAN}` })],
    ['no header', () => ({ 'mine.ts': 'export const mine = 1;\n' })],
    ['another extension', () => ({ 'gone.md': ORPHAN })],
    ['a folder below', () => ({ 'below/gone.ts': ORPHAN })],
  ])('keeps a file of the user: %s', async (_, made) => {
    const out = await folderWith('types');
    const files = made(readFileSync(path.join(out, REVISION, 'types.ts'), 'utf8'));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(out, REVISION, name)), { recursive: true });
      writeFileSync(path.join(out, REVISION, name), text);
    }
    const before = hashFolder(out);
    await generate({ out, revisions: [REVISION], emit: ['types'] });
    expect(hashFolder(out)).toBe(before);
  });

  test('keeps an edited orphan', async () => {
    const out = await folderWith('types');
    writeFileSync(path.join(out, REVISION, 'gone.ts'), `${ORPHAN}export const mine = 1;\n`);
    const before = hashFolder(out);
    const result = await mcpgen([...TYPES, '--out', out]);
    expect(result.stdout).toContain(`kept ${REVISION}/gone.ts: edited since mcpgen wrote it`);
    expect((await mcpgen([...TYPES, '--out', out, '--check'])).code).toBe(0);
    expect(hashFolder(out)).toBe(before);
  });

  test('keeps shared files that nothing needs if one of them was edited', async () => {
    const out = temporaryFolder();
    await generate({ out, revisions: [REVISION], emit: ['guards'] });
    const [shared = ''] = listFiles(path.join(out, 'runtime'));
    appendFileSync(path.join(out, 'runtime', shared), 'export const mine = 1;\n');
    const before = listFiles(path.join(out, 'runtime'));
    await generate({ out, revisions: [REVISION], emit: ['types'] });
    expect(listFiles(path.join(out, 'runtime'))).toEqual(before);
  });

  test.each<[string, (types: string, index: string) => string]>([
    ['the words of our header alone', () => '// @generated by mcpgen; edits are lost when it runs again.\n'],
    ['the header of another file', (_, index) => `${index.split('\n')[0] ?? ''}\nexport type Mine = 1;\n`],
  ])('refuses to overwrite a file of the user: %s', async (_, made) => {
    const out = await folderWith('types');
    const [types, index] = ['types.ts', 'index.ts'].map((name) => readFileSync(path.join(out, REVISION, name), 'utf8'));
    writeFileSync(path.join(out, REVISION, 'types.ts'), made(types ?? '', index ?? ''));
    const before = hashFolder(out);
    expectRefusal(await mcpgen([...TYPES, '--out', out]), /types\.ts: mcpgen did not generate this file/);
    expect(hashFolder(out)).toBe(before);
  });

  test('overwrites an edited file with its own header', async () => {
    const out = await folderWith('types');
    const before = [...readFiles(out)];
    appendFileSync(path.join(out, REVISION, 'types.ts'), 'export type Mine = 1;\n');
    await generate({ out, revisions: [REVISION], emit: ['types'] });
    expect([...readFiles(out)]).toEqual(before);
  });

  test('knows its files again when the output folder was moved', async () => {
    const out = await folderWith('types');
    const moved = path.join(temporaryFolder(), 'src');
    renameSync(out, moved);
    const { changes } = await generate({ out: moved, revisions: [REVISION], emit: ['errors'] });
    expect(changes.find(({ path: name }) => name === `${REVISION}/types.ts`)?.status).toBe('orphaned');
  });

  test('all released revisions are written by default', async () => {
    const cwd = temporaryFolder();
    const result = await mcpgen(['generate', '--emit', 'errors'], { cwd });
    expect(result.code).toBe(0);
    for (const { revision } of builtinRevisions()) {
      expect(listFiles(path.join(cwd, 'generated', revision))).toContain('index.ts');
      expect(result.stdout).toContain(revision);
    }
  });
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

describe('a run that is killed', () => {
  const ROUNDS = 8;
  const KILLED = { revisions: [REVISION], emit: ['methods', 'errors'] } as const;

  /** Starts a run and kills it at a random moment after it began to write. */
  const killedWhileWriting = async (out: string, args: readonly string[]): Promise<boolean> => {
    const child: ChildProcess = spawn(process.execPath, [CLI, ...args, '--out', out], {
      env: plainEnvironment(),
      stdio: 'ignore',
    });
    const watcher = watch(path.join(out, REVISION));
    const ended = new Promise<NodeJS.Signals | null>((resolve) =>
      child.on('close', (_, signal) => {
        resolve(signal);
      }),
    );
    watcher.once('change', () => {
      // A short busy wait: timers are too coarse for what takes a few milliseconds.
      const end = performance.now() + Math.random() * 12;
      while (performance.now() < end);
      child.kill('SIGKILL');
    });
    const signal = await ended;
    watcher.close();
    return signal === 'SIGKILL';
  };

  test('leaves no partial file', async () => {
    const variants = { js: new Map<string, string>(), ts: new Map<string, string>() };
    const reference = temporaryFolder();
    for (const extension of ['js', 'ts'] as const) {
      await generate({ ...KILLED, out: reference, importExtension: extension });
      for (const [name, text] of readFiles(reference)) variants[extension].set(name, text);
    }
    expect(variants.js.get(`${REVISION}/types.ts`)).not.toBe(variants.ts.get(`${REVISION}/types.ts`));
    const tally = { killed: 0, withLeftovers: 0, mixed: 0 };
    const lane = async (): Promise<void> => {
      const out = path.join(temporaryFolder(), 'out');
      await generate({ ...KILLED, out, importExtension: 'js' });
      for (let round = 0; round < ROUNDS; round += 1) {
        const extension = round % 2 === 0 ? 'ts' : 'js';
        if (await killedWhileWriting(out, [...ONE, '--emit', KILLED.emit.join(','), '--import-extension', extension]))
          tally.killed += 1;
        const left = leftovers(out);
        if (left.length > 0) tally.withLeftovers += 1;
        const states = new Set<string>();
        for (const [name, text] of readFiles(out)) {
          if (left.includes(name)) continue;
          const state = (['js', 'ts'] as const).filter((variant) => variants[variant].get(name) === text);
          expect(state, `${name} in round ${round} is neither old nor new`).not.toEqual([]);
          if (state.length === 1) states.add(state[0] ?? '');
        }
        if (states.size > 1) tally.mixed += 1;
        expect([...readFiles(out).keys()].filter((name) => !left.includes(name))).toEqual([...variants.js.keys()]);
        // What a check says of leftovers is nothing: they are not output.
        await generate({ ...KILLED, out, importExtension: extension });
        expect(leftovers(out)).toEqual([]);
        expect([...readFiles(out)]).toEqual([...variants[extension]]);
      }
    };
    await Promise.all([lane(), lane()]);
    expect(tally.killed).toBeGreaterThan(ROUNDS / 2);
    // At least some of the moments were in the middle of it.
    expect(tally.withLeftovers + tally.mixed).toBeGreaterThan(0);
  }, 120_000);

  test('keeps the temporary files of a running process', async () => {
    const out = await folderWith('types');
    const running = path.join(out, REVISION, `.mcpgen-tmp-${process.ppid}-types.ts`);
    const dead = path.join(out, REVISION, '.mcpgen-tmp-99999999-types.ts');
    for (const file of [running, dead]) writeFileSync(file, '// @generated by mcpgen; half of a file');
    const checked = await mcpgen([...TYPES, '--out', out, '--check']);
    expect(checked.code, checked.stdout).toBe(0);
    expect((await mcpgen([...TYPES, '--out', out])).code).toBe(0);
    expect(existsSync(running)).toBe(true);
    expect(existsSync(dead)).toBe(false);
  });
});

describe('a new project whose run is killed', () => {
  const WRITE = path.join(path.dirname(CLI), 'output/write.js');
  const KILLS = 15;
  const files = Array.from({ length: 40 }, (_, index) => ({
    path: `${['src', 'test', '.'][index % 3] ?? ''}/file-${index}.ts`,
    status: 'missing' as const,
    expected: `${index} `.repeat(5000),
    actual: undefined,
  }));
  const code = `import { writeProject } from ${JSON.stringify(WRITE)};
    const files = Array.from({ length: 40 }, (_, index) => ({
      path: \`\${['src', 'test', '.'][index % 3]}/file-\${index}.ts\`, status: 'missing', expected: \`\${index} \`.repeat(5000) }));
    writeProject(process.argv[1], files);`;

  /** Kills a run at a random moment after it began to write into a folder. */
  const kill = async (watched: string, target: string): Promise<boolean> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code, target], { stdio: 'ignore' });
    const watcher = watch(watched);
    const ended = new Promise<boolean>((resolve) =>
      child.on('close', (_, signal) => {
        resolve(signal === 'SIGKILL');
      }),
    );
    watcher.once('change', () => {
      const end = performance.now() + Math.random() * 8;
      while (performance.now() < end);
      child.kill('SIGKILL');
    });
    const isKilled = await ended;
    watcher.close();
    return isKilled;
  };

  test('is complete or absent', async () => {
    const parent = temporaryFolder();
    const target = path.join(parent, 'demo');
    const tally = { killed: 0, left: 0 };
    for (let round = 0; round < KILLS; round += 1) {
      if (await kill(parent, target)) tally.killed += 1;
      if (leftovers(parent).length > 0) tally.left += 1;
      if (existsSync(target)) expect(readFiles(target).size).toBe(files.length);
      rmSync(target, { recursive: true, force: true });
      writeProject(target, files);
      expect(listFiles(parent).filter((name) => !name.includes('/'))).toEqual(['demo']);
      rmSync(target, { recursive: true });
    }
    expect(tally.killed).toBeGreaterThan(KILLS / 2);
    expect(tally.left).toBeGreaterThan(0);
  });

  test('leaves an empty folder that was there without anything but leftovers', async () => {
    const target = temporaryFolder();
    for (let round = 0; round < 5; round += 1) {
      await kill(target, target);
      const own = listFiles(target).filter((name) => !name.startsWith('.mcpgen-tmp-'));
      // Else it was killed while it moved a complete project into place, or after that.
      if (own.length > 0 && !leftovers(target).some((name) => name.includes('-moving')))
        expect(readFiles(target).size).toBe(files.length);
      writeProject(target, files);
      expect(readFiles(target).size).toBe(files.length);
      expect(leftovers(target)).toEqual([]);
      for (const name of readdirSync(target)) rmSync(path.join(target, name), { recursive: true });
    }
  });

  test('is finished where it was killed while entries were moved into an existing folder', () => {
    const target = temporaryFolder();
    writeProject(target, files);
    const moving = path.join(target, '.mcpgen-tmp-99999999-moving');
    mkdirSync(moving);
    renameSync(path.join(target, 'test'), path.join(moving, 'test'));
    writeProject(target, files);
    expect([readFiles(target).size, leftovers(target)]).toEqual([files.length, []]);
  });

  test('keeps the files of a running process', () => {
    const parent = temporaryFolder();
    const names = [`.mcpgen-tmp-${process.ppid}-project`, '.mcpgen-tmp-notes', '.mcpgen-tmp-12'];
    for (const name of names) mkdirSync(path.join(parent, name));
    writeProject(path.join(parent, 'demo'), files);
    expect(readdirSync(parent).sort()).toEqual([...names, 'demo'].sort());
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
  test('reports every difference', async () => {
    const folder = temporaryFolder();
    const out = path.join(folder, "it's an out folder");
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'mcpgen'), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`, { mode: 0o755 });
    const args = ['-r', REVISION, '--import-extension', 'ts', '--no-errata', '--emit', 'methods,errors'];
    expect((await mcpgen(['generate', ...args, '-o', out])).code).toBe(0);
    const clean = await mcpgen(['generate', ...args, '-o', out, '--check']);
    expect(clean).toMatchObject({ code: 0, stderr: '' });
    expect(clean.stdout).toMatch(/all up to date/);

    const edited = path.join(out, REVISION, 'types.ts');
    writeFileSync(edited, readFileSync(edited, 'utf8').replace('export type Role =', 'export type Rolle ='));
    rmSync(path.join(out, REVISION, 'errors.ts'));
    writeFileSync(path.join(out, REVISION, 'gone.ts'), ORPHAN);
    writeFileSync(path.join(out, REVISION, 'mine.ts'), 'export {};\n');
    const before = hashFolder(folder);
    const found = await mcpgen(['generate', ...args, '-o', out, '--check']);
    expect(hashFolder(folder)).toBe(before);
    expect(found.code).toBe(1);
    expect(found.stderr).toBe('');
    const lines = found.stdout.trimEnd().split('\n');
    expect(lines.filter((line) => /^(?:stale|missing|orphaned)\b/.test(line))).toEqual([
      `stale     ${path.join(out, REVISION, 'types.ts')}`,
      `missing   ${path.join(out, REVISION, 'errors.ts')}`,
      `orphaned  ${path.join(out, REVISION, 'gone.ts')}`,
    ]);
    expect(lines.filter((line) => /^\s+[-+]export/.test(line)).map((line) => line.trim().slice(0, 19))).toEqual(
      ['-export type Rolle ', '+export type Role = '].map((line) => line.slice(0, 19)),
    );
    expect(lines.length, 'the diff is short').toBeLessThan(20);
    expect(found.stdout).toMatch(/3 of \d+ files not up to date\. To fix it:/);

    const command = (lines.at(-1) ?? '').trim();
    expect(command).toMatch(/^mcpgen generate /);
    const fixed = await run('sh', ['-c', command], {
      cwd: folder,
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` },
    });
    expect(fixed).toMatchObject({ code: 0, stderr: '' });
    expect(await mcpgen(['generate', ...args, '-o', out, '--check'])).toMatchObject({ code: 0 });
    expect(existsSync(path.join(out, REVISION, 'mine.ts'))).toBe(true);
  });

  test('names the command for a custom schema as well', async () => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'my schema.json'), JSON.stringify(schemaWith()));
    writeFileSync(path.join(cwd, 'catalog.json'), JSON.stringify(catalogWith()));
    const args = ['generate', '--schema', 'my schema.json', '--catalog', 'catalog.json', '--out', 'out'];
    const found = await mcpgen([...args, '--check'], { cwd });
    expect(found.code).toBe(1);
    const command = found.stdout.trimEnd().split('\n').at(-1)?.trim();
    expect(command).toBe("mcpgen generate --schema 'my schema.json' --catalog catalog.json --out out");
    expect(listFiles(cwd)).toEqual(['catalog.json', 'my schema.json']);
  });

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
        status: 'stale',
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

describe('--emit', () => {
  const imports = (text: string): readonly string[] =>
    [...text.matchAll(/ from ["']([^"']+)["']/g)].map((match) => match[1] ?? '');

  test.each(DEFAULT_PARTS.map((part) => [part]))('%s includes only what it needs', async (part) => {
    const out = temporaryFolder();
    await generate({ out, revisions: ['2025-11-25'], emit: [part], importExtension: 'ts' });
    const files = readFiles(out);
    expect(files.has(`2025-11-25/${part}.ts`)).toBe(true);
    const wanted = new Set([`2025-11-25/${part}.ts`, '2025-11-25/index.ts']);
    // What a user of client or server also needs: errors, transports, the codec.
    if (part === 'client' || part === 'server') wanted.add('runtime/index.ts');
    for (const [name, text] of files) {
      for (const from of imports(text)) {
        if (!from.startsWith('.')) continue;
        const target = path.posix.join(path.posix.dirname(name), from);
        expect(files.has(target), `${name} imports ${from}`).toBe(true);
        if (name !== '2025-11-25/index.ts') wanted.add(target);
      }
    }
    expect([...files.keys()].sort()).toEqual([...wanted].sort());
    // The index passes on just what is there.
    const index = imports(files.get('2025-11-25/index.ts') ?? '').map((from) => path.posix.join('2025-11-25', from));
    expect(index.filter((target) => !files.has(target))).toEqual([]);
    expect(index).toContain(`2025-11-25/${part}.ts`);
  });

  test('a smaller selection removes unused files', async () => {
    const out = temporaryFolder();
    await generate({ out, revisions: [REVISION] });
    const all = [...readFiles(out)];
    mkdirSync(path.join(out, REVISION), { recursive: true });
    const { changes } = await generate({ out, revisions: [REVISION], emit: ['types'] });
    expect(readdirSync(path.join(out, REVISION)).sort()).toEqual(['index.ts', 'types.ts']);
    expect(changes.filter((change) => change.status === 'orphaned').length).toBeGreaterThan(3);
    await generate({ out, revisions: [REVISION] });
    expect([...readFiles(out)]).toEqual(all);
  });

  test('a smaller selection of one revision keeps the files of others', async () => {
    const out = temporaryFolder();
    await generate({ out, revisions: [REVISION] });
    const all = [...readFiles(out)];
    const { changes } = await generate({ out, revisions: ['2025-11-25'], emit: ['types'] });
    expect(changes.filter((change) => change.status === 'orphaned')).toEqual([]);
    const now = readFiles(out);
    expect(all.map(([name]) => [name, now.get(name)])).toEqual(all);
    rmSync(path.join(out, REVISION), { recursive: true });
    writeFileSync(path.join(out, 'mine.ts'), 'import { text } from "./runtime/jsonrpc/scan.js";\n');
    await generate({ out, revisions: ['2025-11-25'], emit: ['types'] });
    expect(readFiles(out).has('runtime/jsonrpc/scan.ts')).toBe(true);
    rmSync(path.join(out, 'mine.ts'));
    await generate({ out, revisions: ['2025-11-25'], emit: ['types'] });
    expect([...readFiles(out).keys()].sort()).toEqual(['2025-11-25/index.ts', '2025-11-25/types.ts']);
  });

  test.each([
    ['are removed', {}, false],
    ['stay with a file that is not ours', { 'runtime/inner/theirs.ts': 'export {};\n' }, true],
  ])('unused runtime files in subfolders %s', async (_, theirs, stays) => {
    const out = temporaryFolder();
    await generate({ out, revisions: [REVISION], emit: ['validators'] });
    mkdirSync(path.join(out, 'runtime/inner/most'), { recursive: true });
    const nested = 'runtime/inner/most/ours.ts';
    writeFileSync(path.join(out, nested), addHeader(nested, 'export {};\n'));
    for (const [name, text] of Object.entries(theirs)) writeFileSync(path.join(out, name), text);
    const before = [...readFiles(out).keys()].filter((name) => name.startsWith('runtime/'));
    await generate({ out, revisions: [REVISION], emit: ['types'] });
    const after = [...readFiles(out).keys()].filter((name) => name.startsWith('runtime/'));
    expect(after).toEqual(stays ? before : []);
  });

  test('the order and repetition of parts only affect the command', async () => {
    const out = temporaryFolder();
    expect((await mcpgen([...ONE, '--emit', 'errors,types', '--out', path.join(out, 'a')])).code).toBe(0);
    expect((await mcpgen([...ONE, '--emit', 'types, errors,types', '--out', path.join(out, 'b')])).code).toBe(0);
    const strip = (folder: string): readonly (readonly [string, string])[] =>
      [...readFiles(path.join(out, folder))].map(
        ([name, text]) =>
          [name, text.replace(/, sha256:[0-9a-f]{16}/, '').replace(/^\/\/ Regenerate.*$/m, '')] as const,
      );
    expect(strip('a')).toEqual(strip('b'));
  });
});

describe('--import-extension', () => {
  test.each([
    ['js', /^\.\.?\/[\w/-]+\.js$/],
    ['ts', /^\.\.?\/[\w/-]+\.ts$/],
    ['none', /^\.\.?\/[\w/-]+$/],
  ] as const)('%s: every import ends so, and resolves', async (importExtension, form) => {
    const out = temporaryFolder();
    await generate({ out, revisions: [REVISION], importExtension });
    let count = 0;
    for (const [name, text] of readFiles(out)) {
      for (const { fileName } of ts.preProcessFile(text).importedFiles) {
        expect(fileName, name).toMatch(form);
        const target = path.join(out, path.dirname(name), fileName.replace(/\.[jt]s$/, ''));
        expect(existsSync(`${target}.ts`), `${name}: ${fileName}`).toBe(true);
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(5);
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
      /\.prettierrc\.json: the Prettier config .* cannot be used: .*JSON/,
    ],
    ['broken YAML', { '.prettierrc': 'semi: [' }, /\.prettierrc: the Prettier config .* cannot be used: YAML/],
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
