import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFiles, removeTemporaryFolders, run, temporaryFolder, type Run } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { internalsIn } from '../support/hostile.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const WEATHER = {
  type: 'object',
  description: 'Looks up the weather of a city.',
  properties: { city: { type: 'string', minLength: 2 }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
};

const here = (args: readonly string[], cwd: string): Promise<Run> => mcpgen(args, { cwd });

let project = '';

beforeAll(async () => {
  const folder = temporaryFolder();
  const args = ['init', 'server', 'demo', '--yes', '--no-install', '--no-git', '-r', '2025-11-25', '-r', '2026-07-28'];
  const result = await here(args, folder);
  expect(result.code, result.stderr).toBe(0);
  project = path.join(folder, 'demo');
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'), 'dir');
  writeFileSync(path.join(folder, 'weather.json'), JSON.stringify(WEATHER));
  writeFileSync(path.join(folder, 'wrong.json'), '{ "type": "string" }');
  // Nobody can find a value for it without knowing regular expressions.
  writeFileSync(
    path.join(folder, 'hard.json'),
    '{ "type": "object", "properties": { "a": { "type": "string", "pattern": "^x{3}y+$" } }, "required": ["a"] }',
  );
});

afterAll(removeTemporaryFolders);

async function add(...args: readonly string[]): Promise<Run> {
  return here(['add', ...args], project);
}

/** Files below the sources and tests, without what is generated. */
function own(): ReadonlyMap<string, string> {
  return new Map([...readFiles(project)].filter(([name]) => /^(?:src|test)\//.test(name)));
}

test('a dry run says what would be written, and writes nothing', async () => {
  const before = own();
  const result = await add('tool', 'get-weather', '--input', '../weather.json', '--dry-run');
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout).toContain('would write src/tools/get-weather.ts');
  expect(result.stdout).toContain('would change src/tools/index.ts: getWeather is in the list');
  expect(own()).toEqual(before);
});

test('a pattern that never ends costs no more than an example', async () => {
  const slow = { type: 'string', pattern: '^(.+)+!$' };
  const a = { type: 'string', minLength: 60 };
  const schema = { type: 'object', properties: { a }, required: ['a'], patternProperties: { '^.$': slow } };
  writeFileSync(path.join(project, 'slow.json'), JSON.stringify(schema));
  const result = await add('tool', 'slow', '--input', 'slow.json', '--dry-run');
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout).toContain('would write src/tools/slow.ts');
}, 60_000);

test('what was added compiles, is clean and works, and adding it again changes nothing', async () => {
  for (const args of [
    ['tool', 'get-weather', '--input', '../weather.json'],
    ['tool', 'hard', '--input', '../hard.json'],
    ['tool', 'delete'],
    ['tool', 'admin.tools.list'],
    ['resource', 'notes', '--uri', 'notes://{id}'],
    ['resource', 'motd'],
    ['prompt', 'review'],
  ]) {
    const result = await add(...args);
    expect([args, result.code, result.stderr]).toEqual([args, 0, '']);
  }
  const before = own();
  expect(before.get('src/tools/get-weather.input.json')).toBe(JSON.stringify(WEATHER));
  expect(before.get('src/tools/index.ts')).toContain('[greet, getWeather, hard, deleteTool, adminToolsList]');
  const again = await add('tool', 'get-weather', '--input', '../weather.json', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ kind: 'tool', name: 'get-weather', registered: false });
  expect((await add('prompt', 'review')).stdout).toBe('prompt review is there already; nothing was changed\n');
  expect(own()).toEqual(before);

  const tool = (name: string, ...args: readonly string[]): Promise<Run> =>
    run(process.execPath, [path.join(ROOT, 'node_modules', name), ...args], { cwd: project });
  expect(await tool('typescript/bin/tsc', '-p', '.')).toMatchObject({ code: 0, stdout: '' });
  expect(await tool('eslint/bin/eslint.js', '--max-warnings', '0', '.')).toMatchObject({ code: 0, stdout: '' });
  const tests = await tool('vitest/vitest.mjs', 'run', '--reporter', 'json');
  expect(tests.code, tests.stdout + tests.stderr).toBe(0);
  expect(await here(['generate', '--check'], project)).toMatchObject({ code: 0, stderr: '' });
});

