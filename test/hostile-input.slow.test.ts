import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  CLI,
  mcpgen as mcpgenProcess,
  plainEnvironment,
  removeTemporaryFolders,
  temporaryFolder,
  type Run,
} from './support/cli.js';
import { mcpgen } from './support/in-process.js';
import { expectRefused } from './hostile-input-support.js';

afterAll(removeTemporaryFolders);

const readers: Readonly<Record<string, readonly string[]>> = {
  'generate --schema': ['generate', '-o', 'out', '--schema'],
  'types tools': ['types', 'tools', '-o', 'out'],
  'sync --from': ['sync', '-r', 'draft', '-o', 'out', '--from'],
  'drift --sdk': ['drift', '-r', '2025-11-25', '--sdk'],
};

describe('a file that cannot be read', () => {
  test.each(Object.entries(readers))('by %s', async (name, args) => {
    const cwd = temporaryFolder();
    const file = name === 'drift --sdk' ? './bad.ts' : 'bad.json';
    symlinkSync(path.basename(file), path.join(cwd, file));
    writeFileSync(path.join(cwd, 'file'), '');
    const isDrift = name === 'drift --sdk';
    const [circle, below, long] = await Promise.all([
      mcpgen([...args, file], { cwd }),
      mcpgen([...args, './file/x.ts'], { cwd }),
      mcpgen([...args, `./${'x'.repeat(300)}.ts`], { cwd }),
    ]);
    expectRefused(circle, isDrift ? 'no such file or folder' : 'the symbolic links form a loop', cwd);
    expectRefused(below, 'no such file', cwd);
    expectRefused(long, isDrift ? 'no such file or folder' : 'the name is too long', cwd);
  });

  test('types that are nested deeper than the compiler reads', async () => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'deep.ts'), `export const a = ${'['.repeat(100_000)}`);
    const result = await mcpgenProcess(['drift', '--sdk', './deep.ts', '-r', '2025-11-25'], { cwd });
    expectRefused(result, 'nested deeper than the compiler can read', cwd);
  });
});

describe('a config that is a program and', () => {
  test.each<[string, string, string]>([
    ['ends the process', 'process.exit(0)', 'cannot be loaded: it ends the process'],
    ['ends it later', 'setTimeout(() => process.exit(0), 0); await new Promise(() => {});', 'it ends the process'],
    ['never comes to an end', 'await new Promise(() => {});', 'it awaits a promise that never settles'],
    ['fails beside its course', 'Promise.reject(new Error("later")); await new Promise(() => {});', 'later'],
    [
      'throws what cannot be shown',
      'throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } })',
      'it throws a value that cannot be shown',
    ],
    ['exports a promise', 'export default Promise.resolve({ out: "out" })', 'not plain data: it contains a promise'],
    ['exports a map', 'export default new Map([["out", "out"]])', 'not plain data: it contains an instance of a class'],
    ['exports a function', 'export default () => ({ out: "out" })', 'must be an object'],
    ['holds itself', 'const a = {}; a.out = a; export default a', 'it contains itself, or is nested too deeply'],
    ['holds a bigint', 'export default { out: 5n }', 'it contains a bigint'],
    ['throws when it is read', 'export default { get out() { throw new Error("no luck"); } }', 'no luck'],
  ])('%s', async (_, text, message) => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'package.json'), '{ "type": "module" }');
    writeFileSync(path.join(cwd, 'mcpgen.config.js'), text);
    const result = await mcpgenProcess(['methods', '-r', '2025-11-25'], { cwd });
    // A command that needs no config does not load it.
    expect(result.code).toBe(0);
    expectRefused(await mcpgenProcess(['generate'], { cwd }), message, cwd);
  });

  test('leaves something running: the run ends all the same', async () => {
    const cwd = temporaryFolder();
    writeFileSync(
      path.join(cwd, 'mcpgen.config.mjs'),
      'setInterval(() => {}, 1000); export default { revisions: ["2025-11-25"], emit: ["errors"], out: "out" }',
    );
    expect(await mcpgenProcess(['generate', '--config', 'mcpgen.config.mjs'], { cwd })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  test('of Prettier, which exits the process: no check passes', async () => {
    const cwd = temporaryFolder();
    mkdirSync(path.join(cwd, 'out'));
    writeFileSync(path.join(cwd, '.prettierrc.mjs'), 'process.exit(0)');
    const result = await mcpgenProcess(['generate', '-r', '2025-11-25', '--emit', 'errors', '-o', 'out', '--check'], {
      cwd,
    });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('error: a loaded program ended the process\n');
  });
});

test('a folder that is gone is reported', async (context) => {
  if (process.platform === 'win32') context.skip('a folder in use cannot be removed here');
  const cwd = temporaryFolder();
  const result = await new Promise<Run>((resolve) => {
    const line = `mkdir gone && cd gone && rmdir ../gone && "${process.execPath}" "${CLI}" generate`;
    execFile('sh', ['-c', line], { cwd, env: plainEnvironment() }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
  expectRefused(result, 'the current folder no longer exists', cwd);
});
