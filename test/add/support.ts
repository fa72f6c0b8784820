import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The schema in the file `weather.json` next to the project. */
export const WEATHER = {
  type: 'object',
  description: 'Looks up the weather of a city.',
  properties: { city: { type: 'string', minLength: 2 }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
};

/**
 * Creates a server with `init` in a temporary folder, next to some schemas. Returns the folder of the project.
 *
 * @param options - More options of `init`.
 */
export async function createDemoServer(...options: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  const args = ['init', 'server', 'demo', '--yes', '--no-install', '--no-git', '-r', '2025-11-25', '-r', '2026-07-28'];
  const result = await mcpgen([...args, ...options], { cwd: folder });
  expect(result.code, result.stderr).toBe(0);
  const project = path.join(folder, 'demo');
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'), 'dir');
  writeFileSync(path.join(folder, 'weather.json'), JSON.stringify(WEATHER));
  writeFileSync(path.join(folder, 'wrong.json'), '{ "type": "string" }');
  // Nobody can find a value for it without knowing regular expressions.
  writeFileSync(
    path.join(folder, 'hard.json'),
    '{ "type": "object", "properties": { "a": { "type": "string", "pattern": "^x{3}y+$" } }, "required": ["a"] }',
  );
  return project;
}

/** Adds tools, resources and a prompt to a project of {@link createDemoServer}. */
export async function addExamples(project: string): Promise<void> {
  for (const args of [
    ['tool', 'get-weather', '--input', '../weather.json'],
    ['tool', 'hard', '--input', '../hard.json'],
    ['tool', 'delete'],
    ['tool', 'admin.tools.list'],
    ['resource', 'notes', '--uri', 'notes://{id}'],
    ['resource', 'motd'],
    ['prompt', 'review'],
  ]) {
    const result = await mcpgen(['add', ...args], { cwd: project });
    expect([args, result.code, result.stderr]).toEqual([args, 0, '']);
  }
}
