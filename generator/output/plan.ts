import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { McpgenError } from '../errors.js';
import { displayPath, isBelow } from '../paths.js';
import { markedPath, markSyntax, readOrigin } from './ownership.js';

/** Prefix of staged files; the next run removes those that a killed process left. */
export const STAGED_PREFIX = '.mcpgen-tmp-';

/** A file to generate. */
export interface PlannedFile {
  /** Path below the output folder, with forward slashes. */
  readonly path: string;
  readonly contents: string;
  /** Whether it belongs to the user: written if missing, and never overwritten. */
  readonly belongsToUser?: boolean;
}

/** The planned change of one file. */
export interface FileChange {
  /** Path below the output folder, with forward slashes. */
  readonly path: string;
  /** `orphaned`: unmodified output that is no longer generated. `kept`: a file of the user, or an edited orphan. */
  readonly status: 'missing' | 'stale' | 'unchanged' | 'kept' | 'orphaned';
  /** The expected contents; undefined for an orphan. */
  readonly expected: string | undefined;
  /** The current contents; undefined if it is missing. */
  readonly actual: string | undefined;
  /** Whether `expected` derives from `actual`: not written if the file has changed by then. */
  readonly isEdit?: boolean;
  /**
   * Whether the contents must be on the disk before they replace the file, in case of a power failure: for what a second
   * run cannot write again. Each of hundreds of generated files would take a millisecond longer. Edits always are.
   */
  readonly isFlushed?: boolean;
}

/** The status of a file from its expected and current contents. */
export function fileChange(file: string, expected: string, actual: string | undefined): FileChange {
  const status = actual === undefined ? 'missing' : isSameText(actual, expected) ? 'unchanged' : 'stale';
  return { path: file, status, expected, actual };
}

/** An edit of an author's file, which is only written if the file has not changed by then. */
export function fileEdit(file: string, expected: string, actual: string | undefined): FileChange {
  const change = fileChange(file, expected, actual);
  return change.status === 'stale' ? { ...change, isEdit: true } : change;
}

/** Ignores line ends, which Git changes when it checks out files on Windows. */
function isSameText(actual: string, expected: string): boolean {
  return actual === expected || (actual.includes('\r\n') && actual === expected.replace(/\r?\n/g, '\r\n'));
}

/** Whether a file needs no change. */
export function isUpToDate({ status }: FileChange): boolean {
  return status === 'unchanged' || status === 'kept';
}

/**
 * Compares planned files with an output folder.
 *
 * @param folder - The output folder; it need not exist.
 * @param files - All planned files, in folders below it.
 * @throws {@link McpgenError} if a path would be outside the output folder, or exists and is not a file.
 */
export function planChanges(folder: string, files: readonly PlannedFile[]): readonly FileChange[] {
  const planned = files.map((file): FileChange => {
    const target = resolveBelow(folder, file.path);
    const actual = readExisting(target, file.path);
    if (actual !== undefined && file.belongsToUser === true)
      return { path: file.path, status: 'kept', expected: actual, actual };
    if (actual !== undefined && actual !== file.contents && readOrigin(file.path, actual) === 'foreign') {
      throw new McpgenError('mcpgen did not generate this file, and does not overwrite it', {
        place: displayPath(target),
        remedy: 'Move it away, or choose another output folder. Delete it if an earlier version of mcpgen wrote it.',
      });
    }
    return fileChange(file.path, file.contents, actual);
  });
  const orphans = findOrphans(folder, files);
  return [...planned, ...orphans, ...findUnusedRuntime(folder, files, orphans)];
}

