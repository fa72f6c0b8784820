import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { McpgenError } from '../errors.js';
import { resolveBelow, STAGED_PREFIX, type FileChange } from './plan.js';

/** Milliseconds after which a staged file cannot belong to a running process. */
const STALE_AFTER_MS = 60 * 60 * 1000;

/** Names of staged entries: {@link STAGED_PREFIX}, the process id and the kind. */
const STAGED_NAME = new RegExp(`^${STAGED_PREFIX.replaceAll('.', '\\.')}(\\d+)-`);

/** Suffix of a folder whose entries are being moved into its parent. */
const MOVE_MARKER = 'moving';

interface StagedFile {
  readonly temporary: string;
  readonly target: string;
}

/**
 * Applies changes: first stages every new file next to its place, then moves them there one by one, and removes orphans
 * last. If any step fails, the previous state is restored.
 *
 * @param folder - The output folder; it is created if missing.
 * @throws {@link McpgenError} if something cannot be written.
 */
export function writeChanges(folder: string, changes: readonly FileChange[]): void {
  deferSignals(() => {
    stageAndReplace(folder, changes);
  });
}

/**
 * Writes a new project. It is staged completely in a separate folder, which is then moved into place in one step; into
 * an existing empty folder, each entry is moved. In any other folder, this works like {@link writeChanges}.
 *
 * @param folder - The folder of the project, absolute.
 * @throws {@link McpgenError} if something cannot be written; existing files are unchanged then.
 */
export function writeProject(folder: string, changes: readonly FileChange[]): void {
  deferSignals(() => {
    const isThere = existsSync(folder);
    const wasMoving = isThere && hasUnfinishedMove(folder);
    if (isThere) removeStaleStagedFiles(folder);
    if (isThere && (wasMoving || readdirSync(folder).some((name) => name !== '.git'))) stageAndReplace(folder, changes);
    else moveStagedProject(folder, isThere, changes);
  });
}

function moveStagedProject(folder: string, isThere: boolean, changes: readonly FileChange[]): void {
  const parent = isThere ? folder : path.dirname(folder);
  const made: string[] = [];
  const [staging, moving] = ['project', MOVE_MARKER].map((name) =>
    path.join(parent, `${STAGED_PREFIX}${process.pid}-${name}`),
  );
  if (staging === undefined || moving === undefined) throw new Error('there are two names');
  const moved: string[] = [];
  try {
    createFolder(parent, made);
    removeStaleStagedFiles(parent);
    stageAndReplace(staging, changes);
    if (!isThere) {
      renameSync(staging, folder);
      return;
    }
    renameSync(staging, moving);
    for (const name of readdirSync(moving)) {
      renameSync(path.join(moving, name), path.join(folder, name));
      moved.push(name);
    }
    rmdirSync(moving);
  } catch (error) {
    for (const name of moved) rmSync(path.join(folder, name), { recursive: true, force: true });
    for (const name of [staging, moving]) rmSync(name, { recursive: true, force: true });
    for (const one of made.reverse()) removeIfEmpty(one);
    const { message, place, remedy, cause } = writeError(folder, error);
    throw new McpgenError(message, {
      place: place?.replace(staging, folder) ?? folder,
      ...(remedy === undefined ? {} : { remedy }),
      cause,
    });
  }
}

function stageAndReplace(folder: string, changes: readonly FileChange[]): void {
  const written = changes.filter((change) => change.status === 'missing' || change.status === 'stale');
  const orphaned = changes.filter((change) => change.status === 'orphaned');
  const createdFolders: string[] = [];
  const staged: StagedFile[] = [];
  try {
    for (const parent of new Set(changes.map((change) => path.dirname(resolveBelow(folder, change.path))))) {
      createFolder(parent, createdFolders);
      removeStaleStagedFiles(parent);
    }
    for (const change of written) {
      const target = resolveBelow(folder, change.path);
      const temporary = siblingPath(target, String(staged.length));
      staged.push({ temporary, target });
      writeFully(temporary, change, statSync(target, { throwIfNoEntry: false })?.mode);
    }
  } catch (error) {
    for (const { temporary } of staged) rmSync(temporary, { force: true });
    for (const parent of createdFolders.reverse()) removeIfEmpty(parent);
    throw writeError(folder, error);
  }
  const replaced: { target: string; old: string | undefined; isDone: boolean }[] = [];
  try {
    for (const change of written) refuseChanged(resolveBelow(folder, change.path), change);
    for (const { temporary, target } of staged) {
      const entry = { target, old: linkBackup(target, replaced.length), isDone: false };
      replaced.push(entry);
      renameSync(temporary, target);
      entry.isDone = true;
    }
    for (const change of orphaned) {
      const target = resolveBelow(folder, change.path);
      const entry = { target, old: linkBackup(target, replaced.length), isDone: false };
      replaced.push(entry);
      rmSync(target, { force: true });
      entry.isDone = true;
    }
  } catch (error) {
    for (const { temporary } of staged) rmSync(temporary, { force: true });
    for (const { target, old, isDone } of replaced.reverse()) {
      // A file that could not be replaced still exists, and may not be writable.
      if (!isDone) {
        if (old !== undefined) rmSync(old, { force: true });
      } else if (old === undefined) rmSync(target, { force: true });
      else renameSync(old, target);
    }
    for (const parent of createdFolders.reverse()) removeIfEmpty(parent);
    throw writeError(folder, error);
  }
  for (const { old } of replaced) if (old !== undefined) rmSync(old, { force: true });
}

