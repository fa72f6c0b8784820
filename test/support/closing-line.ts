import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Ends a run with one plain line of true counts, after the reason of each skipped test. */
export default class ClosingLine implements Reporter {
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
    this.#vitest?.logger.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`);
  }
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  return (result.state === 'skipped' ? result.note : undefined) ?? 'no reason given';
}
