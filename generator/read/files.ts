import { closeSync, existsSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpgenError } from '../errors.js';
import { parseJson, type JsonValue } from './json/json.js';

/** The name of standard input as an input file. */
export const STANDARD_INPUT = 'standard input';

/** Largest file that is read, in bytes: a device such as `/dev/zero` has no end. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The folder `schema/` of this package, searched for upwards from this file, so that it works built and unbuilt. */
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

/** Text of a file in the package's folder `templates/`. */
export function readTemplate(...names: string[]): string {
  return readTextFile(builtinPath('..', 'templates', ...names));
}

/** Path of this package's own package.json, which is next to `schema/`. */
export function packageFile(): string {
  return builtinPath('..', 'package.json');
}

/** The version of this package. */
export function packageVersion(): string {
  return (JSON.parse(readTextFile(packageFile())) as { version: string }).version;
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

/** Reads an optional text file; undefined if it cannot be read for any reason. */
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
 * Reads an open file, pipe or device to its end. Waits for a pipe that has no data yet.
 *
 * @param place - Its name in an error.
 * @throws {@link McpgenError} if it is larger than {@link MAX_FILE_BYTES}; the system's error if it cannot be read.
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

/** The stats of a path; undefined if it cannot be accessed for any reason. */
export function statIfExists(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // A parent is a file, a symbolic link loop, a name that is too long: reading it reports the error.
    return undefined;
  }
}