/**
 * Writes one file atomically, replacing an existing one; of a symbolic link, the file that it points to.
 *
 * @throws {@link McpgenError} if it cannot be written; an existing file is unchanged then.
 */
export function writeFileAtomically(file: string, contents: string): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  const folder = path.dirname(target);
  const change = { path: path.basename(target), expected: contents, actual: undefined } as const;
  writeChanges(folder, [{ ...change, status: 'stale', isFlushed: true }]);
}

/** The path of a staged file in the folder of a file, without its name, which may have the maximum length already. */
function siblingPath(target: string, name: string): string {
  return path.join(path.dirname(target), `${STAGED_PREFIX}${process.pid}-${name}`);
}

/** Runs a function that Ctrl-C must not interrupt; a signal takes effect afterwards. */
function deferSignals(action: () => void): void {
  // Existing listeners are called afterwards.
  const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).filter((signal) => process.listenerCount(signal) === 0);
  const release = (): void => {
    for (const signal of signals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals): void => {
    release();
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.on(signal, end);
  try {
    action();
  } finally {
    // Signals that arrived in the meantime are delivered in the next turn of the event loop.
    setImmediate(() => setImmediate(release));
  }
}

/** Rejects an edit if the file has changed since it was read: writing would undo the change. */
function refuseChanged(target: string, { isEdit, actual }: FileChange): void {
  if (isEdit !== true) return;
  if (lstatSync(target).isSymbolicLink()) {
    throw new McpgenError('a symbolic link would be replaced by a file; nothing was written', {
      place: target,
      remedy: 'Replace the link with its file.',
    });
  }
  if (readFileSync(target, 'utf8') === actual) return;
  throw new McpgenError('the file has changed in the meantime; nothing was written', {
    place: target,
    remedy: 'Run the command again.',
  });
}

/** Backs up the file at a place under a second name until everything is written; the file itself stays in place. */
function linkBackup(target: string, number: number): string | undefined {
  if (!existsSync(target)) return undefined;
  const backup = siblingPath(target, `old-${number}`);
  try {
    // A hard link needs no space on a disk that may be full; not every file system has them.
    linkSync(target, backup);
  } catch {
    try {
      copyFileSync(target, backup, constants.COPYFILE_EXCL);
    } catch (error) {
      rmSync(backup, { force: true });
      throw error;
    }
  }
  return backup;
}

/**
 * Creates a folder and its parents, and records which it created. Node's recursive `mkdir` does not end below `/proc`.
 */
function createFolder(folder: string, createdFolders: string[]): void {
  const missing: string[] = [];
  for (let current = folder; !existsSync(current) && path.dirname(current) !== current; current = path.dirname(current))
    missing.unshift(current);
  for (const one of missing) {
    try {
      mkdirSync(one);
      createdFolders.push(one);
    } catch (error) {
      // Another run may have created it in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Removes a folder that this run created, unless another run has written into it. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is not empty, or no longer exists.
  }
}

/** @param mode - Permissions of the file that it replaces. */
function writeFully(file: string, { expected = '', isEdit, isFlushed }: FileChange, mode: number | undefined): void {
  const bytes = Buffer.from(expected, 'utf8');
  const handle = openSync(file, 'wx');
  try {
    if (mode !== undefined) fchmodSync(handle, mode & 0o777);
    let offset = 0;
    while (offset < bytes.length) offset += writeSync(handle, bytes, offset);
    if (isEdit === true || isFlushed === true) fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Staged files and folders that processes left behind that no longer run. */
export function staleStagedFiles(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => {
    const [, pid] = STAGED_NAME.exec(name) ?? [];
    if (pid === undefined) return false;
    const owner = Number(pid);
    return owner === process.pid || !isRunning(owner) || isStale(path.join(folder, name));
  });
}

/** Whether a run was killed while it moved a new project into this folder, whose files are then ours. */
export function hasUnfinishedMove(folder: string): boolean {
  return staleStagedFiles(folder).some((name) => name.endsWith(`-${MOVE_MARKER}`));
}

function removeStaleStagedFiles(folder: string): void {
  for (const name of staleStagedFiles(folder)) rmSync(path.join(folder, name), { recursive: true, force: true });
}

/** Whether a staged entry is older than any run: its process id may have been reused, as often in containers. */
function isStale(file: string): boolean {
  // Uses the ctime, since a backup keeps the mtime of the original.
  const changed = lstatSync(file, { throwIfNoEntry: false })?.ctimeMs ?? Date.now();
  return Date.now() - changed > STALE_AFTER_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function writeError(folder: string, error: unknown): McpgenError {
  if (error instanceof McpgenError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  const reasons: Record<string, string> = {
    ENOENT: 'the folder cannot be created',
    ENAMETOOLONG: 'the name is too long for this file system',
    ENOSPC: 'the disk is full',
    EFBIG: 'a file would be larger than allowed',
    EDQUOT: 'the disk quota is used up',
    EACCES: 'permission to write there is missing',
    EPERM: 'permission to write there is missing',
    EROFS: 'the disk is read-only',
    ENOTDIR: 'not a folder but a file',
    EEXIST: 'not a folder but a file',
    ENOTEMPTY: 'something else wrote into the folder in the meantime',
  };
  return new McpgenError(`the output was not written: ${reasons[code] ?? code}`, {
    place: (error as NodeJS.ErrnoException).path ?? folder,
    remedy: 'Fix that, and run the command again.',
    cause: error,
  });
}
