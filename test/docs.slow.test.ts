import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('docs/api.md is what the doc comments say', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/docs-api.mjs', '--check'], {
    encoding: 'utf8',
  });
  // Prints what to do if it is not.
  expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
});
