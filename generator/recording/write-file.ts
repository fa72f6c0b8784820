import { close, closeSync, openSync, statSync, unlinkSync, write } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { McpgenError } from '../errors.js';

const writeBytes = promisify(write);
const closeFile = promisify(close);

/** From this many bytes that wait to be written, {@link RecordingFile.isFull} is true. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;

/** Lines of this time are written together, in milliseconds. */
const WRITE_DELAY_MS = 10;

/** How many files with one name and different numbers there can be. */
const MAX_FILE_NUMBER = 9999;

/** A file that lines are appended to in the background, in their order and each in whole. */
export class RecordingFile {
  /** Where it is, as it was named. */
  readonly path: string;
  readonly #descriptor: number;
  readonly #onFailure: (error: NodeJS.ErrnoException) => void;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #failure: NodeJS.ErrnoException | undefined;

  private constructor(file: string, descriptor: number, onFailure: (error: NodeJS.ErrnoException) => void) {
    this.path = file;
    this.#descriptor = descriptor;
    this.#onFailure = onFailure;
  }

  /**
   * Creates a file that only its owner can read. An existing file is never changed: the new one gets a number, so that
   * processes that start with the same arguments do not mix their lines.
   *
   * @param target - A file; or a folder, which exists or ends with a slash, for a file named by time and process.
   * @param onFailure - Is called once if a line cannot be written. All lines after that are ignored.
   * @throws {@link McpgenError} if it cannot be created.
   */
  static create(target: string, onFailure: (error: NodeJS.ErrnoException) => void): RecordingFile {
    try {
      const existing = statSync(target, { throwIfNoEntry: false });
      const isFolder = existing?.isDirectory() === true || /[/\\]$/.test(target);
      // A device or a pipe, which cannot be created.
      if (existing !== undefined && !isFolder && !existing.isFile())
        return new RecordingFile(target, openSync(target, 'a'), onFailure);
      const name = isFolder ? path.join(target, `${timeStamp()}-${process.pid}.ndjson`) : target;
      for (let number = 1; number <= MAX_FILE_NUMBER; number += 1) {
        const numbered = number === 1 ? name : withNumber(name, number);
        const descriptor = createExclusively(numbered);
        if (descriptor !== undefined) return new RecordingFile(numbered, descriptor, onFailure);
      }
    } catch (error) {
      throw createError(error as NodeJS.ErrnoException, target);
    }
    throw new McpgenError('too many files with this name and a number', {
      place: `--out ${target}`,
      remedy: 'Remove some, or pass a folder.',
    });
  }

  /** Whether whoever adds lines should wait for {@link drained}. */
  get isFull(): boolean {
    return this.#pendingBytes >= MAX_PENDING_BYTES;
  }

  /** Why a line could not be written. */
  get failure(): NodeJS.ErrnoException | undefined {
    return this.#failure;
  }

  /** @param line - Without its newline. */
  add(line: string): void {
    if (this.#failure !== undefined) return;
    const bytes = Buffer.from(`${line}\n`);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#writing !== undefined) return;
    if (this.isFull) this.#startWriting();
    else
      this.#timer ??= setTimeout(() => {
        this.#startWriting();
      }, WRITE_DELAY_MS);
  }

  /** Is fulfilled once all lines are written, or cannot be written. */
  async drained(): Promise<void> {
    this.#startWriting();
    await this.#writing;
  }

  /** Writes all lines and closes the file. */
  async close(): Promise<void> {
    await this.drained();
    await closeFile(this.#descriptor).catch((error: unknown) => {
      this.fail(error as NodeJS.ErrnoException);
    });
  }

  /** Removes the file again, without its lines. */
  discard(): void {
    clearTimeout(this.#timer);
    closeSync(this.#descriptor);
    if (statSync(this.path, { throwIfNoEntry: false })?.isFile() === true) unlinkSync(this.path);
  }

  #startWriting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const bytes = Buffer.concat(this.#pending);
      this.#pending = [];
      try {
        for (let written = 0; written < bytes.length;)
          written += (await writeBytes(this.#descriptor, bytes, written, bytes.length - written, null)).bytesWritten;
      } catch (error) {
        this.fail(error as NodeJS.ErrnoException);
      }
      // Not earlier: until then they are in memory.
      this.#pendingBytes = Math.max(0, this.#pendingBytes - bytes.length);
    }
  }

  /** Adds no more lines: the recording is incomplete, for this reason. */
  fail(error: NodeJS.ErrnoException): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#onFailure(error);
  }
}

/** The descriptor of a new file; undefined if it exists. */
function createExclusively(file: string): number | undefined {
  try {
    return openSync(file, 'ax', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}

function withNumber(file: string, number: number): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${number}${ext}`);
}

/** The time in UTC as part of a file's name: `20260728T090000Z`. */
function timeStamp(): string {
  return new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

function createError(error: NodeJS.ErrnoException, target: string): McpgenError {
  const reasons: Readonly<Record<string, readonly [string, string]>> = {
    ENOENT: ['its folder does not exist', 'Create the folder, or pass another path.'],
    ENOTDIR: ['its folder is a file', 'Pass another path.'],
    EACCES: ['permission denied', 'Pass a path that you may write to.'],
    EPERM: ['permission denied', 'Pass a path that you may write to.'],
    EROFS: ['the file system is read-only', 'Pass a path that you may write to.'],
  };
  const [reason, remedy] = reasons[error.code ?? ''] ?? [`it cannot be created (${error.code ?? error.message})`, ''];
  return new McpgenError(reason, {
    place: `--out ${target}`,
    ...(remedy === '' ? {} : { remedy }),
    cause: error,
  });
}
