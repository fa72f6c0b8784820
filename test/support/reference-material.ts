import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'vitest';

const project = path.resolve(import.meta.dirname, '../..');

/**
 * Official schemas and examples, which are not in the repository: `spec/<revision>/schema.json` and
 * `examples/<revision>/<definition>/*.json`, in the folder that `MCPGEN_REFERENCE` names or in `../shared`.
 */
export const referenceFolder = path.resolve(project, process.env['MCPGEN_REFERENCE'] ?? '../shared');

/** Whether the reference files exist. Tests that need them skip with a reason otherwise. */
export const hasReferenceMaterial = existsSync(path.join(referenceFolder, 'spec'));

/** Skips the running test, with the reason, without the reference files. */
export function requireReferenceMaterial(context: TestContext): void {
  context.skip(
    !hasReferenceMaterial,
    'needs official files in ../shared, or in the folder that MCPGEN_REFERENCE names',
  );
}

/** Text of an official schema file. */
export function officialSchema(revision: string): string {
  return readFileSync(path.join(referenceFolder, 'spec', revision, 'schema.json'), 'utf8');
}

/** The folder of the official schema files: `<revision>/schema.json`. */
export const officialSchemas = path.join(referenceFolder, 'spec');

/** Path of an official schema file. */
export function officialSchemaPath(revision: string): string {
  return path.join(referenceFolder, 'spec', revision, 'schema.json');
}

/** The official example values of 2026-07-28: the definition that each is of, its file name and its value. */
export function officialExamples(): readonly { definition: string; name: string; value: unknown }[] {
  const root = path.join(referenceFolder, 'examples', '2026-07-28');
  if (!hasReferenceMaterial) return [];
  return readdirSync(root).flatMap((definition) =>
    readdirSync(path.join(root, definition)).map((name) => ({
      definition,
      name,
      value: JSON.parse(readFileSync(path.join(root, definition, name), 'utf8')) as unknown,
    })),
  );
}
