import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DriftReport } from '../../generator/drift/report.js';
import { temporaryFolder } from '../support/cli.js';

/** The folder of packages to compare with. */
export const FIXTURES = path.resolve(import.meta.dirname, 'fixtures');

/** Findings in short, as a report shows them. */
export function findingLines({ findings }: DriftReport): readonly string[] {
  return findings.map(({ kind, path: place, theirs, ours, erratum }) =>
    [`${kind} ${place}: theirs ${theirs}, ours ${ours}`, ...(erratum === undefined ? [] : [`[${erratum}]`])].join(' '),
  );
}

/** Names of definitions with a status. */
export function definitionsWithStatus({ definitions }: DriftReport, status: string): readonly string[] {
  return definitions.filter((item) => item.status === status).map(({ name }) => name);
}

/** A new folder with files; package.json and the like are given as objects. */
export function folderWith(files: Readonly<Record<string, string | object>>): string {
  const folder = temporaryFolder();
  for (const [name, contents] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof contents === 'string' ? contents : JSON.stringify(contents));
  }
  return folder;
}
