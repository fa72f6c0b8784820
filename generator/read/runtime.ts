import { readTemplate } from './files.js';

/** An import of another file of the runtime. */
const NEIGHBOUR = /(?<=\bfrom "\.\/)([\w-]+)\.js(?=")/g;

/** A file of the runtime, as it is copied. */
export interface RuntimeFile {
  /** Its path below the output folder, without extension: `runtime/endpoint`. */
  readonly name: string;
  readonly text: string;
}

/**
 * Files of the runtime with all that they import, by name.
 *
 * @param roots - Paths without extension: `runtime/server`.
 * @param extension - What imports name behind a file: `.js`, `.ts` or nothing.
 */
export function readRuntime(roots: readonly string[], extension: string): readonly RuntimeFile[] {
  const found = new Map<string, RuntimeFile>();
  const open = [...roots];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    const text = readTemplate(`${name}.ts`);
    found.set(name, { name, text: text.replace(NEIGHBOUR, `$1${extension}`) });
    open.push(...[...text.matchAll(NEIGHBOUR)].map((match) => `runtime/${match[1] ?? ''}`));
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
