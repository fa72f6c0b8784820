import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';

type Counts = Record<string, number>;
interface Stryker {
  currentTestId?: string | undefined;
  mutantCoverage?: { static: Counts; perTest: Record<string, Counts> };
}

// Stryker's instrumentation counts here which faults are reached. The files of a worker share the counts.
const stryker = ((globalThis as { __stryker__?: Stryker }).__stryker__ ??= {});
stryker.currentTestId = undefined;
const test = expect.getState().testPath ?? '';

beforeAll(() => {
  stryker.currentTestId = test;
});

/** Writes which faults of `npm run mutate:sample` a test file reaches. */
afterAll(() => {
  stryker.currentTestId = undefined;
  const { static: loading = {}, perTest = {} } = stryker.mutantCoverage ?? {};
  const name = `${path.relative('', test).replaceAll(path.sep, '+')}.json`;
  writeFileSync(
    path.join(process.env['MCPGEN_MUTANTS'] ?? '', 'coverage', name),
    JSON.stringify({ file: test, loading: Object.keys(loading), running: Object.keys(perTest[test] ?? {}) }),
  );
});
