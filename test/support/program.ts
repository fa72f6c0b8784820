import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Files elsewhere are those of one test. */
const ROOT = path.resolve(import.meta.dirname, '../..');

/** Parsed files by options and name. Programs of the same options share them, as the editors' language service does. */
const parsed = new Map<string, Map<string, { readonly text: string; readonly source: ts.SourceFile }>>();

/**
 * Creates a program that shares the parsed files of the standard library, of packages and of committed output with all
 * programs of the same options in this worker.
 *
 * @param overlay - Texts of files that exist in memory only, by absolute path.
 */
export function createProgram(
  rootNames: readonly string[],
  options: ts.CompilerOptions,
  overlay: ReadonlyMap<string, string> = new Map(),
): ts.Program {
  const folders = new Set([...overlay.keys()].flatMap(foldersAbove));
  const host = ts.createCompilerHost(options);
  const disk = { ...host };
  host.fileExists = (name) => overlay.has(name) || disk.fileExists(name);
  host.readFile = (name) => overlay.get(name) ?? disk.readFile(name);
  host.directoryExists = (name) => folders.has(name) || (disk.directoryExists?.(name) ?? true);
  const { outDir: _outDir, ...affecting } = options;
  const key = JSON.stringify(affecting);
  const known = parsed.get(key) ?? new Map<string, { text: string; source: ts.SourceFile }>();
  parsed.set(key, known);
  host.getSourceFile = (name, languageVersionOrOptions, onError) => {
    const text = overlay.get(name) ?? textOf(name);
    // What cannot be read is the business of the compiler.
    if (text === undefined) return disk.getSourceFile(name, languageVersionOrOptions, onError);
    const found = known.get(name);
    if (found?.text === text) return found.source;
    const source = ts.createSourceFile(name, text, languageVersionOrOptions, true);
    if (name.startsWith(ROOT)) known.set(name, { text, source });
    return source;
  };
  return ts.createProgram(rootNames, options, host);
}

function foldersAbove(file: string): readonly string[] {
  const folder = path.dirname(file);
  return folder === file ? [] : [folder, ...foldersAbove(folder)];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
