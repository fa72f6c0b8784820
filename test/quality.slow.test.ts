import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { itemsOf, shareOfToday, shareText } from './support/today.js';

const ROOT = path.resolve(import.meta.dirname, '..');
const FOLDERS = ['examples', 'generator', 'scripts', 'templates', 'test'];
/** With types, all files take minutes. */
const LINTED = shareOfToday(3);

function run(...args: readonly string[]): { status: number | null; output: string } {
  const result = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  return { status: result.status, output: result.stdout + result.stderr };
}

/** The sources that ESLint knows, as paths from the project's root. */
function sources(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file));
  return [...readdirSync(ROOT), ...FOLDERS.flatMap(below)]
    .filter((file) => /\.(?:ts|js|mjs)$/.test(file) && !file.includes('node_modules'))
    .sort();
}

// The compiler of TypeScript 7 takes a third of the time of 6, which builds the package and lints.
test('the compiler finds nothing', { timeout: 600_000 }, () => {
  expect(run('node_modules/typescript-7/bin/tsc', '-p', '.')).toEqual({ status: 0, output: '' });
});

test(`ESLint finds nothing: ${shareText(LINTED)}`, { timeout: 600_000 }, () => {
  const files = itemsOf(sources(), LINTED);
  expect(files.length).toBeGreaterThan(200);
  expect(run('node_modules/eslint/bin/eslint.js', '--max-warnings', '0', '--no-warn-ignored', ...files)).toEqual({
    status: 0,
    output: '',
  });
});

test('Prettier finds nothing', () => {
  expect(run('node_modules/prettier/bin/prettier.cjs', '--check', '.').output).toContain(
    'All matched files use Prettier code style!',
  );
});
