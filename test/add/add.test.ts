import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFiles, removeTemporaryFolders, temporaryFolder, type Run } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { findInternals } from '../support/hostile.js';
import { addExamples, createDemoServer, WEATHER } from './support.js';

const here = (args: readonly string[], cwd: string): Promise<Run> => mcpgen(args, { cwd });

let project = '';

beforeAll(async () => {
  project = await createDemoServer();
});

afterAll(removeTemporaryFolders);

async function add(...args: readonly string[]): Promise<Run> {
  return here(['add', ...args], project);
}

/** Files below the sources and tests, without what is generated. */
function own(): ReadonlyMap<string, string> {
  return new Map([...readFiles(project)].filter(([name]) => /^(?:src|test)\//.test(name)));
}

test('a dry run prints the changes without writing them', async () => {
  const before = own();
  const result = await add('tool', 'get-weather', '--input', '../weather.json', '--dry-run');
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout).toContain('would write src/tools/get-weather.ts');
  expect(result.stdout).toContain('would change src/tools/index.ts: getWeather is in the list');
  expect(own()).toEqual(before);
});

test('prints what is left to do in the new files', async () => {
  const result = await add('tool', 'price');
  expect(result.stdout).toMatch(
    /\n\nNext:\n {2}fill in the schema in src\/tools\/price\.input\.json, and run npm run generate\n {2}fill in the handler in src\/tools\/price\.ts\n {2}extend the test in test\/tools\/price\.test\.ts, and run npm test\n$/,
  );
  expect(own().get('src/tools/price.ts')).toContain('price is not implemented; arguments: ${JSON.stringify(args)}');
  await here(['remove', 'tool', 'price'], project);
});

test('a pattern that never ends costs no more than an example', async () => {
  const slow = { type: 'string', pattern: '^(.+)+!$' };
  const a = { type: 'string', minLength: 60 };
  const schema = { type: 'object', properties: { a }, required: ['a'], patternProperties: { '^.$': slow } };
  writeFileSync(path.join(project, 'slow.json'), JSON.stringify(schema));
  const result = await add('tool', 'slow', '--input', 'slow.json', '--dry-run');
  expect(result.code).toBe(0);
  expect(result.stderr).toMatch(
    /^warning: src\/tools\/slow\.input\.json#\/patternProperties\/\^\.\$\/pattern: .* takes exponential time .*\nhint: .*\n$/,
  );
  expect(result.stdout).toContain('would write src/tools/slow.ts');
}, 60_000);

test('adding what exists already changes nothing', async () => {
  await addExamples(project);
  const before = own();
  expect(before.get('src/tools/get-weather.input.json')).toBe(JSON.stringify(WEATHER));
  expect(before.get('src/tools/index.ts')).toContain('[greet, getWeather, hard, deleteTool, adminToolsList]');
  const again = await add('tool', 'get-weather', '--input', '../weather.json', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ kind: 'tool', name: 'get-weather', registered: false });
  expect((await add('prompt', 'review')).stdout).toBe('prompt review exists already; nothing was changed\n');
  expect(own()).toEqual(before);
});

describe('a file that exists already is kept, with a warning', () => {
  test('the schema of the arguments', async () => {
    writeFileSync(path.join(project, 'other.json'), '{ "type": "object" }');
    const before = own();
    const result = await add('tool', 'get-weather', '--input', 'other.json');
    expect(result.code).toBe(0);
    expect(result.stderr).toBe(
      'warning: src/tools/get-weather.input.json: the file exists already and is kept; other.json was not copied\n' +
        'hint: Edit the file, or delete it and run the command again.\n',
    );
    expect(own()).toEqual(before);
  });

  test('a tool that was added without arguments', async () => {
    const bare =
      'import { defineTool } from "../generated/runtime/registry.js";\n' +
      'export const bare = defineTool({ name: "bare", run: () => "" });\n';
    writeFileSync(path.join(project, 'src/tools/bare.ts'), bare);
    const result = await add('tool', 'bare', '--input', '../weather.json', '--dry-run', '--json');
    rmSync(path.join(project, 'src/tools/bare.ts'));
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toMatchObject({
      warnings: [
        {
          location: 'src/tools/bare.ts',
          message: 'the file exists already and is kept; it does not use the schema of ../weather.json',
          hint: expect.stringMatching(/^Import `bareInput` there and add `input: bareInput`/) as string,
        },
      ],
    });
  });
});

