import path from 'node:path';
import { withoutExtension } from './edits.js';
import type { AuthorFile } from './method-names.js';

/** A place where a file imports another. */
export interface ImportLocation {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** The imported file, as it was given. */
  readonly imported: string;
}

/**
 * Finds where files import one of some others, with or without extension.
 *
 * @param files - The files to look through, with paths relative to the current folder.
 * @param targets - The imported files, with paths relative to the current folder.
 */
export async function findImporters(
  files: readonly AuthorFile[],
  targets: readonly string[],
): Promise<readonly ImportLocation[]> {
  // Imported on demand: it includes the compiler.
  const { ts } = await import('ts-morph');
  const targetsByStem = new Map(targets.map((target) => [withoutExtension(path.resolve(target)), target]));
  return files.flatMap(({ path: file, text }) =>
    ts.preProcessFile(text, true, true).importedFiles.flatMap(({ fileName, pos }) => {
      if (!fileName.startsWith('.')) return [];
      const imported = targetsByStem.get(withoutExtension(path.resolve(path.dirname(file), fileName)));
      return imported === undefined ? [] : [{ path: file, line: text.slice(0, pos).split('\n').length, imported }];
    }),
  );
}
