import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base from './vitest.config.js';

const [TEMPLATES, GENERATED] = ['templates', 'generated'].map(
  (name) => path.resolve(import.meta.dirname, name, 'runtime') + path.sep,
) as [string, string];

/** Faults are planted in the generated copy of the runtime, so tests that import the original get the copy. */
const generatedRuntime: Plugin = {
  name: 'generated-runtime',
  enforce: 'pre',
  async resolveId(source, importer) {
    const resolved = await this.resolve(source, importer, { skipSelf: true });
    if (resolved?.id.startsWith(TEMPLATES) !== true) return null;
    const id = GENERATED + resolved.id.slice(TEMPLATES.length);
    return existsSync(id) ? { ...resolved, id } : null;
  },
};

/** Stryker asks for threads, in which tests cannot change the current folder. */
const forks: Plugin = {
  name: 'forks',
  configureVitest({ project }) {
    project.config.pool = 'forks';
  },
};

const { MCPGEN_MUTANTS: mutants, MCPGEN_MUTANT_COVERAGE: coverage, MCPGEN_TEST_ORDER: order = '' } = process.env;

/** For `npm run mutate:sample`: sources in which faults can be switched on. */
const sampledFaults: Plugin = {
  name: 'sampled-faults',
  enforce: 'pre',
  load(id) {
    if (mutants === undefined) return null;
    const file = path.resolve(mutants, 'sources', path.relative(import.meta.dirname, id));
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  },
};

/** For `npm run mutate:sample`: test files in the given order. */
class GivenOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const names = order.split(',').map((name) => path.resolve(import.meta.dirname, name));
    return Promise.resolve(files.sort((a, b) => names.indexOf(a.moduleId) - names.indexOf(b.moduleId)));
  }
}

/** The fast tests that run the sources in this process: a fault in a source cannot reach what is built from it. */
export default defineConfig({
  ...base,
  plugins: [generatedRuntime, forks, sampledFaults],
  test: {
    ...base.test,
    include: ['test/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      '**/*.slow.test.ts',
      'test/{ci,cli,cli-completion,command-line,docs,quality,readme,workflows}.test.ts',
      'test/{examples,interop,scaffold,watch}/**',
      // This one compares with generated/, which Stryker changes.
      ...(mutants === undefined ? ['test/compile/**'] : []),
    ],
    ...(coverage === undefined ? {} : { setupFiles: ['test/support/mutant-coverage.ts'] }),
    ...(order === '' ? {} : { sequence: { sequencer: GivenOrder } }),
    // The run that finds what the tests reach has compiled the programs.
    globalSetup: order === '' ? ['test/support/programs.ts'] : [],
    reporters: ['default'],
    // What one file keeps in memory would hide a fault from the next one.
    isolate: true,
  },
});
