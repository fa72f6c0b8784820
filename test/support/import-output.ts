import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Below the project's packages: Node finds these there, and Vitest leaves what is there to Node. */
const BUNDLES = path.resolve(import.meta.dirname, '../../node_modules/.cache/mcpgen-tests');

/**
 * Imports a generated file that a test has written, with all that it imports, as one module of Node. Vitest would
 * transform each file of the runtime again for each folder.
 *
 * @returns What the file exports.
 */
export async function importOutput<T = Readonly<Record<string, unknown>>>(file: string): Promise<T> {
  mkdirSync(BUNDLES, { recursive: true });
  const folder = mkdtempSync(path.join(BUNDLES, 'bundle-'));
  try {
    const outfile = path.join(folder, 'index.mjs');
    await build({
      entryPoints: [file],
      outfile,
      bundle: true,
      packages: 'external',
      platform: 'node',
      target: 'node20',
      format: 'esm',
      logLevel: 'silent',
    });
    return (await import(pathToFileURL(outfile).href)) as T;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
