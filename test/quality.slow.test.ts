import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

function run(...args: readonly string[]): { status: number | null; output: string } {
  const result = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status: result.status, output: result.stdout + result.stderr };
}

test('the compiler finds nothing', { timeout: 600_000 }, () => {
  expect(run('node_modules/typescript/bin/tsc', '-p', '.')).toEqual({ status: 0, output: '' });
});

// With types, it takes minutes.
test('ESLint finds nothing', { timeout: 600_000 }, () => {
  expect(run('node_modules/eslint/bin/eslint.js', '--max-warnings', '0', '.')).toEqual({ status: 0, output: '' });
});

test('Prettier finds nothing', () => {
  expect(run('node_modules/prettier/bin/prettier.cjs', '--check', '.').output).toContain(
    'All matched files use Prettier code style!',
  );
});
