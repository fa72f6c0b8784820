import { spawn } from 'node:child_process';
import { installArguments } from '../scaffold/package-manager.js';
import type { PackageManager, Selection } from '../scaffold/selection.js';
import { note, progress } from '../terminal.js';
import { escapeHidden } from '../text.js';

/** Makes a repository, unless there is one already or Git is missing. Returns whether it did. */
export async function initGit(folder: string): Promise<boolean> {
  const inside = await spawned('git', ['rev-parse', '--is-inside-work-tree'], folder);
  if (inside.code === 0) return false;
  // The branch that the project's CI runs on. Git before 2.28 does not take the flag.
  const named = await spawned('git', ['init', '--quiet', '--initial-branch=main'], folder);
  return named.code === 0 || (await spawned('git', ['init', '--quiet'], folder)).code === 0;
}

/** The version to name in package.json, by which others get the same; npm does without, and what is not there has none. */
export async function versionOf(manager: PackageManager): Promise<string | undefined> {
  if (manager === 'npm') return undefined;
  const [, caller, called] = /^(\w+)\/(\S+)/.exec(process.env['npm_config_user_agent'] ?? '') ?? [];
  const version = caller === manager ? called : (await spawned(manager, ['--version'], process.cwd())).output.trim();
  return version !== undefined && /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version) ? version : undefined;
}

/** Installs what the project needs. Returns what went wrong; undefined if nothing did. */
export async function install(selection: Selection, folder: string): Promise<string | undefined> {
  const manager = selection.packageManager;
  progress(`${manager} install ...`);
  const { code, output, error } = await spawned(manager, installArguments(selection), folder);
  progress('');
  if (code === 0) return undefined;
  if (error !== undefined) return error;
  note(escapeHiddenLines(output));
  return `it exited with ${code === null ? 'a signal' : String(code)}`;
}

function escapeHiddenLines(output: string): string {
  return output.trimEnd().split('\n').slice(-20).map(escapeHidden).join('\n');
}

interface Spawned {
  readonly code: number | null;
  /** What it wrote to either stream. */
  readonly output: string;
  /** Why it did not run at all. */
  readonly error?: string;
}

async function spawned(command: string, args: readonly string[], cwd: string): Promise<Spawned> {
  return new Promise((resolve) => {
    // On Windows package managers are `.cmd` files, which only a shell runs; none of the words comes from outside.
    const child = spawn(command, args, { cwd, shell: process.platform === 'win32', stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error: NodeJS.ErrnoException) => {
      resolve({ code: null, output, error: error.code === 'ENOENT' ? `${command} is not there` : error.message });
    });
    child.on('close', (code) => {
      resolve({ code, output });
    });
  });
}
