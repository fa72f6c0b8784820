/** Reads the file of a recording, from beginning to end or as it grows. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpgenError } from '../../errors.js';
import { showProgress } from '../../terminal.js';

/** How often a growing file is looked at, in milliseconds. */
const FOLLOW_MS = 200;
const CHUNK_BYTES = 256 * 1024;
/** When progress is shown for the first time, and how often it changes, in milliseconds. */
const PROGRESS_AFTER_MS = 1000;
const PROGRESS_EVERY_MS = 250;

/**
 * The bytes of a file; `-` is standard input.
 *
 * @param signal - With it, the file is read as it grows, until the signal aborts.
 * @throws {@link McpgenError} if it cannot be read.
 */
export async function* readSource(file: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (file === '-') {
    yield* process.stdin as AsyncIterable<Uint8Array>;
    return;
  }
  try {
    const { size } = await stat(file);
    if (signal !== undefined) yield* readGrowing(file, signal);
    else yield* withProgress(createReadStream(file, { highWaterMark: CHUNK_BYTES }), size);
  } catch (error) {
    throw readError(file, error);
  } finally {
    showProgress('');
  }
}

async function* withProgress(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let read = 0;
  let shownAt = performance.now() + PROGRESS_AFTER_MS - PROGRESS_EVERY_MS;
  for await (const chunk of chunks) {
    yield chunk;
    read += chunk.length;
    if (performance.now() - shownAt < PROGRESS_EVERY_MS) continue;
    shownAt = performance.now();
    showProgress(`inspected ${megabytes(read)} of ${megabytes(size)} MB ...`);
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(0);
}

/** A file that is cut, as by log rotation, is read from its beginning again. */
async function* readGrowing(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const handle = await open(file);
  try {
    let position = 0;
    while (!signal.aborted) {
      const { bytesRead, buffer } = await handle.read(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES, position);
      if (bytesRead > 0) {
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
        continue;
      }
      const { size } = await handle.stat();
      if (size < position) position = 0;
      await sleep(FOLLOW_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await handle.close();
  }
}

function readError(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'the file does not exist',
    EISDIR: 'it is a folder',
    EACCES: 'it cannot be read',
  };
  const reason = code === undefined ? undefined : reasons[code];
  if (reason === undefined) return error;
  return new McpgenError(reason, {
    place: file,
    remedy: 'Pass a recording of mcpgen record, or a log; - is standard input.',
  });
}
