import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readToolFiles, readToolList, renderTools, type PlannedFile } from '../../generator/index.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { parseTool } from '../../generator/model/tools.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import { parseTools } from '../../generator/read/tools.js';
import { splitCommand } from '../../generator/text.js';
import type { Validator } from '../../templates/runtime/validation.js';
import { listFiles, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';
import { mcpgen } from '../support/in-process.js';
import { compileErrorsOf, errorOf, findHiddenCharacters, findInternals } from '../support/hostile.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EVERYTHING = path.join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

/** The files that tests rendered, by the title of the test. A compilation for each took most of the time. */
const toCompile = new Map<string, readonly PlannedFile[]>();

/** Compiles files with those of the other tests, after the last one. */
function willCompile(files: readonly PlannedFile[]): void {
  toCompile.set(`${expect.getState().currentTestName?.slice(0, 100)} #${toCompile.size}`, files);
}

// Not a test: it has to run too when only some tests are picked.
afterAll(async () => {
  expect(await compileErrorsOf(toCompile)).toEqual([]);
});

afterAll(removeTemporaryFolders);

const OBJECT = { type: 'object' };

/** Types of tools in memory, which will be compiled, seen to hold nothing hidden and to stay in their folder. */
async function typed(list: unknown): Promise<{ texts: ReadonlyMap<string, string>; warnings: readonly string[] }> {
  const { files, warnings } = await renderTools(
    parseTools(JSON.parse(JSON.stringify(list)) as JsonValue, 't.json'),
    '/nowhere',
  );
  willCompile(files);
  for (const file of files) {
    expect(file.path).toMatch(/^(?:tools|runtime)(?:\/[\w-]+)+\.ts$/);
    expect(findHiddenCharacters(file.contents)).toEqual([]);
  }
  for (const { place, message } of warnings) expect(findInternals(`${place}: ${message}`)).toEqual([]);
  return {
    texts: new Map(files.map((file) => [file.path, file.contents])),
    warnings: warnings.map(({ place, message }) => `${place}: ${message}`),
  };
}

/** The types of one tool's arguments. */
async function one(inputSchema: unknown): Promise<{ text: string; warnings: readonly string[] }> {
  const { texts, warnings } = await typed([{ name: 'x', inputSchema }]);
  return { text: texts.get('tools/x.ts') ?? '', warnings };
}

describe('names', () => {
  test('that collide are distinguished on any file system', async () => {
    const names = ['get_weather', 'get-weather', 'getWeather', 'GETWEATHER', 'getweather', 'index', 'CON', 'client'];
    const { texts } = await typed(names.map((name) => ({ name, inputSchema: OBJECT })));
    const stems = [...texts.keys()].filter((name) => name.startsWith('tools/'));
    // And client.ts and index.ts, which are for all of them.
    expect(new Set(stems.map((name) => name.toLowerCase())).size).toBe(names.length + 2);
    const types = [...texts.values()].flatMap((text) =>
      [...text.matchAll(/^export type (\w+)/gm)].map(([, name]) => name),
    );
    expect(types).toEqual(expect.arrayContaining(['GetWeatherInput', 'GetWeatherInput2'.replace('Input2', '2Input')]));
    const own = types.filter((name) => /^(?:get|index|con|client)/i.test(name ?? ''));
    expect(new Set(own).size).toBe(names.length);
  });

  test.each([
    '../../etc/x',
    '__proto__',
    'a\u202Eb',
    '*/ alert(1) /*',
    '"; x',
    '\n',
    '²³',
    'ключ',
    '🙂',
    'x'.repeat(5000),
    'class',
    '3d',
  ])('hostile: %j', async (name) => {
    await typed([{ name, description: `*/ ${name}`, inputSchema: OBJECT, outputSchema: OBJECT }]);
  });
});

describe('schemas', () => {
  test('members may be of a type that no value has', async () => {
    const { text } = await one({ ...OBJECT, additionalProperties: { oneOf: [{ const: ['a'], type: 'integer' }] } });
    expect(text).toContain('export type XInput = { [key: string]: never };');
    const refined = { if: OBJECT, then: { const: 1, type: 'string' }, else: false, oneOf: [OBJECT, { type: 'null' }] };
    expect((await one({ ...OBJECT, additionalProperties: refined })).text).toContain('{ [key: string]: never }');
  });

  test.each([
    [{ readOnly: true }, '/** Read-only. */'],
    [{ writeOnly: true, description: 'Secret.' }, '* Secret.\n   *\n   * Write-only.'],
    [{ examples: ['a', 1, { b: [] }, 'c'] }, '/** Examples: `"a"`, `1`, `{"b":[]}`. */'],
    [{ examples: ['*/ x`'] }, '/** Example: `"*\\/ x\'"`. */'],
    [{ examples: ['Rome'], description: 'A city, such as Rome.' }, '/** A city, such as Rome. */'],
    [{ examples: 'a', readOnly: 'yes' }, '{\n  v?: string;'],
  ])('annotations are in the docs: %j', async (annotations, expected) => {
    const { text } = await one({ ...OBJECT, properties: { v: { type: 'string', ...annotations } } });
    expect(text).toContain(expected);
  });

  test.each([
    ['if', { if: { const: 'a' }, then: { const: 1 }, else: { const: null } }],
    ['dependentSchemas', { dependentSchemas: { a: { const: 'a' }, b: { type: 'null' } } }],
  ])('an object may be compared with constants in "%s"', async (_, schema) => {
    expect((await one({ ...OBJECT, ...schema })).warnings).toEqual([]);
  });

  test.each([
    ['an item', { $ref: '#/$defs/a' }, 'item2?: XInputA, ...unknown[]'],
    ['a list of them', { type: 'array', items: { $ref: '#/$defs/a' } }, 'item2?: XInputA[], ...unknown[]'],
  ])('a tuple may have its own type as an optional item: %s', async (_, item, printed) => {
    const tuple = { type: 'array', prefixItems: [{ type: 'number' }, item] };
    const { text } = await one({
      ...OBJECT,
      properties: { v: { $ref: '#/$defs/a' } },
      $defs: { a: { anyOf: [{ allOf: [tuple, { maxItems: 9 }] }, { type: 'null' }] } },
    });
    expect(text).toContain(printed);
  });

  test('inherited names are ordinary members', async () => {
    const folder = temporaryFolder();
    const schema =
      '{"type":"object","properties":{"__proto__":{"type":"integer"},"constructor":{"type":"string"}},"required":["constructor"]}';
    writeFileSync(path.join(folder, 'x.input.json'), schema);
    const { tools } = await readToolFiles(['*.input.json'], folder);
    const { files } = await renderTools(tools, folder);
    willCompile(files);
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    for (const file of files) {
      mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
      writeFileSync(path.join(folder, file.path), file.contents);
    }
    const { validateXInput, xInput } = await importOutput<{
      validateXInput: Validator<unknown>;
      xInput: { schema: object };
    }>(path.join(folder, 'tools/x.ts'));
    expect(validateXInput({}).success).toBe(false);
    expect(validateXInput({ constructor: 'a' }).success).toBe(true);
    expect(validateXInput(JSON.parse('{"constructor":"a","__proto__":1}')).success).toBe(true);
    expect(validateXInput(JSON.parse('{"constructor":"a","__proto__":1.5}')).success).toBe(false);
    // What goes to the model is the schema as it was written.
    expect(JSON.stringify(xInput.schema)).toBe(schema);
  });

  test('resolves every form of reference', async () => {
    const { text, warnings } = await one({
      type: 'object',
      properties: {
        child: { $ref: '#' },
        address: { $ref: '#/$defs/address' },
        old: { $ref: '#/definitions/o%20ld' },
        again: { $ref: '#/properties/address' },
        named: { $ref: '#here' },
      },
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' } } },
        a: { $anchor: 'here', type: 'null' },
      },
      definitions: { 'o ld': { type: 'array', items: { $ref: '#/definitions/o%20ld' } } },
    });
    expect(warnings).toEqual([]);
    expect(text).toContain('child?: XInput;');
    expect(text).toContain('address?: XInputAddress;');
    expect(text).toContain('export type XInputOLd = XInputOLd[];');
  });

  test.each<[string, unknown, RegExp]>([
    [
      'a reference to another file',
      { $ref: 'https://example.com/a.json' },
      /points outside the schema, and nothing is fetched/,
    ],
    ['a reference to a file on the disk', { $ref: 'file:///etc/passwd' }, /points outside the schema/],
    ['a reference to nothing', { $ref: '#/$defs/none' }, /points to nothing/],
    ['a reference that is none', { $ref: 5 }, /points to nothing/],
    ['a circle', { $ref: '#/properties/x' }, /refers to itself and nothing else/],
    ['a type that is none', { type: 'any' }, /"any" is not a type/],
    [
      'a misspelt keyword',
      { type: 'object', requird: ['a'] },
      /the keyword "requird" is unknown.*did you mean "required"\?/,
    ],
    ['a wrong limit', { type: 'string', minLength: 'a' }, /"a" is not a value of "minLength"/],
    ['a pattern that is none', { type: 'string', pattern: '(' }, /is not a value of "pattern"/],
    ['no schema', 7, /not a schema, so its type is unknown/],
    ['no list', { anyOf: {} }, /not a list of schemas/],
  ])('warns about %s', async (_, x, message) => {
    const { warnings } = await one({ type: 'object', properties: { x } });
    expect(warnings.join('\n')).toMatch(message);
    expect(warnings[0]).toMatch(/^t\.json#\/0\/inputSchema\/properties\/x/);
  });

  test.each<[unknown, string, string]>([
    [{ type: 'strng' }, '"strng" is not a type', 'Did you mean "string"?'],
    [{ type: ['string', 'nul'] }, '["string","nul"] is not a type', 'Did you mean "null"?'],
    [
      { type: 'xyzzy' },
      '"xyzzy" is not a type',
      'The types are string, number, integer, boolean, null, array, object.',
    ],
    [{ type: 'number', minimum: '3' }, '"3" is not a value of "minimum"', 'Write a number.'],
    [{ type: 'number', multipleOf: 0 }, '0 is not a value of "multipleOf"', 'Write a number above 0.'],
    [{ type: 'string', minLength: -1 }, '-1 is not a value of "minLength"', 'Write an integer that is not negative.'],
    [{ type: 'string', pattern: '(' }, '"(" is not a value of "pattern"', 'Write a regular expression.'],
    [{ type: 'array', uniqueItems: 1 }, '1 is not a value of "uniqueItems"', 'Write true or false.'],
    [{ type: 'string', format: 1 }, '1 is not a value of "format"', 'Write a string.'],
    [
      { $ref: '#/$defs/none' },
      'the reference "#/$defs/none" points to nothing',
      'Add the definition, or correct the reference.',
    ],
    [
      { $ref: 'other.json' },
      'the reference "other.json" points outside the schema, and nothing is fetched',
      'Pass the schema with this "$id" as --additional-schema, list it in "additionalSchemas" of the config, or copy it into $defs.',
    ],
    [{ enum: 'x' }, 'not a list of values', 'Write a list, or one value as "const".'],
    [{ anyOf: {} }, 'not a list of schemas', 'Write a list of at least one schema.'],
    [{ type: 'object', required: 'a' }, 'not a list of names', 'Write a list of the names of members.'],
    [{ type: 'object', properties: [] }, 'not an object of schemas', 'Write an object with a schema for each name.'],
    [7, 'not a schema', 'Write an object or a boolean.'],
  ])("rejects %j in the author's own schema", async (x, message, remedy) => {
    const input = { type: 'object', properties: { x } } as JsonValue;
    const source = { name: 'mine', input, places: { input: 'mine.input.json', output: '' }, isOwn: true };
    const error = await errorOf(renderTools([source], '/nowhere'));
    expect(error).toMatchObject({ message, remedy });
    expect(error.place).toMatch(/^mine\.input\.json#\/properties\/x/);
  });

  test('supports unusual schemas', async () => {
    let deep: object = { type: 'string' };
    for (let level = 0; level < 60; level += 1) deep = { type: 'object', properties: { ['*/'.repeat(20)]: deep } };
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`p${index}`, { type: 'string' }]));
    const { texts } = await typed([
      { name: 'deep', inputSchema: deep },
      { name: 'many', inputSchema: { type: 'object', properties: many } },
      { name: 'all', inputSchema: true, outputSchema: false },
      { name: 'none' },
    ]);
    expect(texts.get('tools/all.ts')).toContain('export type AllInput = { [key: string]: unknown };');
    expect(texts.get('tools/all.ts')).toContain('export type AllOutput = never;');
    expect(texts.get('tools/none.ts')).toContain('export {};');
  });

  test('a member that is required and not allowed has no valid value', async () => {
    const { texts } = await typed([
      { name: 't', inputSchema: { type: 'object', required: ['a'], additionalProperties: false } },
    ]);
    expect(texts.get('tools/t.ts')).toMatch(/check\.present\(value\["a"\]\) &&\s+check\.absent\(value\["a"\]\)/);
  });

  test('a required member has the type of a pattern with Unicode properties', async () => {
    const patterns = { patternProperties: { '^\\p{L}$': { type: 'string' } }, additionalProperties: false };
    const { texts } = await typed([{ name: 't', inputSchema: { type: 'object', required: ['é'], ...patterns } }]);
    expect(texts.get('tools/t.ts')).toContain('é: string;');
  });

  test('compares with constants of a type that an earlier part excludes', async () => {
    const item = { allOf: [{ $ref: '#/$defs/one' }, { type: 'null' }, { const: 'ab' }] };
    const one = { type: 'object', properties: { a: { type: 'string' } } };
    const { texts } = await typed([
      { name: 't', inputSchema: { type: 'object', properties: { item }, $defs: { one } } },
    ]);
    expect(texts.get('tools/t.ts')).toContain('export function isTInput(');
  });

  test('a schema that is too large has no type', async () => {
    const huge = Object.fromEntries(Array.from({ length: 25_000 }, (_, index) => [`p${index}`, {}]));
    const { texts, warnings } = await typed([
      { name: 'huge', inputSchema: { type: 'object', properties: huge } },
      { name: 'small', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } },
    ]);
    expect(warnings).toEqual(['t.json#/0/inputSchema: the schema is too large, so its type is unknown']);
    expect(texts.get('tools/small.ts')).toContain('a?: string;');
  });
});

