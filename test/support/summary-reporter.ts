import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/**
 * Ends a run with one line of counts, after the reason of each skipped test.
 *
 * Where `MCPGEN_TEST_COUNTS` names a file, the counts are appended to it as a line of JSON, and the printed line begins with
 * "this run", so that only the total of several runs is a line of counts alone.
 */
export default class SummaryReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const reasons: string[] = [];
    for (const module of modules) {
      // A file that cannot be loaded has no tests to count, yet it failed.
      if (
        module.state() === 'failed' &&
        [...module.children.allTests()].every((test) => test.result().state !== 'failed')
      ) {
        counts.failed += 1;
      }
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed += 1;
        else if (state === 'failed') counts.failed += 1;
        else {
          counts.skipped += 1;
          reasons.push(`skipped: ${test.fullName}: ${reasonOf(test)}`);
        }
      }
    }
    counts.failed += errors.length;
    for (const reason of reasons) this.#vitest?.logger.log(reason);
    const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
    const line = `${counts.passed} passed, ${counts.failed} failed${skipped}`;
    const countsFile = process.env['MCPGEN_TEST_COUNTS'] ?? '';
    if (countsFile !== '') appendFileSync(countsFile, `${JSON.stringify(counts)}\n`);
    this.#vitest?.logger.log(`\n${countsFile === '' ? '' : 'this run: '}${line}`);
  }
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  return (result.state === 'skipped' ? result.note : undefined) ?? 'no reason given';
}
