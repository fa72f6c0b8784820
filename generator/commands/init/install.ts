import { spawn } from 'node:child_process';
import { installArguments } from '../../scaffold/project/package-manager.js';
import type { PackageManager, Selection } from '../../scaffold/project/selection.js';
import { printToStderr, showProgress } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';

/** Creates a repository, unless one exists or Git is missing. Returns whether it did. */
export async function initGitRepository(folder: string): Promise<boolean> {
  const inside = await runProcess('git', ['rev-parse', '--is-inside-work-tree'], folder);
  if (inside.code === 0) return false;
  // The branch that the project's CI runs on. Git before 2.28 does not support the option.
  const named = await runProcess('git', ['init', '--quiet', '--initial-branch=main'], folder);
  return named.code === 0 || (await runProcess('git', ['init', '--quiet'], folder)).code === 0;
}

/** The version for `packageManager` in package.json; undefined for npm, and for a manager that is not installed. */
export async function packageManagerVersion(manager: PackageManager): Promise<string | undefined> {
  if (manager === 'npm') return undefined;
  const [, caller, called] = /^(\w+)\/(\S+)/.exec(process.env['npm_config_user_agent'] ?? '') ?? [];
  const version = caller === manager ? called : (await runProcess(manager, ['--version'], process.cwd())).output.trim();
  return version !== undefined && /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version) ? version : undefined;
}

/** Installs the project's dependencies. Returns the reason of a failure, else undefined. */
export async function installDependencies(selection: Selection, folder: string): Promise<string | undefined> {
  const manager = selection.packageManager;
  showProgress(`${manager} install ...`);
  const { code, output, error } = await runProcess(manager, installArguments(selection), folder);
  showProgress('');
  if (code === 0) return undefined;
  if (error !== undefined) return error;
  printToStderr(escapeHiddenLines(output));
  return `it exited with ${code === null ? 'a signal' : String(code)}`;
}

function escapeHiddenLines(output: string): string {
  return output.trimEnd().split('\n').slice(-20).map(escapeHiddenCharacters).join('\n');
}

interface ProcessResult {
  readonly code: number | null;
  /** Its output, from both streams. */
  readonly output: string;
  /** Why it could not be started. */
  readonly error?: string;
}

async function runProcess(command: string, args: readonly string[], cwd: string): Promise<ProcessResult> {
  return new Promise((resolve) => {
    // On Windows package managers are `.cmd` files, which need a shell; no argument is user input.
    const child = spawn(command, args, { cwd, shell: process.platform === 'win32', stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const appendOutput = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-20_000);
    };
    child.stdout.on('data', appendOutput);
    child.stderr.on('data', appendOutput);
    child.on('error', (error: NodeJS.ErrnoException) => {
      resolve({ code: null, output, error: error.code === 'ENOENT' ? `${command} is not installed` : error.message });
    });
    child.on('close', (code) => {
      resolve({ code, output });
    });
  });
}
