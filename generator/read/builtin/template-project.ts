import { readdirSync } from 'node:fs';
import path from 'node:path';
import { builtinPath, readTextFile } from '../files.js';

/** Entries of a template's folder in the repository that are not part of the template. */
const NOT_SHIPPED = /^(?:src\/generated|node_modules|dist)\//;

/** The files of a project template, by path with forward slashes. */
export function readTemplateProject(kind: string): ReadonlyMap<string, string> {
  const folder = builtinPath('..', 'templates', kind);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((name) => !NOT_SHIPPED.test(name))
    .sort();
  return new Map(names.map((name) => [name, readTextFile(path.join(folder, name))]));
}
