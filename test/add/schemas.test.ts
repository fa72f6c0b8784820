import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clearConfigCache } from 'prettier';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { createDemoServer } from './support.js';

let project = '';
beforeAll(async () => {
  project = await createDemoServer();
  writeFileSync(
    path.join(project, 'days.json'),
    '{ "type": "object", "properties": { "days": { "type": "integer", "minimum": 3 } }, "required": ["days"] }',
  );
});
afterAll(removeTemporaryFolders);

async function add(...args: readonly string[]): Promise<void> {
  expect(await mcpgen(['add', ...args], { cwd: project })).toMatchObject({ code: 0, stderr: '' });
}

function text(file: string): string {
  return readFileSync(path.join(project, file), 'utf8');
}

test('a tool without --input gets an empty schema to fill in', async () => {
  await add('tool', 'plain');
  expect(JSON.parse(text('src/tools/plain.input.json'))).toEqual({ type: 'object', properties: {}, required: [] });
  expect(text('src/tools/plain.ts')).toContain('input: plainInput,');
  expect(text('src/generated/tools/plain.ts')).toContain('export type PlainInput');
});

test('a tool with --output returns an example of its structured content', async () => {
  await add('tool', 'forecast', '--output', 'days.json');
  expect(text('src/tools/forecast.output.json')).toBe(text('days.json'));
  expect(text('src/tools/forecast.ts')).toContain('output: forecastOutput,');
  expect(text('src/tools/forecast.ts')).toContain('run: () => ({ structuredContent: { days: 3 } }),');
});

test('a tool whose structured content has no known example throws a ToolError', async () => {
  await add('tool', 'riddle', '--output', '../hard.json');
  expect(text('src/tools/riddle.ts')).toContain('import { defineTool, ToolError }');
  expect(text('src/tools/riddle.ts')).toContain('throw new ToolError("riddle is not implemented.");');
  expect(text('test/tools/riddle.test.ts')).toContain('"riddle is listed"');
});

test('an output schema that is no object schema is rejected', async () => {
  const result = await mcpgen(['add', 'tool', 'x', '--output', '../wrong.json'], { cwd: project });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toMatch(/wrong\.json: the schema of a tool's structured content must have the type object/);
});

test('a schema with a misspelled type is rejected with its place', async () => {
  writeFileSync(path.join(project, 'bad.json'), '{ "type": "object", "properties": { "a": { "type": "strng" } } }');
  const result = await mcpgen(['add', 'tool', 'x', '--input', 'bad.json'], { cwd: project });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toBe(
    'error: bad.json#/properties/a/type: "strng" is not a type\nhint: Did you mean "string"?\n',
  );
});

describe('with a Prettier config in the project', () => {
  beforeAll(async () => {
    // Prettier remembers that the folder has none.
    await clearConfigCache();
    writeFileSync(path.join(project, '.prettierrc'), '{ "singleQuote": true, "semi": false, "tabWidth": 4 }');
  });

  test('a new file has its format', async () => {
    await add('tool', 'quoted');
    expect(text('src/tools/quoted.ts')).toContain("    name: 'quoted',\n");
    expect(text('test/tools/quoted.test.ts')).toContain("import { connect } from '../support.js'\n");
  });

  test('an edited file that had another format keeps it', () => {
    expect(text('src/tools/index.ts')).toContain('import { quoted } from "./quoted.js";');
  });

  test('an edited file that had its format has it afterwards', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `aLongNameOfATool${index}`);
    const imports = names.map((name) => `import { ${name} } from './${name}.js'\n`).join('');
    const list = `[\n${names.map((name) => `    ${name},\n`).join('')}]`;
    writeFileSync(path.join(project, 'src/tools/index.ts'), `${imports}\nexport const tools = ${list}\n`);
    await add('tool', 'last');
    expect(text('src/tools/index.ts')).toContain(`${list.slice(0, -1)}    last,\n]\n`);
    writeFileSync(path.join(project, 'src/prompts/index.ts'), 'export const prompts = []\n');
    await add('prompt', 'a-name-of-a-prompt-that-makes-the-line-longer-than-the-eighty-columns-of-prettier');
    expect(text('src/prompts/index.ts')).toMatch(/export const prompts = \[\n {4}aName\w+,\n\]\n$/);
  });

  test('a broken one is reported with its place', async () => {
    await clearConfigCache();
    writeFileSync(path.join(project, '.prettierrc'), '{ "tabWidth": "wide" }');
    const result = await mcpgen(['add', 'tool', 'broken'], { cwd: project });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/^error: \S*\.prettierrc: the Prettier config cannot be used: /);
  });
});
