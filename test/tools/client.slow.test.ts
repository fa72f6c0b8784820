import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { runScripts, runStep, shareModules } from '../scaffold/support.js';

const EVERYTHING = path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const FLAGS = ['--yes', '--no-install', '--no-git', '-r', '2025-11-25'];

afterAll(removeTemporaryFolders);

test('init client --from-server: the project of the reference server passes what its author runs', async () => {
  const folder = temporaryFolder();
  shareModules(folder);
  const command = `"${process.execPath}" node_modules/@modelcontextprotocol/server-everything/dist/index.js`;
  const made = await mcpgen(['init', 'client', 'demo', ...FLAGS, '--from-server', command], { cwd: folder });
  expect([made.code, made.stderr]).toEqual([0, '']);
  const project = path.join(folder, 'demo');
  expect(readFileSync(path.join(project, 'src/target.ts'), 'utf8')).toContain(
    '"../node_modules/@modelcontextprotocol/server-everything/dist/index.js"',
  );
  for (const { command: name, code, output } of await runScripts(project, ['check', 'lint', 'build', 'test'])) {
    expect([name, code, output]).toEqual([name, 0, expect.anything()]);
  }
  const called = await runStep(process.execPath, ['dist/index.js', '--example'], project);
  expect(called.code).toBe(0);
  expect(called.output).toContain('"temperature": 33');
  // A second run against the same server writes the same files, with either command.
  const refresh = ['types', 'tools', '--from-server', `"${process.execPath}" "${EVERYTHING}"`, '--save', 'tools.json'];
  const again = await mcpgen(refresh, { cwd: project });
  expect(again.stdout).toMatch(/: \d+ unchanged\n$/);
  expect((await mcpgen(['generate', '--check'], { cwd: project })).code).toBe(0);
});
