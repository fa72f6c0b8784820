import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpgenError } from '../errors.js';
import { parseJson, type JsonValue } from './json.js';

/** The folder `schema/` of this package, found upwards from this file: the same in the sources and when built. */
function builtinFolder(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const candidate = path.join(folder, 'schema');
    if (existsSync(path.join(candidate, 'manifest.json'))) return candidate;
    const parent = path.dirname(folder);
    if (parent === folder) {
      throw new McpgenError('the folder schema/ of this installation is missing', { remedy: 'Install mcpgen again.' });
    }
    folder = parent;
  }
}

let folder: string | undefined;

/** Path of a file in the built-in folder `schema/`. */
export function builtinPath(...names: string[]): string {
  folder ??= builtinFolder();
  return path.join(folder, ...names);
}

/** Text of a file of the package's folder `templates/`, which is copied into the output as it is. */
export function readTemplate(...names: string[]): string {
  return readText(builtinPath('..', 'templates', ...names));
}

/** Path of this package's own package.json, which lies beside `schema/`. */
export function packageFile(): string {
  return builtinPath('..', 'package.json');
}

/** Parses a file of the built-in folder `schema/`. */
export function readBuiltinJson(...names: string[]): JsonValue {
  return parseJson(readText(builtinPath(...names)), `schema/${names.join('/')}`);
}

/**
 * Reads a text file.
 *
 * @throws {@link McpgenError} if it cannot be read.
 */
export function readText(file: string): string {
  return readBytes(file).toString('utf8');
}

/**
 * Reads a file as bytes.
 *
 * @throws {@link McpgenError} if it cannot be read.
 */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const reasons: Record<string, string> = {
      ENOENT: 'no such file',
      EISDIR: 'is a folder, not a file',
      EACCES: 'permission to read it is missing',
    };
    throw new McpgenError(reasons[code] ?? `cannot be read (${code})`, {
      place: file,
      remedy: 'Check the path.',
      cause: error,
    });
  }
}
