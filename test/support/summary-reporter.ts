import { appendFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { restingFiles } from './alternation.js';

/** Most characters of an error that the list of failures repeats. */
const MAX_MESSAGE_CHARACTERS = 300;

/**
 * Ends a run with one line of counts, after the reason of each skipped test and the files that rest today.
 *
 * Where `MCPGEN_TEST_COUNTS` names a file, the counts and the failures are appended to it as a line of JSON, and the printed line begins with
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
    const failures: string[] = [];
    const addFailure = (place: string, errors: readonly unknown[]): void => {
      counts.failed += 1;
      failures.push(`${place}: ${messageOf(errors[0])}`);
    };
    for (const module of modules) {
      // A file that cannot be loaded has no tests to count, yet it failed.
      if (
        module.state() === 'failed' &&
        [...module.children.allTests()].every((test) => test.result().state !== 'failed')
      ) {
        addFailure(module.relativeModuleId, module.errors());
      }
      for (const test of module.children.allTests()) {
        const { state, errors: testErrors } = test.result();
        if (state === 'passed') counts.passed += 1;
        else if (state === 'failed') addFailure(`${module.relativeModuleId} > ${test.fullName}`, testErrors);
        else {
          counts.skipped += 1;
          reasons.push(`skipped: ${test.fullName}: ${reasonOf(test)}`);
        }
      }
    }
    for (const error of errors) addFailure('outside of tests', [error]);
    for (const reason of reasons) this.#vitest?.logger.log(reason);
    for (const file of restingFiles()) this.#vitest?.logger.log(`runs tomorrow: ${file} (MCPGEN_ALL=1 runs all)`);
    const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
    const line = `${counts.passed} passed, ${counts.failed} failed${skipped}`;
    const countsFile = process.env['MCPGEN_TEST_COUNTS'] ?? '';
    if (countsFile !== '') appendFileSync(countsFile, `${JSON.stringify({ ...counts, failures })}\n`);
    this.#vitest?.logger.log(`\n${countsFile === '' ? '' : 'this run: '}${line}`);
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Object && 'message' in error ? String(error.message) : String(error);
  return stripVTControlCharacters(message).replace(/\s+/g, ' ').slice(0, MAX_MESSAGE_CHARACTERS);
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  return (result.state === 'skipped' ? result.note : undefined) ?? 'no reason given';
}
