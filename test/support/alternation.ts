import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { runsAll, today } from './today.js';

/** Slow tests that every run has: what a user meets first. */
export const EVERY_DAY: ReadonlySet<string> = new Set([
  'test/cli.slow.test.ts',
  'test/compile/type-errors.slow.test.ts',
  'test/conformance/server.slow.test.ts',
  'test/docs.slow.test.ts',
  'test/output/write.slow.test.ts',
  'test/package.slow.test.ts',
  'test/quality.slow.test.ts',
  'test/readme.slow.test.ts',
]);

/** The byte of the hash with which both days take about as long. */
const BALANCED_BYTE = 7;

/**
 * The slow files that rest today where `MCPGEN_ALTERNATE=1`, as for `.ci/run`: two days run all files. Which day a file has
 * depends on its name alone, so that a new file changes nothing for the others.
 */
export function restingFiles(): readonly string[] {
  if (runsAll() || process.env['MCPGEN_ALTERNATE'] !== '1') return [];
  return slowFiles().filter((file) => !EVERY_DAY.has(file) && dayOf(file) !== today() % 2);
}

/** All slow files, as paths from the project's root. */
export function slowFiles(): readonly string[] {
  const root = path.resolve(import.meta.dirname, '../..');
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.slow.test.ts'))
    .map((name) => path.posix.join('test', name.replaceAll('\\', '/')))
    .sort();
}

/** 0 or 1: whether its days are even or odd, counted from 1970. */
function dayOf(file: string): number {
  return (createHash('sha256').update(file).digest()[BALANCED_BYTE] ?? 0) % 2;
}
