import path from 'node:path';
import { tryReadText } from './files.js';
import { isObject, parseJson, type JsonObject } from './json/json.js';

/** The package.json in a folder; undefined if it is missing or invalid, which the package manager reports better. */
export function readPackageJson(folder: string): JsonObject | undefined {
  const file = path.join(folder, 'package.json');
  const text = tryReadText(file);
  if (text === undefined) return undefined;
  try {
    const value = parseJson(text, file);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
