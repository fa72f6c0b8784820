import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The command line as it is shipped; the tests' global setup builds it. */
export const CLI = path.resolve(import.meta.dirname, '../../dist/generator/cli.js');

/** What a finished process left. */
export interface Run {
  /** Exit code; null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and how a command runs. */
export interface RunOptions {
  readonly cwd?: string;
  /** What it reads from standard input; nothing by default. */
  readonly input?: string | Uint8Array;
  /** Milliseconds to wait before the input is written. */
  readonly inputAfter?: number;
  /** Variables added to an environment without color settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** An environment that neither forces nor disables color, wherever the tests run. */
export function plainEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NO_COLOR: _no, FORCE_COLOR: _force, CI: _ci, NODE_OPTIONS: _options, ...rest } = process.env;
  return { ...rest, ...more };
}

/** Runs a program to its end. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const child = spawn(program, args, { cwd: options.cwd, env: plainEnvironment(options.env) });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  // A process that fails before it reads is no fault of the test.
  child.stdin.on('error', () => undefined);
  setTimeout(() => child.stdin.end(options.input ?? ''), options.inputAfter ?? 0);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') };
}

/** A folder outside the project, so that no config is found there. */
export const DEFAULT_CWD = path.join(os.tmpdir(), 'mcpgen-test-cwd');

/** Runs `mcpgen` to its end, in a folder without a config unless another one is given. */
export async function mcpgen(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  mkdirSync(DEFAULT_CWD, { recursive: true });
  return run(process.execPath, [CLI, ...args], { cwd: DEFAULT_CWD, ...options });
}

const folders: string[] = [];

/** A new empty folder outside the project; {@link removeTemporaryFolders} removes it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-test-'));
  folders.push(folder);
  return folder;
}

/** Removes all folders that {@link temporaryFolder} made. */
export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Paths of all entries below a folder, sorted, with forward slashes; none if it is not there. */
export function listFiles(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return [...entriesBelow(folder, '')].sort();
}

/** Does not follow links, as `readdir` with `recursive` does: one of them may lead to all installed packages. */
function* entriesBelow(folder: string, prefix: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    yield `${prefix}${entry.name}`;
    if (entry.isDirectory()) yield* entriesBelow(path.join(folder, entry.name), `${prefix}${entry.name}/`);
  }
}

/** Contents of all files below a folder, by path. */
export function readFiles(folder: string): ReadonlyMap<string, string> {
  return new Map(
    listFiles(folder)
      .filter((name) => lstatSync(path.join(folder, name)).isFile())
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );
}

/** All that would show that something below a folder was touched: entries, contents, times. */
export function hashFolder(folder: string): string {
  const entries = ['', ...listFiles(folder)].map((name) => {
    const file = path.join(folder, name);
    const { mtimeMs, ctimeMs, ino, size } = lstatSync(file);
    return [name, mtimeMs, ctimeMs, ino, size].join(' ');
  });
  return [...entries, ...[...readFiles(folder)].flat()].join('\n');
}

/** Names of files that were being written when something stopped it. */
export function leftovers(folder: string): readonly string[] {
  return listFiles(folder).filter((name) => name.includes('.mcpgen-tmp-'));
}
