/** GitHub workflows, this repository's and the one that users copy: read as GitHub reads them, and our scripts run. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { builtinRevisions } from '../generator/read/builtin/revisions.js';
import { plainEnvironment, removeTemporaryFolders, temporaryFolder, type Run } from './support/cli.js';
import { officialSchemas, requireReferenceMaterial } from './support/reference-material.js';
import { ROOT, RELEASE, SYNC, stepsOf } from './workflows-support.js';

afterAll(removeTemporaryFolders);

/** Runs the step of a workflow as GitHub does, with programs in `bin` before all others. */
function runStep(
  workflow: string,
  name: string,
  {
    cwd,
    env,
    bin = {},
  }: { cwd: string; env: Readonly<Record<string, string>>; bin?: Readonly<Record<string, string>> },
): Run & { readonly temp: string } {
  const script = stepsOf(workflow).find((step) => step.name === name)?.run;
  if (script === undefined) throw new Error(`no step ${name} in ${workflow}`);
  const temp = temporaryFolder();
  for (const [program, text] of Object.entries(bin)) {
    const file = path.join(temp, program);
    writeFileSync(file, `#!/usr/bin/env bash\n${text}\n`);
    chmodSync(file, 0o755);
  }
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    encoding: 'utf8',
    env: plainEnvironment({
      RUNNER_TEMP: temp,
      GITHUB_STEP_SUMMARY: path.join(temp, 'summary.md'),
      PATH: `${temp}:${process.env['PATH'] ?? ''}`,
      ...env,
    }),
  });
  return { code: status, stdout, stderr, temp };
}

describe('before a release', () => {
  function check(tag: string, changelog: string): Run & { readonly temp: string } {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'package.json'), '{ "version": "1.2.0" }');
    writeFileSync(path.join(cwd, 'CHANGELOG.md'), changelog);
    return runStep(RELEASE, 'Compare the tag with package.json and CHANGELOG.md', {
      cwd,
      env: { GITHUB_REF_NAME: tag },
    });
  }
  const CHANGELOG =
    '# Changelog\n\n## [Unreleased]\n\n- Later\n\n## [1.2.0] - 2027-01-02\n\n- New\n\n## [1.2.0-rc.1] - 2027-01-01\n\n- Old\n\n[1.2.0]: x\n';

  test('the notes are the section of the version', () => {
    const { code, temp } = check('v1.2.0', CHANGELOG);
    expect([code, readFileSync(path.join(temp, 'notes.md'), 'utf8').trim()]).toEqual([0, '- New']);
  });

  test('a tag of another version is refused', () => {
    const { code, stdout } = check('v1.2.1', CHANGELOG);
    expect([code, stdout]).toEqual([1, expect.stringContaining('The tag is v1.2.1, but the version is 1.2.0')]);
  });

  test('a version without a section is refused', () => {
    const { code, stdout } = check('v1.2.0', '# Changelog\n\n## [Unreleased]\n');
    expect([code, stdout]).toEqual([1, expect.stringContaining('There is no section for 1.2.0')]);
  });
});

describe('the nightly sync', () => {
  beforeEach(requireReferenceMaterial);

  /** A copy of the repository's schemas next to its program, compared with the official ones from local files. */
  function compare(prepare: (schema: string) => void, official: readonly string[]): Run & { readonly report: string } {
    const cwd = temporaryFolder();
    cpSync(path.join(ROOT, 'schema'), path.join(cwd, 'schema'), { recursive: true });
    mkdirSync(path.join(cwd, 'dist'));
    symlinkSync(path.join(ROOT, 'dist/generator'), path.join(cwd, 'dist/generator'));
    prepare(path.join(cwd, 'schema'));
    const source = officialSchemas;
    const { temp, ...run } = runStep(SYNC, 'Compare the built-in schemas', {
      cwd,
      env: {},
      bin: {
        node: `exec '${process.execPath}' "$@" --from '${source}'`,
        gh: `printf '%s\\n' draft ${official.join(' ')}`,
      },
    });
    return { ...run, report: readFileSync(path.join(temp, 'report.md'), 'utf8') };
  }
  const revisions = builtinRevisions().map(({ revision }) => revision);

  test('finds nothing where nothing has changed', () => {
    const { code, report, stderr } = compare(() => undefined, revisions);
    expect({ code, report, stderr }).toEqual({ code: 0, report: '', stderr: '' });
  });

  test('reports changes', () => {
    const { code, report } = compare(
      (schema) => {
        const file = path.join(schema, '2025-11-25/schema.json');
        writeFileSync(file, readFileSync(file, 'utf8').replace('"cursor"', '"courser"'));
      },
      [...revisions, '2027-03-01'],
    );
    expect(code).toBe(0);
    expect(report.match(/^# .*$/gm)).toEqual(['# 2025-11-25', '# 2027-03-01']);
    expect(report).toContain('courser');
  });

  test('updates one issue', () => {
    const cwd = temporaryFolder();
    const log = path.join(cwd, 'log');
    const run = (report: string, issue: string): void => {
      const { code } = runStep(SYNC, 'Open an issue or update it', {
        cwd,
        env: { LOG: log },
        bin: {
          'report.md': report,
          gh: `if [ "$2" = list ]; then echo '${issue}'; else echo "$1 $2 $3" >> "$LOG"; fi`,
        },
      });
      expect(code).toBe(0);
    };
    run('## 2025-11-25', '');
    run('## 2025-11-25', '7');
    expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual(['issue create --title', 'issue edit 7']);
  });

  test('opens none where there is nothing to report', () => {
    const { code } = runStep(SYNC, 'Open an issue or update it', {
      cwd: temporaryFolder(),
      env: {},
      bin: { gh: 'exit 1' },
    });
    expect(code).toBe(0);
  });
});
