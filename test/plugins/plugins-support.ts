import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { loadProtocol, McpgenError, render, type Plugin } from '../../generator/index.js';
import { definePlugin } from '../../generator/plugin.js';
import { temporaryFolder } from '../support/cli.js';

export const REVISION = '2025-11-25';
export const ARGS = ['generate', '-r', REVISION, '-o', 'out', '--emit', 'types'];
export const IMPORT = "import { definePlugin } from 'mcpgen/plugin';\n";

export function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = temporaryFolder();
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), typeof contents === 'string' ? contents : JSON.stringify(contents));
  }
  return folder;
}

export async function rendered(
  generateFiles: Plugin['generate'],
  emit = ['types'] as const,
): Promise<ReadonlyMap<string, string>> {
  const files = await render(await loadProtocol({ revision: REVISION }), temporaryFolder(), {
    emit,
    plugins: [definePlugin(1, generateFiles)],
  });
  return new Map(files.map((file) => [file.path, file.contents]));
}

/** The message of a plugin that is refused. */
export async function refused(generateFiles: Plugin['generate']): Promise<string> {
  const error: unknown = await rendered(generateFiles).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(McpgenError);
  return (error as McpgenError).format();
}