describe('what cannot be done is reported once, with nothing written', () => {
  test.each<[readonly string[], RegExp]>([
    [['tool', 'a b'], /"a b" is not a valid name for a tool/],
    [['tool', '../x'], /"\.\.\/x" is not a valid name/],
    [['tool', 'x', '--input', '../none.json'], /none\.json: no such file/],
    [
      ['tool', 'x', '--input', '../wrong.json'],
      /wrong\.json: the schema of a tool's arguments must have the type object/,
    ],
    [['tool', 'greet2', 'x'], /too many arguments/],
    [['tol', 'x'], /unknown command 'tol'[^]*Did you mean tool\?/],
    [['tool', 'Greet'], /src\/tools\/greet\.ts: the file already has another tool/],
    [['tool', '-greet'], /unknown option/],
    [
      ['resource', 'x', '--uri', 'x://{?q}'],
      /--uri: the URI template x:\/\/\{\?q\} is not supported: .*, at character 5\n/,
    ],
    [['resource', 'x', '--uri', 'foo'], /--uri: "foo" has no scheme, so it is not a URI\n/],
    [['resource', 'x', '--uri', 'x://{a}{b}'], /two variables need a text between them, at character 8\n/],
    [['resource', 'x', '--uri', 'notes://{id}'], /src\/resources\/notes\.ts: the URI notes:\/\/\{id\} is taken/],
    [['resource', 'x', '--uri', 'notes://{name}'], /notes:\/\/\{name\} matches the same URIs as notes:\/\/\{id\}/],
    [['tool', '_greet'], /src\/tools\/greet\.ts: the file exists already, with the tool "greet" in it/],
  ])('%j', async (args, message) => {
    const before = own();
    const result = await add(...args);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(findInternals(result.stderr)).toEqual([]);
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
      /^error: src\/prompts\/index\.ts:\d+: `prompts` is not an array literal, so other cannot be added to it; nothing was written\nhint: Add it by hand: import \{ other \} from "\.\/other\.js", and add other to the list `prompts`\.\n$/,
    );
    expect(own()).toEqual(before);
    writeFileSync(index, text);
  });

  test('rejects a folder without a usable project', async () => {
    const cwd = temporaryFolder();
    const nowhere = await here(['add', 'tool', 'x'], cwd);
    expect(nowhere).toMatchObject({ code: 2, stdout: '' });
    expect(nowhere.stderr).toMatch(/this is not a server/);
    writeFileSync(path.join(cwd, 'mcpgen.config.json'), '{ "emit": ["default"] }');
    expect((await here(['add', 'tool', 'x'], cwd)).stderr).toMatch(/mcpgen\.config\.json: emit: .*no registry/);
    writeFileSync(path.join(cwd, 'mcpgen.config.json'), '{ "emit": ["default", "registry"] }');
    expect((await here(['add', 'tool', 'x'], cwd)).stderr).toMatch(
      /src\/server\.ts: there is no such file, .*nothing was written\nhint: Change it by hand:\n/,
    );
    mkdirSync(path.join(cwd, 'src/tools'), { recursive: true });
    writeFileSync(path.join(cwd, 'src/tools/index.ts'), 'export const tools = [];\n');
    writeFileSync(path.join(cwd, 'w.json'), '{ "type": "object" }');
    expect((await here(['add', 'tool', 'x', '--input', 'w.json'], cwd)).stderr).toMatch(/Add "tools": \["src/);
    writeFileSync(path.join(cwd, 'mcpgen.config.json'), '{ "emit": ["default", "registry"], "tools": ["*.json"] }');
    expect((await here(['add', 'tool', 'x', '--input', 'w.json'], cwd)).stderr).toMatch(
      /tools: no pattern in it matches src\/tools\/x\.input\.json\nhint: Write "tools": \["\*\.json", "src\/tools\/\*\.input\.json"\]/,
    );
    expect(execFileSync('ls', ['src/tools'], { cwd, encoding: 'utf8' })).toBe('index.ts\n');
  });
});