describe('what cannot be done is reported once, with nothing written', () => {
  test.each<[readonly string[], RegExp]>([
    [['tool', 'a b'], /"a b" is not a name for a tool/],
    [['tool', '../x'], /"\.\.\/x" is not a name/],
    [['tool', 'x', '--input', '../none.json'], /none\.json: no such file/],
    [
      ['tool', 'x', '--input', '../wrong.json'],
      /wrong\.json: the schema of the arguments of a tool is that of an object/,
    ],
    [['tool', 'greet2', 'x'], /too many arguments/],
    [['tol', 'x'], /unknown command 'tol'[^]*Did you mean tool\?/],
    [['tool', 'Greet'], /src\/tools\/greet\.ts: there is another tool in that file already/],
    [['tool', '-greet'], /unknown option/],
    [
      ['resource', 'x', '--uri', 'x://{?q}'],
      /--uri: the URI template x:\/\/\{\?q\} is not supported: .*, at character 5\n/,
    ],
    [['resource', 'x', '--uri', 'x://{a}{b}'], /two variables need a text between them, at character 8\n/],
    [['resource', 'x', '--uri', 'notes://{id}'], /src\/resources\/notes\.ts: the address notes:\/\/\{id\} is taken/],
    [['resource', 'x', '--uri', 'notes://{name}'], /notes:\/\/\{name\} matches the same addresses as notes:\/\/\{id\}/],
    [['tool', '_greet'], /src\/tools\/greet\.ts: this file is there already, with the tool "greet" in it/],
  ])('%j', async (args, message) => {
    const before = own();
    const result = await add(...args);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(internalsIn(result.stderr)).toEqual([]);
    expect(own()).toEqual(before);
  });

  test('an index of another form: the line to add by hand', async () => {
    const index = path.join(project, 'src/prompts/index.ts');
    const text = readFileSync(index, 'utf8');
    writeFileSync(index, text.replace('[', 'list([').replace(']', '])'));
    const before = own();
    const result = await add('prompt', 'other');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(
      /^error: src\/prompts\/index\.ts:\d+: `prompts` is not written as a list, so other cannot be added to it; nothing was written\n {2}By hand: import \{ other \} from "\.\/other\.js"; and other into the list `prompts`\.\n$/,
    );
    expect(own()).toEqual(before);
    writeFileSync(index, text);
  });

  test('no project, and one without what is needed', async () => {
    const cwd = temporaryFolder();
    const nowhere = await here(['add', 'tool', 'x'], cwd);
    expect(nowhere).toMatchObject({ code: 2, stdout: '' });
    expect(nowhere.stderr).toMatch(/this is not the project of a server/);
    writeFileSync(path.join(cwd, 'mcpgen.config.json'), '{ "emit": ["default"] }');
    expect((await here(['add', 'tool', 'x'], cwd)).stderr).toMatch(/mcpgen\.config\.json: emit: .*no registry/);
    writeFileSync(path.join(cwd, 'mcpgen.config.json'), '{ "emit": ["default", "registry"] }');
    expect((await here(['add', 'tool', 'x'], cwd)).stderr).toMatch(
      /src\/server\.ts: there is no such file, .*nothing was written\n {2}By hand:\n/,
    );
    mkdirSync(path.join(cwd, 'src/tools'), { recursive: true });
    writeFileSync(path.join(cwd, 'src/tools/index.ts'), 'export const tools = [];\n');
    writeFileSync(path.join(cwd, 'w.json'), '{ "type": "object" }');
    expect((await here(['add', 'tool', 'x', '--input', 'w.json'], cwd)).stderr).toMatch(/Add "tools": \["src/);
    expect(execFileSync('ls', ['src/tools'], { cwd, encoding: 'utf8' })).toBe('index.ts\n');
  });
});