describe('lists', () => {
  test('may be a response, a result or an array', () => {
    const tools = [{ name: 'a', inputSchema: OBJECT }];
    const names = [{ jsonrpc: '2.0', id: 1, result: { tools } }, { tools }, tools].map((value) =>
      readToolList(JSON.stringify(value), 't.json').map(({ name }) => name),
    );
    expect(names).toEqual([['a'], ['a'], ['a']]);
  });

  const noList = 'it contains no list of tools\nPass a `tools/list` response, its result, or the list alone.';
  test.each<[string, string, string]>([
    ['no list', '{}', `t.json#/tools: ${noList}`],
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{}}', `t.json#/tools: ${noList}`],
    ['an empty result', '{"result":{}}', `t.json#/result/tools: ${noList}`],
    ['a string', '"a"', `t.json: ${noList}`],
    ['a tool with an empty name', '[{"name":""}]', 't.json#/0/name: the name of the tool is empty'],
    ['a tool without a name', '[{}]', 't.json#/0: a tool must be an object with a name\nFix the error there.'],
    ['two of one name', '[{"name":"a"},{"name":"a"}]', 't.json#/1: there are two tools "a"\nRename one of them.'],
    ['no JSON', '[', 't.json:1:2: unexpected end of JSON'],
  ])('%s', async (_, text, message) => {
    const fault = await errorOf(Promise.resolve().then(() => readToolList(text, 't.json')));
    expect(`${fault.place}: ${fault.message}\n${fault.remedy}`).toContain(message);
  });

  test("an author's own schema has to be that of an object", async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'a.input.json'), '{ "type": "string" }');
    const fault = await errorOf(readToolFiles(['*.input.json'], folder));
    expect(fault).toMatchObject({ message: 'the schema of a tool must have the type object', place: 'a.input.json' });
  });
});

