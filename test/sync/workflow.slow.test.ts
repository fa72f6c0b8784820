/** The GitHub workflow that syncs every night: read as GitHub reads it, and its scripts run against a stand-in for GitHub. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CLI, plainEnvironment, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { lintWorkflow } from '../support/workflow-parser.js';

afterAll(removeTemporaryFolders);

const FILE = path.resolve(import.meta.dirname, '../../templates/workflows/sync.yml');
const TEXT = readFileSync(FILE, 'utf8');

interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const WORKFLOW = parse(TEXT) as {
  readonly on: { readonly workflow_call: { readonly inputs: Readonly<Record<string, { readonly default: unknown }>> } };
  readonly permissions: unknown;
  readonly jobs: { readonly sync: { readonly steps: readonly Step[]; readonly permissions: unknown } };
};
const STEPS = WORKFLOW.jobs.sync.steps;

describe('as GitHub reads it', () => {
  test('the parser finds a misspelled function and a wrong type', async () => {
    const faults = async (content: string): Promise<readonly string[]> => lintWorkflow('sync.yml', content);
    expect(await faults(TEXT.replace("format('{0}',", "fromat('{0}',"))).not.toEqual([]);
    expect(await faults(TEXT.replace('type: boolean', 'type: bool'))).not.toEqual([]);
  });

  test('has minimal permissions', () => {
    expect(WORKFLOW.permissions).toEqual({});
    expect(WORKFLOW.jobs.sync.permissions).toEqual({ contents: 'write', 'pull-requests': 'write' });
  });

  test('a schedule uses the default inputs', () => {
    for (const [name, { default: value }] of Object.entries(WORKFLOW.on.workflow_call.inputs)) {
      if (typeof value === 'boolean') continue;
      const uses = [...TEXT.matchAll(new RegExp(`inputs\\.${name} \\|\\| '([^']*)'`, 'g'))].map(([, given]) => given);
      expect([name, [...new Set(uses)]]).toEqual([name, [value]]);
    }
  });
});

describe('its scripts', () => {
  const schema = (type: string): string =>
    JSON.stringify({
      $defs: {
        ClientRequest: { anyOf: [{ $ref: '#/$defs/AskRequest' }] },
        AskRequest: {
          type: 'object',
          properties: {
            id: { type: 'integer' },
            method: { const: 'ask' },
            params: { type: 'object', properties: { a: { type } } },
          },
          required: ['id', 'method'],
        },
        AskResult: { type: 'object', properties: {} },
      },
    });

  /** A project with a remote, and stand-ins for `gh`, `npm` and `npx`. */
  function project(): { folder: string; night: () => string; git: (...args: readonly string[]) => string } {
    const root = temporaryFolder();
    const [folder, remote, bin, temp] = ['project', 'remote.git', 'bin', 'temp'].map((name) => path.join(root, name));
    if (folder === undefined || remote === undefined || bin === undefined || temp === undefined)
      throw new Error('four');
    for (const name of [folder, bin, temp]) mkdirSync(name);
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    const script = (name: string, text: string): void => {
      writeFileSync(path.join(bin, name), `#!/usr/bin/env bash\n${text}\n`);
      chmodSync(path.join(bin, name), 0o755);
    };
    script('npm', 'exit 0');
    script('npx', `shift 2; exec "${process.execPath}" "${CLI}" "$@"`);
    script(
      'gh',
      `case "$1 $2" in
  "pr list") cat "${root}/number" 2> /dev/null || true ;;
  *) echo "$1 $2 $(cat "\${@: -1}")" >> "${root}/gh"; echo 7 > "${root}/number" ;;
esac`,
    );
    execFileSync('git', ['init', '--bare', '-b', 'main', remote], { stdio: 'ignore' });
    writeFileSync(path.join(folder, 'source.json'), schema('string'));
    writeFileSync(
      path.join(folder, 'mcpgen.config.json'),
      JSON.stringify({ sync: { '2030-01-01': { source: 'source.json' } } }),
    );
    execFileSync(process.execPath, [CLI, 'sync', '--update-pin'], { cwd: folder, stdio: 'ignore' });
    git('init', '-b', 'main');
    git('remote', 'add', 'origin', remote);
    git('add', '.');
    git('commit', '-m', 'First');
    const night = (): string => {
      git('checkout', '-B', 'main', 'main');
      const output = path.join(root, 'output');
      writeFileSync(output, '');
      for (const step of STEPS) {
        if (step.run === undefined || step.name === 'Bring generated files up to date') continue;
        const changed = readFileSync(output, 'utf8').includes('changed=true');
        if (step.if?.includes('changed') === true && !changed) continue;
        execFileSync('bash', ['-eo', 'pipefail', '-c', step.run], {
          cwd: folder,
          stdio: ['ignore', 'ignore', 'pipe'],
          env: plainEnvironment({
            PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}`,
            BRANCH: 'mcpgen-sync',
            OUT: 'schema',
            RUNNER_TEMP: temp,
            GITHUB_OUTPUT: output,
            GITHUB_STEP_SUMMARY: path.join(root, 'summary'),
          }),
        });
      }
      return readFileSync(output, 'utf8').trim();
    };
    return { folder, night, git };
  }

  test('open one pull request for a change', () => {
    const { folder, night, git } = project();
    const said = (): string => readFileSync(path.join(folder, '../gh'), 'utf8');
    expect(night()).toBe('changed=false');
    expect(git('ls-remote', 'origin')).toBe('');

    writeFileSync(path.join(folder, 'source.json'), schema('number'));
    git('commit', '-am', 'The source has changed');
    expect(night()).toBe('changed=true');
    expect(said()).toMatch(/^pr create \*\*2030-01-01\*\*: changed: 1 change, 1 breaking/);
    expect(said()).toContain('| `AskRequest.params.a` | type changed | `string` | `number` | breaks both');
    expect(git('ls-remote', 'origin')).toMatch(/refs\/heads\/mcpgen-sync\n$/);
    expect(git('show', '--name-only', '--format=', 'mcpgen-sync').trim().split('\n')).toEqual([
      'mcpgen.config.json',
      'schema/2030-01-01/schema.json',
      'schema/manifest.json',
    ]);
    expect(readFileSync(path.join(folder, '../summary'), 'utf8')).toContain('AskRequest.params.a');

    git('checkout', 'main');
    writeFileSync(path.join(folder, 'source.json'), schema('boolean'));
    git('commit', '-am', 'The source has changed again');
    expect(night()).toBe('changed=true');
    expect(said()).toMatch(/\npr edit \*\*2030-01-01\*\*/);
  });
});
