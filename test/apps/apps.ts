import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generate, type GenerateOptions } from '../../generator/index.js';
import { importOutput } from '../support/import-output.js';

/** The identifier of the extension. */
export const APPS = 'io.modelcontextprotocol/ui';

/** The revisions that it extends. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;

export const root = path.resolve(import.meta.dirname, '../..');

/** The schema of the protocol between views and hosts. */
export function viewSchema(): { $defs: Record<string, object> } {
  const file = path.join(root, 'schema/extensions', APPS, 'view/schema.json');
  return JSON.parse(readFileSync(file, 'utf8')) as { $defs: Record<string, object> };
}

/** Generates revisions with the extension, below the repository, so that packages resolve. */
export async function generateApps(options: Pick<GenerateOptions, 'emit'> = {}): Promise<Generated> {
  const out = mkdtempSync(path.join(root, 'node_modules/.apps-'));
  await generate({ out, importExtension: 'ts', strict: true, revisions: REVISIONS, extensions: [APPS], ...options });
  return {
    out,
    load: (file) => importOutput<never>(path.join(out, file)),
    write: (file, text) => {
      writeFileSync(path.join(out, file), text);
      return path.join(out, file);
    },
    remove: () => {
      rmSync(out, { recursive: true, force: true });
    },
  };
}

/** Generated files. */
export interface Generated {
  readonly out: string;
  /** Imports a generated file by its path below the output folder. */
  load(file: string): Promise<never>;
  write(file: string, text: string): string;
  remove(): void;
}
