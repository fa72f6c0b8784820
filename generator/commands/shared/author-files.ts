import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readOrigin } from '../../output/ownership.js';
import { tryReadText } from '../../read/files.js';
import type { AuthorFile } from '../../scaffold/edit/method-names.js';

const TYPESCRIPT_SOURCE = /(?<!\.d)\.(?:ts|tsx|mts|cts)$/;

/**
 * The TypeScript files of a project that its author wrote: those that its tsconfig includes, else those in `src/`, and
 * those in the output folder that mcpgen did not generate. Unreadable files are skipped.
 *
 * @param folder - The project's folder, absolute.
 * @param out - The output folder, absolute.
 * @returns Files with paths relative to the current folder, sorted.
 */
export async function readAuthorFiles(folder: string, out: string): Promise<readonly AuthorFile[]> {
  const named = await filesOfTsconfig(path.join(folder, 'tsconfig.json'));
  const files = new Set([...(named.length === 0 ? filesIn(path.join(folder, 'src')) : named), ...filesIn(out)]);
  return [...files].sort().flatMap((file) => {
    if (!TYPESCRIPT_SOURCE.test(file) || file.split(path.sep).includes('node_modules')) return [];
    const text = tryReadText(file);
    if (text === undefined || readOrigin(file, text) !== 'foreign') return [];
    return [{ path: path.relative(process.cwd(), file), text }];
  });
}

async function filesOfTsconfig(file: string): Promise<readonly string[]> {
  if (!existsSync(file)) return [];
  const { ts } = await import('ts-morph');
  const { config } = ts.readConfigFile(file, (name) => ts.sys.readFile(name)) as { config?: unknown };
  if (config === undefined) return [];
  return ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(file)).fileNames.map((name) => path.resolve(name));
}

/** The files below a folder; none if it cannot be read. */
export function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}
