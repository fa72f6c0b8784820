/**
 * Loads and runs programs of users, whose failures become errors with a place.
 */
import path from 'node:path';
import { types } from 'node:util';
import { McpgenError } from '../errors.js';
import { readTextFile } from './files.js';

/** Time limit for each program, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Extensions of the files that are programs. */
export const PROGRAM_EXTENSIONS: readonly string[] = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/** Programs that were loaded before. Node caches modules that it imports itself. */
const loadedBefore = new Set<string>();

/** How a program is loaded. */
export interface ProgramOptions {
  /** The beginning of the message if it fails: `the config cannot be loaded`. */
  readonly failure: string;
  /** Modules of this process that a program imports under a fixed name, by that name. */
  readonly modules?: Readonly<Record<string, object>>;
}

/**
 * Loads a module in JavaScript or TypeScript.
 *
 * @param file - Absolute path.
 * @returns Its default export, which may be a promise and is not awaited; undefined without one.
 * @throws {@link McpgenError} if it fails, ends the process, or does not finish in time.
 */
export async function loadProgram(
  file: string,
  { failure, modules = {} }: ProgramOptions,
): Promise<{ readonly exported: unknown }> {
  let loaded: unknown;
  try {
    loaded = await runForeign(async () => {
      // Imported on demand.
      const { createJiti } = await import('jiti');
      const jiti = createJiti(import.meta.url, {
        fsCache: false,
        moduleCache: false,
        interopDefault: false,
        virtualModules: modules,
      });
      if (!loadedBefore.has(file)) {
        loadedBefore.add(file);
        return jiti.import(file);
      }
      // A watched program has changed. Node would return the old one if it can import the file by itself.
      return jiti.evalModule(readTextFile(file), { filename: file, async: true, forceTranspile: true });
    });
  } catch (error) {
    throw programError(failure, file, error);
  }
  return { exported: defaultExport(loaded) };
}

/** The default export of a loaded module: of an ES module, or `module.exports`. */
function defaultExport(loaded: unknown): unknown {
  if (typeof loaded === 'function') return loaded;
  if (loaded === null || typeof loaded !== 'object') return undefined;
  if ('default' in loaded) return loaded.default;
  const isModule = '__esModule' in loaded || types.isModuleNamespaceObject(loaded);
  return isModule || Object.keys(loaded).length === 0 ? undefined : loaded;
}

/**
 * The error of a program that failed: the first line of what it threw, and the position if its stack has it.
 *
 * @param message - What failed.
 * @param file - The program, absolute.
 */
export function programError(message: string, file: string, error: unknown): McpgenError {
  const [line = ''] = thrownReason(error).split('\n');
  return new McpgenError(`${message}: ${line.replaceAll(`${path.dirname(file)}${path.sep}`, '')}`, {
    place: file + thrownPosition(file, error),
    remedy: 'Fix the error there.',
    cause: error,
  });
}

/** Runs code of others, and converts its effects on the process to errors. */
export async function runForeign<T>(load: () => Promise<T>): Promise<T> {
  const exit: typeof process.exit = Reflect.get(process, 'exit');
  let stop: () => void = () => undefined;
  const disturbed = new Promise<never>((_, reject) => {
    const fail = (error: unknown): void => {
      reject(error instanceof Error ? error : new Error(thrownReason(error)));
    };
    const stall = (): void => {
      fail(new Error('it awaits a promise that never settles'));
    };
    const timer = setTimeout(() => {
      fail(new Error(`timed out after ${TIMEOUT_MS / 1000} s`));
    }, TIMEOUT_MS).unref();
    // An error of a program rejects its import, or is an uncaught exception.
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
  const restoreBuiltins = rememberBuiltins();
  let changed: string | undefined;
  let loaded: T;
  try {
    loaded = await Promise.race([load(), disturbed]);
  } finally {
    // First, since nothing else works if they are broken.
    changed = restoreBuiltins();
    stop();
  }
  if (changed !== undefined) throw new Error(`it changes ${changed}, which mcpgen needs as it was`);
  return loaded;
}

/** Built-in objects whose members a program can replace for the whole process. */
const BUILTINS: readonly (readonly [string, object])[] = [
  // The first one, since what is added to it is inherited by the descriptors of the others.
  ['Object.prototype', Object.prototype],
  ['Array.prototype', Array.prototype],
  ['Function.prototype', Function.prototype],
  ['Map.prototype', Map.prototype],
  ['Promise.prototype', Promise.prototype],
  ['RegExp.prototype', RegExp.prototype],
  ['Set.prototype', Set.prototype],
  ['String.prototype', String.prototype],
  ['Array', Array],
  ['JSON', JSON],
  ['Number', Number],
  ['Object', Object],
  ['Promise', Promise],
  ['Reflect', Reflect],
  ['String', String],
];

/**
 * Remembers built-in objects. The returned function restores members that were replaced or removed, removes those that
 * were added to all objects, and returns the name of one such member. Other additions stay, as those of a polyfill.
 */
function rememberBuiltins(): () => string | undefined {
  const { defineProperty, deleteProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const remembered = BUILTINS.flatMap(([name, object]) =>
    ownKeys(object).map((key) => ({ name, object, key, descriptor: getOwnPropertyDescriptor(object, key) ?? {} })),
  );
  const keysOfAll = new Set(ownKeys(Object.prototype));
  const isKnown = Set.prototype.has.bind(keysOfAll);
  const isSame = Object.is;
  // Until the last line, only what cannot have been replaced is used: no method and no iterator.
  return () => {
    let changed: { readonly name: string; readonly key: PropertyKey } | undefined;
    const keys = ownKeys(Object.prototype);
    let index = 0;
    while (index < keys.length) {
      const key = keys[index++] ?? '';
      if (isKnown(key)) continue;
      changed ??= { name: 'Object.prototype', key };
      deleteProperty(Object.prototype, key);
    }
    index = 0;
    while (index < remembered.length) {
      const member = remembered[index++];
      if (member === undefined) continue;
      const { object, key, descriptor } = member;
      const now = getOwnPropertyDescriptor(object, key);
      if (now !== undefined && isSame(now.value, descriptor.value) && now.get === descriptor.get) continue;
      changed ??= member;
      defineProperty(object, key, descriptor);
    }
    return changed === undefined ? undefined : `${changed.name}.${String(changed.key)}`;
  };
}

/** The message of a thrown value, which may have any type. */
export function thrownReason(error: unknown): string {
  try {
    return String(error instanceof Error ? (error as { readonly message: unknown }).message : error);
  } catch {
    return 'it throws a value that cannot be shown';
  }
}

/** Line and column at which a program failed, from its stack: `:3:7`, or empty. */
function thrownPosition(file: string, error: unknown): string {
  let stack: unknown;
  try {
    stack = error instanceof Error ? error.stack : undefined;
  } catch {
    // Reading a thrown value may throw too.
  }
  const at = typeof stack === 'string' ? stack.indexOf(`${file}:`) : -1;
  return at === -1 ? '' : (/^:\d+:\d+/.exec(String(stack).slice(at + file.length))?.[0] ?? '');
}
