import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { CLI, plainEnvironment } from '../support/cli.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** A choice of answers. */
export interface Choice {
  readonly kind: 'server' | 'client';
  readonly revisions: readonly string[];
  /** `none`, or names with commas. */
  readonly features: string;
  readonly transport: 'stdio' | 'http' | 'stdio,http';
  readonly runtime: 'none' | 'sdk' | 'sdk-v1';
}

export const ALL_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
export const ALL_FEATURES = {
  server: 'tools,resources,prompts,completion,logging,progress,elicitation,sampling,roots,app',
  client: 'sampling,roots,elicitation',
};

/** The name that a choice has in reports. */
export function titleOf({ kind, revisions, features, transport, runtime }: Choice): string {
  const all = features === ALL_FEATURES[kind] ? 'all features' : features;
  return [
    kind,
    revisions.length === ALL_REVISIONS.length ? 'all revisions' : revisions.join('+'),
    all,
    transport,
    runtime,
  ].join(' / ');
}

/**
 * Prepares a folder in which projects find the packages of this repository and mcpgen itself, as if each had installed
 * them: packages are found upwards.
 */
export function shareModules(folder: string): void {
  const shared = path.join(folder, 'node_modules');
  mkdirSync(path.join(shared, '.bin'), { recursive: true });
  const own = path.join(ROOT, 'node_modules');
  for (const name of readdirSync(own).filter((entry) => !entry.startsWith('.'))) {
    symlinkSync(path.join(own, name), path.join(shared, name));
  }
  for (const name of readdirSync(path.join(own, '.bin'))) {
    symlinkSync(path.join(own, '.bin', name), path.join(shared, '.bin', name));
  }
  symlinkSync(ROOT, path.join(shared, 'mcpgen'));
  if (!existsSync(path.join(shared, '.bin/mcpgen'))) symlinkSync(CLI, path.join(shared, '.bin/mcpgen'));
}

/** What a command wrote and how long it took. */
export interface StepResult {
  readonly command: string;
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
}

/** Runs a program in a folder, for at most five minutes. */
export async function runStep(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<StepResult> {
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1000;
  const command = [path.basename(program), ...args].join(' ');
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, {
      cwd,
      env: plainEnvironment({ CI: 'true', ...env }),
      timeout: 300_000,
      maxBuffer: 32 * 1024 * 1024,
    });
    return { command, code: 0, output: stdout + stderr, seconds: seconds() };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    const output = `${stdout}${stderr}` || String(error);
    return { command, code: typeof code === 'number' ? code : 1, output, seconds: seconds() };
  }
}

/** The flags that answer every question. */
export function initFlags({ revisions, features, transport, runtime }: Choice): readonly string[] {
  return [
    '--revision',
    revisions.join(','),
    '--features',
    features,
    '--transport',
    transport,
    '--runtime',
    runtime,
    '--package-manager',
    'npm',
  ];
}

/** Writes a project, without installing it; by the command line of this repository, or another. */
export async function scaffold(folder: string, name: string, choice: Choice, cli = CLI): Promise<StepResult> {
  const flags = [...initFlags(choice), '--no-install', '--no-git'];
  return runStep(process.execPath, [cli, 'init', choice.kind, name, ...flags], folder);
}

/** The scripts that have to pass in every project, as its author runs them. */
export const SCRIPTS = ['check', 'build', 'lint', 'test'] as const;

/** Runs scripts of a project one after the other, up to the first that fails. */
export async function runScripts(
  project: string,
  scripts: readonly string[] = SCRIPTS,
): Promise<readonly StepResult[]> {
  const steps: StepResult[] = [];
  for (const name of scripts) {
    const done = await runStep('npm', ['run', '--silent', name], project);
    steps.push(done);
    if (done.code !== 0) break;
  }
  return steps;
}
