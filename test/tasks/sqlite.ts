/** Programs that need `node:sqlite`, which Node 20 does not have: bundled, and run by Node 22. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** The program of Node 22, a dependency of development. */
export const NODE_22 = createRequire(import.meta.url).resolve('node-22/bin/node');

export const REPOSITORY = path.join(import.meta.dirname, '../..');

/** Bundles a program; imports are relative to this repository's root. Returns its path. */
export async function bundle(code: string, folder: string, name: string): Promise<string> {
  const file = path.join(folder, `${name}.mjs`);
  await build({
    stdin: { contents: code, resolveDir: REPOSITORY, loader: 'ts' },
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    external: ['node:*', 'better-sqlite3'],
  });
  return file;
}

/** Runs the checks of stores on `node:sqlite`. Returns what is wrong. */
export async function sqliteChecks(): Promise<readonly string[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tasks-sqlite-'));
  try {
    const program = await bundle(
      `
      import { DatabaseSync } from 'node:sqlite';
      import { sqliteTaskStore } from './generated/runtime/tasks-sqlite.js';
      import { taskStoreChecks } from './generated/runtime/task-store-check.js';
      let files = 0;
      const open = () => {
        const file = process.argv[2] + '/' + (files += 1) + '.db';
        const connect = () => sqliteTaskStore(new DatabaseSync(file), { maxTasks: 40 });
        return { store: connect(), reopen: connect };
      };
      const failures = [];
      for (const { name, run } of taskStoreChecks(open, { maxTasks: 40 }))
        await run().catch((error) => failures.push(name + ': ' + error.message));
      console.log(JSON.stringify(failures));
    `,
      folder,
      'checks',
    );
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    const { stdout } = await promisify(execFile)(NODE_22, ['--no-warnings', program, folder]);
    return JSON.parse(stdout) as readonly string[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
