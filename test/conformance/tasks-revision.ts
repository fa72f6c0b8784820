/** 2026-07-28 with the extension for tasks, for the server of the official suite. */
import path from 'node:path';
import { build } from 'esbuild';
import { generateWithTasks } from '../tasks/generated.js';

/** Generates it into a folder. Returns the path of its revision as one file. */
export async function tasksRevision(folder: string): Promise<string> {
  const out = path.join(folder, 'out');
  await generateWithTasks(out);
  const file = path.join(folder, 'revision.mjs');
  await build({
    entryPoints: [path.join(out, '2026-07-28/revision.ts')],
    outfile: file,
    bundle: true,
    format: 'esm',
    logLevel: 'error',
  });
  return file;
}
