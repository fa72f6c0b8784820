import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from './support/cli.js';
import { mcpgen } from './support/in-process.js';
import { catalogWith, schemaWith } from './support/hostile.js';

/** Runs a command that must succeed without a notice. */
export async function expectSuccess(
  args: readonly string[],
  options: Parameters<typeof mcpgen>[1] = {},
): Promise<string> {
  const result = await mcpgen(args, options);
  expect(result.stderr).toBe('');
  expect(result.code).toBe(0);
  return result.stdout;
}

/** A folder with the smallest schema and its catalog. */
export function smallProtocol(): string {
  const cwd = temporaryFolder();
  writeFileSync(path.join(cwd, 'schema.json'), JSON.stringify(schemaWith()));
  writeFileSync(path.join(cwd, 'catalog.json'), JSON.stringify(catalogWith()));
  return cwd;
}
