import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { mcpgen, temporaryFolder, type RunOptions } from './cli.js';

/** Writes the address of each module that Node loads into a file, whose path is in the environment. */
const HOOKS = `
import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  appendFileSync(process.env.LOADED_MODULES, url + '\\n');
  return next(url, context);
}
`;

/**
 * Runs `mcpgen`, which must succeed.
 *
 * @returns The files that it loaded, without Node's own modules.
 */
export async function loadedModules(args: readonly string[], options: RunOptions = {}): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const [hooks, preload, list] = ['hooks.mjs', 'preload.mjs', 'list.txt'].map((name) => path.join(folder, name));
  if (hooks === undefined || preload === undefined || list === undefined) throw new Error('no files');
  writeFileSync(hooks, HOOKS);
  writeFileSync(list, '');
  writeFileSync(
    preload,
    `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hooks).href)});`,
  );
  const env = {
    ...options.env,
    LOADED_MODULES: list,
    NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`,
  };
  const { code, stderr } = await mcpgen(args, { ...options, env });
  if (code !== 0) throw new Error(`exit code ${String(code)}: ${stderr}`);
  const loaded = readFileSync(list, 'utf8').split('\n');
  rmSync(folder, { recursive: true });
  return loaded.filter((url) => url.startsWith('file:') && !url.includes('preload.mjs'));
}

/** The packages among loaded modules. */
export function packagesIn(modules: readonly string[]): readonly string[] {
  return [...new Set(modules.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))].sort();
}
