import path from 'node:path';
import { expect } from 'vitest';
import { readFiles, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';

/** One small revision and no installation: these tests are about the command, not about what it writes. */
export const QUICK = ['--yes', '--no-install', '--no-git', '-r', '2024-11-05'];

export const init = (cwd: string, ...args: readonly string[]) => mcpgen(['init', ...args], { cwd });

/** Starts a project on a runtime, and returns its files and what was printed. */
export async function initWithRuntime(
  kind: string,
  runtime: string,
  ...flags: string[]
): Promise<{ files: ReadonlyMap<string, string>; stdout: string }> {
  const folder = temporaryFolder();
  const { code, stdout, stderr } = await init(folder, kind, 'demo', ...QUICK, '--runtime', runtime, ...flags);
  expect([code, stderr]).toEqual([0, '']);
  return { files: readFiles(path.join(folder, 'demo')), stdout };
}

/** The `dependencies` of a project. */
export function dependenciesOf(files: ReadonlyMap<string, string>): unknown {
  return (JSON.parse(files.get('package.json') ?? '') as { dependencies?: object }).dependencies;
}
