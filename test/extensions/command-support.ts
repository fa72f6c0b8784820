import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reports } from './support.js';

export const GENERATE = ['generate', '-r', '2026-07-28', '--emit', 'methods'] as const;

export function rows(catalog: Record<string, unknown>): object[] {
  return catalog['methods'] as object[];
}

/** Writes the files of an extension below a folder, and returns the path of its catalog there. */
export function writeExtension(cwd: string, change?: Parameters<typeof reports>[0]): string {
  const { catalog, schema } = reports(change);
  mkdirSync(path.join(cwd, 'ext'), { recursive: true });
  for (const { name, contents } of [catalog, schema]) writeFileSync(path.join(cwd, 'ext', name), contents);
  return 'ext/catalog.json';
}
