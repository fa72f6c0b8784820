import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { EVERY_DAY, restingFiles, slowFiles } from './support/alternation.js';
import { removeTemporaryFolders, run, temporaryFolder, type Run } from './support/cli.js';

const ROOT = path.resolve(import.meta.dirname, '..');

afterAll(removeTemporaryFolders);

/** What a tier does in place of `npm ci`, `npm test` or `npm run test:slow`: the counts that it leaves, and its exit code. */
interface Step {
  readonly counts?: {
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    readonly failures: readonly string[];
  };
  readonly code?: number;
}

/** Runs `.ci/run` in a temporary folder, with a fake `npm` that does what each step says. */
async function ci(steps: { readonly ci?: Step; readonly test: Step; readonly slow: Step }): Promise<Run> {
  const folder = temporaryFolder();
  for (const name of ['.ci/run', 'scripts/total-counts.mjs']) cpSync(path.join(ROOT, name), path.join(folder, name));
  const commandOf = ({ counts, code = 0 }: Step): string =>
    `${counts === undefined ? '' : `echo '${JSON.stringify(counts)}' >>"$MCPGEN_TEST_COUNTS"; `}exit ${code} ;;`;
  const npm = `#!/bin/sh
echo "npm $*" >>calls
case "$*" in
  ci) ${commandOf(steps.ci ?? {})}
  test) ${commandOf(steps.test)}
  'run test:slow') ${commandOf(steps.slow)}
esac
exit 99
`;
  mkdirSync(path.join(folder, 'bin'));
  for (const [name, text] of Object.entries({ npm, 'apt-get': '#!/bin/sh\n' })) {
    writeFileSync(path.join(folder, 'bin', name), text);
    chmodSync(path.join(folder, 'bin', name), 0o755);
  }
  const PATH = `${path.join(folder, 'bin')}${path.delimiter}${process.env['PATH'] ?? ''}`;
  const result = await run('bash', [path.join(folder, '.ci/run')], { cwd: ROOT, env: { PATH } });
  expect(readFileSync(path.join(folder, 'calls'), 'utf8')).toContain('npm run test:slow\n');
  return result;
}

const PASSED = { counts: { passed: 40, failed: 0, skipped: 0, failures: [] } };
const FAILED = { counts: { passed: 2, failed: 3, skipped: 0, failures: ['a: x', 'b: y', 'c: z'] }, code: 1 };

describe('.ci/run', () => {
  test.each<[string, Parameters<typeof ci>[0], string, number]>([
    ['adds up both tiers', { test: PASSED, slow: PASSED }, '80 passed, 0 failed', 0],
    [
      'adds up skipped tests',
      {
        test: { counts: { passed: 1, failed: 0, skipped: 2, failures: [] } },
        slow: { counts: { passed: 1, failed: 0, skipped: 3, failures: [] } },
      },
      '2 passed, 0 failed, 5 skipped',
      0,
    ],
    ['fails if a fast test fails, and runs the slow tier', { test: FAILED, slow: PASSED }, '42 passed, 3 failed', 1],
    ['fails if a slow test fails', { test: PASSED, slow: FAILED }, '42 passed, 3 failed', 1],
    ['adds up the failures of both tiers', { test: FAILED, slow: FAILED }, '4 passed, 6 failed', 1],
    ['fails if the install fails', { ci: { code: 1 }, test: PASSED, slow: PASSED }, '40 passed, 1 failed', 1],
    ['counts a tier without counts as a failure', { test: { code: 1 }, slow: PASSED }, '40 passed, 1 failed', 1],
    ['does so if that tier exits with 0', { test: PASSED, slow: {} }, '40 passed, 1 failed', 1],
    [
      'counts a tier that fails without a failed test',
      { test: { ...PASSED, code: 1 }, slow: PASSED },
      '80 passed, 1 failed',
      1,
    ],
  ])('%s', async (_title, steps, line, code) => {
    const result = await ci(steps);
    expect(result.stderr).toBe('');
    expect(result.stdout.trimEnd().split('\n').at(-1)).toBe(line);
    expect(result.code).toBe(code);
    expect(result.stdout.match(/^\d+ passed/gm)).toHaveLength(1);
  });
});

test('.ci/run lists the failures of both tiers at its end', async () => {
  const { stdout } = await ci({ test: FAILED, slow: FAILED });
  const three = 'failed: a: x\nfailed: b: y\nfailed: c: z\n';
  expect(stdout).toBe(`${three}${three}\n4 passed, 6 failed\n`);
});

describe('slow files that rest', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  function restingOn(day: string): readonly string[] {
    vi.stubEnv('MCPGEN_ALL', undefined);
    vi.stubEnv('MCPGEN_ALTERNATE', '1');
    vi.stubEnv('MCPGEN_DAY', day);
    return restingFiles();
  }

  test('each file runs on one of two days, and some on both', () => {
    const [first, second] = [restingOn('2026-12-01'), restingOn('2026-12-02')];
    expect([...first, ...second].sort()).toEqual(slowFiles().filter((file) => !EVERY_DAY.has(file)));
    expect(Math.min(first.length, second.length)).toBeGreaterThan(slowFiles().length / 3);
    expect(restingOn('2026-12-03')).toEqual(first);
  });

  test('the files that run every day exist', () => {
    expect(slowFiles()).toEqual(expect.arrayContaining([...EVERY_DAY]));
  });

  test('only .ci/run lets files rest', () => {
    vi.stubEnv('MCPGEN_ALTERNATE', undefined);
    expect(restingFiles()).toEqual([]);
    expect(readFileSync(path.join(ROOT, '.ci/run'), 'utf8')).toContain('MCPGEN_ALTERNATE=1 npm run test:slow');
  });
});

describe('the closing line of a run', () => {
  const folder = temporaryFolder();
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  const files = {
    'passes.test.mjs': `import { test } from 'vitest';
test('passes', () => {});
test('is skipped', (context) => context.skip('no network'));`,
    'fails.test.mjs': `import { expect, test } from 'vitest'; test('fails', () => { expect(1).toBe(2); });`,
    'breaks.test.mjs': `throw new Error('cannot be loaded');`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);

  async function vitest(env: Readonly<Record<string, string>>, ...filters: readonly string[]): Promise<Run> {
    const vitestFile = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
    const reporter = path.join(ROOT, 'test/support/summary-reporter.ts');
    const args = [vitestFile, 'run', '--root', folder, '--reporter', reporter, ...filters];
    return run(process.execPath, args, { cwd: folder, env });
  }

  test('prints the counts last', async () => {
    const { code, stdout } = await vitest({ MCPGEN_TEST_COUNTS: '' }, 'passes');
    expect([code, stdout]).toEqual([0, 'skipped: is skipped: no network\n\n1 passed, 0 failed, 1 skipped\n']);
  });

  test('counts a file that cannot be loaded as failed', async () => {
    const counts = path.join(folder, 'counts');
    const { code, stdout } = await vitest({ MCPGEN_TEST_COUNTS: counts });
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([1, 'this run: 1 passed, 2 failed, 1 skipped']);
    const { failures, ...totals } = JSON.parse(readFileSync(counts, 'utf8')) as { readonly failures: string[] };
    expect(totals).toEqual({ passed: 1, failed: 2, skipped: 1 });
    expect([...failures].sort()).toEqual([
      'breaks.test.mjs: cannot be loaded',
      'fails.test.mjs > fails: expected 1 to be 2 // Object.is equality',
    ]);
  });
});
