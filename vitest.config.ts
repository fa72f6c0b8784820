import os from 'node:os';
import path from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { restingFiles } from './test/support/alternation.js';
import SlowFirst from './test/support/slow-first.js';

/** `npm test` leaves the slow tests out. */
const IS_FAST_TIER = process.argv.includes('**/*.slow.test.ts');

export default defineConfig({
  resolve: {
    alias: [{ find: /^prettier$/, replacement: path.resolve(import.meta.dirname, 'test/support/prettier.ts') }],
  },
  test: {
    include: ['test/**/*.test.ts', 'templates/*/test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...restingFiles()],
    globalSetup: ['test/support/build-once.ts', 'test/support/programs.ts'],
    reporters: [process.env['CI'] ? 'dot' : 'default', './test/support/summary-reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Files share a worker and the modules in it: loading compiler and generator for each took over a second.
    isolate: false,
    // Vitest leaves one core to itself, though its main process is idle most of the time. Many fast tests wait, so one
    // more worker keeps the cores busy. Slow ones have many processes and time limits.
    maxWorkers: Math.max(2, os.availableParallelism()) + (IS_FAST_TIER ? 1 : 0),
    // Node loads generated JavaScript by itself: Vitest would transform each file of the runtime for each test.
    server: { deps: { external: [/\/mcpgen-test-.*\.js$/] } },
    sequence: { sequencer: SlowFirst },
  },
});
