import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { readFiles, removeTemporaryFolders, type Run } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { createDemoServer } from './support.js';

afterAll(removeTemporaryFolders);

describe('a project', () => {
  let project = '';
  beforeEach(async () => {
    project = await createDemoServer();
  });

  const remove = (...args: readonly string[]): Promise<Run> => mcpgen(['remove', ...args], { cwd: project });
  const files = (): ReadonlyMap<string, string> =>
    new Map([...readFiles(project)].filter(([name]) => /^(?:src|test)\//.test(name)));

  test('a dry run prints what would be deleted', async () => {
    const before = files();
    const result = await remove('tool', 'greet', '--dry-run');
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe(
      [
        'would remove src/tools/greet.ts',
        'would remove test/tools/greet.test.ts',
        'would remove src/tools/greet.input.json',
        'would change src/tools/index.ts: greet left the list',
        'would change src/generated/tools/index.ts',
        'would remove src/generated/tools/greet.ts',
        '',
      ].join('\n'),
    );
    expect(files()).toEqual(before);
  });

  test('--json has the files', async () => {
    const { stdout } = await remove('prompt', 'introduce', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'prompt',
      names: ['introduce'],
      dryRun: false,
      files: [
        { path: 'src/prompts/introduce.ts', action: 'remove' },
        { path: 'test/prompts/introduce.test.ts', action: 'remove' },
        { path: 'src/prompts/index.ts', action: 'update' },
      ],
    });
  });

  test('other files that import what is removed are named', async () => {
    writeFileSync(
      path.join(project, 'src/other.ts'),
      '\nimport { greet } from "./tools/greet.js";\nconsole.log(greet);\n',
    );
    const result = await remove('tool', 'greet');
    expect(result.code).toBe(0);
    expect(result.stderr).toBe(
      'warning: src/other.ts:2: this file imports src/tools/greet.ts, which is removed\nhint: Remove what uses it.\n',
    );
  });

  test('an unknown name changes nothing', async () => {
    const before = files();
    const result = await remove('resource', 'about', 'greetin');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toBe(
      'error: src/resources/index.ts: there is no resource "greetin" in the list\nhint: Did you mean greeting?\n',
    );
    expect(files()).toEqual(before);
  });

  test('a file with another tool in it is kept', async () => {
    const file = path.join(project, 'src/tools/greet.ts');
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}\nexport const wave = defineTool({ name: "wave", run: () => "" });\n`,
    );
    const index = path.join(project, 'src/tools/index.ts');
    writeFileSync(index, 'import { greet, wave } from "./greet.js";\nexport const tools = [greet, wave];\n');
    const result = await remove('tool', 'wave');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/^error: src\/tools\/greet\.ts: the file has greet too; nothing was written\n/);
    expect(existsSync(file)).toBe(true);
  });

  test('the files of another tool of the same name in another folder are kept', async () => {
    mkdirSync(path.join(project, 'src/tools/admin'));
    writeFileSync(
      path.join(project, 'src/tools/admin/greet.ts'),
      'import { defineTool } from "../../generated/runtime/registry.js";\nexport const adminGreet = defineTool({ name: "admin-greet", run: () => "" });\n',
    );
    const index = path.join(project, 'src/tools/index.ts');
    const before = readFileSync(index, 'utf8');
    writeFileSync(
      index,
      `import { adminGreet } from "./admin/greet.js";\n${before.replace('[greet]', '[greet, adminGreet]')}`,
    );
    expect((await remove('tool', 'admin-greet')).stdout).toBe(
      'removed src/tools/admin/greet.ts\nchanged src/tools/index.ts: adminGreet left the list\n',
    );
    expect(readFileSync(index, 'utf8')).toBe(before);
  });

  test('an index that imports more from the file is not changed', async () => {
    const index = path.join(project, 'src/tools/index.ts');
    const text = readFileSync(index, 'utf8').replace('{ greet }', '{ GREETINGS, greet }');
    writeFileSync(index, `${text}\nexport { GREETINGS };\n`);
    const result = await remove('tool', 'greet');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(
      /src\/tools\/index\.ts: it imports more from src\/tools\/greet\.ts; nothing was written/,
    );
    expect(existsSync(path.join(project, 'src/tools/greet.ts'))).toBe(true);
  });

  test('other files that import its generated types are named', async () => {
    writeFileSync(path.join(project, 'src/other.ts'), 'export { greetInput } from "./generated/tools/greet.js";\n');
    const result = await remove('tool', 'greet');
    expect(result.stderr).toContain(
      'src/other.ts:1: this file imports src/generated/tools/greet.ts, which is removed\n',
    );
  });

  test('an index that uses it elsewhere is not changed', async () => {
    const index = path.join(project, 'src/tools/index.ts');
    writeFileSync(index, `${readFileSync(index, 'utf8')}\nexport { greet };\n`);
    const before = files();
    const result = await remove('tool', 'greet');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/src\/tools\/index\.ts:6: it uses `greet` here too, so greet cannot be removed/);
    expect(files()).toEqual(before);
  });
});