/** Shared files that no file of another revision and no file of the author in the output folder imports. */
function findUnusedRuntime(
  folder: string,
  files: readonly PlannedFile[],
  orphans: readonly FileChange[],
): readonly FileChange[] {
  const runtime = path.join(folder, 'runtime');
  if (files.some((file) => file.path.startsWith('runtime/'))) return [];
  const entry = withReadErrors(runtime, () => lstatSync(runtime, { throwIfNoEntry: false }));
  if (entry?.isDirectory() !== true) return [];
  // Files that this run overwrites do not need them.
  const passed = new Set([...orphans, ...files].map((file) => file.path));
  const subfolders = withReadErrors(folder, () => readdirSync(folder, { withFileTypes: true }))
    .filter((item) => item.isDirectory() && item.name !== 'runtime')
    .map((item) => item.name);
  // Shared files import each other, so an importer of one needs the others too.
  const isUsed = ['.', ...subfolders]
    .flatMap((name) => codeFiles(path.join(folder, name)).map((file) => path.posix.join(name, file)))
    .some((name) => !passed.has(name) && readOutputFile(path.join(folder, name)).includes('./runtime/'));
  if (isUsed) return [];
  const shared = markableFilesBelow(runtime)
    .filter((name) => CODE.test(name))
    .map((name): FileChange => {
      const actual = readOutputFile(path.join(runtime, name));
      return { path: `runtime/${name}`, status: 'orphaned', expected: undefined, actual };
    });
  // A foreign file stays, and may import the others.
  return shared.every(isUnmodified) ? shared : [];
}

/** Generated files in the output folders that are no longer planned. */
function findOrphans(folder: string, files: readonly PlannedFile[]): readonly FileChange[] {
  const expected = new Set(files.map((file) => file.path));
  // Other revisions in this folder may need the shared files.
  return outputFiles(folder, files)
    .filter((file) => !expected.has(file) && (file.split('/')[0] !== 'runtime' || isOfOtherTarget(file, expected)))
    .flatMap((file): FileChange[] => {
      const actual = readOutputFile(path.join(folder, file));
      const change: FileChange = { path: file, status: 'orphaned', expected: undefined, actual };
      return isUnmodified(change) ? [change] : [];
    });
}

/** Whether a file would be used instead of one that is expected, or next to it: `x.ts` and `x.js` with `x.d.ts`. */
function isOfOtherTarget(file: string, expected: ReadonlySet<string>): boolean {
  const stem = file.replace(/(?:\.d)?\.[jt]s$/, '');
  return file === `${stem}.ts` ? expected.has(`${stem}.js`) : file !== stem && expected.has(`${stem}.ts`);
}

/**
 * Files that a run may have written: those in the folders of planned files and, below the folders of revisions and
 * tools, those whose mark names exactly their path. A plugin that is no longer used may have had more folders.
 */
function outputFiles(folder: string, files: readonly PlannedFile[]): readonly string[] {
  const folders = [...new Set(files.map((file) => path.posix.dirname(file.path)))].sort();
  const direct = folders.flatMap((name) => {
    const real = resolveBelow(folder, name);
    return existsSync(real) ? markableFiles(real).map((entry) => path.posix.join(name, entry)) : [];
  });
  const known = new Set(direct);
  const tops = [...new Set(folders.map((name) => name.split('/')[0] ?? ''))].filter(
    (name) => name !== '.' && name !== 'runtime',
  );
  const below = tops
    .flatMap((name) => {
      const real = resolveBelow(folder, name);
      return existsSync(real) ? markableFilesBelow(real).map((entry) => path.posix.join(name, entry)) : [];
    })
    .filter((file) => !known.has(file))
    .filter((file) => markedPath(file, readOutputFile(path.join(folder, file))) === file);
  return [...direct, ...below];
}

function isUnmodified({ path: file, actual = '' }: FileChange): boolean {
  return readOrigin(file, actual) === 'generated';
}

/**
 * Files in an output folder that are neither planned nor provably generated, and are kept: code, and edited files of
 * other formats.
 *
 * @param folder - The output folder; it need not exist.
 * @param files - All planned files.
 */
export function findKeptFiles(folder: string, files: readonly PlannedFile[]): readonly FileChange[] {
  const planned = new Set(files.map((file) => file.path));
  const code = files.some((file) => file.path.endsWith('.js')) ? CODE : /\.ts$/;
  return outputFiles(folder, [...files, { path: 'index.ts', contents: '' }])
    .filter((file) => !planned.has(file))
    .flatMap((file): FileChange[] => {
      const actual = readOutputFile(path.join(folder, file));
      const origin = readOrigin(file, actual);
      // Other formats next to the output are no surprise.
      const isKept = origin === 'edited' || (origin === 'foreign' && code.test(file));
      return isKept ? [{ path: file, status: 'kept', expected: actual, actual }] : [];
    });
}

/**
 * Rejects an invalid output folder before any work is done.
 *
 * @throws {@link McpgenError} if its path is longer than the system supports.
 */
