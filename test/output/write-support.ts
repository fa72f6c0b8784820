import path from 'node:path';
import { expect } from 'vitest';
import { generate } from '../../generator/index.js';
import { addHeader } from '../../generator/output/ownership.js';
import { temporaryFolder, type Run } from '../support/cli.js';
import { findInternals } from '../support/hostile.js';

export const REVISION = '2024-11-05';
/** A small part of the output is enough where the subject is how it is written. */
export const PARTS = ['types', 'errors'] as const;
export const SMALL = { revisions: [REVISION], emit: PARTS } as const;
export const ONE = ['generate', '--revision', REVISION] as const;
export const BASE = [...ONE, '--emit', PARTS.join(',')] as const;
/** Files as an earlier run may have left them. */
export const OLD_TYPES = addHeader(`${REVISION}/types.ts`, '// an old one\n');
export const ORPHAN = addHeader(`${REVISION}/gone.ts`, '// an orphan\n');
export const TYPES = [...ONE, '--emit', 'types'] as const;

/** Checks the form of a refusal: exit code 2, nothing on standard output, one error with a remedy. */
export function expectRefusal(result: Run, message: RegExp): void {
  expect(result.stderr).toMatch(message);
  expect(result.code).toBe(2);
  expect(result.stdout).toBe('');
  expect(findInternals(result.stderr)).toEqual([]);
  expect(result.stderr.trimEnd().split('\n')).toHaveLength(2);
}

/** A folder with the files of a small part of the output. */
export async function folderWith(emit: 'types' | 'errors'): Promise<string> {
  const out = path.join(temporaryFolder(), 'out');
  await generate({ out, revisions: [REVISION], emit: [emit] });
  return out;
}
