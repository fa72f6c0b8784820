import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, watch } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { generate } from '../../generator/index.js';
import { writeProject } from '../../generator/output/write.js';
import {
  CLI,
  leftovers,
  readFiles,
  listFiles,
  plainEnvironment,
  removeTemporaryFolders,
  temporaryFolder,
} from '../support/cli.js';

const REVISION = '2024-11-05';
const ONE = ['generate', '--revision', REVISION] as const;

const undo: (() => void)[] = [];
afterAll(() => {
  for (const action of undo.splice(0)) action();
  removeTemporaryFolders();
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
