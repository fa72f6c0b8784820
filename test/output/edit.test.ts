import { spawn } from 'node:child_process';
import fs, {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { writeChanges, writeFileAtomically } from '../../generator/output/write.js';
import { CLI, listFiles, plainEnvironment, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';

afterAll(removeTemporaryFolders);

const EDIT = { path: 'index.ts', status: 'stale', expected: 'new', actual: 'old', isEdit: true } as const;

describe('an edit of a file of the author', () => {
  test('keeps its permissions', () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'index.ts');
    writeFileSync(file, 'old');
    chmodSync(file, 0o640);
    writeChanges(folder, [EDIT]);
    expect(readFileSync(file, 'utf8')).toBe('new');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test('is rejected if the file has changed in the meantime', () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'index.ts'), 'of another run');
    const other = { path: 'tool.ts', status: 'missing', expected: 'tool', actual: undefined } as const;
    expect(() => {
      writeChanges(folder, [other, EDIT]);
    }).toThrow('the file has changed in the meantime');
    expect(listFiles(folder)).toEqual(['index.ts']);
    expect(readFileSync(path.join(folder, 'index.ts'), 'utf8')).toBe('of another run');
  });

  test('is rejected if the file is a symbolic link', () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'real.ts'), 'old');
    symlinkSync('real.ts', path.join(folder, 'index.ts'));
    expect(() => {
      writeChanges(folder, [EDIT]);
    }).toThrow('a symbolic link would be replaced');
    expect(listFiles(folder)).toEqual(['index.ts', 'real.ts']);
    expect(readFileSync(path.join(folder, 'real.ts'), 'utf8')).toBe('old');
  });
});

test('a report replaces the file that a symbolic link points to', () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'real.html'), 'old');
  symlinkSync('real.html', path.join(folder, 'link.html'));
  writeFileAtomically(path.join(folder, 'link.html'), 'new');
  expect(readFileSync(path.join(folder, 'real.html'), 'utf8')).toBe('new');
  expect(lstatSync(path.join(folder, 'link.html')).isSymbolicLink()).toBe(true);
});

test('a signal in the middle of writing counts when all is written', async (context) => {
  if (process.platform === 'win32') context.skip('there are no signals here');
  const folder = temporaryFolder();
  const program = path.join(folder, 'program.mjs');
  // The signal is sent by the program itself, between the files, where nobody could time it otherwise.
  writeFileSync(
    program,
    `import { writeChanges, writeFileAtomically } from ${JSON.stringify(path.join(path.dirname(CLI), 'output/write.js'))};
const change = (name, signal) => ({
  path: name, status: 'missing', actual: undefined,
  get expected() { if (signal) process.kill(process.pid, 'SIGTERM'); return name; },
});
writeChanges('out', [change('a.ts'), change('b.ts', true), change('c.ts')]);
setTimeout(() => console.log('still there'), 20_000);
`,
  );
  const child = spawn(process.execPath, [program], { cwd: folder, env: plainEnvironment(), stdio: 'ignore' });
  const signal = await new Promise((resolve) => {
    child.on('close', (_, by) => {
      resolve(by);
    });
  });
  expect(signal).toBe('SIGTERM');
  expect(existsSync(path.join(folder, 'out'))).toBe(true);
  expect(listFiles(path.join(folder, 'out'))).toEqual(['a.ts', 'b.ts', 'c.ts']);
});

describe('before they replace a file, contents are on the disk', () => {
  const folder = path.join(temporaryFolder(), 'flushed');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'old.txt'), 'old');
  const change = { path: 'old.txt', status: 'stale', expected: 'new', actual: 'old' } as const;

  /** How many files were flushed. */
  function flushesOf(write: () => void): number {
    const { fsyncSync } = fs;
    let count = 0;
    fs.fsyncSync = (handle) => {
      count += 1;
      fsyncSync(handle);
    };
    syncBuiltinESMExports();
    try {
      write();
    } finally {
      fs.fsyncSync = fsyncSync;
      syncBuiltinESMExports();
    }
    return count;
  }

  test('of an edit of an author', () => {
    expect(
      flushesOf(() => {
        writeChanges(folder, [{ ...change, isEdit: true }]);
      }),
    ).toBe(1);
  });

  test('of a file that is written alone', () => {
    expect(
      flushesOf(() => {
        writeFileAtomically(path.join(folder, 'old.txt'), 'old');
      }),
    ).toBe(1);
  });

  test('not of what can be generated again', () => {
    expect(
      flushesOf(() => {
        writeChanges(folder, [change]);
      }),
    ).toBe(0);
  });
});
