import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { findInternals, schemaWith } from '../support/hostile.js';
import { cases } from '../support/cases.js';
import { running, WatchProcess, project, saveAtomically } from './watch-support.js';

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(removeTemporaryFolders);

test('case-103: follows every input until SIGINT', async () => {
  expect(cases('cli').map((item) => item.id)).toContain('case-103');
  const cwd = project();
  const types = path.join(cwd, 'out/draft/types.ts');
  const watching = new WatchProcess(cwd);
  await watching.until('first round', () => watching.rounds === 1);
  expect(watching.out).toMatch(/^generated out\/: \d+ new\n$/);
  expect(existsSync(types)).toBe(true);

  // The schema, replaced three times by an atomic rename: each replacement is seen.
  for (const number of [1, 2, 3]) {
    const schema = schemaWith({ [`Extra${number}`]: { type: 'string' } });
    saveAtomically(path.join(cwd, 'schema.json'), JSON.stringify(schema));
    await watching.until(`Extra${number}`, () => readFileSync(types, 'utf8').includes(`Extra${number}`));
  }

  // While a file is broken, the error is reported, the output stays, and the next change triggers a run.
  const before = readFileSync(types, 'utf8');
  writeFileSync(path.join(cwd, 'schema.json'), '{ "$defs": {');
  await watching.until('error', () => watching.err.includes('unexpected end of JSON'));
  expect(readFileSync(types, 'utf8')).toBe(before);
  saveAtomically(path.join(cwd, 'schema.json'), JSON.stringify(schemaWith({ Fixed: { type: 'string' } })));
  await watching.until('Fixed', () => readFileSync(types, 'utf8').includes('Fixed'));

  // A config that is broken, then one with another output folder.
  const config = JSON.parse(readFileSync(path.join(cwd, 'mcpgen.config.json'), 'utf8')) as object;
  writeFileSync(path.join(cwd, 'mcpgen.config.json'), JSON.stringify({ ...config, outt: 'x' }));
  await watching.until('error', () => watching.err.includes('Did you mean "out"?'));
  saveAtomically(path.join(cwd, 'mcpgen.config.json'), JSON.stringify({ ...config, out: 'other' }));
  await watching.until('other folder', () => existsSync(path.join(cwd, 'other/tools/a.ts')));

  // A tool that comes, and one that goes.
  writeFileSync(path.join(cwd, 'src/tools/b.input.json'), '{ "type": "object" }');
  await watching.until('b', () => existsSync(path.join(cwd, 'other/tools/b.ts')));
  rmSync(path.join(cwd, 'src/tools/a.input.json'));
  await watching.until('no a', () => !existsSync(path.join(cwd, 'other/tools/a.ts')));

  expect(findInternals(watching.err)).toEqual([]);
  watching.child.kill('SIGINT');
  expect(await watching.ended).toBe(0);
});

describe.concurrent('what cannot be watched', () => {
  test.each<[readonly string[], RegExp]>([
    [['--check'], /--watch and --check cannot be combined/],
    [['--dry-run'], /--watch and --dry-run cannot be combined/],
    [['-o', '-'], /--watch needs an output folder/],
    [['--schema', '-'], /standard input cannot be watched/],
    [['-r', '2025-11-25'], /nothing to watch/],
  ])('%j', async (args, message) => {
    const result = await mcpgen(['generate', '--watch', ...args], { cwd: temporaryFolder() });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
  });
});
