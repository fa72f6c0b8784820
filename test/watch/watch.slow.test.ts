import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { findInternals, schemaWith } from '../support/hostile.js';
import { running, WatchProcess, project, saveAtomically } from './watch-support.js';

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(removeTemporaryFolders);

test('runs again when a plugin of the config changes, or is repaired', async () => {
  const cwd = project();
  const plugin = (text: string): string =>
    `import { definePlugin } from 'mcpgen/plugin';\nexport default definePlugin(1, () => [{ path: 'a.md', text: ${text} }]);\n`;
  const config = JSON.parse(readFileSync(path.join(cwd, 'mcpgen.config.json'), 'utf8')) as object;
  mkdirSync(path.join(cwd, 'plugins'));
  writeFileSync(path.join(cwd, 'plugins/a.js'), plugin('"first"'));
  writeFileSync(path.join(cwd, 'mcpgen.config.json'), JSON.stringify({ ...config, plugins: ['./plugins/a.js'] }));
  const written = path.join(cwd, 'out/draft/a.md');
  const watching = new WatchProcess(cwd);
  await watching.until('first round', () => watching.rounds === 1);
  expect(readFileSync(written, 'utf8')).toContain('first');
  saveAtomically(path.join(cwd, 'plugins/a.js'), plugin('"second"'));
  await watching.until('second', () => readFileSync(written, 'utf8').includes('second'));
  writeFileSync(path.join(cwd, 'plugins/a.js'), plugin('nothing'));
  await watching.until('error', () => watching.err.includes('the plugin failed for draft: nothing is not defined'));
  expect(readFileSync(written, 'utf8')).toContain('second');
  saveAtomically(path.join(cwd, 'plugins/a.js'), plugin('"third"'));
  await watching.until('third', () => readFileSync(written, 'utf8').includes('third'));
  expect(findInternals(watching.err)).toEqual([]);
  watching.child.kill('SIGINT');
  expect(await watching.ended).toBe(0);
});

test('reports a missing config', async () => {
  const cwd = project();
  const config = path.join(cwd, 'mcpgen.config.json');
  const text = readFileSync(config, 'utf8');
  const watching = new WatchProcess(cwd);
  await watching.until('first round', () => watching.rounds === 1);
  rmSync(config);
  await watching.until('error', () => watching.err.includes('mcpgen.config.json: the config no longer exists'));
  expect(existsSync(path.join(cwd, 'generated'))).toBe(false);
  writeFileSync(config, text.replace('"out":"out"', '"out":"again"'));
  await watching.until('next round', () => existsSync(path.join(cwd, 'again/draft/types.ts')));
  watching.child.kill('SIGINT');
  expect(await watching.ended).toBe(0);
});

test('handles a burst of changes in one run', async () => {
  const cwd = project();
  const watching = new WatchProcess(cwd, ['--json']);
  const rounds = (): readonly string[] => watching.out.split('\n').filter((line) => line !== '');
  await watching.until('first round', () => rounds().length === 1);
  for (let number = 0; number < 20; number += 1) {
    writeFileSync(path.join(cwd, 'schema.json'), JSON.stringify(schemaWith({ [`N${number}`]: { type: 'string' } })));
  }
  const types = path.join(cwd, 'out/draft/types.ts');
  await watching.until('last of them', () => readFileSync(types, 'utf8').includes('N19'));
  await watching.until('its report', () => rounds().length >= 2);
  expect(rounds().length).toBeLessThan(6);
  expect(JSON.parse(rounds()[1] ?? '')).toMatchObject({ out: path.join(cwd, 'out'), warnings: [] });
  watching.child.kill('SIGTERM');
  expect(await watching.ended).toBe(0);
});

test('sees files that appear while a folder that is new in the config is scanned', async () => {
  const cwd = project();
  const watching = new WatchProcess(cwd);
  await watching.until('first round', () => watching.rounds === 1);
  const file = path.join(cwd, 'mcpgen.config.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as object;
  for (const folder of ['one', 'two', 'three']) {
    mkdirSync(path.join(cwd, folder));
    writeFileSync(path.join(cwd, folder, `${folder}-a.input.json`), '{ "type": "object" }');
    saveAtomically(file, JSON.stringify({ ...config, tools: [`${folder}/*.input.json`] }));
    await watching.until('a', () => existsSync(path.join(cwd, `out/tools/${folder}-a.ts`)));
    writeFileSync(path.join(cwd, folder, `${folder}-b.input.json`), '{ "type": "object" }');
    await watching.until('b', () => existsSync(path.join(cwd, `out/tools/${folder}-b.ts`)));
  }
  watching.child.kill('SIGINT');
  expect(await watching.ended).toBe(0);
});
