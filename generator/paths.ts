import path from 'node:path';

/** Whether a path is a folder or below it, by its name alone: links are not followed. */
export function isBelow(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** A path for messages: relative to a folder if it is below it, else unchanged. */
export function displayPath(file: string, folder = process.cwd()): string {
  return isBelow(folder, file) ? path.relative(folder, file) || '.' : file;
}

/** The relative module specifier of a folder: `./generated`, `../generated`. */
export function relativeImportPath(from: string, to: string): string {
  const way = path.relative(from, to).replaceAll(path.sep, '/');
  return way.startsWith('.') ? way : `./${way}`;
}
