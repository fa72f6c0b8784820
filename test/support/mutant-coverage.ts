import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';

/** Writes which faults of `npm run mutate:sample` a test file reaches. Stryker's instrumentation counts them. */
afterAll(() => {
  const { __stryker__: stryker } = globalThis as { __stryker__?: { mutantCoverage?: { static: object } } };
  const file = expect.getState().testPath ?? '';
  const name = `${path.relative('', file).replaceAll(path.sep, '+')}.json`;
  writeFileSync(
    path.join(process.env['MCPGEN_MUTANTS'] ?? '', 'coverage', name),
    JSON.stringify({ file, ids: Object.keys(stryker?.mutantCoverage?.static ?? {}) }),
  );
});
