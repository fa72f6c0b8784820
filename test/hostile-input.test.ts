import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { CLI, plainEnvironment, removeTemporaryFolders, temporaryFolder, type Run } from './support/cli.js';
import { mcpgen } from './support/in-process.js';
import { findHiddenCharacters } from './support/hostile.js';
import { expectRefused } from './hostile-input-support.js';

afterAll(removeTemporaryFolders);

describe('a file that cannot be read', () => {
  test('a device or a pipe without end', async (context) => {
    if (!existsSync('/dev/zero')) context.skip('there is no /dev/zero here');
    const cwd = temporaryFolder();
    expectRefused(await mcpgen(['generate', '--schema', '/dev/zero', '-o', 'out'], { cwd }), 'larger than 64 MB', cwd);
    const piped = await new Promise<Run>((resolve) => {
      const line = `"${process.execPath}" "${CLI}" generate --schema - -o out < /dev/zero`;
      execFile('sh', ['-c', line], { cwd, env: plainEnvironment() }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
    expectRefused(piped, 'larger than 64 MB', cwd);
  });
});

describe('a terminal is not steered', () => {
  test.each<[readonly string[], number]>([
    [['\u001b[2J'], 2],
    [['generate', '--\u001b[2J'], 2],
    [['generate', '--import-extension', '\u001b[2J'], 2],
    [['explain', '\u001b[2J\u202e'], 2],
    [['generate', '-r', '2025-11-25', '--emit', 'errors', '-o', '\u001b[2J\u202e'], 0],
  ])('by %j', async (args, code) => {
    const result = await mcpgen(args, { cwd: temporaryFolder() });
    expect(result.code).toBe(code);
    expect(findHiddenCharacters(result.stdout + result.stderr)).toEqual([]);
  });
});

test('a path that is too long for the system is refused before anything is made', async () => {
  const cwd = temporaryFolder();
  const out = 'x/'.repeat(20_000);
  expectRefused(await mcpgen(['generate', '-o', out], { cwd }), 'the path is too long for this system', cwd);
});
