/** GitHub workflows, this repository's and the one that users copy: read as GitHub reads them, and our scripts run. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders } from './support/cli.js';
import { lintWorkflow } from './support/workflow-parser.js';
import { ROOT, RELEASE, SYNC, TEST, readText, readWorkflow, stepsOf } from './workflows-support.js';

afterAll(removeTemporaryFolders);
const FILES = readdirSync(path.join(ROOT, '.github/workflows')).map((name) => `.github/workflows/${name}`);

test('exist for tests, releases and the nightly sync', () => {
  expect(FILES.sort()).toEqual([RELEASE, SYNC, TEST]);
});

describe.each([...FILES, 'templates/workflows/sync.yml'])('%s', (file) => {
  const text = readText(file);

  test("GitHub's parser finds no fault", async () => {
    expect(await lintWorkflow(file, text)).toEqual([]);
    expect(await lintWorkflow(file, text.replace('runs-on:', 'run-on:'))).not.toEqual([]);
  });

  test('no script contains an expression', () => {
    for (const { run } of stepsOf(file)) expect(run ?? '').not.toContain('${{');
  });

  test('bash can read each script', () => {
    for (const { run } of stepsOf(file)) {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: run ?? '', encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    }
  });

  test('uses only versioned actions of GitHub', () => {
    for (const { uses } of stepsOf(file))
      expect(uses ?? 'actions/checkout@v1').toMatch(/^actions\/(?:checkout|setup-node)@v\d+$/);
  });

  test('runs only scripts that package.json has', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: object };
    const run = stepsOf(file).flatMap((step) => [
      ...(step.run ?? '').matchAll(/npm (?:run )?(test\b|(?<=run )[\w:]+)/g),
    ]);
    for (const [, script] of run) expect(Object.keys(scripts)).toContain(script);
  });
});

test('the tests run on each supported platform', () => {
  expect(readWorkflow(TEST).jobs['fast']?.strategy?.matrix).toEqual({
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [20, 22, 24],
  });
});

test('only the release has write permissions', () => {
  expect(readWorkflow(TEST).permissions).toEqual({ contents: 'read' });
  expect(readWorkflow(RELEASE).permissions).toEqual({});
  expect(readWorkflow(RELEASE).jobs['release']?.permissions).toEqual({ contents: 'write', 'id-token': 'write' });
  expect(readWorkflow(SYNC).permissions).toEqual({});
  expect(readWorkflow(SYNC).jobs['sync']?.permissions).toEqual({ contents: 'read', issues: 'write' });
});
