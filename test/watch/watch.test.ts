import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { CLI, plainEnvironment, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { catalogWith, findInternals, schemaWith } from '../support/hostile.js';
import { cases } from '../support/cases.js';

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(removeTemporaryFolders);

/** A process that watches, and what it has said. */
class WatchProcess {
  readonly child: ChildProcess;
  out = '';
  err = '';
  readonly ended: Promise<number | null>;

  constructor(cwd: string, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [CLI, 'generate', '--watch', ...args], { cwd, env: plainEnvironment() });
    running.push(this.child);
    this.child.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
  }

  /** Waits until a condition is true, with a timeout that suits slow machines. */
  async until(what: string, condition: () => boolean): Promise<void> {
    for (const start = Date.now(); !condition();) {
      if (Date.now() - start > 60_000) throw new Error(`no ${what} in: ${this.out}\n${this.err}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  get rounds(): number {
    return this.out.match(/^generated /gm)?.length ?? 0;
  }
}

function project(): string {
  const cwd = temporaryFolder();
  mkdirSync(path.join(cwd, 'src/tools'), { recursive: true });
  writeFileSync(path.join(cwd, 'schema.json'), JSON.stringify(schemaWith()));
  writeFileSync(path.join(cwd, 'catalog.json'), JSON.stringify(catalogWith()));
  writeFileSync(path.join(cwd, 'src/tools/a.input.json'), '{ "type": "object" }');
  const config = {
    schema: 'schema.json',
    catalog: 'catalog.json',
    out: 'out',
    emit: ['types'],
    tools: ['src/tools/*.input.json'],
  };
  writeFileSync(path.join(cwd, 'mcpgen.config.json'), JSON.stringify(config));
  return cwd;
}

/** Saves a file atomically, as some editors do: writes a temporary file and renames it. */
function saveAtomically(file: string, text: string): void {
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
}

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
