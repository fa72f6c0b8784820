import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type Run } from './support/cli.js';
import { findInternals } from './support/hostile.js';

/** One clear message, exit code 2, no stack trace, nothing that steers a terminal, and no output. */
export function expectRefused(result: Run, text: string, cwd: string): void {
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain(text);
  expect(result.stderr.match(/^error: /gm)).toHaveLength(1);
  expect(findInternals(result.stderr)).toEqual([]);
  expect(existsSync(path.join(cwd, 'out'))).toBe(false);
}
