import path from 'node:path';
import { readTemplate } from '../files.js';

/** Matches the specifier of an import of another runtime file. */
const RELATIVE_IMPORT = /(?<=\bfrom ")(\.{1,2}\/[\w./-]+)\.js(?=")/g;

/** A file of the runtime to copy. */
export interface RuntimeFile {
  /** Its path below the output folder, without extension: `runtime/server`. */
  readonly name: string;
  readonly text: string;
}

/**
 * Files of the runtime with everything that they import, by name.
 *
 * @param roots - Paths without extension: `runtime/server`.
 * @param extension - The extension of imported files: `.js`, `.ts` or empty.
 */
export function readRuntimeFiles(roots: readonly string[], extension: string): readonly RuntimeFile[] {
  const found = new Map<string, RuntimeFile>();
  const open = [...roots];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    const text = readTemplate(`${name}.ts`);
    found.set(name, { name, text: text.replace(RELATIVE_IMPORT, `$1${extension}`) });
    const folder = path.posix.dirname(name);
    open.push(...[...text.matchAll(RELATIVE_IMPORT)].map((match) => path.posix.join(folder, match[1] ?? '')));
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
