import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** The native program: its wrapper for Node takes as long as a small compilation. */
const TSC = path.join(
  path.dirname(
    createRequire(import.meta.url).resolve(`@typescript/typescript-${process.platform}-${process.arch}/package.json`),
  ),
  process.platform === 'win32' ? 'lib/tsc.exe' : 'lib/tsc',
);

/** Options of the compiler, by their names in `tsconfig.json`. */
export type CompilerOptions = Readonly<Record<string, boolean | string | readonly string[]>>;

/**
 * Compiles files with TypeScript 7, which takes a quarter of the processor time of the compiler in this process.
 *
 * @param folder - Paths in errors are relative to it.
 * @returns The lines that the compiler prints: `file.ts(1,2): error TS…`, with further lines indented.
 */
export function compileFiles(folder: string, files: readonly string[], options: CompilerOptions): Promise<string[]> {
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return compile(folder, ['--ignoreConfig', '--noEmit', ...flags, ...files]);
}

/** What the compiler finds wrong in a file. */
export interface CompilerError {
  /** Path of the file as it was passed; empty if the error is in no file. */
  readonly file: string;
  /** From 1; 0 if the error is in no file. */
  readonly line: number;
  /** The message, with its explanations on further lines, indented. */
  readonly message: string;
}

/** Below the project's packages, so that texts can import these. */
const TEXTS = path.resolve(import.meta.dirname, '../../node_modules/.cache/mcpgen-tests');

/** Compiles texts by their relative paths with TypeScript 7; see {@link compileFiles}. */
export async function compileTexts(
  texts: ReadonlyMap<string, string>,
  options: CompilerOptions,
): Promise<readonly CompilerError[]> {
  mkdirSync(TEXTS, { recursive: true });
  const folder = mkdtempSync(path.join(TEXTS, 'texts-'));
  try {
    for (const [name, text] of texts) {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return parseErrors(await compileFiles(folder, [...texts.keys()], options));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function parseErrors(lines: readonly string[]): readonly CompilerError[] {
  const found: CompilerError[] = [];
  for (const line of lines) {
    const [, file = '', row = '0', message] = /^(?:(.+)\((\d+),\d+\): )?error TS\d+: (.*)$/.exec(line) ?? [];
    const last = found.at(-1);
    if (message !== undefined) found.push({ file, line: Number(row), message });
    else if (last !== undefined) found.splice(-1, 1, { ...last, message: `${last.message}\n${line}` });
    else throw new Error(`the compiler printed: ${line}`);
  }
  return found;
}

/** Does what `tsc -p` does. Returns what the compiler prints, and writes the files if there are no errors. */
export function compileProject(folder: string, config = '.'): Promise<string[]> {
  return compile(folder, ['-p', config, '--noEmitOnError']);
}

function compile(folder: string, args: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    // Several threads check some types more than once, and the other cores run other tests.
    const argv = ['--pretty', 'false', '--singleThreaded', ...args];
    execFile(TSC, argv, { cwd: folder, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      // A compiler that fails and prints nothing must not pass for one that found nothing.
      if (error !== null && lines.length === 0) reject(new Error(stderr, { cause: error }));
      else resolve(lines);
    });
  });
}
