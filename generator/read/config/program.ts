import path from 'node:path';
import { McpgenError } from '../../errors.js';
import { MAX_JSON_DEPTH } from '../json/json.js';

/** Time limit for loading a config, in milliseconds. */
const LOAD_TIMEOUT_MS = 30_000;

/**
 * Loads a config that is a program, and returns its default export, which must be plain data.
 *
 * @param file - Absolute path.
 * @throws {@link McpgenError} if it fails, ends the process, does not finish in time, or does not export plain data.
 */
export async function loadConfigProgram(file: string): Promise<unknown> {
  let loaded: unknown;
  try {
    loaded = await withTimeout(async () => {
      // Imported on demand. Nothing is cached, so that a watched config is read again.
      const { createJiti } = await import('jiti');
      const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false, interopDefault: false });
      return jiti.import(file);
    });
  } catch (error) {
    const [line = ''] = configErrorReason(error).split('\n');
    throw new McpgenError(`the config cannot be loaded: ${line.replaceAll(`${path.dirname(file)}${path.sep}`, '')}`, {
      place: file + errorPosition(file, error),
      remedy: 'Fix the error there.',
      cause: error,
    });
  }
  const value = loaded !== null && typeof loaded === 'object' && 'default' in loaded ? loaded.default : undefined;
  if (value === undefined) {
    throw new McpgenError('the config has no default export', {
      place: file,
      remedy: 'Write `export default { ... }`.',
    });
  }
  // The validation of the config reports that it is not an object.
  if (typeof value === 'function') return value;
  let fault: string | undefined;
  try {
    return toPlainValue(value, 0);
  } catch (error) {
    fault = configErrorReason(error);
  }
  throw new McpgenError(`the config is not plain data: ${fault}`, {
    place: file,
    remedy: 'Export the object itself, as in `export default { ... }`; `await` works at the top of the file.',
  });
}

/** Runs code of others, and converts its effects on the process to errors. */
async function withTimeout<T>(load: () => Promise<T>): Promise<T> {
  const exit: typeof process.exit = Reflect.get(process, 'exit');
  let stop: () => void = () => undefined;
  const disturbed = new Promise<never>((_, reject) => {
    const fail = (error: unknown): void => {
      reject(error instanceof Error ? error : new Error(configErrorReason(error)));
    };
    const stall = (): void => {
      fail(new Error('it awaits a promise that never settles'));
    };
    const timer = setTimeout(() => {
      fail(new Error(`timed out after ${LOAD_TIMEOUT_MS / 1000} s`));
    }, LOAD_TIMEOUT_MS).unref();
    // An error of the config rejects its import, or is an uncaught exception.
    process.exit = (): never => {
      throw new Error('it ends the process');
    };
    process.once('beforeExit', stall);
    // Prepended, since another listener would end the run.
    process.setUncaughtExceptionCaptureCallback(fail);
    stop = () => {
      clearTimeout(timer);
      process.exit = exit;
      process.off('beforeExit', stall);
      process.setUncaughtExceptionCaptureCallback(null);
    };
  });
  try {
    return await Promise.race([load(), disturbed]);
  } finally {
    stop();
  }
}

/** A copy of plain data as in JSON: members that are undefined are omitted. */
function toPlainValue(value: unknown, depth: number): unknown {
  if (depth > MAX_JSON_DEPTH) throw new Error('it contains itself, or is nested too deeply');
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    return value;
  }
  if (Array.isArray(value))
    return Array.from(value as readonly unknown[], (item) => toPlainValue(item ?? null, depth + 1));
  if (typeof value !== 'object') throw new Error(`it contains ${TYPE_NOUNS[typeof value] ?? `a ${typeof value}`}`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new Error(value instanceof Promise ? 'it contains a promise' : 'it contains an instance of a class');
  }
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (item === undefined) continue;
    Object.defineProperty(copy, key, {
      value: toPlainValue(item, depth + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

const TYPE_NOUNS: Readonly<Record<string, string>> = { function: 'a function', bigint: 'a bigint', symbol: 'a symbol' };

/** The message of a thrown value, which may have any type. */
function configErrorReason(error: unknown): string {
  try {
    return String(error instanceof Error ? (error as { readonly message: unknown }).message : error);
  } catch {
    return 'it throws a value that cannot be shown';
  }
}

/** Line and column at which a program failed, from its stack: `:3:7`, or empty. */
function errorPosition(file: string, error: unknown): string {
  let stack: unknown;
  try {
    stack = error instanceof Error ? error.stack : undefined;
  } catch {
    // Reading a thrown value may throw too.
  }
  const at = typeof stack === 'string' ? stack.indexOf(`${file}:`) : -1;
  return at === -1 ? '' : (/^:\d+:\d+/.exec(String(stack).slice(at + file.length))?.[0] ?? '');
}
