/** Names that objects inherit or that JavaScript treats specially are names like any other, wherever they come from. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { compileProject } from '../support/compiler.js';
import { LIST, NAMES, SCHEMAS } from './inherited-names-support.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
afterAll(removeTemporaryFolders);

describe('projects', () => {
  let folder = '';
  beforeAll(() => {
    folder = temporaryFolder();
    writeFileSync(path.join(folder, 'tools.json'), JSON.stringify({ tools: LIST }));
    writeFileSync(path.join(folder, 'all.json'), JSON.stringify(SCHEMAS[0]));
    writeFileSync(path.join(folder, 'some.json'), JSON.stringify(SCHEMAS[1]));
  });

  async function compile(project: string): Promise<void> {
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'), 'dir');
    expect(await compileProject(project)).toEqual([]);
  }

  test('add tool --input writes code that compiles', async () => {
    const args = ['init', 'server', 'demo', '--yes', '--no-install', '--no-git', '-r', '2025-11-25'];
    expect(await mcpgen(args, { cwd: folder })).toMatchObject({ code: 0 });
    const project = path.join(folder, 'demo');
    for (const [name, file] of [
      ['constructor', 'all'],
      ['valueOf', 'some'],
    ] as const) {
      const added = await mcpgen(['add', 'tool', name, '--input', `../${file}.json`], { cwd: project });
      expect(added, added.stderr).toMatchObject({ code: 0, stderr: '' });
    }
    mkdirSync(path.join(project, 'test'), { recursive: true });
    const written = readFileSync(path.join(project, 'test/tools/constructor.test.ts'), 'utf8');
    for (const name of NAMES.filter((one) => one !== '__proto__')) expect(written).toContain(`${name}: "some ${name}"`);
    await compile(project);
  });

  test('init client --tools writes code that compiles', async () => {
    const args = ['init', 'client', 'user', '--yes', '--no-install', '--no-git', '--tools', 'tools.json'];
    const made = await mcpgen([...args, '-r', '2025-11-25'], { cwd: folder });
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const project = path.join(folder, 'user');
    expect(readFileSync(path.join(project, 'src/example.ts'), 'utf8')).not.toContain('as never');
    await compile(project);
  });
});
