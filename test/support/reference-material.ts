import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'vitest';

/** Reference material beside the project: official schemas and examples. It is not part of the project. */
const folder = path.resolve(import.meta.dirname, '../../../shared');

/** Whether the reference material is there. Tests that need it skip with a reason where it is not. */
export const hasReferenceMaterial = existsSync(path.join(folder, 'spec'));

/** Skips the running test, with the reason, where the reference material is not there. */
export function requireReferenceMaterial(context: TestContext): void {
  context.skip(!hasReferenceMaterial, 'the reference material is not beside the project');
}

/** Text of an official schema file. */
export function officialSchema(revision: string): string {
  return readFileSync(path.join(folder, 'spec', revision, 'schema.json'), 'utf8');
}

/** Path of an official schema file. */
export function officialSchemaPath(revision: string): string {
  return path.join(folder, 'spec', revision, 'schema.json');
}

/** The official example values of 2026-07-28: the definition that each is of, its file name and its value. */
export function officialExamples(): readonly { definition: string; name: string; value: unknown }[] {
  const root = path.join(folder, 'examples', '2026-07-28');
  if (!hasReferenceMaterial) return [];
  return readdirSync(root).flatMap((definition) =>
    readdirSync(path.join(root, definition)).map((name) => ({
      definition,
      name,
      value: JSON.parse(readFileSync(path.join(root, definition, name), 'utf8')) as unknown,
    })),
  );
}
