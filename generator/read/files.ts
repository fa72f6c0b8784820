import { closeSync, existsSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpgenError } from '../errors.js';
import { parseJson, type JsonValue } from './json/json.js';

/** Largest file that is read, in bytes: a device such as `/dev/zero` has no end. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The folder `schema/` of this package, found upwards from this file: the same in the sources and when built. */
function findPackageFolder(): string {
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

let packageFolder: string | undefined;

/** Path of a file in the built-in folder `schema/`. */
export function builtinPath(...names: string[]): string {
  packageFolder ??= findPackageFolder();
  return path.join(packageFolder, ...names);
}

/** Text of a file of the package's folder `templates/`, which is copied into the output as it is. */
export function readTemplate(...names: string[]): string {
  return readTextFile(builtinPath('..', 'templates', ...names));
}

/** Path of this package's own package.json, which lies beside `schema/`. */
export function packageFile(): string {
  return builtinPath('..', 'package.json');
}

/** Parses a file of the built-in folder `schema/`. */
export function readBuiltinJson(...names: string[]): JsonValue {
  return parseJson(readTextFile(builtinPath(...names)), `schema/${names.join('/')}`);
}

/**
 * Reads a text file.
 *
 * @throws {@link McpgenError} if it cannot be read.
 */
export function readTextFile(file: string): string {
  return readBytes(file).toString('utf8');
}

/**
 * Reads a text file that may be missing.
 *
 * @returns Its text; undefined if it does not exist.
 * @throws {@link McpgenError} if it exists and cannot be read.
 */
export function readTextIfExists(file: string): string | undefined {
  return existsSync(file) ? readTextFile(file) : undefined;
}

/** Reads a text file that a command can do without; undefined if it cannot be read for any reason. */
export function tryReadText(file: string): string | undefined {
  try {
    return readTextFile(file);
  } catch {
    return undefined;
  }
}

/**
 * Reads a file as bytes.
 *
 * @throws {@link McpgenError} if it cannot be read, or is larger than {@link MAX_FILE_BYTES}.
 */
export function readBytes(file: string): Buffer {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    return readDescriptor(descriptor, file);
  } catch (error) {
    if (error instanceof McpgenError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const reasons: Record<string, string> = {
      ENOENT: 'no such file',
      EISDIR: 'is a folder, not a file',
      EACCES: 'permission to read it is missing',
      ENOTDIR: 'no such file: a parent is not a folder',
      ELOOP: 'the symbolic links form a loop',
      ENAMETOOLONG: 'the name is too long for this file system',
    };
    throw new McpgenError(reasons[code] ?? `cannot be read (${code})`, {
      place: file.length > 300 ? `${file.slice(0, 300)}...` : file,
      remedy: 'Check the path.',
      cause: error,
    });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Reads an open file, pipe or device to its end. A pipe into which nothing was written yet is no error but something to
 * wait for.
 *
 * @param place - What to call it in an error.
 * @throws {@link McpgenError} if it holds more than {@link MAX_FILE_BYTES}; what the system says if it cannot be read.
 */
export function readDescriptor(descriptor: number, place: string): Buffer {
  const chunks: Buffer[] = [];
  const chunk = Buffer.alloc(65_536);
  for (let length = 0; ;) {
    try {
      const read = readSync(descriptor, chunk);
      if (read === 0) return Buffer.concat(chunks);
      length += read;
      chunks.push(Buffer.from(chunk.subarray(0, read)));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return Buffer.concat(chunks);
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
    if (length > MAX_FILE_BYTES) {
      throw new McpgenError(`larger than ${MAX_FILE_BYTES / 1024 / 1024} MB`, {
        place,
        remedy: 'Check that this is the right file.',
      });
    }
  }
}

/** What is at a path; undefined if nothing can be found there, for whatever reason. */
export function statIfExists(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // A file stands above it, links lead in a circle, the name is too long: whoever reads it says so.
    return undefined;
  }
}
