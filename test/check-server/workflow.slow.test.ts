/** The GitHub workflow that checks a server: read as GitHub reads it, and its script run on a server. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CLI, plainEnvironment, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { lintWorkflow } from '../support/workflow-parser.js';
import { gardenCommand } from './support.js';

afterAll(removeTemporaryFolders);

const FILE = path.resolve(import.meta.dirname, '../../templates/workflows/check-server.yml');
const TEXT = readFileSync(FILE, 'utf8');

interface Step {
  readonly name?: string;
  readonly run?: string;
}

const WORKFLOW = parse(TEXT) as {
  readonly permissions: unknown;
  readonly jobs: { readonly 'check-server': { readonly steps: readonly Step[]; readonly permissions: unknown } };
};

test('GitHub accepts it', async () => {
  expect(await lintWorkflow('check-server.yml', TEXT)).toEqual([]);
  expect(await lintWorkflow('check-server.yml', TEXT.replace('type: boolean', 'type: bool'))).not.toEqual([]);
});

test('has minimal permissions', () => {
  expect(WORKFLOW.permissions).toEqual({});
  expect(WORKFLOW.jobs['check-server'].permissions).toEqual({ contents: 'read', 'security-events': 'write' });
});

test.each([
  ['', 0],
  ['refuses-ping', 1],
] as const)(
  'its script writes the reports of a server%s and exits with %i',
  async (mutant, code) => {
    const folder = temporaryFolder();
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'npx'), `#!/usr/bin/env bash\nshift 2; exec "${process.execPath}" "${CLI}" "$@"\n`);
    chmodSync(path.join(bin, 'npx'), 0o755);
    const step = WORKFLOW.jobs['check-server'].steps.find(({ name }) => name === 'Check the server');
    const env = plainEnvironment({
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      RUNNER_TEMP: folder,
      SERVER: await gardenCommand(mutant),
      CALL: 'false',
      BASELINE: '',
      FAIL_ON: 'violation',
    });
    let exit = 0;
    try {
      execFileSync('bash', ['-eo', 'pipefail', '-c', step?.run ?? ''], { cwd: folder, env, stdio: 'ignore' });
    } catch (error) {
      exit = (error as { readonly status: number }).status;
    }
    const report = readFileSync(path.join(folder, 'mcpgen.md'), 'utf8');
    expect(exit, report).toBe(code);
    expect(report).toContain(code === 0 ? 'Nothing was found.' : 'ping-refused');
    for (const name of ['mcpgen.sarif', 'mcpgen.html']) expect(existsSync(path.join(folder, name))).toBe(true);
  },
  120_000,
);