test('splits a command line like a shell', () => {
  expect(splitCommand(`node  "a b" 'c"d' e\\ f "g\\"h" $HOME *`)).toEqual([
    'node',
    'a b',
    'c"d',
    'e f',
    'g"h',
    '$HOME',
    '*',
  ]);
  expect(splitCommand('')).toEqual([]);
  expect(splitCommand(`node "a`)).toBeUndefined();
});

describe.concurrent('types tools', () => {
  test('saves the list of a stdio server', async () => {
    const cwd = temporaryFolder();
    const server = `"${process.execPath}" "${EVERYTHING}"`;
    const asked = await mcpgen(
      ['types', 'tools', '--from-server', server, '--out', 'out', '--save', 'kept/tools.json'],
      { cwd },
    );
    expect([asked.code, asked.stderr]).toEqual([0, '']);
    expect(asked.stdout).toMatch(/^\d+ tools in out\/: \d+ new\n$/);
    expect(listFiles(path.join(cwd, 'out')).filter((name) => name.startsWith('tools/'))).toContain('tools/get-sum.ts');
    expect(readFileSync(path.join(cwd, 'out/tools/get-structured-content.ts'), 'utf8')).toContain(
      'location: "New York" | "Chicago" | "Los Angeles";',
    );
    // From a file, the header differs, and nothing else is stale.
    const checked = await mcpgen(['types', 'tools', 'kept/tools.json', '--out', 'out', '--check', '--json'], { cwd });
    expect(checked.code).toBe(1);
    expect((await mcpgen(['types', 'tools', 'kept/tools.json', '--out', 'out'], { cwd })).code).toBe(0);
    const again = await mcpgen(['types', 'tools', 'kept/tools.json', '--out', 'out', '--check'], { cwd });
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/^\d+ tools in out\/: all up to date\n$/)]);
  });

  test('reads standard input', async () => {
    const input = JSON.stringify([{ name: 'a', inputSchema: { type: 'object', maximun: 3 } }]);
    const result = await mcpgen(['types', 'tools', '-', '--out', '-'], { cwd: temporaryFolder(), input });
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('export type AInput');
    expect(result.stderr).toBe(
      'warning: standard input#/0/inputSchema/maximun: the keyword "maximun" is unknown and has no effect; did you mean "maximum"?\n',
    );
    const strict = await mcpgen(['types', 'tools', '-', '--out', 'x', '--strict'], { cwd: temporaryFolder(), input });
    expect(strict.code).toBe(2);
  });

  test.each<[readonly string[], RegExp]>([
    [[], /a file or a server is required/],
    [['a.json', '--from-server', 'x'], /a file and a server cannot be combined/],
    [['none.json'], /none\.json: no such file/],
    [['--from-server', 'no-such-program'], /no such command/],
    [['--from-server', 'a "b'], /a quote is not closed/],
    [['--from-server', 'x', '--timeout', 'soon'], /must be a number of seconds/],
    [['a.json', '--save', 'b.json'], /only applies to --from-server/],
    [['a.json', '--out', '-', '--check'], /--check needs an output folder/],
  ])('%j', async (args, message) => {
    const result = await mcpgen(['types', 'tools', ...args], { cwd: temporaryFolder() });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
  });
});

test('a schema that refers to anchors in thousands of places is read in one pass', () => {
  const count = 15_000;
  const schema: JsonValue = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { $ref: '#text' }])),
    examples: Array.from({ length: count }, () => [{}, {}]),
    $defs: { Text: { $anchor: 'text', type: 'string' } },
  };
  const source = { name: 'x', input: schema, places: { input: 'x.json', output: '' }, isOwn: false };
  const { definitions, warnings } = parseTool(source, NO_DOCS);
  expect(definitions.map(({ name }) => name)).toEqual(['Input', 'Input Text']);
  expect(warnings).toEqual([]);
});