export function refuseOutputFolder(folder: string): void {
  try {
    lstatSync(folder, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') return;
    throw new McpgenError('the path is too long for this system', {
      place: `${folder.slice(0, 200)}...`,
      remedy: 'Choose another output folder.',
      cause: error,
    });
  }
}

/** The absolute path of a planned file; rejects one that is outside the output folder by name or through a link. */
export function resolveBelow(folder: string, relative: string): string {
  const root = path.resolve(folder);
  const target = path.resolve(root, relative);
  if (!isWithin(root, target)) {
    throw new McpgenError(`${JSON.stringify(relative)} is outside the output folder`, {
      place: displayPath(target),
      remedy: 'Remove the symbolic link that points out of it, or choose another output folder.',
    });
  }
  return target;
}

/**
 * Whether a path is a folder or below it, both by its name and by its real path. Neither needs to exist.
 *
 * @throws {@link McpgenError} if one of them contains a broken symbolic link.
 */
export function isWithin(folder: string, target: string): boolean {
  return isBelow(folder, target) && isBelow(realParentFolder(folder), realParentFolder(target));
}

/** The real path of a file that may not exist yet: that of its nearest existing folder, plus the rest. */
function realParentFolder(target: string): string {
  let existing = target;
  const rest: string[] = [];
  while (!existsSync(existing)) {
    if (isSymbolicLink(existing)) {
      throw new McpgenError('the symbolic link is broken', {
        place: existing,
        remedy: 'Remove it, or create its target.',
      });
    }
    const parent = path.dirname(existing);
    if (parent === existing) break;
    rest.unshift(path.basename(existing));
    existing = parent;
  }
  const nearest = existing;
  return withReadErrors(nearest, () => {
    if (rest.length > 0 && !statSync(nearest).isDirectory()) {
      throw new McpgenError('not a folder but a file', {
        place: nearest,
        remedy: 'Move it away, or choose another output folder.',
      });
    }
    return path.join(realpathSync(nearest), ...rest);
  });
}

function isSymbolicLink(target: string): boolean {
  return withReadErrors(target, () => {
    try {
      return lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    } catch (error) {
      // A parent is a file or a symbolic link loop: then it does not exist.
      if (['ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    }
  });
}

function readExisting(target: string, relative: string): string | undefined {
  const stats = withReadErrors(target, () => lstatSync(target, { throwIfNoEntry: false }));
  if (stats === undefined) return undefined;
  if (!stats.isFile()) {
    throw new McpgenError('exists and is not a file', {
      place: displayPath(target),
      remedy: `Move it away: ${relative} is written there.`,
    });
  }
  return readOutputFile(target);
}

/** What generated code has at the end of its name. */
const CODE = /\.[jt]s$/;

/** Names of the files with code in a folder, without staged files and anything that is not a plain file. */
function codeFiles(folder: string): readonly string[] {
  return markableFiles(folder).filter((name) => CODE.test(name));
}

/** Names of the files of a folder that can have a mark, without staged files and anything that is not a plain file. */
function markableFiles(folder: string): readonly string[] {
  return withReadErrors(folder, () => readdirSync(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && markSyntax(entry.name) !== undefined && !entry.name.startsWith(STAGED_PREFIX))
    .map((entry) => entry.name)
    .sort();
}

/** The same for a folder and everything below it, as paths relative to that folder. */
function markableFilesBelow(folder: string): readonly string[] {
  const subfolders = withReadErrors(folder, () => readdirSync(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map((entry) => entry.name)
    .sort();
  return [
    ...markableFiles(folder),
    ...subfolders.flatMap((name) =>
      markableFilesBelow(path.join(folder, name)).map((file) => path.posix.join(name, file)),
    ),
  ];
}

function readOutputFile(file: string): string {
  return withReadErrors(file, () => readFileSync(file, 'utf8'));
}

/** Runs a function, and converts errors of the file system. */
function withReadErrors<T>(target: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof McpgenError) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = {
      EACCES: 'permission to read it is missing',
      ENAMETOOLONG: 'the name is too long for this file system',
    };
    throw new McpgenError(reasons[code] ?? `cannot be read (${code})`, {
      place: displayPath(target),
      remedy: 'Fix that, or choose another output folder.',
      cause: error,
    });
  }
}
