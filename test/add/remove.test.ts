import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { readFiles, removeTemporaryFolders, type Run } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { findListEntries, unregisterFromList } from '../../generator/scaffold/edit/unregister.js';
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

  test.each([
    ['tool', ['get-weather', '--input', '../weather.json', '--output', '../weather.json']],
    ['resource', ['notes', '--uri', 'notes://{id}']],
    ['prompt', ['review']],
  ] as const)('remove %s undoes add', async (kind, [name, ...options]) => {
    const before = files();
    expect(await mcpgen(['add', kind, name, ...options], { cwd: project })).toMatchObject({ code: 0 });
    expect(files()).not.toEqual(before);
    expect(await remove(kind, name)).toMatchObject({ code: 0, stderr: '' });
    expect(files()).toEqual(before);
  });

  test('the examples are removed without a trace', async () => {
    for (const args of [
      ['tool', 'greet'],
      ['resource', 'about', 'greeting'],
      ['prompt', 'introduce'],
    ])
      expect(await remove(...args)).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(path.join(project, 'src/tools/index.ts'), 'utf8')).toMatch(/export const tools = \[\];\n$/);
    const left = [...files()].filter(([name]) => !/^src\/generated\/(?:20|runtime)/.test(name));
    expect(left.filter(([, text]) => /\bgreet|about:\/\/|introduce/i.test(text)).map(([name]) => name)).toEqual([]);
    expect((await mcpgen(['generate', '--check'], { cwd: project })).code).toBe(0);
  });
});

describe('the list of an index', () => {
  const removed = async (text: string, local: string): Promise<string> => {
    const entry = (await findListEntries(text, 'tools')).find((item) => item.local === local);
    if (entry === undefined) throw new Error(`there is no ${local}`);
    const result = await unregisterFromList(text, 'tools', entry);
    return result.status === 'removed' ? result.text : result.reason;
  };
  const imports = 'import { a } from "./a.js";\nimport { b } from "./b.js";\nimport { c } from "./c.js";\n';
  const [A, B, C] = imports.split('\n').map((line) => `${line}\n`) as [string, string, string];

  test.each([
    [
      'the first of a line',
      `${imports}export const tools = [a, b, c];\n`,
      'a',
      `${B}${C}export const tools = [b, c];\n`,
    ],
    ['one in the middle', `${imports}export const tools = [a, b, c];\n`, 'b', `${A}${C}export const tools = [a, c];\n`],
    [
      'the last of a line',
      `${imports}export const tools = [a, b, c];\n`,
      'c',
      `${A}${B}export const tools = [a, b];\n`,
    ],
    [
      'a trailing comma',
      `${imports}export const tools = [a, b, c,];\n`,
      'c',
      `${A}${B}export const tools = [a, b,];\n`,
    ],
    ['the only one', `${A}export const tools = [a];\n`, 'a', 'export const tools = [];\n'],
    [
      'a line with a comment',
      `${imports}export const tools = [\n  // first\n  a,\n  b, // second\n  c,\n];\n`,
      'b',
      `${A}${C}export const tools = [\n  // first\n  a,\n  c,\n];\n`,
    ],
    [
      'the last line, without a comma',
      `${imports}export const tools = [\n  a,\n  b,\n  c\n];\n`,
      'c',
      `${A}${B}export const tools = [\n  a,\n  b\n];\n`,
    ],
    [
      'one import of several',
      'import { a, b as x } from "./a.js";\nexport const tools = [a, x];\n',
      'x',
      'import { a } from "./a.js";\nexport const tools = [a];\n',
    ],
    [
      'CRLF and a byte order mark',
      '\ufeffimport { a } from "./a.js";\r\nexport const tools = [\r\n  a,\r\n];\r\n',
      'a',
      '\ufeffexport const tools = [\r\n];\r\n',
    ],
    [
      'satisfies and spread ones',
      `${A}export const tools = [...others, a] satisfies Tool[];\n`,
      'a',
      'export const tools = [...others] satisfies Tool[];\n',
    ],
  ])('%s', async (_title, text, local, expected) => {
    expect(await removed(text, local)).toBe(expected);
  });
});
