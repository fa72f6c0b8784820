import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { itemsOf, shareOfToday, shareText } from './support/today.js';

const ROOT = path.resolve(import.meta.dirname, '..');
const FOLDERS = ['.github', 'docs', 'examples', 'generator', 'schema', 'scripts', 'templates', 'test'];
/** All files take minutes. */
const SHARE = shareOfToday(6);

function run(...args: readonly string[]): { status: number | null; output: string } {
  const result = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  return { status: result.status, output: result.stdout + result.stderr };
}

/** Today's files whose names end as given, as paths from the project's root. */
function filesOfToday(endings: RegExp): readonly string[] {
  const below = (folder: string): string[] =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file));
  const files = [...readdirSync(ROOT), ...FOLDERS.flatMap(below)];
  return itemsOf(files.filter((file) => endings.test(file) && !file.includes('node_modules')).sort(), SHARE);
}

// The compiler of TypeScript 7 takes a third of the time of 6, which builds the package and lints.
test('the compiler finds nothing', { timeout: 600_000 }, () => {
  // Several threads check some types more than once.
  expect(run('node_modules/typescript-7/bin/tsc', '--singleThreaded', '-p', '.')).toEqual({ status: 0, output: '' });
});

test(`ESLint finds nothing: ${shareText(SHARE)}`, { timeout: 600_000 }, () => {
  const files = filesOfToday(/\.(?:ts|js|mjs)$/);
  expect(files.length).toBeGreaterThan(100);
  expect(run('node_modules/eslint/bin/eslint.js', '--max-warnings', '0', '--no-warn-ignored', ...files)).toEqual({
    status: 0,
    output: '',
  });
});

// That what is generated is formatted is tested with the formatter of the output.
test(`Prettier finds nothing: ${shareText(SHARE)}`, () => {
  const files = filesOfToday(/\.(?:ts|js|mjs|json|md|yml|css|html)$/);
  expect(files.length).toBeGreaterThan(150);
  expect(run('node_modules/prettier/bin/prettier.cjs', '--check', ...files).output).toContain(
    'All matched files use Prettier code style!',
  );
});
