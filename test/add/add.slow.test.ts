import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removeTemporaryFolders, run, type Run } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { addExamples, createDemoServer } from './support.js';

afterAll(removeTemporaryFolders);

test('a project passes its checks after additions', async () => {
  const project = await createDemoServer();
  await addExamples(project);
  const tool = (name: string, ...args: readonly string[]): Promise<Run> =>
    run(process.execPath, [path.resolve('node_modules', name), ...args], { cwd: project });
  expect(await tool('typescript-7/bin/tsc', '-p', '.')).toMatchObject({ code: 0, stdout: '' });
  expect(await tool('eslint/bin/eslint.js', '--max-warnings', '0', '.')).toMatchObject({ code: 0, stdout: '' });
  const tests = await tool('vitest/vitest.mjs', 'run', '--reporter', 'json');
  expect(tests.code, tests.stdout + tests.stderr).toBe(0);
  expect(await mcpgen(['generate', '--check'], { cwd: project })).toMatchObject({ code: 0, stderr: '' });
});
